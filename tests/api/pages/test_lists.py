"""The start page and the list: what is known here, by component, in the reader's language, and found by what words mean."""

from tests.api.pages.tabs import Tab, words


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
