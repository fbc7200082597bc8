"""The article as it was read: all of it in its order, without secrets, bounded; nothing of it for write-ups and searches."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.wire import incident_to_dict
from kb.article import read_article
from kb.article.quotes.passages import WHOLE
from kb.article.writeups.writeup import read_writeup, whole
from kb.incident import Incident
from kb.record import RecordError, from_record, stored, to_record

TRACE = "java.io.IOException: disk full\n\tat a.b.Worker.write(Worker.java:10)"
PAGE = f"""# Worker stops

It stops every night.

```
{TRACE}
```

## Root cause

The disk is full because logs are never rotated.

| file | size |
|---|---|
| a.log | 9 GB |

## Fix

1. Rotate:

```sh
logrotate -f /etc/logrotate.conf --password=hunter2secret
```

2. Restart it.
"""
SEVERAL = """# Two errors

## Error: pool exhausted

```
java.sql.SQLException: pool exhausted
	at a.b.Pool.take(Pool.java:3)
```

Raise the size of the pool.

## Error: disk full

```
java.io.IOException: disk full
	at a.b.Worker.write(Worker.java:10)
```

Delete old logs.
"""


def only(text: str) -> Incident:
    (found,) = read_article(text.encode(), "a.md").incidents
    return found


def test_all_of_it_is_there_in_its_order() -> None:
    told = only(PAGE).article
    parts = [
        "It stops every night.",
        TRACE,
        "**Root cause**",
        "| a.log | 9 GB |",
        "1. Rotate:",
        "logrotate -f",
        "2. Restart it.",
    ]
    assert [told.find(part) for part in parts] == sorted(told.find(part) for part in parts)
    assert all(part in told for part in parts)
    assert "hunter2secret" not in told


def test_each_problem_of_a_page_has_its_own_part() -> None:
    first, second = read_article(SEVERAL.encode(), "a.md").incidents
    assert "Raise the size" in first.article
    assert "Delete old logs" not in first.article
    assert "Delete old logs" in second.article


@pytest.mark.parametrize("filler", ["Words of a long story about the batch job.\n\n", "```\nline of code\n```\n\n"])
def test_it_is_bounded_and_says_where_it_is_cut(filler: str) -> None:
    told = only(PAGE + filler * (90_000 // len(filler))).article
    assert WHOLE * 0.9 < len(told) <= WHOLE
    assert told.endswith("\n\n…")
    assert told.count("```") % 2 == 0


def test_an_endless_line_is_left_out() -> None:
    told = only(PAGE + "x" * 90_000).article
    assert told.endswith("2. Restart it.\n\n…")


def test_a_write_up_has_none_and_a_record_keeps_what_it_brings() -> None:
    assert only("---\nid: a\ntitle: Disk full\n---\n## Root cause\n\nThe disk is full.\n").article == ""
    assert from_record({"title": "Disk full"}).article == ""
    assert from_record({"title": "Disk full", "article": "password=hunter2secret"}).article == "password=<secret>"
    with pytest.raises(RecordError, match="article"):
        from_record({"title": "Disk full", "article": ["x"]})


@given(st.text("ab :\n#-`|>1.。：原因", max_size=300))
def test_it_comes_back_of_records_and_write_ups(text: str) -> None:
    for one in read_article(text.encode(), "a.md").incidents:
        assert from_record(to_record(one)).article == one.article
        assert stored(to_record(one)).article == one.article
        again = read_writeup(whole(one), one.source.path)
        assert again is not None
        assert again.article == one.article


def test_no_answer_has_it() -> None:
    assert "Restart it" not in json.dumps(incident_to_dict(only(PAGE)) | {"sections": {}})
