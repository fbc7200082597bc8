"""The labelled questions of suite (d) as data: sound without the articles they were written from."""

from collections import Counter
from pathlib import Path

from index.evaluation.labelled import read_cases

CASES = Path(__file__).with_name("bilingual.jsonl")
GROUPS = {"question", "cross", "wrapper", "version", "near", "code", "log", "spoken", "absent"}


def test_the_rows_are_sound() -> None:
    """Ids and texts are unique, both parts hold about half of each group, and no problem is in both."""
    rows = read_cases(CASES)
    assert len({row.id for row in rows}) == len({row.text for row in rows}) == len(rows) >= 200
    assert {row.group for row in rows} == GROUPS
    assert {row.part for row in rows} == {"tune", "test"}
    for group in GROUPS:
        parts = Counter(row.part for row in rows if row.group == group)
        assert abs(parts["tune"] - parts["test"]) <= 3, group
    about = [
        {one for row in rows if row.part == part for one in (*row.expected, *row.near)} for part in ("tune", "test")
    ]
    assert about[0] & about[1] == set()
    for row in rows:
        assert bool(row.expected) != (row.group == "absent"), row.id
        assert not set(row.expected) & set(row.near), row.id
