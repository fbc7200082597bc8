"""Near-duplicates: which pairs are one problem, who stands for a group, and that Spark finds the pairs."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

from ingest.dedupe import buckets, candidates, canonicals, near_duplicates, verified
from ingest.shingles import jaccard, shingled
from kb.incident import Incident, Source

STORY = " ".join(
    f"On day {i} the operator {i * 7} looked at gauge {i * 13} and wrote {i * 31} down." for i in range(30)
)
CAUSE = "The lease of the ledger lock had run out because the clock of the third node went backwards by an hour"
OTHER_CAUSE = "A library of the wrong version was first on the class path and hid the method that the caller needed"


def entry(
    key: str, *, prose: str = STORY, cause: str | None = CAUSE, root: tuple[str, ...] = (), created: str | None = None
) -> dict[str, Any]:
    incident = Incident(
        id=key,
        title="The ledger stands still",
        lang="en",
        source=Source(key, key),
        prose=prose,
        root_cause=cause,
        created=created,
    )
    found = shingled(incident, exact=())
    return {
        "key": key,
        "rank": found.rank,
        "sample": found.sample,
        "bands": found.bands,
        "told": found.stated,
        "root_cause": list(root),
    }


@pytest.mark.parametrize(
    ("other", "same"),
    [
        pytest.param(entry("b"), True, id="copy"),
        pytest.param(entry("b", prose=f"Reposted from elsewhere. {STORY}"), True, id="repost-with-a-line-before"),
        pytest.param(entry("b", root=("r1",)), True, id="copy-with-the-same-trace"),
        pytest.param(entry("b", cause=None), True, id="copy-that-states-no-cause"),
        pytest.param(entry("b", root=("r2",)), False, id="same-words-another-root-cause-in-the-trace"),
        pytest.param(entry("b", cause=OTHER_CAUSE), False, id="same-form-another-cause-told"),
        pytest.param(entry("b", prose=STORY[: len(STORY) // 2]), False, id="half-of-it"),
    ],
)
def test_one_problem_or_two(other: dict[str, Any], *, same: bool):
    assert near_duplicates(entry("a", root=("r1",)), other) is same


def test_the_same_wrapper_around_another_root_cause_is_another_problem():
    """Both show `Could not materialize checkpoint`; what they share is the wrapper, not the root cause."""
    a, b = (
        entry("a", prose="short", cause=None, root=("hdfs",)),
        entry("b", prose="short", cause=None, root=("memory",)),
    )
    assert not near_duplicates(a, b)


def test_in_short_texts_one_word_makes_another_problem():
    a = entry("a", prose="server answers with error 1045 at login", cause=None)
    b = entry("b", prose="server answers with error 1046 at login", cause=None)
    assert not near_duplicates(a, b)


def partly(key: str, own: int) -> dict[str, Any]:
    """The story, its last ``own`` sentences replaced by some that only this article has."""
    kept = STORY.split(". ")[:-own]
    return entry(
        key, prose=". ".join([*kept, *(f"Only {key} has step {i} with {key}{i * 7} in it" for i in range(own))])
    )


@pytest.mark.parametrize(
    ("own", "low", "high", "same"),
    [
        pytest.param(7, 0.81, 0.84, True, id="a-little-over"),
        pytest.param(9, 0.75, 0.79, False, id="a-little-under"),
        pytest.param(12, 0.65, 0.72, False, id="two-thirds"),
    ],
)
def test_how_much_two_long_texts_must_share(own: int, low: float, high: float, *, same: bool):
    a, b = partly("a", own), partly("b", own)
    assert low < jaccard(a["sample"], b["sample"]) < high
    assert near_duplicates(a, b) is same


def pair(first: str, second: str) -> dict[str, str]:
    return {"first": first, "second": second, "first_rank": first, "second_rank": second}


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        pytest.param([], {}, id="none"),
        pytest.param([("a", "b"), ("a", "c"), ("b", "c")], {"b": "a", "c": "a"}, id="group"),
        pytest.param([("a", "b"), ("b", "c")], {"b": "a"}, id="star-not-chain"),
        pytest.param([("a", "c"), ("b", "c")], {"c": "a"}, id="first-in-rank-takes"),
        pytest.param([("b", "c"), ("a", "d")], {"c": "b", "d": "a"}, id="two-groups"),
    ],
)
def test_who_stands_for_a_group(pairs: list[tuple[str, str]], expected: dict[str, str]):
    assert canonicals(pair(*one) for one in reversed(pairs)) == expected


def test_the_complete_one_stands_for_the_group_then_the_earliest():
    ranks = [
        entry("z", created="2024-01-02")["rank"],
        entry("y", created="2024-01-03")["rank"],
        entry("x")["rank"],
        entry("w", cause=None, created="2020-01-01")["rank"],
    ]
    assert ranks == sorted(ranks)


@pytest.mark.spark
def test_spark_finds_the_pairs(spark: SparkSession):
    rows = [
        entry("copy"),
        entry("first", created="2020-01-01"),
        entry("alone", prose=" ".join(f"quite {i} other {i * 3} words {i * 17}" for i in range(60)), cause=None),
        entry("empty", prose="", cause=None) | {"bands": [], "sample": []},
        entry("form", cause=OTHER_CAUSE),
    ]
    types = "key string, rank string, sample array<long>, bands array<long>, told array<long>, root_cause array<string>"
    new = {"fresh": True, "gone": False}
    frame = spark.createDataFrame([row | new for row in rows], f"{types}, fresh boolean, gone boolean")
    pairs = verified(candidates(buckets(frame)), frame).toArrow().to_pylist()
    assert all(len(row["bands"]) > 1 for row in pairs)
    assert [(row["first"], row["second"]) for row in pairs] == [("first", "copy")]
    assert canonicals(pairs) == {"copy": "first"}
