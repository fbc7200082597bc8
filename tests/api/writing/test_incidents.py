"""Incidents over HTTP: written, read, replaced, retired; nobody's words are lost, nobody sees what is not theirs to see."""

import threading
import time

import pytest

from api.writing.answers import SavedOut, StaleOut
from kb.store import Role
from tests.api.fixtures import assert_problem
from tests.api.knowledge import HDFS_TRACE, RECORDS
from tests.api.writing.conftest import Desk

MARKDOWN = {"content-type": "text/markdown; charset=utf-8"}
SECRET = "hunter2-Zx81-quaint"
WRITEUP = """---
id: {id}
title: Ledger cannot be closed
lang: en
component: ledger
versions: ["4.10"]
tags: [ledger]
url: https://example.org/ledger
---
## Symptom

The month cannot be closed.

## Trace

```
com.acme.ledger.LedgerClosedException: month is closed
\tat com.acme.ledger.Month.close(Month.java:31)
\tat com.acme.ledger.Books.closeAll(Books.java:77)
```

## Root cause

Two jobs close it at once.

## Fix

Run one.

## References

- https://example.org/ledger/jobs
"""


def trace(name: str) -> str:
    """A trace that nobody else has."""
    return f"com.acme.{name}.{name.title()}Exception: it broke\n\tat com.acme.{name}.Core.run(Core.java:7)\n\tat com.acme.{name}.Main.main(Main.java:3)"


def test_what_is_saved_is_found_when_the_answer_comes(desk: Desk) -> None:
    response = desk.add("saved-found", traces=[trace("quokka")])
    saved = SavedOut.model_validate_json(response.content)
    assert (saved.revision, saved.status, response.headers["etag"]) == (1, "published", '"1"')
    assert response.headers["location"] == "/v1/incidents/saved-found"
    assert desk.found(trace("quokka"))[0] == "saved-found"
    assert desk.ask("DELETE", "/saved-found", etag='"1"').json()["status"] == "retired"
    assert "saved-found" not in desk.found(trace("quokka"))


def test_a_writeup_comes_back_as_it_was_written(desk: Desk) -> None:
    sent = WRITEUP.format(id="ledger")
    assert desk.ask("POST", "", headers=MARKDOWN, content=sent.encode()).status_code == 201
    response = desk.ask("GET", "/ledger", headers={"accept": "text/markdown"})
    assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    again = desk.ask("PUT", "/ledger", etag=response.headers["etag"], headers=MARKDOWN, content=response.content)
    assert again.status_code == 200
    shown = desk.ask("GET", "/ledger").json()
    assert shown["versions"] == ["4.10"]
    assert shown["references"] == ["https://example.org/ledger/jobs"]
    assert {name: shown[name] for name in ("symptom", "root_cause", "fix", "component", "url")} == {
        "symptom": "The month cannot be closed.",
        "root_cause": "Two jobs close it at once.",
        "fix": "Run one.",
        "component": "ledger",
        "url": "https://example.org/ledger",
    }
    assert desk.ask("GET", "/ledger/diff?from=1&to=2").json()["fields"] == []


def test_fields_come_back_as_they_were_sent(desk: Desk) -> None:
    sent = {**RECORDS[0], "id": "fields-back", "team": {"name": "数据", "pager": [1, 2.5, None, True]}}
    sent["traces"] = [HDFS_TRACE.strip("\n")]
    response = desk.ask("POST", "", json=sent)
    assert response.json()["notes"] == ["`team` is no field known here; it is kept as it is"]
    shown = desk.ask("GET", "/fields-back").json()
    assert {name: shown[name] for name in sent} == sent
    written = desk.ask("GET", "/fields-back", headers={"accept": "text/markdown"})
    desk.ask("PUT", "/fields-back", etag='"1"', headers=MARKDOWN, content=written.content)
    assert desk.ask("GET", "/fields-back").json() == {**shown, "revision": 2}  # also what Markdown cannot say


def test_an_id_is_made_of_the_title_and_the_same_again_is_a_conflict(desk: Desk) -> None:
    record = {"title": "No id at all", "traces": [trace("numbat")]}
    first = desk.ask("POST", "", json=record)
    assert first.json()["id"].startswith("no-id-at-all-")
    assert_problem(desk.ask("POST", "", json=record), 409, "exists")
    assert_problem(desk.ask("POST", "", json={"title": "x", "id": "python-ascii-decode"}), 409, "exists")


@pytest.mark.parametrize(
    "incident_id", ["a/b", "team/x/history", "similar", "draft", "100% 火 #?", "x;y,z", "history/1"]
)
def test_every_id_has_an_address(desk: Desk, incident_id: str) -> None:
    response = desk.add(incident_id)
    where = response.headers["location"].removeprefix("/v1/incidents")
    assert desk.ask("GET", where).json()["id"] == incident_id
    saved = desk.ask("PUT", where, etag='"1"', json={"title": "second"})
    assert saved.json()["id"] == incident_id
    history = desk.ask("GET", f"{where}/history").json()["revisions"]
    assert [one["revision"] for one in history] == [2, 1]


def test_an_unquoted_slash_belongs_to_the_id_unless_a_route_follows(desk: Desk) -> None:
    desk.add("deep/down/here")
    assert desk.ask("GET", "/deep/down/here").json()["id"] == "deep/down/here"
    assert desk.ask("GET", "/deep/down/here/history").json()["revisions"][0]["revision"] == 1


def test_two_writers_and_no_lost_word(desk: Desk) -> None:
    desk.add("locked", symptom="first")
    assert desk.ask("PUT", "/locked", etag='"1"', json={"title": "A", "symptom": "hers"}).status_code == 200
    late = desk.ask("PUT", "/locked", etag='"1"', json={"title": "B", "symptom": f"his password={SECRET}"})
    document = assert_problem(late, 412, "stale")
    stale = StaleOut.model_validate(document)
    assert stale.current.revision == 2
    assert stale.current.incident.symptom == "hers"
    assert stale.yours is not None
    assert stale.yours["symptom"] == "his password=<secret>"
    assert late.headers["etag"] == '"2"'
    assert desk.ask("PUT", "/locked", etag='"2"', json=stale.yours).status_code == 200
    assert desk.ask("GET", "/locked").json()["title"] == "B"


def test_many_writers_at_once_and_each_revision_has_one(desk: Desk) -> None:
    desk.add("raced")
    saved: list[str] = []

    def write(name: str) -> None:
        for _ in range(6):
            etag = desk.ask("GET", "/raced").headers["etag"]
            response = desk.ask("PUT", "/raced", etag=etag, json={"title": "raced", "symptom": f"{name} on {etag}"})
            if response.status_code == 200:
                saved.append(response.json()["incident"]["symptom"])
            else:
                assert response.status_code == 412

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    history = desk.ask("GET", "/raced/history?limit=200").json()["revisions"]
    texts = [desk.ask("GET", f"/raced/history/{one['revision']}").json()["incident"].get("symptom") for one in history]
    assert sorted(filter(None, texts)) == sorted(saved)
    assert len(saved) == len(set(saved)) == len(history) - 1


@pytest.mark.parametrize(
    ("method", "room", "body"),
    [("PUT", "", {"title": "x"}), ("DELETE", "", None), ("POST", "/restore", {"revision": 1}), ("POST", "/status", {"status": "draft"})],
)  # fmt: skip
def test_what_replaces_words_says_which_ones(desk: Desk, method: str, room: str, body: object) -> None:
    where = f"/flink-checkpoint-disk-full{room}"
    assert_problem(desk.ask(method, where, json=body), 428, "no-if-match")
    blind = assert_problem(desk.ask(method, where, etag="*", json=body), 428, "no-if-match")
    assert str(blind["detail"]).startswith("`*` names no revision")
    for tag in ('"77"', 'W/"1"', '"abc"', '"1", "2"'):
        document = assert_problem(desk.ask(method, where, json=body, etag=tag), 412, "stale")
        assert StaleOut.model_validate(document).current.revision == 1
    for tag in ("1", "{}", '"1', "*, *"):
        assert_problem(desk.ask(method, where, json=body, etag=tag), 422, "invalid-request")
    assert desk.ask("GET", "/flink-checkpoint-disk-full/history").json()["revisions"][0]["author"]["id"] == "ingest"


def test_an_incident_of_the_snapshot_is_taken_over_when_it_is_edited(own: Desk) -> None:
    before = own.ask("GET", "/kafka-commit-rebalanced")
    record = {**before.json(), "fix": "把 max.poll.records 减半。"}
    response = own.ask("PUT", "/kafka-commit-rebalanced", etag=before.headers["etag"], json=record)
    assert (response.status_code, response.json()["revision"]) == (200, 2)
    authors = [one["author"]["name"] for one in own.ask("GET", "/kafka-commit-rebalanced/history").json()["revisions"]]
    assert authors == ["curator", "ingest"]
    (field,) = own.ask("GET", "/kafka-commit-rebalanced/diff?from=1&to=2").json()["fields"]
    assert field["field"] == "/fix"
    assert (
        own.client.post("/v1/search", json={"text": record["traces"][0]}).json()["matches"][0]["incident"]["fix"]
        == record["fix"]
    )


def test_secrets_are_taken_out_and_told_by_kind_and_place(desk: Desk) -> None:
    record = {
        "id": "leak",
        "title": "leak",
        "fix": f"set password={SECRET}",
        "traces": ["a", f"token: {SECRET}"],
        "vault": {"password": SECRET},
    }
    response = desk.ask("POST", "", json={**record, "note": f"password={SECRET}"})
    assert SECRET not in response.text
    fields = {one["field"] for one in response.json()["redactions"]}
    assert fields == {"/fix", "/traces/1", "/vault/password", "/note"}
    assert all(set(one) == {"kind", "field", "count"} for one in response.json()["redactions"])
    markdown = WRITEUP.format(id="leak-2").replace("Run one.", f"password={SECRET}")
    response = desk.ask("POST", "", headers=MARKDOWN, content=markdown.encode())
    assert [one["field"] for one in response.json()["redactions"]] == ["/fix"]
    for path in ("/leak", "/leak/history", "/leak-2", "?text=leak"):
        assert SECRET not in desk.ask("GET", path).text


def test_drafts_are_for_curators(desk: Desk) -> None:
    desk.add("hidden", status="draft", traces=[trace("bilby")])
    assert "hidden" not in desk.found(trace("bilby"))
    for who in (Role.READER, None):
        for room in ("", "/history", "/history/1", "/diff?from=1&to=1", "/merges", "/feedback"):
            assert_problem(desk.ask("GET", f"/hidden{room}", by=who), 404, "no-such-incident")
        assert "hidden" not in desk.ask("GET", "?text=hidden", by=who).text
    assert desk.ask("GET", "/hidden").json()["status"] == "draft"
    moved = desk.ask("POST", "/hidden/status", json={"status": "published"}, etag='"1"')
    assert moved.json()["status"] == "published"
    assert desk.found(trace("bilby"))[0] == "hidden"
    assert desk.ask("GET", "/hidden", by=None).json()["status"] == "published"


def test_a_draft_over_a_published_one_leaves_that_to_readers(desk: Desk) -> None:
    desk.add("covered", symptom="as it is known", component="wombat")
    desk.ask("PUT", "/covered", etag='"1"', json={"title": "Secret plans", "status": "draft", "component": "wombat"})
    assert desk.ask("GET", "/covered").json()["title"] == "Secret plans"
    shown = desk.ask("GET", "/covered", by=Role.READER)
    assert (shown.json()["title"], shown.headers["etag"]) == ("About covered", '"1"')
    (row,) = desk.ask("GET", "?component=wombat", by=Role.READER).json()["incidents"]
    assert (row["title"], row["status"], row["revision"]) == ("About covered", "published", 1)
    assert desk.ask("GET", "?text=secret plans&place=store", by=Role.READER).json()["incidents"] == []
    assert [one["revision"] for one in desk.ask("GET", "/covered/history", by=None).json()["revisions"]] == [1]
    left = desk.ask("PUT", "/covered", etag='"2"', json={"title": "More plans"})
    assert left.json()["status"] == "draft"  # not said: as it stands


def test_readers_find_in_lists_what_they_see_whatever_lies_over_it(desk: Desk) -> None:
    desk.add("echidna", component="spiny", tags=["anteater"])
    desk.ask("PUT", "/echidna", etag='"1"', json={"title": "else", "status": "draft", "component": "other"})
    for query in ("component=spiny", "text=anteater", "text=ABOUT ech", "status=published&component=spiny"):
        (row,) = desk.ask("GET", f"?place=store&{query}", by=Role.READER).json()["incidents"]
        assert (row["id"], row["component"]) == ("echidna", "spiny")
        assert desk.ask("GET", f"?place=store&{query}").json()["incidents"] == []


def test_a_quotation_has_a_place_while_its_text_stands(desk: Desk) -> None:
    place = [{"start": 3, "end": 9, "line": 1}]
    quotes = {"quotes": {"root_cause": place, "fix": place}}
    desk.add("quoted", root_cause="why", fix="how", **quotes)
    body = {"title": "quoted", "root_cause": "why", "fix": "otherwise", **quotes}
    shown = desk.ask("PUT", "/quoted", etag='"1"', json=body).json()["incident"]
    assert list(shown["quotes"]) == ["root_cause"]
    text = desk.ask("GET", "/quoted", headers={"accept": "text/markdown"}).content
    kept = desk.ask("PUT", "/quoted", etag='"2"', headers=MARKDOWN, content=text).json()["incident"]
    assert kept["quotes"] == shown["quotes"]


def test_what_a_quotation_announces_goes_when_its_text_is_changed(desk: Desk) -> None:
    announced = {"root_cause": "- this\n- that", "fix": "```\npassword=hunter2\n```"}
    saved = desk.add("announced", root_cause="one of:", fix="set:", announced=announced).json()
    announced["fix"] = "```\npassword=<secret>\n```"
    assert saved["incident"]["announced"] == announced
    assert [one["field"] for one in saved["redactions"]] == ["/announced/fix"]
    text = desk.ask("GET", "/announced", headers={"accept": "text/markdown"}).text
    kept = desk.ask(
        "PUT", "/announced", etag='"1"', headers=MARKDOWN, content=text.replace("title: ", "title: A ").encode()
    )
    assert kept.json()["incident"]["announced"] == announced
    changed = desk.ask(
        "PUT", "/announced", etag='"2"', headers=MARKDOWN, content=text.replace("set:", "set nothing").encode()
    )
    assert changed.json()["incident"]["announced"] == {"root_cause": "- this\n- that"}
    fields = desk.ask("GET", "/announced/diff?from=2&to=3").json()["fields"]
    assert ("/announced/fix", "removed") in {(one["field"], one["change"]) for one in fields}


def test_where_reviews_are_required_a_curator_publishes_nothing(strict: Desk) -> None:
    saved = strict.add("waiting", traces=[trace("dingo")])
    assert saved.json()["status"] == "in_review"
    assert saved.json()["notes"] == ["a reviewer publishes it"]
    assert "waiting" not in strict.found(trace("dingo"))
    assert_problem(strict.ask("POST", "/waiting/status", json={"status": "published"}, etag='"1"'), 403, "role-needed")
    moved = strict.ask("POST", "/waiting/status", by=Role.REVIEWER, json={"status": "published"}, etag='"1"')
    assert moved.status_code == 200
    assert strict.found(trace("dingo"))[0] == "waiting"
    assert strict.ask("PUT", "/waiting", json={"title": "x"}, etag='"2"').json()["status"] == "in_review"
    assert strict.ask("GET", "/waiting", by=None).json()["title"] == "About waiting"
    assert_problem(strict.ask("DELETE", "/waiting", etag='"3"'), 403, "role-needed")
    other = strict.ask("POST", "/python-ascii-decode/traces", json={"trace": trace("emu")})
    assert other.json()["status"] == "in_review"
    assert strict.found(trace("emu"))[:1] != ["python-ascii-decode"]
    merge = {"into": "hive-metastore-schema", "into_revision": 1}
    assert_problem(strict.ask("POST", "/hostile/merge", json=merge, etag='"1"'), 403, "role-needed")


def test_reading_is_open_and_writing_takes_a_key(desk: Desk) -> None:
    for method, path, body in (
        ("POST", "", {"title": "x"}),
        ("PUT", "/hostile", {"title": "x"}),
        ("DELETE", "/hostile", None),
        ("POST", "/hostile/traces", {"trace": "x"}),
        ("POST", "/hostile/comments", {"text": "x", "revision": 1}),
    ):
        response = desk.ask(method, path, by=None, json=body, etag='"1"')
        assert_problem(response, 401, "no-key")
        assert response.headers["www-authenticate"].startswith("Bearer ")
        assert_problem(desk.ask(method, path, by=Role.READER, json=body, etag='"1"'), 403, "role-needed")
    assert_problem(desk.client.get("/v1/incidents", headers={"Authorization": "Bearer nonsense"}), 401, "unknown-key")


def test_another_worker_finds_it_within_a_second(own: Desk) -> None:
    """What another process saves is seen by its number alone."""
    from kb.incident import Incident, Source, Status
    from tests.api.writing.conftest import ROOT

    told = Incident("elsewhere", "Saved elsewhere", "en", Source("e", "e"), traces=(trace("potoroo"),))
    assert "elsewhere" not in own.found(trace("potoroo"))
    own.store.incidents.create(told, actor=ROOT, status=Status.PUBLISHED)
    saved = asked = time.monotonic()
    longest = 0.0
    while "elsewhere" not in own.found(trace("potoroo")):
        answered = time.monotonic()
        longest, asked = max(longest, answered - asked), answered
        assert answered - saved < 60, "no worker follows the store"
        time.sleep(0.02)
    assert asked - saved < 1 + 10 * longest, "more than a second, beside ten of the searches that looked for it"


def test_a_draft_that_is_given_up_is_still_nothing_for_readers(desk: Desk) -> None:
    desk.add("given-up", status="draft", title="Quokka", fix="numbat secret")
    assert desk.ask("DELETE", "/given-up", etag='"1"').status_code == 200
    assert desk.ask("GET", "/given-up").json()["status"] == "retired"  # curators see it
    for path in ("/given-up", "/given-up/history", "/given-up/history/2", "/given-up/diff?from=2&to=2"):
        assert_problem(desk.ask("GET", path, by=None), 404, "no-such-incident")
    assert desk.ask("GET", "?text=quokka", by=None).json()["incidents"] == []
    assert desk.client.get("/incidents/given-up/history").status_code == 404


def test_a_draft_that_lay_over_what_is_retired_is_still_nothing_for_readers(desk: Desk) -> None:
    desk.add("left", title="Bilby", fix="said to all")
    told = {"title": "Numbat", "fix": "numbat secret", "status": "draft"}
    assert desk.ask("PUT", "/left", etag='"1"', json=told).status_code == 200
    assert desk.ask("DELETE", "/left", etag='"2"').status_code == 200
    seen = desk.ask("GET", "/left", by=None)
    assert (seen.json()["status"], seen.json()["revision"], seen.headers["etag"]) == ("retired", 3, '"3"')
    assert seen.json()["fix"] == "said to all"
    assert desk.ask("GET", "/left/history/3", by=None).json()["incident"]["fix"] == "said to all"
    assert "numbat" not in desk.ask("GET", "/left/diff?from=1&to=3", by=None).text.casefold()
    listed = [desk.ask("GET", f"?text={text}", by=None).json()["incidents"] for text in ("bilby", "numbat")]
    assert [[one["title"] for one in some] for some in listed] == [["Bilby"], []]
    assert desk.ask("GET", "/left").json()["fix"] == "numbat secret"


def test_many_drafts_tell_readers_no_more_than_one(desk: Desk) -> None:
    desk.add("drafted", status="draft")
    for at in (1, 2):
        again = {"title": f"Drafted {at}", "status": "draft"}
        assert desk.ask("PUT", "/drafted", etag=f'"{at}"', json=again).status_code == 200
    assert_problem(desk.ask("GET", "/drafted/history?limit=1", by=None), 404, "no-such-incident")
