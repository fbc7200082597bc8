"""Ruby: heads above and below frames, causes, what is the same fault, what is not Ruby's."""

from functools import partial

import pytest

from kb.trace import Level, Relation, fingerprints, normalize, parse
from kb.trace.lines import Lines
from kb.trace.runtimes import ruby
from tests.kb.trace import reading

only = partial(reading.only, runtime="ruby")
read = partial(reading.read, ruby.RUNTIME)


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
    assert ruby.RUNTIME.reader.read(Lines.of(text, 0)) is None


@pytest.mark.parametrize(
    ("line", "kind"),
    [("ActiveRecord::RecordNotFound (Couldn't find User with 'id'=7)", "ActiveRecord::RecordNotFound"), ("Errno::ECONNREFUSED: Connection refused", "Errno::ECONNREFUSED"), ("std::runtime_error: x", None), ("Status::Active (5)", None)],
    ids=["rails", "errno", "c++", "no-error"],
)  # fmt: skip
def test_an_exception_named_on_one_line(line: str, kind: str | None) -> None:
    found = ruby.RUNTIME.reader.named_in(line)
    assert (found.type if found is not None else None) == kind
