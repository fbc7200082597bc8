"""The JSON doors: what they answer, and one shape for every failure."""

import json
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from api.contract.responses import AnswerOut, BatchOut, IncidentOut, ParseOut, ProblemOut
from tests.api.fixtures import assert_problem
from tests.api.knowledge import HDFS_TRACE, HIVE_TRACE, KAFKA_TRACE, PYTHON_TRACE, UNKNOWN_TRACE

JSON = {"content-type": "application/json"}
READ = ("history", "history/{number}", "diff", "merges", "comments", "reviewers", "feedback")
WRITTEN = ("restore", "status", "traces", "merge", "split", "comments", "feedback")


def ids(answer: dict[str, list[dict[str, dict[str, str]]]]) -> list[str]:
    return [match["incident"]["id"] for match in answer["matches"]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(HDFS_TRACE, "flink-checkpoint-hdfs-replicas", id="its own trace"),
        pytest.param(
            HDFS_TRACE[HDFS_TRACE.index("Caused by") :], "flink-checkpoint-hdfs-replicas", id="innermost cause alone"
        ),
        pytest.param(KAFKA_TRACE, "kafka-commit-rebalanced", id="a Chinese write-up"),
        pytest.param(PYTHON_TRACE, "python-ascii-decode", id="python"),
        pytest.param(f"2026-01-01 ERROR boom\n{HIVE_TRACE}\nINFO bye\n", "hive-metastore-schema", id="inside a log"),
    ],
)
def test_the_right_incident_comes_first_and_the_wire_form_is_as_documented(
    client: TestClient, text: str, expected: str
) -> None:
    response = client.post("/v1/search", json={"text": text})
    assert response.status_code == 200
    answer = AnswerOut.model_validate_json(response.content)
    assert answer.matches[0].incident.id == expected
    assert answer.verdict == "known"
    assert answer.matches[0].evidence
    assert [match.probability for match in answer.matches] == sorted(
        (m.probability for m in answer.matches), reverse=True
    )


def test_a_problem_of_somebody_else_is_unknown(client: TestClient) -> None:
    assert client.post("/v1/search", json={"text": UNKNOWN_TRACE}).json()["verdict"] == "unknown"


def test_k_bounds_the_matches(client: TestClient) -> None:
    assert len(client.post("/v1/search", json={"text": HDFS_TRACE, "k": 1}).json()["matches"]) == 1


def test_filters_narrow(client: TestClient) -> None:
    answer = client.post("/v1/search", json={"text": HDFS_TRACE, "filters": {"component": "kafka"}}).json()
    assert set(ids(answer)) <= {"kafka-commit-rebalanced"}


def test_without_explain_there_is_no_evidence_but_the_same_answer(client: TestClient) -> None:
    full = client.post("/v1/search", json={"text": HDFS_TRACE}).json()
    bare = client.post("/v1/search", json={"text": HDFS_TRACE, "explain": False}).json()
    assert ids(bare) == ids(full)
    assert all(match["evidence"] == [] for match in bare["matches"])


def test_query_at_are_offsets_into_the_text_that_was_sent(client: TestClient) -> None:
    text = f"密码 🙂 log\n{HDFS_TRACE}"
    for match in client.post("/v1/search", json={"text": text}).json()["matches"]:
        for item in match["evidence"]:
            if item["query_at"]:
                start, end = item["query_at"]
                assert 0 <= start < end <= len(text)


@pytest.mark.parametrize("k", [1, 2])
def test_k_bounds_the_matches_of_every_item_of_a_batch(client: TestClient, k: int) -> None:
    """The paste names two incidents, so that more than ``k`` could be told."""
    items = [{"id": str(n), "text": f"{HDFS_TRACE}\n{KAFKA_TRACE}\n{HIVE_TRACE}"} for n in range(2)]
    answers = client.post("/v1/search/batch", json={"items": items, "k": k}).json()["answers"]
    assert [len(answer["matches"]) for answer in answers] == [k, k]


def test_batch_answers_in_order_and_as_one_by_one(client: TestClient) -> None:
    texts = {"b": KAFKA_TRACE, "a": HDFS_TRACE, "c": UNKNOWN_TRACE}
    items = [{"id": name, "text": text} for name, text in texts.items()]
    response = client.post("/v1/search/batch", json={"items": items, "k": 3})
    BatchOut.model_validate_json(response.content)
    answers = response.json()["answers"]
    single = [client.post("/v1/search", json={"text": text, "k": 3}).json() for text in texts.values()]
    assert [answer["id"] for answer in answers] == ["b", "a", "c"]
    assert [ids(answer) for answer in answers] == [ids(answer) for answer in single]
    assert [answer["verdict"] for answer in answers] == [answer["verdict"] for answer in single]


def test_parse_tells_what_was_understood(client: TestClient) -> None:
    response = client.post("/v1/parse", json={"text": f"password=Hunter2hunter2\n{HDFS_TRACE}"})
    reading = ParseOut.model_validate_json(response.content)
    (chain,) = reading.chains
    assert [raised.type for raised in chain.exceptions] == ["java.lang.Exception", "java.io.IOException"]
    assert set(chain.fingerprints) == {"exact", "root_cause", "loose"}
    assert len(reading.redactions) == 1
    assert "hunter2" not in response.text.lower()


def test_one_incident_whole(client: TestClient) -> None:
    response = client.get("/v1/incidents/kafka-commit-rebalanced")
    incident = IncidentOut.model_validate_json(response.content)
    assert (incident.component, incident.lang, incident.traces) == ("kafka", "zh", [KAFKA_TRACE])


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "status", "kind"),
    [
        pytest.param("POST", "/v1/search", JSON, b'{"text": ""}', 422, "invalid-request", id="empty text"),
        pytest.param("POST", "/v1/search", JSON, b'{"text": " \\n\\t"}', 422, "invalid-request", id="blank text"),
        pytest.param("POST", "/v1/search", JSON, b"{}", 422, "invalid-request", id="no text"),
        pytest.param("POST", "/v1/search", JSON, b'{"text": 7}', 422, "invalid-request", id="text is a number"),
        pytest.param("POST", "/v1/search", JSON, b'{"text": null}', 422, "invalid-request", id="text is null"),
        pytest.param("POST", "/v1/search", JSON, b'["x"]', 422, "invalid-request", id="a list"),
        pytest.param("POST", "/v1/search", JSON, b'"x"', 422, "invalid-request", id="a string"),
        pytest.param("POST", "/v1/search", JSON, b"", 422, "invalid-request", id="no body"),
        pytest.param("POST", "/v1/search", JSON, b'{"text": "x"', 400, "unreadable-body", id="cut JSON"),
        pytest.param("POST", "/v1/search", JSON, b'{"text": "a\x01b"}', 400, "unreadable-body", id="control byte"),
        pytest.param("POST", "/v1/search/batch", JSON, b"{'items': []}", 400, "unreadable-body", id="no JSON"),
        pytest.param("POST", "/v1/search", JSON, b"\xff\xfe\x00", 400, "unreadable-body", id="not UTF-8"),
        pytest.param("POST", "/v1/search", JSON, b'{"text": "\xe4"}', 400, "unreadable-body", id="Latin-1"),
        pytest.param("POST", "/v1/search", JSON, b"[" * 9_000, 400, "unreadable-body", id="nested too deep"),
        pytest.param("POST", "/v1/search", JSON, b"[" * 100_000, 413, "too-many-parts", id="too many parts"),
        pytest.param("POST", "/v1/search", JSON, b'{"text": "x", "k": 0}', 422, "invalid-request", id="k 0"),
        pytest.param("POST", "/v1/search", JSON, b'{"text": "x", "k": 51}', 422, "invalid-request", id="k 51"),
        pytest.param("POST", "/v1/search", JSON, b'{"text": "x", "k": "many"}', 422, "invalid-request", id="k a word"),
        pytest.param("POST", "/v1/search", JSON, b'{"text": "x", "kk": 1}', 422, "invalid-request", id="unknown field"),
        pytest.param("POST", "/v1/search", JSON, b'{"text": "x", "filters": {"lang": 1}}', 422, "invalid-request", id="filter"),
        pytest.param("POST", "/v1/search", {"content-type": "text/plain"}, b"trace", 415, "not-json", id="plain text"),
        pytest.param("POST", "/v1/search", {"content-type": "application/x-www-form-urlencoded"}, b"text=x", 415, "not-json", id="a form"),
        pytest.param("POST", "/v1/search", {}, b'{"text": "x"}', 415, "not-json", id="no content type"),
        pytest.param("POST", "/v1/search", JSON, b'{"text": "' + b"x" * 300_000 + b'"}', 413, "body-too-large", id="too large"),
        pytest.param("POST", "/v1/parse", JSON, b'{"text": ""}', 422, "invalid-request", id="parse nothing"),
        pytest.param("POST", "/v1/search/batch", JSON, b'{"items": []}', 422, "invalid-request", id="empty batch"),
        pytest.param("POST", "/v1/search/batch", JSON, b'{"items": [{"id": "1", "text": " "}]}', 422, "invalid-request", id="blank item"),
        pytest.param("GET", "/v1/search", {}, b"", 405, "method-not-allowed", id="GET search"),
        pytest.param("PATCH", "/v1/incidents/x", {}, b"", 405, "method-not-allowed", id="PATCH incident"),
        pytest.param("GET", "/v1/incidents/nobody", {}, b"", 404, "no-such-incident", id="no such incident"),
        pytest.param("GET", "/v1/incidents/%ED%A0%80", {}, b"", 404, "no-such-incident", id="id not UTF-8"),
        pytest.param("GET", "/v1/nothing", {}, b"", 404, "not-found", id="no such route"),
        pytest.param("GET", "/v1/search/", {"accept": "text/html"}, b"", 404, "not-found", id="API paths never answer HTML"),
        pytest.param("GET", "/static/../settings.py", {}, b"", 404, "not-found", id="outside of static"),
        pytest.param("GET", "/nothing", {}, b"", 404, "not-found", id="no page, not a browser"),
    ],
)  # fmt: skip
def test_every_failure_is_a_problem_document(
    client: TestClient, method: str, path: str, headers: dict[str, str], body: bytes, *, status: int, kind: str
) -> None:
    response = client.request(method, path, headers=headers, content=body)
    document = assert_problem(response, status, kind)
    ProblemOut.model_validate(document)
    assert (status == 405) == ("allow" in response.headers)


def test_a_bad_field_is_pointed_at(client: TestClient) -> None:
    body = {"items": [{"id": "1", "text": "x"}, {"id": "2", "text": ""}], "k": 99}
    document = assert_problem(client.post("/v1/search/batch", json=body), 422, "invalid-request")
    assert [error["pointer"] for error in document["errors"]] == ["#/items/1/text", "#/k"]  # type: ignore[attr-defined]


def test_a_failure_never_repeats_the_paste(client: TestClient) -> None:
    response = client.post("/v1/search", json={"text": ["s3cr3t-paste"], "s3cr3t-key": 1})
    assert_problem(response, 422, "invalid-request")
    assert "s3cr3t-paste" not in response.text


@pytest.mark.parametrize("escape", [b"\\ud800", b"\\udfff x", b"a\\ud83d", b"\\ude00\\ud83d"])
@pytest.mark.parametrize("path", ["/v1/search", "/v1/parse"])
def test_a_lone_surrogate_is_text_like_any_other(client: TestClient, path: str, escape: bytes) -> None:
    response = client.post(path, content=b'{"text": "java.io.IOException: ' + escape + b'"}', headers=JSON)
    assert response.status_code == 200
    json.loads(response.content.decode("utf-8"))
    assert "\\ud" not in response.text
    if path == "/v1/parse":
        assert "\ufffd" in response.json()["chains"][0]["exceptions"][0]["message"]


@pytest.mark.parametrize("value", [b'"filters": {"\\ud800": "\\udc00"}', b'"filters": {"lang": "\\ud800"}'])
def test_a_lone_surrogate_in_a_filter_is_no_crash(client: TestClient, value: bytes) -> None:
    assert client.post("/v1/search", content=b'{"text": "x y z", ' + value + b"}", headers=JSON).status_code == 200


def test_a_body_without_a_stated_length_is_limited_too(client: TestClient) -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        yield b'{"text": "'
        while taken < 5_000_000:
            taken += 10_000
            yield b"x" * 10_000

    assert_problem(client.post("/v1/search", content=endless(), headers=JSON), 413, "body-too-large")


@pytest.mark.parametrize("length", ["99999999999999999999999", "200001"])
def test_a_stated_length_over_the_limit_is_refused_before_the_body(client: TestClient, length: str) -> None:
    response = client.post("/v1/search", content=b"{}", headers={**JSON, "content-length": length})
    assert_problem(response, 413, "body-too-large")


@pytest.mark.parametrize(
    ("given", "kept"),
    [("abc-123", True), ("a" * 64, True), ("a" * 65, False), ("x y", False), ("x\u00e9", False), ("", False)],
)
def test_a_request_id_is_kept_when_it_is_one(client: TestClient, given: str, *, kept: bool) -> None:
    answered = client.get("/healthz", headers={"x-request-id": given.encode("latin-1")}).headers["x-request-id"]
    assert (answered == given) == kept
    assert answered


def test_security_headers_are_on_every_answer(client: TestClient) -> None:
    for path in ("/", "/healthz", "/nothing", "/static/page.css"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]


def test_health_and_readiness(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    ready = client.get("/readyz").json()
    assert (ready["status"], ready["problem"]) == ("ready", None)
    assert ready["snapshot_id"] == client.post("/v1/search", json={"text": "x"}).json()["snapshot_id"]


def test_metrics_count_requests_verdicts_and_stages(client: TestClient) -> None:
    client.post("/v1/search", json={"text": UNKNOWN_TRACE})
    client.get("/v1/incidents/nobody-secret-id")
    text = client.get("/metrics").text
    assert 'kb_requests_total{method="POST",route="/v1/search",status="200"}' in text
    assert 'kb_requests_total{method="GET",route="/v1/incidents/{incident_id:path}",status="404"}' in text
    assert 'kb_verdicts_total{door="http",verdict="unknown"}' in text
    assert 'kb_stage_seconds_count{stage="search"}' in text
    assert "nobody-secret-id" not in text


def test_a_wrong_method_is_405_with_the_allowed_ones(client: TestClient) -> None:
    """Of every address that is described, whichever other route would fit its path."""
    for path, item in client.get("/openapi.json").json()["paths"].items():
        where = re.sub(r"\{\w+\}", "1", path)
        declared = {method.upper() for method in item}
        for method in {"GET", "PUT", "POST", "DELETE", "PATCH"} - declared:
            response = client.request(method, where)
            assert response.status_code == 405, (method, where, response.text)
            assert declared <= {one.strip() for one in response.headers["allow"].split(",")}


def test_the_description_documents_every_route_with_examples_and_failures(client: TestClient) -> None:
    description = client.get("/openapi.json").json()
    operations = {
        (method.upper(), path): operation
        for path, item in description["paths"].items()
        for method, operation in item.items()
    }
    assert set(operations) == {
        ("POST", "/v1/search"),
        ("POST", "/v1/search/batch"),
        ("POST", "/v1/parse"),
        *(("POST", f"/v1/incidents{room}") for room in ("", "/similar", "/draft")),
        ("GET", "/v1/incidents"),
        *((method, "/v1/incidents/{incident_id}") for method in ("GET", "PUT", "DELETE")),
        *(("GET", f"/v1/incidents/{{incident_id}}/{room}") for room in READ),
        *(("POST", f"/v1/incidents/{{incident_id}}/{room}") for room in WRITTEN),
        ("PUT", "/v1/incidents/{incident_id}/reviewers"),
        ("GET", "/v1/reviewers"),
        ("GET", "/v1/incidents/{incident_id}/sightings"),
        ("PUT", "/v1/incidents/{incident_id}/sightings/{name}"),
        ("GET", "/v1/triage"),
        ("GET", "/v1/triage/{run}"),
        ("GET", "/v1/triage/{run}/groups"),
        ("GET", "/v1/triage/{run}/groups/{group}/draft"),
        ("GET", "/v1/triage/{run}/incidents"),
        ("GET", "/v1/chat/dead"),
        ("POST", "/v1/chat/dead/{ref}"),
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/metrics"),
    }
    for (_, path), operation in operations.items():
        assert operation["summary"]
        assert operation["description"]
        for status, response in operation["responses"].items():
            if status >= "400":
                assert list(response["content"]) == ["application/problem+json"], path
    for name in ("SearchIn", "BatchIn", "ParseIn"):
        assert description["components"]["schemas"][name]["examples"]
    assert "ProblemOut" in description["components"]["schemas"]
