"""`kb watch` as a program: on a terminal, in a pipe, beside a service that goes and comes back."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.api.command import kb
from tests.api.fixtures import poll
from tests.api.knowledge import DISK_TRACE, HDFS_TRACE, KAFKA_TRACE, UNKNOWN_TRACE, build_home
from tests.api.proof.service import Killed
from tests.api.terminal import kb_on, terminal, widest

LINES = "".join(f"2026-03-01 10:00:07,{n:03} INFO  org.example.Service - request {n} took 12 ms\n" for n in range(200))
STRANGE = "com.acme.StrangeException: never seen\n\tat com.acme.Strange.thing(Strange.java:3)\n\tat com.acme.Strange.more(Strange.java:4)\n"
LOG = LINES + HDFS_TRACE + LINES + UNKNOWN_TRACE + LINES + KAFKA_TRACE + HDFS_TRACE * 12 + LINES


def events(output: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_a_pipe_as_json_lines(home: Path) -> None:
    result = kb_program("watch", "-", "--unknown", "--json", "--fail-on", "related", home=home, paste=LOG)
    assert (result.returncode, result.stderr) == (0, b"")
    *told, summary = events(result.stdout)
    assert [(one["event"], one["count"], (one.get("incident") or {}).get("id")) for one in told] == [
        ("known", 13, "flink-checkpoint-hdfs-replicas"),
        ("unknown", 1, None),
        ("known", 1, "kafka-commit-rebalanced"),
    ]
    assert told[1]["text"] == UNKNOWN_TRACE
    assert [(one["id"], one["count"]) for one in summary["incidents"]] == [
        ("flink-checkpoint-hdfs-replicas", 13),
        ("kafka-commit-rebalanced", 1),
    ]
    assert {key: summary[key] for key in ("unknown", "unasked", "dropped", "unanswerable")} == {
        "unknown": 1, "unasked": 0, "dropped": 0, "unanswerable": 0,
    }  # fmt: skip


def kb_program(*arguments: str, home: Path, paste: str) -> subprocess.CompletedProcess[bytes]:
    """As a program: standard input is read by its number."""
    environment = {**os.environ, "KB_HOME": str(home), "COLUMNS": "80"}
    return subprocess.run(
        kb_on(*arguments), input=paste.encode(), capture_output=True, env=environment, timeout=120, check=False
    )


def test_bad_usage_and_no_snapshot(tmp_path: Path) -> None:
    assert kb("watch").returncode == 2
    assert kb("watch", "x.log", "--verdict", "unknown", home=tmp_path).returncode == 2
    assert b"there is no snapshot" in kb("watch", "x.log", home=tmp_path).stderr
    assert b"is a folder" in kb("watch", str(tmp_path), home=tmp_path, env={"KB_URL": "http://127.0.0.1:9"}).stderr


def test_on_a_terminal_until_ctrl_c(tmp_path: Path) -> None:
    """A file that comes later, is written line by line, renamed and written anew; narrow, with Chinese, in colour.

    What is written up meanwhile is known, without a service, too.
    """
    home, log = tmp_path / "home", tmp_path / "app.log"
    build_home(home)
    with terminal(*kb_on("watch", str(log), "--unknown"), columns=60, home=home) as shown:
        shown.until("waiting for it")
        for line in KAFKA_TRACE.splitlines(keepends=True):
            append(log, line)
            time.sleep(0.02)
        shown.until("调大")
        record = {"id": "invoice-footer", "title": "An invoice without a customer", "traces": [UNKNOWN_TRACE]}
        assert kb("incidents", "add", "-", home=home, paste=json.dumps(record)).returncode == 0
        log.rename(tmp_path / "app.log.1")
        append(log, KAFKA_TRACE + UNKNOWN_TRACE + STRANGE)
        shown.until("Strange.thing")
        shown.press(b"\x03")
        assert shown.ended() == 130
    assert "Traceback" not in shown.text
    assert "An invoice without a customer" in shown.text
    assert "2 known incidents; 1 other trace" in shown.text
    assert " 2 ×  " in shown.text
    assert shown.text.lower().count("known incident\n") == 3  # one of them: No known incident
    assert "\x1b[1;32m● Known incident" in shown.raw
    written = [line for line in shown.text.splitlines() if str(tmp_path) not in line]
    assert widest("\n".join(written)) <= 60
    assert not [line for line in written if line != line.rstrip()]


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as out:
        out.write(text)


@contextmanager
def watching(*arguments: str, said: Path, env: dict[str, str]) -> Iterator[tuple["subprocess.Popen[bytes]", Any]]:
    """A watch with its events as they come."""
    command, environment = kb_on("watch", "--json", *arguments), {**os.environ, **env}
    with (
        said.open("wb") as err,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err, env=environment) as process,
    ):
        assert process.stdout is not None
        try:
            yield process, (json.loads(line) for line in process.stdout)
        finally:
            process.kill()


@pytest.mark.slow
def test_a_service_that_is_away_and_comes_back(home: Path, tmp_path: Path) -> None:
    """Nothing is lost: what was found while it was away is told when it is there, and that it was away is said once."""
    service = Killed(home, tmp_path, workers=1)
    log = tmp_path / "app.log"
    said = tmp_path / "said"
    with watching(str(log), "--from-start", said=said, env={"KB_URL": service.url}) as (process, told):
        append(log, LINES + HDFS_TRACE + LINES + KAFKA_TRACE + LINES)
        poll(lambda: said.read_text().count("no service answers") == 1, 60)
        try:
            service.start()
            assert {next(told)["incident"]["id"] for _ in range(2)} == {
                "flink-checkpoint-hdfs-replicas",
                "kafka-commit-rebalanced",
            }
        finally:
            service.close()
        append(log, DISK_TRACE)
        poll(lambda: said.read_text().count("no service answers") == 2, 60)
        try:
            service.start()
            assert next(told)["incident"]["id"] == "flink-checkpoint-disk-full"
        finally:
            service.close()
        process.send_signal(signal.SIGTERM)
        assert next(told)["event"] == "summary"
        assert process.wait(60) == 128 + signal.SIGTERM
    assert said.read_text().count("answers again") == 2
    assert "Traceback" not in said.read_text()


def test_without_an_answer_it_gives_up() -> None:
    """At the end of a pipe it is said what was not asked about, with exit code 1."""
    program = (
        "import sys, api.watching.watch as w\nw.PATIENCE = 0.5\n"
        "from api.cli import main\nmain(['watch', '-', '--json'])"
    )
    environment = {**os.environ, "KB_URL": "http://127.0.0.1:9"}
    result = subprocess.run(
        [sys.executable, "-c", program],
        input=LOG.encode(),
        capture_output=True,
        env=environment,
        timeout=60,
        check=False,
    )
    assert result.returncode == 1
    assert events(result.stdout)[-1]["unasked"] == 3
    assert result.stderr.decode().count("no service answers") == 1
