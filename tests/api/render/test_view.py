"""The paste with its marks, and the frames side by side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.render.view import MOST_LINES, SMALLEST_GAP, LinePart, PasteLine, mark_lines, merge

TEN = "\n".join(f"line {n}" for n in range(1, 11))


def shown(lines: tuple[PasteLine, ...]) -> list[str]:
    return [
        f"({line.gap})"
        if line.gap
        else f"{line.number} " + "".join(f"[{p.text}]" if p.marked else p.text for p in line.parts)
        for line in lines
    ]


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        pytest.param([], [], id="nothing marked, nothing shown"),
        pytest.param([(0, 4)], ["1 [line] 1", "2 line 2", "3 line 3", "(7)"], id="at the start"),
        pytest.param([(63, 70)], ["(7)", "8 line 8", "9 line 9", "10 [line 10]"], id="at the end"),
        pytest.param([(28, 34)], ["1 line 1", "2 line 2", "3 line 3", "4 line 4", "5 [line 5]", "6 line 6", "7 line 7", "(3)"], id="in the middle"),
        pytest.param([(33, 37)], ["1 line 1", "2 line 2", "3 line 3", "4 line 4", "5 line [5]", "6 [li]ne 6", "7 line 7", "8 line 8", "9 line 9", "10 line 10"], id="across lines"),
        pytest.param([(0, 2), (1, 4)], ["1 [line] 1", "2 line 2", "3 line 3", "(7)"], id="overlapping"),
        pytest.param([(0, 2), (5, 6)], ["1 [li]ne [1]", "2 line 2", "3 line 3", "(7)"], id="two in a line"),
        pytest.param([(-5, 2), (900, 999), (4, 4)], ["1 [li]ne 1", "2 line 2", "3 line 3", "(7)"], id="out of the text"),
    ],
)  # fmt: skip
def test_marked_lines(spans: list[tuple[int, int]], expected: list[str]) -> None:
    assert shown(mark_lines(TEN, spans)) == expected


@given(
    st.text(alphabet="ab\n\r 中", max_size=80),
    st.lists(st.tuples(st.integers(-3, 90), st.integers(-3, 90)), max_size=6),
)
def test_what_is_shown_is_the_text(text: str, spans: list[tuple[int, int]]) -> None:
    """Nothing is lost, doubled or moved, and marked is exactly what was asked to be (line ends aside)."""
    lines = mark_lines(text, spans)
    source = text.split("\n")
    asked = {at for start, end in spans for at in range(max(0, start), min(len(text), end)) if text[at] != "\n"}
    starts = [sum(len(line) + 1 for line in source[:n]) for n in range(len(source))]
    marked: set[int] = set()
    covered = 0
    for line in lines:
        assert line.number == covered + 1
        covered += line.gap or 1
        if not line.gap:
            assert "".join(part.text for part in line.parts) == source[line.number - 1]
        at = starts[line.number - 1]
        for part in line.parts:
            marked |= set(range(at, at + len(part.text))) if part.marked else set()
            at += len(part.text)
    assert marked == asked
    assert covered == (len(source) if lines else 0)


def test_a_huge_paste_is_shown_in_part() -> None:
    text = "x" * 5_000 + "\n" + "\tat a.b.C.d(C.java:1)\n" * 100_000
    lines = mark_lines(text, [(0, len(text))])
    assert len(lines) == MOST_LINES + 1
    assert lines[-1].gap == 100_002 - MOST_LINES
    assert sum(len(part.text) for line in lines for part in line.parts) < 20_000


def test_a_gap_is_worth_its_line() -> None:
    """Two lines are shown rather than said to be left out; three are not."""
    text = "\n".join("abcdefghijklmnop")
    for middle, gaps in ((7, [2]), (8, [3]), (9, [4])):
        lines = mark_lines(text, [(0, 1), (2 * middle, 2 * middle + 1)])
        between = [line.gap for line in lines if line.gap and line.number < middle]
        assert between == [gap for gap in gaps if gap >= SMALLEST_GAP]


def test_merge_keeps_order_and_drops_the_empty() -> None:
    assert merge([(5, 9), (1, 3), (2, 4), (4, 5), (7, 7), (20, 30)], 25) == [(1, 9), (20, 25)]


def test_part_is_plain_unless_said() -> None:
    assert not LinePart("x").marked
