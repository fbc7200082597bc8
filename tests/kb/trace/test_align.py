"""Two chains side by side."""

from itertools import pairwise

import pytest

from kb.trace import Alignment, align, normalize, parse
from kb.trace.align import MOST_FRAMES, common


def aligned(a: str, b: str) -> Alignment:
    (one,), (other,) = parse(a), parse(b)
    return align(normalize(one), normalize(other))


def pairs(found: Alignment) -> list[tuple[int, int | None, int, int | None]]:
    return [(p.exception_a, p.frame_a, p.exception_b, p.frame_b) for p in found.frames]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("", "", []),
        ("abc", "", []),
        ("abc", "abc", [(0, 0), (1, 1), (2, 2)]),
        ("abcd", "bxd", [(1, 0), (3, 2)]),
        ("xaybz", "ab", [(1, 0), (3, 1)]),
        ("aaaa", "aa", [(0, 0), (1, 1)]),
        ("abcbdab", "bdcaba", 4),
    ],
    ids=["empty", "one-empty", "equal", "gap", "shorter", "repeats", "textbook"],
)
def test_longest_common_subsequence(a: str, b: str, expected: list[tuple[int, int]] | int) -> None:
    found = common(list(a), list(b))
    assert all(a[i] == b[j] for i, j in found)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(found))
    if isinstance(expected, int):
        assert len(found) == expected
    elif a == "aaaa":
        assert len(found) == 2
    else:
        assert found == expected


def test_frames_of_one_exception() -> None:
    found = aligned(
        "a.E: x\n\tat a.A.x(A.java:1)\n\tat a.B.y(B.java:1)\n\tat a.M.main(M.java:1)",
        "a.E: y\n\tat a.B.y(B.java:9)\n\tat a.C.z(C.java:9)\n\tat a.M.main(M.java:9)",
    )
    assert found.exceptions == ((0, 0),)
    assert pairs(found) == [(0, 0, 0, None), (0, 1, 0, 0), (0, None, 0, 1), (0, 2, 0, 2)]


def test_one_cause_under_different_wrappers_is_brought_together() -> None:
    root = "Caused by: a.I: i\n\tat a.B.y(B.java:3)\n\t... 1 more\n"
    found = aligned(
        f"a.W: w\n\tat a.W.run(W.java:1)\n{root}",
        f"a.V: v\n\tat a.V.run(V.java:1)\nCaused by: a.W: w\n\tat a.W.run(W.java:1)\n\tat a.V.run(V.java:1)\n{root}",
    )
    assert found.exceptions == ((0, 1), (1, 2))
    assert [p for p in found.frames if p.is_match and p.exception_a == 1] != []


def test_unlike_roots_are_still_laid_side_by_side() -> None:
    found = aligned("a.E: x\n\tat a.B.y(B.java:3)", "a.F: x\n\tat a.B.y(B.java:3)")
    assert found.exceptions == ((0, 0),)
    assert pairs(found) == [(0, 0, 0, 0)]


def test_shared_frames_are_shown_once() -> None:
    text = "a.W: w\n\tat a.W.run(W.java:1)\n\tat a.M.main(M.java:1)\nCaused by: a.I: i\n\tat a.B.y(B.java:3)\n\t... 2 more\n"
    assert pairs(aligned(text, text)) == [(0, 0, 0, 0), (0, 1, 0, 1), (1, 0, 1, 0)]


def test_only_so_many_frames_are_aligned() -> None:
    text = "a.E: x\n" + "".join(f"\tat a.B{'abcdefghij'[i % 10]}{i}x.y(B.java:3)\n" for i in range(MOST_FRAMES + 50))
    assert len(aligned(text, text).frames) == MOST_FRAMES
