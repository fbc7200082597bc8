"""A quoted cause says where in the article it stands, on the page and in JSON; what no article states has no place."""

from collections.abc import Iterator

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ServiceSettings
from index.build import build
from index.encoder import load_encoder
from index.entry import entries
from kb.article import read_article

ARTICLE = """# The till stops at noon

```
com.shop.till.DrawerException: ORA-00942: drawer is gone
\tat com.shop.till.Drawer.open(Drawer.java:4)
```

## Root cause

The <b>fuse</b> of the drawer was blown.

## Fix

Replace the fuse of the drawer.
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    home = tmp_path_factory.mktemp("places")
    encoder = load_encoder(None)
    build([entries(read_article(ARTICLE.encode(), "till.md").incidents, encoder)], home, encoder)
    with TestClient(create_app(ServiceSettings(home=home))) as opened:
        yield opened


@pytest.mark.parametrize(
    ("lang", "places"),
    [
        (
            "en",
            [
                "Quoted from the article, line 10, under “Root cause”",
                "Quoted from the article, line 14, under “Fix”",
                "Source · till.md",
            ],
        ),
        ("zh", ["摘自原文第 10 行，“Root cause”之下", "摘自原文第 14 行，“Fix”之下", "来源 · till.md"]),
    ],
)
def test_the_page_says_where(client: TestClient, lang: str, places: list[str]) -> None:
    """The answer names the lines of both quotations; the incident's page also where the article lies."""
    answer = LexborHTMLParser(client.post(f"/?lang={lang}", data={"text": ARTICLE}, files={}).text)
    address = answer.css_first(".best h2 a").attributes["href"] or ""
    for page, expected in ((answer, places[:2]), (LexborHTMLParser(client.get(address).text), places)):
        assert sorted(node.text() for node in page.css(".place")) == sorted(expected)
        assert "ORA-00942" in [node.text() for node in page.css(".chip")]


def test_the_record_says_where(client: TestClient) -> None:
    found = client.post("/v1/search", json={"text": ARTICLE}).json()["matches"][0]["incident"]["id"]
    record = client.get(f"/v1/incidents/{found}").json()
    (place,) = record["quotes"]["fix"]
    assert ARTICLE[place["start"] : place["end"]] == record["fix"]
    assert record["codes"] == ["ORA-00942"]
