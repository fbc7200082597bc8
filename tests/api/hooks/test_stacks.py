"""An event of Sentry is written as its runtime would have printed it: what the parser reads of that is what the event said."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.hooks.stacks import trace_of
from kb.trace import parse
from kb.trace.model import ExceptionChain, Frame

TRACES = Path(__file__).parents[2] / "golden" / "traces"
QUALIFIED = {"java", "python", "csharp"}
"""Platforms whose SDKs state the package of a type apart from it."""


def event(chain: ExceptionChain, platform: str) -> dict[str, Any]:
    """What Sentry's SDK of that platform would have sent of these exceptions."""
    values = []
    for raised in reversed(chain.exceptions):
        module, _, kind = (raised.type or "").rpartition(".") if platform in QUALIFIED else ("", "", raised.type or "")
        frames = [_frame(frame, platform) for frame in reversed(raised.stack.frames)]
        values.append({"type": kind, "module": module or None, "value": raised.message, "stacktrace": {"frames": frames}})  # fmt: skip
    return {"platform": platform, "exception": {"values": values}}


def _frame(frame: Frame, platform: str) -> dict[str, Any]:
    name = frame.filename or ""
    path = {"filename": name.rpartition("/")[2]} if platform == "java" else {"filename": name.rpartition("/")[2], "abs_path": name}  # fmt: skip
    return {"module": frame.module, "function": frame.function, "lineno": frame.lineno, "colno": frame.column, **path}


def _is_told_whole(chain: ExceptionChain) -> bool:
    """A trace of which the text said everything that an SDK knows, and nothing that Sentry has no place for."""
    return all(
        raised.type
        and raised.relation in {None, "cause"}
        and len(raised.stack.frames) > raised.elided  # an event's text gives one message to one stack
        and all(frame.function and (frame.lineno or chain.runtime == "dotnet") for frame in raised.stack.frames)
        for raised in chain.exceptions
    )


LEAST = {"jvm": ("java", 15), "python": ("python", 12), "javascript": ("node", 10), "dotnet": ("csharp", 10), "ruby": ("ruby", 8), "rust": ("rust", 3)}  # fmt: skip


@pytest.mark.parametrize("room", LEAST)
def test_frames_of_json_equal_the_printed_trace(room: str) -> None:
    """Every golden trace that says as much as an event does."""
    platform, least = LEAST[room]
    seen, differs = Counter[str](), []
    for path in sorted((TRACES / room).glob("*.txt")):
        for chain in parse(path.read_text(encoding="utf-8"))[:3]:
            if chain.runtime != room or not _is_told_whole(chain):
                continue
            seen["all"] += 1
            back = parse(trace_of(event(chain, platform)))
            if not back or _shape(back[0]) != _shape(chain):
                differs.append(path.name)
    assert seen["all"] >= least
    assert len(differs) * 5 <= seen["all"], differs


def _shape(chain: ExceptionChain) -> list[tuple[Any, ...]]:
    return [
        (raised.type, *((frame.module, frame.function, frame.lineno) for frame in raised.stack.frames))
        for raised in chain.exceptions
    ]


FRAMES = [
    {"filename": "app/main.x", "abs_path": "/srv/app/main.x", "function": "main", "module": "app.Main", "lineno": 3},
    {"filename": "app/rows.x", "abs_path": "/srv/app/rows.x", "function": "read", "module": "app.Rows", "lineno": 7, "context_line": "    boom()"},
]  # fmt: skip
VALUES = [
    {"type": "IOError", "module": "os", "value": "no space", "stacktrace": {"frames": FRAMES[1:]}},
    {"type": "ReadError", "value": "cannot read\nat all", "stacktrace": {"frames": FRAMES}},
]
WRITTEN = {
    "java": "ReadError: cannot read\nat all\n\tat app.Rows.read(rows.x:7)\n\tat app.Main.main(main.x:3)\nCaused by: os.IOError: no space\n\tat app.Rows.read(rows.x:7)",
    "python": 'Traceback (most recent call last):\n  File "/srv/app/rows.x", line 7, in read\n    boom()\nos.IOError: no space\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File "/srv/app/main.x", line 3, in main\n  File "/srv/app/rows.x", line 7, in read\n    boom()\nReadError: cannot read\nat all',
    "node": "ReadError: cannot read\nat all\n    at read (/srv/app/rows.x:7)\n    at main (/srv/app/main.x:3)\nCaused by: IOError: no space\n    at read (/srv/app/rows.x:7)",
    "csharp": "ReadError: cannot read\nat all\n ---> os.IOError: no space\n   at app.Rows.read() in /srv/app/rows.x:line 7\n   --- End of inner exception stack trace ---\n   at app.Rows.read() in /srv/app/rows.x:line 7\n   at app.Main.main() in /srv/app/main.x:line 3",
    "go": "panic: cannot read\nat all\n\ngoroutine 1 [running]:\napp.Rows.read(...)\n\t/srv/app/rows.x:7\napp.Main.main(...)\n\t/srv/app/main.x:3",
    "ruby": "/srv/app/rows.x:7:in `read': cannot read\nat all (ReadError)\n\tfrom /srv/app/main.x:3:in `main'\n/srv/app/rows.x:7:in `read': no space (IOError)",
    "php": "PHP Fatal error:  Uncaught IOError: no space in /srv/app/rows.x:7\nStack trace:\n#0 {main}\n\nNext ReadError: cannot read\nat all in /srv/app/rows.x:7\nStack trace:\n#0 /srv/app/main.x(3): read()\n#1 {main}",
    "native": "terminate called after throwing an instance of 'ReadError'\n  what():  cannot read\nat all\n#0  0x0000000000000000 in read () at /srv/app/rows.x:7\n#1  0x0000000000000000 in main () at /srv/app/main.x:3\nterminate called after throwing an instance of 'IOError'\n  what():  no space\n#0  0x0000000000000000 in read () at /srv/app/rows.x:7",
    "rust": "thread 'main' panicked at /srv/app/rows.x:7:1:\nReadError: cannot read\nat all\nstack backtrace:\n   0: read\n             at /srv/app/rows.x:7\n   1: main\n             at /srv/app/main.x:3",
}  # fmt: skip


ENDINGS = {"java": ".java", "python": ".py", "node": ".js", "csharp": ".cs", "go": ".go", "ruby": ".rb", "php": ".php", "native": ".cpp", "rust": ".rs"}  # fmt: skip


@pytest.mark.parametrize("platform", WRITTEN)
def test_how_a_trace_is_written(platform: str) -> None:
    told = json.loads(
        json.dumps({"platform": platform, "exception": {"values": VALUES}}).replace(".x", ENDINGS[platform])
    )
    assert trace_of(told) == WRITTEN[platform].replace(".x", ENDINGS[platform])
    [first, *_] = parse(trace_of(told))
    assert len(first.exceptions[0].stack.frames) == 2


def test_an_event_as_the_api_serialises_it() -> None:
    entries = [{"type": "request"}, {"type": "exception", "data": {"values": VALUES}}]
    assert trace_of({"platform": "java", "entries": entries}) == WRITTEN["java"]


def test_a_crash_takes_the_stack_of_its_thread() -> None:
    threads = {"values": [{"id": 1, "stacktrace": {"frames": FRAMES[:1]}}, {"id": 2, "crashed": True, "stacktrace": {"frames": FRAMES}}]}  # fmt: skip
    told = {"platform": "native", "exception": {"values": [{"type": "SIGSEGV", "value": "Segmentation fault"}]}, "threads": threads}  # fmt: skip
    assert trace_of(told).splitlines()[:2] == [
        "Program received signal SIGSEGV, Segmentation fault.",
        "#0  0x0000000000000000 in read () at /srv/app/rows.x:7",
    ]


def test_no_exception_no_trace() -> None:
    assert trace_of({"platform": "python", "message": "hello"}) == ""


def test_an_endless_event_is_cut_where_it_was_raised() -> None:
    frames = [{"function": f"f{number}", "filename": "a.py", "lineno": number} for number in range(5_000)]
    written = trace_of({"platform": "python", "exception": {"values": [{"type": "E", "stacktrace": {"frames": frames}}] * 50}})  # fmt: skip
    assert written.count("Traceback") == 20
    assert "in f4999" in written
    assert "in f100" not in written.replace("in f1000", "")


_JSON = st.recursive(st.none() | st.integers() | st.text(max_size=9), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["exception", "values", "stacktrace", "frames", "type", "value", "module", "function", "lineno", "filename", "entries", "data", "threads", "crashed"]), inner, max_size=4), max_leaves=15)  # fmt: skip


@given(st.sampled_from([*WRITTEN, "other", None]), st.dictionaries(st.sampled_from(["exception", "entries", "threads"]), _JSON))  # fmt: skip
def test_any_event_is_written(platform: str | None, told: dict[str, Any]) -> None:
    assert isinstance(trace_of({**told, "platform": platform}), str)
