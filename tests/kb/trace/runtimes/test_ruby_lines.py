"""Ruby: frames and heads line by line, places and functions that last."""

import pytest

from kb.trace import Frame, normalize_function
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
    assert ruby.RUNTIME.names.function_name("bar") is None


def test_jruby_frames_need_their_indent() -> None:
    assert jruby_frame("  f at a.rb:3") is not None
    assert jruby_frame("look at a.rb:3") is None
