"""Two who write at once: what both changed is shown, what one of them changed is merged, a change of status is told."""

import pytest

from kb.incident import Status
from kb.store import Actor, Role
from tests.api.pages.tabs import FORM, Tab, button, words, writeup


def test_both_versions_stand_side_by_side_when_somebody_else_saved(tab: Tab) -> None:
    tab.login(Role.CURATOR, "Ann")
    tab.send(tab.get("/write"), FORM, button("publish"), text=writeup("two"))
    mine = tab.get("/incidents/two/edit")
    tab.send(tab.get("/incidents/two/edit"), FORM, button("publish"), text=writeup("two", "Theirs."))
    tab.login(Role.CURATOR, "Bob")
    mine = tab.get("/incidents/two/edit")
    tab.login(Role.CURATOR, "Ann")
    tab.send(tab.get("/incidents/two/edit"), FORM, button("publish"), text=writeup("two", "Ann's."))
    tab.login(Role.CURATOR, "Bob")
    fresh = tab.get("/incidents/two/edit").css_first(f"{FORM} [name=csrf]").attributes["value"] or ""
    stale = tab.send(mine, FORM, button("publish"), status=412, text=writeup("two", "Bob's."), csrf=fresh)
    assert "Ann's." in words(stale, "#theirs")
    assert "Bob's." in words(stale, "#writeup-text")
    assert "Ann saved revision 3" in words(stale, "[role=alert]")
    assert words(stale, ".diff .removed code") == "Ann's."
    assert words(stale, ".diff .added code") == "Bob's."
    assert words(stale, ".diff .added .sign") == "+"
    assert tab.store.incidents.current("two").number == 3
    tab.send(stale, FORM, button("publish"))
    assert tab.store.incidents.current("two").shown.fix == "Bob's."


@pytest.mark.parametrize(
    ("field", "first"),
    [("/root_cause", "Ann's cause."), ("/nothing", "Bob's cause.")],
    ids=["the cause of the other", "a field that there is not"],
)
def test_in_a_conflict_the_text_of_the_other_is_chosen_for_a_field(tab: Tab, field: str, first: str) -> None:
    tab.login(Role.CURATOR, "Ann")
    name = f"which{len(field)}"
    text = f"---\nid: {name}\ntitle: Which\n---\n\n## Root cause\n\nA cause.\n\n## Fix\n\nA fix.\n"
    tab.send(tab.get("/write"), FORM, button("publish"), text=text)
    mine = tab.get(f"/incidents/{name}/edit")
    tab.send(mine, FORM, button("publish"), text=text.replace("A ", "Ann's "))
    stale = tab.send(mine, FORM, button("publish"), status=412, text=text.replace("A ", "Bob's "))
    assert [one.attributes["value"] for one in stale.css("[name=theirs][form=writeup]")] == ["/root_cause", "/fix"]
    checked = tab.send(stale, FORM, button("check"), theirs=field)
    assert first in words(checked, "#writeup-text")
    assert "Bob's fix." in words(checked, "#writeup-text")
    assert tab.store.incidents.current(name).number == 2, "a look changes nothing"
    tab.send(stale, FORM, button("publish"), theirs=field)
    saved = tab.store.incidents.current(name)
    assert (saved.number, saved.shown.root_cause, saved.shown.fix) == (3, first, "Bob's fix.")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_choice_names_the_lines_that_it_leaves_out(tab: Tab, lang: str) -> None:
    """Lines that only one of both added; those of the text that both began with are theirs to change."""
    tab.login(Role.CURATOR, "Ann")
    name = f"lines-{lang}"
    tab.send(tab.get("/write"), FORM, button("publish"), text=writeup(name, "1. Raise it.\n2. Restart."))
    mine = tab.get(f"/incidents/{name}/edit?lang={lang}")
    theirs = "1. Raise it to 2.\n2. Restart.\n3. Watch it for a <night>."
    tab.send(tab.get(f"/incidents/{name}/edit"), FORM, button("publish"), text=writeup(name, theirs))
    yours = writeup(name, "0. Call somebody.\n1. Raise it.")
    stale = tab.send(mine, FORM, button("publish"), status=412, text=yours)
    left = {whose: [one.text() for one in stale.css(f".of-{whose} li")] for whose in ("theirs", "yours")}
    assert left == {"theirs": ["1. Raise it to 2.", "3. Watch it for a <night>."], "yours": ["0. Call somebody."]}
    assert ("Ann added" if lang == "en" else "Ann新增") in words(stale, ".of-theirs p")
    kept = tab.send(stale, FORM, button("check"), theirs="/fix")
    assert "for a <night>" in words(kept, "#writeup-text")


def test_of_a_newer_revision_no_field_is_chosen(tab: Tab) -> None:
    """The page showed another text: whoever ticked it has not seen this one."""
    tab.login(Role.CURATOR, "Ann")
    text = writeup("newer", "One.")
    tab.send(tab.get("/write"), FORM, button("publish"), text=text)
    mine = tab.get("/incidents/newer/edit")
    tab.send(mine, FORM, button("publish"), text=writeup("newer", "Ann's."))
    stale = tab.send(mine, FORM, button("publish"), status=412, text=writeup("newer", "Bob's."))
    tab.send(tab.get("/incidents/newer/edit"), FORM, button("publish"), text=writeup("newer", "Ann's last."))
    again = tab.send(stale, FORM, button("publish"), status=412, theirs="/fix")
    assert "Ann's last." in words(again, "#theirs")
    assert "Bob's." in words(again, "#writeup-text")


def test_changes_that_do_not_overlap_are_merged(tab: Tab) -> None:
    """What the other changed is in the box beside what was typed; only saving it is left."""
    tab.login(Role.CURATOR, "Ann")
    first = writeup("apart", "Wait.") + "\n## Notes\n\nSeen in Ulm.\n"
    tab.send(tab.get("/write"), FORM, button("publish"), text=first)
    mine = tab.get("/incidents/apart/edit")
    box = mine.css_first("#writeup-text").text()
    tab.send(mine, FORM, button("publish"), text=box.replace("Wait.", "Ann's."))
    stale = tab.send(mine, FORM, button("publish"), status=412, text=box.replace("Ulm", "Bonn <b>"))
    assert "changed other fields" in words(stale, "[role=alert]")
    assert words(stale, "label[for=writeup-text]") == "Both changes"
    assert words(stale, "article section.fix .prose") == "Ann's.", "what is understood is what is in the box"
    merged = stale.css_first("#writeup-text").text()
    assert "Ann's." in merged
    assert "Bonn <b>" in merged
    assert not stale.css("#theirs")
    assert words(stale, "#merged") == "Merged without a conflict, as Ann has it: Fix"
    assert "Wait." in words(stale, "textarea[readonly]"), "what was sent is not lost"
    assert not stale.css("#stale, .diff"), "nothing is in conflict"
    tab.send(stale, FORM, button("publish"))
    assert tab.store.incidents.current("apart").shown.fix == "Ann's."
    assert "Seen in Bonn <b>." in words(tab.get("/incidents/apart/edit"), "#writeup-text")


@pytest.mark.parametrize("unsaid", [{}, {"was": ""}], ids=["said", "unsaid"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_retirement_is_told_and_undone_only_on_purpose(tab: Tab, lang: str, unsaid: dict[str, str]) -> None:
    name = f"pulled-{lang}-{len(unsaid)}"
    tab.login(Role.CURATOR, "Bob")
    tab.send(tab.get("/write"), FORM, button("publish"), text=writeup(name, "Wait."))
    mine = tab.get(f"/incidents/{name}/edit?lang={lang}")
    box = mine.css_first("#writeup-text").text()
    ann = Actor("ann", "Ann", Role.CURATOR)
    tab.store.incidents.move(name, Status.RETIRED, expected=1, actor=ann, note="wrong, dangerous")
    sent = {"text": box.replace("Wait.", "Wait longer."), **unsaid}
    stale = tab.send(mine, FORM, button("publish"), status=412, **sent)
    told = words(stale, "#moved")
    assert "Ann" in told
    assert "wrong, dangerous" in told
    assert {"en": "retired", "zh": "已停用"}[lang] in told
    again = tab.send(stale, FORM, button("publish"), status=409, **unsaid)
    assert tab.store.incidents.current(name).status is Status.RETIRED
    assert tab.store.incidents.current(name).number == 2
    assert "Wait longer." in words(again, "#writeup-text")
    checked = tab.send(again, FORM, button("check"))
    tab.send(checked, FORM, button("publish"), status=409)
    kept = tab.send(checked, FORM, button("retired"))
    assert kept.css_first("h1") is not None
    assert tab.store.incidents.current(name).status is Status.RETIRED
    assert tab.store.incidents.current(name).shown.fix == "Wait longer."


def test_whoever_ticks_it_publishes_what_was_retired(tab: Tab) -> None:
    tab.login(Role.CURATOR, "Bob")
    tab.send(tab.get("/write"), FORM, button("publish"), text=writeup("back-again", "Wait."))
    mine = tab.get("/incidents/back-again/edit")
    assert not mine.css("[name=change_status]")
    ann = Actor("ann", "Ann", Role.CURATOR)
    tab.store.incidents.move("back-again", Status.RETIRED, expected=1, actor=ann, note="")
    stale = tab.send(mine, FORM, button("publish"), status=412)
    assert "changed other fields" not in words(stale, "main")
    tab.send(stale, FORM, button("publish"), change_status="yes")
    assert tab.store.incidents.current("back-again").status is Status.PUBLISHED


def test_what_was_published_meanwhile_is_no_draft_again(tab: Tab) -> None:
    tab.login(Role.CURATOR, "Bob")
    tab.send(tab.get("/write"), FORM, button("draft"), text=writeup("meanwhile", "Wait."))
    mine = tab.get("/incidents/meanwhile/edit")
    ann = Actor("ann", "Ann", Role.CURATOR)
    tab.store.incidents.move("meanwhile", Status.PUBLISHED, expected=1, actor=ann)
    stale = tab.send(mine, FORM, button("draft"), status=412)
    tab.send(stale, FORM, button("draft"), status=409)
    assert tab.store.incidents.current("meanwhile").status is Status.PUBLISHED
    tab.send(stale, FORM, button("publish"))
    assert tab.store.incidents.current("meanwhile").number == 3


def test_of_changes_that_overlap_in_part_only_those_are_shown(tab: Tab) -> None:
    tab.login(Role.CURATOR, "Ann")
    tab.send(tab.get("/write"), FORM, button("publish"), text=writeup("partly", "Wait.") + "\n## Notes\n\nUlm.\n")
    mine = tab.get("/incidents/partly/edit")
    box = mine.css_first("#writeup-text").text()
    tab.send(mine, FORM, button("publish"), text=box.replace("Wait.", "Ann's.").replace("Ulm.", "Rome."))
    stale = tab.send(mine, FORM, button("publish"), status=412, text=box.replace("Wait.", "Bob's."))
    assert "Ann's." in words(stale, "#theirs")
    merged = stale.css_first("#writeup-text").text()
    assert "Bob's." in merged
    assert "Rome." in merged
    assert words(stale, ".change h3") == "Fix"
    assert (words(stale, "#theirs-1"), words(stale, "#yours-1")) == ("Ann's.", "Bob's.")
    assert words(stale, "label[for=theirs-1]") == "Ann wrote"
    assert [one.text() for one in stale.css(".diff .removed code")] == ["Ann's."]
    assert words(stale, "#merged") == "Merged without a conflict, as Ann has it: Notes"
    assert "Ulm." in words(stale, "details:has(textarea[aria-label^='What you wrote']) textarea")
