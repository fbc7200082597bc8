"""What surrounds an incident over HTTP: the past, merges, reviews, feedback, lists, likely duplicates, drafts."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from api.contract.responses import AnswerOut
from api.writing.answers import (
    CommentOut,
    CommentsOut,
    DiffOut,
    DraftOut,
    HistoryOut,
    ListOut,
    MergedOut,
    MergesOut,
    PeopleOut,
    ReviewersOut,
    RevisionOut,
    VotesOut,
)
from kb.store import Actor, Role
from kb.trace import fingerprints, parse
from tests.api.fixtures import assert_problem
from tests.api.knowledge import DISK_TRACE, HDFS_TRACE, HIVE_TRACE, KAFKA_TRACE, PYTHON_TRACE, RECORDS, UNKNOWN_TRACE
from tests.api.writing.conftest import ROOT, Desk
from tests.api.writing.test_incidents import SECRET, trace


def test_the_past_of_an_incident(desk: Desk) -> None:
    desk.add("past", symptom="one\ntwo\nthree", traces=["a"])
    desk.ask(
        "PUT",
        "/past",
        etag='"1"',
        json={"title": "About past", "symptom": "one\n2\nthree", "traces": ["a", "b"], "note": "why"},
    )
    desk.ask("POST", "/past/restore", etag='"2"', json={"revision": 1})
    history = HistoryOut.model_validate_json(desk.ask("GET", "/past/history?limit=2").content)
    assert [(one.revision, one.note) for one in history.revisions] == [(3, "restored revision 1"), (2, "why")]
    rest = desk.ask("GET", f"/past/history?before={history.next}").json()
    assert ([one["revision"] for one in rest["revisions"]], rest["next"]) == ([1], None)
    diff = DiffOut.model_validate_json(desk.ask("GET", "/past/diff?from=1&to=2").content)
    assert {one.field: [(line.mark, line.text) for line in one.lines] for one in diff.fields} == {
        "/symptom": [("same", "one"), ("removed", "two"), ("added", "2"), ("same", "three")],
        "/traces/1": [("added", "b")],
    }
    back = RevisionOut.model_validate_json(desk.ask("GET", "/past/history/3").content)
    assert back.incident.symptom == "one\ntwo\nthree"
    assert desk.ask("GET", "/past/diff?from=1&to=3").json()["fields"] == []
    for path in ("/past/history/9", "/past/diff?from=1&to=9", "/nobody/history", "/nobody/history/1"):
        assert desk.ask("GET", path).status_code == 404
    assert_problem(desk.ask("POST", "/past/restore", etag='"3"', json={"revision": 9}), 409, "nothing-there")


def test_also_seen_as(desk: Desk) -> None:
    desk.add("seen", traces=[trace("kiwi")])
    response = desk.ask("POST", "/seen/traces", json={"trace": f"password={SECRET}\n{trace('takahe')}"})
    assert response.json()["revision"] == 2
    assert [one["field"] for one in response.json()["redactions"]] == ["/trace"]
    assert desk.found(trace("takahe"))[0] == "seen"
    again = desk.ask("POST", "/seen/traces", json={"trace": trace("kiwi")}).json()
    assert (again["revision"], again["notes"]) == (2, ["it has this trace already"])


def test_merged_and_split(desk: Desk) -> None:
    desk.add("from", traces=[trace("stoat")])
    desk.add("into", traces=[trace("weasel")])
    assert_problem(desk.ask("POST", "/from/merge", etag='"1"', json={"into": "into", "into_revision": 7}), 412, "stale")
    assert_problem(
        desk.ask("POST", "/from/merge", etag='"1"', json={"into": "from", "into_revision": 1}), 409, "refused"
    )
    merged = desk.ask(
        "POST", "/from/merge", etag='"1"', json={"into": "into", "into_revision": 1, "note": "one problem"}
    )
    assert MergedOut.model_validate_json(merged.content).traces == [trace("stoat")]
    for who in (None, Role.CURATOR):
        shown = desk.ask("GET", "/from", by=who)
        assert (shown.status_code, shown.json()["id"], shown.headers["content-location"]) == (
            200,
            "into",
            "/v1/incidents/into",
        )
    assert desk.found(trace("stoat"))[0] == "into"
    assert_problem(desk.ask("PUT", "/from", etag='"1"', json={"title": "x"}), 409, "refused")
    desk.ask("POST", "/from/split", json={})
    assert desk.found(trace("stoat"))[0] == "from"
    assert "content-location" not in desk.ask("GET", "/from").headers
    (told,) = MergesOut.model_validate_json(desk.ask("GET", "/into/merges").content).merges
    assert (told.from_id, told.undone_by.name if told.undone_by else None) == ("from", "curator")
    assert_problem(desk.ask("POST", "/from/split", json={}), 409, "nothing-there")
    assert_problem(
        desk.ask("POST", "/into/merge", etag='"1"', json={"into": "nobody", "into_revision": 1}), 409, "nothing-there"
    )


def test_incidents_of_the_snapshot_can_be_merged(own: Desk) -> None:
    body = {"into": "flink-checkpoint-disk-full", "into_revision": 1}
    assert own.ask("POST", "/flink-checkpoint-hdfs-replicas/merge", etag='"1"', json=body).status_code == 200
    assert own.found(HDFS_TRACE)[0] == "flink-checkpoint-disk-full"
    assert len(own.ask("GET", "/flink-checkpoint-disk-full").json()["traces"]) == 2


def test_reviewers_and_what_they_say(desk: Desk) -> None:
    desk.add("reviewed", status="in_review")
    people = reviewers_of(desk)
    named = {"reviewers": [{"id": people["admin"], "name": "Ann"}, {"id": people["reviewer"]}]}
    assert desk.ask("PUT", "/reviewed/reviewers", json=named).status_code == 200
    asked = ReviewersOut.model_validate_json(desk.ask("GET", "/reviewed/reviewers").content)
    assert {(one.name, one.assigned_by.name) for one in asked.reviewers} == {
        ("admin", "curator"),
        ("reviewer", "curator"),
    }
    first = desk.ask("POST", "/reviewed/comments", json={"revision": 1, "text": f"why?\npassword={SECRET}"})
    assert first.status_code == 201
    number = CommentOut.model_validate_json(first.content).number
    desk.ask("POST", "/reviewed/comments", by=Role.REVIEWER, json={"revision": 1, "text": "so", "answers": number})
    said = CommentsOut.model_validate_json(desk.ask("GET", "/reviewed/comments").content).comments
    assert [(one.by.name, one.answers) for one in said] == [("curator", None), ("reviewer", number)]
    assert SECRET not in said[0].text
    for body in ({"revision": 2, "text": "x"}, {"revision": 1, "text": "x", "answers": 10**6}):
        assert_problem(desk.ask("POST", "/reviewed/comments", json=body), 409, "nothing-there")
    assert_problem(desk.ask("GET", "/reviewed/comments", by=Role.READER), 403, "role-needed")


def reviewers_of(desk: Desk) -> dict[str, str]:
    """Ids by name of those who can be asked."""
    headers = {"Authorization": f"Bearer {desk.keys[Role.CURATOR]}"}
    answer = desk.client.get("/v1/reviewers", headers=headers)
    return {one.name: one.id for one in PeopleOut.model_validate_json(answer.content).reviewers}


def test_only_people_who_exist_are_asked_for_a_review(desk: Desk) -> None:
    """Curators and above, by keys that open incidents; who was asked before may stay."""
    desk.add("asked")
    gone, _ = desk.store.keys.create("Gone", Role.REVIEWER, actor=ROOT)
    desk.store.keys.create("Hooks", Role.ADMIN, actor=ROOT, scopes=["hooks"])
    desk.store.sessions.begin(Actor("openid:rose", "Rose", Role.REVIEWER), datetime.now(UTC) + timedelta(hours=1))
    known = reviewers_of(desk)
    assert {"curator", "reviewer", "admin", "Gone", "Rose"} <= set(known)
    assert not {"reader", "Hooks"} & set(known)
    assert list(known) == sorted(known, key=str.casefold)
    wanted = {"reviewers": [{"id": known["Gone"]}, {"id": known["Rose"]}]}
    assert desk.ask("PUT", "/asked/reviewers", json=wanted).status_code == 200
    desk.store.keys.revoke(gone.id, actor=ROOT)
    assert "Gone" not in reviewers_of(desk)
    wanted["reviewers"].append({"id": known["admin"]})
    kept = desk.ask("PUT", "/asked/reviewers", json=wanted).json()["reviewers"]
    assert {one["name"] for one in kept} == {"Gone", "Rose", "admin"}
    unknown = {"reviewers": [{"id": known["Rose"]}, {"id": "u:nobody", "name": SECRET}]}
    refused = desk.ask("PUT", "/asked/reviewers", json=unknown)
    problem = assert_problem(refused, 422, "unknown-reviewer")
    assert problem["errors"] == [{"pointer": "#/reviewers/1/id", "detail": "nobody here has this id"}]
    assert "GET /v1/reviewers" in str(problem["detail"])
    assert "u:nobody" not in refused.text
    assert SECRET not in refused.text
    assert desk.ask("GET", "/asked/reviewers").json()["reviewers"] == kept
    desk.ask("PUT", "/asked/reviewers", json={"reviewers": []})
    again = {"reviewers": [{"id": known["Gone"]}]}
    assert_problem(desk.ask("PUT", "/asked/reviewers", json=again), 422, "unknown-reviewer")


def test_this_was_it(desk: Desk) -> None:
    said = {"vote": "yes", "text": f"password={SECRET}\n{HIVE_TRACE}", "probability": 0.9, "snapshot_id": "s"}
    response = desk.ask("POST", "/hive-metastore-schema/feedback", by=None, json=said)
    assert response.status_code == 201
    prints = {"exact": ["ab" * 16]}
    desk.ask(
        "POST", "/hive-metastore-schema/feedback", json={**said, "vote": "no", "text": None, "fingerprints": prints}
    )
    counted = VotesOut.model_validate_json(desk.ask("GET", "/hive-metastore-schema/feedback").content)
    assert (counted.yes, counted.no) == (1, 1)
    kept = [one for _, one in desk.store.feedback.listing(of="hive-metastore-schema")]
    assert [one.text for one in kept] == [None, None]
    (chain,) = parse(HIVE_TRACE)
    assert kept[0].prints == {level.value: (one.digest,) for level, one in fingerprints(chain).items()}
    assert kept[1].prints == {"exact": ("ab" * 16,)}
    assert [one.by.name if one.by else None for one in kept] == ["nobody", "curator"]
    assert desk.ask("POST", "/nobody/feedback", json=said).status_code == 404


def test_the_text_of_feedback_is_kept_where_it_may_be(strict: Desk) -> None:
    said = {"vote": "yes", "text": f"password={SECRET}\nx", "probability": 0, "snapshot_id": "s"}
    strict.ask("POST", "/hive-metastore-schema/feedback", json=said)
    ((_, kept),) = strict.store.feedback.listing()
    assert kept.text == "password=<secret>\nx"


def pages(desk: Desk, query: str, *, by: Role | None = Role.CURATOR) -> list[list[tuple[str, str]]]:
    """All pages of a list: ids and where they stand."""
    found, cursor = [], ""
    while True:
        page = ListOut.model_validate_json(desk.ask("GET", f"?limit=3&{query}{cursor}", by=by).content)
        found.append([(one.id, one.place) for one in page.incidents])
        if page.next is None:
            return found
        cursor = f"&cursor={page.next}"


def test_lists_go_through_the_store_and_then_the_snapshot(own: Desk) -> None:
    for name in ("b", "a", "c"):
        own.add(name, component="mine", tags=["Émeu"])
    own.add("d", status="draft")
    own.ask("PUT", "/hostile", etag='"1"', json={"title": "tamed"})
    every = [one for page in pages(own, "") for one in page]
    ingested = [(str(record["id"]), "snapshot") for record in RECORDS if record["id"] != "hostile"]
    assert every == [(name, "store") for name in ("a", "b", "c", "d", "hostile")] + ingested
    assert [one for page in pages(own, "", by=None) for one in page] == [one for one in every if one[0] != "d"]
    assert [len(page) for page in pages(own, "place=store")] == [3, 2]
    assert pages(own, "component=mine&order=recent") == [[("c", "store"), ("a", "store"), ("b", "store")]]
    assert pages(own, "text=émEU&place=store") == [[("a", "store"), ("b", "store"), ("c", "store")]]
    assert pages(own, "text=HIVE") == [[("hive-metastore-schema", "snapshot")]]
    assert pages(own, "status=draft") == [[("d", "store")]]
    assert pages(own, "author=curator") == [
        [("a", "store"), ("b", "store"), ("c", "store")],
        [("d", "store"), ("hostile", "store")],
    ]
    assert pages(own, "author=ingest") == [ingested[:3], ingested[3:]]
    assert_problem(own.ask("GET", "?cursor=nonsense"), 422, "invalid-request")
    assert_problem(own.ask("GET", "?limit=0"), 422, "invalid-request")


@pytest.mark.parametrize("text", [HDFS_TRACE, KAFKA_TRACE, DISK_TRACE, PYTHON_TRACE, HIVE_TRACE])
def test_a_likely_duplicate_is_told_with_evidence(desk: Desk, text: str) -> None:
    (known,) = [str(record["id"]) for record in RECORDS if text in record.get("traces", ())]  # type: ignore[operator]
    fields = {"title": "We saw this today", "traces": [text]}
    markdown = f"---\ntitle: We saw this today\n---\n## Trace\n\n```\n{text}```\n"
    sent = [
        ("application/json", json.dumps(fields)),
        ("application/json", json.dumps({"text": text})),
        ("text/plain", text),
        ("text/markdown", markdown),
        ("text/markdown", text),
    ]
    for media, body in sent:
        response = desk.ask("POST", "/similar", by=None, headers={"content-type": media}, content=body.encode())
        answer = AnswerOut.model_validate_json(response.content)
        assert (answer.verdict, answer.matches[0].incident.id) == ("known", known)
        assert answer.matches[0].evidence
        alone = desk.ask("POST", f"/similar?but={known}", headers={"content-type": media}, content=body.encode())
        assert known not in [one["incident"]["id"] for one in alone.json()["matches"]]
    edited = desk.ask("POST", "/similar", json={**fields, "id": known}).json()
    assert known not in [one["incident"]["id"] for one in edited["matches"]]


def test_a_draft_of_an_unknown_problem_has_no_duplicate(desk: Desk) -> None:
    assert desk.ask("POST", "/similar", json={"title": "new", "traces": [UNKNOWN_TRACE]}).json()["verdict"] == "unknown"
    for empty in ({}, {"title": " ", "text": ""}):
        assert desk.ask("POST", "/similar", json=empty).json()["matches"] == []


@pytest.mark.parametrize(
    ("paste", "title", "component", "traces"),
    [
        pytest.param(HDFS_TRACE, "java.lang.Exception: Could not materialize checkpoint 17 for operator Sink: orders (2/4).", "flink", [HDFS_TRACE.strip()], id="jvm"),
        pytest.param(PYTHON_TRACE, "UnicodeDecodeError: 'ascii' codec can't decode byte 0xe4 in position 12: ordinal not in range(128)", None, [PYTHON_TRACE.strip()], id="python"),
        pytest.param("flink 1.17 的 checkpoint 一直失败，错误码 ORA-00942", "flink 1.17 的 checkpoint 一直失败，错误码 ORA-00942", "flink", [], id="words"),
    ],
)  # fmt: skip
def test_a_draft_says_what_the_paste_says(
    desk: Desk, paste: str, title: str, component: str | None, traces: list[str]
) -> None:
    response = desk.ask("POST", "/draft", by=None, json={"text": paste})
    draft = DraftOut.model_validate_json(response.content)
    assert (draft.incident.title, draft.incident.component, draft.incident.traces) == (title, component, traces)
    assert draft.incident.root_cause is None
    assert draft.incident.fix is None
    plain = desk.ask("POST", "/draft", by=None, headers={"content-type": "text/plain"}, content=paste.encode())
    assert plain.json() == response.json()
    words = {word for value in (draft.incident.title, draft.incident.symptom or "") for word in value.split()}
    assert words <= set(paste.split()) | {f"{title.partition(':')[0]}:"}


def test_a_draft_can_be_saved_as_it_is(desk: Desk) -> None:
    paste = f"2026-01-01 ERROR it failed password={SECRET}\n{trace('numbat')}\n"
    draft = desk.ask("POST", "/draft", json={"text": paste}).json()
    assert SECRET not in json.dumps(draft)
    assert [one["field"] for one in draft["redactions"]] == ["/text"]
    saved = desk.ask("POST", "", headers={"content-type": "text/markdown"}, content=draft["markdown"].encode())
    assert (saved.status_code, saved.json()["status"]) == (201, "draft")
    assert saved.json()["incident"]["traces"] == draft["incident"]["traces"]


def test_a_merge_between_drafts_is_hidden_from_readers(desk: Desk) -> None:
    desk.add("given-from", status="draft", traces=[trace("dunnart")])
    desk.add("given-to")
    assert desk.ask("PUT", "/given-to", etag='"1"', json={"title": "x", "status": "draft"}).status_code == 200
    body = {"into": "given-to", "into_revision": 2}
    assert desk.ask("POST", "/given-from/merge", etag='"1"', json=body).status_code == 200

    def told(by: Role | None) -> list[list[str]]:
        answer = desk.ask("GET", "/given-to/merges", by=by)
        return [one.traces for one in MergesOut.model_validate_json(answer.content).merges]

    assert told(Role.CURATOR) == [[trace("dunnart")]]
    assert told(None) == [[]]
    assert desk.ask("POST", "/given-to/status", etag='"3"', json={"status": "published"}).status_code == 200
    assert told(None) == [[trace("dunnart")]]
