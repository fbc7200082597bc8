"""What somebody types into the editor, in a real Chromium over a real `kb serve`: kept as it is typed, shown as readers will see it, and never lost."""

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from kb.store import Role, Store
from tests.api.fixtures import LiveServer, poll, serving
from tests.api.knowledge import HDFS_TRACE, UNKNOWN_TRACE, build_home
from tests.browser.test_accessible import violations
from tests.browser.test_curators import ROOT, as_markdown, login, writeup

pytestmark = pytest.mark.browser

SECRET = "hunter2-Zx91-very-secret"
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)></textarea>'


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A home, and the keys of two curators."""
    folder = tmp_path_factory.mktemp("drafts")
    build_home(folder)
    with Store.open(folder / "store.db") as store:
        return folder, {name: store.keys.create(name, Role.CURATOR, actor=ROOT)[1] for name in ("Ann", "Bob")}


@pytest.fixture(scope="module")
def desk(place: tuple[Path, dict[str, str]]) -> Iterator[LiveServer]:
    with serving(place[0], place[0]) as server:
        poll(lambda: httpx.get(f"{server.url}/readyz").is_success)
        yield server


@pytest.fixture
def keys(place: tuple[Path, dict[str, str]]) -> dict[str, str]:
    return place[1]


def drafts(place: Path) -> list[str]:
    with Store.open(place / "store.db") as store, store._database.reading() as connection:
        return [row[0] for row in connection.exec_driver_sql("SELECT text FROM drafts ORDER BY created_at")]


def test_what_is_typed_is_kept_and_has_an_address(
    browser: Browser, page: Page, desk: LiveServer, keys: dict[str, str]
) -> None:
    login(page, desk.url, keys["Ann"])
    page.get_by_label("Title").fill("Belts stand still")
    page.get_by_label("Fix").fill(f"Wait, then restart. password={SECRET}")
    expect(page.locator("#kept")).to_contain_text("Kept as your draft")
    page.wait_for_url("**/write?draft=*")
    address = page.url
    assert SECRET not in "".join(drafts(desk.output.parent))
    page.reload()
    expect(page.get_by_label("Title")).to_have_value("Belts stand still")
    expect(page.get_by_label("Fix")).to_have_value(re.compile("Wait, then restart"))
    page.goto(f"{desk.url}/write")
    page.get_by_role("link", name="Open that draft: Belts stand still").click()
    assert page.url.split("&")[0] == address.split("&")[0]
    bob = browser.new_context(locale="en-US").new_page()
    login(bob, desk.url, keys["Bob"], "/drafts")
    expect(bob.get_by_text("You have no drafts.")).to_be_visible()
    bob.goto(address)
    expect(bob.get_by_role("heading", level=1)).to_have_text("That did not work")
    bob.context.close()
    page.goto(f"{desk.url}/drafts")
    page.get_by_role("button", name="Delete: Belts stand still").click()
    expect(page.get_by_text("You have no drafts.")).to_be_visible()


def test_the_form_and_the_markdown_are_one_text(page: Page, desk: LiveServer, keys: dict[str, str]) -> None:
    """And beside them stands what readers will see, with what may be known already."""
    login(page, desk.url, keys["Ann"])
    page.get_by_role("button", name="Side by side").click()
    page.get_by_label("Title").fill("Checkpoints fail: the block")
    page.get_by_label("Stack trace").fill(HDFS_TRACE)
    box = page.locator("#writeup-text")
    expect(box).to_have_value(re.compile("title: 'Checkpoints fail: the block'"))
    expect(box).to_have_value(re.compile(r"```\njava.lang.Exception: Could not"))
    look = page.locator("#look")
    expect(look.locator("#similar a").first).to_contain_text("Checkpoint fails because HDFS")
    expect(look).to_contain_text("Unable to close file because the last block")
    box.fill(box.input_value().replace("## Fix\n\n", "## Fix\n\n1. Raise `retries`.\n"))
    expect(page.get_by_label("Fix")).to_have_value("1. Raise `retries`.")
    expect(look.locator(".fix li code")).to_have_text("retries")
    page.get_by_role("button", name="Markdown", exact=True).click()
    expect(page.get_by_label("Title")).to_be_hidden()
    page.reload()
    expect(box).to_be_visible()


HALF = (
    "---\ntitle: [",
    "un, closed\n",
    "lang: klingon\nversions: {\n",
    "---\n\n## Sym",
    "ptom\n\n```\nTraceback (most recent",
    "\n## Fix\n\n| a | b\n|---",
)
"""Pieces of a write-up as they are typed; behind each the text is wrong."""


@pytest.mark.slow
def test_the_console_stays_empty_while_somebody_types(page: Page, desk: LiveServer, keys: dict[str, str]) -> None:
    """Front matter and Markdown are wrong half-way; the preview says where, and nothing is asked that fails."""
    noted: list[str] = []
    failed: list[str] = []
    page.on("console", lambda message: noted.append(f"{message.type}: {message.text}"))
    page.on("response", lambda got: failed.append(f"{got.status} {got.url}") if got.status >= 400 else None)
    login(page, desk.url, keys["Ann"])
    as_markdown(page)
    box = page.locator("#writeup-text")
    box.fill("")
    box.focus()
    for piece in HALF:
        with page.expect_response(
            lambda got: got.url.startswith(f"{desk.url}/write?") and got.request.method == "POST"
        ):
            page.keyboard.type(piece)
        expect(page.locator("#look .mistakes li").first).to_be_visible()
    with page.expect_response(lambda got: got.url.startswith(f"{desk.url}/write?") and got.request.method == "POST"):
        box.fill(writeup("half", "whole at last"))
    expect(page.locator("#look .mistakes")).to_have_count(0)
    expect(page.locator("#look .fix")).to_contain_text("whole at last")
    assert (noted, failed) == ([], [])


def test_a_trace_is_added_to_the_incident_that_is_known(page: Page, desk: LiveServer, keys: dict[str, str]) -> None:
    login(page, desk.url, keys["Ann"])
    as_markdown(page)
    trace = HDFS_TRACE.replace("checkpoint 17", "checkpoint 18").replace("Sink: orders", "Sink: bills")
    page.locator("#writeup-text").fill(writeup("dup", "x", trace))
    page.get_by_role("button", name="Add my trace to this one: Checkpoint fails because HDFS").click()
    expect(page.get_by_role("heading", name="Your trace was added")).to_be_visible()
    expect(page.locator(".traces")).to_contain_text("Sink: bills")


@pytest.mark.slow
def test_typed_in_two_tabs_both_are_kept(
    context: BrowserContext, page: Page, desk: LiveServer, keys: dict[str, str]
) -> None:
    login(page, desk.url, keys["Ann"])
    page.get_by_label("Title").fill("One")
    page.wait_for_url("**/write?draft=*")
    other = context.new_page()
    other.goto(page.url)
    other.get_by_label("Title").fill("Two")
    expect(other.locator("#kept")).to_contain_text("Kept")
    page.get_by_label("Title").fill("One, and more")
    expect(page.locator("#kept")).to_contain_text("Kept")
    poll(lambda: {"title: Two", "title: One, and more"} <= set("\n".join(drafts(desk.output.parent)).split("\n")))


def test_what_is_typed_before_the_script_is_there_is_kept(page: Page, desk: LiveServer, keys: dict[str, str]) -> None:
    script = """new MutationObserver((_, observer) => {
      const box = document.querySelector("#writeup-text");
      if (!box?.textContent) return;
      box.value = TEXT;
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });"""
    page.add_init_script(script.replace("TEXT", json.dumps(writeup("early", "Typed early.", UNKNOWN_TRACE))))
    login(page, desk.url, keys["Ann"])
    page.wait_for_url("**/write?draft=*")
    assert any("Typed early." in one for one in drafts(desk.output.parent))


def test_what_is_saved_is_no_draft_any_more(page: Page, desk: LiveServer, keys: dict[str, str]) -> None:
    login(page, desk.url, keys["Ann"])
    as_markdown(page)
    page.locator("#writeup-text").fill(writeup("saved-draft", "x", UNKNOWN_TRACE))
    page.wait_for_url("**/write?draft=*")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Published")).to_be_visible()
    assert "saved-draft" not in "".join(drafts(desk.output.parent))


def test_without_scripts_a_button_keeps_it(browser: Browser, desk: LiveServer, keys: dict[str, str]) -> None:
    context = browser.new_context(locale="zh-CN", java_script_enabled=False, viewport={"width": 375, "height": 800})
    page = context.new_page()
    page.goto(f"{desk.url}/login?next=/write")
    page.locator("#key").fill(keys["Bob"])
    page.locator("main form button").click()
    page.locator("#writeup-text").fill(writeup("no-script", "x"))
    page.get_by_role("button", name="保存为我的草稿").click()
    assert "/write?draft=" in page.url
    assert "About no-script" in page.locator("#writeup-text").input_value()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="我的草稿").click()
    page.get_by_role("button", name="删除: About no-script").click()
    expect(page.get_by_text("你没有草稿。")).to_be_visible()
    context.close()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture
def quiet(context: BrowserContext) -> Page:
    """A tab whose lost connections are no mistake of the page."""
    return context.new_page()


@pytest.mark.slow
def test_the_server_dies_while_somebody_types(quiet: Page, place: tuple[Path, dict[str, str]]) -> None:
    folder, keys = place
    port = str(free_port())
    box = quiet.locator("#writeup-text")
    with serving(folder, folder, "--port", port) as server:
        poll(lambda: httpx.get(f"{server.url}/readyz").is_success)
        login(quiet, server.url, keys["Bob"])
        as_markdown(quiet)
        box.fill(writeup("killed", "Before."))
        quiet.wait_for_url("**/write?draft=*")
        server.process.kill()
        server.process.wait()
    box.fill(writeup("killed", "While it was away."))
    expect(quiet.locator("#kept")).to_contain_text("kept in this browser")
    with serving(folder, folder, "--port", port) as server:
        expect(quiet.locator("#kept")).to_contain_text("Kept as your draft")
        assert "While it was away." in "".join(drafts(folder))
        quiet.reload()
        expect(box).to_have_value(re.compile("While it was away."))


def test_the_browser_dies_before_the_service_has_it(
    context: BrowserContext, quiet: Page, desk: LiveServer, keys: dict[str, str]
) -> None:
    login(quiet, desk.url, keys["Bob"])
    expect(quiet.locator("#writeup.ready")).to_be_visible()
    context.set_offline(True)
    quiet.get_by_label("Title").fill("Typed in a tunnel")
    expect(quiet.locator("#kept")).to_contain_text("No connection")
    quiet.close(run_before_unload=False)
    context.set_offline(False)
    again = context.new_page()
    again.goto(f"{desk.url}/write")
    again.get_by_role("button", name="Bring it back").click()
    expect(again.get_by_label("Title")).to_have_value("Typed in a tunnel")
    expect(again.locator("#writeup-text")).to_have_value(re.compile("title: Typed in a tunnel"))
    expect(again.locator("#kept")).to_contain_text("Kept as your draft")


def test_what_is_typed_into_the_form_before_its_script_is_there(
    page: Page, desk: LiveServer, keys: dict[str, str]
) -> None:
    held: list[Route] = []
    page.route("**/editor.js*", lambda route: held.append(route))  # noqa: PLW0108 - signature() fails on a built-in method
    login(page, desk.url, keys["Bob"])
    page.get_by_label("Title").fill("Typed at once")
    poll(lambda: bool(held))
    held[0].continue_()
    expect(page.locator("#kept")).to_contain_text("Kept as your draft")
    assert "title: Typed at once" in "".join(drafts(desk.output.parent))


def test_the_choice_of_a_view_is_there_once_it_works(page: Page, desk: LiveServer, keys: dict[str, str]) -> None:
    """A press before the script is there was lost; the place is kept, so that nothing moves."""
    held: list[Route] = []
    page.route("**/editor.js*", lambda route: held.append(route))  # noqa: PLW0108 - signature() fails on a built-in method
    login(page, desk.url, keys["Bob"])
    expect(page.get_by_label("Title")).to_be_visible()
    poll(lambda: bool(held))
    views = page.locator(".views")
    expect(views).to_be_hidden()
    place = views.evaluate("one => one.getBoundingClientRect().height")
    held[0].continue_()
    page.get_by_role("button", name="Markdown", exact=True).click()
    expect(page.locator("#writeup-text")).to_be_visible()
    assert views.evaluate("one => one.getBoundingClientRect().height") == place > 0


@pytest.mark.slow
def test_the_session_ends_while_somebody_types(
    context: BrowserContext, quiet: Page, desk: LiveServer, keys: dict[str, str]
) -> None:
    """A login in another tab is enough: this one goes on by itself."""
    login(quiet, desk.url, keys["Bob"])
    context.clear_cookies()
    quiet.get_by_label("Title").fill("Typed after midnight")
    expect(quiet.locator("#kept")).to_contain_text("Your login has ended")
    other = context.new_page()
    login(other, desk.url, keys["Bob"], "/drafts")
    expect(quiet.locator("#kept")).to_contain_text("Kept as your draft")
    other.reload()
    expect(other.get_by_role("link", name="Typed after midnight")).to_be_visible()
    quiet.get_by_role("button", name="Save as draft").click()
    expect(quiet.get_by_role("heading", name="Saved as a draft")).to_be_visible()
    expect(quiet.get_by_role("heading", level=1)).to_have_text("Typed after midnight")


@pytest.mark.parametrize(
    ("scheme", "locale", "width"),
    [
        ("light", "en-US", 1440),
        ("dark", "zh-CN", 375),
        ("light", "zh-CN", 1440),
        ("dark", "en-US", 375),
    ],
)
@pytest.mark.slow
def test_axe_finds_nothing_and_nothing_runs(
    browser: Browser, desk: LiveServer, keys: dict[str, str], scheme: str, locale: str, width: int
) -> None:
    context = browser.new_context(color_scheme=scheme, locale=locale, viewport={"width": width, "height": 900})  # type: ignore[arg-type]
    page = context.new_page()
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    page.goto(f"{desk.url}/login?next=/write")
    page.locator("#key").fill(keys["Bob"])
    page.locator("main form button").click()
    page.locator("#part-title").fill(f"Axe {HOSTILE}")
    page.locator("#part-fix").fill(HOSTILE)
    page.locator("#part-traces").fill(HDFS_TRACE + HOSTILE)
    page.wait_for_selector("#similar")
    page.wait_for_url("**/write?draft=*")
    wrong = {}
    assert page.locator("[data-view=both]").is_visible() == (width > 720)  # a phone has no room for two sides
    for view in ("fields", "markdown", "both") if width > 720 else ("fields", "markdown"):
        page.locator(f"[data-view={view}]").click()
        wrong[view] = violations(page)
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    page.goto(f"{desk.url}/drafts")
    wrong["drafts"] = violations(page)
    assert page.locator("main img").count() == 0
    context.close()
    assert {name: found for name, found in wrong.items() if found} == {}
