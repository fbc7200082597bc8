"""What a report keeps of a long trace; no Spark runs."""

import pytest

from index.terms.sketch import leading
from index.triage_reports import CUT, LONGEST_TEXT, is_cut
from ingest.triage.crashes import CrashReader, _shortened
from ingest.triage.records import CrashRecord
from kb.trace import parse
from kb.trace.custom import NONE


def frames(name: str, count: int) -> str:
    return "".join(f"\tat com.acme.{name}.Step{n}.run(Step{n}.java:{n + 1})\n" for n in range(count))


def kept(text: str) -> str:
    found = CrashReader(NONE).row(CrashRecord(text=text))["text"]
    assert isinstance(found, str)
    return found


@pytest.mark.parametrize("count", [500, 5_000])
def test_the_cause_at_the_end_of_a_long_trace_is_kept(count: int) -> None:
    text = f"com.acme.Failed: order failed\n{frames('outer', count)}Caused by: java.io.IOException: tray is empty\n{frames('inner', 9)}"
    short = kept(text)
    assert len(short) <= LONGEST_TEXT
    assert is_cut(short)
    assert set(short.splitlines()) - set(text.splitlines()) == {f"    {CUT}"}, "whole lines"
    chain = leading(parse(short))
    assert chain is not None
    assert [one.type for one in chain.exceptions] == ["com.acme.Failed", "java.io.IOException"]
    assert chain.root.type == "java.io.IOException"


@pytest.mark.parametrize("text", ["x" * LONGEST_TEXT, "x" * 99_999, "\n" * 99_999])
def test_what_has_no_lines_is_cut_as_well(text: str) -> None:
    short = _shortened(text)
    assert is_cut(short)
    assert LONGEST_TEXT - 99 < len(short) <= LONGEST_TEXT


def test_a_long_template_is_cut() -> None:
    text = f"com.acme.FailedException: {'order is gone and ' * 14_000}\n{frames('outer', 3)}"
    row = CrashReader(NONE).row(CrashRecord(text=text))
    assert len(row["template"]) == 500
    assert row["template"].endswith("…")
    assert row["type"] == "com.acme.FailedException"


def test_a_short_trace_is_kept_as_it_is() -> None:
    text = f"com.acme.Failed: order failed\n{frames('outer', 200)}"
    assert kept(text).strip() == text.strip()
    assert not is_cut(kept(text))
