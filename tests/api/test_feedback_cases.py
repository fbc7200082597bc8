"""What readers confirmed: measured by `kb eval --from-feedback`, and material of `kb rank train --feedback`."""

import json
from pathlib import Path

import pytest

from index.evaluation.opinions import opinions_of
from index.ranking.sightings import fingerprint_digests
from index.reading import read
from kb.incident import Incident, Source, Status
from kb.store import Actor, Role, Store
from kb.store.model import NOBODY, Feedback, Vote
from tests.api.command import failed, kb
from tests.api.knowledge import DISK_TRACE, HDFS_TRACE, HIVE_TRACE, KAFKA_TRACE, UNKNOWN_TRACE
from tests.api.test_command_rank import data  # noqa: F401

READER = Actor("reader", "Reader", Role.READER)
HDFS, KAFKA, HIVE = "flink-checkpoint-hdfs-replicas", "kafka-commit-rebalanced", "hive-metastore-schema"


def say(store: Store, incident_id: str, vote: Vote, text: str, *, keeps: bool = True, actor: Actor = READER) -> None:
    said = Feedback(incident_id, vote, fingerprint_digests(read(text)), 0.9, "s", text if keeps else None)
    store.feedback.add(said, actor=actor)


@pytest.fixture
def place(tmp_path: Path) -> str:
    """A store in which something was said."""
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with Store.open(url) as store:
        say(store, HDFS, Vote.YES, HDFS_TRACE)
        say(store, HDFS, Vote.YES, HDFS_TRACE)
        say(store, KAFKA, Vote.NO, HDFS_TRACE)
        say(store, HDFS, Vote.YES, DISK_TRACE)  # wrong, and found another first
        say(store, KAFKA, Vote.NO, KAFKA_TRACE)
        say(store, HIVE, Vote.YES, HIVE_TRACE, keeps=False)
        say(store, HIVE, Vote.YES, UNKNOWN_TRACE, keeps=False)
        say(store, "of-another-home", Vote.YES, HIVE_TRACE, keeps=False)
    return url


def test_votes_become_cases(place: str) -> None:
    with Store.open(place) as store:
        said = opinions_of(store)
    assert [(case.text, case.expected, case.near) for case in said.confirmed] == [
        (HDFS_TRACE, (HDFS,), (KAFKA,)),
        (DISK_TRACE, (HDFS,), ()),
    ]
    assert [(case.expected, case.near) for case in said.denied] == [((), (KAFKA,))]
    assert [one.incident_id for one in said.printed] == [HIVE, HIVE, "of-another-home"]


def test_only_the_last_vote_of_each_person_becomes_a_case(place: str) -> None:
    with Store.open(place) as store:
        say(store, KAFKA, Vote.YES, KAFKA_TRACE)  # READER had denied it
        say(store, HDFS, Vote.NO, DISK_TRACE)
        for _ in range(3):
            say(store, HIVE, Vote.YES, HIVE_TRACE, keeps=False)
        for _ in range(2):  # without a key: one vote of an address
            say(store, "asked-by-many", Vote.YES, HIVE_TRACE, keeps=False, actor=NOBODY)
        said = opinions_of(store)
    assert [(case.text, case.expected, case.near) for case in said.confirmed] == [
        (HDFS_TRACE, (HDFS,), (KAFKA,)),
        (KAFKA_TRACE, (KAFKA,), ()),
    ]
    assert [(case.text, case.near) for case in said.denied] == [(DISK_TRACE, (HDFS,))]
    counted = [one.incident_id for one in said.printed]
    assert (counted.count(HIVE), counted.count("asked-by-many")) == (2, 1)


def test_votes_on_a_merged_incident_count_for_its_target(place: str) -> None:
    with Store.open(place) as store:
        for name in (HDFS, "whole"):
            store.incidents.create(
                Incident(name, name, "en", Source(name, name)), actor=READER, status=Status.PUBLISHED
            )
        store.redirects.merge(HDFS, "whole", expected={HDFS: 1, "whole": 1}, actor=READER)
        assert {case.expected for case in opinions_of(store).confirmed} == {("whole",)}


def test_eval_counts_what_people_confirmed(home: Path, place: str) -> None:
    result = kb("eval", "--from-feedback", "--json", home=home, env={"KB_DATABASE_URL": place})
    assert result.returncode == 0, result.stderr.decode()
    told = json.loads(result.stdout)
    assert (told["cases"], told["absent"], told["hit@1"]) == (2, 0, 0.5)
    assert told["groups"].keys() == {"confirmed"}
    assert told["feedback"]["denied"] == {"texts": 1, "first": 1}
    assert told["feedback"]["fingerprints"] == {"exact": 1, "root_cause": 0, "loose": 0, "none": 1, "gone": 1}
    shown = kb("eval", "--from-feedback", home=home, env={"KB_DATABASE_URL": place}).stdout.decode()
    assert "it still comes first in 1." in " ".join(shown.split())


def test_eval_without_anything_said(home: Path, tmp_path: Path) -> None:
    empty = {"KB_DATABASE_URL": f"sqlite:///{tmp_path / 'empty.db'}"}
    assert "nobody has said" in failed(kb("eval", "--from-feedback", home=home, env=empty))
    assert "no cases are named" in failed(kb("eval", home=home, env=empty))
    assert "takes no file" in failed(kb("eval", "x.jsonl", "--from-feedback", home=home, env=empty))


def test_training_without_anything_said(home: Path, tmp_path: Path) -> None:
    empty = {"KB_DATABASE_URL": f"sqlite:///{tmp_path / 'empty.db'}"}
    options = ("rank", "train", str(tmp_path), "--corpus", str(tmp_path), "--feedback")
    assert "KB_FEEDBACK_TEXT=true" in failed(kb(*options, home=home, env=empty))
