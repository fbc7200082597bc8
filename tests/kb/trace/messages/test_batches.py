"""Twelve batches of pastes without frames (``pastes.jsonl``), each labelled before the rules that read it: own wording around what programs print.

Written on 2026-11-28 after public issue threads, documentation and messages of databases, browsers, runtimes and build tools. Right at the first try, type / message /
types of the chain: 17 of 22, 42 of 58, 36 of 51; 11 of 16, 44 of 56, 44 of 49; 23 of 27, 43 of 51, 42 of 47; batch 4, sentences that stand almost alone, 1 of 1, 35 of 77,
41 of 79; batch 5 32 of 34, 38 of 39, 47 of 49; batch 6, where several lines
may be the telling one, 9 of 9, 15 of 18, 21 of 22. Batches 7 (what careful reading of other pastes and articles found) and 8, of 2026-11-29: 4 of 16, 16 of 67, 19 of 76; 4 of 4,
25 of 30, 32 of 36. Batch 9 (lines broken at a page's width, classes in brackets and fields, tracebacks that are cut off) was written together with its rules, after
kinds that failed in 90 issue texts; without them 4 of 19, 12 of 29, 14 of 31. Four rows more were written after the rules. Batch 10 (places of
compilers, prefixes of logs, lists of errors) was written before its rules, after what failed in 43 issue texts and in public logs: 3 of 14, 8 of 45, 25 of 45. Batch 11 (what
somebody shows below a command or an announcement, warnings that look like code, last cells of rows, leads within a sentence) came before its rules, after
what failed in 260 issue texts, but for five rows: 3 of 7, 10 of 38, 10 of 28. Batch 12, of 2026-11-30, was written before its rules after the form of public issues (Kubernetes'
events, answers of services, databases, tools, Chinese sentences) and has every row that was tried: 11 of 15, 74 of 98, 11 of 15. Ten labels of the first four batches were corrected
when they were looked at again. ``differs`` says what is still read otherwise.
"""

from pathlib import Path
from typing import Any

import pytest

from kb.trace import parse
from tests.quality.judging import is_chain, is_message, is_type
from tests.quality.readings import Problem, rows

ROWS = rows(Path(__file__).with_name("pastes.jsonl"))


def differing(row: dict[str, Any]) -> list[str]:
    """What of a row is read otherwise than its label says."""
    types, message, chains = row["types"], row["message"], parse(row["text"])
    is_read = {
        "type": not types or is_type(chains, types[-1]),
        "message": not message or is_message(chains, message),
        "chain": types is None or is_chain(chains, Problem("", tuple(types), message), row["text"]),
    }
    return [name for name, holds in is_read.items() if not holds]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['batch']}-{row['text'][:40]}")
def test_a_paste_is_read(row: dict[str, Any]) -> None:
    assert differing(row) == row.get("differs", [])
