"""Ruby: the lines, the heads above and below frames, causes, what stays the same from release to release."""

import pytest

from kb.trace import ExceptionChain, Frame, Level, Relation, fingerprints, normalize, normalize_function, parse
from kb.trace.lines import Lines
from kb.trace.runtimes import ruby
from kb.trace.runtimes.ruby.names import normal_frame, place
from kb.trace.runtimes.ruby.syntax import bare_frame, from_frame, jruby_frame, place_head, typed_head

# id, line, function, file, line number
FRAMES = [
    ("plain", "\tfrom /app/a.rb:9:in `bar'", "bar", "/app/a.rb", 9),
    ("block", "\tfrom a.rb:9:in `block (2 levels) in run'", "run", "a.rb", 9),
    ("rescue-in-block", "\tfrom a.rb:9:in `rescue in block in run'", "run", "a.rb", 9),
    ("ensure", "\tfrom a.rb:9:in `ensure in run'", "run", "a.rb", 9),
    ("top", "\tfrom ./a.rb:9:in `<top (required)>'", "<top (required)>", "./a.rb", 9),
    ("class", "\tfrom a.rb:9:in `<class:Foo>'", "<class:Foo>", "a.rb", 9),
    ("operator", "\tfrom a.rb:9:in `[]='", "[]=", "a.rb", 9),
    ("ruby-3.4", "\tfrom a.rb:9:in 'Acme::Foo#bar'", "Acme::Foo#bar", "a.rb", 9),
    ("internal", "\tfrom <internal:kernel>:187:in `loop'", "loop", "<internal:kernel>", 187),
    ("eval", "\tfrom (eval at /app/a.rb:3):1:in `x'", "x", "(eval at /app/a.rb:3)", 1),
    ("irb", "\tfrom (irb):1:in `<main>'", "<main>", "(irb)", 1),
    ("command-line", "\tfrom -e:1:in `<main>'", "<main>", "-e", 1),
    ("windows", "\tfrom C:/Ruby 3/lib/a.rb:9:in `x'", "x", "C:/Ruby 3/lib/a.rb", 9),
    ("jar", "\tfrom uri:classloader:/gems/a.rb:9:in `x'", "x", "uri:classloader:/gems/a.rb", 9),
    ("no-method", "\tfrom a.rb:9", None, "a.rb", 9),
    ("escaped-html", "\tfrom a.rb:9:in `&lt;main&gt;'", "<main>", "a.rb", 9),
    ("quotes-of-a-page", "\tfrom a.rb:9:in ‘bar’", "bar", "a.rb", 9),
    ("logged", "2024-05-07 10:00:00 ERROR from a.rb:9:in `bar'", "bar", "a.rb", 9),
    ("chinese", "\tfrom /应用/订单.rb:9:in `结算'", "结算", "/应用/订单.rb", 9),
]  # fmt: skip
BARE = [
    ("rails", "rack (2.2.4) lib/rack/runtime.rb:22:in `call'", "call", "rack (2.2.4) lib/rack/runtime.rb", 22),
    ("rspec", "     # ./spec/a_spec.rb:5:in `block in <top (required)>'", "<top (required)>", "./spec/a_spec.rb", 5),
    ("json", '    "/app/a.rb:3:in `f\'",', "f", "/app/a.rb", 3),
    ("logger", "E, [2024-05-07T10:00:00.1 #12] ERROR -- : [a1] app/a.rb:3:in `f'", "f", "app/a.rb", 3),
    ("sidekiq", "2024-05-07T10:00:00.1Z pid=4 tid=a WARN: /app/a.rb:3:in `f'", "f", "/app/a.rb", 3),
]
HEADS = [
    ("plain", "/app/a.rb:3:in `bar': bad 7 (Acme::Oops)", "Acme::Oops", "bad 7"),
    ("parentheses", "a.rb:3:in `f': wrong (given 1) (ArgumentError)", "ArgumentError", "wrong (given 1)"),
    ("no-message", "a.rb:3:in `f': Foo (Foo)", "Foo", "Foo"),
    ("interrupt", "a.rb:3:in `f': Interrupt", "Interrupt", ""),
    ("empty", "a.rb:3:in `f': unhandled exception", "RuntimeError", "unhandled exception"),
    ("nameless", "a.rb:3:in `f': x (#<Class:0x00007f1a>)", "#<Class:0x00007f1a>", "x"),
    ("syntax", "a.rb:3: syntax error, unexpected end", "SyntaxError", "syntax error, unexpected end"),
    ("syntax-3.4", "a.rb:3: syntax error found (SyntaxError)", "SyntaxError", "syntax error found"),
    ("coloured", "a.rb:3:in `f':     x (      KeyError       )   ", "KeyError", "x"),
]
TYPED = [
    ("rails", "ActionView::Template::Error (undefined `x'):", "ActionView::Template::Error", "undefined `x'"),
    ("colon", "NoMethodError: undefined", "NoMethodError", "undefined"),
    ("logger", "E, [2024-05-07T10:00:00.1 #12] ERROR -- : boom (RuntimeError)", "RuntimeError", "boom"),
    ("tagged", "F, [2024-05-07T10:00:00.1 #12] FATAL -- : [a1] Net::ReadTimeout (x):", "Net::ReadTimeout", "x"),
    ("sidekiq", "2024-05-07T10:00:00.1Z pid=4 tid=a WARN: Net::ReadTimeout: Net::ReadTimeout", "Net::ReadTimeout", "Net::ReadTimeout"),
    ("no-message", "     RuntimeError:", "RuntimeError", ""),
]  # fmt: skip
# id, file, module, rank
PLACES = [
    ("gem", "/usr/lib/ruby/gems/3.0.0/gems/rack-2.2.3/lib/rack/x.rb", "rack/x", 1),
    ("bundle", "/home/d/vendor/bundle/ruby/3.2.0/gems/rack-3.0.8/lib/rack/x.rb", "rack/x", 1),
    ("platform-gem", "/a/gems/nokogiri-1.15.4-x86_64-linux/lib/nokogiri/xml.rb", "nokogiri/xml", 1),
    ("git-gem", "/a/bundler/gems/acme-core-1a2b3c4d5e6f/lib/acme/run.rb", "acme/run", 1),
    ("not-lib", "/a/gems/rails-7.0.4/exe/rails", "rails/exe/rails", 1),
    ("cleaned", "rack (2.2.4) lib/rack/x.rb", "rack/x", 1),
    ("standard", "/usr/lib/ruby/3.1.0/json/common.rb", "json/common", 2),
    ("rbenv", "/home/d/.rbenv/versions/3.1.2/lib/ruby/3.1.0/net/http.rb", "net/http", 2),
    ("internal", "<internal:kernel>", "<internal:kernel>", 2),
    ("docker", "/app/a.rb", "a", 0),
    ("rails-in-docker", "/app/app/models/user.rb", "app/models/user", 0),
    ("rails-released", "/srv/shop/releases/20240507/app/models/user.rb", "app/models/user", 0),
    ("relative", "app/models/user.rb", "app/models/user", 0),
    ("lib", "/srv/shop/lib/shop/stock.rb", "lib/shop/stock", 0),
    ("shared-name", "/srv/shop/main.rb", "shop/main", 0),
    ("eval", "(eval at /a.rb:3)", "(eval)", 0),
]


def only(text: str) -> ExceptionChain:
    (chain,) = parse(text)
    assert chain.runtime == "ruby"
    return chain


def read(text: str) -> ExceptionChain:
    reading = ruby.RUNTIME.read(Lines.of(text, 0))
    assert reading is not None
    assert reading.chain is not None
    return reading.chain


@pytest.mark.parametrize(
    ("line", "function", "file", "number"), [row[1:] for row in FRAMES], ids=[row[0] for row in FRAMES]
)
def test_frames(line: str, function: str | None, file: str, number: int) -> None:
    found = from_frame(line)
    assert found is not None
    assert (found[0].function, found[0].filename, found[0].lineno) == (function, file, number)
    assert found[0].raw == line.strip()


@pytest.mark.parametrize(
    ("line", "function", "file", "number"), [row[1:] for row in BARE], ids=[row[0] for row in BARE]
)
def test_bare_frames(line: str, function: str, file: str, number: int) -> None:
    frame = bare_frame(line)
    assert frame is not None
    assert (frame.function, frame.filename, frame.lineno) == (function, file, number)


@pytest.mark.parametrize(
    "line",
    ["see a.rb:3:in `f' for more", "the call in a.rb:3:in `f'", "time 10:00:in 'x", "at a.rb:3", "a.rb:3:in `f': x (E)", "\tfrom here to there"],
)  # fmt: skip
def test_what_is_no_frame(line: str) -> None:
    assert bare_frame(line) is None
    assert from_frame(line) is None


@pytest.mark.parametrize(("line", "kind", "message"), [row[1:] for row in HEADS], ids=[row[0] for row in HEADS])
def test_heads_with_a_place(line: str, kind: str, message: str) -> None:
    head = place_head(line)
    assert head is not None
    assert head.frame is not None
    assert (head.type, head.message, head.frame.lineno) == (kind, message, 3)


@pytest.mark.parametrize(("line", "kind", "message"), [row[1:] for row in TYPED], ids=[row[0] for row in TYPED])
def test_heads_without_a_place(line: str, kind: str, message: str) -> None:
    head = typed_head(line)
    assert head is not None
    assert (head.type, head.message) == (kind, message)


@pytest.mark.parametrize("line", ["Error: x", "INFO: started", "Completed 500 in 3ms (Views: 1ms)", "a plain sentence"])
def test_what_is_no_head(line: str) -> None:
    assert typed_head(line) is None


@pytest.mark.parametrize(("file", "module", "rank"), [row[1:] for row in PLACES], ids=[row[0] for row in PLACES])
def test_places(file: str, module: str, rank: int) -> None:
    assert place(file) == (module, rank)


@pytest.mark.parametrize(
    ("printed", "lasting"),
    [
        ("_app_views_u_show_html_erb__1234567890_70123", "_app_views_u_show_html_erb"),
        ("_app_views_u_show_html_erb___998877_12", "_app_views_u_show_html_erb"),
        ("_run__3456__process_action__4321__callbacks", "_run__process_action__callbacks"),
        ("Acme::Foo#bar", "bar"),
        ("Acme::Foo.bar", "bar"),
        ("Integer#times", "times"),
        ("#<Class:0x00007f1a2b3c4d5e>#run", "run"),
        ("<class:Foo>", "<class:Foo>"),
        ("<main>", "<main>"),
        ("[]=", "[]="),
        ("to_s2", "to_s2"),
    ],
)
def test_lasting_functions(printed: str, lasting: str) -> None:
    frame = normal_frame(Frame(printed, "a", "/srv/a.rb", 3, raw="x"))
    assert (frame.function, frame.module, frame.filename, frame.lineno, frame.raw) == (lasting, "a", "a", None, "")
    assert normal_frame(frame) == frame


def test_functions_printed_alone() -> None:
    assert normalize_function("block (2 levels) in Foo#bar") == "bar"
    assert ruby.RUNTIME.function_name("bar") is None


def test_the_raise_point_comes_first_and_the_span_is_exact() -> None:
    text = "before\n/app/a.rb:3:in `bar': bad 7 (Acme::Oops)\n\tfrom /app/a.rb:9:in `<main>'\nafter"
    chain = only(text)
    assert [(f.module, f.function, f.lineno) for f in chain.exceptions[0].stack.frames] == [
        ("a", "bar", 3),
        ("a", "<main>", 9),
    ]
    assert text[slice(*chain.span)] == text[7:-6]
    assert not chain.head_truncated


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("a.rb:3:in `f': one\ntwo (E::F)\n\tfrom a.rb:9:in `g'", "E::F", "one\ntwo"),
        ("a.rb:3:in `f': one (E::F)\n  two\n\nthree\n\tfrom a.rb:9:in `g'", "E::F", "one\n  two\nthree"),
        ("a.rb:3:in `f': u (NameError)\n\n    x.y\n     ^^\nDid you mean?  z\n               w\n\tfrom a.rb:9:in `g'", "NameError", "u\nDid you mean?  z, w"),
        ("a.rb:3:in `f': u (NameError)\n\n    x.y\n     ^^\nDid you mean?  z", "NameError", "u\nDid you mean?  z"),
        ("a.rb:3:in `f': u (E::F)\nthe next line of a log", "E::F", "u"),
        ("a.rb:2:in `require': /b.rb:2: syntax error, x (SyntaxError)\n  y\n  ^\n/b.rb:3: syntax error, z\n\tfrom a.rb:9:in `g'", "SyntaxError", "/b.rb:2: syntax error, x\n/b.rb:3: syntax error, z"),
        ("a.rb:3:in `f': 磁盘已满：/data (E::F)\n\tfrom a.rb:9:in `g'", "E::F", "磁盘已满：/data"),
    ],
    ids=["type-at-the-end", "type-first", "suggested", "suggested-without-frames", "log-goes-on", "syntax", "chinese"],
)  # fmt: skip
def test_messages_of_several_lines(text: str, kind: str, message: str) -> None:
    exception = only(text).exceptions[0]
    assert (exception.type, exception.message) == (kind, message)


OUTER = "a.rb:6:in `rescue in f': outer (E::A)\n\tfrom a.rb:3:in `f'\n\tfrom a.rb:9:in `<main>'\n"
INNER = "a.rb:2:in `g': inner (E::B)\n\tfrom a.rb:4:in `f'\n\tfrom a.rb:9:in `<main>'\n"


def test_a_second_block_of_the_same_stack_is_the_cause() -> None:
    chain = only(OUTER + INNER)
    assert [(e.type, e.relation, e.parent) for e in chain.exceptions] == [
        ("E::A", None, None),
        ("E::B", Relation.CAUSE, 0),
    ]


@pytest.mark.parametrize(
    "second",
    [INNER.replace("a.rb", "b.rb"), INNER.replace("a.rb:9", "a.rb:10"), OUTER],
    ids=["other-file", "other-line", "the-same-again"],
)
def test_a_second_block_of_another_stack_is_another_trace(second: str) -> None:
    assert [len(chain.exceptions) for chain in parse(OUTER + second)] == [1, 1]


def test_the_order_of_a_terminal_reads_as_the_usual_one() -> None:
    turned = (
        "Traceback (most recent call last):\n\t2: from a.rb:9:in `<main>'\n\t1: from a.rb:4:in `f'\na.rb:2:in `g': inner (E::B)\n"
        "\t2: from a.rb:9:in `<main>'\n\t1: from a.rb:3:in `f'\na.rb:6:in `rescue in f': outer (E::A)\n"
    )
    one, other = read(turned), read(OUTER + INNER)
    assert [e.type for e in one.exceptions] == ["E::A", "E::B"]
    assert fingerprints(one)[Level.EXACT] == fingerprints(other)[Level.EXACT]
    assert not one.head_truncated


def test_what_was_cut_off_is_told() -> None:
    chain = only("\tfrom a.rb:3:in `f'\n\tfrom a.rb:9:in `<main>'\n")
    assert chain.head_truncated
    assert chain.exceptions[0].type is None
    deep = only(
        "a.rb:3:in `f': stack level too deep (SystemStackError)\n\tfrom a.rb:3:in `f'\n\t ... 10067 levels...\n\tfrom a.rb:9:in `<main>'\n"
    )
    assert deep.notes == ("10067 levels of the backtrace were not printed",)
    assert len(deep.exceptions[0].stack.frames) == 3


def test_a_thread_names_itself() -> None:
    chain = only(
        "#<Thread:0x00007f@importer a.rb:2 run> terminated with exception (report_on_exception is true):\na.rb:2:in `f': x (E::F)\n"
    )
    assert (chain.thread, chain.exceptions[0].type) == ("importer", "E::F")


@pytest.mark.parametrize(
    ("text", "kind", "functions"),
    [
        ("A::BError (x):\n    1: y\n\napp/a.rb:3:in `f'\napp/b.rb:4:in `g'\n", "A::BError", ["f", "g"]),
        ("KeyError: x\n    a.rb:3:in `f'\n", "KeyError", ["f"]),
        ("NoMethodError: x\n  f at a.rb:3\n  each at org/jruby/RubyArray.java:9\n", "NoMethodError", ["f", "each"]),
        ("a.rb:3:in `f': x (E::F)\\n\\tfrom a.rb:9:in `g'", "E::F", ["f", "g"]),
        ("{\"class\":\"A::B\",\"message\":\"m\",\"backtrace\":[\"/a.rb:3:in `f'\",\"/a.rb:9:in `g'\"]}", "A::B", ["f", "g"]),
        ("a.rb:3:in `f': x (E::F)\n\tfrom /very/long/pa\nth.rb:9:in `g'\n", "E::F", ["f", "g"]),
        ("a.rb:3:in `f': x (E::F)\n\tfrom a.rb:9:in `g'\n\t...\n\tfrom a.rb:10:in `h'\n", "E::F", ["f", "g", "h"]),
    ],
    ids=["rails", "minitest", "jruby", "escaped", "json", "wrapped", "dots"],
)  # fmt: skip
def test_other_printers(text: str, kind: str, functions: list[str]) -> None:
    exception = read(text).exceptions[0]
    assert (exception.type, [f.function for f in exception.stack.frames]) == (kind, functions)


def test_causes_of_rails_and_rspec() -> None:
    rails = read(
        "A::BError (x):\n\napp/a.rb:3:in `f'\n\nInformation for cause: KeyError (y):\n    1: z\n\napp/b.rb:4:in `g'\n"
    )
    rspec = read(
        "     RuntimeError:\n       x\n     # ./a.rb:3:in `f'\n     # ------\n     # --- Caused by: ---\n     # KeyError:\n     #   y\n     #   ./b.rb:4:in `g'\n"
    )
    assert [(e.type, e.message) for e in rails.exceptions] == [("A::BError", "x"), ("KeyError", "y")]
    assert [(e.type, e.message) for e in rspec.exceptions] == [("RuntimeError", "x"), ("KeyError", "y")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a.rb:3:in `f': undefined method `x' for nil:NilClass (NoMethodError)", "a.rb:4:in 'Foo#f': undefined method 'x' for nil (NoMethodError)"),
        ("a.rb:3:in `f': undefined method `x' for #<Foo:0x000055d1> (NoMethodError)", "a.rb:3:in `f': undefined method 'x' for an instance of Foo (NoMethodError)"),
        ("a.rb:3:in `f': x (E)\n\tfrom a.rb:4:in `each'\n\tfrom a.rb:4:in `block (2 levels) in g'", "a.rb:3:in 'f': x (E)\n\tfrom <internal:array>:4:in 'Array#each'\n\tfrom a.rb:4:in 'block in Foo#g'"),
        ("/srv/a/releases/1/lib/a.rb:3:in `f': x (E)", "/app/lib/a.rb:9:in `f': x (E)"),
    ],
    ids=["nil", "instance", "blocks", "deployed"],
)  # fmt: skip
def test_what_is_the_same_fault(old: str, new: str) -> None:
    assert fingerprints(only(old))[Level.EXACT] == fingerprints(only(new))[Level.EXACT]


def test_one_name_in_two_files_is_two_faults() -> None:
    one, other = (only(f"app/{name}.rb:3:in `call': x (E)") for name in ("models/a", "jobs/b"))
    assert fingerprints(one)[Level.EXACT] != fingerprints(other)[Level.EXACT]


def test_machinery_is_left_out_unless_nothing_else_is_there() -> None:
    text = "a.rb:3:in `f': x (E)\n\tfrom /g/gems/puma-6.0.0/lib/puma/server.rb:3:in `run'\n\tfrom a.rb:9:in `loop'\n"
    assert [f.function for f in normalize(only(text)).exceptions[0].stack.frames] == ["f"]
    assert normalize(only("/g/gems/puma-6.0.0/lib/puma/server.rb:3:in `run': x (E)")).exceptions[0].stack.frames


@pytest.mark.parametrize(
    "text",
    [
        'Traceback (most recent call last):\n  File "/a.py", line 1, in f\nKeyError: 1\n',
        "java.lang.IllegalStateException: x\n\tat a.B.c(B.java:3)\n",
        "KeyError: 'x'\n",
        "TypeError: x\n    at f (/a.js:3:4)\n",
    ],
    ids=["python", "jvm", "head-alone", "node"],
)
def test_what_is_not_rubys(text: str) -> None:
    assert all(chain.runtime != "ruby" for chain in parse(text))
    assert ruby.RUNTIME.read(Lines.of(text, 0)) is None


@pytest.mark.parametrize(
    ("line", "kind"),
    [("ActiveRecord::RecordNotFound (Couldn't find User with 'id'=7)", "ActiveRecord::RecordNotFound"), ("Errno::ECONNREFUSED: Connection refused", "Errno::ECONNREFUSED"), ("std::runtime_error: x", None), ("Status::Active (5)", None)],
    ids=["rails", "errno", "c++", "no-error"],
)  # fmt: skip
def test_an_exception_named_on_one_line(line: str, kind: str | None) -> None:
    found = ruby.RUNTIME.named_in(line)
    assert (found.type if found is not None else None) == kind


def test_jruby_frames_need_their_indent() -> None:
    assert jruby_frame("  f at a.rb:3") is not None
    assert jruby_frame("look at a.rb:3") is None
