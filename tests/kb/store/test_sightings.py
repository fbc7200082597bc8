"""What votes come to: whose count, how many are kept, what curators take out; on both databases."""

from pathlib import Path

import pytest

from kb.incident import Status
from kb.store import Missing, Store
from kb.store.dump import dump, load
from kb.store.model import NOBODY, Actor, Feedback, Vote
from kb.store.sightings import MOST, MOST_PENDING, MOST_VOICES
from kb.store.voices import VOICES, Sighting, Voter, Weight, agreed

from .told import ANN, BEN, incident

PRINTS = {"exact": ("ab" * 16,), "root_cause": ("cd" * 16,), "loose": ("ef" * 16,), "message": ("0" * 15 + "1",)}
CURATOR, KEY = Voter(Weight.CURATOR), Voter(Weight.KEY)


def say(
    store: Store,
    vote: Vote,
    voter: Voter,
    actor: Actor = NOBODY,
    exact: str = "ab" * 16,
    of: str = "a",
) -> None:
    store.feedback.add(Feedback(of, vote, PRINTS | {"exact": (exact,)}, 0.5, "s"), actor=actor, voter=voter)


def nobody(number: int) -> Voter:
    return Voter(Weight.VOICE, f"192.0.2.{number}")


def counted(store: Store, of: str = "a") -> list[Vote]:
    return [
        one.vote for learned in store.sightings.learned(0) if learned.incident_id == of for one in learned.sightings
    ]  # type: ignore[misc]


def only(store: Store, of: str = "a") -> Sighting:
    (found,) = store.sightings.of(of)
    return found


def test_one_vote_with_a_key_counts_and_says_nothing_of_the_text(store: Store) -> None:
    say(store, Vote.YES, KEY, ANN)
    (learned,) = store.sightings.learned(0)
    (one,) = learned.sightings
    assert (learned.incident_id, learned.stands_for, learned.sequence) == ("a", "a", store.head().sequence)
    assert (one.vote, one.yes, one.no) == (Vote.YES, 1, 0)
    assert dict(one.prints) == {level: PRINTS[level] for level in ("exact", "root_cause", "message")}
    ((_, kept),) = store.feedback.listing()
    assert "message" not in kept.prints


def test_without_a_key_several_have_to_agree(store: Store) -> None:
    for number in range(1, VOICES):
        say(store, Vote.YES, nobody(number))
        assert counted(store) == []
    say(store, Vote.YES, nobody(VOICES))
    assert counted(store) == [Vote.YES]
    say(store, Vote.NO, nobody(VOICES + 1))
    assert counted(store) == []


def test_a_wave_of_votes_by_one_address_is_one_voice(store: Store) -> None:
    for _ in range(20):
        say(store, Vote.YES, nobody(1))
    assert (only(store).yes, counted(store)) == (1, [])


def test_somebody_of_a_chat_has_a_name_and_no_key(store: Store) -> None:
    for name in ("u1", "u1", "u2"):
        say(store, Vote.YES, Voter(), Actor(f"slack:{name}", name))
    assert (only(store).yes, counted(store)) == (2, [])
    say(store, Vote.YES, Voter(), Actor("slack:u3", "u3"))
    assert counted(store) == [Vote.YES]


def test_a_second_vote_replaces_the_first(store: Store) -> None:
    say(store, Vote.YES, KEY, ANN)
    say(store, Vote.NO, KEY, ANN)
    assert (only(store).yes, only(store).no, counted(store)) == (0, 1, [Vote.NO])


@pytest.mark.parametrize(
    ("voices", "expected"),
    [
        ([], None),
        ([(0, 1)] * 2, None),
        ([(0, 1)] * 3, Vote.YES),
        ([(0, 0)] * 3, Vote.NO),
        ([(0, 1)] * 9 + [(0, 0)] * 7, None),
        ([(0, 1)] * 9 + [(2, 0)], Vote.NO),
        ([(1, 1)] * 9 + [(2, 0)], Vote.NO),
        ([(1, 1), (0, 0), (0, 0), (0, 0)], Vote.YES),
        ([(2, 1), (2, 0), (1, 1)], Vote.YES),
        ([(1, 1), (1, 0)], None),
    ],
)
def test_curators_decide_before_keys_and_keys_before_all_others(
    voices: list[tuple[int, int]], expected: Vote | None
) -> None:
    assert agreed(voices) is expected


def test_addresses_are_not_kept(store: Store) -> None:
    say(store, Vote.YES, nobody(7))
    with store._database.reading() as connection:
        ((voter,),) = connection.exec_driver_sql("SELECT voter FROM sightings").all()
    assert len(voter) == len("nobody:") + 6
    assert "192.0.2" not in voter


def test_a_removed_one_stays_removed_until_it_is_put_back(store: Store) -> None:
    say(store, Vote.YES, KEY, ANN)
    name, before = only(store).name, store.head().sequence
    removed = store.sightings.remove("a", name, actor=BEN)
    assert (removed.vote, removed.removed_by and removed.removed_by.name) == (None, BEN.name)
    say(store, Vote.YES, CURATOR, ANN)
    (learned,) = store.sightings.learned(before)
    assert learned.sightings == ()
    store.sightings.put_back("a", name, actor=BEN)
    assert (only(store).vote, counted(store)) == (Vote.YES, [Vote.YES])
    done = [(one.action, one.details) for one in store.audit.listing() if one.action.startswith("incident.sighting")]
    assert done == [(f"incident.sighting.{what}", {"sighting": name}) for what in ("remove", "put_back")]
    with pytest.raises(Missing):
        store.sightings.remove("a", "0" * 16, actor=BEN)
    with pytest.raises(Missing):
        store.sightings.remove("b", name, actor=BEN)


def test_a_voter_cannot_add_to_the_sighting_of_another(store: Store) -> None:
    """The same trace with other words is another paste."""
    say(store, Vote.YES, KEY, ANN)
    other = PRINTS | {"message": ("f" * 16,)}
    store.feedback.add(Feedback("a", Vote.YES, other, 0.5, "s"), actor=NOBODY, voter=nobody(1))
    (learned,) = store.sightings.learned(0)
    assert [one.prints["message"] for one in learned.sightings] == [PRINTS["message"]]


@pytest.mark.slow
def test_votes_are_bounded_and_callers_without_a_key_evict_only_their_own(store: Store) -> None:
    say(store, Vote.YES, KEY, ANN, exact="ff" * 16)
    say(store, Vote.YES, nobody(2), exact="ee" * 16)
    with store.transaction():
        for number in range(MOST + 5):
            say(store, Vote.YES, nobody(1), exact=f"{number:032x}")
    assert len(store.sightings.of("a")) == MOST_PENDING + 2
    with store.transaction():
        for number in range(MOST + 5):
            say(store, Vote.YES, KEY, ANN, exact=f"{number:032x}")
    kept = store.sightings.of("a")
    assert len(kept) == MOST
    assert all(one.vote is Vote.YES for one in kept)
    with store.transaction():
        for number in range(MOST_VOICES + 10):
            say(store, Vote.YES, Voter(), Actor(f"slack:{number}", "x"), of="b")
    assert only(store, "b").yes == MOST_VOICES


def test_a_query_without_anything_to_find_it_by_teaches_nothing(store: Store) -> None:
    store.feedback.add(Feedback("a", Vote.YES, {}, 0.5, "s"), actor=ANN, voter=CURATOR)
    store.feedback.add(Feedback("a", Vote.YES, {"loose": ("ab" * 16,)}, 0.5, "s"), actor=ANN, voter=CURATOR)
    assert store.sightings.learned(0) == []


def test_sightings_of_a_merged_incident_count_for_the_target_until_a_split(store: Store) -> None:
    for name in "abc":
        store.incidents.create(incident(name, name, name), actor=BEN, status=Status.PUBLISHED)
    say(store, Vote.YES, KEY, ANN)
    for source, target, revisions in (("a", "b", {"a": 1, "b": 1}), ("b", "c", {"b": 2, "c": 1})):
        before = store.head().sequence
        store.redirects.merge(source, target, expected=revisions, actor=BEN)
        assert [(one.incident_id, one.stands_for) for one in store.sightings.learned(before)] == [("a", target)]
    assert store.sightings.of("c") == store.sightings.of("a") != []
    store.sightings.remove("c", only(store).name, actor=BEN)
    assert counted(store) == []
    store.sightings.put_back("c", only(store).name, actor=BEN)
    before = store.head().sequence
    store.redirects.split("b", actor=BEN)
    store.redirects.split("a", actor=BEN)
    assert [(one.incident_id, one.stands_for) for one in store.sightings.learned(before)] == [("a", "a")]


def test_paging_through_sightings_misses_none(store: Store) -> None:
    for name in ("a", "b", "c", "a"):
        say(store, Vote.YES, KEY, ANN, of=name)
    first = store.sightings.learned(0, 2)
    rest = store.sightings.learned(first[-1].sequence, 2)
    assert [one.incident_id for one in [*first, *rest]] == ["b", "c", "a"]


def test_a_backup_brings_them_back(store: Store, tmp_path: Path) -> None:
    say(store, Vote.YES, KEY, ANN)
    say(store, Vote.YES, nobody(1))
    url = store._database.url
    place = url.render_as_string(hide_password=False) if url.get_backend_name() != "sqlite" else Path(str(url.database))
    dumped = dump(place, tmp_path)
    assert dumped is not None
    load(tmp_path / "again.db", tmp_path, dumped, actor=BEN)
    with Store.open(tmp_path / "again.db") as again:
        assert again.sightings.of("a") == store.sightings.of("a")
        say(again, Vote.NO, nobody(1))
        assert (only(again).yes, only(again).no) == (1, 1), "the same address is the same voice"
