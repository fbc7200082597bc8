"""What stands beside an incident on its page: those closest to it, and the way back to the answer where one votes."""

import threading
import time
from urllib.parse import quote, urlencode

import pytest

from api.access.caller import Caller
from api.pages.alike import alike
from api.settings import ServiceSettings
from api.writing.calls import StoreAccess
from kb.incident import Incident, Source, Status
from kb.store import Actor, Role
from tests.api.fixtures import poll
from tests.api.knowledge import HDFS_TRACE
from tests.api.pages.tabs import Tab, words

ANN = Actor("ann", "Ann", Role.REVIEWER)
TRACE = "com.acme.Jam: belt {} stands still\n\tat com.acme.Belt.move(Belt.java:9)\n\tat com.acme.Line.run(Line.java:4)"


def add(tab: Tab, incident_id: str, status: Status, belt: int) -> None:
    trace = TRACE.format(belt)
    one = Incident(incident_id, f"Belt {incident_id}", "en", Source(incident_id, incident_id), fix="x", traces=(trace,))
    tab.store.incidents.create(one, actor=ANN, status=status)


def related(tab: Tab, incident_id: str) -> list[str]:
    return [one.attributes["href"] or "" for one in tab.get(f"/incidents/{incident_id}?lang=en").css("#related .title")]


def test_a_reader_sees_what_is_closest_and_no_draft(tab: Tab) -> None:
    for belt, (name, status) in enumerate(
        {"one": Status.PUBLISHED, "two": Status.PUBLISHED, "new": Status.DRAFT}.items()
    ):
        add(tab, f"belt-{name}", status, belt)
    poll(lambda: "/incidents/belt-two?lang=en" in related(tab, "belt-one"))
    assert "/incidents/belt-one?lang=en" in related(tab, "belt-two")
    for shown in (related(tab, "belt-one"), related(tab, "belt-two")):
        assert not any("belt-new" in href for href in shown)
    assert not any("belt-one" in href for href in related(tab, "belt-one")), "not itself"
    assert tab.get("/incidents/belt-one?lang=en").css_first(".doors a[href^='/incidents/belt-one/history']") is not None


def test_what_is_related_does_not_keep_a_page_waiting(tab: Tab) -> None:
    """Every thread that searches is busy."""
    portal, service, is_over = tab.client.portal, tab.client.app.state.service, threading.Event()  # type: ignore[attr-defined]
    assert portal is not None
    desk = StoreAccess(service, Caller(ANN, Role.READER, "local"), ServiceSettings())
    one = Incident("here", "Checkpoint fails", "en", Source("here", "here"), traces=(HDFS_TRACE,))
    busy = [portal.start_task_soon(service.admission.run, is_over.wait, 60) for _ in range(32)]
    begun = time.monotonic()
    try:
        assert not portal.call(alike, desk, one, "en", 0.0)
        assert time.monotonic() - begun < 8, "one second, and not the ten of a search"
    finally:
        is_over.set()
        for task in busy:
            task.result(60)
    assert portal.call(alike, desk, one, "en", 0.0), "once they have ended"


@pytest.mark.parametrize(
    ("answer", "href"),
    [
        ("", "/?lang=en"),
        ("/a/Ab3dEf6hIj", "/a/Ab3dEf6hIj?lang=en#m-flink-checkpoint-hdfs-replicas"),
        ("/?q=belt+stands", "/?q=belt+stands&lang=en#m-flink-checkpoint-hdfs-replicas"),
        ("/?q=password%3Dhunter2Xy9", None),
        ("https://evil.example/a/Ab3dEf6hIj", "/?lang=en"),
        ("//evil.example", "/?lang=en"),
        ("/a/../logout", "/?lang=en"),
        ("/?next=x", "/?lang=en"),
    ],
    ids=[
        "nobody led here",
        "shared",
        "a question",
        "a secret",
        "elsewhere",
        "another host",
        "another page",
        "no question",
    ],
)
def test_a_vote_is_given_at_the_answer_that_led_here(tab: Tab, answer: str, href: str | None) -> None:
    page = tab.get(f"/incidents/flink-checkpoint-hdfs-replicas?lang=en&answer={quote(answer, safe='')}")
    (link,) = page.css(".opinion a")
    shown = link.attributes["href"] or ""
    if href is None:
        assert "hunter2" not in (page.html or "")
        assert shown.startswith("/?q=password")
    else:
        assert shown == href
    assert words(page, ".vote-ask")


def test_other_incidents_that_a_writeup_names_are_links(tab: Tab) -> None:
    """Where readers see them: a draft and what is retired stay words, and no script comes in by an id."""
    hostile = "<script>alert(1)</script>-x-y"
    for name, status in {"named-one": Status.PUBLISHED, "named-draft": Status.DRAFT, "named-old": Status.PUBLISHED}.items():  # fmt: skip
        add(tab, name, status, 7)
    tab.store.incidents.move("named-old", Status.RETIRED, expected=1, actor=ANN)
    cause = "Not this:\n- the disk: [disk full](../flink/flink-checkpoint-disk-full.md), [gone](../x/gone.md);\n- named-draft, named-old."
    fix = f"Related: `named-one`, `{hostile}`, [x](<{hostile}.md>), [y](javascript:named-one.md)."
    one = Incident("naming", "Naming", "en", Source("naming", "naming"), root_cause=cause, fix=fix, traces=("com.acme.Naming: no name for 7\n\tat com.acme.Name.give(Name.java:3)",))  # fmt: skip
    tab.store.incidents.create(one, actor=ANN, status=Status.PUBLISHED)
    disk, named = "/incidents/flink-checkpoint-disk-full?lang=en", "/incidents/named-one?lang=en"

    def links(address: str) -> list[str]:
        page = tab.get(address)
        assert page.css("main script") == []
        assert page.css('.prose a[href^="javascript"]') == []
        return [one.attributes["href"] or "" for one in page.css(".cause .prose a, .fix .prose a")]

    poll(lambda: set(links("/incidents/naming?lang=en")) == {disk, named})
    question = "/?" + urlencode({"q": "com.acme.Naming: no name for 9", "lang": "en"})
    poll(lambda: {disk, named} <= set(links(question)))
    answer = links(question)
    assert not any("draft" in href or "old" in href for href in answer)
    zh = tab.get("/incidents/naming?lang=zh")
    assert [one.attributes["href"] for one in zh.css(".cause .prose a")] == [disk.replace("=en", "=zh")]


def test_what_readers_do_not_see_says_so_at_its_top_and_leads_to_the_decision(tab: Tab) -> None:
    add(tab, "belt-review", Status.IN_REVIEW, 1)
    add(tab, "belt-live", Status.PUBLISHED, 2)
    tab.login(Role.REVIEWER)
    page = tab.get("/incidents/belt-review?lang=en")
    assert words(page, ".verdict h2") == "Readers do not see this text yet: in review"
    address = page.css_first(".verdict a").attributes["href"] or ""
    assert address.endswith("/incidents/belt-review/history?lang=en#move")
    assert tab.get(address).css_first("#move") is not None
    assert tab.get("/incidents/belt-live?lang=en").css_first(".verdict") is None


def test_a_role_that_is_missing_is_named_in_the_readers_language(tab: Tab) -> None:
    tab.login(Role.READER)
    assert "需要 curator 角色，你的角色是 reader。" in tab.get("/write?lang=zh", status=403).text()
    gone = tab.get("/incidents/never-was?lang=zh", status=404)
    assert [one.attributes["href"] for one in gone.css(".crumb a")] == ["/?lang=zh", "/incidents?lang=zh"]
