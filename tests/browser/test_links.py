"""*Copy link*, in a real Chromium over a real `kb serve`: with scripts, without, by keyboard, at 375 px; what is shared runs nothing."""

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.api.fixtures import LiveServer
from tests.api.knowledge import HDFS_TRACE, UNKNOWN_TRACE

pytestmark = pytest.mark.browser

HOSTILE = f'{UNKNOWN_TRACE}\n"><script>alert(1)</script><img src=x onerror=alert(1)></textarea>'


def search(page: Page, url: str, text: str) -> None:
    page.goto(url)
    page.locator("#text").fill(text)
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".verdict").first).to_be_visible()


def test_a_link_is_copied_and_opens_the_answer_for_another(
    browser: Browser, context: BrowserContext, page: Page, live_server: LiveServer
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    search(page, live_server.url, HDFS_TRACE)
    page.evaluate("window.same = true")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator(".copied")).to_have_text("Copied")
    assert page.evaluate("window.same"), "no page was loaded"
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{live_server.url}/a/")
    assert page.url.startswith(link)
    page.go_back()
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()
    page.go_forward()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Known incident")
    other = browser.new_context(locale="zh-CN", viewport={"width": 375, "height": 800}).new_page()
    other.goto(link)
    expect(other.get_by_role("heading", level=1)).to_have_text("已知故障")
    expect(other.locator(".shared form")).to_have_count(0)
    assert other.evaluate("document.documentElement.scrollWidth <= innerWidth")
    other.context.close()


def test_without_scripts_the_address_is_the_link(browser: Browser, live_server: LiveServer) -> None:
    context = browser.new_context(locale="en-US", java_script_enabled=False)
    page = context.new_page()
    search(page, live_server.url, UNKNOWN_TRACE)
    page.get_by_role("button", name="Copy link").click()
    link = page.locator(".shared a").get_attribute("href") or ""
    assert page.url.startswith(link)
    page.get_by_role("button", name="Delete this link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The link is deleted")
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_have_text("That did not work")
    context.close()


def test_the_keyboard_makes_and_deletes_a_link(page: Page, live_server: LiveServer) -> None:
    search(page, live_server.url, UNKNOWN_TRACE)
    page.get_by_role("button", name="Copy link").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".shared form")).to_be_visible()
    for _ in range(30):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.matches('.shared button')"):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("The link is deleted")


def test_a_hostile_paste_is_shared_as_text(page: Page, live_server: LiveServer) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    search(page, live_server.url, HOSTILE)
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator(".shared form")).to_be_visible()
    page.reload()
    expect(page.locator("#text")).to_have_value(HOSTILE)
    assert page.locator("main img").count() == 0
