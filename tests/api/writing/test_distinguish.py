"""How to tell a cause apart from others with the same error, at every door: between the cause and the fix, secrets out."""

import io
from typing import Any

from rich.console import Console

from api.incidents.screens import print_incident
from api.mcp import tools
from api.render.console import print_answer
from tests.api.writing.conftest import Desk

WORDS = "With `Holder` another writer took the file; password=hunter2Zx91 is not asked."
CLEAN = WORDS.replace("hunter2Zx91", "<secret>")
MARKDOWN = {"content-type": "text/markdown"}


def trace(name: str) -> str:
    kind = f"com.acme.{name.title().replace('-', '')}"
    return f"{kind}Exception: {name} broke\n\tat {kind}.run({name}.java:12)\n\tat {kind}.main({name}.java:4)"


def saved(desk: Desk, name: str) -> dict[str, Any]:
    response = desk.add(name, root_cause="It was removed.", fix="Wait.", distinguish=WORDS, traces=[trace(name)])
    found: dict[str, Any] = response.json()
    return found


def test_it_is_kept_without_secrets_and_answered(desk: Desk) -> None:
    told = saved(desk, "apart-kept")
    assert told["incident"]["distinguish"] == CLEAN
    assert [one["field"] for one in told["redactions"]] == ["/distinguish"]
    (match, *_) = desk.client.post("/v1/search", json={"text": trace("apart-kept")}).json()["matches"]
    assert match["incident"]["distinguish"] == CLEAN


def test_an_incident_without_it_has_null_in_answers_and_no_key_of_its_own(desk: Desk) -> None:
    desk.add("apart-none", fix="Wait.", traces=[trace("apart-none")])
    (match, *_) = desk.client.post("/v1/search", json={"text": trace("apart-none")}).json()["matches"]
    assert match["incident"]["distinguish"] is None
    assert "distinguish" not in desk.ask("GET", "/apart-none").json()


def test_its_words_are_searched(desk: Desk) -> None:
    desk.add("apart-found", title="quoll", root_cause="It was removed.", distinguish="The numbatological log is empty.")
    found = desk.client.post("/v1/search", json={"text": "numbatological log"}).json()["matches"]
    assert "apart-found" in [match["incident"]["id"] for match in found]


def test_it_comes_back_as_a_section_and_a_change_of_it_is_a_difference(desk: Desk) -> None:
    saved(desk, "apart-edited")
    text = desk.ask("GET", "/apart-edited", headers={"accept": "text/markdown"}).text
    assert f"## Root cause\n\nIt was removed.\n\n## How to tell it apart\n\n{CLEAN}\n\n## Fix\n" in text
    changed = text.replace("another writer", "a second writer").encode()
    again = desk.ask("PUT", "/apart-edited", etag='"1"', headers=MARKDOWN, content=changed)
    assert again.json()["incident"]["distinguish"] == CLEAN.replace("another", "a second")
    (one,) = desk.ask("GET", "/apart-edited/diff?from=1&to=2").json()["fields"]
    assert (one["field"], one["change"]) == ("/distinguish", "changed")


def test_a_draft_takes_it(desk: Desk) -> None:
    said = {"text": trace("apart-draft"), "distinguish": WORDS}
    drafted = desk.ask("POST", "/draft", json=said).json()
    assert drafted["incident"]["distinguish"] == CLEAN
    assert f"## How to tell it apart\n\n{CLEAN}\n" in drafted["markdown"]


def test_terminal_and_agents_are_told_between_cause_and_fix(desk: Desk) -> None:
    record = saved(desk, "apart-told")["incident"]
    answer = desk.client.post("/v1/search", json={"text": trace("apart-told")}).json()
    one, other = io.StringIO(), io.StringIO()
    print_incident(record, Console(width=200, file=one))
    print_answer(answer, Console(width=200, file=other))
    for shown in (one.getvalue(), other.getvalue(), tools.incident_text(record), tools.answer_text(answer)):
        assert shown.index("It was removed.") < shown.index("How to tell it apart") < shown.index("another writer")
        assert shown.index("another writer") < shown.index("Wait.")


def test_a_service_of_an_older_version_tells_none(desk: Desk) -> None:
    saved(desk, "apart-older")
    answer = desk.client.post("/v1/search", json={"text": trace("apart-older")}).json()
    for match in answer["matches"]:
        del match["incident"]["distinguish"]
    out = io.StringIO()
    print_answer(answer, Console(width=200, file=out))
    assert "It was removed." in out.getvalue()
    assert "It was removed." in tools.answer_text(answer)
