"""No page shuts anybody out: axe-core finds no violation, in both themes and languages and at two widths."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.api.fixtures import LiveServer
from tests.api.knowledge import DISK_TRACE, HDFS_TRACE, UNKNOWN_TRACE

pytestmark = pytest.mark.browser

AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text(encoding="utf-8")
FIND = """async () => {
  const rules = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
  const found = await axe.run(rules);
  return found.violations.flatMap(one => one.nodes.map(node => `${one.id}: ${node.html.slice(0, 120)}`));
}"""
LOG = HDFS_TRACE + "INFO all is well\n" * 80 + UNKNOWN_TRACE
PLACES = (
    "/",
    "/incidents",
    "/incidents/flink-checkpoint-hdfs-replicas",
    "/incidents/hostile",
    "/docs",
    "/map",
    "/map?component=flink",
    "/login",
    "/nowhere",
)


def violations(page: Page) -> list[str]:
    page.evaluate(AXE)
    return page.evaluate(FIND)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("scheme", "locale", "width"),
    [
        ("light", "en-US", 1280),
        ("dark", "zh-CN", 375),
        ("light", "zh-CN", 1280),
        ("dark", "en-US", 375),
    ],
)
@pytest.mark.slow
def test_axe_finds_nothing(browser: Browser, live_server: LiveServer, scheme: str, locale: str, width: int) -> None:
    context = browser.new_context(color_scheme=scheme, locale=locale, viewport={"width": width, "height": 900})  # type: ignore[arg-type]
    page = context.new_page()
    wrong: dict[str, list[str]] = {}
    for place in PLACES:
        page.goto(live_server.url + place)
        if place == "/docs":
            page.locator(".route summary").first.click()
            page.wait_for_selector(".route form")
        if place.startswith("/map"):
            page.wait_for_selector(".map circle")
        wrong[place] = violations(page)
    page.keyboard.press("?")
    wrong["?"] = violations(page)
    page.keyboard.press("Escape")
    for text in (HDFS_TRACE, DISK_TRACE, UNKNOWN_TRACE, LOG, "java.io.IOException: No space left on device"):
        page.goto(live_server.url)
        page.locator("#text").fill(text)
        page.locator("form.ask button").click()
        page.wait_for_selector(".verdict")
        wrong[text[:30]] = violations(page)
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
        wrong[f"{text[:30]} unfolded"] = violations(page)
        if (share := page.locator("button[form=share]")).count():
            share.click()
            page.wait_for_selector(".shared form")
            wrong[f"{text[:30]} shared"] = violations(page)
    context.close()
    assert {place: found for place, found in wrong.items() if found} == {}
