"""Every door shows the owner of an incident, and no secret that somebody wrote there."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console
from starlette.testclient import TestClient

from api.app import create_app
from api.commands.search import ask_engine
from api.mcp.tools import answer_text
from api.render.console import print_answer
from api.settings import ServiceSettings
from tests.api.knowledge import HDFS_TRACE, RECORDS, build_home

OWNED = "flink-checkpoint-hdfs-replicas"
SECRET = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("owned")
    owned = {"owner": f"storage <b>team</b> {SECRET}"}
    build_home(folder, [record | owned if record["id"] == OWNED else record for record in RECORDS])
    return folder


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[TestClient]:
    with TestClient(create_app(ServiceSettings(home=home))) as opened:
        yield opened


def test_the_api_returns_the_owner(client: TestClient) -> None:
    first, *others = client.post("/v1/search", json={"text": HDFS_TRACE}).json()["matches"]
    assert first["incident"]["id"] == OWNED
    assert first["incident"]["owner"].startswith("storage <b>team</b> ")
    assert {match["incident"]["owner"] for match in others} <= {None}
    assert client.get(f"/v1/incidents/{OWNED}").json()["owner"] == first["incident"]["owner"]


@pytest.mark.parametrize(
    ("lang", "chip"), [("en", "Ask storage &lt;b&gt;team"), ("zh", "可咨询：storage &lt;b&gt;team")]
)
def test_pages_show_the_owner_escaped(client: TestClient, lang: str, chip: str) -> None:
    answer = client.post(f"/?lang={lang}", data={"text": HDFS_TRACE}).text
    page = client.get(f"/incidents/{OWNED}?lang={lang}").text
    assert chip in answer
    assert chip in page
    assert SECRET not in answer + page


def test_the_terminal_and_agents_get_the_owner(home: Path) -> None:
    answer = ask_engine(ServiceSettings(home=home), HDFS_TRACE, 3)
    out = io.StringIO()
    print_answer(answer, Console(file=out, width=200))
    assert "Ask storage <b>team</b>" in out.getvalue()
    assert "Owner: storage <b>team</b>" in answer_text(answer)
    assert SECRET not in out.getvalue() + answer_text(answer)
