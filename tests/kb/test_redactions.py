"""What was taken out of a record is told as scrubbing does it: everything that is scrubbed, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.record import from_record, redaction_counts, to_record

SECRET = "hunter2-Zx81-quaint"
GITHUB = "ghp_" + "Ab1" * 12


@pytest.mark.parametrize(
    ("record", "fields"),
    [
        ({"title": "nothing to hide"}, []),
        ({"title": f"password={SECRET}"}, [("/title", 1)]),
        ({"traces": ["fine", f"a password={SECRET}\nb {GITHUB}"]}, [("/traces/1", 1), ("/traces/1", 1)]),
        ({"fix": f"{GITHUB} and {GITHUB[:-1]}x"}, [("/fix", 2)]),
        (
            {"vault": {"password": "x", "list": [{"api_key": "y"}]}},
            [("/vault/password", 1), ("/vault/list/0/api_key", 1)],
        ),
        ({"password": ["a", "b"]}, [("/password/0", 1), ("/password/1", 1)]),
        ({"password": 31337}, [("/password", 1)]),
        ({"env": [{"name": "DB_PASSWORD", "value": "hunter2"}]}, [("/env/0/value", 1)]),
        ({"env": [{"Value": 31337, "Key": "DB_PASSWORD"}]}, [("/env/0/Value", 1)]),
        ({"env": [{"name": "PORT", "value": "8080"}, {"name": "partition.key", "value": "id"}]}, []),
        ({"m": {"kind": "Secret", "data": {"db": "aHVudGVyMg=="}}}, [("/m/data/db", 1)]),
        ({"m": {"kind": "ConfigMap", "data": {"db": "aHVudGVyMg=="}}}, []),
        ({"password": None, "secret": True, "token": " "}, []),
        ({"a/b~c": {"password": "x"}}, [("/a~1b~0c/password", 1)]),
    ],
)
def test_kind_and_place_of_each(record: dict[str, object], fields: list[tuple[str, int]]) -> None:
    found = redaction_counts(record)
    assert sorted((one.field, one.count) for one in found) == sorted(fields)
    assert all(one.kind for one in found)


def test_a_secret_in_a_key_is_not_told() -> None:
    found = redaction_counts({f"{GITHUB}": 1})
    assert found
    assert not any(GITHUB in one.field for one in found)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**6) | st.sampled_from(["x", SECRET, f"password={SECRET}", f"see {GITHUB}", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "password", "api_key", "note"]), inner, max_size=3)
    | st.fixed_dictionaries({"name": st.sampled_from(["DB_PASSWORD", "PORT"]), "value": inner}),
    max_leaves=8,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["x", "password", "fix", "y"]), VALUES, max_size=4))
def test_told_is_what_is_scrubbed(extra: dict[str, object]) -> None:
    record = {"title": "t", **extra}
    record["fix"] = str(extra.get("fix") or "fine")
    told = {one.field for one in redaction_counts(record)}
    kept = to_record(from_record(record))
    changed = set(_changed(record, kept, ""))
    assert told == changed


def _changed(before: object, after: object, field: str) -> list[str]:
    if isinstance(before, dict):
        assert isinstance(after, dict)
        return [one for key in before for one in _changed(before[key], after.get(key), f"{field}/{key}")]
    if isinstance(before, list):
        assert isinstance(after, list)
        pairs = enumerate(zip(before, after, strict=True))
        return [one for at, (x, y) in pairs for one in _changed(x, y, f"{field}/{at}")]
    return [] if before == after else [field]
