"""The clients against a real service and its OpenAPI description: every call is described there, every answer has its shape."""

import asyncio
import inspect
import json
import re
import typing
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import httpx
import jsonschema_rs
import pytest

from kb.client import (
    AsyncClient,
    AsyncIncidents,
    AsyncTriage,
    Client,
    Declined,
    Incidents,
    Triage,
    parse_shapes,
    shapes,
    triage_shapes,
)
from tests.kb.client.conftest import RUNS, Service
from tests.kb.client.story import STEPS, story

UNUSED = {
    "/healthz", "/readyz", "/metrics", "/v1/chat/dead", "/v1/chat/dead/{ref}",
    "/v1/incidents/{incident_id}/comments", "/v1/incidents/{incident_id}/merges", "/v1/incidents/{incident_id}/reviewers",
    "/v1/reviewers",
}  # fmt: skip
"""Described routes that the clients have no method for."""
TYPES = {**vars(shapes), **vars(parse_shapes), **vars(triage_shapes)}
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z?(?:\+00:00)?")


@dataclass
class Recorded(httpx.BaseTransport):
    """Sends over the network, and keeps what went over it."""

    seen: list[tuple[httpx.Request, httpx.Response]] = field(default_factory=list)
    network: httpx.HTTPTransport = field(default_factory=httpx.HTTPTransport)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self.network.handle_request(request)
        response.read()
        self.seen.append((request, response))
        return response

    def close(self) -> None:
        self.network.close()


@dataclass(frozen=True)
class Told:
    """What the story told, and what was sent for it."""

    sync: dict[str, Any]
    waited: dict[str, Any]
    seen: list[tuple[httpx.Request, httpx.Response]]
    description: dict[str, Any]


@pytest.fixture(scope="module")
def told(service: Service) -> Iterator[Told]:
    recorded = Recorded()
    with Client(service.url, service.key, transport=recorded) as client:
        sync = asyncio.run(story(client, "sync"))

    async def waiting() -> dict[str, Any]:
        async with AsyncClient(service.url, service.key) as client:
            return await story(client, "waited")

    waited = asyncio.run(waiting())
    description = httpx.get(f"{service.url}/openapi.json", timeout=30).json()
    return Told(sync, waited, recorded.seen, description)


def described(request: httpx.Request, description: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The route of the description that a request asks for. A quoted slash belongs to the id."""
    raw = request.url.raw_path.decode().partition("?")[0]
    for path in sorted(description["paths"], key=lambda path: path.count("{")):
        if (
            re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), raw)
            and request.method.lower() in description["paths"][path]
        ):
            return path, description["paths"][path][request.method.lower()]
    pytest.fail(f"{request.method} {raw} is not described")


def valid(schema: dict[str, Any], value: object, description: dict[str, Any]) -> None:
    jsonschema_rs.validator_for({**schema, "components": description["components"]}).validate(value)


def test_every_step_of_the_story_works_against_a_service(told: Told) -> None:
    assert set(STEPS) <= set(told.sync)
    assert told.sync["search"]["verdict"] == "known"
    assert told.sync["search"]["matches"][0]["incident"]["id"] == "flink-checkpoint-hdfs-replicas"
    assert [one["id"] for one in told.sync["search_batch"]] == ["a", "b"]
    assert told.sync["search_batch"][0]["matches"][0]["evidence"] == []
    assert told.sync["get"]["title"] == "Cards are refused"
    assert told.sync["find nothing"] is told.sync["no revision"] is None
    assert told.sync["restore"]["incident"]["title"] == "Cards are refused"
    assert [one["revision"] for one in told.sync["history"]] == [4, 3, 2, 1]
    assert told.sync["revision"]["incident"]["title"] == "Cards are refused at night"
    assert told.sync["feedback"]["yes"] == 1
    assert told.sync["retire"]["status"] == "retired"
    assert {one["id"] for one in told.sync["listed"]} == {"sync/one", "sync-two"}
    assert (told.sync["declined"]["status"], told.sync["declined"]["kind"]) == (412, "stale")
    assert told.sync["declined"]["document"]["current"]["revision"] > 1


def test_triage_reports_come_whole_through_the_pages_of_the_service(told: Told) -> None:
    assert [one["run"] for one in told.sync["triage reports"]] == list(reversed(RUNS))
    assert [one["problem"] for one in told.sync["triage reports"]] == ["report-damaged", "", ""]
    assert told.sync["triage figures"]["unknown_groups"] == 230
    assert [one["crashes"] for one in told.sync["crash groups"]] == [900 - n for n in range(230)]
    assert [one["crashes"] for one in told.sync["new groups"]] == [900 - n for n in range(0, 230, 2)]
    assert [one["verdict"] for one in told.sync["explained"]] == ["known", "probable"]
    assert [one["verdict"] for one in told.sync["probable"]] == ["probable"]
    assert "900 crashes." in told.sync["crash draft"]["markdown"]
    assert told.sync["crash draft of a trace"]["incident"]["title"] == "com.acme.JamError: tray 7 is empty"
    assert (told.sync["damaged report"]["status"], told.sync["damaged report"]["kind"]) == (404, "report-damaged")


def test_a_group_of_crashes_becomes_an_incident_that_searches_find(service: Service) -> None:
    with Client(service.url, service.key) as client:
        group = next(client.triage.groups(RUNS[1]))
        with pytest.raises(Declined, match="no such group"):
            client.triage.draft(RUNS[1], "f" * 32)
        drafted = client.triage.draft(RUNS[1], group["id"])
        saved = client.incidents.create(drafted["markdown"])
        client.incidents.move(saved["id"], "published", saved["revision"])
        assert client.search(group["text"])["matches"][0]["incident"]["id"] == "crash-000000000000"


def test_both_clients_tell_the_same(told: Told) -> None:
    """Numbers of answers aside: what the first wrote changed how rare words are."""

    def plain(value: object, prefix: str) -> str:
        text = _MOMENT.sub("T", json.dumps(_without_numbers(value), sort_keys=True).replace(prefix, "X"))
        return re.sub(r'("yes": )\d+', r"\1N", text)

    for step in told.sync:
        assert plain({step: told.sync[step]}, "sync") == plain({step: told.waited[step]}, "waited"), step


def _without_numbers(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_numbers(one) for one in value]
    if not isinstance(value, dict):
        return value
    left_out = {"took_ms", "request_id", "evidence", "probability"}
    return {key: _without_numbers(one) for key, one in value.items() if key not in left_out}


def test_every_request_is_as_described(told: Told) -> None:
    used = set()
    for request, response in told.seen:
        path, route = described(request, told.description)
        used.add(path)
        parameters = {(one["in"], one["name"].lower()): one for one in route.get("parameters", ())}
        for name, value in parse_qsl(request.url.query.decode(), keep_blank_values=True):
            assert ("query", name) in parameters, (path, name)
            schema = parameters["query", name]["schema"]
            is_json = kinds_in(schema, told.description) & {"integer", "boolean"}
            valid(schema, json.loads(value) if is_json else value, told.description)
        assert all(("header", name) not in parameters or name in request.headers for name in ("if-match",))
        if request.content:
            media = request.headers["content-type"].partition(";")[0]
            content = {name.partition(";")[0]: one for name, one in route["requestBody"]["content"].items()}
            assert media in content, (path, media)
            if media == "application/json":
                valid(content[media]["schema"], json.loads(request.content), told.description)
        answers = dict(route["responses"][str(response.status_code)]["content"].items())
        media = response.headers["content-type"].partition(";")[0]
        valid(answers[media]["schema"], response.json(), told.description)
    assert {path for path in told.description["paths"] if path.startswith("/v1") or path in UNUSED} - used == {
        path for path in UNUSED if path in told.description["paths"]
    }


SHAPES = {
    "Against": "AgainstOut", "Answer": "AnswerOut", "AnsweredProblem": "AnsweredProblem", "Author": "AuthorOut", "Batch": "BatchOut", "BatchAnswer": "BatchAnswer", "Diff": "DiffOut",
    "Difference": "DifferenceOut", "DifferenceLine": "LineOut", "Draft": "DraftOut", "Evidence": "EvidenceOut",
    "FieldError": "FieldError", "History": "HistoryOut", "Incident": "IncidentOut", "Listed": "ListedOut", "Match": "MatchOut",
    "MatchedIncident": "MatchedIncident", "Merge": "MergeOut", "Named": "NamedOut", "Page": "ListOut",
    "ParsedChain": "ParsedChain", "ParsedException": "ParsedException", "ParsedFrame": "ParsedFrame", "Place": "PlaceOut",
    "Query": "QueryOut", "Raised": "ExceptionOut", "Reading": "ParseOut", "Redaction": "RedactionOut", "Repost": "RepostOut",
    "Revision": "RevisionOut", "RevisionHead": "RevisionHead", "Saved": "SavedOut", "Source": "SourceOut", "RedactionCount": "RedactionCountOut", "Translation": "TranslationOut",
    "ChangedSighting": "PutSightingOut", "Sighting": "SightingOut", "Sightings": "SightingsOut", "Votes": "VotesOut",
    "CrashGroup": "CrashGroupOut", "CrashGroups": "CrashGroupsOut", "Explained": "ExplainedOut", "ExplainedPage": "ExplainedListOut", "Occurrences": "-",
    "TriageFigures": "TriageSummaryOut", "TriageRow": "TriageRowOut", "TriageRows": "TriageListOut",
}  # fmt: skip


def test_every_shape_has_its_schema() -> None:
    kinds = {name for name, one in TYPES.items() if typing.is_typeddict(one)}
    assert kinds == set(SHAPES)


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_a_shape_is_as_described(name: str, told: Told) -> None:
    """The same fields; those that may be missing are the same; a value of each has the kind that is described."""
    shape = TYPES[name]
    schema = told.description["components"]["schemas"].get(SHAPES[name])
    if schema is None:  # inlined where only one thing is derived of it
        assert name in {"Named", "Raised", "Occurrences"}
        return
    hints = typing.get_type_hints(shape)
    assert set(hints) == set(schema["properties"])
    assert set(shape.__required_keys__) == set(schema.get("required", ()))
    for key, hint in hints.items():
        assert kinds_of(hint) == kinds_in(schema["properties"][key], told.description), (name, key)


def kinds_of(hint: Any) -> set[str]:
    """The JSON types that a type hint allows."""
    origin = typing.get_origin(hint)
    if origin in {typing.Union, __import__("types").UnionType}:
        return set().union(*(kinds_of(one) for one in typing.get_args(hint)))
    if origin is typing.Literal:
        return {"string"}
    if typing.is_typeddict(hint) or origin is dict:
        return {"object"}
    return {
        {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", list: "array"}[
            origin or hint
        ]
    }


def kinds_in(schema: dict[str, Any], description: dict[str, Any]) -> set[str]:
    """The JSON types that a schema allows."""
    if "$ref" in schema:
        return kinds_in(description["components"]["schemas"][schema["$ref"].rpartition("/")[2]], description)
    if "anyOf" in schema:
        return set().union(*(kinds_in(one, description) for one in schema["anyOf"]))
    return {schema["type"]}


@pytest.mark.parametrize(("one", "other"), [(Client, AsyncClient), (Incidents, AsyncIncidents), (Triage, AsyncTriage)])
def test_both_clients_have_the_same_methods(one: type, other: type) -> None:
    def public(kind: type) -> dict[str, tuple[list[str], str | None]]:
        found = inspect.getmembers(kind, inspect.isfunction)
        return {
            name: (
                [str(p) for p in inspect.signature(member).parameters.values() if p.name != "transport"],
                member.__doc__,
            )
            for name, member in found
            if not name.startswith("_")
        }

    ours, theirs = public(one), public(other)
    assert ours == theirs
    assert len(ours) >= 5
