"""An incident as a record, there and back."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.incident import Repost, Status
from kb.record import RecordError, from_record, read_chains, scrub, slug, stored, to_record
from kb.redact import redact

TRACE = "java.lang.IllegalStateException: closed\n\tat a.b.C.d(C.java:1)\n\tat a.b.C.e(C.java:2)"


def test_the_shape_of_the_design():
    incident = from_record(
        {
            "id": "x-1",
            "title": "连接已关闭",
            "component": "flink",
            "symptom": "作业重启。",
            "trace": TRACE,
            "root_cause": "连接池关闭过早。",
            "fix": "升级。",
            "url": "https://example.org/1",
            "tags": ["pool"],
            "created": "2024-01-02",
            "ticket": 7,
        }
    )

    assert (
        incident.id,
        incident.lang,
        incident.source.url,
        incident.traces,
    ) == ("x-1", "zh", "https://example.org/1", (TRACE,))
    assert [one.type for chain in incident.chains for one in chain.exceptions] == ["java.lang.IllegalStateException"]
    assert incident.extra == {"ticket": 7}
    assert Status.PUBLISHED is incident.status


def test_secrets_are_scrubbed_everywhere():
    incident = from_record(
        {"title": "t", "fix": "password=hunter2", "traces": ["token=abc123def"], "extra_note": {"a": ["pwd=hunter2"]}}
    )

    assert "hunter2" not in json.dumps(to_record(incident))
    assert "abc123def" not in json.dumps(to_record(incident))


TOLD = (
    "id",
    "title",
    "url",
    "component",
    "symptom",
    "root_cause",
    "distinguish",
    "fix",
    "created",
    "duplicate_of",
    "prose",
)


def test_no_field_keeps_a_secret():
    """Secrets that the words show, and all that stands under a key that names one."""
    record: dict[str, object] = dict.fromkeys(TOLD, "password=hunter2")
    record |= {name: ["password=hunter2"] for name in ("versions", "tags", "traces", "codes")}
    record["announced"] = {"fix": "```\npassword=hunter2\n```"}
    record |= {"source": {"path": "pwd=hunter2", "licence": "pwd=hunter2"}, "password": "hunter2"}
    record |= {"db": {"user": "me", "secret": ["hunter2"], "port": 5432, "tokens": 7}, "password=hunter2": 1}
    incident = from_record(record)

    assert "hunter2" not in repr(incident)
    assert "hunter2" not in json.dumps(to_record(incident))
    assert incident.extra["db"] == {"user": "me", "secret": ["<secret>"], "port": 5432, "tokens": 7}


@pytest.mark.parametrize("field", ["lang", "status", "revision"])
def test_an_error_does_not_repeat_the_value(field: str):
    with pytest.raises(RecordError) as raised:
        from_record({"title": "t", field: "password=hunter2"})

    assert "hunter2" not in repr((raised.value, str(raised.value), raised.value.__cause__))


def test_an_id_is_made_from_what_the_record_says():
    first, again, other = (
        from_record({"title": title, "url": "u"}) for title in ("Disk full", "Disk full", "Disk  gone")
    )

    assert first.id == again.id != other.id
    assert first.id.startswith("disk-full-")


BAD = {
    "no title": ({}, "title"),
    "blank title": ({"title": "  "}, "title"),
    "title a number": ({"title": 3}, "title"),
    "traces a number": ({"title": "t", "traces": 3}, "traces"),
    "a tag a number": ({"title": "t", "tags": ["a", 1]}, "tags"),
    "status": ({"title": "t", "status": "gone"}, "status"),
    "status a list": ({"title": "t", "status": ["draft"]}, "status"),
    "lang": ({"title": "t", "lang": "fr"}, "lang"),
    "revision": ({"title": "t", "revision": 0}, "revision"),
    "source": ({"title": "t", "source": 4}, "source"),
    "fix": ({"title": "t", "fix": ["a"]}, "fix"),
    "quotes": ({"title": "t", "quotes": ["a"]}, "quotes"),
    "quotes of another field": ({"title": "t", "quotes": {"title": []}}, "quotes"),
    "announced": ({"title": "t", "announced": "2024-01-02"}, "announced"),
    "announced by another field": ({"title": "t", "announced": {"title": "a"}}, "announced"),
    "a number announced": ({"title": "t", "announced": {"fix": 1}}, "announced"),
    "a quote without a place": ({"title": "t", "quotes": {"fix": [{"start": 1, "end": True, "line": 1}]}}, "quotes"),
}


@pytest.mark.parametrize(("record", "field"), BAD.values(), ids=BAD)
def test_a_wrong_field_is_named(record: dict[str, object], field: str):
    with pytest.raises(RecordError) as raised:
        from_record(record)

    assert field == raised.value.field
    assert f"'{field}'" in raised.value.problem


WORDS = (
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).filter(str.strip).map(lambda text: redact(text).text)
)


PLACES = st.fixed_dictionaries(
    {"start": st.integers(0, 9), "end": st.integers(0, 9), "line": st.integers(1, 9), "heading": st.none() | WORDS}
)


@given(
    st.fixed_dictionaries(
        {"title": WORDS},
        optional={
            "id": WORDS,
            "lang": st.sampled_from(["zh", "en", "mixed"]),
            "url": WORDS,
            "source": st.fixed_dictionaries({"path": WORDS}, optional={"licence": WORDS}),
            "revision": st.integers(1, 9),
            "status": st.sampled_from(list(Status)),
            "component": WORDS,
            "symptom": WORDS,
            "root_cause": WORDS,
            "distinguish": WORDS,
            "fix": WORDS,
            "prose": WORDS,
            "created": WORDS,
            "duplicate_of": WORDS,
            "versions": st.lists(WORDS, max_size=2),
            "tags": st.lists(WORDS, max_size=2),
            "codes": st.lists(WORDS, max_size=2),
            "traces": st.lists(WORDS, max_size=2, unique=True),
            "own": st.integers() | WORDS,
            "quotes": st.dictionaries(st.sampled_from(["root_cause", "fix"]), st.lists(PLACES, max_size=2)),
            "announced": st.dictionaries(st.sampled_from(["root_cause", "fix"]), WORDS),
        },
    )
)
def test_there_and_back(record: dict[str, object]):
    """`to_record` loses nothing that `from_record` reads."""
    incident = from_record(record)

    assert incident == from_record(json.loads(json.dumps(to_record(incident))))


@pytest.mark.parametrize(
    ("text", "expected"), [("A B/c.md", "a-b-c-md"), ("磁盘 满", "磁盘-满"), ("!!!", "incident"), ("x" * 60, "x" * 40)]
)
def test_slug(text: str, expected: str):
    assert expected == slug(text)


def test_read_chains_keeps_the_order_of_traces():
    other = TRACE.replace("IllegalState", "IllegalArgument")

    assert [str(chain.exceptions[0].type).rsplit(".", 1)[-1] for chain in read_chains((TRACE, other))] == [
        "IllegalStateException",
        "IllegalArgumentException",
    ]


def test_trace_and_traces_are_joined_without_duplicates():
    assert from_record({"title": "t", "trace": "a", "traces": ["b", "a"]}).traces == ("a", "b")


def test_what_is_announced_is_kept_and_blank_is_nothing():
    incident = from_record({"title": "t", "fix": "Set this:", "announced": {"fix": "```\na=b\n```", "root_cause": " "}})

    assert {"fix": "```\na=b\n```"} == incident.announced == stored(to_record(incident)).announced
    hidden = scrub(replace(incident, announced={"fix": "password=hunter2"}))
    assert hidden.announced == {"fix": "password=<secret>"}


def test_a_stored_record_with_an_extra_key_of_that_name_still_opens():
    """Before the field there was any key of this name was kept as it came."""
    record = {**to_record(from_record({"title": "t", "url": "u"})), "announced": "2024-01-02", "distinguish": ["a"]}

    assert stored(record).announced == {}
    assert stored(record).distinguish is None


def test_reposts_are_kept_in_the_store_and_ignored_in_input():
    """They are found among all incidents when a snapshot is built: a record that is taken in cannot claim any."""
    repost = Repost("y-2", "连接已关闭（转载）", "https://example.org/2")
    whole = replace(from_record({"title": "t", "url": "u", "fix": "f"}), reposts=(repost,))
    record = json.loads(json.dumps(to_record(whole)))

    assert record["reposts"] == [{"id": "y-2", "title": "连接已关闭（转载）", "url": "https://example.org/2"}]
    assert stored(record) == whole
    assert from_record(record) == replace(whole, reposts=())
    assert "reposts" not in from_record({"title": "t", "reposts": [{"id": 7}]}).extra
