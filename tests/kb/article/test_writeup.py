"""The write-up format: what is rendered is read back, and only write-ups are read as such."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.article import read_article
from kb.article.writeups.writeup import read_writeup, render
from kb.incident import Incident, Source, Status
from kb.record import read_chains
from kb.redact import redact

TRACE = "java.lang.IllegalStateException: closed\n\tat a.b.C.d(C.java:1)\n\tat a.b.C.e(C.java:2)"

TEXT = f"""---
id: pool-exhausted
title: The pool is exhausted
lang: en
component: hikari
versions: [hikari 5.0]
tags: [pool]
url: https://example.org/1
created: 2024-01-02
---
## Symptom

Every night the service stops.

### In detail

It answers nothing.

## Trace

```
{TRACE}
```

## Root cause

The export keeps every connection.
It never gives one back.

## Fix

Give it back:

```java
## Fix
connection.close();
```

## References

- https://example.org/2
"""


def test_a_write_up_is_read_whole():
    """The sections are the fields, not a quotation of them."""
    (one,) = read_article(TEXT.encode(), "corpus/pool.md").incidents

    assert (one.id, one.title, one.lang, one.component) == ("pool-exhausted", "The pool is exhausted", "en", "hikari")
    assert (
        one.versions,
        one.tags,
        one.created,
        one.source.url,
    ) == (("hikari 5.0",), ("pool",), "2024-01-02", "https://example.org/1")
    assert one.symptom == "Every night the service stops.\n\n### In detail\n\nIt answers nothing."
    assert one.root_cause == "The export keeps every connection.\nIt never gives one back."
    assert one.traces == (TRACE,)
    assert [str(chain.exceptions[0].type) for chain in one.chains] == ["java.lang.IllegalStateException"]
    assert one.extra == {"references": ["https://example.org/2"]}


def test_chinese_headings():
    text = (
        "---\nid: a\ntitle: 连接池耗尽\nlang: zh\n---\n## 现象\n服务停止。\n## 堆栈\n```\n"
        + TRACE
        + "\n```\n## 根因\n连接没有归还。\n## 解决\n归还连接。\n## 参考\n- https://x\n"
    )
    (one,) = read_article(text.encode(), "a.md").incidents

    assert (
        one.symptom,
        one.root_cause,
        one.fix,
        one.traces,
    ) == ("服务停止。", "连接没有归还。", "归还连接。", (TRACE,))


def test_other_headings_belong_to_the_section():
    one = read_writeup(TEXT.replace("## References", "## By hand"), "a.md")

    assert one is not None
    assert one.fix is not None
    assert one.fix.endswith("## By hand\n\n- https://example.org/2")


def test_what_is_no_write_up():
    assert read_writeup(TEXT.replace("---\n## Symptom", "---\nOnce upon a time.\n\n## Symptom"), "a.md") is None
    assert read_writeup(TEXT.replace("id: pool-exhausted\n", ""), "a.md") is None
    assert read_writeup("## Symptom\n\nx\n", "a.md") is None


LINE = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp", "Zs", "Co", "Cn")),
    min_size=1,
    max_size=20,
)
SHAPED = st.sampled_from(
    [
        "## Fix",
        "## Symptom",
        "\\## Trace",
        "## 根因",
        "```",
        "````",
        "# x",
        "---",
        "- item",
        "    indented",
        "| a | b |",
        "at a.b.C.d(C.java:1)",
    ]
)
PASSAGE = (
    st.lists(LINE | SHAPED | st.just(""), min_size=1, max_size=6)
    .map("\n".join)
    .map(lambda text: redact(text.strip()).text)
    .filter(bool)
)
WORD = st.text("abcdefgh失败-", min_size=1, max_size=8).map(lambda text: redact(text).text)
DAY = st.dates().map(lambda day: day.isoformat())


@given(
    st.builds(
        lambda traces, **fields: Incident(traces=tuple(traces), chains=read_chains(tuple(traces)), **fields),
        id=WORD.filter(lambda word: word.strip("-")),
        title=WORD.filter(lambda word: word.strip("-")),
        lang=st.sampled_from(["zh", "en", "mixed"]),
        source=st.builds(Source, path=st.just("x.md"), url=st.just("https://example.org/a"), licence=st.none() | WORD),
        revision=st.integers(1, 5),
        status=st.sampled_from(list(Status)),
        component=st.none() | WORD,
        versions=st.lists(WORD, max_size=2, unique=True).map(tuple),
        symptom=PASSAGE,
        root_cause=st.none() | PASSAGE,
        fix=st.none() | PASSAGE,
        traces=st.lists(PASSAGE, max_size=2),
        prose=st.just("") | PASSAGE,
        tags=st.lists(WORD, max_size=2, unique=True).map(tuple),
        codes=st.lists(WORD, max_size=2, unique=True).map(tuple),
        created=st.none() | DAY,
        duplicate_of=st.none() | WORD,
        extra=st.just({}) | st.just({"references": ["https://example.org/b"]}),
    )
)
def test_there_and_back(incident: Incident):
    """Reading what was rendered gives the incident, whatever its texts hold."""
    assert incident == read_writeup(render(incident), "x.md")
    assert (incident,) == read_article(render(incident).encode(), "x.md").incidents


@pytest.mark.parametrize("cause", ["Root Cause", "Cause", "ROOT CAUSE", "根本原因", "原因"])
@pytest.mark.parametrize("fix", ["Resolution", "solution", "解决办法", "解决方法", "解决方案", "修复"])
def test_common_headings_begin_the_cause_and_the_fix(cause: str, fix: str) -> None:
    text = f"---\nid: a\ntitle: A\n---\n\n## Symptom\n\nSlow.\n\n## {cause}\n\nToo small.\n\n## {fix}\n\nRaise it.\n"
    read = read_writeup(text, "a.md")
    assert read is not None
    assert (read.symptom, read.root_cause, read.fix) == ("Slow.", "Too small.", "Raise it.")
