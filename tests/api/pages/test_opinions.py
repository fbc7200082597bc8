"""Feedback on matches: kept with fingerprints, thanked for, counted for curators."""

import json

import pytest

from index.ranking.sightings import fingerprint_digests
from index.reading import read
from kb.store import Role
from kb.store.model import Vote
from tests.api.knowledge import HDFS_TRACE, KAFKA_TRACE, UNKNOWN_TRACE
from tests.api.pages.tabs import BROWSER, Tab, words

BEST = "flink-checkpoint-hdfs-replicas"


@pytest.mark.parametrize(("word", "vote"), [("yes", Vote.YES), ("no", Vote.NO)])
def test_a_vote_is_kept_with_fingerprints_and_thanked_for(tab: Tab, word: str, vote: Vote) -> None:
    answer = tab.send(tab.get("/"), "#ask", text=HDFS_TRACE)
    thanks = tab.send(answer, "#opinion", f".best .opinion button[value^={word}]")
    assert words(thanks, ".best .opinion [role=status]").startswith("Thank you")
    assert words(thanks, "main h1") == "Known incident"
    _, said = tab.store.feedback.listing(of=BEST)[-1]
    assert said.vote is vote
    assert set(said.prints) == {"exact", "root_cause", "loose"}
    assert said.probability > 0.9
    assert said.text is None
    assert not thanks.css(".votes")


def test_each_problem_of_a_log_is_voted_on_with_its_own_fingerprints(tab: Tab) -> None:
    log = f"{HDFS_TRACE}\n\nLater:\n\n{KAFKA_TRACE}"
    tab.login(Role.CURATOR)  # who sees the counts of every candidate
    answer = tab.send(tab.get("/"), "#ask", text=log)
    ids = [one.attributes["id"] for one in answer.css("[id]")]
    assert sorted(ids) == sorted(set(ids)), "each candidate has a place of its own"
    for part, trace in (("#problem-2", KAFKA_TRACE), (".best", HDFS_TRACE)):
        thanks = tab.send(answer, "#opinion", f"{part} .opinion button[value^=yes]")
        assert thanks.css(".opinion [role=status]"), "in the first place, perhaps: the vote counts"
        _, said = tab.store.feedback.listing()[-1]
        own = fingerprint_digests(read(trace.strip()))
        assert all(said.prints[level] == own[level] for level in ("exact", "root_cause", "loose"))


def test_an_unknown_problem_of_a_log_is_written_up_by_itself(tab: Tab) -> None:
    answer = tab.send(tab.get("/"), "#ask", text=f"{HDFS_TRACE}\n\nLater:\n\n{UNKNOWN_TRACE}")
    tab.login(Role.CURATOR)
    begun = tab.send(answer, "#ask", "#problem-2 button[name=do]")
    assert "NullPointerException" in words(begun, "#part-traces")
    assert "checkpoint" not in words(begun, "#writeup-text")


def test_curators_see_the_counts(tab: Tab) -> None:
    answer = tab.send(tab.get("/"), "#ask", text=HDFS_TRACE)
    tab.send(answer, "#opinion", ".best .opinion button[value^=yes]")
    counted = tab.store.feedback.votes([BEST])[BEST]
    tab.login(Role.CURATOR)
    expected = f"Readers: {counted.yes} said this was it, {counted.no} said it was not"
    assert words(tab.send(tab.get("/"), "#ask", text=HDFS_TRACE), ".best .votes") == expected
    assert words(tab.get(f"/incidents/{BEST}"), ".votes") == expected


def test_a_session_votes_by_name_and_the_text_is_kept_where_it_may_be(strict: Tab) -> None:
    strict.login(Role.READER, "Zoe")
    answer = strict.send(strict.get("/"), "#ask", text=HDFS_TRACE + "\npassword=Xk29sdk3sjd8\n")
    strict.send(answer, "#opinion", ".best .opinion button[value^=yes]")
    _, said = strict.store.feedback.listing(of=BEST)[-1]
    assert said.by is not None
    assert said.by.name == "Zoe"
    assert said.text is not None
    assert "completeFile" in said.text
    assert "Xk29sdk3sjd8" not in said.text


def test_what_was_too_long_for_the_box_is_thanked_for_on_a_page_of_its_own(tab: Tab) -> None:
    answer = tab.send(tab.get("/"), "#ask", text="INFO nothing\n" * 9_000 + HDFS_TRACE)
    thanks = tab.send(answer, "#opinion", ".best .opinion button[value^=yes]")
    assert words(thanks, "main h1") == "Thank you"
    assert set(tab.store.feedback.listing(of=BEST)[-1][1].prints) == {"exact", "root_cause", "loose"}


FIT = {"vote": "yes 0.5", "prints": "{}", "snapshot": "s"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"vote": "maybe 0.5"},
        {"vote": "yes nan"},
        {"vote": "yes 2"},
        {"vote": "yes"},
        {"prints": "[" * 30_000},
        {"prints": json.dumps({"exact": ["<script>"]})},
        {"prints": "x" * 60_000},
        {"snapshot": "s" * 300},
        {"prints": "[{}]", "vote": "yes 0.5 2"},
        {"prints": "[{}]", "vote": "yes 0.5 0"},
        {"prints": "[{}]", "vote": "yes 0.5 -1"},
    ],
    ids=str,
)
def test_a_form_that_is_not_ours_is_refused(tab: Tab, wrong: dict[str, str]) -> None:
    assert tab.client.post(f"/incidents/{BEST}/opinion", data=FIT, headers=BROWSER).status_code == 200
    before = len(tab.store.feedback.listing(of=BEST))
    assert tab.client.post(f"/incidents/{BEST}/opinion", data={**FIT, **wrong}, headers=BROWSER).status_code == 422
    elsewhere = {**BROWSER, "sec-fetch-site": "cross-site"}
    assert tab.client.post(f"/incidents/{BEST}/opinion", data=FIT, headers=elsewhere).status_code == 403
    assert len(tab.store.feedback.listing(of=BEST)) == before


def test_curators_see_what_was_confirmed_and_take_it_out(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    answer = tab.send(tab.get("/"), "#ask", text=HDFS_TRACE)
    tab.send(answer, "#opinion", ".best .opinion button[value^=yes]")
    page = tab.get(f"/incidents/{BEST}")
    assert "yes: such a paste finds this incident" in words(page, "#sightings tbody")
    removed = tab.send(page, "#sightings tbody tr form", "#sightings tbody tr button")
    assert "removed by" in words(removed, "#sightings tbody")
    assert tab.store.sightings.learned(0)[-1].sightings == ()
    back = tab.send(removed, "#sightings tbody tr form", "#sightings tbody tr button")
    assert "removed by" not in words(back, "#sightings tbody")


def test_readers_do_not_see_what_others_said(tab: Tab) -> None:
    answer = tab.send(tab.get("/"), "#ask", text=HDFS_TRACE)
    tab.send(answer, "#opinion", ".best .opinion button[value^=yes]")
    assert not tab.get(f"/incidents/{BEST}").css("#sightings")
