"""Lists and histories: what there is, what changed, what was said, and what is done about it."""

import pytest

from kb.incident import Incident, Source, Status
from kb.store import Actor, Role
from tests.api.fixtures import poll
from tests.api.pages.tabs import BROWSER, ROOT, Tab, words

ANN = Actor("ann", "Ann", Role.REVIEWER)
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


def made(tab: Tab, incident_id: str, *fixes: str, status: Status = Status.PUBLISHED, **more: object) -> None:
    for number, fix in enumerate(fixes):
        one = Incident(incident_id, f"About {incident_id}", "en", Source(incident_id, incident_id), fix=fix, **more)  # type: ignore[arg-type]
        if number == 0:
            tab.store.incidents.create(one, actor=ANN, status=status)
        else:
            tab.store.incidents.revise(one, expected=number, actor=ANN, status=status, note=f"note {number}")


def test_the_list_has_filters_and_pages_and_loses_nothing(tab: Tab) -> None:
    for number in range(60):
        made(tab, f"row-{number:02}", "x", component="rows", tags=("many",))
    tab.login(Role.CURATOR)
    poll(lambda: "60 incidents" in tab.get("/incidents?component=rows&lang=en").text())
    shown: list[str] = []
    address: str | None = "/incidents?component=rows&lang=en"
    while address:
        page = tab.get(address)
        shown += [one.text() for one in page.css(".rows .title")]
        link = page.css_first("a[rel=next]")
        address = link.attributes["href"] if link else None
    assert shown == [f"About row-{number:02}" for number in reversed(range(60))]
    assert words(tab.get("/incidents?status=draft&component=rows"), ".rows li").startswith("No incident fits. ")


def test_what_was_ingested_is_listed_and_drafts_are_for_curators(tab: Tab) -> None:
    made(tab, "hidden-draft", "x", status=Status.DRAFT, component="hidden")
    assert tab.get("/incidents?place=snapshot").css(".rows .title")
    assert not tab.get("/incidents?component=hidden").css(".rows .title")
    tab.login(Role.CURATOR)
    page = tab.get("/incidents?component=hidden")
    assert words(page, ".rows .title") == "About hidden-draft"
    assert "draft" in words(page, ".rows .facts")


@pytest.mark.parametrize(
    "query", ["status=gone", "page=x", "page=0", "sort=worst", "fix=maybe", "text=%00", "text=" + "x" * 300]
)
def test_a_filter_that_does_not_fit_is_told(tab: Tab, query: str) -> None:
    tab.get(f"/incidents?{query}", status=422)


def test_any_two_revisions_are_compared_with_signs(tab: Tab) -> None:
    made(tab, "long", *(f"same\nfix {number}" for number in range(120)))
    tab.login(Role.CURATOR)
    page = tab.get("/incidents/long/history")
    assert len(page.css("tbody tr")) == 100
    older = tab.get(page.css_first("a[rel=next]").attributes["href"] or "")
    assert words(older, "tbody tr:last-child th") == "1"
    last = tab.get(page.css_first("tbody tr:last-child .acts a").attributes["href"] or "")
    assert [one.text() for one in last.css(".diff .removed code, .diff .added code")] == ["fix 19", "fix 20"]
    assert not older.css("tbody tr:last-child .acts a")
    compared = tab.get("/incidents/long/history?from=1&to=120")
    lines = [(one.css_first(".sign").text(), one.css_first("code").text()) for one in compared.css(".diff li")]
    assert lines == [(" ", "same"), ("−", "fix 0"), ("+", "fix 119")]
    tab.get("/incidents/long/history?from=1&to=121", status=404)


def test_a_reader_sees_no_draft_and_no_form(tab: Tab) -> None:
    made(tab, "seen", "one")
    tab.store.incidents.revise(
        Incident("seen", "Secret plans", "en", Source("seen", "seen")), expected=1, actor=ANN, status=Status.DRAFT
    )
    page = tab.get("/incidents/seen/history")
    assert [one.text() for one in page.css("tbody th")] == ["1"]
    assert "Secret plans" not in (page.html or "")
    assert not page.css("main form[method=post]")


def test_an_old_revision_is_restored(tab: Tab) -> None:
    made(tab, "back", "good", "bad")
    tab.login(Role.CURATOR)
    page = tab.send(tab.get("/incidents/back/history"), "form[action*='/restore']")
    assert tab.store.incidents.current("back").shown.fix == "good"
    assert [one.text() for one in page.css("tbody th")] == ["3", "2", "1"]


def test_a_stale_page_changes_nothing(tab: Tab) -> None:
    made(tab, "moving", "one")
    tab.login(Role.CURATOR)
    page = tab.get("/incidents/moving/history")
    made_since = Incident("moving", "New", "en", Source("moving", "moving"))
    tab.store.incidents.revise(made_since, expected=1, actor=ANN, status=Status.PUBLISHED)
    tab.send(page, "form[action*='/status']", "button[value=retired]", status=412)
    assert tab.store.incidents.current("moving").status is Status.PUBLISHED


def test_status_comments_and_reviewers(tab: Tab) -> None:
    made(tab, "talked", "one", status=Status.IN_REVIEW)
    tab.login(Role.REVIEWER, "Rose")
    page = tab.get("/incidents/talked/history")
    page = tab.send(page, "form[action*='/comments']", text=f"Why? {HOSTILE} password=Xk29sdk3sjd8")
    page = tab.send(page, "form[action*='/comments']", text="Because.", answers="1")
    said = [one.text() for one in page.css("#comments ~ ol .said")]
    assert said == [f"Why? {HOSTILE} password=<secret>", "Because."]
    assert not page.css("main script, main img")
    incident = tab.get("/incidents/talked?lang=en")
    assert [one.text() for one in incident.css("#comments ~ ol .said")] == said
    assert not incident.css("main script, main img")
    tab.send(page, "form[action*='/status']", "button[value=published]", note="looks right")
    now = tab.store.incidents.current("talked")
    assert (now.status, now.note, now.author.name) == (Status.PUBLISHED, "looks right", "Rose")


def test_reviewers_are_chosen_from_those_who_exist(tab: Tab) -> None:
    """Whoever is asked has a box, whoever can be asked stands in the list; the page needs no script for it."""
    made(tab, "chosen", "one", status=Status.IN_REVIEW)
    key, _ = tab.store.keys.create(f"Zoe {HOSTILE}", Role.CURATOR, actor=ROOT)
    tab.login(Role.CURATOR, "Chris")
    page = tab.get("/incidents/chosen/history")
    asks = "form[action*='/reviewers']"
    assert f"Zoe {HOSTILE} · curator" in page.css_first(f"#reviewer option[value='{key.actor.id}']").text()
    page = tab.send(page, asks, reviewers=key.actor.id)
    boxes = page.css(f"{asks} input[type=checkbox][checked]")
    assert [one.attributes["value"] for one in boxes] == [key.actor.id]
    assert not page.css(f"#reviewer option[value='{key.actor.id}']")
    (asked,) = tab.store.reviews.reviewers("chosen")
    assert (asked.name, asked.assigned_by.name) == (f"Zoe {HOSTILE}", "Chris")
    refused = tab.send(page, f"{asks}[action]", reviewers="u:nobody", status=422)
    assert "choose from the list" in refused.css_first("main").text()
    assert (
        "请重新加载页面"
        in tab.send(tab.get("/incidents/chosen/history?lang=zh"), asks, reviewers="x", status=422).text()
    )
    page = tab.send(tab.get("/incidents/chosen/history"), asks, reviewers="")
    assert not page.css(f"{asks} input[type=checkbox]")
    assert tab.store.reviews.reviewers("chosen") == []


def test_a_merge_says_what_will_happen_and_is_taken_back(tab: Tab) -> None:
    made(tab, "from", "x", traces=("ValueError: a", "ValueError: b"))
    made(tab, "into", "x", traces=("ValueError: b",))
    tab.login(Role.CURATOR)
    page = tab.get("/incidents/from/history?into=into")
    assert "gets: 1." in words(page, "#merge ~ .like p")
    page = tab.send(page, "form[action*='/merge']")
    assert tab.store.redirects.resolve("from") == "into"
    assert words(tab.get("/incidents/from"), "main > .hint[role=status]") == "from was merged into this one."
    tab.send(page, "form[action*='/split']")
    assert tab.store.redirects.resolve("from") == "from"
    assert tab.store.incidents.current("into").shown.traces == ("ValueError: b",)


def test_what_stays_in_a_merge_is_named_by_words_of_its_title(tab: Tab) -> None:
    made(tab, "merge-me", "x", traces=("ValueError: a",))
    tab.login(Role.CURATOR)
    found = tab.get("/incidents/merge-me/history?into=DISK+of+the+taskmanager")
    assert not found.css("form[action*='/merge?']")
    first = found.css_first("#merge ~ .rows a.title")
    assert first.text() == "Checkpoint fails because the disk of the TaskManager is full"
    page = tab.get(first.attributes["href"] or "")
    assert (
        page.css_first("form[action*='/merge?'] input[name=into]").attributes["value"] == "flink-checkpoint-disk-full"
    )
    assert page.css_first("#into").attributes["value"] == first.text(), (
        "the box names what was chosen as readers know it"
    )
    own = tab.get("/incidents/merge-me/history?into=About+merge-me")
    assert "About merge-me" not in [one.text() for one in own.css("#merge ~ .rows a.title")], "not into itself"


@pytest.mark.parametrize("room", ["restore", "status", "comments", "reviewers", "merge", "split"])
@pytest.mark.parametrize(
    ("role", "status"), [(None, 401), (Role.READER, 403), (Role.CURATOR, 403)], ids=["nobody", "reader", "no token"]
)
def test_who_may_not_changes_nothing(tab: Tab, room: str, role: Role | None, status: int) -> None:
    if role:
        tab.login(role)
    data = {"status": "retired", "text": "x", "number": "1", "revision": "1", "into": "x", "into_revision": "1"}
    answer = tab.client.post(f"/incidents/flink-checkpoint-hdfs-replicas/{room}", data=data, headers=BROWSER)
    assert answer.status_code == status
    assert not tab.store.incidents.among(["flink-checkpoint-hdfs-replicas"])


def test_an_address_that_anybody_can_write_says_only_known_words(tab: Tab) -> None:
    own = "/incidents/flink-checkpoint-hdfs-replicas"
    page = tab.get(f"{own}?saved=gone&taken=x&merged=password%3DXk29sdk3sjd8%3Cscript%3E")
    assert not page.css("section.known")
    assert "Xk29sdk3sjd8" not in (page.html or "")
    assert not page.css("main script")
