"""The editor: a write-up is checked, saved, found, and never lost."""

import sys
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

import pytest

from kb.article.writeups.parts import PARTS
from kb.incident import Status
from kb.store import Missing, Role
from tests.api.knowledge import HDFS_TRACE, UNKNOWN_TRACE
from tests.api.pages.tabs import BROWSER, FORM, Tab, button, words, writeup

SECRET = "hunter2-Zx91-very-secret"


def test_from_an_unknown_paste_to_a_known_one(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    answer = tab.send(tab.get("/"), "#ask", text=UNKNOWN_TRACE)
    assert words(answer, "main h1") == "No known incident"
    begun = tab.send(answer, "#ask", "button[value=paste]")
    text = begun.css_first("#writeup-text").text()
    assert UNKNOWN_TRACE.splitlines()[0] in text
    checked = tab.send(begun, FORM, button("check"), text=text + "\n## Fix\n\nTurn it off and on.\n")
    assert checked.css_first("#understood") is not None
    saved = tab.send(checked, FORM, button("publish"))
    assert words(saved, "section.known h2").startswith("Published")
    again = tab.send(tab.get("/"), "#ask", text=UNKNOWN_TRACE)
    assert words(again, "main h1") == "Known incident"
    assert "Turn it off and on." in words(again, ".best .fix .prose")


def test_what_is_missing_is_named_before_it_is_published(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    whole = writeup("half")
    for text, expected in (
        (whole, "Ready to save: no mistakes found"),
        (whole.replace("## Fix\n\nRaise it.", ""), "Can be saved; still missing: Fix"),
        (whole[: whole.index("## Root cause")], "Can be saved; still missing: Root cause, Fix"),
    ):
        page = tab.send(tab.get("/write?lang=en"), FORM, button("check"), text=text)
        assert words(page, "#look .verdict h2") == expected


def test_mistakes_are_told_with_their_place_and_nothing_is_lost(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    text = writeup("mistaken", colour="red").replace("## Fix", "## Fix\n\n## Fix")
    page = tab.send(tab.get("/write"), FORM, button("publish"), status=422, text=text, note="why")
    assert "Line 4, column 1:" in words(page, ".mistakes li:first-child")
    assert page.css_first("#writeup-text").text().strip() == text.strip()
    assert page.css_first("#note").attributes["value"] == "why"
    with pytest.raises(Missing):
        tab.store.incidents.current("mistaken")


def test_a_preview_of_what_is_half_typed_is_no_failure(tab: Tab) -> None:
    """The script's question is answered with 200 and the mistakes; the form's own button still says 422."""
    tab.login(Role.CURATOR)
    page = tab.get("/write")
    csrf = page.css_first(f"{FORM} input[name=csrf]").attributes["value"]
    half = {"csrf": csrf or "", "do": "check", "text": "---\ntitle: [half"}
    for headers, status in ((BROWSER | {"X-Page-Part": "main"}, 200), (BROWSER, 422)):
        sent = tab.client.post("/write?lang=en", data=half, headers=headers)
        assert (sent.status_code, 'class="mistakes"' in sent.text) == (status, True), sent.text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_form_asks_for_what_is_there_first_and_says_what_each_field_is_for(tab: Tab, lang: str) -> None:
    tab.login(Role.CURATOR)
    page = tab.get(f"/write?lang={lang}")
    fields = page.css("#fields [data-part]")
    names = [one.attributes["data-part"] for one in fields]
    assert names[:5] == ["title", "traces", "symptom", "root_cause", "fix"]
    assert set(names) == {*PARTS}
    for one in fields:
        assert words(page, f"#{one.attributes['aria-describedby']}")
    assert [one.attributes["data-part"] for one in page.css("[aria-required=true]")] == ["title"]


def test_a_new_write_up_without_cause_or_fix_is_first_of_all_a_draft(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    main = f"{FORM} .saves button:not(.second)"
    empty = tab.get("/write")
    assert empty.css_first(main).attributes["value"] == "draft"
    whole = tab.send(empty, FORM, button("check"), text=writeup("whole"))
    assert whole.css_first(main).attributes["value"] == "publish"
    half = tab.send(empty, FORM, button("check"), text=writeup("whole").partition("## Fix")[0])
    assert half.css_first(main).attributes["value"] == "draft"


def test_likely_duplicates_are_shown_with_evidence(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    page = tab.send(tab.get("/write"), FORM, button("check"), text=writeup("again", trace=HDFS_TRACE))
    links = [one.attributes["href"] or "" for one in page.css(".like h3 a")]
    assert any("flink-checkpoint-hdfs-replicas" in link for link in links)
    assert page.css(".like .why li")
    assert "Unable to close file" in words(page, "#understood ~ dl .line")


def test_what_is_added_to_a_known_incident_stays_a_draft(tab: Tab) -> None:
    """Also without a script, and nothing is added where no draft can be kept."""
    tab.login(Role.CURATOR, "Cleo")
    trace = HDFS_TRACE.replace("checkpoint 17", "checkpoint 19")
    checked = tab.send(tab.get("/write"), FORM, button("check"), text=writeup("added", "Ask Cleo.", trace))
    name, add = "flink-checkpoint-hdfs-replicas", "#similar button[value='attach flink-checkpoint-hdfs-replicas']"
    long = writeup("added", "Ask Cleo.\n" * 25_000, trace)
    refused = tab.send(checked, FORM, add, status=422, text=long)
    assert "too long for a private draft" in words(refused, "[role=alert] p")
    assert refused.css_first("#writeup-text").text().strip() == long.strip()
    with pytest.raises(Missing):
        tab.store.incidents.current(name)
    added = tab.send(checked, FORM, add)
    assert "still among your drafts" in words(added, "section.known p")
    assert "checkpoint 19" in str(tab.store.incidents.current(name).shown.traces)
    (link,) = tab.get("/drafts").css("main a[href*='draft=']")
    assert "Ask Cleo." in words(tab.get(link.attributes["href"] or ""), "#writeup-text")


def test_no_write_up_is_read_where_all_others_wait(tab: Tab) -> None:
    """Neither parsed, merged nor rendered in the thread of the event loop, which is watched call by call."""
    called: set[str] = set()

    def watch(frame: FrameType, _event: str, _about: object) -> None:
        called.add(f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}")

    portal = tab.client.portal
    assert portal is not None
    tab.login(Role.CURATOR, "Dan")
    page = tab.get("/write")
    tab.send(page, FORM, button("publish"), text=writeup("loop", "Wait.") + "\n## Notes\n\nUlm.\n")
    mine = tab.get("/incidents/loop/edit")
    box = mine.css_first("#writeup-text").text()
    portal.call(sys.setprofile, watch)
    try:
        tab.send(page, FORM, button("check"), text=writeup("again", trace=HDFS_TRACE))
        tab.send(page, FORM, button("keep"), text=writeup("loop-kept"))
        tab.send(mine, FORM, button("publish"), text=box.replace("Wait.", "Wait longer."))
        tab.send(mine, FORM, button("publish"), status=412, text=box.replace("Ulm.", "Bonn."))
    finally:
        portal.call(sys.setprofile, None)
    assert {"writeup.known_like", "drafts.keep", "editor._stale"} <= called
    slow = {"parts.parts_of", "writeup.preview", "writeup.render", "differences.merged", "differences.differences"}
    assert slow & called == set()


def test_a_preview_that_was_too_busy_to_search_says_so_to_the_script(tab: Tab) -> None:
    """It asks again: what is known would not be shown otherwise until somebody types on."""
    tab.login(Role.CURATOR)
    text, page = writeup("busy", trace=HDFS_TRACE), tab.get("/write")
    admission = tab.client.app.state.service.admission  # type: ignore[attr-defined]
    with ExitStack() as taken:
        for _ in range(admission.free):
            taken.enter_context(admission.place())
        busy = tab.send(page, FORM, button("check"), text=text)
    assert busy.css("#look[data-again]")
    assert not busy.css("#similar")
    free = tab.send(page, FORM, button("check"), text=text)
    assert free.css("#look:not([data-again]) #similar")


@pytest.mark.parametrize(("name", "status"), [("draft", Status.DRAFT), ("review", Status.IN_REVIEW)])
def test_a_draft_is_saved_and_not_searched(tab: Tab, name: str, status: Status) -> None:
    tab.login(Role.CURATOR)
    tab.send(tab.get("/write"), FORM, button(name), text=writeup(f"only-{name}"))
    assert tab.store.incidents.current(f"only-{name}").status is status
    assert tab.store.incidents.live(f"only-{name}") is None


@pytest.mark.parametrize("place", ["tab", "strict"])
def test_the_text_survives_an_expired_session(place: str, request: pytest.FixtureRequest) -> None:
    tab: Tab = request.getfixturevalue(place)
    tab.login(Role.REVIEWER)
    page = tab.get("/write")
    tab.logout()
    text = writeup(f"survives-{place}")
    kept = tab.send(page, FORM, button("draft"), status=401, text=text)
    assert kept.css_first("#writeup-text").text().strip() == text.strip()
    assert kept.css_first("[role=alert] a[target=_blank]") is not None
    tab.login(Role.REVIEWER)
    again = tab.send(kept, FORM, button("draft"), status=403)  # still without the token of the new session
    assert again.css_first("#writeup-text").text().strip() == text.strip()
    tab.send(again, FORM, button("draft"))
    assert tab.store.incidents.current(f"survives-{place}").status is Status.DRAFT


def test_another_sites_form_saves_nothing(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    data = {"text": writeup("forged"), "do": "publish"}
    for more in ({"origin": "https://elsewhere.example"}, {"sec-fetch-site": "cross-site"}, {}):
        answer = tab.client.post("/write", data=data, headers={**BROWSER, **more})
        assert answer.status_code == 403
    with pytest.raises(Missing):
        tab.store.incidents.current("forged")


def test_no_secret_comes_back(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    text = writeup("told", f"Set password={SECRET} and restart.")
    for name, status in (("check", 200), ("publish", 200)):
        sent = tab.client.post("/write", data={"text": text, "do": name, "note": f"password={SECRET}"}, headers=BROWSER)
        assert sent.status_code in {status, 403}
        assert SECRET not in sent.text
    page = tab.send(tab.get("/write"), FORM, button("publish"), text=text, note=f"password={SECRET}")
    assert SECRET not in (page.html or "")
    assert "2" in words(page, "section.known p")
    assert SECRET not in str(tab.store.incidents.current("told"))


def test_who_may_not_publish_has_no_button_for_it(strict: Tab) -> None:
    strict.login(Role.CURATOR)
    page = strict.get("/write")
    assert [one.attributes["value"] for one in page.css(f"{FORM} .ask-row button")] == ["check", "draft", "review"]
    data = {"text": writeup("hasty"), "csrf": page.css_first("[name=csrf]").attributes["value"] or "", "do": "publish"}
    strict.client.post("/write", data=data, headers=BROWSER)
    assert strict.store.incidents.current("hasty").status is Status.IN_REVIEW


def test_an_id_that_is_taken_is_told(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    text = writeup("flink-checkpoint-hdfs-replicas")
    page = tab.send(tab.get("/write"), FORM, button("draft"), status=409, text=text)
    assert "id already" in words(page, "[role=alert] p")
    assert page.css_first("#writeup-text").text().strip() == text.strip()


HOSTILE = "\"><script>alert(1)</script><img src=x onerror=alert(1)>'{{7*7}}"


@pytest.mark.parametrize("name", ["a/b c", "<b>&\"'", "edit", "日志/edit", "%2F", "..x"])
def test_hostile_words_and_ids(tab: Tab, name: str) -> None:
    tab.login(Role.CURATOR, HOSTILE)
    quoted = "'" + name.replace("'", "''") + "'"
    hostile = "'" + HOSTILE.replace("'", "''") + "'"
    text = writeup(quoted, HOSTILE, HOSTILE, tags=f"[{hostile}]", component=hostile).replace(f"About {quoted}", hostile)
    saved = tab.send(tab.get("/write"), FORM, button("publish"), text=text, note=HOSTILE)
    assert saved.css_first("h1").text() == HOSTILE
    edit = saved.css_first(".doors a").attributes["href"] or ""
    page = tab.get(edit)
    assert page.css_first(f"{FORM} [name=id]").attributes["value"] == name
    checked = tab.send(page, FORM, button("check"))
    for one in (saved, page, checked):
        assert not one.css("img")
        assert all((node.attributes.get("src") or "").startswith("/static/") for node in one.css("script"))
        assert not [node for node in one.css("main *") if any(key.startswith("on") for key in node.attributes)]


@pytest.mark.parametrize("revision", [{}, {"revision": ""}, {"revision": "0"}, {"revision": "x"}])
def test_who_does_not_say_what_they_saw_replaces_nothing(tab: Tab, revision: dict[str, str]) -> None:
    tab.login(Role.CURATOR)
    name = f"unseen-{len(revision)}-{revision.get('revision')}"
    page = tab.get("/write")
    tab.send(page, FORM, button("publish"), text=writeup(name, "Ann's."))
    token = page.css_first("[name=csrf]").attributes["value"] or ""
    data = {"text": writeup(name, "Bob's."), "id": name, "csrf": token, "do": "publish", **revision}
    assert tab.client.post("/write", data=data, headers=BROWSER).status_code == 412
    assert tab.store.incidents.current(name).shown.fix == "Ann's."


def test_what_a_fix_announces_is_shown_as_long_as_it_stays(tab: Tab) -> None:
    """The write-up does not say it: what is checked is shown as it would be saved."""
    tab.login(Role.CURATOR, "Ann")
    page = tab.get("/incidents/flink-checkpoint-disk-full/edit")
    text = page.css_first("#writeup-text").text().strip()
    assert "num-retained" not in text
    checked = tab.send(page, FORM, button("check"), text=text)
    assert "num-retained: 2" in words(checked, "article .fix .announced")
    other = tab.send(page, FORM, button("check"), text=text.replace("Free the disk", "Buy a disk"))
    assert words(other, "article .fix .prose").startswith("Buy a disk")
    assert not other.css(".announced")
    tab.send(page, FORM, button("draft"), text=text.replace("title: ", "title: A "))
    fresh = tab.get("/incidents/flink-checkpoint-disk-full/edit").css_first(f"{FORM} [name=csrf]").attributes["value"]
    stale = tab.send(
        page, FORM, button("draft"), status=412, text=text.replace("title: ", "title: B "), csrf=fresh or ""
    )
    assert "num-retained" not in words(stale, ".diff")
    assert words(stale, ".change h3") == "Title"


@pytest.mark.parametrize(("lang", "heading"), [("en", "How to tell it apart"), ("zh", "如何区分")])
def test_what_tells_a_cause_apart_has_a_section_everywhere(tab: Tab, lang: str, heading: str) -> None:
    tab.login(Role.CURATOR)
    begun = tab.get(f"/write?lang={lang}")
    assert f"## {heading}\n" in begun.css_first("#writeup-text").text()
    trace = UNKNOWN_TRACE.replace("Exception", f"Apart{lang.title()}Exception")
    text = writeup(f"apart-{lang}", "Wait.", trace).replace(
        "## Fix", f"## {heading}\n\nThe log is <b>empty</b>.\n\n## Fix"
    )
    checked = tab.send(begun, FORM, button("check"), text=text)
    saved = tab.send(checked, FORM, button("publish"))
    found = tab.send(tab.get(f"/?lang={lang}"), "#ask", text=trace)
    for page, within in ((checked, "section"), (saved, "section"), (found, ".best div")):
        assert words(page, f"{within}.apart").startswith(heading)
        assert "The log is <b>empty</b>." in words(page, f"{within}.apart")


def test_a_curator_adds_a_translation_and_both_languages_are_shown(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    text = writeup("two-languages", lang="en")
    page = tab.send(tab.get("/write"), FORM, button("publish"), text=text)
    assert "Add a Chinese translation" in words(page, ".doors")
    assert "Add an English translation" not in words(page, ".doors")
    begun = tab.get("/incidents/two-languages/edit?translate=zh")
    box = begun.css_first("#writeup-text").text()
    assert "\n---\nid: two-languages\ntitle: ''\nlang: zh\ntranslates: " in box
    filled = box.replace("title: ''\nlang: zh", "title: 关于两种语言\nlang: zh").replace(
        "## 根因\n", "## 根因\n\n太小了。\n"
    )
    page = tab.send(begun, FORM, button("publish"), text=filled)
    assert words(page, "article h1") == "About two-languages"
    chinese = tab.get("/incidents/two-languages?lang=zh")
    assert words(chinese, "article h1") == "关于两种语言"
    assert "太小了。" in words(chinese, "section.cause")
    assert "译文对应" not in words(chinese, "main")


def test_a_translation_lags_after_its_original_changed(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    text = writeup("lagging", lang="en")
    tab.send(tab.get("/write"), FORM, button("publish"), text=text)
    begun = tab.get("/incidents/lagging/edit?translate=zh")
    filled = begun.css_first("#writeup-text").text().replace("title: ''", "title: 落后")
    tab.send(begun, FORM, button("publish"), text=filled)
    edit = tab.get("/incidents/lagging/edit")
    page = tab.send(
        edit, FORM, button("publish"), text=edit.css_first("#writeup-text").text().replace("Raise it", "Lower it")
    )
    assert "The Chinese translation follows an older text." in words(page, "main")
    edit = tab.get("/incidents/lagging/edit")
    page = tab.send(edit, FORM, button("publish"), text=edit.css_first("#writeup-text").text(), current="yes")
    assert "follows an older text" not in words(page, "main")


def test_what_is_told_in_one_language_says_so_to_readers_of_the_other(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    tab.send(tab.get("/write"), FORM, button("publish"), text=writeup("one-language", lang="en"))
    assert "仅有英文" in words(tab.get("/incidents/one-language?lang=zh"), "article .facts")
    assert "only in" not in words(tab.get("/incidents/one-language?lang=en"), "article")
