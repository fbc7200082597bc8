"""Articles made of scripts: what is shown of their sections, as Markdown and as HTML, holds no element and no address that acts.

`test_payloads` opens what curators write in a real Chromium; here the sections that `kb ingest` takes over are looked at.
"""

import re
from collections.abc import Iterator

import lxml.html
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ServiceSettings
from kb.article import read_article
from kb.record import to_record
from tests.api.fixtures import HERE, LOCAL
from tests.api.knowledge import build_home
from tests.security.test_payloads import PAYLOADS

ELSEWHERE = "evil.example"
PIECES = (
    *PAYLOADS,
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "<a href='vbscript:x'>x</a>",
    "<a href=' java\nscript:x'>x</a>",
    "[x]: javascript:x\n[y][x]",
    f"<base href='//{ELSEWHERE}/'>",
    f"<meta http-equiv=refresh content='0;url=//{ELSEWHERE}'>",
    f"<form action=//{ELSEWHERE}><input name=key></form>",
    f"<link rel=stylesheet href=//{ELSEWHERE}/x.css>",
    f"![x](//{ELSEWHERE}/x.png)",
    f"<span style='background:url(//{ELSEWHERE})'>x</span>",
    "<svg><a xlink:href='javascript:x'><text>x</text></a></svg>",
    "|a|<script>x</script>|\n|-|-|\n|b|<img src=x onerror=x>|",
    "```html\n<script>x</script>\n```",
    '```"><script>x</script>\ncode\n```',
)
ACTS = frozenset({"script", "style", "iframe", "object", "embed", "base", "meta", "link", "math", "img", "input"})
_ADDRESS = re.compile(r"\s*(?:java\s*script|vbscript|data)\s*:|\s*//", re.IGNORECASE)
_SAID = "The broker says ERROR 1045 (28000): Access denied since the update."


def markdown(piece: str) -> str:
    return f"# ERROR 1045 at login\n\n## Symptom\n\n{_SAID}\n\n{piece}\n\n## Root cause\n\nThe cache.\n\n{piece}\n\n## Solution\n\n1. {piece}\n2. Restart it.\n\n{piece}\n"


def page(piece: str) -> str:
    return (
        f"<title>ERROR 1045 {piece}</title><h1>ERROR 1045 at login</h1><h2>Symptom</h2><p>{_SAID}</p>{piece}<h2>Cause</h2>"
        f"<p>The cache.</p><p>{piece}</p><h2>Solution</h2><ol><li>{piece}</li><li>Restart it.</li></ol>{piece}"
    )


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, list[str]]]:
    """A service over the incidents of all such articles, and their ids."""
    records = [
        to_record(incident)
        for number, piece in enumerate(PIECES)
        for kind, text in (("md", markdown(piece)), ("html", page(piece)))
        for incident in read_article(text.encode(), f"a{number}.{kind}").incidents
    ]
    assert any(record.get("sections") for record in records)
    home = tmp_path_factory.mktemp("sections")
    build_home(home, records)
    with TestClient(create_app(ServiceSettings(home=home)), client=HERE, base_url=LOCAL) as client:
        yield client, [str(record["id"]) for record in records]


def acting(text: str) -> list[str]:
    """What acts in the part of a page that shows an incident."""
    (main,) = lxml.html.fromstring(text).xpath("//main")
    found = []
    for one in main.iter():
        if one.tag in ACTS and one.get("type") not in {"hidden", "search", "text", "radio", "checkbox", "submit"}:
            found.append(str(one.tag))
        for name, value in one.attrib.items():
            is_address = name in {"href", "src", "action", "formaction", "xlink:href"} and _ADDRESS.match(value)
            is_elsewhere = ELSEWHERE in value and one.tag != "a"
            if name.startswith("on") or name == "style" or is_address or is_elsewhere:
                found.append(f"{one.tag} {name}={value}")
    return found


@pytest.mark.slow
def test_nothing_acts_in_what_is_shown_of_an_article(hostile: tuple[TestClient, list[str]]) -> None:
    client, ids = hostile
    assert len(ids) > len(PIECES), "most become an incident in both forms"
    for one in ids:
        shown = client.get(f"/incidents/{one}", headers={"accept": "text/html"})
        assert shown.status_code == 200, one
        assert acting(shown.text) == [], one


def test_an_element_that_acts_would_be_seen() -> None:
    for piece in ("<script>x</script>", "<p onclick=x>", "<a href='javascript:x'>", f"<b style='url(//{ELSEWHERE})'>"):
        assert acting(f"<main>{piece}</main>")


@pytest.mark.parametrize(
    "host",
    ['127.0.0.1"><script>x</script>', "127.0.0.1;id", "127.0.0.1$(id)", "localhost`id`", "127.0.0.1:80' onload=x"],
)
def test_docs_repeats_no_name_that_nobody_gave_it(hostile: tuple[TestClient, list[str]], host: str) -> None:
    """The page prints a command to copy, with the address that the browser asked at."""
    client, _ = hostile
    assert client.get("/docs", headers={"host": host}).status_code == 421


def test_docs_believes_no_stranger_about_its_address(hostile: tuple[TestClient, list[str]]) -> None:
    client, _ = hostile
    told = {"x-forwarded-host": ELSEWHERE, "x-forwarded-proto": "javascript", "x-forwarded-prefix": f"//{ELSEWHERE}"}
    shown = client.get("/docs", headers={**told, "accept": "text/html"})
    assert ELSEWHERE not in shown.text
    assert "javascript:" not in shown.text
