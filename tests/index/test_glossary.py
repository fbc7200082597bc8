import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.terms.glossary import concepts, read_rules, rules_text
from kb.errors import RulesError

_HAN = read_rules(rules_text(), "glossary.txt").han
_ANY = re.compile("|".join(sorted(map(re.escape, _HAN), key=len, reverse=True)))


@pytest.mark.parametrize(
    "line",
    [
        "超时 | timeout",
        "timeout = 超时",
        "timeout = | timeout",
        "= 超时 | timeout",
        "a = 超时 | timeout\nb = 超过 | timeout",
    ],
)
def test_a_bad_line_names_file_and_line(line: str) -> None:
    with pytest.raises(RulesError, match=r"mine\.txt line \d"):
        read_rules(line, "mine.txt")


def test_the_bundled_glossary_is_read_whole() -> None:
    glossary = read_rules(rules_text(), "glossary.txt")
    terms = list(glossary.han.values())
    assert len(set(terms)) >= 220
    assert set(glossary.words.values()) | set(glossary.stems.values()) <= set(terms)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        pytest.param(["failures"], ["fail"], id="ending"),
        pytest.param(["prefailure"], [], id="whole words only"),
        pytest.param(["run", "out", "of", "memory"], ["oom"], id="longest phrase"),
        pytest.param(["run", "out", "of", "time"], ["exhaust", "time"], id="shorter phrase"),
        pytest.param(["not", "responding"], ["hang"], id="ending of a phrase"),
        pytest.param(["检查点失败"], ["checkpoint", "fail"], id="Chinese run"),
        pytest.param(["内存溢出"], ["oom"], id="longest Chinese term"),
    ],
)
def test_concepts(parts: list[str], expected: list[str]) -> None:
    assert expected == concepts(parts)


@given(st.lists(st.sampled_from(sorted(_HAN)), max_size=6).map("".join), st.data())
def test_the_longest_chinese_term_at_a_place_wins(run: str, data: st.DataObject) -> None:
    """Terms side by side, a piece of one cut off: what one pattern of all terms, the longest first, finds."""
    run = run[data.draw(st.integers(0, 3)) :] + "㐀"
    assert concepts([run]) == [_HAN[term] for term in _ANY.findall(run)]
