"""One rule of ids for all doors: what the store refuses no ingest publishes, and no two ids look alike."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.reading import read_document
from ingest.sources.formats import DocumentFormat
from kb.ids import LONGEST, alike, lost, usable
from kb.record import RecordError
from kb.store import Actor, Role, Store
from tests.kb.store.told import incident

ANN = Actor("u:ann", "Ann", Role.REVIEWER)
BAD = {
    "upwards": "../../pwn4",
    "a part that is a dot": "a/./b",
    "upwards alone": "..",
    "too long": "x" * (LONGEST + 1),
    "turned around": "payments-\u202egnp.exe",
    "an end of a turn": "a\u2069",
    "a joiner that nobody sees": "kaf\u200bka",
    "a soft hyphen": "kaf\u00adka",
    "decomposed": "cafe\u0301",
    "a line of its own": "a\u2028b",
    "a mark of order": "\ufeffa",
}
GOOD = ["kafka-record-too-large", "检查点-失败", "a/b", "FLINK-31234", "café", "..a", "a..b/c.d", "死锁 1"]


@pytest.mark.parametrize("bad", BAD)
def test_the_store_refuses_it_and_an_ingest_gives_another_name(tmp_path: Path, bad: str) -> None:
    with Store.open(tmp_path / "store.db") as store:
        with pytest.raises(RecordError, match="id"):
            store.incidents.create(incident(BAD[bad]), actor=ANN)
        written = f"---\nid: {BAD[bad]!a}\ntitle: Shop fails\n---\n## Root cause\nIt fails with an error.\n## Fix\nStart again.\n"
        written = written.replace("'", '"')
        (read,) = read_document(written.encode(), "shop.md", DocumentFormat.MARKDOWN).incidents
        assert read.id != BAD[bad]
        assert store.incidents.create(incident(read.id), actor=ANN).incident_id == read.id


@pytest.mark.parametrize("good", GOOD)
def test_others_stay_as_they_are(good: str) -> None:
    assert usable(good) == good


@given(st.text(max_size=LONGEST + 20))
def test_what_is_usable_is_neither_lost_nor_alike(text: str) -> None:
    found = usable(text)
    assert not lost(found)
    assert not alike(found)
    assert usable(found) == found
