"""Labelled reports as the published methods see them: stacks of functions as printed, and bags of tokens; counted as time goes by.

Every method gets the frames that `kb.trace` reads, so that none loses by another parser.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from index.training.timeline import Report
from kb.trace import RaisedException, parse

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

REFRESH = 200
"""Reports after which document frequencies are counted anew, as for the product."""
_DEEPEST = 300
_WORD = re.compile(r"[A-Za-z]{2,}")
_NUMBERED = re.compile(r"\$\d+|(?<=invoke)\d+")


@dataclass(frozen=True, slots=True)
class Stacks:
    """One report: its functions outermost exception first, exception types, words of messages, words of title and text."""

    functions: tuple[tuple[str, ...], ...]
    types: tuple[str, ...]
    said: tuple[str, ...]
    words: tuple[str, ...]


def stacks_of(report: Report) -> Stacks:
    """What the trace and the text of a report say."""
    exceptions = [exception for chain in parse(report.trace) for exception in chain.exceptions]
    return Stacks(
        functions=tuple(_functions(exception) for exception in exceptions),
        types=tuple(exception.type for exception in exceptions if exception.type),
        said=tuple(word for e in exceptions for word in _words(e.message or "")),
        words=tuple(_words(f"{report.title}\n{report.text}")),
    )


def _functions(exception: RaisedException) -> tuple[str, ...]:
    own = exception.stack.frames[: len(exception.stack.frames) - exception.elided]
    return tuple(_NUMBERED.sub("$", f"{frame.module or ''}.{frame.function or ''}") for frame in own)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def sequence(stacks: Stacks, *, root_first: bool = False) -> list[str]:
    """All functions in one row, stacks as printed or the other way round."""
    order = reversed(stacks.functions) if root_first else stacks.functions
    return [function for stack in order for function in stack][:_DEEPEST]


def bag(stacks: Stacks, fields: Sequence[str]) -> Counter[str]:
    """How often each token of the fields stands in the report: ``functions``, ``types``, ``said``, ``words``."""
    found: Counter[str] = Counter()
    for field in fields:
        values = sequence(stacks) if field == "functions" else getattr(stacks, field)
        found.update(f"{field[0]}:{value}" for value in values)
    return found


class Postings:
    """For each token, the reports that have it, ascending, with one number each; one read array for all."""

    def __init__(self, documents: Sequence[dict[str, float]]) -> None:
        names: dict[str, int] = {}
        tokens = [names.setdefault(token, len(names)) for document in documents for token in document]
        self.names = names
        self.sizes = np.array([len(document) for document in documents], dtype=np.int64)
        self._ends = np.cumsum(self.sizes)
        owners = np.repeat(np.arange(len(documents)), self.sizes)
        values = np.array([value for document in documents for value in document.values()], dtype=np.float64)
        self.tokens = np.array(tokens, dtype=np.int64)
        """Of each document in turn, its tokens."""
        self.values = values
        order = np.argsort(self.tokens, kind="stable")
        self._rows, self._numbers = owners[order], values[order]
        self._starts = np.searchsorted(self.tokens[order], np.arange(len(names) + 1))

    def of(self, token: int, before: int) -> tuple[Rows, Array]:
        """(reports, numbers) of a token, only reports before this one."""
        start, end = self._starts[token], self._starts[token + 1]
        end = start + int(np.searchsorted(self._rows[start:end], before))
        return self._rows[start:end], self._numbers[start:end]

    def frequencies(self, before: int) -> Array:
        """In how many of the first reports each token stands."""
        end = int(self._ends[before - 1]) if before else 0
        return np.bincount(self.tokens[:end], minlength=len(self.names)).astype(np.float64)

    def sums(self, weights: Array) -> Array:
        """Of each document, the sum of these weights, one for each of its tokens in turn."""
        owners = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return np.bincount(owners, weights, minlength=len(self.sizes))

    def document(self, row: int) -> slice:
        """Where a document's tokens and values stand."""
        end = int(self._ends[row])
        return slice(end - int(self.sizes[row]), end)
