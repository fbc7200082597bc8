"""Records out of JSON of any shape and size: each on its own, whatever is broken beside it."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.reading import read_document
from ingest.sources.exports.json_records import JsonLimits, cut_json
from ingest.sources.exports.records import DamagedError, Record
from ingest.sources.formats import DocumentFormat
from ingest.sources.recognise import HEAD
from tests.ingest.sources.cuts import cut


def issue(number: int, **more: object) -> dict[str, object]:
    return {
        "author": {"login": "ann"},
        "body": f"It fails {number} times",
        "number": number,
        "title": f"T{number}",
        **more,
    }


def records(text: str | bytes, **limits: int) -> list[Record]:
    data = text if isinstance(text, bytes) else text.encode()
    stream = io.BufferedReader(io.BytesIO(data), HEAD)  # type: ignore[type-var]
    return list(cut_json(stream, DocumentFormat.GITHUB, JsonLimits(**limits)))


def titles(found: list[Record]) -> list[str]:
    """Titles of the records that are JSON; ``-`` for those that are none."""
    made = []
    for record in found:
        try:
            made.append(json.loads(record.data)["title"])
        except (ValueError, KeyError, TypeError, RecursionError):
            made.append("-")
    return made


ISSUES = [issue(n) for n in range(1, 6)]
ALL = ["T1", "T2", "T3", "T4", "T5"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(json.dumps(ISSUES), id="array"),
        pytest.param(json.dumps(ISSUES, indent=4), id="indented"),
        pytest.param(json.dumps(ISSUES[:2]) + json.dumps(ISSUES[2:]), id="pages"),
        pytest.param(json.dumps([ISSUES[:2], ISSUES[2:]]), id="pages-in-an-array"),
        pytest.param("\n".join(map(json.dumps, ISSUES)), id="one-after-another"),
        pytest.param(json.dumps({"total": 5, "items": ISSUES}), id="search"),
        pytest.param(json.dumps({"data": {"repository": {"issues": {"nodes": ISSUES}}}}), id="graphql"),
        pytest.param("".join(json.dumps({"data": {"search": {"nodes": [one]}}}) for one in ISSUES), id="graphql-pages"),
        pytest.param("\ufeff" + json.dumps(ISSUES), id="mark"),
        pytest.param(json.dumps(ISSUES).encode("utf-16"), id="utf-16"),
    ],
)
def test_wherever_records_stand(text: str | bytes):
    assert titles(records(text)) == ALL


def test_an_answer_names_the_fields_of_its_issues():
    """What a house calls ``customfield_1`` says whether it is the cause."""
    fields = {
        "summary": "It fails",
        "customfield_1": "The pool is closed twice.",
        "customfield_2": None,
        "status": {"name": "Done"},
    }
    names = {"summary": "Summary", "customfield_1": "Root cause", "customfield_2": "Sprint", "customfield_3": "Team"}
    answer = {"issues": [{"key": "A-1", "fields": fields}], "names": names}
    (record,) = records(json.dumps(answer))
    assert json.loads(record.data)["names"] == {"customfield_1": "Root cause"}
    (incident,) = read_document(record.data, "a.json", DocumentFormat.JIRA).incidents
    assert incident.root_cause == "The pool is closed twice."


def broken(old: str, new: str, indent: int | None = None) -> str:
    text = json.dumps(ISSUES, indent=indent)
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('"number": 3', '"number": nothing', id="word"),
        pytest.param('"It fails 3 times"', '"It fails \n 3 times"', id="line-in-a-text"),
        pytest.param('"It fails 3 times"', '"It fails 3 "times"', id="quote"),
        pytest.param('"T3"', "", id="no-value"),
        pytest.param('"T3"', '"T3', id="text-without-end"),
        pytest.param('"It fails 3 times"', '[{"x": 1}', id="bracket-without-end"),
        pytest.param('"number": 3', '"number": ' + "9" * 5_000, id="endless-number"),
        pytest.param('"It fails 3 times"', "[" * 50_000, id="deep"),
    ],
)
def test_a_broken_record_does_not_hide_the_others(old: str, new: str, indent: int | None, *, wrapped: bool):
    text = broken(old, new, indent)
    found = records(f'{{"total": 5, "items": {text}}}' if wrapped else text)
    assert [title for title in titles(found) if title != "-"] == ["T1", "T2", "T4", "T5"]
    assert "-" in titles(found)
    for record in (one for one in found if b"[[[[" not in one.data):
        outcome = read_document(record.data, "a.json", record.format)
        assert (outcome.reason is None) == (titles([record]) != ["-"])


def test_a_cut_off_file_is_reported():
    text = json.dumps(ISSUES)
    stream = cut_json(io.BufferedReader(io.BytesIO(text[:-60].encode())), DocumentFormat.GITHUB)  # type: ignore[type-var]
    found = []
    with pytest.raises(DamagedError, match="breaks off"):
        found.extend(iter(lambda: next(stream), None))


def test_what_was_cut_off_is_read_up_to_there(tmp_path: Path):
    text = json.dumps(ISSUES)
    *good, rest, last = cut(text[:-60].encode(), "a.json", scratch=tmp_path)
    assert titles(good) == ["T1", "T2", "T3", "T4"]
    assert titles([rest]) == ["-"]
    assert (last.name, last.reason) == ("", "unreadable")


def test_a_file_of_nothing_right_ends():
    with pytest.raises(DamagedError, match="more than 50 places"):
        records('{"a": x}' * 10_000, broken=50)


def test_a_record_that_is_too_large_is_told():
    large = issue(3, body="x" * (5 << 20))
    found = records(json.dumps([*ISSUES[:2], large, *ISSUES[3:]]), record=3 << 20)
    assert [record.reason for record in found if record.reason] == ["too_large"]
    assert [title for title in titles(found) if title != "-"] == ["T1", "T2", "T4", "T5"]


def test_a_wrapper_larger_than_a_record_is_streamed():
    many = [issue(n, body="x" * 9_000) for n in range(1_000)]
    text = json.dumps({"total": 1_000, "names": {"a": ["b"]}, "issues": many, "last": True})
    stream = io.BufferedReader(io.BytesIO(text.encode()), HEAD)  # type: ignore[type-var]
    found = cut_json(stream, DocumentFormat.GITHUB, JsonLimits(record=1 << 20))
    first = next(found)
    assert stream.tell() < len(text) // 2
    assert titles([first, *found]) == [f"T{n}" for n in range(1_000)]


class Dribble(io.RawIOBase):
    """A file that gives so many bytes at a time, as a pipe does."""

    def __init__(self, data: bytes, chunk: int) -> None:
        self._rest, self._chunk = data, chunk

    def readable(self) -> bool:
        return True

    def readinto(self, target: bytearray | memoryview) -> int:  # type: ignore[override]
        size = min(len(target), self._chunk, len(self._rest))
        target[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


@given(
    texts=st.lists(st.text(max_size=40), max_size=12),
    indent=st.sampled_from([None, 0, 3]),
    wrapper=st.sampled_from(
        ["%s", '{"items": %s}', '{"data": {"repository": {"discussions": {"nodes": %s}}}}', "%s\n[]"]
    ),
    chunk=st.integers(1, 60),
)
def test_records_in_are_records_out(texts: list[str], indent: int | None, wrapper: str, chunk: int):
    """Wherever the window ends, and whatever the texts hold."""
    made = [issue(n, body=text) for n, text in enumerate(texts)]
    data = (wrapper % json.dumps(made, indent=indent, ensure_ascii=False)).encode("utf-8", "replace")
    found = list(cut_json(io.BufferedReader(Dribble(data, chunk), 1), DocumentFormat.GITHUB))
    back = [json.loads(record.data) for record in found]
    assert [one["body"] for one in back] == [text.encode("utf-8", "replace").decode() for text in texts]


@given(st.binary(max_size=400))
def test_bytes_of_any_kind_end(data: bytes):
    stream = io.BufferedReader(io.BytesIO(b'[{"title": "' + data), HEAD)  # type: ignore[type-var]
    try:
        found = list(cut_json(stream, DocumentFormat.JSONL))
    except DamagedError:
        return
    assert all(isinstance(record.data, bytes) for record in found)
