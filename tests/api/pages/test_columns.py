"""Two traces in columns: the innermost cause first, what differs marked, library frames folded, and bounded."""

from api.pages.columns import Columns, columns_of
from api.render.sides import MOST_ROWS
from kb.trace import align, parse
from kb.trace.normalize import normalize

LIBRARY = "".join(f"\tat java.util.stream.Pipeline{at}.run(Pipeline.java:{at})\n" for at in range(6))


def columns(ours: str, theirs: str) -> Columns:
    a, b = (normalize(parse(text)[0]) for text in (ours, theirs))
    found = columns_of(a, b, align(a, b))
    assert found is not None
    return found


def trace(place: str, said: str, middle: str = "") -> str:
    return (
        f"java.lang.IllegalStateException: outer\n\tat com.acme.{place}.open(A.java:1)\n"
        f"Caused by: java.io.IOException: {said}\n\tat com.acme.{place}.read(A.java:2)\n"
        f"\tat com.acme.{place}.load(A.java:3)\n\tat com.acme.{place}.walk(A.java:4)\n{middle}\tat com.acme.Main.main(M.java:9)\n"
    )


def marked(parts: tuple[object, ...]) -> list[str]:
    return [part.text for part in parts if part.marked]  # type: ignore[attr-defined]


def test_the_innermost_cause_comes_first_and_what_differs_is_marked() -> None:
    inner, outer = columns(trace("A", "left shelf broke"), trace("A", "right shelf broke")).exceptions
    head = inner[0].rows[0]
    assert (head.is_exception, head.agreement) == (True, "differs")
    assert (marked(head.ours), marked(head.theirs)) == (["left"], ["right"])
    assert outer[0].rows[0].agreement == "same"
    assert marked(outer[0].rows[0].ours) == []


def test_a_run_of_library_frames_is_folded_and_counted() -> None:
    """Those next to the raise point and those of the application are not."""
    inner = columns(trace("A", "x", LIBRARY), trace("A", "x", LIBRARY)).exceptions[0]
    assert [(len(run.rows), run.is_folded) for run in inner] == [(4, False), (6, True), (1, False)]
    assert inner[1].same == 6
    assert not any(run.is_folded for run in columns(trace("A", "x"), trace("A", "x")).exceptions[0])


def test_the_frames_next_to_the_raise_point_are_never_folded() -> None:
    text = f"java.io.IOException: x\n{LIBRARY}\tat com.acme.Main.main(M.java:9)\n"
    (runs,) = columns(text, text).exceptions
    assert [(len(run.rows), run.is_folded) for run in runs] == [(4, False), (3, True), (1, False)]


def test_what_one_side_lacks_is_said() -> None:
    rows = [row for run in columns(trace("A", "x"), trace("B", "x")).exceptions[0] for row in run.rows]
    assert {row.agreement for row in rows} == {"same", "one"}
    assert all(bool(row.ours) != bool(row.theirs) for row in rows if row.agreement == "one")


def test_what_is_too_long_is_counted() -> None:
    many, more = ("".join(f"\tat com.acme.{one}{at}.run(P.java:{at})\n" for at in range(180)) for one in "PQ")
    text = f"java.lang.Error: a\n{many}Caused by: java.lang.Error: b\n{more}"
    found = columns(text, text)
    assert sum(len(run.rows) for runs in found.exceptions for run in runs) == MOST_ROWS
    assert found.left_out == 2 * 181 - MOST_ROWS
