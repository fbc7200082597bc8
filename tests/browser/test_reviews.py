"""A review, in a real Chromium over a real `kb serve`: somebody who exists is asked, by keyboard, with a finger, without scripts, in Chinese, and finds it in a list."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from kb.incident import Incident, Source, Status
from kb.store import Author, Role, Store
from kb.store.model import Key
from tests.api.fixtures import serving
from tests.api.knowledge import build_home
from tests.browser.test_accessible import violations
from tests.browser.test_curators import ROOT, login
from tests.browser.test_fingers import SMALL

pytestmark = pytest.mark.browser

WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@dataclass
class House:
    """A service, its store, and two who review."""

    url: str
    store: Store
    ann: Key
    ann_secret: str
    bob: Key
    bob_secret: str

    def add(self, incident_id: str, status: Status = Status.IN_REVIEW, title: str = "") -> None:
        """An incident that Ann wrote."""
        self.store.incidents.create(_incident(incident_id, "Wait.", title), actor=self.ann.actor, status=status)

    def revise(self, incident_id: str, fix: str) -> None:
        """Its second revision, which waits for a review."""
        one = _incident(incident_id, fix)
        self.store.incidents.revise(one, expected=1, actor=self.ann.actor, status=Status.IN_REVIEW)


def _incident(incident_id: str, fix: str, title: str = "") -> Incident:
    return Incident(incident_id, title or f"About {incident_id}", "en", Source(incident_id, incident_id), fix=fix)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("reviews")
    build_home(folder)
    with Store.open(folder / "store.db") as store:
        ann, bob = (store.keys.create(name, Role.REVIEWER, actor=ROOT) for name in ("Ann", "Bob"))
        with serving(folder, folder) as server:
            yield House(server.url, store, *ann, *bob)


def test_the_keyboard_asks_somebody_for_a_review(page: Page, house: House) -> None:
    house.add("keys")
    login(page, house.url, house.ann_secret, "/incidents/keys/history")
    page.get_by_label("Ask somebody to look at it").focus()
    page.keyboard.type("Bob")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    box = page.get_by_role("checkbox", name="Bob asked by Ann")
    expect(box).to_be_checked()
    assert [one.id for one in house.store.reviews.reviewers("keys")] == [house.bob.actor.id]
    box.focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Save reviewers").press("Enter")
    expect(page.get_by_text("Nobody is asked to look at it yet.")).to_be_visible()


def phone(browser: Browser, *, scripts: bool, scheme: Literal["light", "dark"] = "light") -> Page:
    """A page 375 px wide, in Chinese, for a finger."""
    context = browser.new_context(
        locale="zh-CN",
        color_scheme=scheme,
        viewport={"width": 375, "height": 800},
        has_touch=True,
        java_script_enabled=scripts,
    )
    return context.new_page()


def enter(page: Page, url: str, secret: str, goes_to: str) -> None:
    page.goto(f"{url}/login?next={goes_to}")
    page.locator("#key").fill(secret)
    page.locator("main form button").click()
    page.wait_for_url(f"**{goes_to}**")


def test_a_review_is_asked_for_without_scripts_in_chinese(browser: Browser, house: House) -> None:
    house.add("taps")
    page = phone(browser, scripts=False)
    enter(page, house.url, house.ann_secret, "/incidents/taps/history")
    page.get_by_label("邀请一位审核人").select_option(house.bob.actor.id)
    page.get_by_role("button", name="保存审核人").click()
    assert page.get_by_role("checkbox", name="Bob").is_checked()
    (asked,) = house.store.reviews.reviewers("taps")
    assert (asked.name, asked.assigned_by.name) == ("Bob", "Ann")
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_finger_meets_what_it_asks_with(browser: Browser, house: House, scheme: Literal["light", "dark"]) -> None:
    """Wide enough, high enough, and nothing that axe-core complains of."""
    house.add(f"fits-{scheme}")
    house.store.reviews.assign(f"fits-{scheme}", [Author(house.bob.actor.id, "Bob" * 60)], actor=house.ann.actor)
    page = phone(browser, scripts=True, scheme=scheme)
    enter(page, house.url, house.ann_secret, f"/incidents/fits-{scheme}/history")
    assert page.evaluate(WIDE) <= 0
    assert page.evaluate(SMALL) == []
    assert violations(page) == []
    page.context.close()


def test_whoever_is_asked_goes_from_the_header_to_the_changes_by_keyboard(page: Page, house: House) -> None:
    house.add("inbox", Status.PUBLISHED)
    house.revise("inbox", "Wait longer.")
    house.store.reviews.assign("inbox", [Author(house.bob.actor.id, "Bob")], actor=house.ann.actor)
    login(page, house.url, house.bob_secret, "/incidents")
    page.get_by_role("navigation", name="Incidents").get_by_role("link", name="Reviews").press("Enter")
    mine = page.get_by_role("region", name="Waiting for you")
    expect(mine.get_by_role("link", name="About inbox", exact=True)).to_be_visible()
    mine.get_by_role("link", name="See the changes: About inbox").press("Enter")
    expect(page.locator(".diff .added").last).to_contain_text("Wait longer.")
    page.locator("#comment").fill("Fine.")
    page.locator("form[action*='/comments'] button").press("Enter")
    page.goto(f"{house.url}/review")
    expect(mine.get_by_role("link", name="About inbox", exact=True)).to_have_count(0)


def test_the_list_of_reviews_without_scripts_in_chinese(browser: Browser, house: House) -> None:
    house.add("read")
    house.store.reviews.assign("read", [Author(house.ann.actor.id, "Ann")], actor=house.bob.actor)
    page = phone(browser, scripts=False)
    enter(page, house.url, house.ann_secret, "/review")
    row = page.locator("section:has(> #mine) li", has_text="About read")
    assert "由 Bob 邀请" in (row.text_content() or "")
    row.get_by_role("link", name="查看全文").click()
    assert page.locator("h1").text_content() == "About read"
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_list_of_reviews_fits_a_phone(browser: Browser, house: House, scheme: Literal["light", "dark"]) -> None:
    house.add(f"long-{scheme}", title="very_long_name_" + "x" * 200)
    house.store.reviews.assign(f"long-{scheme}", [Author(house.ann.actor.id, "Ann")], actor=house.bob.actor)
    page = phone(browser, scripts=True, scheme=scheme)
    enter(page, house.url, house.ann_secret, "/review")
    assert page.locator("main .rows li").count() > 1
    assert page.evaluate(WIDE) <= 0
    assert page.evaluate(SMALL) == []
    assert violations(page) == []
    page.context.close()
