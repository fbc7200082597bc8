"""The curator's morning in a real Chromium over a real `kb serve`: from a question without an answer to a draft; axe-core finds nothing."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pyarrow as pa
import pytest
from playwright.sync_api import Browser, Page, expect

from ingest.lake import Lake
from ingest.schemas import STATE_SCHEMA
from kb.store import Actor, Role, Store
from kb.store.tallies import TallyKey, TallyKind, UnansweredQuestion, today
from tests.api.fixtures import LiveServer, poll, serving
from tests.api.knowledge import build_home
from tests.browser.looks import CONTRAST
from tests.browser.test_accessible import violations

pytestmark = pytest.mark.browser

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


@pytest.fixture(scope="module")
def key() -> dict[str, str]:
    return {}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, key: dict[str, str]) -> Iterator[LiveServer]:
    """A `kb serve` that was asked a few things."""
    folder: Path = tmp_path_factory.mktemp("morning")
    build_home(folder)
    lake = Lake(folder)
    with lake.locked():
        rejected = dict.fromkeys(STATE_SCHEMA.names) | {"source": "/wiki", "path": "guide.md", "status": "rejected"}
        lake.commit(pa.Table.from_pylist([rejected | {"doc": "a", "reason": "manual"}], schema=STATE_SCHEMA))
    with Store.open(folder / "store.db") as store:
        key["curator"] = store.keys.create("Ann", Role.CURATOR, actor=Actor("test", "test", Role.ADMIN))[1]
        asked = (
            UnansweredQuestion("d1", "jvm", "com.acme.Jam", "belt <int> stands", "hostile"),
            UnansweredQuestion("d2", "python", HOSTILE, HOSTILE, HOSTILE, HOSTILE),
            UnansweredQuestion("words", "text", "", "", ""),
        )
        sums = {
            TallyKey(TallyKind.UNANSWERED, one.name, today(), "page unknown"): 9 - at for at, one in enumerate(asked)
        }
        sums |= {TallyKey(TallyKind.SEARCH, f"page {one}", today(), "4"): 5 for one in ("known", "unknown")}
        store.tallies.add(sums | {TallyKey(TallyKind.FOUND, "hostile", today()): 4}, asked)
    with serving(folder, folder) as server:
        poll(lambda: httpx.get(f"{server.url}/readyz").is_success)
        yield server


def enter(page: Page, desk: LiveServer, key: dict[str, str]) -> None:
    page.goto(f"{desk.url}/login?next=/dashboard")
    page.locator("#key").fill(key["curator"])
    page.get_by_role("main").get_by_role("button").click()
    page.wait_for_url("**/dashboard**")


def test_from_a_question_to_a_draft_by_keyboard(page: Page, desk: LiveServer, key: dict[str, str]) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    enter(page, desk, key)
    first = page.locator(".asked > li").first
    expect(first).to_contain_text("com.acme.Jam: belt <int> stands")
    first.get_by_role("link", name="Write it up").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#writeup-text")).to_have_value(re.compile("com.acme.Jam: belt <int> stands"))
    page.goto(f"{desk.url}/incidents/hostile")
    expect(page.locator(".times")).to_contain_text("Given as the answer 4 × in the last 90 days")


def test_without_scripts_a_number_leads_to_its_list(browser: Browser, desk: LiveServer, key: dict[str, str]) -> None:
    context = browser.new_context(locale="zh-CN", java_script_enabled=False, viewport={"width": 375, "height": 800})
    page = context.new_page()
    enter(page, desk, key)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="5 从未作为答案给出").click()
    expect(page.locator(".summary strong")).to_have_text("5 条故障记录")
    page.goto(f"{desk.url}/dashboard?lang=zh")
    page.locator(".asked > li").last.get_by_role("button", name="清除").click()
    expect(page.locator(".asked > li")).to_have_count(2)
    context.close()


@pytest.mark.parametrize(
    ("scheme", "locale", "width"),
    [
        ("dark", "en-US", 375),
        pytest.param("light", "en-US", 1280, marks=pytest.mark.slow),
        pytest.param("light", "zh-CN", 375, marks=pytest.mark.slow),
        pytest.param("dark", "zh-CN", 1280, marks=pytest.mark.slow),
    ],
)
def test_axe_and_contrast_find_nothing(
    browser: Browser, desk: LiveServer, key: dict[str, str], scheme: str, locale: str, width: int
) -> None:
    context = browser.new_context(color_scheme=scheme, locale=locale, viewport={"width": width, "height": 900})  # type: ignore[arg-type]
    page = context.new_page()
    enter(page, desk, key)
    wrong: dict[str, list[str]] = {}
    for place in (
        "/dashboard",
        "/rejected?text=guide",
        "/searches",
        "/searches?verdict=unknown&day=" + today().isoformat(),
        "/incidents",
        "/incidents?component=flink&only=never_found&text=disk",
        "/incidents/hostile",
    ):
        page.goto(desk.url + place)
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
        wrong[place] = violations(page) + page.evaluate(CONTRAST)
    context.close()
    assert {place: found for place, found in wrong.items() if found} == {}
