"""The map and the keyboard shortcuts in a real Chromium over a real `kb serve`: with scripts and without, in both languages, at 375 px."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.fixtures import LiveServer
from tests.api.knowledge import HDFS_TRACE

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_the_map_is_zoomed_pointed_at_and_clicked(page: Page, live_server: LiveServer) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{live_server.url}/incidents")
    page.get_by_role("link", name="Map", exact=True).click()
    expect(page.locator(".map circle")).to_have_count(6)
    page.get_by_role("button", name="Zoom in").click()
    assert page.evaluate("document.querySelector('.map svg').viewBox.baseVal.width") == 600
    page.keyboard.press("0")
    assert page.evaluate("document.querySelector('.map svg').viewBox.baseVal.width") == 1000
    page.locator(".map svg").hover()
    page.mouse.wheel(0, -100)  # scrolls the page, and no more
    page.wait_for_timeout(300)
    assert page.evaluate("document.querySelector('.map svg').viewBox.baseVal.width") == 1000
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    page.wait_for_function("document.querySelector('.map svg').viewBox.baseVal.width === 800")
    page.keyboard.press("0")
    page.evaluate("localStorage.setItem('keys', 'off')")
    for key in ("+", "?"):
        page.keyboard.press(key)
    assert page.evaluate("document.querySelector('.map svg').viewBox.baseVal.width") == 1000
    expect(page.get_by_role("dialog")).to_be_hidden()
    dot = page.locator(".map a[href*='flink-checkpoint-disk-full'] circle")
    dot.hover()
    expect(page.locator(".dot-title")).to_have_text("Checkpoint fails because the disk of the TaskManager is full")
    dot.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Checkpoint fails because the disk of the TaskManager is full"
    )
    assert all(url.startswith(live_server.url) for url in asked)


def test_without_scripts_dots_are_links_and_the_legend_a_list(browser: Browser, live_server: LiveServer) -> None:
    context = browser.new_context(locale="zh-CN", java_script_enabled=False, viewport={"width": 375, "height": 800})
    page = context.new_page()
    page.goto(f"{live_server.url}/map")
    expect(page.locator(".map circle")).to_have_count(6)  # it may have to be drawn: the page asks again by itself
    assert page.locator(".map title").all_text_contents().count("消费者提交位移失败：消费组已经发生再均衡") == 1
    page.locator(".legend").get_by_role("link", name="flink").click()
    expect(page.locator(".map circle")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(".legend").get_by_role("link", name="2 条故障").click()
    expect(page.locator(".summary strong")).to_have_text("2 条故障记录")
    context.close()


def test_shortcuts_lead_and_their_sheet_tells_them(page: Page, live_server: LiveServer) -> None:
    page.goto(f"{live_server.url}/docs")
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(sheet).to_contain_text("copy the fix")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    page.keyboard.press("g")
    page.keyboard.press("i")
    page.wait_for_url("**/incidents?lang=en")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("[...document.querySelectorAll('.rows .title')].indexOf(document.activeElement)") == 1
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Incidents")
    page.keyboard.press("g")
    page.keyboard.press("h")
    page.wait_for_url("**/?lang=en")
    page.locator("#text").fill("? g i")  # keys that are typed are letters
    page.keyboard.press("?")
    expect(page.locator("#text")).to_have_value("? g i?")
    expect(sheet).to_be_hidden()


def test_the_fix_is_copied_by_a_key_and_shortcuts_can_be_switched_off(page: Page, live_server: LiveServer) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(live_server.url)
    page.locator("#text").fill(HDFS_TRACE)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Known incident")
    page.keyboard.press("c")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    page.get_by_role("button", name="Keyboard shortcuts").click()
    page.get_by_label("Shortcuts of single keys are on").uncheck()
    page.get_by_role("button", name="Close", exact=True).click()
    page.reload()
    page.keyboard.press("g")
    page.keyboard.press("i")
    page.wait_for_timeout(300)
    assert "/incidents" not in page.url
