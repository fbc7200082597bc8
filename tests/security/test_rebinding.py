"""DNS rebinding: a page of another site whose name leads to this machine afterwards reads nothing, in a real Chromium and at every door."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ServiceSettings
from tests.api.access.test_matrix import EACH
from tests.api.fixtures import HERE, LiveServer, poll, serving
from tests.browser.conftest import chromium

EVIL = "evil.example"
ASKED = """async () => {
    const rpc = JSON.stringify({jsonrpc: "2.0", id: 1, method: "tools/list"});
    const json = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"};
    const requests = [
        ["/"], ["/v1/incidents"], ["/incidents"], ["/metrics"], ["/openapi.json"], ["/static/page.css"],
        ["/v1/search", {method: "POST", headers: json, body: '{"text": "boom"}'}],
        ["/mcp", {method: "POST", headers: json, body: rpc}],
    ];
    return Promise.all(requests.map(([path, how]) => fetch(path, how).then(answer => answer.status)));
}"""


@pytest.fixture(scope="module")
def loopback(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A service as somebody starts it on their own machine: whoever is there may read, and KB_HOSTS names nobody."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("KB_HOSTS")
        with serving(home, tmp_path_factory.mktemp("rebinding")) as server:
            poll(lambda: httpx.get(f"{server.url}/readyz").is_success)
            yield server


@pytest.fixture(scope="module")
def rebound() -> Iterator[Browser]:
    """A Chromium for which the name of another site leads to this machine."""
    # Newer browsers ask first whether a page may reach this machine at all; others do not.
    open_to_all = "--disable-features=LocalNetworkAccessChecks"
    with chromium(open_to_all, f"--host-resolver-rules=MAP {EVIL} 127.0.0.1") as running:
        yield running


@pytest.mark.browser
@pytest.mark.parametrize(("name", "statuses"), [(EVIL, {421}), ("localhost", {200, 401})])
@pytest.mark.slow
def test_a_page_under_a_name_of_its_own_reads_nothing(
    rebound: Browser, loopback: LiveServer, name: str, statuses: set[int]
) -> None:
    """For the browser it is all one site, so it lets the page read every answer. Under a name of this machine the same script is answered: the requests arrive."""
    tab = rebound.new_page()
    origin = f"http://{name}:{urlsplit(loopback.url).port}"
    tab.route(f"{origin}/attack", lambda route: route.fulfill(content_type="text/html", body="<p>loaded before"))
    tab.goto(f"{origin}/attack")
    assert set(tab.evaluate(ASKED)) <= statuses
    tab.close()


@pytest.fixture(scope="module")
def evil_client(home: Path) -> TestClient:
    return TestClient(create_app(ServiceSettings(home=home, hosts=())), client=HERE, base_url=f"http://{EVIL}")


@EACH
def test_every_door_is_shut_to_another_name(evil_client: TestClient, line: dict[str, str]) -> None:
    """Agents' door and those of chats among them."""
    answer = evil_client.request(line["method"], line["path"])
    assert answer.status_code == 421, answer.text
