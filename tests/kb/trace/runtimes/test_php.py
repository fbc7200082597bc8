"""PHP: the lines of every printer, previous exceptions, what stays the same wherever it is deployed."""

from functools import partial

import pytest

from kb.trace import Frame, Level, Relation, fingerprints, normalize, normalize_function, parse
from kb.trace.runtimes import php
from kb.trace.runtimes.php.names import in_app_function, normal_frame, normal_message, place
from kb.trace.runtimes.php.syntax import called, called_at, frame_of, head_of, to_string, xdebug_frame
from tests.kb.trace import reading

only = partial(reading.only, runtime="php")
read = partial(reading.read, php.RUNTIME)

# id, line, function, file, line number
FRAMES = [
    ("method", "#0 /app/b.php(20): App\\Foo->bar('abc...', Object(App\\Req))", "App\\Foo->bar", "/app/b.php", 20),
    ("static", "#12 /app/b.php(20): App\\Foo::bar()", "App\\Foo::bar", "/app/b.php", 20),
    ("function", "#1 /app/b.php(20): f(Array)", "f", "/app/b.php", 20),
    ("internal", "#1 [internal function]: App\\Foo->{closure}()", "App\\Foo->{closure}", None, None),
    ("closure", "#1 /app/b.php(20): App\\{closure}()", "App\\{closure}", "/app/b.php", 20),
    ("closure-8.4", "#1 /app/b.php(20): {closure:App\\Foo::bar():12}()", "{closure:App\\Foo::bar():12}", "/app/b.php", 20),
    ("bound-closure-8.4", "#1 /app/b.php(20): App\\Foo->{closure:App\\Foo::bar():12}()", "App\\Foo->{closure:App\\Foo::bar():12}", "/app/b.php", 20),
    ("eval", "#1 /app/b.php(6) : eval()'d code(1): f()", "f", "/app/b.php", 6),
    ("anonymous", "#1 /app/b.php(6): class@anonymous->f()", "class@anonymous->f", "/app/b.php", 6),
    ("anonymous-with-place", "#1 /app/b.php(6): class@anonymous /app/b.php:3$0->f()", "class@anonymous /app/b.php:3$0->f", "/app/b.php", 6),
    ("command-line", "#0 Command line code(1): f()", "f", "Command line code", 1),
    ("blanks-and-brackets", "#0 /srv/my app (1)/b.php(20): f()", "f", "/srv/my app (1)/b.php", 20),
    ("windows", "#0 C:\\www\\b.php(20): f()", "f", "C:\\www\\b.php", 20),
    ("called-at", "#0  c(1, 2) called at [/tmp/include.php:10]", "c", "/tmp/include.php", 10),
    ("cut-off", "#0 /app/b.php(20): f('abc", "f", "/app/b.php", 20),
    ("logged", "[2024-05-07 10:00:00] [error] #0 /app/b.php(20): f()", "f", "/app/b.php", 20),
    ("no-function", "#0 /app/b.php(20)", None, "/app/b.php", 20),
]  # fmt: skip
NO_FRAMES = [
    "#0 0x00007f in main () at a.c:3",
    "#0  main () at a.c:3",
    "# 1 apple",
    "see #12 (3): it",
    "issue #3 closed",
    "#1 main.go(3) x",
]
# id, line, type, message, file, line number
HEADS = [
    ("fatal", "PHP Fatal error:  Uncaught RuntimeException: bad 7 in /app/a.php:12", "RuntimeException", "bad 7", "/app/a.php", 12),
    ("displayed", "Fatal error: Uncaught App\\E: m in /app/a.php:12", "App\\E", "m", "/app/a.php", 12),
    ("no-message", "PHP Fatal error:  Uncaught App\\E in /app/a.php:12", "App\\E", "", "/app/a.php", 12),
    ("php-5", "PHP Fatal error:  Uncaught exception 'E' with message 'it's in there' in /app/a.php:12", "E", "it's in there", "/app/a.php", 12),
    ("warning", 'PHP Warning:  Undefined array key "id" in /app/a.php on line 3', "Warning", 'Undefined array key "id"', "/app/a.php", 3),
    ("html", "<b>Notice</b>:  a &lt;b&gt; in <b>/app/a.php</b> on line <b>3</b><br />", "Notice", "a <b>", "/app/a.php", 3),
    ("nginx", 'FastCGI sent in stderr: "PHP message: PHP Warning:  m in /app/a.php on line 3" while reading', "Warning", "m", "/app/a.php", 3),
    ("apache", "[Tue May 07 10:00:02 2024] [php:error] [pid 1] [client 10.0.0.9:5] PHP Parse error:  syntax error in /app/a.php on line 3, referer: x", "Parse error", "syntax error", "/app/a.php", 3),
    ("monolog", '[2024-05-07 10:00:00] production.ERROR: m {"exception":"[object] (App\\E(code: 7): m at /app/a.php:12)', "App\\E", "m", "/app/a.php", 12),
    ("symfony", 'request.CRITICAL: Uncaught PHP Exception App\\E: "m (x)" at A.php line 12 {"e":1}', "App\\E", "m (x)", "A.php", 12),
    ("thinkphp", "[2024-05-07T10:00:03+08:00][error] [10501]m[/app/a.php:12]", "error", "m", "/app/a.php", 12),
    ("chinese", "PHP Fatal error:  Uncaught App\\E: 磁盘已满：/data in /app/a.php:12", "App\\E", "磁盘已满：/data", "/app/a.php", 12),
]  # fmt: skip
# id, file, module, rank
PLACES = [
    ("vendor", "/var/www/releases/20240101/vendor/laravel/framework/src/X.php", "laravel/framework/src/X", 1),
    ("vendor-relative", "vendor/acme/x/src/X.php", "acme/x/src/X", 1),
    ("docker", "/app/b.php", "b", 0),
    ("laravel", "/srv/www/releases/20240507/app/Models/User.php", "app/Models/User", 0),
    ("current release", "/opt/web/current/src/Cart/Queue.php", "src/Cart/Queue", 0),
    ("a folder of its own called current", "src/current/Rate.php", "src/current/Rate", 0),
    ("laravel-in-docker", "/app/app/Models/User.php", "app/Models/User", 0),
    ("symfony", "/srv/shop/src/Controller/A.php", "src/Controller/A", 0),
    (
        "compiled-view",
        "/srv/x/storage/framework/views/0123456789abcdef0123456789abcdef01234567.php",
        "storage/framework/views/view",
        0,
    ),
    ("container", "/srv/x/var/cache/prod/ContainerAb1Cd2e/getX.php", "var/cache/prod/Container/getX", 0),
    ("plugin", "/var/www/html/wp-content/plugins/acme/a.php", "wp-content/plugins/acme/a", 0),
    ("wordpress", "/var/www/html/wp-includes/class-wp-hook.php", "wp-includes/class-wp-hook", 1),
    ("phar", "phar:///usr/local/bin/tool.phar/src/X.php", "tool.phar/src/X", 1),
    ("windows", "C:\\www\\shop\\src\\A.php", "src/A", 0),
    ("eval", "/srv/src/a.php(3) : eval()'d code", "src/a", 0),
]


@pytest.mark.parametrize(
    ("line", "function", "file", "number"), [row[1:] for row in FRAMES], ids=[row[0] for row in FRAMES]
)
def test_frames(line: str, function: str | None, file: str | None, number: int | None) -> None:
    found = frame_of(line)
    assert found is not None
    assert found[1] is not None
    assert (found[1].function, found[1].filename, found[1].lineno) == (function, file, number)


def test_main_is_the_end_and_no_frame() -> None:
    assert frame_of("#2 {main}") == (2, None)


@pytest.mark.parametrize("line", NO_FRAMES)
def test_what_is_no_frame(line: str) -> None:
    assert frame_of(line) is None


@pytest.mark.parametrize(
    ("line", "kind", "message", "file", "number"), [row[1:] for row in HEADS], ids=[row[0] for row in HEADS]
)
def test_heads(line: str, kind: str, message: str, file: str, number: int) -> None:
    head = head_of(line)
    assert head is not None
    assert head.frame is not None
    assert (head.type, head.message, head.frame.filename, head.frame.lineno) == (kind, message, file, number)


@pytest.mark.parametrize(
    "line", ["Warning: be careful", "an Uncaught exception", "Notice: x on line 3", "INFO in /a.php"]
)
def test_what_is_no_head(line: str) -> None:
    head = head_of(line)
    assert head is None or not head.is_sure


@pytest.mark.parametrize(("file", "module", "rank"), [row[1:] for row in PLACES], ids=[row[0] for row in PLACES])
def test_places(file: str, module: str, rank: int) -> None:
    assert place(file) == (module, rank)


@pytest.mark.parametrize(
    ("printed", "lasting"),
    [
        ("App\\Foo->bar", "App\\Foo->bar"),
        ("class@anonymous /app/b.php:3$0->f", "class@anonymous->f"),
        ("App\\Base@anonymous\x00/a.php:3$1f::f", "App\\Base@anonymous::f"),
        ("{closure:App\\Foo::bar():12}", "{closure in App\\Foo::bar}"),
        ("{closure:{closure:f():1}:2}", "{closure in {closure in f}}"),
        ("__TwigTemplate_0123456789abcdef0123456789abcdef->doDisplay", "__TwigTemplate->doDisplay"),
        ("ContainerAb1Cd2e\\App_KernelProdContainer->getX", "Container\\App_KernelProdContainer->getX"),
        ("content_5f3a1b2c3d4e5f60_12345678", "content"),
        ("EntityManager_9a5be93->flush", "EntityManager->flush"),
    ],
)
def test_lasting_functions(printed: str, lasting: str) -> None:
    frame = normal_frame(Frame(printed, "a", "/srv/a.php", 3, raw="x"))
    assert (frame.function, frame.module, frame.filename, frame.lineno, frame.raw) == (lasting, "a", "a", None, "")
    assert normal_frame(frame) == frame


def test_functions_printed_alone() -> None:
    assert php.RUNTIME.names.function_name("App\\Foo->{closure}()") == "App\\Foo->{closure}"
    assert normalize_function("App\\Foo->bar()") == "App\\Foo->bar"
    assert php.RUNTIME.names.function_name("bar") is None


@pytest.mark.parametrize(
    ("name", "verdict"), [("App\\Foo->bar", True), ("Illuminate\\Pipeline\\Pipeline->f", False), ("f", False)]
)
def test_functions_that_php_calls(name: str, *, verdict: bool) -> None:
    assert in_app_function(name) is verdict


TRACE = (
    "PHP Fatal error:  Uncaught App\\Inner: gone in /srv/src/d.php:3\nStack trace:\n#0 /srv/src/e.php(8): App\\D->q()\n#1 /srv/src/f.php(1): App\\E->r()\n#2 {main}\n\n"
    "Next App\\Outer: query failed in /srv/src/e.php:9\nStack trace:\n#0 /srv/src/f.php(1): App\\E->r()\n#1 {main}\n  thrown in /srv/src/e.php on line 9"
)


def test_the_previous_exception_is_printed_first_and_is_the_cause() -> None:
    chain = only("before\n" + TRACE + "\nafter")
    assert [(e.type, e.message, e.relation, e.parent) for e in chain.exceptions] == [
        ("App\\Outer", "query failed", None, None),
        ("App\\Inner", "gone", Relation.CAUSE, 0),
    ]
    assert [(f.function, f.filename, f.lineno) for f in chain.root.stack.frames] == [
        (None, "/srv/src/d.php", 3),
        ("App\\D->q", "/srv/src/e.php", 8),
        ("App\\E->r", "/srv/src/f.php", 1),
    ]
    assert chain.span == (7, 7 + len(TRACE))


def test_monolog_prints_the_previous_exception_last() -> None:
    text = (
        'x.ERROR: m {"exception":"[object] (App\\Outer(code: 0): query failed at /srv/src/e.php:9)\n[stacktrace]\n#0 /srv/src/f.php(1): App\\E->r()\n#1 {main}\n\n'
        '[previous exception] [object] (App\\Inner(code: 0): gone at /srv/src/d.php:3)\n[stacktrace]\n#0 /srv/src/e.php(8): App\\D->q()\n#1 /srv/src/f.php(1): App\\E->r()\n#2 {main}\n"} '
    )
    assert fingerprints(only(text))[Level.EXACT] == fingerprints(only(TRACE))[Level.EXACT]


@pytest.mark.parametrize(
    "text",
    [
        TRACE.replace("\n", "\\n"),
        TRACE.replace("/srv/", "/var/www/releases/20240507/").replace("(8)", "(80)"),
        TRACE.replace("PHP Fatal error:  ", "Fatal error: "),
        TRACE.replace("q()", "q('x', Array, Object(App\\\\X))"),
        TRACE.replace("\n#", "\n...\n#", 1),
    ],
    ids=["escaped", "deployed", "displayed", "arguments", "dots"],
)
def test_what_is_the_same_fault(text: str) -> None:
    assert fingerprints(read(text))[Level.EXACT] == fingerprints(only(TRACE))[Level.EXACT]


@pytest.mark.parametrize(
    ("text", "kind", "message", "functions"),
    [
        ("PHP Fatal error:  Uncaught E: one\n two in /a.php:3\nStack trace:\n#0 /b.php(2): f()\n#1 {main}\n", "E", "one\n two", [None, "f"]),
        ("App\\E: m in /a.php:3\nStack trace:\n#0 /b.php(2): f()\n#1 {main}\n", "App\\E", "m", [None, "f"]),
        ("exception 'E' with message 'm' in /a.php:3\nStack trace:\n#0 /b.php(2): f()\n", "E", "m", [None, "f"]),
        ("PHP Warning:  m in /a.php on line 3\nPHP Stack trace:\nPHP   1. {main}() /a.php:0\nPHP   2. f($x = 1) /a.php:9\nPHP   3. g() /a.php:3\n", "Warning", "m", [None, "g", "f"]),
        ("\nIn Foo.php line 12:\n\n  [App\\E (7)]  \n  m        \n\nException trace:\n  at /srv/src/Foo.php:12\n App\\F->g() at /srv/src/b.php:3\n"[1:], "App\\E", "m", [None, "App\\F->g"]),
        ("#0 /b.php(2): f('a\nb')\n#1 /b.php(3): g()\n", None, None, ["f", "g"]),
        ("PHP Fatal error:Uncaught E: m\non it in /a.php:3\n\nStack trace:\n\n  #0 /b.php(2): f()\n\n  #1 /c.php(3):\n  g(Array,\n\n  #2 /d.php(4): h()\n", "E", "m\non it", [None, "f", "g", "h"]),
        ("PHP Fatal error:  Uncaught E: m in /a.php:3 Stack trace: #0 /b.php(2): f() #1 {main}", "E", "m", [None, "f"]),
    ],
    ids=["several-lines", "to-string", "to-string-5", "xdebug", "symfony-console", "broken-argument", "wrapped", "one-line"],
)  # fmt: skip
def test_other_printers(text: str, kind: str | None, message: str | None, functions: list[str | None]) -> None:
    exception = read(text).exceptions[0]
    assert (exception.type, exception.message) == (kind, message)
    assert [f.function for f in exception.stack.frames] == functions


def test_lines_of_symfony_and_xdebug() -> None:
    frame = called("  at App\\Foo->bar(object(X)) in src/F.php:12")
    assert frame is not None
    assert (frame.function, frame.filename, frame.lineno) == ("App\\Foo->bar", "src/F.php", 12)
    assert called_at("  at App\\Foo->bar()", "     (src/B.php:3)") is not None
    assert called_at("  at a.B.c()", None) is None
    assert xdebug_frame("    0.0001     393216   2. f() /a.php:9") is not None
    assert xdebug_frame("  2. open the door") is None
    assert to_string("just a sentence") is None


def test_a_trace_without_head_is_cut_off() -> None:
    chain = only("#1 /app/b.php(20): f()\n#2 {main}")
    assert chain.head_truncated
    assert chain.exceptions[0].type is None


def test_two_traces_one_below_the_other() -> None:
    assert len(parse(TRACE + "\n" + TRACE)) == 2
    assert len(parse("#0 /a.php(1): f()\n#1 {main}\n#0 /a.php(1): f()\n#1 {main}\n")) == 2
    assert len(parse("#0 /a.php(1): f()\n#1 /a.php(2): g()\n#0 /a.php(1): f()\n#1 /a.php(2): g()\n")) == 2


@pytest.mark.parametrize(
    ("message", "lasting"),
    [
        ("f() must be of type int, called in /srv/a.php on line <int> and defined", "f() must be of type int"),
        ("include(/srv/www/releases/<int>/src/x.php): no such file", "include(src/x): no such file"),
        ("fopen(/srv/shop/storage/x.json): denied", "fopen(storage/x.json): denied"),
        ("no path here", "no path here"),
    ],
)
def test_lasting_messages(message: str, lasting: str) -> None:
    exception = normalize(only(TRACE)).exceptions[0]
    changed = type(exception)("TypeError", message, exception.stack)
    assert normal_message(changed) == lasting
    assert normal_message(type(exception)("TypeError", lasting, exception.stack)) == lasting


def test_machinery_is_left_out_unless_nothing_else_is_there() -> None:
    frames = "#0 /srv/vendor/laravel/framework/src/P.php(3): Illuminate\\Pipeline\\Pipeline->then()\n"
    assert normalize(only(frames)).exceptions[0].stack.frames
    both = normalize(only(frames + "#1 /srv/src/a.php(3): App\\A->b()\n"))
    assert [f.function for f in both.exceptions[0].stack.frames] == ["App\\A->b"]


@pytest.mark.parametrize(
    "text",
    ["Thread 1:\n#0 0x00007f1a in main () from /lib/x.so\n", "TypeError: x\n    at f (/a.js:3:4)\n", "java.lang.E: x\n\tat a.B.c(B.java:3)\n", "Warning: x\n", "DOMAIN\\user: logged in"],
    ids=["gdb", "node", "jvm", "warning", "account"],
)  # fmt: skip
def test_what_is_not_phps(text: str) -> None:
    assert all(chain.runtime != "php" for chain in parse(text))


def test_an_exception_named_on_one_line() -> None:
    found = php.RUNTIME.reader.named_in("App\\Http\\NotFoundException: no route")
    assert found is not None
    assert (found.type, found.message) == ("App\\Http\\NotFoundException", "no route")
