"""The list in a real Chromium over a real `kb serve`: facets without scripts and by keyboard, search as one types, at 375 px."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.fixtures import LiveServer

pytestmark = pytest.mark.browser


def test_facets_need_no_script(browser: Browser, live_server: LiveServer) -> None:
    context = browser.new_context(locale="en-US", java_script_enabled=False, viewport={"width": 375, "height": 800})
    page = context.new_page()
    page.goto(f"{live_server.url}/incidents")
    page.get_by_role("link", name="Narrow down").click()
    page.locator("#facets").get_by_role("link", name="flink 2").click()
    expect(page.locator(".summary strong")).to_have_text("2 incidents")
    page.locator("#find-text").fill("disk")
    page.keyboard.press("Enter")
    expect(page.locator(".listed > .rows > li")).to_have_count(1)
    assert "component=flink" in page.url
    page.get_by_role("link", name="Any again: flink").click()
    expect(page.locator("#find-text")).to_have_value("disk")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_the_list_follows_what_is_typed(page: Page, live_server: LiveServer) -> None:
    """By what the words mean, and the box keeps the focus."""
    page.goto(f"{live_server.url}/incidents")
    page.evaluate("window.same = true")
    page.locator("#find-text").press_sequentially("checkpoint no space left")
    expect(page.locator(".nearby li").first).to_contain_text("disk of the TaskManager is full")
    expect(page.locator(".summary strong")).to_have_text("0 incidents")
    expect(page.locator("#find-text")).to_be_focused()
    assert page.evaluate("window.same")
    page.wait_for_url("**text=checkpoint+no+space+left*")  # each pause while typing changes the address
    page.locator("#find-text").fill("")
    expect(page.locator(".summary strong")).to_have_text("6 incidents")


def test_the_keyboard_chooses_a_facet(page: Page, live_server: LiveServer) -> None:
    page.goto(f"{live_server.url}/incidents?lang=zh")
    page.locator("#find-text").focus()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#facets a')"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("#facets [aria-current]").first).to_be_visible()


def test_a_hostile_component_is_text(page: Page, live_server: LiveServer) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    page.goto(f"{live_server.url}/incidents?component=%3Cb%3Ebold%3C%2Fb%3E&text=%22%3E%3Cimg+src%3Dx%3E")
    expect(page.locator(".summary a.chip")).to_contain_text("<b>bold</b>")
    assert page.locator("main img, main b").count() == 0
