"""The page's words: both languages say the same things, and the right one is chosen."""

import string

import pytest

from api.contract.problems import HttpProblem
from api.render.language import LANGUAGES, choose, load_strings, percent
from api.writing.incident_input import parse_incident
from tests.kb.article import test_mistakes

MISTAKEN = [
    case.values[0]
    for case in test_mistakes.test_a_mistake_is_told_with_its_place.pytestmark[0].args[1]  # type: ignore[attr-defined]
]
"""Write-ups that provoke every mistake there is."""


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_language_says_everything_with_the_same_places() -> None:
    strings = load_strings()
    told = {lang: {key: places(text) for key, text in strings[lang].words.items()} for lang in LANGUAGES}
    assert told["en"] == told["zh"]
    assert all(text.strip() for lang in LANGUAGES for text in strings[lang].words.values())


@pytest.mark.parametrize(
    ("wanted", "accepted", "expected"),
    [
        pytest.param("zh", "en", "zh", id="asked by name wins"),
        pytest.param("zh-TW", None, "zh", id="a region falls back on its language"),
        pytest.param("fr", "zh-CN,zh;q=0.9", "zh", id="an unknown name is no wish"),
        pytest.param(None, "zh-CN,zh;q=0.9,en;q=0.8", "zh", id="browser in China"),
        pytest.param(None, "en;q=0.5, zh;q=0.7", "zh", id="quality counts"),
        pytest.param(None, "fr, en;q=0.5, zh;q=0.5", "en", id="first of equals"),
        pytest.param(None, "zh;q=0, en", "en", id="zero means never"),
        pytest.param(None, "zh;q=nan", "en", id="not a quality"),
        pytest.param(None, "zh;q=x", "en", id="not a number"),
        pytest.param(None, "fr", "en", id="neither"),
        pytest.param(None, None, "en", id="nothing said"),
        pytest.param("", ",,;;,=", "en", id="rubbish"),
    ],
)
def test_language_of_the_page(wanted: str | None, accepted: str | None, expected: str) -> None:
    assert choose(wanted, accepted) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0, "1 %"), (0.004, "1 %"), (0.5, "50 %"), (0.934, "93 %"), (0.9999, "99 %"), (1.0, "99 %")],
)
def test_nothing_is_certain_or_impossible(value: float, expected: str) -> None:
    assert percent(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.0, "almost certain"),
        (0.93, "almost certain"),
        (0.92, "very likely"),
        (0.6, "likely"),
        (0.3, "possible"),
        (0.0, "unlikely"),
    ],
)
def test_probability_in_words(value: float, expected: str) -> None:
    assert load_strings()["en"].probability_word(value) == expected


@pytest.mark.parametrize(
    "text", [*MISTAKEN, "---\ntitle: " + "x" * 501 + "\n---\n## Symptom\n\nx\n", "\0", "x" * 2_000_001]
)
def test_mistakes_are_told_in_chinese(text: str) -> None:
    strings = load_strings()
    with pytest.raises(HttpProblem) as raised:
        parse_incident(text.encode(), markdown=True)
    for error in raised.value.errors:
        said = str(error["detail"])
        here, tag = strings["zh"].mistake(said)
        assert (tag, here != said) == ("zh-CN", True), said
        assert (
            not (set(here.encode("ascii", "ignore").decode().split()) & {"is", "are", "a", "the"}) or "YAML" in here
        ), here
        assert strings["en"].mistake(said) == (said, "en")


def test_what_nobody_translated_stays_english() -> None:
    assert load_strings()["zh"].mistake("a new thing `x`") == ("a new thing `x`", "en")


def test_a_long_sentence_costs_little() -> None:
    strings = load_strings()["zh"]
    for said in ("`" * 3000, "`a` is one of " * 300, "x is read as " * 300):
        assert strings.mistake(said)


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("signal SIGSEGV: segmentation violation", ("信号 SIGSEGV: segmentation violation", "zh-CN")),
        ("3 more frames of a.B were not kept", ("另有 3 个栈帧未保留（a.B）", "zh-CN")),
        (
            "12 frames of a.B were cut off by the logger and cannot be restored",
            ("日志组件截掉了 12 个栈帧（a.B），无法还原", "zh-CN"),
        ),
        ("第一条结果对应第 5 行的堆栈：a.B", ("第一条结果对应第 5 行的堆栈：a.B", "zh-CN")),
        ("what nobody translated", ("what nobody translated", "en")),
    ],
)
def test_notes_are_in_the_language_of_the_page(note: str, expected: tuple[str, str]) -> None:
    assert load_strings()["zh"].note(note) == expected
    assert load_strings()["en"].note("signal 9") == ("signal 9", "en")
