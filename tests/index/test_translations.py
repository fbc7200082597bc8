"""An incident in two languages is found by questions in either, as one that is told in that language alone is, and is told in the reader's."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from index import Engine
from index.build import build
from index.encoder import load_encoder
from index.entry import entries
from index.wire import answer_to_dict
from kb.incident import Incident, Status
from kb.record import from_record
from kb.store import IncidentChange
from kb.translations import in_language

from .conftest import records

ENCODER = load_encoder(None)
TRACE = (
    "com.example.PoolTimeout: no connection from ledger-pool within 30000 ms\n\tat com.example.Pool.take(Pool.java:12)"
)
BOTH = from_record(
    {
        "id": "ledger-pool",
        "title": "The ledger pool runs dry when reports are exported at month end",
        "lang": "en",
        "component": "jdbc",
        "symptom": "Exports hang, and every request of the ledger times out.",
        "root_cause": "The export holds one connection for each account until the last file is written.",
        "fix": "Give the export its own pool and close each connection after its file.",
        "trace": TRACE,
        "translations": {
            "zh": {
                "title": "月末导出报表时账本连接池被耗尽",
                "symptom": "导出任务卡住，账本的所有请求都超时。",
                "root_cause": "导出任务为每个账户占用一个连接，直到最后一个文件写完才释放。",
                "fix": "给导出任务单独的连接池，每写完一个文件就关闭连接。",
            }
        },
    }
)
QUESTIONS = {
    "en": "the ledger pool runs dry while month end reports are exported, every request times out",
    "zh": "月末导出报表的时候账本连接池被耗尽，所有请求都超时",
}


def engine_with(home: Path, incident: Incident) -> Engine:
    others = [from_record(row) for row in records()]
    build([entries([*others, incident], ENCODER)], home, ENCODER)
    return Engine.open(home)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = engine_with(tmp_path_factory.mktemp("both"), BOTH)
    yield opened
    opened.close()


@pytest.mark.parametrize("lang", QUESTIONS)
def test_a_translated_incident_is_found_in_both_languages(engine: Engine, lang: str, tmp_path: Path):
    alone = engine_with(tmp_path, replace(in_language(BOTH, lang), translations={}))
    expected, found = (one.search(QUESTIONS[lang]).matches[0] for one in (alone, engine))
    alone.close()

    assert found.incident.id == expected.incident.id == "ledger-pool"
    assert found.probability >= expected.probability - 0.05


@pytest.mark.parametrize("lang", QUESTIONS)
def test_without_the_translation_the_other_language_finds_it_less_surely(engine: Engine, lang: str, tmp_path: Path):
    """What the translation is worth: the same question against the other language alone."""
    other = "zh" if lang == "en" else "en"
    alone = engine_with(tmp_path, replace(in_language(BOTH, other), translations={}))
    found = {one.incident.id: one.probability for one in alone.search(QUESTIONS[lang]).matches}
    alone.close()

    assert found.get("ledger-pool", 0.0) < engine.search(QUESTIONS[lang]).matches[0].probability


def test_its_trace_is_known_and_told_in_the_language_of_the_reader(engine: Engine):
    for lang, title in (("en", BOTH.title), ("zh", "月末导出报表时账本连接池被耗尽")):
        answer = engine.search(TRACE, lang=lang)
        best = answer.matches[0]

        assert answer.verdict == "known"
        assert (best.incident.lang, best.incident.title) == (lang, title)
        assert answer_to_dict(answer)["matches"][0]["incident"]["languages"] == ["en", "zh"]  # type: ignore[index]


def test_reasons_notes_and_headline_are_in_the_language_of_the_reader(engine: Engine):
    chinese = engine.search(TRACE + "\n\n" + TRACE.replace("PoolTimeout", "Other"), lang="zh")
    english = engine.search(QUESTIONS["zh"], lang="en")

    said = [chinese.headline, *chinese.notes, *(one.summary for one in chinese.matches[0].evidence)]
    assert all(any("\u4e00" <= letter <= "\u9fff" for letter in one) for one in said), said
    assert english.headline == "Known incident" or english.headline.isascii()
    assert "no stack trace found: searched by its words" in english.notes


def test_without_a_reader_the_question_decides(engine: Engine):
    assert engine.search(QUESTIONS["zh"]).matches[0].incident.lang == "zh"
    assert engine.search(QUESTIONS["en"]).matches[0].incident.lang == "en"
    assert engine.search(TRACE).matches[0].incident.lang == "en"


def test_a_filter_by_language_takes_it_in_both(engine: Engine):
    for lang in ("en", "zh"):
        assert engine.search(TRACE, filters={"lang": lang}).matches[0].incident.id == "ledger-pool"


def test_a_translation_that_is_saved_is_searched_at_once(tmp_path: Path):
    engine = engine_with(tmp_path, replace(BOTH, translations={}))
    before = engine.search(QUESTIONS["zh"]).matches
    engine.apply([IncidentChange(1, "ledger-pool", BOTH)])
    after = engine.search(QUESTIONS["zh"]).matches[0]
    engine.close()

    assert Status.PUBLISHED is after.incident.status
    assert after.incident.title == "月末导出报表时账本连接池被耗尽"
    assert after.probability > max((one.probability for one in before if one.incident.id == "ledger-pool"), default=0.0)
