"""One incident in two languages: as a record, as a write-up, as files; which words a reader gets, and which translation lags."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.article.writeups.mistakes import mistakes
from kb.article.writeups.translated import (
    is_translation,
    join_parts,
    pairs,
    split_parts,
    stamped_translation,
    translation_of,
)
from kb.article.writeups.writeup import as_written, read_writeup, render, whole
from kb.incident import Incident, Source, Translation
from kb.record import RecordError, from_record, redaction_counts, scrub, stored, to_record
from kb.translations import in_language, lagging, languages, stamped, text_digest

ORIGINAL = """---
id: pool-exhausted
title: Connection pool is exhausted
lang: en
component: jdbc
---
## Symptom

Requests time out.

## Trace

```
java.sql.SQLTransientConnectionException: pool - Connection is not available
\tat com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:197)
```

## Root cause

Connections leak.

## How to tell it apart

The database answers at once.

## Fix

1. Close them.

## References

- [pool](https://example.org/pool)
"""
CHINESE = """---
id: pool-exhausted
title: 连接池耗尽
lang: zh
translates:
---
## 现象

请求超时。

## 根因

连接泄漏。

## 如何区分

数据库立即响应。

## 解决

1. 关闭连接。

## 参考

- [连接池](https://example.org/pool)
"""


def both() -> Incident:
    read = read_writeup(join_parts([ORIGINAL, CHINESE]), "pool-exhausted.md")
    assert read is not None
    return read


def test_two_parts_are_read_as_one_incident():
    incident = both()

    assert (incident.title, incident.lang, languages(incident)) == ("Connection pool is exhausted", "en", ("en", "zh"))
    assert incident.fix == "1. Close them."
    assert len(incident.chains) == 1
    assert incident.translations["zh"] == Translation(
        "连接池耗尽",
        {
            "symptom": "请求超时。",
            "root_cause": "连接泄漏。",
            "distinguish": "数据库立即响应。",
            "fix": "1. 关闭连接。",
            "references": "- [连接池](https://example.org/pool)",
        },
    )


def test_a_reader_gets_the_words_of_their_language_and_all_share_the_trace():
    incident = both()
    chinese = in_language(incident, "zh")

    assert (chinese.id, chinese.title, chinese.lang, chinese.fix) == (
        "pool-exhausted",
        "连接池耗尽",
        "zh",
        "1. 关闭连接。",
    )
    assert chinese.traces == incident.traces
    assert languages(chinese) == ("zh", "en")
    assert in_language(incident, "en") is incident
    assert in_language(replace(incident, translations={}), "zh").lang == "en"
    back = in_language(chinese, "en")
    assert (back.title, back.root_cause, back.fix) == (incident.title, incident.root_cause, incident.fix)


def test_untranslated_fields_keep_the_original_and_its_quotations():
    incident = replace(
        both(),
        translations={"zh": Translation("连接池", {"fix": "关闭。"})},
        announced={"fix": "`x`"},
        sections={"fix": "Close them."},
    )
    chinese = in_language(incident, "zh")

    assert (chinese.symptom, chinese.fix) == ("Requests time out.", "关闭。")
    assert (chinese.announced, chinese.sections) == ({}, {})


def test_as_a_record_there_and_back():
    incident = both()
    record = json.loads(json.dumps(to_record(incident)))

    assert record["translations"]["zh"]["fix"] == "1. 关闭连接。"
    assert from_record(record) == incident
    assert stored(record) == replace(incident, chains=())


SECRET = {
    "title": "t password=hunter2",
    "fix": "password=hunter2",
    "references": "password=hunter2",
    "translates": "password=hunter2",
}


def test_no_text_of_a_translation_keeps_a_secret():
    told = {"title": "t", "lang": "en", "translations": {"zh": SECRET}}
    raw = Incident(
        "a",
        "t",
        "en",
        Source("a", "a"),
        translations={"zh": Translation(SECRET["title"], {"fix": SECRET["fix"]}, SECRET["fix"])},
    )

    assert "hunter2" not in repr(from_record(told))
    assert "hunter2" not in repr(scrub(raw))
    assert {one.field for one in redaction_counts(told)} == {f"/translations/zh/{name}" for name in SECRET}


BAD = {
    "no object": ["zh"],
    "another language": {"fr": {"title": "t"}},
    "a text": {"zh": "t"},
    "without a title": {"zh": {"fix": "f"}},
    "a field that is not translated": {"zh": {"title": "t", "traces": "x"}},
    "a number": {"zh": {"title": "t", "fix": 3}},
    "its own language": {"en": {"title": "t"}},
}


@pytest.mark.parametrize("value", BAD.values(), ids=BAD)
def test_an_invalid_translation_record_is_an_error(value: object):
    with pytest.raises(RecordError) as raised:
        from_record({"title": "t", "lang": "en", "translations": value})

    assert raised.value.field == "translations"


def test_a_write_up_there_and_back():
    incident = stamped(both())
    text = whole(incident)

    assert split_parts(text)[1].startswith("---\nid: pool-exhausted\ntitle: 连接池耗尽\nlang: zh\ntranslates: ")
    again = as_written(text, "pool-exhausted.md")
    assert again is not None
    assert replace(again, source=incident.source) == incident
    assert mistakes(text) == ()
    assert join_parts(split_parts(text)) == text


def test_other_sections_belong_to_the_original():
    incident = replace(both(), extra={"ticket": 7})
    first, second = split_parts(whole(incident))

    assert "## Also kept" in first
    assert "ticket" not in second
    again = as_written(whole(incident), "pool-exhausted.md")
    assert again is not None
    assert again.extra["ticket"] == 7
    assert again.translations == incident.translations


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\x85"), min_size=1, max_size=40)
HOSTILE = st.sampled_from(["---\nid: a\ntranslates: b\n---\n## Fix\n\nx", "## Fix", "---", "\\---\ntranslates:", "```"])


@given(fix=WORDS | HOSTILE, theirs=WORDS | HOSTILE)
def test_any_texts_come_back(fix: str, theirs: str):
    fix, theirs = fix.strip() or "x", theirs.strip() or "x"
    incident = Incident(
        "a",
        "Title",
        "en",
        Source("a", "a"),
        symptom="S",
        fix=fix,
        translations={"zh": Translation("题", {"fix": theirs})},
    )
    again = as_written(whole(incident), "a")

    assert again is not None
    assert again.fix == fix
    assert set(again.translations) == {"zh"}
    assert again.translations["zh"].texts["fix"].split() == theirs.split()


def test_the_digest_is_of_the_words_alone():
    incident = both()
    wrapped = replace(incident, symptom="Requests\ntime  out.\n")
    digest = text_digest(incident)

    assert len(digest) == 8
    assert text_digest(wrapped) == digest
    assert text_digest(replace(incident, traces=(), tags=("x",), versions=("1",))) == digest
    assert text_digest(replace(incident, fix="2. Close them.")) != digest
    assert text_digest(replace(incident, title="Pool")) != digest


def test_a_translation_that_follows_another_text_lags():
    incident = both()

    assert dict(lagging(incident)) == {"zh": ""}
    current = stamped(incident)
    assert dict(lagging(current)) == {}
    changed = replace(current, fix="1. Close them at once.")
    assert dict(lagging(changed)) == {"zh": text_digest(incident)}


def test_stamping_touches_one_line():
    assert stamped_translation(CHINESE, "1a2b3c4d") == CHINESE.replace("translates:", "translates: 1a2b3c4d")
    numeric = stamped_translation(CHINESE, "01234567")  # YAML reads such digits as a number
    read = as_written(join_parts([ORIGINAL, numeric]), "a")
    assert read is not None
    assert read.translations["zh"].translates == "01234567"


def test_which_files_belong_together():
    texts = {
        "a/x.md": ORIGINAL,
        "a/x.zh.md": CHINESE,
        "b/x.zh.md": CHINESE,
        "hugo/index.md": "---\ntitle: a\n---\n",
        "hugo/index.zh.md": "---\ntitle: b\n---\n",
    }

    assert pairs(texts, texts.__getitem__) == {
        "a/x.md": ["a/x.zh.md"],
        "b/x.zh.md": [],
        "hugo/index.md": [],
        "hugo/index.zh.md": [],
    }
    assert translation_of("a/x.en.md") == "a/x.md"
    assert translation_of("a/x.fr.md") is None
    assert is_translation(CHINESE)
    assert not is_translation(ORIGINAL)


MISTAKEN = {
    "a trace": (CHINESE + "\n## 堆栈\n\n```\nx\n```\n", "for both languages"),
    "another id": (CHINESE.replace("id: pool-exhausted", "id: other"), "`id` of its original"),
    "the same language": (CHINESE.replace("lang: zh", "lang: en"), "another language"),
    "no language": (CHINESE.replace("lang: zh", "lang: fr"), "is one of"),
    "a key of the original": (CHINESE.replace("lang: zh", "lang: zh\ncomponent: jdbc"), "`component`"),
    "no title": (CHINESE.replace("title: 连接池耗尽", "title:"), "`title` is read as nothing"),
}


@pytest.mark.parametrize(("part", "said"), MISTAKEN.values(), ids=MISTAKEN)
def test_a_mistake_in_a_translation_names_its_line(part: str, said: str):
    found = mistakes(join_parts([ORIGINAL, part]))

    assert any(said in one.problem for one in found), found
    assert all(one.line > ORIGINAL.count("\n") for one in found)


def test_hostile_texts_take_bounded_time():
    text = ORIGINAL + "---\nid: a\n" * 20_000 + "---\ntranslates: x\n" * 20_000

    assert len(split_parts(text)) <= 10
    assert mistakes(text)
    assert as_written(text, "a") is not None
    assert render(both()).count("translates:") == 1
