"""What articles answer, judged by readers: the labels are sound, a drawn incident is found again, and the table of each state keeps its floors."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kb.incident import Incident, QuoteSpan, Source
from tests.quality.answers.draw import EACH, Articles, Drawn, article, digest, drawn, now
from tests.quality.answers.labels import agreement, check, groups, labels, mean, summary

FLOORS = {
    "measure": {
        "before": {"helped": 0.45, "one": 0.78, "cause": 0.57},
        "stories": {"helped": 0.65, "one": 0.85, "cause": 0.58, "fix": 0.70},
    }
}
"""Of the mean of all readers. A state that is better than another gets floors of its own."""
CEILINGS = {
    "measure": {"before": {"helped_no": 0.22, "fix_wrong": 0.24}, "stories": {"helped_no": 0.12, "fix_wrong": 0.11}}
}
TEXT = """\
Startup fails

Traceback (most recent call last):
ValueError: a

Shutdown hangs
Traceback (most recent call last):
ValueError: b
"""


@pytest.fixture
def articles(tmp_path: Path) -> Articles:
    (tmp_path / "articles.jsonl").write_text('{"id": "en00001", "file": "one.txt"}\n', encoding="utf-8")
    (tmp_path / "one.txt").write_text(TEXT, encoding="utf-8")
    return Articles(tmp_path)


def told(name: str, title: str, *traces: str, line: int = 0) -> Incident:
    quotes = {"fix": (QuoteSpan(0, 1, line),)} if line else {}
    return Incident(name, title, "en", Source("one.txt", "one.txt"), traces=traces, quotes=quotes)


A, B = (f"Traceback (most recent call last):\nValueError: {one}" for one in "ab")
WAS = Drawn("measure", 1, "en", True, "en00001", 2, "en00001-b", digest("Shutdown hangs"), (digest(B),), 8)  # noqa: FBT003  as JSON tells it


@pytest.mark.parametrize(
    ("was", "are", "found"),
    [
        (WAS, [told("x", "All of it", A), told("y", "Other words", B.replace("\n", "\n  "))], "y"),
        (WAS, [told("en00001-b", "Shutdown hangs", A), told("y", "Page", A, B)], "y"),
        (replace(WAS, traces=()), [told("x", "Startup fails"), told("y", "Shutdown  hangs")], "y"),
        (replace(WAS, traces=()), [told("x", "Startup fails"), told("en00001-b", "New words")], "en00001-b"),
        (replace(WAS, traces=(), title=""), [told("x", "Startup fails"), told("y", "New words", line=7)], "y"),
        (replace(WAS, traces=(), title=""), [told("x", "Startup fails"), told("y", "New words", line=4)], None),
        (replace(WAS, traces=(), title="", of=1), [told("x", "New words")], "x"),
        (replace(WAS, traces=(), title="", of=1), [told("x", "Startup fails"), told("y", "z", line=4)], "y"),
        (WAS, [], None),
    ],
    ids=["trace", "trace before title", "title", "id", "place", "too far", "one is one", "one of several", "declined"],
)
def test_a_drawn_incident_is_found_again(
    was: Drawn, are: list[Incident], found: str | None, articles: Articles
) -> None:
    """By its trace, else its id or title, else its place; what is elsewhere in the document is not it."""
    incident = now(was, are, articles)
    assert (incident and incident.id) == found


def test_a_trace_stands_where_a_line_of_its_own_stands(articles: Articles) -> None:
    """Many begin with the same words."""
    assert articles.lines("en00001", told("y", "Startup fails", B)) == [8, 1]


def test_a_long_article_is_shown_around_the_incident() -> None:
    """Its beginning, and the place; a line of any length is cut."""
    shown = article("\n".join(["# Title", *(f"line {at} {'x' * 90}" for at in range(2, 2_000)), "y" * 10**6]), 1_000)
    assert "# Title" in shown
    assert "line 1000 " in shown
    assert len(shown) < 13_000


def test_the_drawing_is_sound() -> None:
    """25 of each kind in each half, no document in both, numbered from 1."""
    rows = drawn()
    assert set(Counter((one.half, one.lang, one.traced) for one in rows).values()) == {EACH}
    for half in ("teach", "measure"):
        assert sorted(one.n for one in rows if one.half == half) == list(range(1, 4 * EACH + 1))
    docs = {half: {one.doc for one in rows if one.half == half} for half in ("teach", "measure")}
    assert docs["teach"] & docs["measure"] == set()


def test_the_labels_are_sound() -> None:
    """They answer what the protocol asks, of what was drawn, once for each reader and state."""
    names = {one.name for one in drawn()}
    rows = labels()
    for label in rows:
        check(label)
        assert label["id"] in names
    assert len({(label["id"], label["reader"], label["state"]) for label in rows}) == len(rows)
    assert not [label for label in rows if label["id"].startswith("measure") and "most" in label]


def test_what_is_wrongly_gone_helps_nobody() -> None:
    """And what is rightly gone counts nowhere; where nobody says anything, nobody disagrees."""
    good = {"id": "measure-001", "one": "one", "title": "yes", "component": "ok", "cause": "right", "fix": "absent", "helped": "yes"}  # fmt: skip
    gone = {"id": "measure-002", "one": "gone", "rightly": False}
    right = gone | {"rightly": True}
    said = summary([good, gone, right | {"id": "measure-003"}, right | {"id": "measure-004"}])
    assert (said["helped"], said["helped_no"], said["one"], said["gone"], said["gone_wrongly"]) == (0.5, 0.5, 1, 3, 1)
    assert agreement([good, gone], [good, good | {"id": "measure-002"}])["helped"] == (0.5, 0.0)
    assert agreement([], []) == {}
    with pytest.raises(ValueError, match="`rightly` is asked"):
        check(gone | {"helped": "no"})
    with pytest.raises(ValueError, match="fix is 'good'"):
        check(good | {"fix": "good"})


@pytest.mark.quality
def test_answers_of_articles(shared_data: Path, figure: Callable[..., None]) -> None:
    """Every drawn document is there, and not among the findings; each state keeps its floors, and two readers see the same."""
    held = Articles(shared_data)
    findings = (shared_data / "findings/articles.md").read_text(encoding="utf-8")
    for one in drawn():
        assert one.doc in held
        assert f"`{one.doc}" not in findings
        assert 0 < one.line <= held.text(one.doc).count("\n") + 1
    for (half, state), readers in groups(labels()).items():
        floors, ceilings = (limits.get(half, {}).get(state, {}) for limits in (FLOORS, CEILINGS))
        for name, value in mean(readers).items():
            figure(f"answers.{half}.{state}.{name}", value, floor=floors.get(name), ceiling=ceilings.get(name))
        if len(readers) == 2:
            for name, (same, kappa) in agreement(*readers.values()).items():
                figure(f"answers.{half}.{state}.agreement.{name}", same)
                figure(f"answers.{half}.{state}.kappa.{name}", kappa)
