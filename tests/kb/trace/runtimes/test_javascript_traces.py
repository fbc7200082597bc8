"""JavaScript: whole traces, what is the same fault, what is no trace."""

import time

import pytest

from kb.trace import Frame, Level, fingerprints, frame_key, normalize, parse
from kb.trace.model import Relation
from kb.trace.runtimes import javascript
from kb.trace.runtimes.javascript.names import loose_key, normal_frame, rank

RUNTIME = javascript.RUNTIME


def _types(text: str) -> list[tuple[str | None, str | None, int | None]]:
    return [(e.type, e.relation, e.parent) for e in parse(text)[0].exceptions]


def _same(level: Level, *texts: str) -> bool:
    return len({fingerprints(parse(text)[0])[level].digest for text in texts}) == 1


DUMP = """\
/srv/t.js:9
  throw x;
  ^

Error: 内部错误 42
    at outer (/srv/t.js:9:1)
    at a (/srv/t.js:1:1)
    ... 2 lines matching cause stack trace ...
    at d (/srv/t.js:4:1) {
  code: 'EFOO',
  detail: {
    retry: true
  },
  [cause]: TypeError: 根因
      at inner (/srv/t.js:20:1)
      at a (/srv/t.js:1:1)
      at b (/srv/t.js:2:1)
      at c (/srv/t.js:3:1)
      at d (/srv/t.js:4:1)
}

Node.js v20.20.2
after
"""


def test_node_prints_causes_and_properties_behind_the_frames() -> None:
    (chain,) = parse(DUMP)
    outer, cause = chain.exceptions
    assert [f.function for f in outer.stack.frames] == ["outer", "a", "b", "c", "d"]
    assert outer.elided == 2
    assert (cause.type, cause.relation, cause.parent) == ("TypeError", Relation.CAUSE, 0)
    assert chain.root is cause
    assert chain.notes == ("Error has code: 'EFOO'",)
    assert DUMP[chain.span[0] : chain.span[1]] == DUMP.removesuffix("\nafter\n")


def test_frames_that_the_cause_does_not_have_are_not_restored() -> None:
    (chain,) = parse(
        "Error: x\n    at f (/srv/a.js:1:2)\n    ... 4 lines matching cause stack trace ...\n    at g (/srv/a.js:2:2)\n"
    )
    assert [f.function for f in chain.exceptions[0].stack.frames] == ["f", "g"]
    assert chain.notes == ("4 frames are the cause's, too, and were not printed",)


GROUP = """\
[AggregateError: All promises were rejected] {
  [errors]: [
    Error: a
        at /srv/t.js:4:40,
    RangeError: b
        at /srv/t.js:4:71 {
      [cause]: SyntaxError: c
          at JSON.parse (<anonymous>)
    },
    [TypeError: d]
  ]
}
"""


def test_members_of_a_group() -> None:
    assert _types(GROUP) == [
        ("AggregateError", None, None),
        ("Error", Relation.GROUPED, 0),
        ("RangeError", Relation.GROUPED, 0),
        ("SyntaxError", Relation.CAUSE, 2),
        ("TypeError", Relation.GROUPED, 0),
    ]


CHAINS = {
    "caused-by": (
        "Error: x\n    at f (/a.js:1:2)\nCaused by: TypeError: y\n    at g (/a.js:1:2)\n",
        ["Error", "TypeError"],
    ),
    "driver-error": (
        "QueryFailedError: x\n    at f (/a.js:1:2) {\n  driverError: error: y\n      at g (/a.js:1:2) {\n    length: 1\n  }\n}\n",
        ["QueryFailedError", "Error"],
    ),
    "old-node": ("{ Error: x\n    at f (/a.js:1:2)\n  errno: -2,\n  code: 'E' }\n", ["Error"]),
    "deno": (
        "error: Uncaught AggregateError: x\n    Error: a\n        at file:///a.ts:1:2\n    at file:///a.ts:5:6\n",
        ["AggregateError", "Error"],
    ),
    "message-lines": ("Error: x\nsecond line\n    at f (/a.js:1:2)\n", ["Error"]),
    "two-traces-first": ("Error: x\n    at f (/a.js:1:2)\nTypeError: y\n    at g (/a.js:1:2)\n", ["Error"]),
    "below-told-class": ("NotFound: x\n    at f (/a.js:1:2)\n", ["NotFound"]),
    "joined": ("TypeError: boom at f (/srv/a.js:1:2) at async g (/srv/b.js:3:4)", ["TypeError"]),
    "escaped": ('{"stack":"TypeError: x\\n    at f (/srv/a.js:1:2)\\n    at g (/srv/b.js:3:4)"}', ["TypeError"]),
    "wrapped": ("Error: x\n    at f (/srv/very/long/\nwrapped.js:1:2)\n    at g (/b.js:1:2)\n", ["Error"]),
    "dots": ("Error: x\n    at f (/a.js:1:2)\n    ...\n    at g (/b.js:1:2)\n", ["Error"]),
    "dump-alone": (
        "[UnhandledPromiseRejection: x] {\n  code: 'ERR_UNHANDLED_REJECTION'\n}\n",
        ["UnhandledPromiseRejection"],
    ),
    "group-alone": (
        "[AggregateError: x] {\n  [errors]: [ [Error: a], [RangeError: b] ]\n}\n",
        ["AggregateError", "Error", "RangeError"],
    ),
    "frames-alone": ("    at f (/a.js:1:2)\n    at g (/b.js:1:2)\n", [None]),
}


@pytest.mark.parametrize(("text", "types"), CHAINS.values(), ids=CHAINS.keys())
def test_whole_traces(text: str, types: list[str | None]) -> None:
    chain = parse(text)[0]
    assert chain.runtime == "javascript"
    assert [e.type for e in chain.exceptions] == types


@pytest.mark.parametrize("name", ["joined", "wrapped", "dots", "escaped"])
def test_mangled_traces_keep_both_frames(name: str) -> None:
    (exception,) = parse(CHAINS[name][0])[0].exceptions
    assert [f.function for f in exception.stack.frames] == ["f", "g"]


def test_a_syntax_error_has_the_place_that_node_prints_above_it() -> None:
    text = "/srv/broken.js:4\n];\n^\n\nSyntaxError: Unexpected token ']'\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n"
    (chain,) = parse(text)
    first = chain.exceptions[0].stack.frames[0]
    assert first == Frame(None, "broken", "/srv/broken.js", 4, raw="/srv/broken.js:4")
    assert chain.span == (0, len(text) - 1)


def test_frames_of_earlier_events_are_passed_over() -> None:
    (chain,) = parse("Error: x\n    at f (/a.js:1:2)\nFrom previous event:\n    at g (/a.js:1:2)\n")
    assert [f.function for f in chain.exceptions[0].stack.frames] == ["f"]
    assert len(chain.notes) == 1


def test_the_components_that_react_names_are_no_trace() -> None:
    text = "The above error occurred in the <Cart> component:\n\n    at Cart (http://s/a.js:1:2)\n    at div\n    at App (http://s/a.js:9:1)\n"
    assert parse(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "TypeError: x\n",
        "Error: x\nsomething else\n",
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    x()\nTypeError: 'NoneType' object is not callable\n",
        "java.lang.IllegalStateException: x\n\tat a.b.C.m(C.java:12)\n",
        "System.Exception: x\n   at Acme.Pay.Run() in C:\\src\\Pay.cs:line 42\n",
    ],
    ids=["head-alone", "head-and-prose", "python", "java", "dotnet"],
)
def test_traces_of_others_are_left_to_them(text: str) -> None:
    assert not [chain for chain in parse(text) if chain.runtime == "javascript"]


SAME = {
    "deploy-roots": (Level.EXACT, "Error: x\n    at f (/srv/releases/41/src/a.js:1:2)", "Error: x\n    at f (/app/src/a.js:7:2)"),
    "hashes": (Level.EXACT, "Error: x\n    at f (https://s/main.3f2a1c9b.js:1:2)", "Error: x\n    at f (https://cdn.s/main.aa0011bc.js:1:9)"),
    "cdn-versions": (
        Level.EXACT,
        "Error: x\n    at f (https://unpkg.com/vue@3.2.1/dist/vue.js:1:2)",
        "Error: x\n    at f (https://unpkg.com/vue@3.4.0/dist/vue.js:5:2)",
    ),
    "cache-marks": (Level.EXACT, "Error: x\n    at f (https://s/a.js?v=1:1:2)", "Error: x\n    at f (https://s/a.js?t=99:1:2)"),
    "node-versions": (
        Level.EXACT,
        "Error: x\n    at f (/srv/a.js:1:2)\n    at Module._compile (internal/modules/cjs/loader.js:1063:30)",
        "Error: x\n    at f (/srv/a.js:1:2)\n    at Object.Module._extensions..js (node:internal/modules/cjs/loader:1092:10)",
    ),
    "engines": (Level.LOOSE, "TypeError: t\n    at Cart.pay (https://s/a.js:1:2)", "pay@https://s/a.js:1:2\n", "Cart.prototype.pay@https://s/a.js:1:2\n"),
    "anonymous": (Level.LOOSE, "Error: x\n    at /srv/a.js:9:1\n    at f (/srv/a.js:2:1)", "Error: x\n    at f (/srv/a.js:2:1)"),
    "wordings": (
        Level.EXACT,
        "TypeError: Cannot read property 'id' of undefined\n    at f (/a.js:1:2)",
        "TypeError: undefined is not an object (evaluating 'u.id')\nf@/a.js:1:2",
    ),
}  # fmt: skip
DIFFERENT = {
    "files": ("Error: x\n    at f (/srv/a.js:2:1)", "Error: x\n    at f (/srv/b.js:2:1)"),
    "folders": ("Error: x\n    at f (/srv/src/a/pay.js:2:1)", "Error: x\n    at f (/srv/src/b/pay.js:2:1)"),
    "functions": ("Error: x\n    at f (/srv/a.js:2:1)", "Error: x\n    at g (/srv/a.js:2:1)"),
    "properties": (
        "TypeError: Cannot read properties of undefined (reading 'id')\n    at f (/a.js:1:2)",
        "TypeError: Cannot read properties of undefined (reading 'name')\n    at f (/a.js:1:2)",
    ),
}


@pytest.mark.parametrize("row", SAME.values(), ids=SAME.keys())
def test_same_fault(row: tuple[Level, str]) -> None:
    level, *texts = row
    assert _same(level, *texts)


@pytest.mark.parametrize("texts", DIFFERENT.values(), ids=DIFFERENT.keys())
def test_different_faults(texts: tuple[str, str]) -> None:
    assert not _same(Level.EXACT, *texts)


def test_what_compilers_put_in_is_left_out() -> None:
    text = "Error: x\n    at f (/srv/a.js:2:1)\n    at Generator.next (<anonymous>)\n    at fulfilled (/srv/a.js:5:58)\n    at g (/srv/a.js:9:1)\n"
    (exception,) = normalize(parse(text)[0]).exceptions
    assert [f.function for f in exception.stack.frames] == ["f", "g"]


def test_frames_behind_members_are_those_of_the_group() -> None:
    (chain,) = parse(CHAINS["deno"][0])
    assert [[f.lineno for f in e.stack.frames] for e in chain.exceptions] == [[5], [1]]


def test_names_and_ranks_last() -> None:
    for text in (DUMP, GROUP, *(text for text, _ in CHAINS.values())):
        for chain in parse(text):
            normal = normalize(chain)
            for frame in (f for e in normal.exceptions for f in e.stack.frames):
                again = normal_frame(frame)
                assert (again, rank(again), loose_key(again)) == (frame, rank(frame), loose_key(frame))
                assert frame_key(frame)


def test_ordinary_logs_are_hardly_looked_at() -> None:
    import re2

    options = re2.Options()
    options.never_nl = True
    own = [needle for needle in RUNTIME.needles if needle not in ("Error", "Exception")]
    needles = re2.compile("|".join(own), options)
    log = [
        "2024-05-06 07:08:09.123 INFO [http-nio-80-exec-1] c.a.shop.Orders - order 42 loaded at 10:22:33 in 17 ms",
        '10.0.0.7 - - [06/May/2024:07:08:09 +0000] "GET /static/js/app.3f2a1c9b.js?v=3 HTTP/1.1" 200 1234',
        "May  6 07:08:09 host sshd[12]: Accepted publickey for bob from 10.0.0.7 port 22 ssh2",
        "mail to bob@example.com queued as 7F2A at node (10:22:33)",
        "pulled registry.example.com/shop@sha256:2e1b",
        "started at http://localhost:3000/ (pid 17)",
    ]
    assert [line for line in log if needles.search(line)] == []


def test_a_megabyte_of_one_line_is_read_in_a_second() -> None:
    for line in ("    at f (/srv/a.js:1:2)\n", "f@https://s/a.js:1:2\n", "  [cause]: Error: y {\n"):
        start = time.process_time()
        parse("Error: x\n" + line * (300_000 // len(line)))
        assert time.process_time() - start < 1.5
