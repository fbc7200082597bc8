"""Blocks → sections with roles: by headings, by labels (``原因：``, ``**Cause**``), by lines that say nothing but a role."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice, pairwise

from kb.article.blocks import Block, BlockKind, plain
from kb.article.sentences import size
from kb.article.tickets import without_ticket
from kb.article.vocabulary import SectionRole, ends_article, heading_roles, is_furniture, label_role
from kb.patterns import lazy

_MENDS = frozenset((SectionRole.ROOT_CAUSE, SectionRole.FIX, SectionRole.WORKAROUND))
_FEWEST = 2
"""Fields that a report has: a table that compares things may name one of them after a cause."""
_WITHIN = lazy(r"(?:\A|(?<=[.!?。！？；;]))[ \t]*(\w[\w ]{1,24}?)[:：]")
"""What may be a label with which a sentence begins."""
_MOST_LABELS = 40
"""Such labels of a line that are looked at."""
_SAYING = 3
"""Words of a cause or a fix that states one: *Action | reject* is a setting."""


@dataclass(frozen=True, slots=True)
class Field:
    """A row: its name, what it is about, and the cells that say it, as paragraphs."""

    name: str
    role: SectionRole
    blocks: tuple[Block, ...]


Fields = list[Field | tuple[Block, ...]]
"""The rows of a report; one that is about no section of a write-up as its cells."""


def with_fields(blocks: Sequence[Block]) -> Iterator[Block | Fields]:
    """The blocks; in place of the cells of a report its rows."""
    for is_table, some in groupby(blocks, key=lambda block: block.kind is BlockKind.TABLE):
        cells = list(some)
        report = _report(cells) if is_table else None
        if report is None:
            yield from cells
        else:
            yield report


def _report(cells: Sequence[Block]) -> Fields | None:
    """The rows of a table with a cause or a fix among its fields; None for any other table."""
    if any(cell.level not in {1, 2} for cell in cells):
        return None
    rows: list[list[Block]] = []
    for cell in cells:
        if cell.level == 1 or not rows:
            rows.append([])
        rows[-1].append(cell)
    parsed = [_field(row) or tuple(row) for row in rows]
    fields = [one for one in parsed if isinstance(one, Field)]
    if len(fields) < _FEWEST or any(_role(cell) is not None for field in fields for cell in field.blocks):
        return None  # *Cause | Solution*: the heads of two columns
    return parsed if any(field.role in _MENDS and _size_of(field) >= _SAYING for field in fields) else None


def _field(row: Sequence[Block]) -> Field | None:
    role = _role(row[0])
    says = tuple(replace(cell, kind=BlockKind.PARAGRAPH, level=0) for cell in row[1:] if cell.text.strip())
    return Field(plain(row[0].text).strip(), role, says) if role is not None and says else None


def _size_of(field: Field) -> int:
    return sum(size(block.text) for block in field.blocks)


def _role(cell: Block) -> SectionRole | None:
    words = plain(cell.text).strip(" :：")
    return label_role(words) if len(words) > 1 else None


_LABEL = lazy(
    r"(?P<lead>\s*(?:\d{1,2}[.、)]\s*)?)(?P<open>[*_]{1,3}|[【\[「<])?(?P<label>[^:：*\n【】\[\]「」<>]{1,40}?)(?P<close>[*_]{1,3}|[】\]」>])?"
    r"\s{0,2}(?P<colon>[:：])\s*(?P<shut>[*_]{1,3})?[ \t]*"
)
_BRACKETED = lazy(
    r"\s*(?:[【「](?P<a>[^【】「」\n]{1,24})[】」]|(?P<m>\*\*|__)(?P<b>[^*\n]{1,40}?)(?P=m))[ \t]*(?P<rest>\S.*|\Z)"
)
_BARE = lazy(r"[^。！？；;,，\n]{1,40}[:：]?\s*\Z")
_WHOLE = frozenset(((SectionRole.PREVENTION,), (SectionRole.DISTINGUISH,)))
"""What stands below such a heading is about that, whatever its own heading says."""
_NTH = lazy(r"\W*(?:问题|现象|problem|issue|symptom)\s?#?\d{1,2}\W*", re.IGNORECASE)
"""*问题 2*: below a heading about the cause or the fix it says which problem that is of."""
_NAME = 41
"""Characters of a line that is nothing but a label."""


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of the document under one heading or label. ``roles`` is empty where nothing announces one."""

    title: str
    roles: tuple[SectionRole, ...]
    blocks: tuple[Block, ...]
    labelled: bool = False
    """Announced by the whole of its heading or label, not by a word of it or by the heading above."""


@dataclass(slots=True)
class _Open:
    title: str
    roles: tuple[SectionRole, ...]
    level: int
    labelled: bool
    blocks: list[Block] = field(default_factory=list)
    again: bool = False
    """It goes on behind a table or a remark."""


def sections(blocks: Iterable[Block], title: str | None) -> tuple[Section, ...]:
    """The sections in document order. A heading without a role of its own has that of the heading above it."""
    current = _Open("", (), 0, labelled=False)
    above: list[tuple[int, tuple[SectionRole, ...]]] = []
    done: list[_Open] = [current]
    named = " ".join((title or "").split())
    for block in with_fields(tuple(blocks)):
        apart = bool(above) and above[-1][1] == (SectionRole.DISTINGUISH,)
        if isinstance(block, list):
            if apart:
                current.blocks += _rows(block)
                continue
            done += _of_fields(block, current)
            current = done[-1]
            continue
        if block.kind is BlockKind.HEADING:
            current = _headed(block, named, above)
            done.append(current)
            continue
        for piece in (block,) if apart else _pieces(block):
            opened = None if apart else _opened(piece.kind, piece.text)
            if opened is None:
                current.blocks.append(piece)
                continue
            label, role, rest = opened
            around, current = current, _Open(label, _roles_of(label, role, above), current.level, labelled=True)
            done.append(current)
            if rest.strip():
                current.blocks.append(replace(piece, text=rest))
                if role is SectionRole.DISTINGUISH and not rest.rstrip().endswith((":", "：")):
                    current = replace(around, blocks=[], again=True)  # a remark: what follows goes on with the section
                    done.append(current)
    return tuple(
        Section(one.title, one.roles, tuple(one.blocks), one.labelled)
        for one in done
        if one.blocks or (one.title and not one.again)
    )


def _roles_of(
    label: str, role: SectionRole, above: list[tuple[int, tuple[SectionRole, ...]]]
) -> tuple[SectionRole, ...]:
    """The roles of what a label opens: of *问题 2* below a heading about the cause or the fix those of the heading."""
    around = above[-1][1] if above else ()
    is_nth = role is SectionRole.SYMPTOM and around and around[0] in _MENDS and _NTH.fullmatch(plain(label))
    return around if is_nth else (role,)


def _headed(block: Block, title: str, above: list[tuple[int, tuple[SectionRole, ...]]]) -> _Open:
    """The section that a heading opens, below those ``above`` it: their levels and roles, to which it is added."""
    words = plain(block.text).strip()
    is_title = words == title or (title in words and without_ticket(words, title) == title)
    own = () if is_title else heading_roles(words)
    while above and above[-1][0] >= block.level:
        above.pop()
    inherited = above[-1][1] if above else ()
    # *What went wrong* below *Lessons learned* is no cause, nor is *Cause* below *What it is not*.
    if (own == (SectionRole.BACKGROUND,) and inherited) or inherited in _WHOLE:
        own = inherited
    above.append((block.level, own or inherited))
    return _Open(words, own or inherited, block.level, labelled=bool(own) and label_role(words) is not None)


def _rows(rows: Fields) -> Iterator[Block]:
    """The rows of a report as they read where no field of it counts."""
    for row in rows:
        if isinstance(row, Field):
            first, *rest = row.blocks
            yield replace(first, text=f"{row.name}: {first.text}")
            yield from rest
        else:
            yield from row


def _of_fields(rows: Fields, around: _Open) -> Iterator[_Open]:
    """A section for each field of a report, and the one around it once more; the other rows are part of that one."""
    for row in rows:
        if isinstance(row, Field):
            yield _Open(row.name, (row.role,), around.level, labelled=True, blocks=list(row.blocks))
        else:
            around.blocks += row
    yield replace(around, blocks=[], again=True)


def labels_in(block: Block) -> frozenset[SectionRole]:
    """The roles that the labels in a block announce; of a heading those that all of it announces. As `sections` sees it alone."""
    if block.kind is BlockKind.HEADING:
        words = plain(block.text).strip()
        return frozenset(heading_roles(words)) if label_role(words) is not None else frozenset()
    if block.kind in {BlockKind.CODE, BlockKind.TABLE}:
        return frozenset()
    opened = (_opened(piece.kind, piece.text) for piece in _pieces(block))
    return frozenset(one[1] for one in opened if one is not None)


def _pieces(block: Block) -> Iterator[Block]:
    """A block, cut before each of its lines that begins with a label, and within one that labels both its cause and its fix."""
    lines = [] if block.kind in {BlockKind.CODE, BlockKind.TABLE} else _lines(block.text)
    if len(lines) < 2:
        yield block
        return
    held: list[str] = []
    for line in lines:
        opened = _opened(block.kind, line)
        if opened is not None and held:
            yield replace(block, text="\n".join(held))
            held = []
        held.append(line)
        if opened is not None and not opened[2].strip():
            yield replace(block, text=line)
            held = []
    if held:
        yield replace(block, text="\n".join(held))


def _lines(text: str) -> list[str]:
    """The lines of a text; one whose sentences begin with labels of a cause and of a fix is cut before these: *It stops. Cause: … Fix: …*."""
    lines: list[str] = []
    for line in text.split("\n"):
        labels = islice(_WITHIN.finditer(line), _MOST_LABELS) if ":" in line or "：" in line else ()
        roles = {one.start(1): label_role(one[1]) for one in labels if line.count("`", 0, one.start()) % 2 == 0}
        cuts = [at for at, role in roles.items() if role in _MENDS]
        if SectionRole.ROOT_CAUSE not in roles.values() or len({roles[at] for at in cuts}) < 2:
            lines.append(line)
            continue
        places = sorted({0, *cuts, len(line)})
        lines += [line[start:end].rstrip() for start, end in pairwise(places)]
    return lines


def _opened(kind: BlockKind, text: str) -> tuple[str, SectionRole, str] | None:
    """The label a text begins with: its words, its role, and the text after it."""
    if kind in {BlockKind.CODE, BlockKind.TABLE}:
        return None
    head = text[:200]
    if (
        (len(text) <= _NAME or text[_NAME].isspace())
        and _BARE.match(text)
        and (role := label_role(plain(text))) is not None
        and len(text.strip(" :：")) > 1
    ):
        return text.strip(), role, ""
    if (
        (":" in head or "：" in head)
        and (found := _LABEL.match(head))
        and (role := label_role(found["label"])) is not None
        and len(found["label"].strip()) > 0
    ):
        return found["label"].strip(), role, text[found.end() :]
    if (found := _BRACKETED.match(head)) and (role := label_role(found["a"] or found["b"])) is not None:
        return (found["a"] or found["b"]), role, text[found.start("rest") :].lstrip(" ,，:：")
    return None


def without_chrome(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks without page furniture, cut where the article ends and comments or related posts begin."""
    total = sum(len(block.text) for block in blocks)
    kept: list[Block] = []
    seen = 0
    for block in blocks:
        if block.kind is BlockKind.CODE:
            kept.append(block)
            seen += len(block.text)
            continue
        lines: list[str] = []
        ended = False
        for line in block.text.split("\n"):
            ended = seen * 4 >= total and seen > 200 and ends_article(plain(line[:200]))
            if ended:
                break
            seen += len(line) + 1
            if not is_furniture(line):
                lines.append(line)
        if any(line.strip() for line in lines) or block.kind is BlockKind.TABLE:  # an empty cell keeps its column
            text = "\n".join(lines)
            kept.append(block if text == block.text else replace(block, text=text))
        if ended:
            break
    return tuple(kept)
