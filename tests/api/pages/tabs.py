"""Somebody's browser over a service with a store of its own, without the browser."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ServiceSettings
from kb.store import Actor, Role, Store
from tests.api.fixtures import HERE, LOCAL
from tests.api.knowledge import UNKNOWN_TRACE

ROOT = Actor("test", "test", Role.ADMIN)
BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
FORM = "#writeup"
"""The form of the editor."""


@dataclass
class Tab:
    """Somebody's browser: it keeps cookies, and sends the forms it was shown."""

    client: TestClient
    store: Store

    def login(self, role: Role, name: str | None = None) -> None:
        """Begin a session; None ends it."""
        self.client.cookies.clear()
        _, secret = self.store.keys.create(name or role.value, role, actor=ROOT)
        sent = self.client.post("/login", data={"key": secret}, headers=BROWSER, follow_redirects=False)
        assert sent.status_code == 303, sent.text

    def logout(self) -> None:
        """As when a session has expired."""
        self.client.cookies.clear()

    def get(self, address: str, status: int = 200) -> LexborHTMLParser:
        """A page."""
        return _page(self.client.get(address, headers=BROWSER), status)

    def send(
        self, page: LexborHTMLParser, form: str, button: str | None = None, status: int = 200, **typed: str
    ) -> LexborHTMLParser:
        """Fill a form of a page in, and press a button of it (a selector): what comes back, after any redirect."""
        node = page.css_first(form)
        assert node is not None, form
        data = {
            one.attributes["name"] or "": one.attributes.get("value") or one.text()
            for one in node.css("input[name], textarea[name]")
            if one.attributes.get("type") not in {"file", "radio", "checkbox"}
        }
        address = node.attributes["action"]
        if button is not None:
            pressed = page.css_first(button)
            assert pressed is not None, button
            address = pressed.attributes.get("formaction") or address
            if name := pressed.attributes.get("name"):
                data[name] = pressed.attributes["value"] or ""
        assert address is not None
        return _page(self.client.post(address, data={**data, **typed}, headers=BROWSER), status)


def _page(response: httpx.Response, status: int) -> LexborHTMLParser:
    assert response.status_code == status, response.text[:2_000]
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    return LexborHTMLParser(response.content.decode("utf-8"))


def words(page: LexborHTMLParser, selector: str) -> str:
    """The words of the one node that a selector names."""
    (node,) = page.css(selector)
    return " ".join(node.text().split())


def writeup(incident_id: str, fix: str = "Raise it.", trace: str = UNKNOWN_TRACE, **head: str) -> str:
    """A write-up with a trace, as it is typed; ``head``: more lines of its front matter."""
    more = "".join(f"{key}: {value}\n" for key, value in head.items())
    return (
        f"---\nid: {incident_id}\ntitle: About {incident_id}\n{more}---\n\n## Trace\n\n```\n{trace.rstrip()}\n```\n\n"
        f"## Root cause\n\nIt was too small.\n\n## Fix\n\n{fix}\n"
    )


def button(name: str) -> str:
    """The selector of a button of the editor."""
    return f"{FORM} button[value={name}]"


def opened(home: Path, folder: Path, **settings: object) -> Iterator[Tab]:
    """A service in this process, and nobody's browser."""
    place = f"sqlite:///{folder / 'store.db'}"
    app = create_app(ServiceSettings(home=home, database_url=place, **settings))  # type: ignore[arg-type]
    with TestClient(app, raise_server_exceptions=False, client=HERE, base_url=LOCAL) as client:
        yield Tab(client, app.state.service.store)
