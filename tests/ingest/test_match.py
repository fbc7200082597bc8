"""Many queries: the answers here and on Spark are the same, in order, and a bad line stops nothing."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from ingest.match import app
from kb.errors import SnapshotError, SourceError
from tests.ingest.articles import trace

pytestmark = pytest.mark.spark

QUERIES = [
    {"id": "q1", "text": trace("alpha", line=7)},
    {"id": 2, "text": "how to mount the beta lock file"},
    {"id": "q3", "text": ""},
    {"id": "q4", "text": "half an emoji \ud83d and \x00"},
    {"id": None, "text": "java.lang.NullPointerException\n\tat org.other.Thing.run(Thing.java:3)"},
]
BAD = [b"no json", b"[1]", b'{"id": "b3"}', b'{"id": "b4", "text": 5}', b"[" * 100_000, b"\xff\xfe"]


@pytest.fixture
def home(ingested: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KB_HOME", str(ingested))
    return ingested


def match(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def answers(text: str) -> list[dict[str, Any]]:
    return [{key: value for key, value in json.loads(line).items() if key != "took_ms"} for line in text.splitlines()]


@pytest.mark.usefixtures("home")
def test_here_and_on_spark_give_the_same_answers_in_order(tmp_path: Path):
    queries = tmp_path / "queries.jsonl"
    queries.write_text("\n\n".join(json.dumps(query) for query in QUERIES * 20))
    here, there = match(str(queries)), match(str(queries), "--master", "local[2]", "-o", str(tmp_path / "out.jsonl"))
    assert (here.exit_code, there.exit_code) == (0, 0)
    found = answers(here.stdout)
    assert answers((tmp_path / "out.jsonl").read_text()) == found
    assert [answer["id"] for answer in found] == [query["id"] for query in QUERIES * 20]
    assert found[0]["matches"][0]["incident"]["title"] == "The alpha ledger does not open"
    assert "took_ms" in json.loads(here.stdout.splitlines()[0])


@pytest.mark.usefixtures("home")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path):
    """So is a device: as root, `-o /dev/null` made an ordinary file of it for the whole machine."""
    queries, pipe = tmp_path / "queries.jsonl", tmp_path / "pipe"
    queries.write_text(json.dumps(QUERIES[0]))
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # so that the writer need not wait for one
    try:
        assert match(str(queries), "-o", str(pipe)).exit_code == 0
        assert pipe.is_fifo()
        assert json.loads(os.read(reader, 1 << 16))["id"] == "q1"
    finally:
        os.close(reader)


@pytest.mark.usefixtures("home")
def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path):
    """`/dev/stdout` is one, to a file where the output is redirected."""
    queries, link, answers = tmp_path / "queries.jsonl", tmp_path / "link", tmp_path / "answers.jsonl"
    queries.write_text(json.dumps(QUERIES[0]))
    answers.touch()
    link.symlink_to(answers)
    assert match(str(queries), "-o", str(link)).exit_code == 0
    assert link.is_symlink()
    assert json.loads(answers.read_text())["id"] == "q1"


@pytest.mark.usefixtures("home")
def test_a_link_to_a_pipe_is_written_to(tmp_path: Path):
    """As `/dev/stdout` is where the output goes on to another command."""
    queries = tmp_path / "queries.jsonl"
    queries.write_text(json.dumps(QUERIES[0]))
    reader, writer = os.pipe()
    try:
        assert match(str(queries), "-o", f"/dev/fd/{writer}").exit_code == 0
        assert json.loads(os.read(reader, 1 << 16))["id"] == "q1"
    finally:
        os.close(reader)
        os.close(writer)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("master", [(), ("--master", "local[2]")], ids=["here", "spark"])
def test_a_bad_line_gets_an_error_and_the_others_an_answer(tmp_path: Path, master: tuple[str, ...]):
    good = json.dumps(QUERIES[0]).encode()
    queries = tmp_path / "queries.jsonl"
    queries.write_bytes(b"\n".join([good, *BAD, good]))
    result = match(str(queries), *master)
    assert result.exit_code == 1
    assert "6 lines were no query" in result.stderr
    found = answers(result.stdout)
    assert [answer.get("id") for answer in found] == ["q1", None, None, "b3", "b4", None, None, "q1"]
    assert [("error" in answer) for answer in found] == [False, *[True] * 6, False]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("missing.jsonl",), "cannot be read", id="no-queries"),
        pytest.param(("q.jsonl", "-o", "no/where/out.jsonl"), "cannot be written", id="no-output"),
    ],
)
def test_what_an_operator_must_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.jsonl").write_text(json.dumps(QUERIES[0]))
    with pytest.raises(SourceError, match=said) as failed:
        CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert failed.value.cure


def test_without_a_snapshot_there_is_a_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KB_HOME", str(tmp_path))
    (tmp_path / "q.jsonl").write_text("{}")
    for master in ((), ("--master", "local[2]")):
        with pytest.raises(SnapshotError) as failed:
            CliRunner().invoke(app, [str(tmp_path / "q.jsonl"), *master], catch_exceptions=False)
        assert "kb ingest" in failed.value.cure
