"""Paste, see, decide: the answer takes the place of the form without a page load, and nothing that was pasted is lost."""

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.api.fixtures import LiveServer
from tests.api.knowledge import DISK_TRACE, HDFS_TRACE, RECORDS, UNKNOWN_TRACE

pytestmark = pytest.mark.browser

ANSWERING = """([html, wait]) => {
  window.fetch = () => new Promise(done => setTimeout(() => done(new Response(html)), wait));
  window.faded = false;
  const look = () => { window.faded ||= document.querySelector("main").classList.contains("is-waiting"); };
  new MutationObserver(look).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["class"] });
}"""
"""Answer the next question with a page after so many milliseconds, and remember whether the old one has faded."""
BEST = "Checkpoint fails because HDFS cannot close the last block"


def paste(context: BrowserContext, page: Page, text: str) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.locator("#text").focus()
    page.keyboard.press("Control+v")


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (375, 800)])
def test_the_first_screen_says_what_it_is_and_what_to_do(
    context: BrowserContext, page: Page, live_server: LiveServer, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(live_server.url)
    page.evaluate("window.same = true")
    paste(context, page, HDFS_TRACE)
    expect(page.get_by_role("heading", level=1)).to_have_text("Known incident")
    assert page.evaluate("window.same"), "no page was loaded"
    best = page.locator(".best")
    for part in (
        page.locator(".verdict .odds"),
        best.get_by_role("link", name=BEST),
        best.locator(".cause").first,
        best.locator(".fix > .prose li").first,
        best.get_by_role("button", name="Copy the fix"),
        best.get_by_role("button", name="This was it"),
    ):
        box = part.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height


@pytest.mark.parametrize(("wait", "fades"), [(0, False), (900, True)])
def test_only_a_slow_answer_fades_the_page(
    context: BrowserContext, page: Page, live_server: LiveServer, *, wait: int, fades: bool
) -> None:
    """A page that fades and returns at once flickers, and is painted twice."""
    answer = httpx.post(f"{live_server.url}/?lang=en", data={"text": HDFS_TRACE}, headers={"X-Page-Part": "main"})
    page.goto(live_server.url)
    page.evaluate(ANSWERING, [answer.text, wait])
    paste(context, page, HDFS_TRACE)
    expect(page.get_by_role("heading", level=1)).to_have_text("Known incident")
    assert page.evaluate("window.faded") is fades
    assert page.locator(".is-waiting").count() == 0


def test_back_brings_the_form_and_forward_the_answer(
    context: BrowserContext, page: Page, live_server: LiveServer
) -> None:
    page.goto(live_server.url)
    paste(context, page, HDFS_TRACE)
    expect(page.get_by_role("heading", level=1)).to_have_text("Known incident")
    page.go_back()
    expect(page.locator("#text")).to_have_value(HDFS_TRACE)
    expect(page.locator(".verdict")).to_have_count(0)
    page.go_forward()
    expect(page.get_by_role("heading", level=1)).to_have_text("Known incident")


def test_a_short_question_has_an_address(page: Page, live_server: LiveServer) -> None:
    page.goto(live_server.url)
    page.locator("#text").fill("checkpoint disk is full?")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".verdict")).to_be_visible()
    page.wait_for_url("**/?q=checkpoint+disk+is+full%3F&lang=en")
    verdict = page.locator("h1").text_content()
    page.reload()
    expect(page.locator("h1")).to_have_text(verdict or "")


def test_a_pasted_word_into_a_question_does_not_send_it(
    context: BrowserContext, page: Page, live_server: LiveServer
) -> None:
    page.goto(live_server.url)
    page.locator("#text").fill("why does ")
    page.keyboard.press("End")
    paste(context, page, "completeFile")
    expect(page.locator("#text")).to_have_value("why does completeFile")
    page.wait_for_timeout(300)
    expect(page.locator(".verdict")).to_have_count(0)


def test_without_a_connection_the_text_stays(
    browser_context_offline: tuple[BrowserContext, Page], live_server: LiveServer
) -> None:
    context, page = browser_context_offline
    page.goto(live_server.url)
    context.set_offline(True)
    page.locator("#text").fill(UNKNOWN_TRACE)
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("alert")).to_contain_text("Your text is still here")
    expect(page.locator("#text")).to_have_value(UNKNOWN_TRACE)
    context.set_offline(False)
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("No known incident")


@pytest.fixture
def browser_context_offline(context: BrowserContext) -> tuple[BrowserContext, Page]:
    """A tab whose lost connection is no mistake of the page."""
    return context, context.new_page()


def test_an_opinion_is_thanked_for_in_place(context: BrowserContext, page: Page, live_server: LiveServer) -> None:
    """A *no* opens what else it may be, and offers to write the problem up."""
    page.goto(live_server.url)
    paste(context, page, HDFS_TRACE)
    page.locator(".best").get_by_role("button", name="This was not it").click()
    expect(page.locator(".best .opinion")).to_contain_text("Look at the others below")
    expect(page.locator(".candidate").first).to_be_visible()
    expect(page.get_by_role("button", name="Write it up")).to_be_visible()
    assert page.url.rstrip("/").endswith(("?lang=en", live_server.url.rpartition(":")[2]))


def test_the_api_description_is_served_from_here_and_can_be_tried(page: Page, live_server: LiveServer) -> None:
    """Nothing is asked of others; ``page`` fails on a script or a style that the policy refuses."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    sizes: list[int] = []
    page.on("response", lambda response: sizes.append(len(response.body())))
    page.goto(f"{live_server.url}/docs")
    route = page.locator("#search")
    route.locator("summary").click()
    expect(route.locator("tbody tr", has=page.get_by_role("rowheader", name="text *", exact=True))).to_have_count(1)
    route.get_by_role("button", name="Try it").click()
    expect(route.get_by_role("status")).to_contain_text('"verdict": "known"')
    assert all(url.startswith(live_server.url) for url in asked)
    assert sum(sizes[:-1]) < 150_000  # all that the page needs; the last is the answer of the search


def test_an_answer_is_copied_for_a_ticket_and_for_a_chat(
    context: BrowserContext, page: Page, live_server: LiveServer
) -> None:
    page.goto(live_server.url)
    paste(context, page, HDFS_TRACE)
    expect(page.get_by_role("heading", level=1)).to_have_text("Known incident")
    link = page.get_by_role("button", name="Copy link")
    expect(link).to_have_attribute("form", "share")  # a trace fits no address: the answer is kept first
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("**Known incident** · almost certain: 96 %\n\n[Checkpoint fails because HDFS")
    assert f"]({live_server.url}/incidents/flink-checkpoint-hdfs-replicas)" in copied
    assert copied.endswith("\n2. Write fewer small files.\n")
    expect(page.get_by_role("button", name="Copied")).to_have_count(0)
    page.get_by_role("button", name="Copy for Slack or").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    html = page.evaluate("navigator.clipboard.read().then(all => all[0].getType('text/html')).then(one => one.text())")
    assert f'href="{live_server.url}/incidents/flink-checkpoint-hdfs-replicas' in html
    assert "<code>dfs.client.block.write.locateFollowingBlock.retries</code>" in html


def test_a_hostile_write_up_is_copied_as_text(context: BrowserContext, page: Page, live_server: LiveServer) -> None:
    """Its title stands in the rich copy as words: whoever pastes it runs nothing."""
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    page.goto(live_server.url)
    paste(context, page, str(RECORDS[-1]["traces"][0]))  # type: ignore[index]
    page.get_by_role("button", name="Copy for Slack or").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    html = page.evaluate("navigator.clipboard.read().then(all => all[0].getType('text/html')).then(one => one.text())")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "<script" not in html


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_each_block_of_code_is_copied_by_keyboard_and_said(
    browser: Browser, live_server: LiveServer, locale: str
) -> None:
    """On an answer and on an incident's page; what is copied of the whole fix has no words of buttons."""
    context = browser.new_context(locale=locale)
    page = context.new_page()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    copy, copied = ("Copy", "Copied") if locale == "en-US" else ("复制", "已复制")
    for place in ("/", "/incidents/flink-checkpoint-disk-full"):
        page.goto(live_server.url + place)
        if place == "/":
            paste(context, page, DISK_TRACE)
            page.wait_for_selector(".best")
        code = page.locator(".fix .code", has_text="num-retained")
        button = code.get_by_role("button")
        expect(button).to_have_accessible_name(re.compile(f"^{copy}: state.backend"))
        code.locator("pre").focus()
        page.keyboard.press("Tab")
        expect(button).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("body > [role=status]")).to_have_text(copied)
        expect(button).to_have_text(copied)
        assert page.evaluate("navigator.clipboard.readText()") == code.locator("pre").text_content().rstrip("\n")  # type: ignore[union-attr]
        expect(page.locator("body > [role=status]")).to_be_empty()
        page.keyboard.press("c")
        expect(page.locator(".fix :is(h2, h3) .copy").first).to_have_text(copied)
        assert copy not in page.evaluate("navigator.clipboard.readText()")
    context.close()


def test_without_scripts_no_button_copies(browser: Browser, live_server: LiveServer) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live_server.url}/incidents/flink-checkpoint-disk-full")
    expect(page.locator(".fix pre").first).to_be_visible()
    assert page.locator(".copy").count() == 0
    context.close()


@pytest.mark.parametrize(("locale", "label"), [("en-US", "Choose a log file"), ("zh-CN", "选择日志文件")])
def test_a_file_is_chosen_in_the_readers_language_within_a_bound(
    browser: Browser, live_server: LiveServer, tmp_path: Path, locale: str, label: str
) -> None:
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(live_server.url)
    box = page.get_by_label(label)
    expect(page.locator(".file label")).to_be_visible()
    page.locator("#ask button").focus()
    page.keyboard.press("Tab")
    expect(box).to_be_focused()
    expect(box).to_have_accessible_description(re.compile("32 MB"))
    assert (box.bounding_box() or {})["width"] <= 1, "the words of the browser are not shown"
    large = tmp_path / "large.log"
    with large.open("wb") as file:
        file.truncate(32 * 1024 * 1024 + 1)
    box.set_input_files(large)
    expect(page.get_by_role("alert")).to_contain_text("32 MB")
    small = tmp_path / "small.log"
    small.write_text(HDFS_TRACE)
    page.route("**/?lang=*", lambda route: route.abort())
    box.set_input_files(small)
    expect(page.locator(".file output")).to_have_text("small.log")
    page.unroute("**/?lang=*")
    page.locator("#ask button").click()
    expect(page.locator(".best h2")).to_be_visible()
    context.close()


def test_without_scripts_the_browser_names_the_chosen_file(
    browser: Browser, live_server: LiveServer, tmp_path: Path
) -> None:
    context = browser.new_context(locale="en-US", java_script_enabled=False)
    page = context.new_page()
    page.goto(live_server.url)
    log = tmp_path / "app.log"
    log.write_text(HDFS_TRACE)
    page.get_by_label("Choose a log file").set_input_files(log)
    assert (page.locator("#file").bounding_box() or {})["width"] > 40
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".best h2")).to_contain_text(BEST)
    context.close()
