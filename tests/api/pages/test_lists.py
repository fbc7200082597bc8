"""The start page and the list: what is known here, by component, in the reader's language, and found by what words mean."""

from urllib.parse import urlencode

import pytest
from selectolax.lexbor import LexborHTMLParser

from kb.incident import Status
from kb.record import from_record
from kb.store import Actor, Role
from kb.store.model import Feedback, Vote
from tests.api.fixtures import poll
from tests.api.pages.tabs import Tab, words

WRITER = Actor("u:writer", "Writer", Role.CURATOR)


def test_the_start_page_tells_what_is_known(tab: Tab) -> None:
    page = tab.get("/?lang=en")
    assert words(page, "#known-here") == "6 incidents are known here"
    chips = [(" ".join(a.text().split()), a.attributes["href"]) for a in page.css(".known-here a.chip")]
    assert chips[0] == ("flink 2", "/incidents?component=flink&lang=en")
    examples = page.css(".examples a")
    assert examples
    for example in examples:
        assert tab.get(example.attributes["href"] or "").css(".verdict:not(.unknown)")


def test_a_component_leads_to_its_incidents(tab: Tab) -> None:
    rows = tab.get("/incidents?component=FLINK&lang=en").css(".rows > li")
    assert len(rows) == 2
    assert all(words(row, ".facts") == "flink" for row in rows)


def test_words_that_stand_in_no_title_are_found_by_meaning(tab: Tab) -> None:
    page = tab.get("/incidents?text=checkpoint+disk+no+space&lang=en")
    assert "disk of the TaskManager is full" in words(page, ".nearest-list li:first-child")
    assert page.css(".rows .missing")


def links(page: LexborHTMLParser, facet: str) -> dict[str, tuple[str, str]]:
    """Label → count and address of the values of a facet."""
    found = page.css(f"[aria-labelledby=facet-{facet}] li a")
    return {words(a, ".name"): (words(a, ".count"), a.attributes["href"] or "") for a in found}


def test_facets_have_counts_and_lead_on(tab: Tab) -> None:
    page = tab.get("/incidents?lang=en")
    assert words(page, ".summary strong") == "6 incidents"
    assert links(page, "component")["flink"] == ("2", "/incidents?component=flink&lang=en")
    assert links(page, "runtime")["jvm"][0] == "5"
    assert links(page, "exception")["java.io.IOException"][0] == "2"
    assert set(links(page, "language")) == {"English", "Chinese"}
    assert not links(page, "status"), "there is nothing to choose"
    narrowed = tab.get(links(tab.get(links(page, "runtime")["jvm"][1]), "exception")["java.io.IOException"][1])
    assert words(narrowed, ".summary strong") == "2 incidents"
    chosen = narrowed.css(".summary a.chip")
    assert [" ".join(one.text().split()) for one in chosen] == ["jvm ×", "java.io.IOException ×"]
    assert words(tab.get(chosen[1].attributes["href"] or ""), ".summary strong") == "5 incidents"


def test_a_list_is_in_the_language_of_its_reader(tab: Tab) -> None:
    page = tab.get("/incidents?language=zh&lang=zh")
    assert words(page, ".summary strong") == "2 条故障记录"
    assert "中文" in links(page, "language")


def test_the_most_useful_come_first(tab: Tab) -> None:
    ann = Actor("ann", "Ann", Role.CURATOR)
    for name, vote in (("python-ascii-decode", Vote.YES), ("hive-metastore-schema", Vote.NO)):
        tab.store.feedback.add(Feedback(name, vote, {"exact": ("d1",)}, 0.5, ""), actor=ann)
    titles = [one.text() for one in tab.get("/incidents?sort=useful&lang=en").css(".rows .title")]
    assert titles[0].startswith("UnicodeDecodeError")
    assert titles[-1].startswith("Hive")
    by_title = [one.text() for one in tab.get("/incidents?sort=title&lang=en").css(".rows .title")]
    assert by_title == sorted(by_title, key=str.lower)


def test_a_reader_sees_no_draft_in_counts_or_rows(tab: Tab) -> None:
    draft = from_record({"id": "secret-draft", "title": "Zwiebelkuchen", "component": "oven"})
    tab.store.incidents.create(draft, actor=Actor("ann", "Ann", Role.CURATOR))
    for address in ("/incidents", "/incidents?status=draft", "/incidents?text=zwiebel&component=oven"):
        page = tab.get(address)
        assert "Zwiebelkuchen" not in (page.html or "")
        assert "oven" not in links(page, "component")
    tab.login(Role.CURATOR)
    page = tab.get("/incidents?lang=en")
    assert "oven" in links(page, "component")
    assert links(page, "status")["draft"] == ("1", "/incidents?status=draft&lang=en")
    assert words(tab.get("/incidents?status=draft&lang=en"), ".rows .title") == "Zwiebelkuchen"


def test_a_page_beyond_the_end_is_the_last(tab: Tab) -> None:
    page = tab.get("/incidents?page=99999&lang=en")
    assert len(page.css(".rows .title")) == 6
    assert page.css_first("a[rel=prev]") is None, "it is the first too"


def test_what_narrows_nothing_is_no_choice(tab: Tab) -> None:
    assert not links(tab.get("/incidents?language=zh&runtime=jvm&lang=en"), "fix"), "all of them have one"
    assert links(tab.get("/incidents?fix=yes&lang=en"), "fix"), "what is chosen can be given up"


@pytest.mark.slow
def test_every_value_of_a_facet_is_counted_and_reached(tab: Tab) -> None:
    """However many there are, a page has a bounded number of them; the others are found by name."""
    ann, many = Actor("ann", "Ann", Role.CURATOR), 230
    for number in range(many):
        draft = from_record({"id": f"d{number}", "title": f"Draft {number}", "component": f"part{number}"})
        tab.store.incidents.create(draft, actor=ann)
    tab.login(Role.CURATOR)
    page = tab.get("/incidents?lang=en")
    count = 8 + int(words(page, "[aria-labelledby=facet-component] summary").removesuffix(" more"))
    assert count > many
    assert len(links(page, "component")) == 48
    form = page.css_first("[aria-labelledby=facet-component] form")
    assert form is not None
    assert words(form, "label") == f"Find one of {count} by its name"
    kept = {one.attributes["name"]: one.attributes["value"] for one in form.css("input[type=hidden]")}
    assert kept == {"values": "component", "lang": "en"}

    def found(**query: str) -> LexborHTMLParser:
        return tab.get("/incidents?" + urlencode(kept | query))

    whole = found(q="")
    assert len(links(whole, "component")) == 200
    assert words(whole, "[aria-labelledby=facet-component] p.hint").startswith(f"The first 200 of {count}:")
    for number in range(many):
        assert f"part{number}" in links(found(q=f"Part{number}"), "component")
    assert next(iter(links(found(q="part1"), "component"))) == "part1", "before part10 and part100"
    assert found(q="art22").css("[aria-labelledby=facet-component] li a")
    assert words(found(q="nothing"), "[aria-labelledby=facet-component] .missing")


def test_what_is_looked_for_in_a_facet_is_kept_in_the_other_language(tab: Tab) -> None:
    page = tab.get("/incidents?values=component&q=fli&lang=en")
    assert list(links(page, "component")) == ["flink"]
    switch = page.css_first(".tongue a")
    assert switch is not None
    assert list(links(tab.get(switch.attributes["href"] or ""), "component")) == ["flink"]


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR])
def test_the_list_on_the_wire_agrees_with_the_page(tab: Tab, role: Role) -> None:
    """For each component, each status and some words: as many incidents as the page counts."""
    for name, status in (
        (f"wire-{role}-draft", "draft"),
        (f"wire-{role}-retired", "retired"),
        (f"wire-{role}", "published"),
    ):
        record = {"id": name, "title": f"About {name}", "component": "Flink", "fix": "x"}
        tab.store.incidents.create(from_record(record), actor=WRITER, status=Status(status))
    tab.client.app.state.service.try_to_follow()  # type: ignore[attr-defined]
    tab.login(role)
    page = tab.get("/incidents?lang=en")
    asked = [
        *(f"component={name}" for name in links(page, "component")),
        *(f"status={name}" for name in ("draft", "in_review", "published", "retired")),
        *("text=checkpoint", "text=ABOUT+wire", "component=flink&text=disk", "component=FLINK&status=published", ""),
    ]
    for query in asked:
        count = words(tab.get(f"/incidents?lang=en&{query}"), ".summary strong")
        listed = len(on_the_wire(tab, query))
        assert (query, count) == (query, f"{listed} incident{'' if listed == 1 else 's'}")


def on_the_wire(tab: Tab, query: str) -> set[str]:
    """The ids that `GET /v1/incidents` lists, page by page."""
    found: set[str] = set()
    cursor = ""
    while True:
        told = tab.client.get(f"/v1/incidents?limit=200&{query}{cursor}").json()
        found |= {one["id"] for one in told["incidents"]}
        if told["next"] is None:
            return found
        cursor = "&" + urlencode({"cursor": told["next"]})


def test_a_row_has_its_date_and_says_which_language_it_is_only_in(tab: Tab) -> None:
    one = from_record({"id": "no-date", "title": "没有日期的记录", "lang": "zh"})
    tab.store.incidents.create(one, actor=WRITER, status=Status.PUBLISHED)
    poll(lambda: "没有日期" in tab.get("/incidents?lang=en").text())
    (row,) = tab.get("/incidents?lang=en&text=没有日期").css(".rows > li")
    assert row.css_first(".chip.only").text() == "only in Chinese"
    assert row.css_first("time").text().startswith("created 20")
    assert WRITER.name not in row.text(), "readers see the date alone"
    assert not tab.get("/incidents?lang=zh&text=没有日期").css(".chip.only")
    assert words(tab.get("/incidents?lang=en&text=没有日期"), ".summary [role=status]") == "1 incident"


def test_no_version_is_left_out(tab: Tab) -> None:
    """A reader of the fifth version takes an incident that shows four for another's."""
    named = [f"acme {number}.x" for number in range(1, 15)]
    one = from_record({"id": "versions", "title": "Fourteen versions", "versions": named})
    tab.store.incidents.create(one, actor=WRITER, status=Status.PUBLISHED)
    poll(lambda: tab.client.get("/incidents/versions").status_code == 200)
    chips = [chip.text() for chip in tab.get("/incidents/versions?lang=en").css(".facts .chip")]
    assert chips == [*named[:12], "2 more"]
