"""An answer in a few lines, at the end of a long one, and as plain text for curl."""

import io
from pathlib import Path

import pytest
from rich.console import Console
from starlette.testclient import TestClient

from api.render.brief import print_whole
from tests.api.command import kb
from tests.api.knowledge import DISK_TRACE, HDFS_TRACE, UNKNOWN_TRACE

PLAIN = {"content-type": "text/plain", "accept": "*/*"}
TITLE = "Checkpoint fails because HDFS cannot close the last block"


def test_brief_is_verdict_cause_and_first_step(home: Path) -> None:
    shown = kb("search", "--brief", home=home, paste=HDFS_TRACE).stdout.decode()
    verdict, cause, step, where = shown.replace("\n  ", " ").splitlines()[-4:]
    assert shown.startswith("● Known incident · almost certain: 96 %")
    assert TITLE in " ".join(shown.split())
    assert cause.startswith("Root cause: The NameNode waits for the last block")
    assert step == "Fix: 1. Raise dfs.client.block.write.locateFollowingBlock.retries to 10."
    assert where == "kb incidents show flink-checkpoint-hdfs-replicas"
    assert verdict


def test_brief_of_an_unknown_problem_is_a_line(home: Path) -> None:
    assert kb("search", "--brief", home=home, paste=UNKNOWN_TRACE).stdout.decode() == "● No known incident\n"


def test_brief_of_a_log_names_each_problem(home: Path) -> None:
    between = "INFO all is well\n" * 30
    shown = kb("search", "--brief", home=home, paste=HDFS_TRACE + between + UNKNOWN_TRACE).stdout.decode()
    assert shown.startswith("● Known incident")
    assert shown.endswith("● No known incident\n")


@pytest.mark.parametrize(("height", "is_repeated"), [(5, True), (500, False)])
def test_only_an_answer_that_scrolls_away_says_its_verdict_again(
    client: TestClient, height: int, *, is_repeated: bool
) -> None:
    answer = client.post("/v1/search", json={"text": DISK_TRACE}).json()
    out = io.StringIO()
    print_whole(
        answer, Console(file=out, force_terminal=True, width=80, height=height, color_system=None), "-", DISK_TRACE
    )
    assert (out.getvalue().count("● Known incident") == 2) == is_repeated


@pytest.mark.parametrize(
    ("query", "accepted", "verdict"),
    [("", "en", "Known incident"), ("?lang=zh", "en", "已知故障"), ("", "zh", "已知故障")],
)
def test_plain_text_is_answered_in_plain_text(client: TestClient, query: str, accepted: str, verdict: str) -> None:
    response = client.post(f"/{query}", content=HDFS_TRACE, headers={**PLAIN, "accept-language": accepted})
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.text.startswith(f"● {verdict}")
    assert TITLE in response.text
    assert "Write fewer small files." in response.text


@pytest.mark.parametrize(("body", "kind"), [(b" \n", "invalid-request"), (b"\x7fELF\0\0", "not-text")])
def test_what_is_no_text_is_refused(client: TestClient, body: bytes, kind: str) -> None:
    response = client.post("/", content=body, headers=PLAIN)
    assert (response.status_code, response.json()["type"].rpartition(":")[2]) == (422, kind)


def test_a_page_of_another_site_cannot_ask_in_plain_text(client: TestClient) -> None:
    assert client.post("/", content=HDFS_TRACE, headers={**PLAIN, "sec-fetch-site": "cross-site"}).status_code == 403


def test_secrets_are_not_sent_back(client: TestClient) -> None:
    text = f"password=Tr0ub4dor&3x\n{HDFS_TRACE}"
    assert "Tr0ub4dor" not in client.post("/", content=text, headers=PLAIN).text


@pytest.mark.parametrize(
    ("lang", "heading", "note"),
    [("en", "Notes", "Jam is noted: DETAIL: rows"), ("zh", "说明", "Jam 的附注：DETAIL: rows")],
)
def test_notes_come_last_and_in_the_language_of_the_reader(
    client: TestClient, lang: str, heading: str, note: str
) -> None:
    trace = (
        'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in f\n    g()\nshop.Jam: stuck\nDETAIL: rows\n'
    )
    shown = client.post(f"/?lang={lang}", content=trace, headers=PLAIN).text
    assert f"\n{heading}\n" in shown
    after = shown.partition(f"\n{heading}\n")[2]
    assert note in after
    assert {"en": "Once you know the cause: kb", "zh": "查明原因后运行：kb"}[lang] in after
