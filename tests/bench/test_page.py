"""The page as people use it, in a real Chromium over a real `kb serve`: ten tasks of new users in actions and seconds, and times at any size.

``KB_BENCH_HOME`` names a home to measure the times of (its key in ``KB_BENCH_KEY``); unset, the six incidents of the tests.
``python -m tests.bench.million.make PARTS COUNT HOME`` makes a large one. An action is a click, a paste, a text that is typed, or a key.
Seconds are the machine's: nobody reads or thinks. `docs/page.md` has the tables.
"""

import os
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Response, ViewportSize, expect

from kb.incident import Status
from kb.record import from_record
from kb.store import Role, Store
from kb.store.tallies import TallyKey, TallyKind, UnansweredQuestion, today
from tests.api.fixtures import LiveServer, poll, serving
from tests.api.knowledge import HDFS_TRACE, RECORDS, UNKNOWN_TRACE, build_home
from tests.browser.conftest import chromium
from tests.browser.test_curators import ROOT, login

pytestmark = [pytest.mark.bench, pytest.mark.browser]

PASTES = 40
"""Pastes of which the middle and the 95th of a hundred are told."""
VIEWPORT: ViewportSize = {"width": 1280, "height": 900}
VISITS = 9
"""Loads of each page in an open tab: the middle one and the worst are printed."""
PAINTED = """text => new Promise(done => {
  const box = document.querySelector("#text");
  const begun = performance.now();
  new MutationObserver((_, watch) => {
    if (!document.querySelector("main .verdict")) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
  }).observe(document.body, { childList: true, subtree: true });
  box.value = text;
  box.form.requestSubmit();
})"""
"""Milliseconds from the question to the frame in which its answer is painted."""
VITALS = """() => new Promise(done => {
  const found = { lcp: 0, cls: 0 };
  new PerformanceObserver(list => { for (const one of list.getEntries()) found.lcp = one.startTime; }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver(list => { for (const one of list.getEntries()) if (!one.hadRecentInput) found.cls += one.value; }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(found), 300);
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveServer, str]]:
    """A service with something to do, and the key of a reviewer."""
    folder: Path = tmp_path_factory.mktemp("page")
    build_home(folder)
    with Store.open(folder / "store.db") as store:
        key = store.keys.create("Ann", Role.REVIEWER, actor=ROOT)[1]
        for name, status in (("disk-again", Status.PUBLISHED), ("to-review", Status.IN_REVIEW)):
            record = {**RECORDS[2], "id": name, "title": f"About {name}", "fix": None}
            store.incidents.create(from_record(record), actor=ROOT, status=status)
        store.incidents.create(from_record({"id": "twice", "title": "First"}), actor=ROOT, status=Status.PUBLISHED)
        second = from_record({"id": "twice", "title": "Second"})
        store.incidents.revise(second, expected=1, actor=ROOT, status=Status.PUBLISHED)
        asked = UnansweredQuestion("d1", "jvm", "com.acme.Jam", "belt <int> stands", "hostile")
        store.tallies.add({TallyKey(TallyKind.UNANSWERED, "d1", today()): 9}, [asked])
    with serving(folder, folder) as server:
        poll(lambda: httpx.get(f"{server.url}/readyz").is_success)
        yield server, key


class Hand:
    """Somebody's hand: counts what it does."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url, self.actions = page, url, 0

    def click(self, name: str, role: str = "link", within: Locator | None = None) -> None:
        self.actions += 1
        place = within or self.page.locator("body")
        place.get_by_role(role, name=name).first.click()  # type: ignore[arg-type]

    def type(self, place: str, text: str) -> None:
        self.actions += 1
        self.page.locator(place).fill(text)

    def paste(self, text: str) -> None:
        self.actions += 1
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.page.locator("#text").press("Control+v")

    def sees(self, words: str) -> None:
        expect(self.page.locator("main")).to_contain_text(words)


def find(hand: Hand) -> None:
    hand.paste(HDFS_TRACE)
    hand.sees("Raise dfs.client.block.write")


def share(hand: Hand) -> None:
    hand.paste(HDFS_TRACE)
    hand.click("Copy link", "button")
    hand.sees("Copied")


def deny(hand: Hand) -> None:
    hand.paste(HDFS_TRACE)
    hand.click("This was not it", "button")
    hand.sees("Look at the others below")


def write(hand: Hand) -> None:
    hand.paste(UNKNOWN_TRACE)
    hand.click("Write it up", "button")
    hand.type("#part-root_cause", "The footer has no logo.")
    hand.type("#part-fix", "Give it one.")
    hand.click("Publish", "button")
    hand.sees("Published")


def merge(hand: Hand) -> None:
    hand.click("Incidents")
    hand.click("About disk-again")
    hand.click("History")
    hand.click("Checkpoint fails because the disk", within=hand.page.locator("[aria-labelledby=merge]"))
    hand.click("Merge", "button")
    hand.sees("disk-again → flink-checkpoint-disk-full")


def unanswered(hand: Hand) -> None:
    hand.click("Dashboard")
    hand.sees("belt <int> stands")


def translate(hand: Hand) -> None:
    hand.click("Incidents")
    hand.click("UnicodeDecodeError when a report")
    hand.click("Add a Chinese translation")
    box = hand.page.locator("#writeup-text")
    text = box.input_value().replace("title: ''\nlang: zh", "title: 读取报告时编码错误\nlang: zh")
    hand.type(
        "#writeup-text",
        text.replace("## 根因\n\n", "## 根因\n\n文件是 UTF-8。\n\n").replace(
            "## 解决\n\n", "## 解决\n\n指定编码。\n\n"
        ),
    )
    hand.click("Publish", "button")
    hand.sees("Published")


def review(hand: Hand) -> None:
    hand.click("Incidents")
    hand.click("in review")
    hand.click("History")
    hand.click("Publish", "button")
    hand.sees("It is published now")


def restore(hand: Hand) -> None:
    hand.click("Incidents")
    hand.type("#find-text", "Second")
    hand.click("History", within=hand.page.locator(".rows li", has_text="Second"))
    hand.click("Restore 1", "button")
    hand.sees("restored revision 1")


def without_fix(hand: Hand) -> None:
    hand.click("Incidents")
    facets = hand.page.locator("#facets")
    hand.click("flink", within=facets)
    hand.click("no fix yet", within=facets)
    hand.sees("2 incidents")


TASKS: dict[str, Callable[[Hand], None]] = {
    "find the fix of a trace": find,
    "share the answer": share,
    "say that it was wrong": deny,
    "write one up from a paste": write,
    "merge a duplicate": merge,
    "see what is asked most and not answered": unanswered,
    "translate": translate,
    "review": review,
    "restore an old text": restore,
    "all incidents of a component without a fix": without_fix,
}
MOST = {"write one up from a paste": 6, "merge a duplicate": 5, "translate": 5}
"""Actions that a task may take; any other at most four."""


def test_ten_tasks_of_new_users(browser: Browser, house: tuple[LiveServer, str]) -> None:
    server, key = house
    rows, long = [], {}
    for name, task in TASKS.items():
        context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 900})
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        login(page, server.url, key, "/")
        expect(page.locator("#text")).to_be_visible()
        hand, started = Hand(page, server.url), time.monotonic()
        task(hand)
        rows.append(f"| {name} | {hand.actions} | {time.monotonic() - started:.1f} |")
        if hand.actions > MOST.get(name, 4):
            long[name] = hand.actions
        context.close()
    print("\n| task | actions | s |\n|---|---|---|", *rows, sep="\n")
    assert long == {}


@pytest.fixture(scope="module")
def measured(house: tuple[LiveServer, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Address and key of what is measured."""
    if not (home := os.environ.get("KB_BENCH_HOME")):
        yield house[0].url, house[1]
        return
    with serving(Path(home), tmp_path_factory.mktemp("large")) as server:
        poll(lambda: httpx.get(f"{server.url}/readyz").is_success)
        yield server.url, os.environ["KB_BENCH_KEY"]


def _ended(page: Page, address: str) -> float:
    """Go there and return the milliseconds until everything has loaded."""
    page.goto(address, wait_until="load")
    took: float = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    return took


def _first_visit(browser: Browser, logged_in: BrowserContext, address: str) -> tuple[float, dict[str, float]]:
    """Open a page in a browser that has nothing cached: milliseconds to its end, its largest paint and shift."""
    fresh = browser.new_context(locale="en-US", viewport=VIEWPORT, storage_state=logged_in.storage_state())
    tab = fresh.new_page()
    ended = _ended(tab, address)
    vitals: dict[str, float] = tab.evaluate(VITALS)
    fresh.close()
    return ended, vitals


def _weight(browser: Browser, logged_in: BrowserContext, address: str) -> int:
    """Return the bytes of a page with all it loads, in a visit of its own: reading them out of the browser delays it."""
    fresh = browser.new_context(locale="en-US", viewport=VIEWPORT, storage_state=logged_in.storage_state())
    tab = fresh.new_page()
    responses: list[Response] = []
    tab.on("response", lambda one: responses.append(one))  # noqa: PLW0108 - Playwright marks the handler, which a built-in cannot be
    tab.goto(address, wait_until="load")
    weight = sum(len(one.body()) for one in responses if one.ok)  # not before: a body may still be on its way
    fresh.close()
    return weight


def test_times_of_pages(browser: Browser, measured: tuple[str, str]) -> None:
    """Each page is under 150 kB with all it loads."""
    url, key = measured
    found = httpx.get(f"{url}/v1/incidents?limit=50").json()["incidents"]
    traces = [httpx.get(f"{url}/v1/incidents/{one['id']}").json().get("traces") for one in found]
    pastes = [one[0] for one in traces if one] or [HDFS_TRACE]
    context = browser.new_context(locale="en-US", viewport=VIEWPORT)
    page = context.new_page()
    login(page, url, key, "/")
    times = []
    for at in range(PASTES + 3):
        page.goto(url)
        took = page.evaluate(PAINTED, f"run {at}\n{pastes[at % len(pastes)]}")
        times += [took] if at >= 3 else []  # the first ones warm it
    ranks = statistics.quantiles(times, n=20)
    print(f"\npaste → painted: p50 {statistics.median(times):.0f} ms, p95 {ranks[-1]:.0f} ms, {PASTES} pastes")
    print(
        "\n| page | kB | ms to its end | worst | first visit | LCP ms | layout shift |\n|---|---|---|---|---|---|---|"
    )
    heavy = {}
    places = (
        "/",
        "/?q=checkpoint",
        "/incidents",
        f"/incidents/{found[0]['id']}",
        f"/incidents/{found[0]['id']}/history",
        "/write",
        "/drafts",
        "/dashboard",
        "/map",
        "/docs",
        "/login",
    )
    for place in places:
        asks = {"Authorization": f"Bearer {key}"}
        poll(lambda place=place, asks=asks: "Refresh" not in httpx.get(url + place, headers=asks, timeout=60).headers)  # type: ignore[misc]
        weight = _weight(browser, context, url + place)
        first, vitals = _first_visit(browser, context, url + place)
        again = [_ended(page, url + place) for _ in range(VISITS)]
        print(
            f"| `{place.split('?')[0][:40]}` | {weight / 1000:.0f} | {statistics.median(again):.0f} | {max(again):.0f}"
            f" | {first:.0f} | {vitals['lcp']:.0f} | {vitals['cls']:.3f} |"
        )
        if weight >= 150_000:
            heavy[place] = weight
    context.close()
    assert heavy == {}
