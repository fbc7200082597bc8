"""`/dev/cards` as it is seen: every platform's cards, in both languages. `--update-golden` takes the pictures of the README anew."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route
from starlette.testclient import TestClient

from api.app import create_app
from api.chat.platforms import names
from api.chat.preview import drawn, examples
from api.chat.room import Chats
from api.chat.settings import ChatSettings
from api.settings import ServiceSettings
from tests.api.fixtures import HERE, LOCAL
from tests.browser.looks import CONTRAST

OUTSIDE = """() => [...document.querySelectorAll("figure")].flatMap(figure => {
  const edge = figure.getBoundingClientRect();
  return [...figure.querySelectorAll("*")].filter(part => {
    const box = part.getBoundingClientRect();
    return box.width && (box.right > edge.right + 1 || box.left < edge.left - 1 || box.bottom > edge.bottom + 1);
  }).map(part => part.outerHTML.slice(0, 120));
})"""
TOGETHER = """lang => {
  const grid = document.querySelector(".cards-grid");
  const shown = [...document.querySelectorAll("figure")].filter(figure => figure.lang === lang && figure.textContent.startsWith("known"));
  for (const figure of shown) figure.querySelector("figcaption").textContent = figure.closest("section").id;
  grid.replaceChildren(...shown);
  grid.style.columns = 3;
  grid.style.display = "block";
  for (const figure of shown) figure.style.cssText = "break-inside: avoid; margin-bottom: 1rem";
  document.querySelectorAll("section").forEach(section => section.contains(grid) || section.remove());
}"""
"""One card of each platform."""
ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "tests" / "golden" / "chat"


@pytest.fixture
def cards(page: Page, tmp_path: Path) -> Iterator[Page]:
    """The page, on a service in this process whose answers the browser is given."""
    app = create_app(ServiceSettings(home=tmp_path), Chats(ChatSettings(dev_pages=True), {}))
    with TestClient(app, client=HERE, base_url=LOCAL) as client:

        def answer(route: Route) -> None:
            parts = urlsplit(route.request.url)
            given = client.get(f"{parts.path}?{parts.query}")
            route.fulfill(status=given.status_code, headers=dict(given.headers), body=given.content)

        page.route(f"{LOCAL}/**", answer)
        yield page


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_card_is_seen_whole(
    cards: Page, lang: str, request: pytest.FixtureRequest, golden: Callable[[Path, str], None]
) -> None:
    """What the pictures were taken of is noted beside them: they show what is drawn now."""
    cards.set_viewport_size({"width": 1280, "height": 900})
    cards.goto(f"{LOCAL}/dev/cards?lang={lang}")
    figures = cards.locator("figure")
    assert figures.count() == len(drawn())
    for place in range(figures.count()):
        box = figures.nth(place).bounding_box()
        assert box is not None
        assert box["width"] > 200
        assert box["height"] > 40
    assert cards.evaluate(OUTSIDE) == [], "nothing runs out of its card"
    assert cards.evaluate("document.documentElement.scrollWidth") <= 1280
    assert cards.evaluate(CONTRAST) == []
    text = cards.inner_text("main").lower()
    assert all(name in text for name in names())
    assert all(message.headline.lower() in text for message in examples(lang).values())
    cards.evaluate(TOGETHER, lang)
    drawing = cards.locator(".cards-grid").inner_html() + (ROOT / "api/static/cards.css").read_text(encoding="utf-8")
    if request.config.getoption("--update-golden"):
        cards.locator(".cards-grid").screenshot(path=PICTURES / f"cards-{lang}.png")
    golden(PICTURES / f"cards-{lang}.sha256", hashlib.sha256(drawing.encode()).hexdigest() + "\n")
