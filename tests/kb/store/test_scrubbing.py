"""Secrets that were stored are taken out of every text, on both databases, and nothing else changes."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from kb.incident import Status
from kb.redact.house import read_house_rule
from kb.store import Refused, Role, Store
from kb.store.model import Feedback, Vote
from kb.trace.custom import NONE, CustomRules
from kb.trace.in_force import activate

from .told import ANN, BEN, incident

NAMED = 'Zitronen"kuchen\\7'
RULED = "EMP-004711"


@pytest.fixture(autouse=True)
def rules() -> Iterator[None]:
    yield
    activate(NONE)


def fill(store: Store) -> None:
    """A secret in every room, before anybody knew it for one."""
    leaky = incident("a", f"Login of {NAMED}", "Basket", fix=f"Ask {RULED}", tags=[RULED], extra_key={"deep": [NAMED]})
    store.incidents.create(leaky, actor=ANN, status=Status.PUBLISHED, note=f"by {RULED}")
    store.incidents.create(incident("b", f"{RULED} twice", "Door"), actor=ANN, status=Status.PUBLISHED)
    store.incidents.create(incident("c", "Clean", "Till"), actor=BEN, status=Status.PUBLISHED)
    store.incidents.create(incident("d", f"A draft of {NAMED}", "Roof"), actor=BEN)
    store.incidents.revise(incident("a", "Login", "Basket"), expected=1, actor=BEN)
    store.incidents.attach("b", f"java.io.IOException: {NAMED}\n\tat a.B.c(B.java:1)", actor=BEN)
    store.redirects.merge("b", "c", expected={"b": 2, "c": 1}, actor=BEN)
    store.reviews.comment("c", 1, f"is it {NAMED}?", actor=ANN)
    store.feedback.add(Feedback("a", Vote.YES, {"exact": ("d1",)}, 0.5, "s", f"boom {RULED}"), actor=ANN)
    store.keys.create(f"of {NAMED}", Role.READER, actor=ANN)


def everything(store: Store) -> str:
    """All texts of a store, as JSON and SQL quote them and as they are."""
    with store._database.reading() as connection:
        tables = sa.inspect(connection).get_table_names()
        rows = [connection.exec_driver_sql(f"SELECT * FROM {name}").all() for name in tables]
    return "\n".join(str(value) for table in rows for row in table for value in row).replace("\\", "")


def holds(store: Store) -> tuple[bool, bool]:
    text = everything(store)
    return NAMED.replace("\\", "") in text, RULED in text


def test_scrubbing_removes_named_and_matched_text_from_every_table(store: Store) -> None:
    fill(store)
    assert holds(store) == (True, True)
    heads = [(one.number, one.author, one.at, one.status) for one in store.incidents.history("a")]
    assert store.scrub(actor=ANN).rows == {}, "nothing is known for a secret yet"
    activate(CustomRules(redact=(read_house_rule(r"secret EMP-(\d{6})"),)))
    before = everything(store)
    counted = store.scrub([NAMED], actor=ANN, dry=True)
    assert everything(store) == before
    at = store.head().sequence
    done = store.scrub([NAMED], actor=ANN)
    assert (done.rows, done.incidents) == (counted.rows, counted.incidents)
    assert done.rows["revisions"] == 6
    assert {name: done.rows[name] for name in ("comments", "feedback", "redirects", "keys")} == dict.fromkeys(
        ("comments", "feedback", "redirects", "keys"), 1
    )
    assert done.incidents == ("a", "b", "c", "d")
    assert holds(store) == (False, False)
    assert [(one.number, one.author, one.at, one.status) for one in store.incidents.history("a")] == heads
    assert store.incidents.revision("a", 1).shown.extra == {"extra_key": {"deep": ["<secret>"]}}
    assert store.listing().items[0].title == "Login"
    assert [one.incident_id for one in store.changes(at)] == ["a", "b", "c"], (
        "searches take it up; of drafts there are none"
    )
    assert store.scrub([NAMED], actor=ANN).rows == {}
    lines = [(one.action, one.object, one.actor) for one in store.audit.listing(limit=1000)][-5:]
    assert lines == [
        *(("incident.scrub", f"incident:{name}", ANN) for name in "abcd"),
        ("store.scrub", "store", ANN),
    ]
    with pytest.raises(sa.exc.DBAPIError, match="append-only"), store._database.engine.begin() as connection:
        connection.execute(sa.text("UPDATE revisions SET note = 'x'"))


def test_the_sqlite_file_holds_no_scrubbed_bytes(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store.open(path, wait=0.5) as store:  # so long the last one waits for the reader
        fill(store)
        assert any(RULED.encode() in file.read_bytes() for file in tmp_path.iterdir())
        assert store.scrub([RULED], actor=ANN).is_gone
        assert not [file for file in tmp_path.iterdir() if RULED.encode() in file.read_bytes()]
        reader = sqlite3.connect(path)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM revisions").fetchone()
        assert not store.scrub(["Basket"], actor=ANN).is_gone, "somebody reads what was there before"
        reader.close()


def test_a_short_secret_is_refused(store: Store) -> None:
    with pytest.raises(Refused, match="fewer than 6"):
        store.scrub(["abc", NAMED], actor=ANN)


def test_others_write_meanwhile_and_a_spoilt_record_holds_up_nothing(store: Store) -> None:
    fill(store)
    with store._database.engine.connect() as connection:
        if connection.dialect.name == "postgresql":
            url = store._database.url.set(drivername="postgresql").render_as_string(hide_password=False)
            with psycopg.connect(url) as other:
                other.execute("SET session_replication_role = replica")
                other.execute("UPDATE revisions SET record = %s WHERE incident_id = 'd'", (f"{{{RULED}",))
        else:
            with sqlite3.connect(str(store._database.url.database)) as other:
                for (name,) in other.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                    other.execute(f"DROP TRIGGER {name}")
                other.execute("UPDATE revisions SET record = ? WHERE incident_id = 'd'", (f"{{{RULED}",))
    done = store.scrub([RULED], actor=ANN)
    assert "d" in done.incidents
    assert holds(store)[1] is False
