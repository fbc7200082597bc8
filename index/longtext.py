"""What is understood of a text that is too large to hold: its traces as they are read, then what was noticed on the way."""

from collections.abc import Iterable, Iterator
from itertools import chain

from index.house import judged
from kb.language import detect
from kb.redact import Redaction
from kb.redact.blocks import redacted_blocks
from kb.trace import parse_stream
from kb.trace.wire import chain_to_dict

MOST_REDACTIONS = 10_000
"""Redactions that are listed with their places; of further ones the number is told."""
_SAMPLE = 100_000  # characters that tell the language


class LongReading:
    """The reading of a text given in blocks; what stands beside the traces is whole once they all were taken."""

    def __init__(self, blocks: Iterable[str]) -> None:
        self._blocks = iter(blocks)
        self._notes: dict[str, None] = {}
        self._redactions: list[Redaction] = []
        self._count = 0
        self._lang = "en"
        self._any = False

    def chains(self) -> Iterator[dict[str, object]]:
        """The traces in their wire form, each as soon as it is complete; there is no limit on their number."""
        first = next(self._blocks, "")
        self._lang = detect(first[:_SAMPLE])
        for found in parse_stream(redacted_blocks(chain([first], self._blocks), self._redacted)):
            self._any = True
            self._notes.update(dict.fromkeys(found.notes))
            yield chain_to_dict(judged(found))

    def rest(self) -> dict[str, object]:
        """``redactions``, ``lang`` and ``notes`` of the wire form."""
        notes = list(self._notes) if self._any else ["no stack trace found"]
        if self._count > MOST_REDACTIONS:
            notes.append(f"only the first {MOST_REDACTIONS:,} of {self._count:,} redactions are listed")
        listed = [{"kind": one.kind, "start": one.start, "end": one.end} for one in self._redactions]
        return {"redactions": listed, "lang": self._lang, "notes": notes}

    def _redacted(self, one: Redaction) -> None:
        self._count += 1
        if self._count <= MOST_REDACTIONS:
            self._redactions.append(one)
