"""The dashboard: what was asked and not answered becomes a draft in one click, and every number leads to its list."""

from datetime import timedelta

import pytest

from api.pages.insight import percentile, title_of
from kb.incident import Incident, Source, Status, Translation
from kb.store import Actor, Role
from kb.store.model import Feedback, Vote
from kb.store.tallies import TallyKey, TallyKind, UnansweredQuestion, today
from tests.api.fixtures import poll
from tests.api.knowledge import HDFS_TRACE, UNKNOWN_TRACE
from tests.api.pages.tabs import BROWSER, Tab, words

ANN = Actor("ann", "Ann", Role.CURATOR)
HOSTILE = '"><script>alert(1)</script>'
DAY = today()


def count(tab: Tab) -> None:
    """Write what was counted, as a worker does every few seconds."""
    service = tab.client.app.state.service  # type: ignore[attr-defined]
    service.tally.write(service.store)


def test_a_search_is_seen_on_the_dashboard_and_on_the_incident(tab: Tab) -> None:
    before = tab.get("/incidents/flink-checkpoint-hdfs-replicas?lang=en")
    assert before.css_first(".times") is None
    for end in ("", "\n", "\n"):  # the last two are one
        tab.send(tab.get("/"), "#ask", text=HDFS_TRACE + end)
    tab.send(tab.get("/"), "#ask", text="com.acme.Boom: tray 12 is empty\n\tat com.acme.Tray.pull(Tray.java:3)\n")
    count(tab)
    page = tab.get("/incidents/flink-checkpoint-hdfs-replicas?lang=en")
    assert words(page, ".times") == f"Given as the answer 2 × in the last 90 days, last on {today().isoformat()}."
    tab.login(Role.CURATOR)
    page = tab.get("/dashboard?lang=en")
    assert words(page, ".figures .known p").startswith("2 known")
    assert words(page, ".asked code") == "com.acme.Boom: tray <int> is empty"
    assert "asked 1 ×" in words(page, ".asked .hint")
    assert len(page.css(".figures .known rect")) == 30
    assert words(page, ".grid tbody th") == "web page"


def on_page(tab: Tab) -> int:
    """Searches that were counted on the page."""
    return sum(times for key, times in tab.store.tallies.searches(DAY) if key.name.startswith("page "))


def test_another_look_at_an_answer_is_no_search(tab: Tab) -> None:
    """A link in a busy channel is not the most frequent question."""
    count(tab)
    before = on_page(tab)
    shared = tab.send(tab.send(tab.get("/"), "#ask", text=UNKNOWN_TRACE), "#share")
    address = shared.css_first(".shared a")
    assert address is not None
    for _ in range(2):
        tab.get((address.attributes["href"] or "").removeprefix("http://127.0.0.1"))
        tab.get("/?q=belt+stands+still")
    count(tab)
    assert on_page(tab) == before + 2


def test_a_trace_without_its_error_is_not_called_words(tab: Tab) -> None:
    for name, runtime in (("b1", "jvm"), ("b2", "text")):
        key = TallyKey(TallyKind.UNANSWERED, name, DAY)
        tab.store.tallies.add({key: 7_000}, [UnansweredQuestion(name, runtime, "", "", "")])
    tab.login(Role.CURATOR)
    shown = [one.text() for one in tab.get("/dashboard?lang=en").css(".asked em")]
    for name in ("b1", "b2"):
        tab.store.tallies.answered(name)
    assert shown[:2] == [
        "Stack traces without the line that names the error",
        "Questions in words, without a stack trace",
    ]


def test_a_question_becomes_a_draft_and_is_done(tab: Tab) -> None:
    key = TallyKey(TallyKind.UNANSWERED, "d1", DAY)
    tab.store.tallies.add({key: 900}, [UnansweredQuestion("d1", "jvm", "com.acme.Jam", "belt <int> stands", "hostile")])
    tab.login(Role.CURATOR)
    page = tab.get("/dashboard?lang=en")
    link = page.css_first(".asked a.button")
    assert link is not None
    draft = tab.get(link.attributes["href"] or "")
    assert "com.acme.Jam: belt <int> stands" in words(draft, "#writeup-text")
    after = tab.send(page, ".asked form")
    assert "com.acme.Jam" not in (after.html or "")
    tab.get("/write?question=d1", 404)


def test_every_number_leads_to_its_list(tab: Tab) -> None:
    tab.store.feedback.add(Feedback("hostile", Vote.NO, {"exact": ("d1",)}, 0.5, ""), actor=ANN)
    tab.store.feedback.add(Feedback("kafka-commit-rebalanced", Vote.YES, {"exact": ("d1",)}, 0.5, ""), actor=ANN)
    tab.login(Role.CURATOR)
    page = tab.get("/dashboard?lang=en")
    leads = page.css(".numbers a")
    assert len(leads) == 5
    for link in leads:
        told = words(link, "strong")
        listed = tab.get(link.attributes["href"] or "")
        assert words(listed, ".summary strong") == f"{told} incident" + ("" if told == "1" else "s")
    assert "alert(1)" in words(page, "[aria-labelledby=denied] li")
    assert words(tab.get("/incidents?only=confirmed&lang=en"), ".summary strong") == "1 incident"


def test_a_list_of_curators_is_no_ones_else(tab: Tab) -> None:
    """A reader gets the whole list, and is not told another thing; the dashboard asks for a login."""
    page = tab.get("/incidents?only=denied&lang=en")
    assert words(page, ".summary strong") == "6 incidents"
    assert page.css(".summary a.chip") == []
    asked = tab.client.get("/dashboard", headers=BROWSER, follow_redirects=False)
    assert asked.headers["location"].startswith("/login")
    tab.login(Role.READER)
    tab.get("/dashboard", 403)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_was_asked_is_shown_as_text(tab: Tab, lang: str) -> None:
    asked = UnansweredQuestion("h1", HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE)
    tab.store.tallies.add({TallyKey(TallyKind.UNANSWERED, "h1", DAY): 5_000}, [asked])
    tab.store.tallies.add({TallyKey(TallyKind.SEARCH, f"{HOSTILE} known", DAY - timedelta(days=1), "3"): 1})
    tab.login(Role.CURATOR)
    page = tab.get(f"/dashboard?lang={lang}")
    assert page.css("main script") == []
    assert HOSTILE in words(page, ".asked li:first-child pre")


def test_percentiles_come_from_the_steps() -> None:
    assert percentile({}, 0.5) == 0
    assert percentile({4: 10}, 0.5) == pytest.approx(17.5)
    assert percentile({0: 50, 5: 50}, 0.99) == pytest.approx(49.5)
    assert percentile({12: 1}, 0.5) == 10_000


def test_titles_are_in_the_readers_language_where_they_are(tab: Tab) -> None:
    one = Incident(
        "belt",
        "Belt stands",
        "en",
        Source("b", "b"),
        fix="x",
        translations={"zh": Translation("皮带停了", {"fix": "x"})},
    )
    tab.store.incidents.create(one, actor=ANN, status=Status.PUBLISHED)
    engine = tab.client.app.state.service.live.engine  # type: ignore[attr-defined]
    poll(lambda: engine.incident("belt") is not None)
    assert [title_of(engine, "belt", lang) for lang in ("en", "zh")] == ["Belt stands", "皮带停了"]
    assert title_of(engine, "never-was", "zh") == "never-was"
