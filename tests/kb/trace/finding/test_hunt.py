"""Where needles stand: the automata of a short text, and the two of a large one, find the lines that one of all needles would."""

from functools import cache
from typing import Any

import pytest
import re2
from hypothesis import example, given
from hypothesis import strategies as st

from kb.trace.finding.needles import NeedleScanner, has_needle, matching_runtimes, may_be_known_by_words
from kb.trace.runtimes import RUNTIMES

_LINES = (
    "\tat a.b.C.d(C.java:1)",
    "Caused by: java.io.IOException: 连接失败",
    'File "/srv/a.py", line 3, in run',
    "    at run (/srv/app.js:3:1)",
    "panic: runtime error: index out of range",
    "thread 'main' panicked at src/main.rs:2:5:",
    "ORA-00942: table or view does not exist",
    "#0 0x00007f raise () from libc.so.6",
    "[   12.3] BUG: unable to handle page fault",
    "stack traceback:",
    "错误：磁盘空间不足，见日志",
    "nothing to see here",
    "",
)


@cache
def _all_in_one() -> Any:
    options = re2.Options()
    options.never_nl = True
    return re2.compile(
        "|".join(f"(?:{needle})" for runtime in RUNTIMES for needle in runtime.needles).encode(), options
    )


@given(st.sampled_from(_LINES) | st.text(max_size=40))
def test_a_line_is_of_the_runtimes_whose_needles_it_holds(line: str) -> None:
    data = line.encode("utf-8", "surrogatepass")
    options = re2.Options()
    options.never_nl = True
    holding = [
        runtime
        for runtime in RUNTIMES
        if any(re2.compile(needle.encode(), options).search(data) is not None for needle in runtime.needles)
    ]
    assert list(matching_runtimes(line)) == holding
    assert may_be_known_by_words(line) or not any(runtime.is_known_by_words for runtime in holding)


@pytest.mark.parametrize("is_large", [False, True])
def test_a_flag_of_one_needle_holds_for_no_other(is_large: bool) -> None:  # noqa: FBT001
    lines = "Retention: removed 945 segments\n" * (2_500 if is_large else 1)
    assert list(matching_runtimes("Retention: removed 945 segments")) == []  # Redis says `MOVED 3999 `
    assert not has_needle(lines)
    assert NeedleScanner(lines).after(0) is None


@given(
    st.lists(st.sampled_from(_LINES) | st.text(max_size=12), max_size=12).map("\n".join),
    st.integers(1, 20),
    st.integers(1, 200),
    st.sampled_from((0, 4_000)),
)
@example("\n".join(_LINES), 1, 1, 0)
@example("\n".join(_LINES), 1, 1, 4_000)
def test_several_automata_find_the_lines_that_one_would(text: str, step: int, window: int, above: int) -> None:
    if above:  # a large text
        text, window = "nothing to see here\n" * above + text, 1 << 20
    data = text.encode("utf-8", "surrogatepass")
    hunt, start = NeedleScanner(text, window), 0
    while True:
        told = _all_in_one().search(data, len(text[:start].encode("utf-8", "surrogatepass")))
        found = hunt.after(start)
        if told is None or found is None:
            assert told is found is None
            break
        first = len(data[: told.start()].decode("utf-8", "surrogatepass"))
        assert start <= first <= found
        assert "\n" not in text[first:found]
        start = found + step
        if start > len(text):
            break
    assert has_needle(text) == (_all_in_one().search(data) is not None)
