"""What kind of question a text is, worked out from what it shows: a trace, a log, an error message, words, a chat."""

import re
from enum import StrEnum
from itertools import islice

from index.reading import Reading, gaps
from kb.article.sentences import split_sentences
from kb.trace.lines import is_prefix
from kb.trace.messages.pieces import PasteSpan, pieces
from kb.trace.messages.text_lines import lines_of
from kb.trace.messages.words import is_personal

_AROUND = 2
"""Lines around the traces that make a log: one line is the record that carries a trace, or a question above it."""
_RECORDS = 2
"""Log records that make a log where no frame is shown: one is an error message."""
_SENTENCES = 2
"""Sentences that make a chat: one is a title, or leads to the message that it quotes."""

_TERMS = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")
"""``checkpoint timeout rocksdb``: a message to the reading, which takes any few words for one; typed by somebody who searches."""


class QueryKind(StrEnum):
    """The kinds, in the order of the tables."""

    TRACE = "trace"
    """Frames, with at most one line around them."""
    LOG = "log"
    """Frames within more text, or several log records without frames."""
    MESSAGE = "message"
    """An error or an exception without frames."""
    CHAT = "chat"
    """Prose: somebody asks, speaks of themselves, or takes more than one sentence; it may quote an error without frames."""
    WORDS = "words"
    """Search terms or one sentence, without an error."""


def kind_of(reading: Reading) -> QueryKind:
    """The kind of a text that was read."""
    if reading.has_outer_frames:
        around = sum(
            1
            for gap in gaps(reading.text, reading.chains)
            for line in reading.text[slice(*gap)].splitlines()
            if line.strip()
        )
        return QueryKind.LOG if around >= _AROUND else QueryKind.TRACE
    records, _ = _lines(reading.text)
    if len(records) >= _RECORDS:
        return QueryKind.LOG
    _, others = _lines(reading.prose)
    spoken = "\n".join(line for line in others if not is_prefix(line))
    if is_personal(spoken) or len(list(islice(split_sentences(spoken), _SENTENCES))) == _SENTENCES:
        return QueryKind.CHAT
    return QueryKind.WORDS if not reading.traces or _TERMS.fullmatch(reading.text.strip()) else QueryKind.MESSAGE


def _lines(text: str) -> tuple[list[str], list[str]]:
    """The words of the log records, and the other lines."""
    records: list[str] = []
    others: list[str] = []
    for piece in pieces(text, text, lines_of(text), every=True):
        if piece.place is PasteSpan.LINE:
            (others if piece.level is None else records).append(text[piece.begin : piece.end])
    return records, others
