"""Lua: the interpreters from 5.1 to 5.4 and LuaJIT, and the programs that run Lua within them."""

import pytest

from kb.trace import ExceptionChain, Level, fingerprints, parse
from kb.trace.runtimes.lua.names import place
from kb.trace.runtimes.lua.reader import frame_of, head_of, message_of, position_in, skipped
from tests.kb.trace.reading import only

STACK = "stack traceback:\n\t[C]: in function 'error'\n\tshop/order.lua:3: in function 'pay'\n\tmain.lua:9: in main chunk\n\t[C]: in ?\n"


def calls(chain: ExceptionChain) -> list[tuple[str | None, str | None, int | None]]:
    return [(f.function, f.filename, f.lineno) for f in chain.root.stack.frames]


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("\t[C]: in function 'error'", ("error", "[C]", None)),
        ("\t[C]: in ?", (None, "[C]", None)),
        ("\t[C]: ?", (None, "[C]", None)),
        ("\t[C]: at 0x564537c7a2c0", (None, "[C]", None)),
        ("\tx.lua:3: in function 'f'", ("f", "x.lua", 3)),
        ("\tx.lua:3: in function <x.lua:1>", ("<x.lua:1>", "x.lua", 3)),
        ("\tx.lua:3: in upvalue 'f'", ("f", "x.lua", 3)),
        ("\tx.lua:3: in local 'f'", ("f", "x.lua", 3)),
        ("\tx.lua:3: in method 'f'", ("f", "x.lua", 3)),
        ("\tx.lua:3: in field 'a.f'", ("a.f", "x.lua", 3)),
        ("\tx.lua:3: in metamethod 'add'", ("add", "x.lua", 3)),
        ("\tx.lua:20: in main chunk", ("main chunk", "x.lua", 20)),
        ("\t/srv/a.lua: in function 'f'", ("f", "/srv/a.lua", None)),
        ("\t...ry/long/path/x.lua:3: in function 'f'", ("f", "...ry/long/path/x.lua", 3)),
        ('\t[string "x = 1"]:1: in main chunk', ("main chunk", '[string "x = 1"]', 1)),
        ("[love \"callbacks.lua\"]:228: in function 'handler'", ("handler", '[love "callbacks.lua"]', 228)),
        ("\taccess_by_lua(nginx.conf:61):3: in main chunk", ("main chunk", "access_by_lua(nginx.conf:61)", 3)),
        ("\tx.lua:3: in function 'f', client: 10.0.0.1, server: x", ("f", "x.lua", 3)),
        ("\t(command line):1: in main chunk", ("main chunk", "(command line)", 1)),
        ("x.lua:3: boom", None),
        ("\tfrom x.rb:3:in `f'", None),
        ("the file x.lua:3: in function of it", None),
        ("\t(...tail calls...)", None),
    ],
)
def test_frames(line: str, call: tuple[str | None, str, int | None] | None) -> None:
    found = frame_of(line)
    assert ((found.function, found.filename, found.lineno) if found is not None else None) == call


@pytest.mark.parametrize(
    ("line", "message", "lineno"),
    [
        ("lua: x.lua:3: boom", "boom", 3),
        ("lua5.4: x.lua:3: boom", "boom", 3),
        ("/usr/bin/luajit: x.lua:3: boom", "boom", 3),
        ("luajit: x.lua:9: x.lua:3: boom", "boom", 3),
        ("lua: (error object is a table value)", "(error object is a table value)", None),
        ("[error] 1#1: *1 lua entry thread aborted: runtime error: /a/x.lua:3: boom, client: 10.0.0.1", "boom", 3),
        ("(error) ERR Error running script (call to f_6b1b): @user_script:3: user_script:3: boom", "boom", 3),
        ("ERR user_script:1: boom script: 0123456789abcdef, on @user_script:1.", "boom", 1),
        ("E5108: Error executing lua /a/x.lua:3: boom", "boom", 3),
        ("Error executing vim.schedule lua callback: ...a/x.lua:3: boom", "boom", 3),
        ('E5108: Error executing lua [string ":lua"]:1: boom', "boom", 1),
    ],
)
def test_heads(line: str, message: str, lineno: int | None) -> None:
    head = head_of(line)
    assert head is not None
    assert (head.message, head.place.lineno if head.place is not None else None) == (message, lineno)


@pytest.mark.parametrize(
    ("chunk", "module", "rank"),
    [
        ("[C]", "[C]", 2),
        ("[builtin#21]", "[C]", 2),
        ("/usr/share/lua/5.1/resty/http.lua", "resty.http", 1),
        ("/usr/local/openresty/lualib/resty/core.lua", "resty.core", 1),
        ("...nvim/share/nvim/runtime/lua/vim/lsp.lua", "vim.lsp", 1),
        ('[love "boot.lua"]', "boot", 1),
        ("/srv/gateway/lua/shop/auth.lua", "shop.auth", 0),
        ("./shop/auth.lua", "shop.auth", 0),
        ("/srv/auth.lua", "auth", 0),
        ("/srv/shop/init.lua", "shop.init", 0),
        ("...shop/init.lua", "init", 0),
        ('[string "return 1 + x"]', "[string]", 0),
        ('[string "scripts/a.lua"]', "scripts.a", 0),
        ("access_by_lua(nginx.conf:61)", "access_by_lua", 0),
        ("user_script", "user_script", 0),
    ],
)
def test_modules(chunk: str, module: str, rank: int) -> None:
    assert place(chunk) == (module, rank)


def test_a_traceback() -> None:
    text = f"lua: shop/order.lua:3: boom 7\n{STACK}"
    chain = only(text)
    assert (chain.runtime, chain.root.type, chain.root.message, chain.head_truncated) == ("lua", None, "boom 7", False)
    assert calls(chain) == [
        ("error", "[C]", None),
        ("pay", "shop/order.lua", 3),
        ("main chunk", "main.lua", 9),
        (None, "[C]", None),
    ]
    assert [f.in_app for f in chain.root.stack.frames] == [False, True, True, False]
    assert text[slice(*chain.span)] == text.rstrip()


def test_the_versions_of_the_interpreter_agree() -> None:
    later = "lua5.4: o.lua:5: attempt to index a nil value (field 'x')\nstack traceback:\n\to.lua:5: in upvalue 'f'\n\to.lua:9: in method 'g'\n\t(...tail calls...)\n\t[C]: in ?\n"
    older = "lua: o.lua:6: attempt to index field 'x' (a nil value)\nstack traceback:\n\to.lua:6: in function 'f'\n\to.lua:8: in function 'o.g'\n\t(tail call): ?\n\t[C]: ?\n"
    assert fingerprints(only(later)) == fingerprints(only(older))
    assert fingerprints(only(later))[Level.LOOSE].basis == ("?", "  o.f")


def test_two_files_with_a_function_of_one_name_differ() -> None:
    one, other = (f"lua: x\nstack traceback:\n\t/srv/lua/{name}.lua:5: in function 'f'\n" for name in ("a/x", "b/x"))
    assert fingerprints(only(one))[Level.EXACT] != fingerprints(only(other))[Level.EXACT]


def test_a_message_of_many_lines() -> None:
    chain = only(f"lua: m.lua:3: module 'x' not found:\n\tno field package.preload['x']\n\tno file './x.lua'\n{STACK}")
    assert chain.root.message == "module 'x' not found:\n\tno field package.preload['x']\n\tno file './x.lua'"


def test_levels_that_were_left_out() -> None:
    chain = only(
        "lua: r.lua:3: stack overflow\nstack traceback:\n\tr.lua:3: in upvalue 'f'\n\t...\t(skipping 99 levels)\n\tr.lua:6: in main chunk\n"
    )
    assert len(chain.root.stack.frames) == 2
    assert chain.notes == ("the interpreter left 99 levels out",)
    assert skipped("\t...") == ""


def test_a_server_puts_the_request_behind_the_last_frame() -> None:
    record = "2024/05/01 10:00:0{0} [error] 1#1: *{0} lua entry thread aborted: runtime error: /srv/lua/a.lua:3: boom {0}\nstack traceback:\ncoroutine 0:\n\t/srv/lua/a.lua:3: in function 'f'\n\t/srv/lua/a.lua:9: in main chunk, client: 10.0.0.1, server: , request: \"GET / HTTP/1.1\"\n"
    chains = parse(record.format(1) + record.format(2))
    assert [(c.root.message, len(c.root.stack.frames)) for c in chains] == [("boom 1", 2), ("boom 2", 2)]


@pytest.mark.parametrize(
    ("above", "message"),
    [
        ("Error\n\nmain.lua:3: boom\n\n\nTraceback\n\n", "boom"),
        ("2024-05-01 10:00:00 [error] job failed\nstack traceback:\n", "job failed"),
        ("warning: handler said: shop/a.lua:3: boom\nstack traceback:\n", "boom"),
        ("2024-05-01 10:00:00 ERROR stack traceback:\n", None),
    ],
    ids=["love", "log", "words", "none"],
)
def test_a_traceback_below_other_words(above: str, message: str | None) -> None:
    chain = only(above + "main.lua:3: in function 'update'\n\t[C]: in function 'xpcall'\n")
    assert (chain.root.message, chain.head_truncated) == (message, message is None)
    assert calls(chain)[0] == ("update", "main.lua", 3)


def test_frames_in_the_middle_have_no_head() -> None:
    chain = only("\tshop/a.lua:3: in function 'f'\n\tshop/a.lua:9: in main chunk\n\t[C]: in ?\n")
    assert (chain.head_truncated, chain.root.message, len(chain.root.stack.frames)) == (True, None, 3)


def test_a_message_alone_has_its_place() -> None:
    chain = only("(error) ERR Error running script (call to f_6b1b): @user_script:3: user_script:3: boom")
    assert (chain.root.message, calls(chain)) == ("boom", [(None, "user_script", 3)])


def test_escaped_breaks() -> None:
    chain = only("x lua: a.lua:3: boom\\nstack traceback:\\n\\t[C]: in function 'error'\\n\\ta.lua:3: in main chunk\n")
    assert [f.function for f in chain.root.stack.frames] == ["error", "main chunk"]


@pytest.mark.parametrize("prefix", ["2024-05-01 10:00:0{} ", "game-1  | ", "> "])
def test_every_line_behind_a_prefix(prefix: str) -> None:
    text = f"lua: shop/order.lua:3: boom\n{STACK}"
    dressed = "".join(f"{prefix.format(at % 10)}{line}\n" for at, line in enumerate(text.splitlines()))
    chain = only(dressed)
    assert (chain.root.message, len(chain.root.stack.frames)) == ("boom", 4)


@pytest.mark.parametrize(
    ("text", "rest", "lineno"),
    [
        ("x.lua:3: y.lua:9: boom", "boom", 9),
        ('[string "a"]:1: boom', "boom", 1),
        ("boom", "boom", None),
        ("10:30: boom", "10:30: boom", None),
    ],
)
def test_places_before_a_message(text: str, rest: str, lineno: int | None) -> None:
    message, frame = message_of(text)
    assert (message, frame.lineno if frame is not None else None) == (rest, lineno)


def test_a_place_within_a_line() -> None:
    assert position_in("error: x.lua:3: boom") == 7
    assert position_in("error: x.lua: boom") is None


def test_a_thousand_frames_are_kept() -> None:
    chain = only(
        "lua: x.lua:1: boom\nstack traceback:\n" + "".join(f"\tx.lua:{n}: in function 'f{n}'\n" for n in range(2_000))
    )
    assert len(chain.root.stack.frames) == 1_024
    assert chain.notes == ("976 frames were not kept",)


@pytest.mark.parametrize(
    "text",
    [
        "2024/05/01 10:00:00 [notice] 1#1: [lua] a.lua:42: init(): started\n2024/05/01 10:00:01 [info] x\n",
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1\n',
        "we use lua: it is small\nand fast\n",
        "a stack traceback: is printed\nby lua\n",
        "edit x.lua:3: in the function\nthere\n",
    ],
    ids=["log", "python", "prose", "mention", "hint"],
)
def test_what_is_no_traceback_of_lua(text: str) -> None:
    assert not any(chain.runtime == "lua" for chain in parse(text))
