"""The functions of columns in a session that is nobody's of ours: the same values as the library gives, and null stays null."""

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from index import Engine
from index.wire import answer_to_dict, parse_to_dict
from ingest import spark as kb
from kb.errors import SnapshotError
from kb.redact import redact
from kb.trace import template
from tests.ingest.articles import trace

pytestmark = pytest.mark.spark

TEXTS = [
    trace("alpha", line=7),
    "2026-05-01 10:00:00 INFO db: login with password=hunter2hunter2\n" + trace("beta"),
    'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in run\n    pay()\nValueError: 金额 12 不对',
    "How do I brew tea?",
    "",
    None,
]


@pytest.fixture
def logs(spark: SparkSession) -> DataFrame:
    table = pa.table({"at": pa.array(range(len(TEXTS)), pa.int32()), "text": pa.array(TEXTS, pa.string())})
    return spark.createDataFrame(table)


def column(frame: DataFrame, value: Any) -> list[Any]:
    return frame.select("at", value.alias("value")).orderBy("at").toArrow()["value"].to_pylist()


def test_a_trace_is_what_the_api_reads(logs: DataFrame) -> None:
    expected = [None if text is None else parse_to_dict(text)["chains"] for text in TEXTS]
    assert column(logs, kb.parse("text")) == expected
    assert [len(traces) for traces in expected if traces is not None] == [1, 1, 1, 0, 0]


def test_fingerprints_are_those_of_the_traces(logs: DataFrame) -> None:
    traces = column(logs, kb.parse(f.col("text")))
    expected = [None if found is None else [trace["fingerprints"] for trace in found] for found in traces]
    assert column(logs, kb.fingerprints("text")) == expected


def test_secrets_and_values_are_replaced(logs: DataFrame) -> None:
    assert column(logs, kb.redact("text")) == [None if text is None else redact(text).text for text in TEXTS]
    assert "hunter2" not in str(column(logs, kb.redact("text")) + column(logs, kb.parse("text")))
    assert column(logs, kb.template("text")) == [None if text is None else template(text) for text in TEXTS]


def test_an_answer_is_the_engines(logs: DataFrame, ingested: Path) -> None:
    found = column(logs, kb.match("text", ingested))
    engine = Engine.open(ingested)
    try:
        for text, row in zip(TEXTS, found, strict=True):
            assert (row is None) == (text is None)
            if text is not None:
                answer = answer_to_dict(engine.search(text))
                assert json.loads(row["answer"]) | {"took_ms": 0} == answer | {"took_ms": 0}
                assert row["verdict"] == answer["verdict"]
    finally:
        engine.close()
    first = json.loads(found[0]["answer"])["matches"][0]
    assert found[0]["verdict"] == "known"
    assert (found[0]["incident"], found[0]["title"]) == (first["incident"]["id"], first["incident"]["title"])
    assert found[0]["probability"] == first["probability"]
    assert found[4]["incident"] is None


def test_in_sql(spark: SparkSession, logs: DataFrame, ingested: Path) -> None:
    """Exploded, grouped and joined as any other column."""
    kb.register(spark, ingested)
    logs.createOrReplaceTempView("logs")
    rows = spark.sql(
        "select trace.runtime, trace.fingerprints.exact as print, count(*) as n, first(kb_match(text).verdict) as verdict "
        "from (select text, explode(kb_parse(text)) as trace from (select * from logs union all select * from logs)) group by 1, 2"
    ).collect()
    assert sorted((row.runtime, row.n) for row in rows) == [("jvm", 2), ("jvm", 2), ("python", 2)]
    (redacted,) = spark.sql("select kb_redact('password=hunter2hunter2') as t").collect()
    assert "hunter2" not in redacted.t
    assert (
        spark.sql("select kb_template('waited 30 ms') as t, size(kb_fingerprints('How do I brew tea?')) as n")
        .collect()[0]
        .n
        == 0
    )


def test_house_rules_hold_for_the_functions_that_name_the_home(logs: DataFrame, tmp_path: Path) -> None:
    """And for no other function of the same stage, though both run in the same Python."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "messages.txt").write_text("<drink> tea|coffee\n")
    both = logs.select("at", kb.template("text").alias("plain"), kb.template("text", home=tmp_path).alias("house"))
    rows = {row["at"]: row for row in both.toArrow().to_pylist()}
    assert rows[3]["plain"] == template("How do I brew tea?")
    assert rows[3]["house"] == "How do I brew <drink>?"


def test_a_home_without_a_snapshot_is_told_before_anything_runs(logs: DataFrame, tmp_path: Path) -> None:
    with pytest.raises(SnapshotError):
        logs.select(kb.match("text", tmp_path))


def test_the_code_of_the_documentation_runs(spark: SparkSession, ingested: Path, tmp_path: Path) -> None:
    """As a notebook would, cell after cell; only the places are others."""
    rows = [{"host": f"web-{at}", "version": "1", "text": text} for at, text in enumerate([*TEXTS[:3], TEXTS[0], "ok"])]
    (tmp_path / "crashes.json").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    document = (Path(__file__).resolve().parents[2] / "docs/spark.md").read_text(encoding="utf-8")
    cells = re.findall(r"```python\n(.*?)```", document, re.DOTALL)
    code = "\n".join(cells).replace("crashes/2026-11-23/*.json", str(tmp_path)).replace("/srv/kb", str(ingested))
    names: dict[str, Any] = {"session": spark}
    exec(code, names)
    assert {row["hosts"] for row in names["by_print"].collect()} == {1, 2}
    assert {row["host"] for row in names["known"].collect()} >= {"web-0", "web-3"}
    answers = {row["crashes"]: row["answer"]["verdict"] for row in names["answers"].collect() if row["crashes"] == 2}
    assert answers == {2: "known"}
