"""Reports that would take all the memory there is: a line without end, Parquet that holds more than it shows."""

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from ingest.triage.crashes import CrashFiles, find_files, read_crashes, with_copies
from ingest.triage.fields import LONGEST_LINE
from kb.errors import SourceError
from kb.trace.custom import CustomRules

pytestmark = pytest.mark.spark
STACK = "java.lang.IllegalStateException: gone\n\tat com.acme.Pay.run(Pay.java:3)"


def test_a_line_without_end_ends_no_triage(spark: SparkSession, tmp_path: Path) -> None:
    """Spark holds a line whole: one of 700 MB took all the memory that it had. What is beyond the limit is not held, so it is no report; the others are read."""
    good = json.dumps({"text": STACK})
    (tmp_path / "reports.jsonl").write_text(f'{good}\n{{"text":"{"x" * LONGEST_LINE}"}}\n{good}\n')
    crashes = read_crashes(spark, find_files([str(tmp_path)]), CustomRules())
    assert [row.is_report for row in crashes.select("is_report").collect()] == [True, False, True]


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_line_that_is_too_long_is_named_by_its_file(spark: SparkSession, tmp_path: Path, *, is_packed: bool) -> None:
    """Java holds it, Python does not get it."""
    lines = [json.dumps({"text": STACK + "x" * more}) for more in (0, 1_000, 0, 1_500)]
    packed = gzip.compress("\n".join(lines).encode()) if is_packed else "\n".join(lines).encode()
    (tmp_path / ("a #1.jsonl.gz" if is_packed else "a #1.jsonl")).write_bytes(packed)
    rows = read_crashes(spark, find_files([str(tmp_path)]), CustomRules(), longest=1_000)
    read = rows.select("is_report", "text").collect()
    assert [row.is_report for row in read] == [True, False, True, False]
    name = "a #1.jsonl.gz" if is_packed else "a #1.jsonl"
    assert {row.text for row in read if not row.is_report} == {f"{name} is not read where a line has more than 1,000 bytes"}  # fmt: skip


def test_a_batch_is_bounded_by_bytes(spark: SparkSession, tmp_path: Path) -> None:
    """A few KB of gzip hold many long lines, and no part of them can be read alone: 512 were one batch, whatever their size."""
    (tmp_path / "reports.jsonl.gz").write_bytes(gzip.compress((b"x" * 5_000_000 + b"\n") * 24, 1))

    def sizes(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.RecordBatch.from_pydict({"size": [batch.nbytes]})

    read = spark.read.text(str(tmp_path)).mapInArrow(sizes, "size long").collect()
    assert sum(row.size for row in read) > 120_000_000
    assert max(row.size for row in read) < (32 << 20) + 6_000_000


def test_a_table_that_cannot_be_read_is_counted_and_the_others_are_read(spark: SparkSession, tmp_path: Path) -> None:
    """Spark ended the job over any of them; the note says which file it was, and why."""
    pq.write_table(pa.table({"text": [STACK] * 3}), tmp_path / "good.parquet")
    many = pa.DictionaryArray.from_arrays(pa.array(np.zeros(2_000_000, np.int8)), pa.array(["x"]))
    pq.write_table(pa.table({"text": many}), tmp_path / "many.parquet", write_statistics=False)
    (tmp_path / "none.parquet").write_bytes(b"no table")
    rows = (
        read_crashes(spark, find_files([str(tmp_path)]), CustomRules()).select("is_report", "exact", "text").collect()
    )
    assert [bool(row.exact) for row in rows if row.is_report] == [True] * 3
    notes = sorted(row.text for row in rows if not row.is_report)
    assert notes[0].startswith("many.parquet is not read to its end: 2,000,000 rows in")
    assert notes[1].startswith("none.parquet is not read to its end: Parquet")


def test_a_table_behind_a_url_is_read_as_one_of_this_machine(spark: SparkSession, tmp_path: Path) -> None:
    """It is copied first, file or folder, so that it is bounded in the same way. A folder that is not there is told."""
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    hadoop.set("fs.viewfs.mounttable.there.link./in", tmp_path.as_uri())
    (tmp_path / "day.parquet").mkdir()
    for name in ("day.parquet/part-0.parquet", "day.parquet/part-1.parquet", "one.parquet"):
        pq.write_table(pa.table({"text": [STACK]}), tmp_path / name)
    files = CrashFiles(remote=["viewfs://there/in/day.parquet", "viewfs://there/in/one.parquet"])
    here = with_copies(spark, files, tmp_path / "copies")
    assert read_crashes(spark, here, CustomRules()).where("is_report").count() == 3
    with pytest.raises(SourceError, match=r"viewfs://there/in/gone\.parquet"):
        with_copies(spark, CrashFiles(remote=["viewfs://there/in/gone.parquet"]), tmp_path / "copies")
