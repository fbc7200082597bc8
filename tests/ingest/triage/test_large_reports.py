"""Reports that would take all the memory there is: a line without end, a small file that holds gigabytes."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from ingest.triage.crashes import LONGEST_LINE, CrashFiles, find_files, read_crashes
from kb.trace.custom import CustomRules

pytestmark = pytest.mark.spark
STACK = "java.lang.IllegalStateException: gone\n\tat com.acme.Pay.run(Pay.java:3)"


def test_a_line_without_end_ends_no_triage(spark: SparkSession, tmp_path: Path) -> None:
    """Spark holds a line whole: one of 700 MB took all the memory that it had. What is beyond the limit is not held, so it is no report; the others are read."""
    good = json.dumps({"text": STACK})
    (tmp_path / "reports.jsonl").write_text(f'{good}\n{{"text":"{"x" * LONGEST_LINE}"}}\n{good}\n')
    crashes = read_crashes(spark, find_files([str(tmp_path)]), CustomRules())
    assert [row.is_report for row in crashes.select("is_report").collect()] == [True, False, True]


@pytest.mark.bench
@pytest.mark.timeout(900)
def test_a_small_file_that_holds_gigabytes_ends_no_triage(spark: SparkSession, tmp_path: Path) -> None:
    """One text of 16 MB a hundred and fifty times: a few KB of Parquet, 2.4 GB in one batch."""
    one = pa.array([f"{STACK}\n{'x' * (16 << 20)}"])
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 150, pa.int32()), one)
    pq.write_table(pa.table({"text": text}), tmp_path / "reports.parquet", compression="zstd")
    assert (tmp_path / "reports.parquet").stat().st_size < 1 << 20
    files = CrashFiles(parquet=[f"file://{tmp_path}/reports.parquet"])
    crashes = read_crashes(spark, files, CustomRules())
    assert [row.is_report for row in crashes.select("is_report").collect()] == [True] * 150
