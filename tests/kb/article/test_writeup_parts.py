"""A form over a write-up: each part is read and replaced alone, and nothing else of the text moves."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.article.writeups.parts import HEAD, PARTS, SECTIONS, parts_of, with_part
from kb.article.writeups.writeup import as_written

TEXT = """---
title: A
versions:
- 1
- 2
tags: [a, b]
colour: red # unknown, and kept
---

## Symptom

x

### A heading of the text

## Fix

y

---
id: a
title: B
lang: zh
translates: 1
---

## 解决

z
"""


def test_parts_are_read() -> None:
    found = parts_of(TEXT)
    assert {name: found[name] for name in ("title", "versions", "tags", "fix", "traces")} == {
        "title": "A",
        "versions": "1, 2",
        "tags": "a, b",
        "fix": "y",
        "traces": "",
    }
    assert found["symptom"] == "x\n\n### A heading of the text"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", "C: 'd' #e"),
        ("versions", "3, 4.1"),
        ("component", "flink"),
        ("tags", ""),
        ("symptom", ""),
        ("symptom", "seen"),
        ("traces", "ValueError: boom\n\tat x"),
        ("traces", "first\n\n```\nValueError: boom\n```"),
        ("root_cause", "because\n\n## Fix\n\nno heading of ours"),
        ("fix", "- one\n- two"),
        ("prose", "seen in Ulm"),
    ],
)
def test_a_part_is_replaced_and_nothing_else_moves(name: str, value: str) -> None:
    before, text = parts_of(TEXT), with_part(TEXT, name, value)
    assert parts_of(text) == {**before, name: value}
    assert "colour: red # unknown, and kept\n" in text
    assert text.endswith("\n---\nid: a\ntitle: B\nlang: zh\ntranslates: 1\n---\n\n## 解决\n\nz\n")
    assert with_part(text, name, value) == text


@pytest.mark.parametrize(
    "said",
    [
        "tags:\n- a\n\n- b\n",
        "tags:\n\n  - a\n\n  # why\n  - b\n",
        "tags: [\na,\n\nb\n]\n",
        "tags: [a, b] # two\n",
        "tags: >\n  a,\n\n  b\n",
        "tags: a,\n  b,\n\n  c\n",
        "Tags: 'a,\n\n  b'\n",
        "tags:\n",
        "tags:\n- a: *b\n- c\n",
    ],
    ids=["apart", "commented", "flow", "one-line", "folded", "plain", "quoted", "empty", "alias"],
)
@pytest.mark.parametrize("value", ["c, d", ""])
def test_a_key_goes_with_all_of_its_value(said: str, value: str) -> None:
    """And with nothing else, wherever it stands: what comes behind it may be a comment."""
    line = "tags: [c, d]\n" if value else ""
    for before, after in (
        ("title: 甲 💥\n", "# kept\ncolour: red # unknown\n"),
        ("title: A\n", ""),
        ("", "title: A\n"),
    ):
        text = with_part(f"---\n{before}{said}{after}---\n\n## Fix\n\ny\n", "tags", value)
        assert [one for one in text.split("\n") if one] == [
            one for one in f"---\n{before}{line}{after}---\n\n## Fix\n\ny\n".split("\n") if one
        ]
        assert parts_of(text)["tags"] == value


def test_a_folded_title_leaves_no_tail() -> None:
    text = with_part("---\ntitle: >-\n  A long\n\n  title\ntags: [a]\n---\n", "title", "Short")
    assert text == "---\ntitle: Short\ntags: [a]\n---\n"


def test_a_bare_trace_gets_a_fence_that_it_does_not_close() -> None:
    text = with_part(TEXT, "traces", "boom\n  ```inside")
    read = as_written(text, "")
    assert read is not None
    assert read.traces == ("boom\n  ```inside",)


def test_a_write_up_grows_from_nothing_in_the_order_of_the_form() -> None:
    text = ""
    for name in reversed(PARTS):
        text = with_part(text, name, "none" if name in HEAD else f"about {name}")
    read = as_written(text, "")
    assert read is not None
    assert (read.title, read.tags, read.fix, read.prose) == ("none", ("none",), "about fix", "about prose")
    places = [text.index(f"about {name}") for name in SECTIONS]
    assert places == sorted(places)


def test_a_chinese_write_up_gets_chinese_headings() -> None:
    text = with_part("---\ntitle: 甲\n---\n\n## 现象\n\n乙\n", "fix", "丙")
    assert text == "---\ntitle: 甲\n---\n\n## 现象\n\n乙\n\n## 解决\n\n丙\n"


def test_a_section_said_twice_is_said_once() -> None:
    text = with_part("---\ntitle: A\n---\n\n## Fix\n\na\n\n## Notes\n\nn\n\n## Fix\n\nb\n", "fix", "c")
    assert text == "---\ntitle: A\n---\n\n## Fix\n\nc\n\n## Notes\n\nn\n\n"


@given(st.text(max_size=200), st.sampled_from(PARTS), st.text(max_size=50))
def test_no_text_breaks_it(text: str, name: str, value: str) -> None:
    parts_of(with_part(TEXT[:120] + text, name, value))
    parts_of(with_part(text, name, value))


@pytest.mark.parametrize(
    "piece", ["`", "```\n", "## Fix\n", "## Fix\nx\n", "title:\n", "---\n", "\\## Fix\n", " \n", "- "]
)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    text = "---\ntitle: A\n---\n\n## Trace\n\n" + piece * (200_000 // len(piece))
    started = time.process_time()
    parts_of(with_part(text, "fix", "x"))
    assert time.process_time() - started < 5
