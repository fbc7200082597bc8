"""What stands behind the numbers of the dashboard: each leads to a list that adds up to it, narrowed by verdict, door and day."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from kb.store import Role
from kb.store.tallies import TallyKey, TallyKind, UnansweredQuestion, today
from tests.api.knowledge import HDFS_TRACE
from tests.api.pages.tabs import BROWSER, Tab, opened, words

DAY = today()
HOSTILE = '"><script>alert(1)</script>'
KNOWN = "kafka-commit-rebalanced"
MANY = 60


@pytest.fixture(scope="module")
def _tab(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    for tab in opened(home, tmp_path_factory.mktemp("searches")):
        kinds = TallyKind.SEARCH, TallyKind.FOUND, TallyKind.UNANSWERED
        sums: dict[TallyKey, int] = {}
        for back, count in ((0, 4), (1, 1_000)):
            day = DAY - timedelta(days=back)
            sums |= {TallyKey(kinds[0], f"{door} {one}", day, "4"): count for door in ("page", "http") for one in ("known", "related", "unknown")}  # fmt: skip
            sums |= {TallyKey(kinds[1], name, day, "page known"): count for name in (KNOWN, HOSTILE)}
            sums |= {TallyKey(kinds[2], f"q{at}", day, "http unknown"): count for at in range(MANY)}
        sums |= {TallyKey(kinds[0], "page unknown", DAY, "11"): 6, TallyKey(kinds[2], "q7", DAY): 9}
        asked = [UnansweredQuestion(f"q{at}", "jvm", "com.acme.Jam", f"belt {at} stands", KNOWN) for at in range(MANY)]
        tab.store.tallies.add(sums, [*asked[:-1], UnansweredQuestion(f"q{MANY - 1}", HOSTILE, HOSTILE, HOSTILE, HOSTILE)])  # fmt: skip
        yield tab


def numbers(page: LexborHTMLParser, selector: str) -> list[str]:
    """The first number of each node that has one."""
    return [found[0] for one in page.css(selector) if (found := re.findall(r"\d[\d,]*", one.text()))]


def total(page: LexborHTMLParser) -> str:
    return numbers(page, ".summary strong")[0]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_number_of_the_dashboard_leads_to_a_list_that_has_it(tab: Tab, lang: str) -> None:
    tab.login(Role.CURATOR)
    page = tab.get(f"/dashboard?lang={lang}")
    bare = [words(LexborHTMLParser(one.html or ""), "strong") for one in page.css(".figures p, .numbers li") if not one.css("a[href]")]  # fmt: skip
    assert bare == []
    assert [one.text() for one in page.css(".grid td:not(:last-child)") if one.text() != "0" and not one.css("a")] == []
    figures = page.css(".figures p a")
    assert len(figures) == 6
    for link in [*figures[:-1], *page.css(".grid td a")]:
        listed = tab.get(link.attributes["href"] or "")
        if " ms" not in link.text() and " s" not in link.text():
            assert re.findall(r"\d[\d,]*", link.text())[0] == total(listed)
        assert listed.css("main script") == []
    for link in page.css(".asked .hint a[href^='/searches']"):
        counted = tab.get(link.attributes["href"] or "")
        rows = [int(one.replace(",", "")) for one in numbers(counted, ".grid td:last-child")]
        assert sum(rows) == int(re.findall(r"\d[\d,]*", link.text())[0].replace(",", ""))


def test_searches_are_listed_by_day_verdict_and_time(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    page = tab.get("/searches?lang=en")
    assert [one.text() for one in page.css(".grid tbody th")] == [
        DAY.isoformat(),
        (DAY - timedelta(days=1)).isoformat(),
    ]
    assert numbers(page, ".grid tbody tr:first-child td")[:5] == ["30", "8", "0", "8", "14"]
    day = tab.get(page.css(".grid tbody th a")[0].attributes["href"] or "")
    assert total(day) == "30"
    times = tab.get(f"/searches?show=times&door=page&day={DAY}&lang=en")
    assert [one.text() for one in times.css(".grid tbody th")] == ["25 ms", "10.0 s"]
    assert numbers(times, ".grid td:nth-child(2)") == ["12", "6"]


def test_questions_are_narrowed_by_verdict_door_and_day(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    pages = [tab.get(f"/searches?verdict=unknown&lang=en&page={at}") for at in (1, 2, 99)]
    shown = [one.text() for page in pages[:2] for one in page.css(".rows code")]
    assert len(shown) == len(set(shown)) == MANY
    assert len(pages[2].css(".rows code")) == MANY - 50
    assert "Not in this list: 9" in words(pages[0], "#shown ~ .hint")
    assert tab.get("/searches?verdict=unknown&door=page&lang=en").css(".rows code") == []
    assert numbers(tab.get(f"/searches?verdict=unknown&day={DAY}&lang=en"), ".rows .hint a")[0] == "4"
    every = tab.get(f"/searches?show=questions&day={DAY}&lang=en")
    assert numbers(every, ".rows .hint a")[0] == "13", "with those of which only the day was noted"
    assert every.css_first(".rows a[href^='/write?question=q']") is not None


def test_answers_are_incidents(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    page = tab.get("/searches?verdict=known&lang=zh")
    links = [one.attributes["href"] or "" for one in page.css(".rows .title")]
    assert f"/incidents/{KNOWN}?lang=zh" in links
    assert page.css("main script") == []
    own = tab.get(f"/searches?show=incidents&name={KNOWN}&lang=en")
    assert numbers(own, ".grid td:last-child") == ["4", "1,000"]


def test_a_real_search_is_counted_with_its_door_and_verdict(tab: Tab) -> None:
    tab.send(tab.get("/"), "#ask", text=HDFS_TRACE)
    tab.send(tab.get("/"), "#ask", text="com.acme.Burnt: oven 12 is cold\n\tat com.acme.Oven.heat(Oven.java:3)\n")
    service = tab.client.app.state.service  # type: ignore[attr-defined]
    service.tally.write(service.store)
    tab.login(Role.CURATOR)
    shown = tab.get(f"/searches?door=page&verdict=unknown&day={DAY}&lang=en")
    assert words(shown, ".rows code") == "com.acme.Burnt: oven <int> is cold"
    shown = tab.get(f"/searches?door=page&verdict=known&day={DAY}&lang=en")
    assert [one.attributes["href"] for one in shown.css(".rows .title")][-1] == (
        "/incidents/flink-checkpoint-hdfs-replicas?lang=en"
    )


@pytest.mark.parametrize("query", ["day=2026-13-01", "day=x", "verdict=x", "show=x", "name=" + "x" * 2_000])
def test_an_address_that_says_nothing_is_told(tab: Tab, query: str) -> None:
    tab.login(Role.CURATOR)
    tab.get(f"/searches?{query}", 422)


@pytest.mark.parametrize("query", ["door=%00", "door=x", f"day={DAY - timedelta(days=400)}", "name=gone", "name=%ff", "page=0", "page=x", f"door={HOSTILE}&name={HOSTILE}&show=incidents"])  # fmt: skip
def test_what_nobody_counted_is_an_empty_list(tab: Tab, query: str) -> None:
    tab.login(Role.CURATOR)
    page = tab.get(f"/searches?{query}&lang=en")
    assert page.css("main script") == []


def test_readers_do_not_see_what_was_counted(tab: Tab) -> None:
    asked = tab.client.get("/searches", headers=BROWSER, follow_redirects=False)
    assert asked.headers["location"].startswith("/login")
    tab.login(Role.READER)
    tab.get("/searches", 403)
