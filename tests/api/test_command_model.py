"""`kb model` on a data folder of a dozen texts: the whole way, from sentences to a model that loads."""

import gzip
import json
import re
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from index.encoder import StaticEncoder

PAIRS = [
    ("checkpoint expired before completing", "检查点在完成之前已过期"),
    ("the disk is full", "磁盘已满"),
    ("connection refused by the broker", "代理拒绝连接"),
    ("replica is not available", "副本不可用"),
    ("the lease of the file has expired", "文件的租约已经过期了"),
    ("certificate is not trusted", "证书不受信任"),
    ("too many open files", "打开的文件过多"),
    ("the table is locked", "表已锁定"),
    ("access was denied", "访问被拒绝"),
    ("out of memory in metaspace", "元空间内存不足"),
]
ARTICLES = {
    "en/disk.md": "# Disk is full on the broker\n\n## Cause\n\nLogs were never rotated, so the disk filled up.\n\n## Fix\n\nRotate the logs.\n",
    "zh/lease.md": "# 租约过期导致写入失败\n\n## 原因\n\n客户端停顿太久，租约已经过期。\n\n## 解决\n\n重启客户端。\n",
    "en/pods.md": "# Pods are evicted\n\n## Cause\n\nThe node ran out of ephemeral storage.\n\n## Fix\n\nRaise the limit of the pods.\n",
}
REPORT = {
    "id": "X-1",
    "title": "Lease checker dies",
    "text": "The lease checker thread dies and files stay open.",
    "trace": "java.io.IOException: lease gone\n\tat org.x.Lease.check(Lease.java:1)",
    "created": "2010-01-01",
    "bug_group": "X-1",
}


def write_lines(path: Path, records: list[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def kb_model(*arguments: str) -> Result:
    """Run `kb model`. PyTorch is imported here: at the top of the file it would take each worker of pytest six seconds."""
    from api.commands.model import app

    return CliRunner().invoke(app, arguments)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    pairs = [{"en": en, "zh": zh, "src": "here", "kind": "para"} for en, zh in PAIRS]
    write_lines(folder / "parallel" / "train.jsonl.gz", pairs)
    write_lines(folder / "parallel" / "heldout.jsonl.gz", pairs[:4])
    for name in ("apache_jira.tune", "apache_jira_metoo.tune", "apache_jira.test"):
        write_lines(folder / "dedup" / f"{name}.jsonl.gz", [REPORT | {"id": f"{name}-1"}])
    for name, text in ARTICLES.items():
        path = folder / "articles" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_from_sentences_to_a_model(data: Path, tmp_path: Path) -> None:
    out, work = tmp_path / "tiny", tmp_path / "work"
    options = ["train", str(data), "--out", str(out), "--work", str(work), "--steps", "8"]
    first = kb_model(*options)
    assert first.exit_code == 0, first.output
    assert "step 8 of 8" in first.output
    encoder = StaticEncoder(out)
    assert encoder.dim == 256
    assert encoder.encode(["the disk is full"]).any()
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "# tiny" in card
    assert "| seed | 20261121 |" in card
    assert "| pairs en→zh | 4 |" in card
    assert not re.search(r"\{[a-z]+\}", card), "nothing is left to fill in"

    again = kb_model(*options)
    assert again.exit_code == 0, again.output
    assert "tokenizer is trained" in first.output
    assert "tokenizer is trained" not in again.output
    assert "step" not in again.output, "the checkpoint is the last step's"
    assert StaticEncoder(out).digest == encoder.digest


def test_measured_as_json(data: Path) -> None:
    run = kb_model("measure", str(data), "--json")
    assert run.exit_code == 0, run.output
    figures = json.loads(run.stdout)
    assert list(figures) == ["zh-en-ops-256", "BM25", "hashing-512"]
    assert figures["zh-en-ops-256"]["pairs en→zh"]["hit@1"] == 1.0
    assert figures["BM25"]["pairs without shared Latin en→zh"]["n"] == 4


def test_the_part_for_choosing_is_another_than_the_one_for_reporting(data: Path) -> None:
    suites = {}
    for part in ("--tune", None):
        run = kb_model("measure", str(data), "--json", *filter(None, [part]))
        assert run.exit_code == 0, run.output
        suites[part] = {name: row["n"] for name, row in json.loads(run.stdout)["BM25"].items()}
    assert suites["--tune"] != suites[None]
