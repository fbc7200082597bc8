"""A whole write-up: every incident comes back to the letter, and what a writer changed above is believed."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.article.writeups.mistakes import mistakes
from kb.article.writeups.writeup import as_written, is_whole, read_writeup, render, whole
from kb.incident import Incident, QuoteSpan, Repost, Source, Status

WILD = st.text(st.characters(codec="utf-8"), max_size=30)
PIECE = st.sampled_from(
    [
        "## Fix",
        "## 根因",
        "## How to tell it apart",
        "## 如何确认",
        "## Also kept",
        "\\## Trace",
        "```",
        "````json",
        "---",
        "- item",
        "\r",
        "\r\n",
        "",
        "  ",
        "\x85",
        "\u2028",
        "失败",
        "at a.B.c(B.java:1)",
        "x",
    ]
)
TEXT = WILD | st.lists(PIECE | WILD, max_size=6).map("\n".join)
FULL = TEXT.filter(str.strip)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WILD, inner, max_size=3),
    max_leaves=6,
)
PLACES = st.lists(st.builds(QuoteSpan, *[st.integers(0, 99)] * 3, heading=st.none() | WILD), min_size=1, max_size=2)
INCIDENTS = st.builds(
    Incident,
    id=FULL,
    title=FULL,
    lang=st.sampled_from(["zh", "en", "mixed"]),
    source=st.builds(Source, path=TEXT, url=TEXT, licence=st.none() | TEXT),
    revision=st.integers(1, 999),
    status=st.sampled_from(list(Status)),
    component=st.none() | TEXT,
    versions=st.lists(TEXT, max_size=2).map(tuple),
    symptom=st.none() | TEXT,
    root_cause=st.none() | TEXT,
    distinguish=st.none() | TEXT,
    fix=st.none() | TEXT,
    traces=st.lists(TEXT, max_size=3).map(tuple),
    prose=TEXT,
    tags=st.lists(TEXT, max_size=2).map(tuple),
    codes=st.lists(TEXT, max_size=2).map(tuple),
    created=st.none() | TEXT | st.dates().map(str) | st.datetimes().map(str),
    duplicate_of=st.none() | TEXT,
    reposts=st.lists(st.builds(Repost, TEXT, TEXT, TEXT), max_size=2).map(tuple),
    quotes=st.dictionaries(st.sampled_from(["fix", "root_cause"]), PLACES.map(tuple), max_size=2),
    announced=st.dictionaries(st.sampled_from(["fix", "root_cause"]), FULL, max_size=2),
    extra=st.dictionaries(
        st.sampled_from(["references", "captions", "team", "x-y"]), JSON | st.lists(TEXT, max_size=4), max_size=3
    ),
)


def through_a_file(text: str) -> str:
    return text.encode().decode().replace("\r\n", "\n")


@settings(max_examples=60)
@given(INCIDENTS)
def test_there_and_back(incident: Incident):
    # A path that is the id is no more than the name of the file, and is not written down.
    name = incident.id if incident.source.path == incident.id else "name of the file"
    read = as_written(through_a_file(whole(incident)), name)
    assert read is not None
    assert replace(read, chains=()) == incident
    assert whole(read) == whole(incident), "the same incident is always written the same way"


@settings(max_examples=30)
@given(INCIDENTS)
def test_what_is_written_has_no_mistake(incident: Incident):
    assert mistakes(through_a_file(whole(incident))) == ()


PLAIN = Incident("pool", "The pool is exhausted", "en", Source("pool", "pool"), root_cause="Leaks.", fix="Close it.")


def test_a_plain_one_has_no_such_section():
    assert whole(PLAIN) == render(PLAIN)
    assert not is_whole(whole(PLAIN))


def test_what_the_writer_changed_above_is_believed():
    exact = replace(PLAIN, root_cause="  Leaks.\n", fix="\n\nClose it.", extra={"team": "a"})
    text = whole(exact).replace("Leaks.\n\n## Fix", "It leaks.\n\n## Fix")
    read = as_written(text, "pool")
    assert is_whole(text)
    assert read == replace(exact, root_cause="It leaks.")


def test_words_beside_traces_stay_where_they_are():
    text = render(replace(PLAIN, traces=("a.B: x\n\tat a.B.c(B.java:1)", "a.B: y"))).replace(
        "```\n\n```", "```\n\nAn older one:\n\n```"
    )
    read = as_written(text, "pool")
    assert read is not None
    assert read.extra == {"captions": ["", "An older one:"]}
    assert whole(read) == text
    assert mistakes(text) == ()


@pytest.mark.parametrize(
    "kept",
    [
        "[]",
        "{",
        '{"tags": 5}',
        '{"source": {}}',
        '{"quotes": {"fix": [1]}}',
        '{"announced": {"fix": [1]}}',
        "[" * 5_000,
    ],
)
def test_what_cannot_be_used_is_left_out(kept: str):
    text = f"{render(PLAIN)}\n## Also kept\n\n```json\n{kept}\n```\n"
    assert as_written(text, "pool") == PLAIN
    assert [one.line for one in mistakes(text)] == [14]


def test_ingesting_names_the_document():
    read = read_writeup(whole(replace(PLAIN, source=Source("a/b.md", "a/b.md"), extra={"team": "a"})), "c.md")
    assert read is not None
    assert (read.source, read.extra) == (Source("c.md", "c.md"), {"team": "a"})


def test_a_title_alone_is_a_write_up():
    bare = Incident("a", "A title", "en", Source("a", "a"))
    assert as_written(whole(bare), "a") == bare
