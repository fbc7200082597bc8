"""Reports of `kb triage` in a real Chromium over a real `kb serve`: nobody is shut out, nothing hostile runs, and a group becomes a write-up."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from index.triage_reports import KnownGroup, TriageReport
from kb.store import Role, Store
from tests.api.fixtures import LiveServer, poll, serving
from tests.api.knowledge import build_home
from tests.api.pages.test_triage_page import DRAFT, HOSTILE, LAST, group, written
from tests.browser.test_accessible import violations
from tests.browser.test_curators import ROOT, login

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveServer, str]]:
    """A service whose home has one report, and the key of a curator."""
    folder = tmp_path_factory.mktemp("triage")
    build_home(folder)
    report = TriageReport(LAST, [f"/logs/{HOSTILE}"], "s1", crashes=1_000, distinct=70)
    report.known = [
        KnownGroup(
            incident="kafka-commit-rebalanced", title="Rebalanced", verdict="known", crashes=50, probability=0.97
        )
    ]
    report.unknown = [*(group(n) for n in range(30)), group(90, template=HOSTILE, text=HOSTILE)]
    (written(folder, report) / "drafts" / f"{0:032x}.md").write_text(DRAFT)
    with Store.open(folder / "store.db") as store:
        key = store.keys.create("Ann", Role.CURATOR, actor=ROOT)[1]
    with serving(folder, folder) as server:
        poll(lambda: httpx.get(f"{server.url}/readyz").is_success)
        yield server, key


def test_a_group_becomes_a_write_up(page: Page, desk: tuple[LiveServer, str]) -> None:
    server, key = desk
    login(page, server.url, key, "/triage")
    page.get_by_role("main").get_by_role("link", name=re.compile("2026-11-27")).click()
    first = page.locator(".asked > li").first
    first.get_by_text("The trace").click()
    expect(first).to_contain_text("com.acme.Tray.pull")
    first.get_by_role("link", name="Write it up").click()
    expect(page.get_by_label("Title")).to_have_value("Tray is empty")


@pytest.mark.parametrize(
    ("scheme", "locale", "width"),
    [("light", "en-US", 1280), ("dark", "en-US", 375), ("light", "zh-CN", 375), ("dark", "zh-CN", 1280)],
)
@pytest.mark.slow
def test_axe_finds_nothing(
    browser: Browser, desk: tuple[LiveServer, str], scheme: str, locale: str, width: int
) -> None:
    server, key = desk
    context = browser.new_context(color_scheme=scheme, locale=locale, viewport={"width": width, "height": 900})  # type: ignore[arg-type]
    page = context.new_page()
    page.on("dialog", lambda dialog: pytest.fail(f"a script of the report ran: {dialog.message}"))
    page.goto(f"{server.url}/login?next=/triage")
    page.locator("main input[type=password]").fill(key)
    page.locator("main button").first.click()
    page.wait_for_url("**/triage*")
    wrong: dict[str, list[str]] = {}
    for place in ("/triage", f"/triage/{LAST}", f"/triage/{LAST}?page=2", f"/triage/{LAST}?show=known"):
        page.goto(server.url + place)
        wrong[place] = violations(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), place
    context.close()
    assert not any(wrong.values()), wrong
