"""What two records say differently, line by line; bounded whatever they say."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.writing.differences import (
    DiffLine,
    FieldConflict,
    FieldDifference,
    conflicts,
    differences,
    merged,
    with_theirs,
)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({}, {}, []),
        ({"fix": "a", "revision": 1}, {"fix": "a", "revision": 2}, []),
        ({}, {"fix": "a\nb"}, [("/fix", "added", "+a +b")]),
        ({"fix": "a"}, {}, [("/fix", "removed", "-a")]),
        ({"fix": "a\nb"}, {"fix": "a\nc"}, [("/fix", "changed", " a -b +c")]),
        ({"fix": "a\n"}, {"fix": "a"}, [("/fix", "changed", " a -")]),
        ({"fix": "1\n2\n3\n4\n5\n6"}, {"fix": "1\n2\n3\n4\n5\n7"}, [("/fix", "changed", "… 3 4 5 -6 +7")]),
        ({"traces": ["a", "b"]}, {"traces": ["x", "a", "b"]}, [("/traces/0", "added", "+x")]),
        ({"traces": ["a", "b"]}, {"traces": ["b"]}, [("/traces/0", "removed", "-a")]),
        ({"traces": ["a", "b\nc"]}, {"traces": ["a", "b\nd"]}, [("/traces/1", "changed", " b -c +d")]),
        ({"tags": ["a"]}, {}, [("/tags/0", "removed", "-a")]),
        ({"source": {"path": "a", "licence": "x"}}, {"source": {"path": "b"}}, [("/source/path", "changed", "-a +b"), ("/source/licence", "removed", "-x")]),
        ({"announced": {"fix": "a\nb"}}, {}, [("/announced/fix", "removed", "-a -b")]),
        ({}, {"announced": {"fix": "a"}}, [("/announced/fix", "added", "+a")]),
        ({"x": {"a": 1}}, {"x": 1}, [("/x", "changed", "-{'a': 1} +1")]),
        ({"x": 0}, {"x": {"a": 1}}, [("/x", "changed", "-0 +{'a': 1}")]),
        ({"x": 0}, {"x": {}}, [("/x", "changed", "-0 +{}")]),
        ({"x": False}, {}, [("/x", "removed", "-False")]),
        ({}, {"x": {}}, []),
        ({"x": 1}, {"x": [1]}, [("/x", "changed", "-1 +[1]")]),
    ],
)  # fmt: skip
def test_each_kind_of_change(
    before: dict[str, object], after: dict[str, object], told: list[tuple[str, str, str]]
) -> None:
    marks = {"same": " ", "added": "+", "removed": "-", "cut": "…"}
    found = differences(before, after)
    shown = [
        (one.field, one.change, "".join(f" {marks[line.mark].strip()}{line.text}" for line in one.lines).strip())
        for one in found
    ]
    assert [(field, change, text.split()) for field, change, text in shown] == [
        (field, change, text.split()) for field, change, text in told
    ]


TEXTS = st.lists(st.sampled_from("abc"), max_size=30).map("\n".join)


@given(TEXTS, TEXTS)
def test_the_lines_lead_from_one_text_to_the_other(before: str, after: str) -> None:
    found = differences({"fix": before, "x": "y"}, {"fix": after, "x": "y"})
    assert bool(found) == (before != after)
    if found:
        (one,) = found
        added = sum(line.mark == "added" for line in one.lines)
        removed = sum(line.mark == "removed" for line in one.lines)
        assert added - removed == after.count("\n") - before.count("\n")
        assert added + removed


def test_of_a_short_text_everything_can_be_put_together_again() -> None:
    (one,) = differences({"fix": "a\nb\nc\nd"}, {"fix": "a\nx\nc\ny\nd"})
    assert "\n".join(line.text for line in one.lines if line.mark != "added") == "a\nb\nc\nd"
    assert "\n".join(line.text for line in one.lines if line.mark != "removed") == "a\nx\nc\ny\nd"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\n".join(map(str, range(100_000))), "\n".join(map(str, range(100_000, 0, -1)))),
        ("a\nb\n" * 50_000, "b\na\n" * 50_000),
        ("\n".join("ab"[n % 2] for n in range(2_000)), "\n".join("ba"[n % 3 // 2] for n in range(2_000))),
        ("x" * 200_000, "y" * 200_000),
    ],
    ids=["reversed", "shifted", "two lines", "one long line"],
)
def test_texts_of_strangers_take_bounded_time(before: str, after: str) -> None:
    start = time.process_time()
    found = differences({"fix": before}, {"fix": after})
    assert time.process_time() - start < 3
    assert sum(len(one.lines) for one in found) <= 5_002


def test_what_is_too_much_is_cut() -> None:
    (one,) = differences({}, {"fix": "x\n" * 10_000})
    assert one == FieldDifference("/fix", "added", (*[DiffLine("added", "x")] * 5_000, DiffLine("cut", "")))


RECORDS = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["1", "2", ["x"]]))


@given(RECORDS, RECORDS, RECORDS)
def test_a_merge_holds_both_changes(
    base: dict[str, object], theirs: dict[str, object], yours: dict[str, object]
) -> None:
    """Of a field that one changed their value, of one that both changed otherwise yours; the same whoever is first where nothing overlaps."""
    both = merged(base, theirs, yours)
    for name in "abc":
        was, their, your, now = (one.get(name) for one in (base, theirs, yours, both.record))
        assert now == (your if your != was else their)
        assert (name in both.overlaps) == (was not in (their, your) and their != your)
        assert (name in both.merged_fields) == (your == was and their != was)
    if not both.overlaps:
        assert merged(base, yours, theirs).record == both.record


def test_a_merge_leaves_number_status_and_id_to_the_first() -> None:
    base = {"id": "a", "revision": 1, "status": "draft", "fix": "x"}
    both = merged(base, {**base, "revision": 2, "status": "published"}, {**base, "fix": "y"})
    assert both.record == {"id": "a", "revision": 2, "status": "published", "fix": "y"}
    assert (both.merged_fields, both.overlaps) == ((), ())


@pytest.mark.parametrize(
    ("theirs", "yours", "both"),
    [
        ("a\nT\nc\nd\ne", "a\nb\nc\nd\nY", "a\nT\nc\nd\nY"),
        ("a\nc\nd\ne", "a\nb\nc\nd\ne\nf", "a\nc\nd\ne\nf"),
        ("0\na\nb\nc\nd\ne", "a\nb\nc\nd\nY", "0\na\nb\nc\nd\nY"),
        ("a\nS\nc\nd\ne", "a\nS\nc\nd\nY", "a\nS\nc\nd\nY"),
        ("a\nT\nc\nd\ne", "a\nY\nc\nd\ne", None),
        ("a\nb\nT\nd\ne", "a\nb\nc\nY\ne", None),
        ("a\nb\nc\nd\ne\nT", "a\nb\nc\nd\ne\nY", None),
        ("", "a\nb\nc\nd\ne\nY", None),
    ],
    ids=["apart", "removed-added", "begin-end", "same-and-more", "same-line", "neighbours", "same-end", "all-gone"],
)
def test_other_lines_of_one_text_are_merged(theirs: str, yours: str, both: str | None) -> None:
    base = {"fix": "a\nb\nc\nd\ne"}
    found = merged(base, {"fix": theirs}, {"fix": yours})
    assert found.record == {"fix": yours if both is None else both}
    assert (found.merged_fields, found.overlaps) == ((("fix",), ()) if both is not None else ((), ("fix",)))


TEXTS = st.lists(st.sampled_from("abc"), max_size=6).map("\n".join)


@given(TEXTS, TEXTS, TEXTS)
def test_merging_lines_is_even_handed(base: str, theirs: str, yours: str) -> None:
    """Who comes first matters only where they overlap; a side that changed nothing, or the same, decides nothing."""
    one, other = merged({"f": base}, {"f": theirs}, {"f": yours}), merged({"f": base}, {"f": yours}, {"f": theirs})
    assert one.overlaps == other.overlaps
    if "f" in one.merged_fields and "f" in other.merged_fields:
        assert one.record == other.record
    assert merged({"f": base}, {"f": base}, {"f": yours}).record == {"f": yours}
    assert merged({"f": base}, {"f": theirs}, {"f": base}).record == {"f": theirs}


def test_a_merge_of_long_hostile_texts_ends() -> None:
    base = "\n".join("ab"[at % 2] for at in range(2_000))
    start = time.process_time()
    merged({"f": base}, {"f": base + "\nT"}, {"f": "Y\n" + base})
    merged({"f": "a\n" * 100_000}, {"f": "b\n" * 100_000}, {"f": "c\n" * 100_000})
    assert time.process_time() - start < 10


@pytest.mark.parametrize("line", ["", "}"])
@pytest.mark.parametrize("count", [199, 1_000, 1_998])
def test_a_merge_of_equal_lines_ends(line: str, count: int) -> None:
    """Nothing tells such lines apart; only both ends of the texts are a hold."""
    base = [line] * count
    half = count // 2
    ours, theirs = ["Y", *base[:half], "y", *base[half:]], [*base[:half], "t", *base[half:], "T"]
    start = time.process_time()
    merged({"f": "\n".join(base)}, {"f": "\n".join(theirs)}, {"f": "\n".join(ours)})
    ends = merged({"f": "\n".join(base)}, {"f": "\n".join([*base, "T"])}, {"f": "\n".join(["Y", *base])})
    assert time.process_time() - start < 3
    assert ends.record == {"f": "\n".join(["Y", *base, "T"])}


def test_conflicts_are_the_overlapping_fields_alone_with_both_texts() -> None:
    """A list is one field; of translations, each field that differs."""
    base = {
        "fix": "a\nb\nc",
        "tags": ["x"],
        "title": "T",
        "notes": "n",
        "translations": {"zh": {"fix": "1", "title": "2"}},
    }
    theirs = base | {
        "fix": "A\nb\nc",
        "tags": ["x", "y"],
        "notes": "their",
        "translations": {"zh": {"fix": "3", "title": "2"}},
    }
    yours = base | {"fix": "a\nb\nC", "tags": ["z"], "title": "U", "translations": {"zh": {"fix": "4", "title": "2"}}}
    both = merged(base, theirs, yours)
    assert (both.merged_fields, both.overlaps) == (("fix", "notes"), ("tags", "translations"))
    assert conflicts(theirs, yours, both.overlaps) == (
        FieldConflict(
            "/tags",
            "x\n\ny",
            "z",
            (*(DiffLine("removed", text) for text in ("x", "", "y")), DiffLine("added", "z")),
        ),
        FieldConflict("/translations/zh/fix", "3", "4", (DiffLine("removed", "3"), DiffLine("added", "4"))),
    )
    assert [one.field for one in conflicts(theirs, yours, None)] == [
        "/fix",
        "/tags",
        "/title",
        "/notes",
        "/translations/zh/fix",
    ]


@pytest.mark.parametrize(
    ("pointers", "expected"),
    [
        ((), {}),
        (("/nothing", "/fix/deeper"), {}),
        (("/fix",), {"fix": "A"}),
        (("/notes",), {"notes": None}),
        (("/tags",), {"tags": ["x", "y"]}),
        (("/translations/zh/fix",), {"translations": {"zh": {"fix": "3", "title": "U"}}}),
        (("/extra/a",), {"extra": None}),
        (("/translations/en/fix",), {"translations": {"zh": {"fix": "4", "title": "U"}, "en": {"fix": "5"}}}),
    ],
)
def test_the_text_of_the_others_is_chosen_field_by_field(
    pointers: tuple[str, ...], expected: dict[str, object]
) -> None:
    theirs = {
        "fix": "A",
        "tags": ["x", "y"],
        "translations": {"zh": {"fix": "3", "title": "T"}, "en": {"fix": "5"}},
        "sections": {"fix": "s"},
    }
    yours = {"fix": "B", "tags": ["z"], "notes": "n", "translations": {"zh": {"fix": "4", "title": "U"}}}
    yours |= {"extra": {"a": "mine"}}
    chosen = with_theirs(theirs, yours, pointers)
    assert chosen == {name: value for name, value in (yours | expected).items() if value is not None}


@pytest.mark.parametrize(
    ("theirs", "yours", "mark"), [(None, "b", "added"), ("a", None, "removed"), ("a", "", "removed")]
)
def test_a_field_that_one_of_both_emptied_is_a_conflict(theirs: str | None, yours: str | None, mark: str) -> None:
    (found,) = conflicts({"fix": theirs}, {"fix": yours}, ("fix",))
    assert (found.theirs, found.yours) == (theirs or "", yours or "")
    assert [line.mark for line in found.lines] == [mark]


def test_what_one_side_alone_added_is_named() -> None:
    """In order and each once; blank lines are nobody's, and without the base nobody knows who added what."""
    base = {"fix": "a\nb", "tags": ["x"]}
    theirs = {"fix": "a\nb\n\nnew\nnew\nboth", "tags": ["x", "y"]}
    yours = {"fix": "A\nboth", "tags": ["z"]}
    found = conflicts(theirs, yours, ("fix", "tags"), base)
    assert [(one.added_by_them, one.added_by_you) for one in found] == [(("new",), ("A",)), (("y",), ("z",))]
    assert all(not one.added_by_them and not one.added_by_you for one in conflicts(theirs, yours, None))


@pytest.mark.parametrize("name", ["ab", "a/b", "a~b", "~1"])
def test_a_key_with_marks_of_pointers_is_one_name(name: str) -> None:
    base, theirs, yours = ({"extra": {name: text}} for text in ("keep\nold", "keep\nold\nhers", "old\nmine"))
    (found,) = conflicts(theirs, yours, None, base)
    assert (found.added_by_them, found.added_by_you) == (("hers",), ("mine",))
    assert with_theirs(theirs, yours, [found.field]) == theirs


def test_conflicts_of_long_texts_are_bounded() -> None:
    """Lines of the difference are cut; the texts are whole, for nothing that was typed is lost."""
    names = ("symptom", "root_cause", "fix")
    theirs, yours = ({name: "\n".join(f"{side}{n}" for n in range(3_000)) for name in names} for side in "ab")
    found = conflicts(theirs, yours, names)
    assert sum(len(one.lines) for one in found) <= 5_000 + len(found)
    assert found[-1].lines == (DiffLine("cut", ""),)
    assert [one.yours for one in found] == list(yours.values())
