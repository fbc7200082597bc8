"""Cuts a file that holds other files, or many records, into documents: whatever is nested in it, in bounded memory."""

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from ingest.quality import Reason
from ingest.sources.archives import COMPRESSED, decompressed, inner_name, members
from ingest.sources.exports.entities import cut_entities
from ingest.sources.exports.json_records import cut_json
from ingest.sources.exports.lines import lines
from ingest.sources.exports.mailbox_records import cut_mailbox
from ingest.sources.exports.records import MAX_DEPTH, BombError, Budget, DamagedError, Record
from ingest.sources.exports.tables import cut_csv
from ingest.sources.exports.xml_records import cut_jira, cut_posts
from ingest.sources.formats import DATA, DocumentFormat, format_of, record_format, suffix_of
from ingest.sources.listing import MAX_DOCUMENT
from ingest.sources.recognise import HEAD, Shape, recognise


@dataclass(frozen=True, slots=True)
class Cutter:
    """How one file is cut."""

    wanted: DocumentFormat
    budget: Budget
    scratch: Path
    """A folder for what must be laid down for a while."""

    def records(self, stream: io.BufferedReader, name: str) -> Iterator[Record]:
        """Every document in a file, and every part of it that cannot be read, with its reason. Raises only what ``scratch`` raises."""
        try:
            yield from self._cut(stream, name, 0)
        except BombError as error:
            yield Record("", reason=Reason.UNSAFE, detail=str(error))

    def _cut(self, stream: io.BufferedReader, name: str, depth: int) -> Iterator[Record]:
        try:
            shape = recognise(stream.peek(HEAD)[:HEAD], name, self.wanted)
            if depth > MAX_DEPTH and (shape in COMPRESSED or shape in {Shape.ZIP, Shape.TAR}):
                yield Record("", reason=Reason.UNSAFE, detail=f"nested deeper than {MAX_DEPTH} archives")
            elif shape in COMPRESSED:
                yield from self._decompressed(stream, shape, name, depth)
            elif shape in {Shape.ZIP, Shape.TAR}:
                yield from self._members(stream, shape, depth)
            elif shape in {Shape.DOCUMENT, Shape.PAGE, Shape.NONE}:
                yield self._document(stream, shape, name)
            else:
                yield from self._many(stream, shape)
        except DamagedError as error:
            yield Record("", reason=Reason.UNREADABLE, detail=str(error))

    def _decompressed(self, stream: io.BufferedReader, shape: Shape, name: str, depth: int) -> Iterator[Record]:
        inner = inner_name(name)
        for record in self._cut(decompressed(stream, shape, self.budget), inner, depth + 1):
            alone = not record.name and record.reason is None
            yield replace(record, name=f"!/{inner}") if alone else record

    def _members(self, stream: io.BufferedReader, shape: Shape, depth: int) -> Iterator[Record]:
        for member in members(stream, shape, self.budget, self.scratch):
            if member.stream is None:
                yield Record(f"!/{member.name}", reason=member.reason, detail=member.detail)
                continue
            for record in self._cut(member.stream, member.name, depth + 1):
                yield replace(record, name=f"!/{member.name}{record.name}")

    def _document(self, stream: io.BufferedReader, shape: Shape, name: str) -> Record:
        form = format_of(name, self.wanted)
        if form is None or shape is Shape.NONE:
            return Record("", reason=Reason.UNSUPPORTED, detail=unsupported(name))
        data = stream.read(MAX_DOCUMENT + 1)
        if len(data) > MAX_DOCUMENT:
            return Record("", reason=Reason.TOO_LARGE, detail=f"more than {MAX_DOCUMENT:,} bytes")
        return Record("", data, DocumentFormat.CONFLUENCE if shape is Shape.PAGE else form)

    def _many(self, stream: io.BufferedReader, shape: Shape) -> Iterator[Record]:
        form = record_format(self.wanted)
        if shape is Shape.LINES:
            return lines(stream, form)
        if shape is Shape.JSON:
            return cut_json(stream, form)
        if shape is Shape.JIRA_XML:
            return cut_jira(stream)
        if shape is Shape.JIRA_CSV:
            return cut_csv(stream)
        if shape is Shape.MBOX:
            return cut_mailbox(stream, self.scratch)
        return cut_posts(stream, self.scratch) if shape is Shape.POSTS else cut_entities(stream, self.scratch)


def unsupported(name: str) -> str:
    """Why a file of this name is not read."""
    suffix = suffix_of(name) or PurePosixPath(name).name
    if suffix in DATA:
        return f"{suffix} files are read when they are an export of a tracker; this one is none"
    return f"{suffix} files are not read as articles"
