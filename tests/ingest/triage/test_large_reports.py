"""Reports that would take all the memory there is: a line without end."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ingest.triage.crashes import LONGEST_LINE, find_files, read_crashes
from kb.trace.custom import CustomRules

pytestmark = pytest.mark.spark
STACK = "java.lang.IllegalStateException: gone\n\tat com.acme.Pay.run(Pay.java:3)"


def test_a_line_without_end_ends_no_triage(spark: SparkSession, tmp_path: Path) -> None:
    """Spark holds a line whole: one of 700 MB took all the memory that it had. What is beyond the limit is not held, so it is no report; the others are read."""
    good = json.dumps({"text": STACK})
    (tmp_path / "reports.jsonl").write_text(f'{good}\n{{"text":"{"x" * LONGEST_LINE}"}}\n{good}\n')
    crashes = read_crashes(spark, find_files([str(tmp_path)]), CustomRules())
    assert [row.is_report for row in crashes.select("is_report").collect()] == [True, False, True]
