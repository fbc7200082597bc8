"""The labels of what a careful reader sees in real pastes and in prose, joined with the texts that stand beside the checkout.

``reading.jsonl``: 450 pastes of ``pairs/questions.jsonl`` and ``pairs/unknown.jsonl``, part *train*; the 300 of the first two halves were read by two readers
independently. ``problems`` tells runtime, types (outermost first) and the place of the root's message in the text; ``second`` the other reader's where it differs;
``doubt`` that two careful readers could differ; ``third`` what a third reader saw on 2026-11-30, who knew neither labels nor program (half *measure*). ``prose.jsonl``: paragraphs of articles, and whether two readers saw an error shown. ``chat.jsonl``: messages of our
own that only talk about errors. Half *teach* is for writing rules and learning weights, half *measure* for
measuring; but the forms of build tools were once tried on all rows of part *train*, so rows of runtime *tool* are not independent.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any
from zlib import crc32

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Problem:
    """What a reader saw of one problem."""

    runtime: str
    types: tuple[str, ...]
    message: str | None


@dataclass(frozen=True, slots=True)
class Paste:
    """A labelled paste."""

    id: str
    half: str
    kind: str
    is_doubtful: bool
    is_agreed: bool
    """Whether both readers named the same root type and message."""
    text: str
    problems: tuple[Problem, ...]
    third: Problem | None
    """What the third reader saw of the first problem; None where nobody asked one, or where there was none."""

    @property
    def messages(self) -> tuple[str, ...]:
        """The messages of its problems."""
        return tuple(problem.message for problem in self.problems if problem.message)


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def pastes(shared: Path) -> Iterator[Paste]:
    """The labelled pastes with their texts."""
    texts = {row["id"]: row for name in ("questions", "unknown") for row in rows(shared / f"pairs/{name}.jsonl")}
    for row in rows(HERE / "reading.jsonl"):
        text = texts[row["id"]]["text"]
        problems, second = (_problems(row.get(name, row["problems"]), text) for name in ("problems", "second"))
        agreed = bool(problems) == bool(second) and (not problems or _agree(problems[0], second[0]))
        third = next(iter(_problems(row.get("third", {}).get("problems", []), text)), None)
        yield Paste(row["id"], row["half"], texts[row["id"]]["kind"], row["doubt"], agreed, text, problems, third)


def _problems(labels: list[dict[str, Any]], text: str) -> tuple[Problem, ...]:
    return tuple(
        Problem(one["runtime"], tuple(one["types"]), text[slice(*one["message"])] if one["message"] else None)
        for one in labels
    )


def _agree(one: Problem, other: Problem) -> bool:
    return one.types[-1:] == other.types[-1:] and is_one_message(one, other)


def is_one_message(one: Problem, other: Problem) -> bool:
    """Whether two readers name the same message; they may differ in where it ends."""
    return overlap(one.message, other.message) >= 0.7


def prose(shared: Path, half: str, *, shows: bool) -> Iterator[str]:
    """Paragraphs of articles on which both readers agree."""
    for row in rows(HERE / "prose.jsonl"):
        if row["half"] == half and row["shows"] == [shows, shows]:
            text = (shared / row["source"]).read_text(encoding="utf-8", errors="replace")
            yield text[slice(*row["span"])]


def readmes(half: str) -> Iterator[str]:
    """Paragraphs of the README files of installed packages, half of the packages each; they show no error but for a few."""
    for package in sorted(distributions(), key=lambda one: str(one.name)):
        if (crc32(str(package.name).lower().encode()) % 2 == 0) == (half == "teach"):
            text = str(package.metadata.get_payload() or package.metadata.get("Description") or "")
            yield from paragraphs(text.replace("\r\n", "\n"))


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a README that are prose: outside fences, no heading, no list of links, no table, not indented."""
    parts = re.split(r"^[ \t]*(?:```|~~~).*$", text, flags=re.MULTILINE)[::2]
    for found in (one for part in parts for one in re.finditer(r"(?:[^\n]*\S[^\n]*(?:\n|$))+", part)):
        body = found[0].strip()
        if 25 <= len(body) <= 1_200 and not found[0].startswith(
            (" ", "\t", "#", "---", "===", "|", "<", "!", "- [", "..", ">>>", "$", "[![", "+-")
        ):
            yield body


def chat(half: str) -> Iterator[str]:
    """Messages that talk about errors and show none."""
    return (row["text"] for row in rows(HERE / "chat.jsonl") if row["half"] == half)


def words(text: str | None) -> list[str]:
    """The words of a text, in small letters."""
    return re.findall(r"\w+", (text or "").lower())


def overlap(one: str | None, other: str | None) -> float:
    """F1 of the words of two texts, each word as often as it stands there; 1 for two empty ones."""
    ours, theirs = Counter(words(one)), Counter(words(other))
    total = sum(ours.values()) + sum(theirs.values())
    return 2 * sum((ours & theirs).values()) / total if total else 1.0
