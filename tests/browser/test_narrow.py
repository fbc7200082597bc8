"""At 375 px: what belongs together stays in one row, and what is long is read whole instead of being cut."""

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from playwright.sync_api import Browser, Page

from kb.incident import Incident, Source, Status
from kb.store import Author, Role, Store
from kb.store.tallies import TallyKey, TallyKind, UnansweredQuestion, today
from tests.api.fixtures import LiveServer, poll, serving
from tests.api.knowledge import build_home
from tests.browser.test_curators import ROOT
from tests.browser.test_fingers import enter

pytestmark = pytest.mark.browser
LINE = "Restart the pods one by one, and wait until each of them has joined its group again"
CUT = """() => [...document.querySelectorAll("main .scroll")].filter(part => part.offsetParent && part.scrollWidth > part.clientWidth + 1).length"""
"""Parts of a page that have to be scrolled sideways."""
OUTSIDE = """() => [...document.querySelectorAll(".asked :is(a, button)")].filter(one => one.getBoundingClientRect().right > one.closest("section").getBoundingClientRect().right - 8).length"""
"""Buttons that reach into the edge of their card."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveServer, str]]:
    """A service, and the key of a reviewer."""
    folder = tmp_path_factory.mktemp("narrow")
    build_home(folder)
    with Store.open(folder / "store.db") as store:
        own, key = store.keys.create("Ann", Role.REVIEWER, actor=ROOT)
        one = Incident("long", "It stops", "en", Source("it", "it"), fix="Wait.")
        store.incidents.create(one, actor=ROOT, status=Status.PUBLISHED)
        store.incidents.revise(replace(one, fix=LINE), expected=1, actor=ROOT, status=Status.IN_REVIEW)
        store.reviews.assign("long", [Author(own.actor.id, own.name)], actor=ROOT)
        store.tallies.add(
            {TallyKey(TallyKind.UNANSWERED, "q", today(), "page unknown"): 5},
            [UnansweredQuestion("q", "jvm", "com.acme.Jam", "belt <int> stands", "long")],
        )
    with serving(folder, folder) as server:
        poll(lambda: httpx.get(f"{server.url}/readyz").is_success)
        yield server, key


@pytest.fixture(params=["en-US", "zh-CN"])
def phone(browser: Browser, request: pytest.FixtureRequest, desk: tuple[LiveServer, str]) -> Iterator[Page]:
    """The page of a reviewer."""
    server, key = desk
    context = browser.new_context(locale=request.param, viewport={"width": 375, "height": 800}, has_touch=True)
    page = context.new_page()
    enter(page, server.url, key)
    yield page
    context.close()


def test_a_changed_line_is_read_whole(phone: Page, desk: tuple[LiveServer, str]) -> None:
    phone.goto(f"{desk[0].url}/incidents/long/history?from=1&to=2")
    assert LINE in (phone.locator(".diff .added").last.text_content() or "")
    assert phone.evaluate(CUT) == 0


def test_the_tables_of_the_api_page_are_read_without_scrolling_sideways(
    phone: Page, desk: tuple[LiveServer, str]
) -> None:
    phone.goto(f"{desk[0].url}/docs")
    phone.evaluate("document.querySelectorAll('.route').forEach(part => { part.open = true })")
    assert phone.locator(".routes .grid").count() > 20
    assert phone.evaluate(CUT) == 0


def test_no_row_begins_or_ends_with_a_mark_between_two_words(phone: Page, desk: tuple[LiveServer, str]) -> None:
    phone.goto(f"{desk[0].url}/review")
    age, rest = (
        phone.locator(f".rows li .hint > span{one}").bounding_box() for one in (":not(.chip) time", ":not(.chip)")
    )
    assert age
    assert rest
    assert abs(age["y"] - rest["y"]) < 8, "when and by whom are one text"
    phone.goto(f"{desk[0].url}/dashboard")
    assert not (phone.locator(".asked .hint").first.inner_text().split("\n")[0]).rstrip().endswith("·")
    assert phone.evaluate(OUTSIDE) == 0


def test_the_badge_of_a_language_stands_beside_how_likely_it_is(phone: Page, desk: tuple[LiveServer, str]) -> None:
    phone.goto(f"{desk[0].url}/?lang=zh&q=checkpoint+fails+disk+of+the+taskmanager+full")
    phone.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
    summary = phone.locator(".candidate summary:has(.only)").first
    parts = (".only", ".scale", ".odds > span:not(.chip, .related-only)")
    badge, scale, words = (summary.locator(one).bounding_box() for one in parts)
    assert badge
    assert scale
    assert words
    middles = [one["y"] + one["height"] / 2 for one in (badge, scale, words)]
    assert max(middles) - min(middles) < 6
