"""What the words of a question say beside write-ups of another length, in the other language, and with codes."""

from collections.abc import Callable, Sequence

import pytest

from index.encoder import load_encoder
from index.entry import entries
from index.ranking.features import Features
from index.reading import read
from index.training.measured import MeasuredEngine
from kb.record import from_record

EngineOf = Callable[[Sequence[dict[str, object]]], MeasuredEngine]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
OTHER_WORDS = " ".join(f"moss{a}{b}" for a in LETTERS for b in LETTERS)


def features(engine: MeasuredEngine, text: str) -> dict[str, Features]:
    return {engine.id_of(found.row): found.features for found in engine.compare(read(text))}


def test_a_long_write_up_has_some_of_everybodys_words(engine_of: EngineOf) -> None:
    said = "the compaction queue of the region server grows without end"
    rows = [
        {"id": "long", "title": "-", "prose": f"{OTHER_WORDS} {said}"},
        {"id": "short", "title": "-", "prose": said},
    ]
    engine = engine_of(rows)
    found = features(engine, "compaction queue grows")
    assert 0 < found["long"].words < found["short"].words
    assert 0 < found["long"].bm25 < found["short"].bm25
    engine.close()


@pytest.mark.parametrize("question", ["HRegionServer compaction queue", "HRegionServer 合并队列一直堆积"])
def test_the_few_words_two_languages_share_say_more(engine_of: EngineOf, question: str) -> None:
    rows = [{"id": lang, "title": "HRegionServer", "prose": "-", "lang": lang} for lang in ("zh", "en")]
    engine = engine_of(rows)
    found = features(engine, question)
    abroad, home = ("zh", "en") if question.isascii() else ("en", "zh")
    assert found[abroad].words > found[home].words > 0
    engine.close()


@pytest.mark.parametrize(
    "asked", ["GAUSS-52502", "升级时报 GAUSS-52502，怎么办", "we see GAUSS-52502 since the upgrade"]
)
def test_a_code_is_found_wherever_it_is_named(engine_of: EngineOf, asked: str) -> None:
    rows = [
        {
            "id": f"code-{code}",
            "title": "gs_install fails",
            "prose": "-",
            "traces": [f"[GAUSS-{code}] : the package is wrong"],
        }
        for code in (52501, 52502, 52503)
    ]
    engine = engine_of(rows)
    assert engine.search(asked).matches[0].incident.id == "code-52502"
    engine.close()


def test_what_a_fix_announces_changes_nothing_that_is_searched() -> None:
    """It is shown, and only shown: of an entry nothing but the document has it."""
    record = {"id": "a", "title": "Disk full", "fix": "Set this:", "url": "u"}
    announced = {"fix": "```\njava.io.IOException: rotate\n\tat a.B.c(D.java:1)\n```"}
    encoder = load_encoder(None)
    without, with_it = (entries([from_record(one)], encoder) for one in (record, record | {"announced": announced}))
    assert "IOException" in with_it.column("document")[0].as_py()
    assert with_it.drop_columns(["document"]).equals(without.drop_columns(["document"]))
