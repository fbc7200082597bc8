"""At 375 px with a finger: what is tapped is large enough, the header leaves room, and what saves is in view wherever one writes."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from kb.incident import Incident, Source, Status
from kb.store import Author, Role, Store
from kb.store.tallies import TallyKey, TallyKind, UnansweredQuestion, today
from tests.api.fixtures import LiveServer, serving
from tests.api.knowledge import HDFS_TRACE, UNKNOWN_TRACE, build_home
from tests.browser.places import EVERY
from tests.browser.test_accessible import violations
from tests.browser.test_curators import ROOT, login

pytestmark = pytest.mark.browser

SMALL = """() => [...document.querySelectorAll("a, button, summary, select, textarea, label, input:not([type=hidden])")]
  .filter(e => e.checkVisibility() && !e.closest("svg, .prose, p.hint, dialog:not([open]), .skip") && !(e.matches("label") && !e.matches(".check, .file *")) && !e.matches("[type=checkbox], [type=file]"))
  .map(e => [e.getBoundingClientRect().height, e]).filter(([height]) => height < 43.9).map(([height, e]) => `${height.toFixed(0)} ${e.outerHTML.slice(0, 100)}`)"""
"""What is tapped and lower than 44 px. Links in running text are no targets of their own (WCAG 2.5.5)."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveServer, str]]:
    """A service, and the key of an administrator with a long name, who sees every link of the header."""
    folder = tmp_path_factory.mktemp("fingers")
    build_home(folder)
    with Store.open(folder / "store.db") as store:
        own, key = store.keys.create("Wolfeschlegelsteinhausen", Role.ADMIN, actor=ROOT)
        for number in range(12):  # as many as the header is to have room for
            one = Incident(f"waits-{number}", "It waits", "en", Source("it", "it"))
            store.incidents.create(one, actor=ROOT, status=Status.IN_REVIEW)
            store.reviews.assign(one.id, [Author(own.actor.id, own.name)], actor=ROOT)
        store.tallies.add(  # so that every number of the dashboard is a link
            {TallyKey(TallyKind.SEARCH, f"page {one}", today(), "4"): 5 for one in ("known", "unknown")}
            | {TallyKey(TallyKind.FOUND, "hostile", today(), "page known"): 5}
            | {TallyKey(TallyKind.UNANSWERED, "q", today(), "page unknown"): 5},
            [UnansweredQuestion("q", "jvm", "com.acme.Jam", "belt <int> stands", "hostile")],
        )
    with serving(folder, folder) as server:
        yield server, key


@pytest.fixture(params=["en-US", "zh-CN"])
def phone(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    context = browser.new_context(locale=request.param, viewport={"width": 375, "height": 800}, has_touch=True)
    yield context
    context.close()


def enter(page: Page, url: str, key: str) -> None:
    page.goto(f"{url}/login?next=/drafts")
    page.locator("#key").fill(key)
    page.locator("main form button").click()
    page.wait_for_url("**/drafts**")


@pytest.mark.slow
def test_what_is_tapped_is_large_enough(phone: BrowserContext, desk: tuple[LiveServer, str]) -> None:
    server, key = desk
    page = phone.new_page()
    page.goto(f"{server.url}/login")
    small = {"/login": page.evaluate(SMALL)}
    enter(page, server.url, key)
    for place in EVERY:
        page.goto(server.url + place)
        if place.startswith("/map"):
            page.wait_for_selector(".map circle")
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
        small[place] = page.evaluate(SMALL)
    for text in (HDFS_TRACE, UNKNOWN_TRACE):
        page.goto(server.url)
        page.locator("#text").fill(text)
        page.locator("form.ask button").click()
        page.wait_for_selector(".verdict")
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
        small[text[:20]] = page.evaluate(SMALL)
    assert {place: found for place, found in small.items() if found} == {}


@pytest.mark.slow
def test_axe_finds_nothing_on_any_page(phone: BrowserContext, desk: tuple[LiveServer, str]) -> None:
    server, key = desk
    page = phone.new_page()
    enter(page, server.url, key)
    wrong: dict[str, list[str]] = {}
    for place in EVERY:
        page.goto(server.url + place)
        if place.startswith("/map"):
            page.wait_for_selector(".map circle")
        wrong[place] = violations(page)
    assert {place: found for place, found in wrong.items() if found} == {}


def test_the_header_has_two_rows_at_most(phone: BrowserContext, desk: tuple[LiveServer, str]) -> None:
    server, key = desk
    page = phone.new_page()
    page.goto(server.url)
    assert page.evaluate("document.querySelector('.top').offsetHeight") <= 48, "one row for readers"
    enter(page, server.url, key)
    assert page.evaluate("document.querySelector('.top').offsetHeight") <= 96
    links = page.locator(".top :is(a, button)")
    for at in range(links.count()):
        box = links.nth(at).bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 375


@pytest.mark.parametrize("width", [375, 1280])
def test_what_saves_is_in_view_at_any_place(page: Page, desk: tuple[LiveServer, str], width: int) -> None:
    server, key = desk
    page.set_viewport_size({"width": width, "height": 800})
    login(page, server.url, key, "/incidents/flink-checkpoint-disk-full/edit")
    expect(page.get_by_role("heading", name="Ready to save")).to_be_visible()
    for part in (0, 0.3, 0.6, 1):
        page.evaluate("part => scrollTo(0, part * document.documentElement.scrollHeight)", part)
        for name in ("Check", "Save as draft", "Send to review", "Publish"):
            expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
    opener = page.get_by_role("button", name="Keyboard shortcuts").bounding_box()
    bar = page.locator(".saves").bounding_box()
    assert opener
    assert bar
    assert opener["y"] + opener["height"] <= bar["y"], "the end of the page is not covered"
    page.set_viewport_size({"width": width, "height": 300})
    assert page.locator(".saves").evaluate("bar => getComputedStyle(bar).position") == "static", (
        "a low window has no room"
    )


def test_a_finger_on_the_map_tells_the_nearest_dot_and_its_title_opens_it(
    phone: BrowserContext, desk: tuple[LiveServer, str]
) -> None:
    server, _ = desk
    page = phone.new_page()
    page.goto(f"{server.url}/map")
    dot = page.locator(".map a[href*='flink-checkpoint-disk-full'] circle")
    dot.wait_for()
    assert page.locator(".map title").count() == 0, "the browser would show it over ours"
    dot.scroll_into_view_if_needed()
    box = dot.bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + box["width"] / 2 + 8, box["y"] + box["height"] / 2 + 8)
    label = page.locator(".dot-title")
    expect(label).to_be_visible()
    assert "/map" in page.url
    frame, shown = page.locator("#map").bounding_box(), label.bounding_box()
    assert frame
    assert shown
    assert frame["y"] <= shown["y"]
    assert shown["y"] + shown["height"] <= frame["y"] + frame["height"]
    label.tap()
    page.wait_for_url("**/incidents/flink-checkpoint-disk-full**")


def test_the_map_of_a_phone_is_upright(phone: BrowserContext, desk: tuple[LiveServer, str]) -> None:
    """More room between dots; without a script it is as wide as it is drawn."""
    page = phone.new_page()
    page.goto(f"{desk[0].url}/map")
    page.locator(".map circle").first.wait_for()
    page.wait_for_function("document.querySelector('.map svg').viewBox.baseVal.width === 640")
    box = page.locator(".map svg").bounding_box()
    assert box
    assert box["height"] > 1.4 * box["width"]
    outside = "[...document.querySelectorAll('.map circle')].filter(e => e.cx.baseVal.value > 640 || e.cy.baseVal.value > 1000).length"
    assert page.evaluate(outside) == 0


def test_what_is_missing_stands_before_the_form_of_a_phone(phone: BrowserContext, desk: tuple[LiveServer, str]) -> None:
    server, key = desk
    page = phone.new_page()
    enter(page, server.url, key)
    page.goto(f"{server.url}/incidents/flink-checkpoint-disk-full/edit")
    state = page.locator("#look > .verdict")
    expect(state).to_be_visible()
    above, form = state.bounding_box(), page.locator("#writeup").bounding_box()
    assert above
    assert form
    assert above["y"] + above["height"] <= form["y"]
    expect(page.locator("[data-view=both]")).to_be_hidden()


EDGES = """() => [".top .wrap", "main", ".ends"].map(one => {
  const box = document.querySelector(one).getBoundingClientRect();
  return [box.left, box.right];
})"""


def test_header_page_and_footer_have_one_edge_and_the_footer_is_one_line(
    page: Page, desk: tuple[LiveServer, str]
) -> None:
    server, key = desk
    page.set_viewport_size({"width": 1700, "height": 900})
    login(page, server.url, key, "/write")
    for place in ("/write", "/incidents", "/?q=checkpoint"):
        page.goto(server.url + place)
        edges = page.evaluate(EDGES)
        assert edges[0] == edges[1] == edges[2], place
        opener = page.get_by_role("button", name="Keyboard shortcuts").bounding_box()
        about = page.get_by_role("link", name="API description").bounding_box()
        assert opener
        assert about
        assert abs(opener["y"] + opener["height"] / 2 - about["y"] - about["height"] / 2) < 6, place


ROWS = """(selector) => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility()).map(bar => {
  const parts = [...bar.querySelectorAll("a, button")].filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect());
  return parts.length && (Math.max(...parts.map(r => r.top)) >= Math.min(...parts.map(r => r.bottom)) || Math.max(...parts.map(r => r.right)) > innerWidth) ? bar.outerHTML.slice(0, 200) : "";
}).filter(Boolean)"""
"""Bars of which a part stands below another one, or beyond the right edge."""
BARS = {
    "/incidents/flink-checkpoint-disk-full": ".bar",
    "/incidents/flink-checkpoint-disk-full/history": ".bar",
    "/incidents/flink-checkpoint-disk-full/edit": ".views, .saves",
    "/write": ".views, .saves",
    "/searches?verdict=known": ".tabs",
    "/incidents": ".sorts",
}


@pytest.mark.slow
def test_each_bar_of_links_or_buttons_is_one_row(phone: BrowserContext, desk: tuple[LiveServer, str]) -> None:
    """For readers and for curators, who have more of them; of an answer, too."""
    server, key = desk
    page = phone.new_page()
    several: dict[str, list[str]] = {}
    page.goto(f"{server.url}/incidents/flink-checkpoint-disk-full")
    expect(page.locator(".bar a")).to_have_count(2)
    several["a reader"] = page.evaluate(ROWS, ".bar")
    enter(page, server.url, key)
    for place, bars in BARS.items():
        page.goto(server.url + place)
        expect(page.locator(bars).first).to_be_visible()
        several[place] = page.evaluate(ROWS, bars)
    page.goto(server.url)
    page.locator("#text").fill(HDFS_TRACE)
    page.locator("form.ask button").click()
    expect(page.locator(".share .copy").nth(2)).to_be_visible()
    several["an answer"] = page.evaluate(ROWS, ".share")
    assert {place: found for place, found in several.items() if found} == {}
