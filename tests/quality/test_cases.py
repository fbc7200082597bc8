"""The case runner itself: every kind passes and fails as it should, pins excuse, the exit status tells."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.quality import cases
from tests.quality.cases import Case, main, pinned, run

TRACE = "a.b.E: order 17 failed\n\tat a.b.C.run(C.java:4)\n\tat org.x.D.call(D.java:9)\nCaused by: java.io.IOException: gone\n\tat a.b.H.one(H.java:5)\n"


def case(kind: str, expect: Any, *inputs: str) -> Case:
    return Case("n1", "jvm", kind, inputs or (TRACE,), expect)


@pytest.mark.parametrize(
    ("wanted", "other"),
    [
        ({"root_cause": "java.io.IOException"}, {"root_cause": "a.b.E"}),
        ({"type": "a.b.E"}, {"type": "a.b.F"}),
        ({"exceptions_count": 2}, {"exceptions_count": 1}),
        ({"head_truncated": False}, {"head_truncated": True}),
        ({"thread": None}, {"thread": "main"}),
        ({"message_template": "order <int> failed"}, {"message_template": "order 17 failed"}),
        ({"exceptions": [{"type": "a.b.E", "message": "order 17 failed"}]}, {"exceptions": [{"type": "a.b.E", "message": "gone"}]}),
        ({"exceptions": [{"type": "a.b.E", "frames_count": 2}]}, {"exceptions": [{"type": "a.b.E", "frames_count": 1}]}),
        ({"exceptions": [{"message_template": "order <int> failed"}]}, {"exceptions": [{"message_template": "x"}]}),
        ({"exceptions": [{"type": "a.b.E", "wrapped_type": None}]}, {"exceptions": [{"wrapped_type": "x"}]}),
        ({"frames": [{"class": "a.b.C", "method": "run", "line": 4}]}, {"frames": [{"class": "a.b.C", "method": "run", "line": 5}]}),
        ({"frames": [{"function": "a.b.C.run", "file": "src/C.java"}]}, {"frames": [{"function": "a.b.C.run", "file": "D.java"}]}),
        ({"frames": [{"function": "run"}]}, {"frames": [{"function": "walk"}]}),
        ({"frames": [{"method": "run", "in_app": True}]}, {"frames": [{"method": "run", "in_app": False}]}),
        ({"frames": [{"why": "a note"}]}, {"frames": [{"function": None}]}),
        ({"note": "nothing of the contract"}, {"type": "never"}),
    ],
)  # fmt: skip
def test_parse_is_a_match_of_what_is_named(wanted: dict[str, Any], other: dict[str, Any]) -> None:
    assert run(case("parse", wanted)).ok
    outcome = run(case("parse", other))
    assert not outcome.ok
    assert "a.b.H" in outcome.actual


def test_a_function_alone_is_normalised() -> None:
    assert run(case("parse", {"function": "a.B.lambda$f"}, "a.B.lambda$f$1")).ok
    assert not run(case("parse", {"function": "a.B.f"}, "a.B.lambda$f$1")).ok


def test_templates_and_fingerprints() -> None:
    assert run(case("parameterize", ["no <int>", "x"], "no 7", "x")).ok
    assert not run(case("parameterize", ["no 7", "x"], "no 7", "x")).ok
    moved = TRACE.replace("C.java:4", "C.java:77")
    assert run(case("same", {"tier": "exact"}, TRACE, moved)).ok
    assert not run(case("different", {"tier": "exact"}, TRACE, moved)).ok
    other = TRACE.replace("H.one", "H.two")
    assert run(case("different", {"tier": "root_cause"}, TRACE, other)).ok
    assert not run(case("same", {"tier": "root_cause"}, TRACE, other)).ok
    assert not run(case("different", {"tier": "exact"}, TRACE, other, moved)).ok


@pytest.mark.parametrize("kind", ["same", "different"])
def test_a_text_without_a_trace_has_no_fingerprint_to_compare(kind: str) -> None:
    assert not run(case(kind, {"tier": "exact"}, TRACE, "two\nlines")).ok


def test_a_case_that_raises_has_failed() -> None:
    assert run(case("same", {"tier": "no such tier"})).actual.startswith("raised ValueError")


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., str]:
    def write(*rows: dict[str, Any]) -> str:
        path = tmp_path / "cases.jsonl"
        path.write_text("".join(json.dumps({"runtime": "jvm", "source": "own", **row}) + "\n" for row in rows))
        return str(path)

    return write


GOOD = {"id": "good", "kind": "parameterize", "inputs": ["no 7"], "expect": ["no <int>"]}
BAD = {"id": "bad", "kind": "parameterize", "inputs": ["no 7"], "expect": ["no 7"]}


def test_the_exit_status_tells(file: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([file(GOOD)]) == 0
    assert main([file(GOOD, BAD), "--failed"]) == 1
    shown = capsys.readouterr().out
    assert "1/2" in shown
    assert "failed: bad; pinned: 0" in shown
    assert 'no 7"\n]\n--- actual\n[\n "no <int>"' in shown


def test_a_pinned_case_is_excused_and_a_risen_one_is_named(
    file: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pins = tmp_path / "pinned.jsonl"
    pins.write_text(
        "".join(
            json.dumps({"id": name, "desired": "", "actual": "", "reason": "why"}) + "\n" for name in ("bad", "good")
        )
    )
    monkeypatch.setattr(cases.pinned, "__defaults__", (pins,))
    assert main([file(GOOD, BAD)]) == 0
    assert "pinned but passing: good" in capsys.readouterr().out


def test_every_pin_gives_its_reason() -> None:
    for row in pinned().values():
        assert row.keys() == {"id", "desired", "actual", "reason"}
        assert all(row.values())
