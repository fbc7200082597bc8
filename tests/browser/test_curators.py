"""What curators do, in a real Chromium over a real `kb serve`: an unknown problem becomes a known one, and nothing is lost."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from kb.incident import Incident, Source, Status
from kb.store import Actor, Role, Store
from tests.api.fixtures import LiveServer, poll, serving
from tests.api.knowledge import HDFS_TRACE, UNKNOWN_TRACE, build_home
from tests.browser.looks import CONTRAST

pytestmark = pytest.mark.browser

ROOT = Actor("test", "test", Role.ADMIN)
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
LONG = "x" * 300


@pytest.fixture(scope="module")
def keys() -> dict[str, str]:
    """Secrets by name."""
    return {}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, keys: dict[str, str]) -> Iterator[LiveServer]:
    """A `kb serve` with a home of its own, and two curators."""
    folder: Path = tmp_path_factory.mktemp("desk")
    build_home(folder)
    with Store.open(folder / "store.db") as store:
        keys |= {name: store.keys.create(name, Role.REVIEWER, actor=ROOT)[1] for name in ("Ann", "Bob")}
    with serving(folder, folder) as server:
        poll(lambda: httpx.get(f"{server.url}/readyz").is_success)
        yield server


def login(page: Page, url: str, secret: str, goes_to: str = "/write") -> None:
    page.goto(f"{url}/login?next={goes_to}")
    page.get_by_label("API key").fill(secret)
    page.get_by_role("main").get_by_role("button", name="Log in").click()


def as_markdown(page: Page) -> None:
    """Choose the Markdown of the editor; with scripts the form is shown first."""
    page.get_by_role("button", name="Markdown").click()


def writeup(incident_id: str, fix: str, trace: str = "ValueError: nothing of the kind") -> str:
    return (
        f"---\nid: {incident_id}\ntitle: About {incident_id}\n---\n\n## Trace\n\n```\n{trace}\n```\n\n## Fix\n\n{fix}\n"
    )


def test_an_unknown_problem_is_written_up_and_known_from_then_on(
    page: Page, desk: LiveServer, keys: dict[str, str]
) -> None:
    login(page, desk.url, keys["Ann"], "/")
    page.get_by_label("Paste a stack trace").fill(UNKNOWN_TRACE)
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("No known incident")
    page.get_by_role("button", name="Write it up").click()
    as_markdown(page)
    box = page.get_by_label("The write-up, in Markdown")
    box.fill(box.input_value() + "\n## Fix\n\nTurn it off and on.\n")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("heading", name="Can be saved; still missing: Root cause")).to_be_visible()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Published")).to_be_visible()
    page.goto(desk.url)
    page.get_by_label("Paste a stack trace").fill(UNKNOWN_TRACE)
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Known incident")
    expect(page.locator(".best .fix")).to_contain_text("Turn it off and on.")
    page.locator(".best").get_by_role("button", name="This was it").click()
    expect(page.locator(".best .opinion")).to_contain_text("Thank you")
    expect(page.locator(".best .votes")).to_contain_text("1 said this was it")


def test_two_curators_at_once_lose_nothing(browser: Browser, desk: LiveServer, keys: dict[str, str]) -> None:
    """Without scripts, too."""
    ann, bob = (browser.new_context(locale="en-US", java_script_enabled=on).new_page() for on in (True, False))
    for one, name in ((ann, "Ann"), (bob, "Bob")):
        login(one, desk.url, keys[name])
    as_markdown(ann)
    ann.locator("#writeup-text").fill(writeup("both", "First."))
    ann.get_by_role("button", name="Publish").click()
    expect(ann.get_by_role("heading", name="Published")).to_be_visible()
    for one in (ann, bob):
        one.goto(f"{desk.url}/incidents/both/edit")
    ann.locator("#writeup-text").fill(writeup("both", "Ann's."))
    ann.get_by_role("button", name="Publish").click()
    expect(ann.get_by_role("heading", name="Published")).to_be_visible()
    bob.locator("#writeup-text").fill(writeup("both", "Bob's."))
    bob.get_by_role("button", name="Publish").click()
    assert "Ann saved revision 2" in (bob.locator("[role=alert]").text_content() or "")
    assert "Ann's." in bob.locator("#theirs").input_value()
    assert [bob.locator(f"#{side}-1").input_value() for side in ("theirs", "yours")] == ["Ann's.", "Bob's."]
    assert "Bob's." in bob.locator("#writeup-text").input_value()
    assert bob.locator(".diff .removed").text_content() == "removed: −Ann's."
    bob.locator("#writeup-text").fill(writeup("both", "Ann's and Bob's."))
    bob.get_by_role("button", name="Publish").click()
    assert bob.locator(".fix .prose").text_content() == "Ann's and Bob's.\n"
    for one in (ann, bob):
        one.context.close()


@pytest.mark.parametrize(
    ("scripts", "locale", "width", "scheme"),
    [(True, "en-US", 1280, "light"), (False, "zh-CN", 375, "light"), (True, "zh-CN", 375, "dark")],
)
def test_only_what_two_curators_both_changed_is_a_conflict(
    browser: Browser, desk: LiveServer, keys: dict[str, str], *, scripts: bool, locale: str, width: int, scheme: str
) -> None:
    """The title and the symptom are merged by themselves; of the fix both texts stand side by side, or one above the other on a phone."""
    name = f"conflict-{scripts}-{width}".lower()
    options = {"locale": locale, "viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    page = browser.new_context(java_script_enabled=scripts, **options).new_page()  # type: ignore[arg-type]
    base = f"---\nid: {name}\ntitle: One\n---\n\n## Symptom\n\nIt stops.\n\n## Fix\n\nRaise it.\n"
    with Store.open(desk.output.parent / "store.db") as store:
        ann = store.keys.find(keys["Ann"])
        assert ann
        first = Incident(name, "One", "en", Source(name, name), symptom="It stops.", fix="Raise it.")
        store.incidents.create(first, actor=ann.actor, status=Status.PUBLISHED)
        page.goto(f"{desk.url}/login?next=/incidents/{name}/edit")
        page.locator("#key").fill(keys["Bob"])
        page.locator("main form button").click()
        theirs = replace(first, title="Two", symptom="It stops at night.", fix="Raise it to 50.")
        store.incidents.revise(theirs, expected=1, actor=ann.actor, status=Status.PUBLISHED)
    if scripts:
        page.locator("[data-view=markdown]").click()
    page.locator("#writeup-text").fill(base.replace("Raise it.", "Lower the load."))
    page.locator("button[value=publish]").press("Enter")
    page.wait_for_selector("#stale")
    assert page.locator(".change h3").all_text_contents() == ["Fix" if locale == "en-US" else "解决办法"]
    assert page.locator("#merged .chip").count() == 2
    sides = [page.locator(f"#{side}-1") for side in ("theirs", "yours")]
    assert [one.input_value() for one in sides] == ["Raise it to 50.", "Lower the load."]
    left, right = (one.bounding_box() for one in sides)
    assert left
    assert right
    assert (left["y"] == right["y"]) == (width > 375)
    assert left["width"] > 0.35 * width
    text = page.locator("#writeup-text").input_value()
    assert all(part in text for part in ("title: Two", "It stops at night.", "Lower the load."))
    if scripts:
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        assert page.evaluate(CONTRAST) == []
        assert page.evaluate(UNLABELLED) == []
    page.locator("[name=theirs]").check()
    page.locator("button[value=publish]").press("Enter")
    page.wait_for_url(f"**/incidents/{name}?**")
    assert "Raise it to 50." in (page.locator(".fix .prose").first.text_content() or "")
    assert "It stops at night." in (page.locator(".symptom .prose").text_content() or "")
    page.context.close()


def test_likely_duplicates_are_shown_while_typing(page: Page, desk: LiveServer, keys: dict[str, str]) -> None:
    login(page, desk.url, keys["Ann"])
    as_markdown(page)
    page.locator("#writeup-text").fill(writeup("typing", "x", HDFS_TRACE))
    expect(page.locator("#similar a").first).to_contain_text("Checkpoint fails because HDFS")
    page.locator("#writeup-text").fill(writeup("typing", "Qwop.", "QuxError: zzz").replace("About typing", "Zzyzx"))
    expect(page.locator("#similar")).to_be_hidden()


def test_the_keyboard_is_enough(page: Page, desk: LiveServer, keys: dict[str, str]) -> None:
    login(page, desk.url, keys["Ann"])
    as_markdown(page)
    page.locator("#writeup-text").fill(writeup("keyed", "By keyboard."))
    for name in ("Note for the history", "Check", "Save as draft", "Send to review", "Publish"):
        page.keyboard.press("Tab")
        focused = page.evaluate("(e => e.labels?.[0]?.textContent || e.textContent)(document.activeElement)")
        assert focused.startswith(name)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Published")).to_be_visible()


def test_what_was_typed_outlives_the_tab_until_it_is_saved(
    page: Page, context: BrowserContext, desk: LiveServer, keys: dict[str, str]
) -> None:
    """Leaving asks while the service has it not; the next visit offers the text; a saved one is offered no more; a logout forgets it."""
    login(page, desk.url, keys["Ann"])
    as_markdown(page)
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    box = page.locator("#writeup-text")
    page.route("**/drafts*", lambda _: None)  # no answer comes
    box.press_sequentially("half a thou")
    typed = box.input_value()
    page.goto(f"{desk.url}/incidents")
    assert asked == ["beforeunload"]
    page.unroute("**/drafts*")
    page.goto(f"{desk.url}/write")
    page.get_by_role("button", name="Bring it back").click()
    expect(box).to_have_value(typed)
    box.fill(writeup("kept", "Typed again."))
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Published")).to_be_visible()
    page.goto(f"{desk.url}/write")
    expect(page.get_by_role("button", name="Bring it back")).to_have_count(0)
    # What a tab still sends once the session is over is refused; `page` would take that for a fault.
    other = context.new_page()
    other.on("dialog", lambda dialog: dialog.accept())
    other.goto(f"{desk.url}/write")
    as_markdown(other)
    other.locator("#writeup-text").fill(writeup("gone", "A secret."))
    other.get_by_role("button", name="Log out").click()
    other.wait_for_url(lambda url: "/write" not in url)
    assert [name for name in other.evaluate("Object.keys(localStorage)") if name != "view"] == []


@pytest.fixture(scope="module")
def crowded(desk: LiveServer, keys: dict[str, str]) -> tuple[str, str]:
    """The address of the service, and the quoted id of an incident with a hundred revisions, very long words, and hostile ones."""
    name = "a/crowd"
    with Store.open(desk.output.parent / "store.db") as store:
        key = store.keys.find(keys["Ann"])
        assert key is not None
        actor = Actor(key.actor.id, HOSTILE, Role.REVIEWER)
        first = Incident(name, f"{HOSTILE} {LONG}", "en", Source(name, name), tags=(HOSTILE,), component=LONG[:200])
        store.incidents.create(first, actor=actor, status=Status.PUBLISHED)
        for number in range(1, 100):
            now = replace(first, fix=f"{LONG}\n{HOSTILE} {number}", traces=(f"{HOSTILE}\n\tat {LONG}",))
            store.incidents.revise(now, expected=number, actor=actor, status=Status.PUBLISHED, note=f"{HOSTILE} {LONG}")
        store.reviews.comment(name, 7, f"{HOSTILE} {LONG}", actor=actor)
    return desk.url, "a%2Fcrowd"


@pytest.mark.parametrize(
    ("scheme", "width", "locale"),
    [
        ("light", 320, "zh-CN"),
        ("dark", 1200, "en-US"),
        pytest.param("dark", 320, "en-US", marks=pytest.mark.slow),
        pytest.param("light", 1200, "zh-CN", marks=pytest.mark.slow),
    ],
)
def test_every_page_fits_can_be_read_and_runs_nothing(
    browser: Browser, keys: dict[str, str], crowded: tuple[str, str], scheme: str, width: int, locale: str
) -> None:
    url, name = crowded
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800}, locale=locale)  # type: ignore[arg-type]
    page = context.new_page()
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    page.goto(f"{url}/login?next=/incidents")
    page.locator("#key").fill(keys["Ann"])
    page.locator("main form button").click()
    page.wait_for_selector(".rows")
    own = f"/incidents/{name}"
    for address in ("/incidents", own, f"{own}/edit", f"{own}/history?from=2&to=100&into=hostile", "/write"):
        page.goto(url + address)
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        assert page.evaluate(CONTRAST) == []
        assert page.evaluate(UNLABELLED) == []
        assert page.locator("main img, main script").count() == 0
    context.close()


def test_what_curators_print_has_nothing_to_press(page: Page, desk: LiveServer, keys: dict[str, str]) -> None:
    login(page, desk.url, keys["Ann"], "/")
    page.locator("#text").fill(HDFS_TRACE)
    page.get_by_role("button", name="Search").click()
    page.locator(".best .opinion button[value^=yes]").click()
    expect(page.locator(".best .opinion [role=status]")).to_be_visible()
    for address, shown in (("", "#sightings"), ("/history", ".plain-form >> nth=0")):
        page.emulate_media(media="screen")
        page.goto(f"{desk.url}/incidents/flink-checkpoint-hdfs-replicas{address}")
        expect(page.locator(shown)).to_be_visible()
        page.emulate_media(media="print")
        expect(page.locator(shown)).to_be_hidden()
        assert page.locator("main :is(button, input, textarea, select):visible").count() == 0


UNLABELLED = """() => [...document.querySelectorAll("input:not([type=hidden]), textarea, select, button, a")]
  .filter(e => !(e.labels?.length || e.getAttribute("aria-label") || e.textContent.trim())).map(e => e.outerHTML.slice(0, 80))"""
