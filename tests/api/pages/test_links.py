"""`/a/<id>` without a browser: what it keeps, who sees it, who deletes it, when it ends."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from api.pages import links
from kb.store import Role, schema
from kb.store.model import NOBODY
from tests.api.knowledge import HDFS_TRACE, UNKNOWN_TRACE
from tests.api.pages.tabs import BROWSER, ROOT, Tab, opened, words

SECRET = "hunter2hunter2"
PASTE = HDFS_TRACE + f"password={SECRET}\n"


def ask(tab: Tab, text: str) -> str:
    """Search, and share the answer: the address of the link."""
    page = tab.send(tab.get("/"), "#ask", text=text)
    shared = tab.send(page, "#share")
    node = shared.css_first(".shared a")
    assert node is not None
    return (node.attributes["href"] or "").removeprefix("http://127.0.0.1")


def test_a_link_shows_the_answer_again_without_secrets(tab: Tab) -> None:
    address = ask(tab, PASTE)
    page = tab.get(f"{address}?lang=en")
    assert words(page, "#verdict") == "Known incident"
    assert "shared on" in words(page, ".shared p")
    html = page.html or ""
    assert SECRET not in html
    assert "<secret>" in words(page, "#text")
    assert SECRET not in tab.store.links.find(address.rpartition("/")[2]).text
    switch = page.css_first(".tongue a")
    assert switch is not None
    assert switch.attributes["href"] == f"{address}?lang=zh", "the paste does not get into an address"
    assert words(tab.get(f"{address}?lang=zh"), "#verdict") == "已知故障"


def test_an_unknown_problem_is_shared_too(tab: Tab) -> None:
    assert words(tab.get(f"{ask(tab, UNKNOWN_TRACE)}?lang=en"), "#verdict") == "No known incident"


def test_nothing_is_kept_before_somebody_asks(tab: Tab) -> None:
    count = sa.select(sa.func.count()).select_from(schema.links)
    with tab.store._database.reading() as connection:
        before = connection.execute(count).scalar()
        page = tab.send(tab.get("/?lang=en"), "#ask", text=UNKNOWN_TRACE)
        assert "for at most 30 days" in words(page, ".share .hint")
    with tab.store._database.reading() as connection:
        assert connection.execute(count).scalar() == before


def test_what_is_too_long_says_so(tab: Tab) -> None:
    page = tab.send(tab.get("/?lang=en"), "#ask", text=HDFS_TRACE + "INFO all is well\n" * 7_000)
    assert page.css_first("#share") is None
    assert words(page, ".share .hint") == "This paste is too long to share."


def test_a_short_question_needs_no_link(tab: Tab) -> None:
    assert tab.get("/?q=disk+is+full").css_first("#share") is None


def test_its_maker_deletes_it_and_others_do_not(tab: Tab) -> None:
    address = ask(tab, PASTE)
    mine = tab.get(address)
    tab.logout()
    theirs = tab.get(address)
    assert theirs.css_first(".shared form") is None
    tab.send(mine, ".shared form", status=403)
    assert tab.get(address)
    tab.login(Role.READER)
    tab.send(mine, ".shared form", status=403)
    tab.login(Role.CURATOR)
    page = tab.send(tab.get(f"{address}?lang=en"), ".shared form")
    assert words(page, "h1") == "The link is deleted"
    assert "expired, was deleted, or never was" in words(tab.get(f"{address}?lang=en", 404), ".verdict")


def test_a_maker_without_a_name_has_it_by_cookie(tab: Tab) -> None:
    address = ask(tab, PASTE)
    assert words(tab.send(tab.get(f"{address}?lang=en"), ".shared form"), "h1") == "The link is deleted"
    tab.get(address, 404)


def test_the_cookie_is_for_one_address_and_no_script(tab: Tab) -> None:
    made = tab.client.post("/a", data={"text": PASTE}, headers=BROWSER, follow_redirects=False)
    assert made.status_code == 303
    cookie = made.headers["set-cookie"]
    path = made.headers["location"].partition("?")[0]
    assert all(part in cookie for part in ("HttpOnly", f"Path={path}", "SameSite=lax"))


def test_a_page_of_another_site_shares_nothing(tab: Tab) -> None:
    for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}):
        made = tab.client.post("/a", data={"text": PASTE}, headers={**BROWSER, **headers}, follow_redirects=False)
        assert made.status_code == 403


def test_an_expired_link_is_gone(tab: Tab) -> None:
    paste, _ = tab.store.links.create(UNKNOWN_TRACE, timedelta(seconds=-1), actor=ROOT)
    page = tab.get(f"/a/{paste.id}?lang=en", 404)
    assert "InvoicePrinter" not in (page.html or "")


def test_where_reading_takes_a_key_so_does_a_link(strict: Tab) -> None:
    paste, _ = strict.store.links.create(UNKNOWN_TRACE, timedelta(days=1), actor=NOBODY)
    strict.logout()
    asked = strict.client.get(f"/a/{paste.id}", headers=BROWSER, follow_redirects=False)
    assert (asked.status_code, "InvoicePrinter" in asked.text) == (303, False)
    assert asked.headers["location"].startswith("/login?next=%2Fa%2F")
    strict.login(Role.READER)
    assert strict.get(f"/a/{paste.id}").css_first(".verdict") is not None


def test_no_days_no_links(home: Path, tmp_path: Path) -> None:
    for tab in opened(home, tmp_path, share_days=0):
        start = tab.get("/?lang=en")
        assert "Copy link" not in words(start, "#promise")
        assert tab.send(start, "#ask", text=PASTE).css_first("#share") is None
        assert tab.client.post("/a", data={"text": PASTE}, headers=BROWSER).status_code == 404


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "What you paste is not stored. If nothing here answers it, curators see the type of its error and its message without numbers; names in the message may remain. Only a link that you make with Copy link keeps it, without its secrets, for 30 days."),
        ({"insight_days": 0}, "Nothing you paste is stored. Only a link that you make with Copy link keeps it, without its secrets, for 30 days."),
        ({"insight_days": 0, "share_days": 0, "feedback_text": True}, "Nothing you paste is stored."),
        ({"feedback_text": True, "share_days": 7}, "A paste without an answer is stored without its secrets, so that curators can write it up. Only a link that you make with Copy link keeps it, without its secrets, for 7 days."),
    ],
)  # fmt: skip
def test_the_page_says_what_is_kept(home: Path, tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    for tab in opened(home, tmp_path, **settings):
        assert words(tab.get("/?lang=en"), "#promise").endswith(said)


@pytest.mark.parametrize(("text", "status"), [("  \n", 422), ("x" * 100_001, 422)])
def test_nothing_and_too_much_are_refused(tab: Tab, text: str, status: int) -> None:
    assert tab.client.post("/a", data={"text": text}, headers=BROWSER).status_code == status


def test_links_are_rate_limited(tab: Tab) -> None:
    tab.login(Role.READER)
    token = tab.get("/incidents").css_first(".who [name=csrf]")
    assert token is not None
    sent = {"text": "boom", "csrf": token.attributes["value"] or ""}
    statuses = [
        tab.client.post("/a", data=sent, headers=BROWSER, follow_redirects=False).status_code for _ in range(22)
    ]
    room = int(links.BURST_SECONDS * links.LINKS_A_MINUTE / 60)
    assert statuses[:room] == [303] * room
    assert statuses[-1] == 429


def test_who_finds_nothing_reads_what_to_do_next(tab: Tab, tmp_path: Path, home: Path) -> None:
    """Also whom to ask, where the service names somebody."""
    page = tab.send(tab.get("/"), "#ask", text=UNKNOWN_TRACE)
    steps = page.css("#next ~ ul > li")
    assert steps[1].css_first("a").attributes["href"] == "/incidents?text=NullPointerException&lang=en"
    assert [bool(one.css("button")) for one in steps] == [False, False, True, True]
    for contact, link in (("#oncall-help", None), ("https://help.example/now", "https://help.example/now")):
        for other in opened(home, tmp_path / str(bool(link)), contact=contact, share_days=0):
            steps = other.send(other.get("/"), "#ask", text=UNKNOWN_TRACE).css("#next ~ ul > li")
            assert " ".join(steps[2].text().split()) == f"Ask {contact}"
            assert [one.attributes["href"] for one in steps[2].css("a")] == [link] * bool(link)
            assert f"Ask {contact}" in words(other.get("/login"), "#key-hint")
