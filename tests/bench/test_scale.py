"""Ingest at 1, 4 and 16 times the articles beside the checkout, and one file of 1 GB: seconds of CPU and memory of every process.

Beside each size what one article more costs a watch.
"""

import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from tests.bench.watched import EVERY, Watched
from tests.ingest.articles import article

pytestmark = [pytest.mark.bench, pytest.mark.timeout(7200)]

_LIMIT_MB = 2048
_MORE = 3  # articles that are added one by one
_WORD = re.compile(r"(?<![</&\w])[A-Za-z]{5,}(?![\w=:])|[\u4e00-\u9fff]")
_KEPT = {"Caused", "Traceback", "Exception"}


def another(text: str, copy: int) -> str:
    """The text with a quarter of its words and Chinese characters changed, headings left: no near-duplicate of it."""

    def changed(found: re.Match[str]) -> str:
        word = found[0]
        number = int.from_bytes(blake2b(f"{copy} {word}".encode(), digest_size=4).digest(), "big")
        if number % 4 or word in _KEPT:
            return word
        return chr(0x4E00 + number % 3000) if ord(word[0]) > 0x7F else f"Q{chr(97 + copy)}{word}"

    lines = (line if line.startswith("#") else _WORD.sub(changed, line) for line in text.splitlines(keepends=True))
    return "".join(lines)


def copies(articles: Path, folder: Path, times: int) -> int:
    """Writes the articles ``times`` times, all but the first time changed; their bytes."""
    total = 0
    for path in sorted(path for path in articles.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8", errors="replace")
        for copy in range(times):
            place = folder / str(copy) / path.relative_to(articles)
            place.parent.mkdir(parents=True, exist_ok=True)
            total += place.write_bytes((another(text, copy) if copy else text).encode())
    return total


def measured(home: Path, source: Path) -> tuple[dict[str, Any], Watched]:
    """The summary of a first `kb ingest`, and what it took."""
    with subprocess.Popen(
        [sys.executable, "-m", "api.cli", "ingest", str(source), "--json"],
        env={**os.environ, "KB_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        watched = Watched(process.pid)
        assert process.stdout is not None
        told = process.stdout.read()
    watched.stop()
    assert process.returncode == 0
    return json.loads(told), watched


def one_more(home: Path, source: Path) -> tuple[list[float], list[float], dict[str, float]]:
    """What a watch needs for one new article after another: seconds from its writing to the published snapshot, of CPU, and by stage."""
    command = [sys.executable, "-m", "api.cli", "ingest", str(source), "--watch", "--every", "0.5", "--json"]
    seconds, cpu = [], []
    (source / "more-0.md").write_text(article("more0"))
    with subprocess.Popen(
        command, env={**os.environ, "KB_HOME": str(home)}, stdout=subprocess.PIPE, text=True
    ) as process:
        watched = Watched(process.pid)
        assert process.stdout is not None
        process.stdout.readline()  # Spark has started
        for at in range(1, 2 + _MORE):
            before = watched.cpu
            started = time.perf_counter()
            (source / f"more-{at}.md").write_text(article(f"more{at}"))
            assert json.loads(process.stdout.readline())["changes"]["new"] == 1
            seconds.append(time.perf_counter() - started)
            time.sleep(2 * EVERY)
            cpu.append(watched.cpu - before)
        process.send_signal(signal.SIGTERM)
        watched.stop()
    stages = json.loads((home / "reports" / "latest.json").read_text())["seconds"]
    return seconds[1:], cpu[1:], stages  # the first one compiles in Java


def note(name: str, summary: dict[str, Any], watched: Watched, figure: Callable[..., None]) -> None:
    figure(f"scale.{name}.documents", summary["read"])
    figure(f"scale.{name}.near_duplicates", summary["duplicates"])
    figure(f"scale.{name}.seconds", summary["seconds"])
    figure(f"scale.{name}.cpu_seconds", watched.cpu)
    figure(f"scale.{name}.cpu_ms_per_document", 1000 * watched.cpu / summary["read"])
    figure(f"scale.{name}.driver_MB", watched.peak["driver"])
    figure(f"scale.{name}.java_MB", watched.peak["java"], ceiling=_LIMIT_MB)
    figure(f"scale.{name}.largest_worker_MB", watched.peak["worker"], ceiling=_LIMIT_MB)


@pytest.mark.parametrize("times", [1, 4, 16])
def test_growth(shared_data: Path, tmp_path: Path, figure: Callable[..., None], times: int) -> None:
    source = tmp_path / "articles"
    copies(shared_data / "articles", source, times)
    summary, watched = measured(tmp_path / "home", source)
    assert summary["accepted"] + summary["rejected"] == summary["read"]
    note(f"{times}x", summary, watched, figure)
    seconds, cpu, stages = one_more(tmp_path / "home", source)
    figure(f"scale.{times}x.one_more_seconds", statistics.median(seconds))
    figure(f"scale.{times}x.one_more_cpu_seconds", statistics.median(cpu))
    for stage, took in stages.items():
        figure(f"scale.{times}x.one_more.{stage.replace('building: ', '')}_seconds", took)


def test_one_file_of_a_gigabyte(shared_data: Path, tmp_path: Path, figure: Callable[..., None]) -> None:
    """JSON lines: changed articles as records, each with a log of 128 KB that nobody reads, as exports have attachments."""
    paths = sorted(path for path in (shared_data / "articles").rglob("*") if path.is_file())
    texts = [path.read_text(encoding="utf-8", errors="replace")[:4000] for path in paths]
    source, count = tmp_path / "export.jsonl", 0
    line = "2026-01-01 00:00:00,000 INFO [main] com.acme.Attached: nothing happened\n"
    log = line * ((128 << 10) // len(line))
    with source.open("w", encoding="utf-8") as file:
        while file.tell() < 1 << 30:
            text = another(texts[count % len(texts)], 1 + count // len(texts))
            record = {"id": f"record-{count}", "title": f"Record {count} fails", "symptom": text, "attached": log}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            count += 1
    summary, watched = measured(tmp_path / "home", source)
    assert (summary["read"], summary["accepted"] > count // 2) == (count, True)
    note("1GB", summary, watched, figure)
