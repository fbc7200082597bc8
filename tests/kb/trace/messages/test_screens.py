"""What is asked of a line before its patterns are: a cheaper sign passes each line that a pattern finds anything in."""

import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kb.trace.lines import clean, holds_time
from kb.trace.messages import introduced, text_lines, word_lists
from kb.trace.messages.forms import may_show, numbers_that_may_show
from kb.trace.messages.sentence import features
from kb.trace.messages.text_lines import LONGEST, closing_of, lines_of, opening_of
from kb.trace.messages.words import announces, is_personal, signs

GOLDEN = Path(__file__).resolve().parents[4] / "tests" / "golden"
TEXTS = [
    clean(path.read_text(encoding="utf-8"))
    for folder in ("messages", "traces", "records", "formats")
    for path in sorted((GOLDEN / folder).rglob("*.txt"))
]
LINES = sorted({line for text in TEXTS for line in text.split("\n")})
SAID = (
    "I get Failed to initialize NVML",
    "we've the same trouble since yesterday",
    "it complains that it can't handle RDB format version 9",
    "now the client reports Connection refused",
    "Getting below error:",
    'the server says "no" with',
    "启动之后就报错：",
    "我这边一直提示连接失败",
    "what is wrong?",
    "ſee the meſſage:",
    "naïve-I am here",
    "works, but the page is still empty again",
)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_the_lines_of_a_log_that_are_looked_at_are_those_that_may_show_an_error(text: str) -> None:
    for many in (text, f"{text}\n" * (1 + 1_200 // (text.count("\n") + 1))):
        lines = lines_of(many)
        assert list(numbers_that_may_show(many, lines)) == [at for at, one in enumerate(lines) if may_show(one.text)]


def test_some_lines_are_looked_at_and_most_of_a_log_are_not() -> None:
    found = sum(len(list(numbers_that_may_show(text, lines_of(text)))) for text in TEXTS)
    assert 0.05 * len(LINES) < found
    log = "\n".join(f"2026-11-30 10:00:{at % 60:02} INFO shop order {at} is paid" for at in range(500))
    assert not list(numbers_that_may_show(log, lines_of(log)))


def test_no_sign_of_a_sentence_is_lost() -> None:
    for line in (*LINES, *SAID):
        found = set(features(line))
        assert {name for name, sign in signs().items() if sign.search(line)} <= found, line


@pytest.mark.parametrize("end", [".", "", "?", "："])
def test_no_sign_is_looked_for_from_each_place_of_a_long_line(end: str) -> None:
    """A sign that tries the rest of the line anew at each of its 7,750 characters takes .35 s of CPU."""
    line = "data " * 1_550 + end
    for name, sign in signs().items():
        began = time.process_time()
        sign.search(line)
        assert time.process_time() - began < 0.1, name


def test_no_person_and_no_announcement_is_lost() -> None:
    for line in (*LINES, *SAID):
        assert announces(line) is (word_lists.words_of("announces").search(line[-40:]) is not None), line
        assert is_personal(line) or not word_lists.words_of("person").search(line), line
    assert sum(map(announces, SAID)) >= 3
    assert sum(map(is_personal, SAID)) >= 5


def test_no_words_that_somebody_reports_are_lost() -> None:
    found = 0
    for line in (*LINES, *SAID):
        is_there = any(one.search(line) for one in (introduced._BEGINS, introduced._REPORTED))
        found += is_there
        assert not is_there or introduced._may_begin().search(line.encode()) is not None, line
    assert found > 5


@given(
    st.lists(
        st.sampled_from((*"{}[]`,:x", " ", "\t", "\n", "- ", "> ", "1. ", "web_1  | ", "Message = {")), max_size=40
    )
)
@example(["x", "\n", "- ", "{", "x", "\n", "}"])
@example(["x", "{", "x", "\n", "web_1  | ", "x", "{", "x", "Message = {", " ", "\n", "> ", "}", ","])
def test_a_document_opens_and_closes_where_its_lines_do(parts: list[str]) -> None:
    text = clean("".join(parts))
    lines = lines_of(text)
    places = [text_lines._opened_at(text, one) for one in lines]
    assert opening_of(text, lines) == next((place for place in places if place >= 0), -1)
    closes = [one for one in lines if text[one.start : one.end].strip() in ("}", "}]", "},")]
    assert closing_of(text, lines) == (closes[-1] if closes else None)


@given(st.text(alphabet="ab \t>-\n", max_size=300), st.integers(0, 1_500))
def test_lines_are_the_same_whether_few_or_many(text: str, more: int) -> None:
    whole = "\n" * more + text
    lines = lines_of(whole)
    expected, begin = [], 0
    for line in whole.split("\n"):
        expected.append((begin, begin + min(len(line), LONGEST), line[:LONGEST].lstrip(" \t").rstrip()))
        begin += len(line) + 1
    assert [(one.begin, one.end) for one in lines] == [one[:2] for one in expected[-1_000:]]
    assert all(whole[one.start : one.end].rstrip() == one.text for one in lines)
    assert lines[-1] == list(lines)[-1]


@given(st.text(alphabet="0123456789²٣: -x", max_size=20))
def test_a_time_has_six_digits_of_any_script(text: str) -> None:
    assert holds_time(text) is (sum(char.isdigit() for char in text) >= 6)
