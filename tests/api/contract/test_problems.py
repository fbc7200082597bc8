"""What nobody foresaw is a problem document too, and says nothing of the inside."""

import logging
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ServiceSettings
from kb.errors import KbError
from tests.api.fixtures import HERE, LOCAL, assert_problem


@pytest.fixture
def failing(home: Path) -> TestClient:
    """The service with two routes that fail."""
    app = create_app(ServiceSettings(home=home))

    def bug() -> None:
        raise RuntimeError("the inside: s3cr3t")

    def operator_mistake() -> None:
        raise KbError("the model is gone", cure="put it back")

    app.add_api_route("/v1/bug", bug)
    app.add_api_route("/bug", bug)
    app.add_api_route("/v1/mistake", operator_mistake)
    return TestClient(app, raise_server_exceptions=False, client=HERE, base_url=LOCAL)


def test_a_bug_is_a_500_that_names_the_request_and_nothing_else(
    failing: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        response = failing.get("/v1/bug", headers={"x-request-id": "my-request"})
    document = assert_problem(response, 500, "internal")
    assert document["request_id"] == "my-request"
    assert "s3cr3t" not in response.text
    (record,) = [record for record in caplog.records if record.exc_info]
    assert record.getMessage() == "request failed"
    assert response.headers["x-content-type-options"] == "nosniff"


def test_a_bug_has_a_page_for_a_browser(failing: TestClient) -> None:
    response = failing.get("/bug", headers={"accept": "text/html", "accept-language": "zh"})
    assert response.status_code == 500
    assert response.headers["content-type"].startswith("text/html")
    assert "服务内部出错" in response.text
    assert "s3cr3t" not in response.text


def test_an_operators_mistake_is_told_with_its_cure(failing: TestClient) -> None:
    document = assert_problem(failing.get("/v1/mistake"), 500, "misconfigured")
    assert document["detail"] == "the model is gone — put it back"


def test_without_a_snapshot_the_caller_is_told_when_to_come_back(tmp_path: Path) -> None:
    with TestClient(create_app(ServiceSettings(home=tmp_path)), client=HERE, base_url=LOCAL) as client:
        for response in (client.post("/v1/search", json={"text": "x"}), client.get("/readyz")):
            assert_problem(response, 503, "no-snapshot")
            assert response.headers["retry-after"] == "5"


def test_a_failed_request_is_counted(failing: TestClient) -> None:
    failing.get("/v1/bug")
    assert 'kb_requests_total{method="GET",route="/v1/bug",status="500"} 1.0' in failing.get("/metrics").text
