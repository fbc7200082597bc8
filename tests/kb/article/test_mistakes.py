"""What is wrong with a write-up, with line and column; and that what has no mistake loses nothing."""

import time

import pytest

from kb.article.writeups.mistakes import Mistake, mistakes
from kb.article.writeups.writeup import as_written, render
from kb.incident import Incident
from kb.record import scrub

GOOD = """---
id: a
title: It breaks
lang: en
status: draft
revision: 3
component: flink
versions: [flink 1.17, "1.10", 2]
tags: a, b
codes: [ORA-00942]
url: https://example.org/a
licence: CC0
created: 2026-11-21
duplicate_of: b
---
## Symptom

Words, and a heading of their own:

### Details

## Trace

```
java.lang.Error: x
\tat a.B.c(B.java:1)
```

## References

- https://example.org/b
"""
TOP = "---\ntitle: t\n"
BODY = "---\n## Symptom\n\nx\n"


def places(text: str) -> list[tuple[int, int]]:
    return [(one.line, one.column) for one in mistakes(text)]


def test_a_good_one_has_none() -> None:
    assert mistakes(GOOD) == ()


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        pytest.param("", 1, 1, "begins with a front matter", id="nothing"),
        pytest.param("# It breaks\n\nwords\n", 1, 1, "begins with a front matter", id="no head"),
        pytest.param("---\ntitle: t\n\n## Symptom\n", 1, 1, "has no end", id="head without end"),
        pytest.param("\n\n---\ntitle: t\n## Symptom\n", 3, 1, "has no end", id="head without end, further down"),
        pytest.param("---\ntitle: t\ntags: [a\n" + BODY, 4, 1, "no YAML", id="an open list"),
        pytest.param("---\ntitle: a: b\n" + BODY, 2, 9, "no YAML", id="a colon in a value"),
        pytest.param("---\ntitle: t\n\ttags: x\n" + BODY, 3, 1, "no YAML", id="a tab"),
        pytest.param("---\ntitle: 'x\n" + BODY, 3, 1, "no YAML", id="an open quote"),
        pytest.param("---\ntitle: x\x07y\n" + BODY, 2, 9, "may not stand here", id="a control character"),
        pytest.param("---\ntitle: &a x\ncomponent: *a\n" + BODY, 3, 12, "alias", id="an alias"),
        pytest.param("---\ntitle: t\ntags: [[[[a]]]]\n" + BODY, 3, 9, "nothing deeper", id="lists of lists"),
        pytest.param("---\n- title\n" + BODY, 2, 1, "no list of `key: value`", id="a list"),
        pytest.param("---\n# nothing\n" + BODY, 2, 1, "no list of `key: value`", id="nothing in it"),
        pytest.param("---\nlang: en\n" + BODY, 2, 1, "no `title`", id="no title"),
        pytest.param('---\ntitle: "  "\n' + BODY, 2, 8, "`title` is empty", id="an empty title"),
        pytest.param("---\ntitle:\n" + BODY, 2, 7, "read as nothing", id="a title of nothing"),
        pytest.param(TOP + "Rootcause: x\n" + BODY, 3, 1, "`rootcause` is no key", id="an unknown key"),
        pytest.param(TOP + "versoins: [1]\n" + BODY, 3, 1, "`versions` is meant?", id="a slip"),
        pytest.param(TOP + "incident: false\n" + BODY, 3, 1, "leave it out", id="no incident"),
        pytest.param(TOP + "title: u\n" + BODY, 3, 1, "a second time", id="a key twice"),
        pytest.param(TOP + "? [a, b]\n: c\n" + BODY, 3, 3, "is no key", id="a list as a key"),
        pytest.param(TOP + "component: [a, b]\n" + BODY, 3, 12, "is to be a text", id="a list for a text"),
        pytest.param(TOP + "component: yes\n" + BODY, 3, 12, "true or false", id="a yes"),
        pytest.param(TOP + "versions: [1.10]\n" + BODY, 3, 12, "put it in quotes", id="a version that is a number"),
        pytest.param(TOP + "versions: [ok, 1_0]\n" + BODY, 3, 16, "put it in quotes", id="a number with a mark"),
        pytest.param(TOP + "tags:\n  - a\n  - {b: c}\n" + BODY, 5, 5, "is to be a text", id="an object in a list"),
        pytest.param(TOP + "tags: [2026-11-21]\n" + BODY, 3, 8, "a date", id="a date in a list"),
        pytest.param(TOP + "lang: fr\n" + BODY, 3, 7, "one of en, mixed, zh", id="a language"),
        pytest.param(TOP + "status: live\n" + BODY, 3, 9, "one of draft", id="a status"),
        pytest.param(TOP + "revision: 0\n" + BODY, 3, 11, "whole number", id="revision 0"),
        pytest.param(TOP + "revision: 0x10\n" + BODY, 3, 11, "whole number", id="a number in another base"),
        pytest.param(TOP + "created: soon\n" + BODY, 3, 10, "is a date", id="no date"),
        pytest.param(TOP + "---\nlost words\n\n## Symptom\n\nx\n", 4, 1, "belong to no section", id="words before"),
        pytest.param(TOP + "---\n\n## Sympton\n\nx\n", 5, 1, "belong to no section", id="an unknown section"),
        pytest.param(TOP + "---\n## Fix\n\nx", 6, 1, "tells of no problem", id="a fix alone"),
        pytest.param(TOP + BODY + "\n## Also kept\n\nwords\n", 8, 1, "one fence of JSON", id="words where values are kept"),
        pytest.param(TOP + BODY + "\n## Also kept\n```json\n{,}\n```\n", 8, 1, "no JSON", id="kept values that are no JSON"),
        pytest.param(TOP + BODY + '\n## 另存\n```json\n{"tags": "x"}\n```\n', 8, 1, "`tags` cannot", id="a kept value of another type"),
        pytest.param(TOP + BODY + '\n## 另存\n```json\n{"revision": 2}\n```\n', 8, 1, "`revision` cannot", id="a kept revision"),
        pytest.param(TOP + "---\n## Trace\n```\nx\n", 5, 1, "no end", id="an open fence"),
        pytest.param(TOP + BODY + "\n## References\n\nhttps://x\n", 10, 1, "item of a list", id="a bare link"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place(text: str, line: int, column: int, said: str) -> None:
    found = [one for one in mistakes(text) if said in one.problem]
    assert found, mistakes(text)
    assert (found[0].line, found[0].column) == (line, column)


def test_all_mistakes_are_told_in_their_order() -> None:
    text = "---\ntitle: yes\nfoo: 1\nlang: fr\n---\nwords\n"
    assert places(text) == [(2, 8), (3, 1), (4, 7), (6, 1), (7, 1)]


def test_values_are_not_repeated() -> None:
    text = "---\ntitle: [s3cret]\nlang: s3cret\ncreated: s3cret\nstatus: s3cret\n---\ns3cret\n"
    assert len(mistakes(text)) > 4
    assert not any("s3cret" in one.problem for one in mistakes(text))


def test_what_has_no_mistake_is_read_whole() -> None:
    read = as_written(GOOD, "a.md")
    assert read is not None
    assert (read.versions, read.tags) == (("flink 1.17", "1.10", "2"), ("a", "b"))
    again = as_written(render(scrub(read)), "a.md")
    assert again == read


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("---\ntitle: t\n" + "a" * 200_000, id="a head without end"),
        pytest.param("---\ntags: " + "[" * 8_000 + "\n---\n", id="lists in lists"),
        pytest.param("---\ntags: " + "{a: " * 4_000 + "\n---\n", id="objects in objects"),
        pytest.param("---\n" + "- " * 8_000 + "\n---\n", id="items in items"),
        pytest.param("---\n" + "? " * 8_000 + "\n---\n", id="keys in keys"),
        pytest.param("---\n" + "".join(f"k{n}: v\n" for n in range(1_600)) + "---\n", id="many keys"),
        pytest.param("---\ntitle: t\n---\n" + "## Trace\n" * 20_000, id="many sections"),
        pytest.param("---\ntitle: t\n---\n## Trace\n" + "```\n" * 40_001, id="many fences"),
        pytest.param("---\ntitle: t\n---\n## Trace\n" + "````\n```\n" * 20_000, id="fences in fences"),
        pytest.param("---\ntitle: t\n---\n## References\n" + "x\n" * 100_000, id="many bare lines"),
        pytest.param("---\ntitle: t\n---\n" + "\n" * 300_000, id="empty lines"),
    ],
)
def test_hostile_ones_take_bounded_time(text: str) -> None:
    start = time.process_time()
    found = mistakes(text)
    assert time.process_time() - start < 2
    assert len(found) <= 50


def test_an_incident_rendered_has_no_mistake() -> None:
    from kb.incident import Source, Status

    told = Incident(
        id="1.10", title="yes: *no* 'x' # \x85", lang="zh", source=Source("1.10", "null"), status=Status.DRAFT,
        component="1e3", versions=("1.10", "no", "2026-11-21", "0x1F"), tags=("[a]", "- b"), codes=("010",),
        traces=("```\n## Fix\n```",), symptom="## Trace\nwords", created="2026-11-21",
    )  # fmt: skip
    assert mistakes(render(told)) == ()
    assert mistakes("") == (Mistake(1, 1, mistakes("")[0].problem),)
