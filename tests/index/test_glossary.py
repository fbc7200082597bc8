import pytest

from index.glossary import concepts, read_rules, rules_text
from kb.errors import RulesError


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
    assert len(set(glossary.terms.values()) | set(glossary.stems.values())) >= 220


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("failures", ["fail"]),
        ("prefailure", []),
        ("run out of memory", ["oom"]),
        ("检查点失败", ["checkpoint", "fail"]),
    ],
)
def test_concepts_longest_first_whole_words_only(text: str, expected: list[str]) -> None:
    assert expected == concepts(text)
