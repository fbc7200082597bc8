"""JSON lines that are damaged or hidden: what can be read is read, and what cannot is named and counted."""

import bz2
import gzip
import json
import lzma
import os
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from ingest import spark as kb
from ingest.triage.crashes import CrashFiles, find_files, read_crashes
from ingest.triage.lines import line_packs, read_lines
from kb.trace.custom import CustomRules

pytestmark = pytest.mark.spark
STACK = "java.lang.IllegalStateException: gone\n\tat com.acme.Pay.run(Pay.java:3)"
LINE = json.dumps({"text": STACK}).encode() + b"\n"


def read(spark: SparkSession, files: CrashFiles) -> tuple[int, int, list[str]]:
    """Reports, lines that are none, and notes."""
    rows = read_crashes(spark, files, CustomRules()).select("is_report", "text").collect()
    others = [row.text for row in rows if not row.is_report]
    return len(rows) - len(others), others.count(None), sorted(filter(None, others))


def test_a_byte_that_is_no_utf8_ends_nothing(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(LINE + LINE.replace(b"gone", b"g\xffne") + b"\xff\n" + LINE)
    (tmp_path / "b.jsonl").write_bytes("\ufeff".encode() + LINE)
    (tmp_path / "c.jsonl").write_bytes((LINE * 2).decode().encode("utf-16"))
    assert read(spark, find_files([str(tmp_path)])) == (4, 4, [])


def test_a_byte_behind_a_url_that_is_no_utf8_ends_nothing(spark: SparkSession, tmp_path: Path) -> None:
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    hadoop.set("fs.viewfs.mounttable.bytes.link./in", tmp_path.as_uri())
    (tmp_path / "a.jsonl").write_bytes(LINE + LINE.replace(b"gone", b"g\xffne") + b"\xff\n" + LINE)
    assert read(spark, CrashFiles(remote=["viewfs://bytes/in/a.jsonl"])) == (3, 1, [])


def test_functions_of_columns_take_bytes_that_are_no_utf8(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"caf\xe9 is closed\nfine\n")
    read_column = spark.read.text(str(tmp_path / "a.txt")).select(kb.redact("value").alias("text"))
    assert [row.text for row in read_column.collect()] == ["caf\ufffd is closed", "fine"]


def test_files_that_are_damaged_are_read_as_far_as_they_go(spark: SparkSession, tmp_path: Path) -> None:
    packed = gzip.compress(b"".join(LINE[:-1] + b" " * n + b"\n" for n in range(3_000)), 1)
    (tmp_path / "cut.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "none.jsonl.gz").write_bytes(LINE)
    (tmp_path / "cut.jsonl.xz").write_bytes(lzma.compress(LINE)[:-9])
    (tmp_path / "good.jsonl").write_bytes(LINE)
    files = find_files([str(tmp_path)])
    files.local.append(str(tmp_path / "gone.jsonl"))
    reports, lines, notes = read(spark, files)
    assert 1_000 < reports < 3_000
    assert lines == 0
    assert [note.partition(" is not read to its end: ")[0] for note in notes] == [
        "cut.jsonl.gz",
        "cut.jsonl.xz",
        "gone.jsonl",
        "none.jsonl.gz",
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open every file")
def test_a_file_that_is_closed_ends_nothing(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "good.jsonl").write_bytes(LINE)
    (tmp_path / "closed.jsonl").write_bytes(LINE)
    (tmp_path / "closed.jsonl").chmod(0)
    notes = ["closed.jsonl is not read to its end: Permission denied"]
    assert read(spark, find_files([str(tmp_path)])) == (1, 0, notes)


def test_every_name_and_every_packing_is_read(spark: SparkSession, tmp_path: Path) -> None:
    """Spark leaves out names that begin with ``_`` or ``.``, and takes an xz for text."""
    (tmp_path / "_a.jsonl").write_bytes(LINE)
    (tmp_path / "b.json.xz").write_bytes(lzma.compress(LINE))
    (tmp_path / "c.JSONL.GZ").write_bytes(gzip.compress(LINE))
    (tmp_path / "d.ndjson.bz2").write_bytes(bz2.compress(LINE))
    with pa.output_stream(tmp_path / "e.jsonl.zst", compression="zstd") as file:
        file.write(LINE)
    (tmp_path / "f.log.xz").write_bytes(lzma.compress(STACK.encode()))
    (tmp_path / "_g.log").write_text(STACK)
    Path(os.fsdecode(bytes(tmp_path) + b"/h\xff.jsonl")).write_bytes(LINE)
    Path(os.fsdecode(bytes(tmp_path) + b"/i\xff.log")).write_text(STACK)
    assert read(spark, find_files([str(tmp_path)])) == (9, 0, [])


@pytest.mark.parametrize("part", [1, 7, len(LINE), len(LINE) + 1, 1_000, 1 << 20])
def test_each_line_is_read_in_one_part(tmp_path: Path, part: int) -> None:
    lines = [b"a" * n for n in (0, 1, 5, 200, 0, 3)] * 7
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n".join(lines))
    packs = line_packs([str(path)], part, cost=1)
    found = [line for pack in packs for cut in pack for line in read_lines(*cut, longest=199)]
    assert found == [None if len(line) > 199 else line for line in lines[:-1]] + [lines[-1]]


def test_small_files_are_read_together(tmp_path: Path) -> None:
    for n in range(100):
        (tmp_path / f"{n}.jsonl").write_bytes(LINE)
    packs = line_packs([str(one) for one in tmp_path.iterdir()])
    assert len(packs) < 4
    assert sum(len(pack) for pack in packs) == 100
