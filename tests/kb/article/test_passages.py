"""The section around a quotation: its list and its code come with it, what is below another heading does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.article import read_article
from kb.article.formats import take_apart
from kb.article.quotes.passages import ARTICLE, CHARACTERS, LINES, sections_of
from kb.incident import Incident
from kb.record import from_record, to_record

PAGE = """# Pool exhausted under load

`HikariPool-1 - Connection is not available, request timed out after 30000ms.`

## Root cause

The pool was too small for the batch job. Each worker holds two connections: one reads, one writes.

- 10 workers
- 20 connections needed

## Fix

Do one of these:

1. Raise the pool:

```yaml
maximum-pool-size: 30
password: hunter2secret
```

2. Run fewer workers.

### On Kubernetes

Change the ConfigMap as well.

## See also

The manual of the pool.
"""


def only(text: str, name: str = "a.md") -> Incident:
    (found,) = read_article(text.encode(), name).incidents
    return found


def test_the_section_comes_with_its_list_its_code_and_what_is_below_it():
    section = only(PAGE).sections["fix"]
    assert "maximum-pool-size: 30" in section
    assert "2. Run fewer workers." in section
    assert "**On Kubernetes**" in section
    assert "Change the ConfigMap as well." in section


def test_it_ends_at_the_next_heading():
    found = only(PAGE)
    assert "manual" not in "".join(found.sections.values())
    assert "Do one of these" not in found.sections.get("root_cause", "")


def test_secrets_are_out_of_it():
    assert "hunter2secret" not in str(dict(only(PAGE).sections))
    record = to_record(only(PAGE)) | {"sections": {"fix": "Log in: password=hunter2secret"}}
    assert "hunter2secret" not in from_record(record).sections["fix"]


def test_without_a_quotation_the_article_itself_is_shown():
    found = only(
        "# Container is killed\n\nIt runs out of memory in the reduce phase.\n\n```\nmapreduce.reduce.memory.mb=5120\n```\n"
    )
    assert found.fix is None
    assert "mapreduce.reduce.memory.mb=5120" in found.sections[ARTICLE]


def test_one_section_for_cause_and_fix_stands_with_the_fix():
    text = "# Disk full\n\nThe disk is full because the logs are never rotated. Set `logrotate` up:\n\n```\nlogrotate -f /etc/logrotate.conf\n```\n"
    found = only(text)
    assert found.root_cause
    assert "root_cause" not in found.sections


FILLER = (
    "The batch job runs every night, and nobody has looked at it since the cluster was moved to the new rooms. " * 3
)
DISKS = "df -h /dev/sda1 /dev/sdb1 /dev/sdc1 && " * 8
LISTS = {
    "an item in the middle": (
        "Check these one by one:\n\n- Is the disk mounted read-only?\n- Raise `pool.size` to 30 to fix the error.\n- Restart the worker.\n",
        ["Check these one by one:", "mounted read-only", "Restart the worker"],
    ),
    "numbers in plain words": (
        f"{FILLER}\n\n处理步骤：\n\n1、确认磁盘没有写满。{FILLER}\n\n2、将 pool.size 调大到 30，即可解决该问题。\n\n3、重启 worker。\n",
        ["处理步骤：", "1、确认磁盘没有写满。", "3、重启 worker。"],
    ),
    "code between items": (
        f"{FILLER}\n\nDo all of this:\n\n1. Look at the disk:\n\n   ```\n   {DISKS}\n   ```\n\n2. Raise `pool.size` to 30 to fix the error.\n\n3. Restart the worker.\n",
        ["Do all of this:", "df -h", "3. Restart the worker."],
    ),
    "a list that is not short": (
        "Check:\n\n"
        + "".join(f"- The option number {n} of the pool is on, as the manual says.\n" for n in range(60))
        + "- Raise `pool.size` to 30 to fix the error.\n",
        [f"option number {n} of" for n in range(45, 60)],
    ),
}


@pytest.mark.parametrize(("text", "items"), LISTS.values(), ids=LISTS)
def test_a_quotation_that_is_an_item_brings_its_list(text: str, items: list[str]):
    found = only(f"# Pool exhausted\n\n`Connection is not available`\n\n## Fix\n\n{text}\n## See also\n\nThe manual.\n")
    assert "pool.size" in (found.fix or "")
    section = found.sections["fix"]
    assert [one for one in items if one not in section] == []
    assert "pool.size" in section
    assert "The manual" not in section


def test_the_list_of_a_cause_is_shown_where_the_fix_of_the_same_section_does_not_show_it():
    items = (
        "- The pool is too small.\n- The root cause is that each worker holds two connections.\n- Nobody closes them.\n"
    )
    text = f"# Pool exhausted\n\nWe see:\n\n{items}\n{FILLER}\n\n{FILLER}\n\nTo solve this, raise `pool.size` to 30:\n\n```\npool.size=30\n```\n\nThen restart the workers one after the other, and look at the log.\n"
    found = only(text)
    assert "two connections" in (found.root_cause or "")
    assert "Nobody closes them" in "".join(found.sections.values())


ANNOUNCING = {
    "behind a heading": "The fix is as follows:\n\n### Patch\n\n```\npool.size=30\n```\n",
    "behind the next heading of the page": "The fix is as follows:\n\n## Patch\n\nSet `pool.size` to 30.\n",
    "below much that stands before": f"{FILLER}\n\nThe fix is as follows:\n\n## Patch\n\nSet pool.size=30 and restart.\n",
}


@pytest.mark.parametrize("text", ANNOUNCING.values(), ids=ANNOUNCING)
def test_a_quotation_that_ends_in_a_colon_is_not_alone(text: str):
    said = "The fix is as follows:"
    document = take_apart(f"# Pool exhausted\n\n`Connection is not available`\n\n## Fix\n\n{text}", "a.md")
    start = document.text.index(said)
    section = sections_of(document, {"fix": (start, start + len(said), said)}, None, lambda _line: False)["fix"]
    assert "pool.size" in section.partition(said)[2]


@pytest.mark.parametrize("lines", [5, 200, 5_000])
def test_a_long_section_is_bounded_and_keeps_its_quotation(lines: int):
    filler = "\n\n".join(f"Line {number} of a long story about the batch job." for number in range(lines))
    found = only(PAGE.replace("Do one of these:", f"{filler}\n\nDo one of these:"))
    section = found.sections["fix"]
    assert len(section) <= CHARACTERS + 20
    assert sum(map(bool, section.splitlines())) <= LINES + 2


@given(st.text("ab :\n#-`|>1.。：原因", max_size=300))
def test_no_document_breaks_it(text: str):
    for one in read_article(text.encode(), "a.md").incidents:
        assert set(one.sections) <= {"root_cause", "fix", ARTICLE}
        assert from_record(to_record(one)).sections == one.sections
