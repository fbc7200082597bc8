"""Every door says what an answer amounts to, tells all causes of one error, and answers each problem of a paste."""

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from api.app import create_app
from api.mcp.tools import answer_text as told_to_agents
from api.render.console import print_answer
from api.render.language import UNLIKELY
from api.settings import ServiceSettings
from tests.api.knowledge import HDFS_TRACE, KAFKA_TRACE, RECORDS, UNKNOWN_TRACE, build_home
from tests.api.pages.tabs import words

FULL = "java.io.IOException: No space left on device while spilling segment 17\n\tat com.acme.spill.Spiller.write({0}.java:88)\n\tat com.acme.spill.Spiller.flush({0}.java:41)"
TWO = f"{UNKNOWN_TRACE}\n\n{HDFS_TRACE}\n\n{KAFKA_TRACE}"


def spill(name: str, cause: str) -> dict[str, object]:
    return {
        "id": name,
        "title": f"Spilling fails: {name}",
        "symptom": "No space left on device while spilling a segment",
        "root_cause": cause,
        "distinguish": f"Look at {name}",
        "fix": f"Mend {name}",
        "traces": [FULL.format(name.title())],
    }


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    home: Path = tmp_path_factory.mktemp("speaking")
    causes = [
        spill("volume", "The volume is full: old checkpoints were never deleted"),
        spill("inodes", "Millions of tiny temporary files used up the inode table"),
    ]
    build_home(home, [*RECORDS, *causes])
    with TestClient(create_app(ServiceSettings(home=home))) as opened:
        yield opened


def wire(client: TestClient, text: str, **more: object) -> dict[str, Any]:
    found: dict[str, Any] = client.post("/v1/search", json={"text": text, **more}).json()
    return found


def page(client: TestClient, text: str, lang: str = "en") -> LexborHTMLParser:
    return LexborHTMLParser(client.post(f"/?lang={lang}", data={"text": text}, files={}).text)


def screen(answer: Mapping[str, Any], text: str) -> str:
    out = io.StringIO()
    print_answer(answer, Console(file=out, width=100), text=text)
    return out.getvalue()


def test_without_explanation_no_problem_has_evidence(client: TestClient) -> None:
    for problem in wire(client, TWO, explain=False)["problems"]:
        assert all(match["evidence"] == [] for match in problem["matches"])


@pytest.mark.parametrize(
    ("lang", "count", "second"),
    [("en", "3 problems in this text", "Problem 2:"), ("zh", "这段文字里有 3 个问题", "问题 2：")],
)
def test_the_page_lists_the_problems_and_leads_to_each(client: TestClient, lang: str, count: str, second: str) -> None:
    answer, shown = wire(client, TWO), page(client, TWO, lang)
    assert shown.css_first("nav.problems h2").text().strip() == count  # type: ignore[union-attr]
    links = [node.attributes["href"] for node in shown.css("nav.problems a")]
    assert links == ["#verdict", "#problem-2", "#problem-3"]
    assert all(shown.css(str(link)) for link in links)
    part = shown.css_first("#problem-2")
    assert part is not None
    assert second in part.text()
    assert answer["problems"][1]["matches"][0]["incident"]["title"] in part.text()
    ids = [node.attributes["id"] for node in shown.css("[id]")]
    assert len(ids) == len(set(ids))


def test_one_problem_is_not_listed(client: TestClient) -> None:
    assert page(client, HDFS_TRACE).css("nav.problems, .problem-part") == []
    assert "problems in this text" not in screen(wire(client, HDFS_TRACE), HDFS_TRACE)


@pytest.mark.parametrize(("question", "heads"), [("", ("3 problems in this text", "Problem 2 · lines", "Root cause")), ("这是怎么回事，应该怎么处理？\n", ("这段文字里有 3 个问题", "问题 2 · 第", "根因"))])  # fmt: skip
def test_the_terminal_speaks_the_language_of_the_question(
    client: TestClient, question: str, heads: tuple[str, ...]
) -> None:
    text = question + TWO
    answer = wire(client, text)
    shown = screen(answer, text)
    assert all(head in shown for head in heads)
    assert all(problem["headline"] in shown for problem in answer["problems"])


def test_every_cause_is_told_at_every_door(client: TestClient) -> None:
    text = FULL.format("Other")
    answer = wire(client, text)
    assert sorted(answer["causes"]) == ["inodes", "volume"]
    assert answer["headline"] == "Known error, two known causes"
    shown = page(client, text)
    assert shown.css_first("h1").text().strip() == answer["headline"]  # type: ignore[union-attr]
    assert len(shown.css("article.best, details.candidate[open]")) == 2
    for told in (shown.body.text() if shown.body else "", screen(answer, text), told_to_agents(answer)):
        for name in answer["causes"]:
            assert f"Look at {name}" in told
            assert f"Mend {name}" in told


def test_an_unlikely_cause_of_a_later_problem_is_not_folded_away(tmp_path: Path) -> None:
    """The headline names two causes: both are there to be checked."""
    said = FULL.partition("\n")[0]
    frames = "\tat com.zeta.Bin.put(Bin.java:3)\n\tat com.zeta.Bin.go(Bin.java:9)"
    elsewhere = {
        "title": "Inodes run out",
        "symptom": "No file is made",
        "traces": [f"{said} of a long merge sort that nobody stopped\n{frames}"],
    }
    causes = [spill("volume", "Old checkpoints were never deleted"), spill("inodes", "Too many tiny files") | elsewhere]
    build_home(tmp_path, [*RECORDS, *causes])
    text = f"{HDFS_TRACE}\n2026-01-01 12:00:00 ERROR then\n{said}"
    with TestClient(create_app(ServiceSettings(home=tmp_path))) as opened:
        found = wire(opened, text)["problems"][1]
        assert (found["causes"], found["matches"][1]["probability"] < UNLIKELY) == (["volume", "inodes"], True)
        shown = page(opened, text)
    part = "#problem-2 ~ .candidate, #problem-2 > .candidate"
    assert [words(one, ".title") for one in shown.css(part)] == ["Spilling fails: volume", "Inodes run out"]
    assert "Mend inodes" not in "".join(one.text() for one in shown.css("#problem-2 .unlikely"))


def test_agents_are_told_each_problem(client: TestClient) -> None:
    told = told_to_agents(wire(client, TWO))
    assert told.startswith("The text is about 3 problems")
    assert "Problem 3, characters 0 to " in told
    assert "none the same" not in told


def test_no_note_names_the_trace_of_a_match_that_is_no_answer(client: TestClient) -> None:
    stranger = "java.lang.IllegalArgumentException: no such tray\n\tat org.apache.flink.streaming.runtime.tasks.StreamTask$AsyncCheckpointRunnable.run(StreamTask.java:884)\n\tat java.lang.Thread.run(Thread.java:748)\n"
    answer = client.post("/v1/search", json={"text": f"{UNKNOWN_TRACE}\n2024 ERROR later\n{stranger}"}).json()
    assert answer["verdict"] == "unknown"
    assert answer["matches"]
    assert not any("first match is about" in note for note in answer["notes"])
