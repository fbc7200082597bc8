"""What a cause or a fix announces (code, a list) stands below it at every door."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from api.chat.compose import AnswerContext, answer_card
from api.chat.message import LINES, PART
from api.commands.search import ask_engine
from api.incidents.screens import print_incident
from api.mcp import tools
from api.render.console import print_answer, print_match
from api.render.language import load_strings
from api.render.view import AnswerView
from api.settings import ServiceSettings
from api.testruns import _words
from api.writing.incident_input import merged_over, parse_incident
from api.writing.suggestions import draft
from index.answer import Answer, Match, Query, Verdict
from kb.article.writeups.writeup import render
from kb.record import from_record
from tests.api.knowledge import DISK_TRACE, RECORDS

DISK = "flink-checkpoint-disk-full"
(RECORD,) = (record for record in RECORDS if record["id"] == DISK)
CODE = "state.checkpoints.num-retained: 2"


@pytest.fixture(scope="module")
def answer(home: Path) -> dict[str, Any]:
    return ask_engine(ServiceSettings(home=home), DISK_TRACE, 3)


def test_the_wire_tells_it(client: TestClient, answer: dict[str, Any]) -> None:
    assert answer["matches"][0]["incident"]["announced"] == RECORD["announced"]
    assert client.get(f"/v1/incidents/{DISK}").json()["announced"] == RECORD["announced"]
    assert all("announced" in match["incident"] for match in answer["matches"])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_shows_it_below_the_fix(client: TestClient, lang: str) -> None:
    found = LexborHTMLParser(client.post(f"/?lang={lang}", data={"text": DISK_TRACE}, files={}).text)
    page = LexborHTMLParser(client.get(f"/incidents/{DISK}?lang={lang}", headers={"accept": "text/html"}).text)
    for shown in (*found.css(".best .fix"), *page.css(".fix")):
        (below,) = shown.css(".prose + .announced")
        assert CODE in below.css("pre")[0].text()
    assert len(found.css(".best .announced")) == len(page.css(".announced")) == 1


@pytest.mark.parametrize(
    ("lang", "sections", "cause", "fix", "agents"),
    [
        (
            "en",
            {"article": "It stops."},
            "No sentence was recognised as the cause; the passages shown may tell it.",
            "No sentence was recognised as the fix",
            "(no sentence was recognised as the cause; the passages may tell it)",
        ),
        (
            "zh",
            {"article": "It stops."},
            "没有识别出说明原因的句子，原因可能就在所示的原文里。",
            "没有识别出说明解决办法的句子，办法可能就在所示的原文里。",
            "(no sentence was recognised as the fix; the passages may tell it)",
        ),
        ("en", {}, "Root cause\n  Not stated yet.", "Fix\n  Not stated yet.", "Fix: (not stated yet)"),
        ("zh", {}, "根因\n  尚未写明。", "解决办法\n  尚未写明。", "Root cause: (not stated yet)"),
    ],
)
def test_a_missing_cause_or_fix_is_stated(
    answer: dict[str, Any], lang: str, sections: dict[str, str], cause: str, fix: str, agents: str
) -> None:
    silent = answer["matches"][0]["incident"] | {"root_cause": None, "fix": None, "announced": {}, "sections": sections}
    told = {**answer, "matches": [{**answer["matches"][0], "incident": silent}]}
    out = io.StringIO()
    print_match(told["matches"][0], Console(width=80, file=out), load_strings()[lang])
    assert cause in out.getvalue()
    assert fix in out.getvalue()
    assert agents in tools.answer_text(told)


def test_the_page_of_a_hostile_one_is_harmless(client: TestClient) -> None:
    page = LexborHTMLParser(client.get("/incidents/hostile?lang=en", headers={"accept": "text/html"}).text)
    (below,) = page.css(".announced")
    assert below.text().split("\n")[:2] == ["", "<script>alert(8)</script>"]
    assert not below.css("script, a")


def on_terminal(answer: dict[str, Any]) -> str:
    out = io.StringIO()
    print_answer(answer, Console(width=80, file=out))
    return out.getvalue()


def test_the_terminal_prints_it(answer: dict[str, Any]) -> None:
    shown = on_terminal(answer)
    assert shown.index("at a larger one:") < shown.index(CODE) < shown.index("Why")
    out = io.StringIO()
    print_incident({**RECORD, "revision": 1, "status": "published"}, Console(width=80, file=out))
    assert out.getvalue().index("at a larger one:") < out.getvalue().index(CODE)


def test_the_terminal_prints_the_beginning_of_the_article_as_it_was_read() -> None:
    article = "\n\n".join(f"Line {number} of the article." for number in range(99))
    record = {**RECORD, "revision": 1, "status": "published", "article": article}
    out = io.StringIO()
    print_incident(record, Console(width=80, file=out))
    assert out.getvalue().index(CODE) < out.getvalue().index("The article as it was read")
    assert "Line 39 of" in out.getvalue()
    assert "Line 40 of" not in out.getvalue()
    assert "Line 3 of" not in tools.incident_text(record)


def test_agents_and_test_runs_are_told(answer: dict[str, Any]) -> None:
    match = answer["matches"][0]
    for shown in (
        tools.answer_text(answer),
        tools.incident_text({**RECORD, "revision": 1, "status": "published"}),
        _words(match),
    ):
        assert shown.index("at a larger one:") < shown.index(CODE)


def test_a_service_of_an_older_version_tells_none(answer: dict[str, Any]) -> None:
    match = answer["matches"][0]
    older = {**match, "incident": {key: value for key, value in match["incident"].items() if key != "announced"}}
    for shown in (
        on_terminal({**answer, "matches": [older]}),
        tools.answer_text({**answer, "matches": [older]}),
        _words(older),
    ):  # type: ignore[typeddict-item]
        assert "at a larger one:" in shown
        assert CODE not in shown


def test_what_a_curator_wrote_below_a_fix_is_cut_like_an_articles(answer: dict[str, Any]) -> None:
    """Nobody but a reader of articles bounds it."""
    match = answer["matches"][0]
    code = "\n".join(f"line-{number}" for number in range(2_000))
    incident = {**match["incident"], "announced": {"fix": f"```yaml\n{code}\n```"}}
    long = {**answer, "matches": [{**match, "incident": incident}]}
    out = io.StringIO()
    print_incident({**RECORD, **incident, "revision": 1}, Console(width=80, file=out))
    for shown in (on_terminal(long), out.getvalue(), tools.answer_text(long)):
        assert shown.count("line-") == 30
    assert "line-29\n```\n\n…\n" in tools.answer_text(long)


def test_a_draft_is_given_what_the_paste_announces() -> None:
    text = (
        "# Disk full\n\nIt stops.\n\n## Root cause\n\nThe node was started with the wrong settings, which are:\n\n- wrong: 1\n- wrong: 2\n\n"
        "## Fix\n\nAdd the following to the configuration of every node in the cluster:\n\n- right: 1\n- right: 2\n"
    )
    found, markdown = draft(text)
    assert (found.root_cause or "").endswith("which are:\n\n- wrong: 1\n- wrong: 2")
    assert (found.fix or "").endswith("in the cluster:\n\n- right: 1\n- right: 2")
    assert found.announced == {}
    assert (found.root_cause or "") in markdown
    assert (found.fix or "") in markdown


def test_it_stays_where_only_the_blank_lines_of_an_ingested_fix_go() -> None:
    before = replace(
        from_record({"id": "a", "title": "T", "symptom": "It stops.", "announced": {"fix": "- x"}}), fix="\nSet this:\n"
    )
    said = parse_incident(render(before).encode(), markdown=True, incident_id="a")
    assert said.incident.fix == "Set this:"
    assert merged_over(before, said).announced == {"fix": "- x"}


def in_a_chat(**more: object) -> str:
    known = from_record({"id": "a", "title": "T", "fix": "Set this:", **more})
    found = AnswerView(Answer(Query((), "en"), Verdict.KNOWN, (Match(known, 0.9, ()),), (), "snap", 1.0))
    best = answer_card(found, "en", AnswerContext("REF", None)).best
    assert best is not None
    return best.fix


def test_a_chat_is_told_a_few_lines() -> None:
    code = "\n".join(f"line-{number}: {'x' * 20}" for number in range(60))
    shown = in_a_chat(announced={"fix": f"```\n{code}\n```"})
    assert shown.startswith("Set this:\n\n```\nline-0: ")
    assert shown.count("line-") == LINES
    assert shown.endswith("\n```\n\n…")
    assert len(in_a_chat(announced={"fix": "x" * 9_000})) <= PART
    long = in_a_chat(fix="Long. " * 150 + "Set this:", announced={"fix": f"```yaml\n{code}\n```"})
    assert len(long) <= PART
    assert shown.partition("```")[2].rstrip("\n… ") in long.replace("yaml", "")
    assert long.endswith("\n```\n\n…")
    assert in_a_chat(announced={"root_cause": "```\na\n```"}) == "Set this:"
    assert in_a_chat(fix=None, announced={"fix": "```\na\n```"}) == ""
