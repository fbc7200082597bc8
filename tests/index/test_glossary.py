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
