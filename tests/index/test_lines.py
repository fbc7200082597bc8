"""Lines of frames: told beside the normalised chain, stored small, compared with what they stand on."""

import numpy as np
import pytest

from index.ranking.compare import DEEPEST
from index.ranking.stacked import StackedChains
from index.terms.sketch import ChainSketch, ExceptionSketch, lines_of, pack, sketch
from kb.trace import normalize, parse

from .agreeing import agree, by_definition, laid

WRAPPED = """\
java.lang.IllegalStateException: cannot pay
\tat com.shop.Till.pay(Till.java:41)
\tat com.shop.Till.pay(Till.java:41)
\tat com.shop.Main.main(Main.java:7)
Caused by: java.io.IOException: gone
\tat com.shop.Wire.send(Wire.java:{line})
\tat com.shop.Wire.flush(Native Method)
\tat com.shop.Till.book(Till.java:39)
\t... 2 more
"""


def sketched(text: str) -> ChainSketch:
    found = parse(text)[0]
    return sketch(normalize(found), lines_of(found, normalize(found)))


def test_each_frame_has_its_line_the_root_first() -> None:
    """The recursive call is one frame and takes the first line of its name; a native method has none."""
    root, outer = sketched(WRAPPED.format(line=12))
    assert root.lines == (12, 0, 39)
    assert outer.lines == (41, 7)


def test_without_lines_nothing_is_kept() -> None:
    assert [e.lines for e in sketched("a.B: x\n\tat a.C.d(Unknown Source)\n")] == [()]


@pytest.mark.parametrize(("line", "kept"), [("65534", 65534), ("65535", 0), ("99999", 0), ("0", 0)])
def test_lines_fit_into_sixteen_bits(line: str, kept: int) -> None:
    assert sketched(f"a.B: x\n\tat a.C.d(C.java:5)\n\tat a.E.f(E.java:{line})\n")[0].lines == (5, kept)


@pytest.mark.parametrize("count", [1, 3, 4, 5, 9])
def test_packing_keeps_lines(count: int) -> None:
    one = ExceptionSketch(7, 8, (1, 2), tuple(range(100, 100 + count)), tuple(65_500 + at for at in range(count)))
    other = ExceptionSketch(9, 9, (), (3, 4))
    stack = StackedChains.of(pack([(one, other), (other,)]), laid([]), np.array([8, 9], dtype=np.uint64))
    assert stack.lines.tolist() == [*one.lines, 0, 0, 0, 0]
    assert stack.frames.names.tolist() == [*one.frames, *other.frames, *other.frames]


def test_equal_lines_agree_and_others_do_not_count_against() -> None:
    same, moved = sketched(WRAPPED.format(line=12)), sketched(WRAPPED.format(line=77))
    rarity = dict.fromkeys((t for e in (*same, *moved) for t in (e.type, e.simple, *e.message, *e.frames)), 0.9)
    still, shifted = agree(same, same, rarity), agree(same, moved, rarity)
    assert still["lines"] > shifted["lines"] > 0
    assert still["root_frames"] == shifted["root_frames"]
    assert still["everything"] == shifted["everything"]


def test_frames_too_deep_to_weigh_anything_are_left_out() -> None:
    deep = (ExceptionSketch(7, 8, (), tuple(range(100, 800)), tuple(range(1, 701))),)
    found = agree(deep, deep, {})
    assert found["lines"] == found["root_frames"] == pytest.approx(by_definition(deep, deep, {})["lines"])


def test_a_frame_that_both_have_too_deep_is_no_rarest_one() -> None:
    one, other = ((ExceptionSketch(7, 8, (), (*range(first, first + DEEPEST), 7_000)),) for first in (1_000, 2_000))
    assert agree(one, other, {})["rarest"] == 0
    assert agree(one, (ExceptionSketch(7, 8, (), (*range(2_000, 2_000 + DEEPEST - 1), 1_003)),), {})["rarest"] == 1
