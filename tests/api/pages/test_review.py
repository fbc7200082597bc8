"""`/review`: whose review waits, since when, and where its changes are."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.incident import Incident, Source, Status
from kb.store import Actor, Author, Role
from tests.api.pages.tabs import Tab, opened, words

ANN = Actor("ann", "Ann", Role.CURATOR)
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


@pytest.fixture
def tab(home: Path, tmp_path: Path) -> Iterator[Tab]:
    """A service whose store is the test's own: a list of all that waits has nothing of others."""
    yield from opened(home, tmp_path)


def add(tab: Tab, incident_id: str, *statuses: Status, title: str = "") -> None:
    one = Incident(incident_id, title or f"About {incident_id}", "en", Source(incident_id, incident_id))
    tab.store.incidents.create(one, actor=ANN, status=statuses[0])
    for number, status in enumerate(statuses[1:], 1):
        tab.store.incidents.revise(one, expected=number, actor=ANN, status=status)


def enter(tab: Tab, name: str) -> Author:
    """Log in as a new reviewer; how they are asked."""
    tab.login(Role.REVIEWER, name)
    actor = next(one.actor for one in tab.store.keys.listing() if one.name == name)
    return Author(actor.id, actor.name)


def test_yours_come_first_with_their_changes(tab: Tab) -> None:
    rose = enter(tab, "Rose")
    add(tab, "a/mine", Status.PUBLISHED, Status.IN_REVIEW, title=HOSTILE)
    add(tab, "new", Status.DRAFT)
    add(tab, "free", Status.IN_REVIEW)
    add(tab, "done", Status.PUBLISHED)
    tab.store.reviews.assign("a/mine", [rose], actor=ANN)
    tab.store.reviews.assign("new", [Author(f"u:{n}", f"N{n}") for n in range(5)], actor=ANN)
    page = tab.get("/review?lang=en")
    mine, others = page.css("main .rows")
    (row,) = mine.css("li")
    assert row.css_first(".title").text() == HOSTILE
    assert row.css_first(".title").attributes["href"] == "/incidents/a%2Fmine?lang=en"
    shown = " ".join(row.css_first(".hint").text().split())
    assert shown == "in review less than an hour · revision 2 by Ann · asked by Ann"
    changes = row.css_first(".doors a").attributes["href"]
    assert changes == "/incidents/a%2Fmine/history?from=1&to=2&lang=en#diff"
    assert tab.get(str(changes)).css_first("#compared")
    assert [one.text() for one in others.css(".title")] == ["About new", "About free"]
    assert [one.text() for one in others.css(".doors a")] == ["Read it", "Read it"]
    assert "waits for N0, N1, N2, …" in others.css("li")[0].text()
    assert "nobody is asked" in others.css("li")[1].text()
    assert words(page, "nav.rooms a[href^='/review']") == "Reviews 1 wait for you"
    assert not page.css("main script, main img")
    dashboard = tab.get("/dashboard?lang=en")
    assert words(dashboard, "main p a[href^='/review']") == "3 wait for a review"
    assert words(dashboard, "nav.rooms a[href^='/review']") == "Reviews 1 wait for you"


def test_nothing_waits(tab: Tab) -> None:
    enter(tab, "Idle")
    page = tab.get("/review?lang=en")
    assert [one.text() for one in page.css(".missing")] == [
        "No review waits for you.",
        "No review waits for anybody else.",
    ]
    assert words(page, "nav.rooms a[href^='/review']") == "Reviews"
    chinese = tab.get("/review?lang=zh")
    assert [one.text() for one in chinese.css(".missing")] == ["没有等你审核的记录。", "没有等其他人审核的记录。"]
    tab.logout()
    assert not tab.get("/").css("nav.rooms a[href^='/review']")


def test_a_long_list_says_how_many_there_are(tab: Tab) -> None:
    enter(tab, "Busy")
    with tab.store.transaction():
        for number in range(101):
            add(tab, f"n{number:03}", Status.IN_REVIEW)
    page = tab.get("/review?lang=en")
    assert [one.text() for one in page.css("main .rows .title")] == [f"About n{number:03}" for number in range(100)]
    assert "The 100 oldest of 101." in page.css_first("main").text()
