"""What two revisions say differently: field by field, texts line by line."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from typing import Any, Literal

from kb.incident import Incident, fields_of

_LINES = 2_000
"""Changed lines of one side up to which the closest way from one to the other is looked for: its time grows with their square."""
_SHOWN = 5_000
"""Lines shown of all fields together."""
_AROUND = 3
_NOT_IN_DIFF = frozenset(("revision", *(field.name for field in fields_of(Incident) if not field.in_diff)))
Mark = Literal["same", "added", "removed", "cut"]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a text, and on which side it is; ``cut`` stands for lines that are left out."""

    mark: Mark
    text: str


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """What became of one field."""

    field: str
    """JSON pointer: ``/fix``, ``/traces/2`` (of the later revision, or of the earlier one where it was removed)."""
    change: Literal["added", "removed", "changed"]
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class FieldConflict:
    """A field that two people changed differently: both texts, whole, and what differs between them."""

    field: str
    """JSON pointer; a list is one field, for its items do not say which belongs to which."""
    theirs: str
    """Empty where they have none."""
    yours: str
    lines: tuple[DiffLine, ...]
    """From theirs to yours."""
    added_by_them: tuple[str, ...] = ()
    """Lines that they added and your text has not: they go away where yours is saved. None where the base is lost."""
    added_by_you: tuple[str, ...] = ()
    """The same the other way round: they go away where theirs is chosen."""


_NOT_MERGED = frozenset(("id", "revision", "status"))


@dataclass(frozen=True, slots=True)
class MergedRecord:
    """What two people made of the same record."""

    record: Mapping[str, Any]
    """Both changes; where they overlap, the second one's."""
    merged_fields: tuple[str, ...]
    """Fields that the first alone changed, or in other lines than the second."""
    overlaps: tuple[str, ...]
    """Fields of which both changed the same lines, otherwise."""


def merged(base: Mapping[str, Any], theirs: Mapping[str, Any], yours: Mapping[str, Any]) -> MergedRecord:
    """Merge two changes of ``base`` field by field, and texts that both changed line by line."""
    record, merged_fields, overlaps = dict(theirs), [], []
    for name in dict.fromkeys((*yours, *theirs)):
        was, their, your = base.get(name), theirs.get(name), yours.get(name)
        if name in _NOT_MERGED or their == your:
            continue
        if your == was:
            merged_fields.append(name)
            continue
        if their != was:
            if (both := _merged_lines(was, their, your)) is not None:
                merged_fields.append(name)
                record[name] = both
                continue
            overlaps.append(name)
        if your is None:
            del record[name]
        else:
            record[name] = your
    in_diff = (tuple(name for name in names if name not in _NOT_IN_DIFF) for names in (merged_fields, overlaps))
    return MergedRecord(record, *in_diff)


def _merged_lines(base: Any, theirs: Any, yours: Any) -> str | None:
    """Three-way merge of texts (as `diff3` does it): None where both changed the same or neighbouring lines, or a side is no text."""
    if not all(isinstance(one, str) for one in (base, theirs, yours)):
        return None
    was, their, your = _split(base), _split(theirs), _split(yours)
    if max(map(len, (was, their, your))) > _LINES:
        return None
    merged: list[str] = []
    at = (0, 0, 0)
    for start, length in _common(was, their, your):
        before = [lines[begin:end] for lines, begin, end in zip((was, their, your), at, start, strict=True)]
        chosen = _one_sided(*before)
        if chosen is None:
            return None
        merged += [*chosen, *was[start[0] : start[0] + length]]
        at = (start[0] + length, start[1] + length, start[2] + length)
    return "\n".join(merged)


def _one_sided(was: list[str], their: list[str], your: list[str]) -> list[str] | None:
    """What stands between two places where all agree; None when both changed it, otherwise."""
    if their in (was, your):
        return your
    return their if your == was else None


def _common(base: list[str], one: list[str], other: list[str]) -> Iterator[tuple[tuple[int, int, int], int]]:
    """Runs of lines that stand in all three texts, with where they begin; the ends of the texts as an empty run."""
    blocks = [_blocks(base, text) for text in (one, other)]
    left, right = 0, 0
    while left < len(blocks[0]) and right < len(blocks[1]):
        a, b = blocks[0][left], blocks[1][right]
        start, end = max(a.a, b.a), min(a.a + a.size, b.a + b.size)
        if start < end:
            yield (start, a.b + start - a.a, b.b + start - b.a), end - start
        if a.a + a.size < b.a + b.size:
            left += 1
        else:
            right += 1
    yield (len(base), len(one), len(other)), 0


def _blocks(before: list[str], after: list[str]) -> list[Match]:
    """Runs of lines that stand in both, in order. What stands everywhere in a long text begins none: it would cost the cube of its number."""
    start, tail = _ends(before, after)
    middle = SequenceMatcher(None, before[start : len(before) - tail], after[start : len(after) - tail])
    inner = [Match(start + one.a, start + one.b, one.size) for one in middle.get_matching_blocks() if one.size]
    return [Match(0, 0, start), *inner, Match(len(before) - tail, len(after) - tail, tail)]


def _ends(before: list[str], after: list[str]) -> tuple[int, int]:
    """How many lines both begin with, and how many of the others both end with."""
    pairs = enumerate(zip(before, after, strict=False))
    most = min(len(before), len(after))
    start = next((at for at, (one, other) in pairs if one != other), most)
    tail = 0
    while tail < most - start and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return start, tail


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[FieldDifference, ...]:
    """From one record to another, in the order of fields; lists item by item. Linear but for texts of at most 2,000 changed lines."""
    names = [*after, *(name for name in before if name not in after)]
    found = [
        one for name in names if name not in _NOT_IN_DIFF for one in _of(f"/{name}", before.get(name), after.get(name))
    ]
    left, kept = _SHOWN, []
    for one in found:
        lines = one.lines[: max(left, 0)]
        kept.append(
            one if lines == one.lines else FieldDifference(one.field, one.change, (*lines, DiffLine("cut", "")))
        )
        left -= len(lines)
    return tuple(kept)


def conflicts(
    theirs: Mapping[str, Any],
    yours: Mapping[str, Any],
    overlaps: Collection[str] | None,
    base: Mapping[str, Any] | None = None,
) -> tuple[FieldConflict, ...]:
    """Return what two people have differently in the fields of `MergedRecord.overlaps`; None: in all fields, where the base is lost."""
    names = [*yours, *(name for name in theirs if name not in yours)]
    wanted = [name for name in names if name not in _NOT_IN_DIFF and (overlaps is None or name in overlaps)]
    left, found = _SHOWN, []
    for name in wanted:
        for field, their, your in _apart(f"/{name}", theirs.get(name), yours.get(name)):
            lines = _changed_texts(their, your)
            shown = lines if len(lines) <= left else (*lines[: max(left, 0)], DiffLine("cut", ""))
            left -= len(lines)
            was = None if base is None else _whole(_at(base, field)) or ""
            found.append(
                FieldConflict(field, their or "", your or "", shown, _added(was, their, your), _added(was, your, their))
            )
    return tuple(found)


def _at(record: Mapping[str, Any], pointer: str) -> Any:
    """Return the value at a JSON pointer; None where there is none."""
    value: Any = record
    for escaped in pointer.split("/")[1:]:
        name = escaped.replace("~1", "/").replace("~0", "~")
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _escaped(name: str) -> str:
    """Return a name as a JSON pointer has it (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


def _added(base: str | None, text: str | None, other: str | None) -> tuple[str, ...]:
    """Return the lines, in order, that a text has and neither its base nor another text; () where the base is not known."""
    if base is None or not text:
        return ()
    new = Counter(_split(text)) - Counter(_split(base)) - Counter(_split(other or ""))
    return tuple(line for line in dict.fromkeys(_split(text)) if new[line] and line.strip())


def with_theirs(
    theirs: Mapping[str, Any], yours: Mapping[str, Any], pointers: Collection[str], at: str = ""
) -> dict[str, Any]:
    """Return your record with their values at these pointers of `FieldConflict`. A pointer to nothing changes nothing."""
    chosen: dict[str, Any] = {}
    for name in dict.fromkeys((*yours, *theirs)):
        their, your, pointer = theirs.get(name), yours.get(name), f"{at}/{_escaped(name)}"
        value = their if pointer in pointers else your
        if pointer not in pointers and all(one is None or isinstance(one, Mapping) for one in (their, your)):
            value = with_theirs(their or {}, your or {}, pointers, pointer) or (None if your else your)
        if value is not None:
            chosen[name] = value
    return chosen


def _apart(field: str, their: Any, your: Any) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield the texts that differ, with their pointers: of fields inside a field, each of them."""
    if their == your:
        return
    if all(one is None or isinstance(one, Mapping) for one in (their, your)):
        their, your = their or {}, your or {}
        for name in [*your, *(name for name in their if name not in your)]:
            yield from _apart(f"{field}/{_escaped(name)}", their.get(name), your.get(name))
        return
    yield field, _whole(their), _whole(your)


def _whole(value: Any) -> str | None:
    """Return a value as one text; the items of a list with an empty line between."""
    if value is None:
        return None
    return "\n\n".join(map(str, value)) if isinstance(value, list) else str(value)


def _changed_texts(their: str | None, your: str | None) -> tuple[DiffLine, ...]:
    if not their or not your:
        return _lines("removed", their) if their else _lines("added", your or "")
    return _changed(_split(their), _split(your))


def _of(field: str, before: Any, after: Any) -> Iterator[FieldDifference]:
    if before == after:
        return
    sides = [one for one in (before, after) if one is not None]
    if all(isinstance(one, list) for one in sides):
        yield from _items(field, before or [], after or [])
    elif all(isinstance(one, Mapping) for one in sides):
        before, after = before or {}, after or {}
        for name in [*after, *(name for name in before if name not in after)]:
            yield from _of(f"{field}/{name}", before.get(name), after.get(name))
    elif before is None:
        yield FieldDifference(field, "added", _lines("added", after))
    elif after is None:
        yield FieldDifference(field, "removed", _lines("removed", before))
    else:
        yield FieldDifference(field, "changed", _changed(_split(before), _split(after)))


def _items(field: str, before: Sequence[Any], after: Sequence[Any]) -> Iterator[FieldDifference]:
    matcher = SequenceMatcher(None, [str(one) for one in before], [str(one) for one in after], autojunk=False)
    for _, i, end, j, stop in (code for code in matcher.get_opcodes() if code[0] != "equal"):
        both = min(end - i, stop - j)
        for step in range(both):
            yield FieldDifference(
                f"{field}/{j + step}", "changed", _changed(_split(before[i + step]), _split(after[j + step]))
            )
        for at in range(i + both, end):
            yield FieldDifference(f"{field}/{at}", "removed", _lines("removed", before[at]))
        for at in range(j + both, stop):
            yield FieldDifference(f"{field}/{at}", "added", _lines("added", after[at]))


def _split(value: Any) -> list[str]:
    return str(value).split("\n")


def _lines(mark: Mark, value: Any) -> tuple[DiffLine, ...]:
    return tuple(DiffLine(mark, text) for text in _split(value))


def _changed(before: list[str], after: list[str]) -> tuple[DiffLine, ...]:
    """The lines of both, with a few unchanged ones around each change."""
    start, tail = _ends(before, after)
    middle = before[start : len(before) - tail], after[start : len(after) - tail]
    shown = [DiffLine("same", text) for text in before[:start]]
    shown += _closest(*middle) if max(map(len, middle)) <= _LINES else _all(*middle)
    shown += [DiffLine("same", text) for text in before[len(before) - tail :]]
    return tuple(_around(shown))


def _all(before: Sequence[str], after: Sequence[str]) -> list[DiffLine]:
    return [*(DiffLine("removed", text) for text in before), *(DiffLine("added", text) for text in after)]


def _closest(before: Sequence[str], after: Sequence[str]) -> list[DiffLine]:
    shown: list[DiffLine] = []
    for kind, i, end, j, stop in SequenceMatcher(None, before, after).get_opcodes():
        if kind == "equal":
            shown += [DiffLine("same", text) for text in before[i:end]]
        else:
            shown += _all(before[i:end], after[j:stop])
    return shown


def _around(lines: Sequence[DiffLine]) -> Iterator[DiffLine]:
    """What changed, and the lines next to it."""
    near: set[int] = set()
    for at, line in enumerate(lines):
        if line.mark != "same":
            near.update(range(at - _AROUND, at + _AROUND + 1))
    is_cut = False
    for at, line in enumerate(lines):
        if at in near:
            yield line
        elif not is_cut:
            yield DiffLine("cut", "")
        is_cut = at not in near
