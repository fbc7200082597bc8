"""Crash reports as a DataFrame: found under the sources, and read to their fingerprints in the executors."""

import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from index.terms.sketch import leading
from index.triage_reports import CUT, LONGEST_TEXT
from ingest.schemas import spark_schema
from ingest.sources.local import walk
from ingest.sources.remote import copied, is_remote, local_path
from ingest.triage.fields import LONGEST_LINE
from ingest.triage.lines import PACKED, line_packs, opened, read_lines
from ingest.triage.records import CrashRecord, read_log, read_record
from ingest.triage.tables import parts, table_lines
from kb.errors import SourceError
from kb.redact import redact
from kb.trace import Level, fingerprints, parse, template
from kb.trace.custom import CustomRules
from kb.trace.in_force import activate

CRASH_SCHEMA = pa.schema(
    [
        ("at", pa.timestamp("us", "UTC")),
        *((name, pa.string()) for name in ("version", "host")),
        ("is_report", pa.bool_()),
        *((level.value, pa.string()) for level in Level),
        *((name, pa.string()) for name in ("runtime", "type", "template", "text", "basis")),
    ]
)
"""One row per crash report. ``exact`` is null where the text shows no error; ``basis`` are the lines that the root-cause fingerprint was made of; ``is_report`` is false for a line that was none, and for a line that is too long and a file that cannot be read to its end, where ``text`` says why."""

_LINES = (".jsonl", ".ndjson", ".json")
_REMEMBERED = 32 << 20
"""Characters of texts whose reading a Python worker keeps: crash streams repeat themselves."""
_PARTS = pa.list_(pa.struct([("location", pa.binary()), ("begin", pa.int64()), ("end", pa.int64())]))
_LINE_LIMIT = "mapreduce.input.linerecordreader.line.maxlength"
"""Bytes of a line that Java holds; one of 700 MB ended the job (2026-11-28)."""
_LEADS_OUT = "a link that leads out of the source; --follow-links reads it"
_TOGETHER = 64
_LONGEST_TEMPLATE = 500
"""Characters of the type and of the template of a message that are kept: one of 20,000 made a page 6,000 px high."""
_LONGEST_NAME = 120
"""Characters of a version or a host that are kept."""
_END = LONGEST_TEXT // 2
"""Characters of a long trace that are kept of its beginning and of its end, where Java has the root cause."""

Batches = Iterable[pa.RecordBatch]
Reading = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CrashFiles:
    """What there is to read."""

    local: list[str] = field(default_factory=list)
    """Absolute paths."""
    remote: list[str] = field(default_factory=list)
    """URLs."""
    copies: Mapping[str, str] = field(default_factory=dict)
    """Of those that are fetched, the paths of their copies."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """What of the local sources is not read, by its name there, and why; it counts as unread."""

    @property
    def web(self) -> list[str]:
        """Return the URLs that are fetched: over HTTP Spark lists no folder, and so reads nothing."""
        return [url for url in self.remote if _is_web(url)]

    @property
    def read_by_spark(self) -> list[str]:
        """Return the other URLs."""
        return [url for url in self.remote if not _is_web(url)]

    @property
    def lines(self) -> list[str]:
        """Return the paths of JSON lines, which are on this machine, or copied to it."""
        here = [*self.local, *(self.copies[url] for url in self.remote if url in self.copies)]
        return [name for name in here if _kind(name) == "lines"]

    @property
    def remote_lines(self) -> list[str]:
        """Return the URLs of JSON lines, which Spark reads."""
        return [url for url in self.remote if url not in self.copies and _kind_behind(url) == "lines"]

    @property
    def tables(self) -> list[str]:
        """Return the paths of Parquet, which is on this machine, or copied to it."""
        return [name for name in (*self.local, *self.copies.values()) if _kind(name) == "parquet"]

    @property
    def remote_tables(self) -> list[str]:
        """Return the URLs of Parquet that has no copy yet."""
        return [url for url in self.remote if url not in self.copies and _kind_behind(url) == "parquet"]

    @property
    def logs(self) -> list[str]:
        """Return the paths of logs, which are on this machine."""
        return [name for name in self.local if _kind(name) == "logs"]


def find_files(sources: Sequence[str], *, follow_links: bool = False) -> CrashFiles:
    """Return the files under sources, each a file, a folder or a URL. Raises `SourceError` for one that is not there or holds nothing.

    Only regular files are read, each once: a pipe or a device may never end. A symbolic link that leads out of its source is refused, unless ``follow_links``. The name decides, without the number or date of a rotated file: ``.jsonl``, ``.ndjson`` and ``.json`` are JSON
    lines, ``.parquet`` is Parquet, all other files are logs. A URL must name one of the first two.
    """
    found = CrashFiles()
    seen: set[tuple[int, int]] = set()
    for source in dict.fromkeys(sources):
        if is_remote(source):
            if _kind_behind(source) == "logs":
                raise SourceError(f"{source} names neither JSON lines nor Parquet", cure="give a URL that ends in .jsonl, .json or .parquet; logs are read from local folders")  # fmt: skip
            found.remote.append(source)
            continue
        walked = walk(Path(local_path(source)), follow_links=follow_links)
        problems = [(f"{name}/", f"not read: {why}") for name, why in walked.blind]
        problems += [(name, f"not read: {_LEADS_OUT}") for name in walked.unsafe]
        reasons = [(name, _added(location, found, seen)) for name, location in walked.files]
        problems += [(name, f"not read: {why}") for name, why in reasons if why]
        if all(why for _, why in reasons):
            why = "".join(f" that can be read: {name} is {reason}" for name, reason in problems[:1])
            raise SourceError(f"{source} holds no file{why}", cure="give a file or folder of crash reports")
        found.refused.extend(problems)
    return found


def _added(location: str, found: CrashFiles, seen: set[tuple[int, int]]) -> str:
    """Add a file that was not seen under another name; return why it cannot be read, if so."""
    try:
        status = os.stat(location)  # noqa: PTH116  a hundred thousand Path objects would be felt
    except OSError as error:
        return error.strerror or str(error)
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    if (status.st_dev, status.st_ino) not in seen:
        seen.add((status.st_dev, status.st_ino))
        found.local.append(location)
    return ""


def _is_web(url: str) -> bool:
    return urlsplit(url).scheme.lower() in {"http", "https"}


def _kind_behind(url: str) -> str:
    """Return the kind of what is behind a URL; over HTTP ``?`` begins a query, elsewhere it stands for any character."""
    return _kind((urlsplit(url).path if _is_web(url) else url).rstrip("/"))


def _kind(name: str) -> str:
    lower = name.lower()
    for ending in PACKED:
        lower = lower.removesuffix(ending)
    rotated = lower.rstrip("0123456789.-")  # crashes.jsonl.1, crashes.jsonl-20261130
    if lower[len(rotated) :].startswith((".", "-")):
        lower = rotated
    if lower.endswith(".parquet"):
        return "parquet"
    return "lines" if lower.endswith(_LINES) else "logs"


def with_copies(session: SparkSession, files: CrashFiles, folder: Path) -> CrashFiles:
    """Return the files with copies in a folder in the place of remote Parquet, which is read as one of this machine. Raises `SourceError`."""
    copies = [
        location
        for n, url in enumerate(files.remote_tables)
        for _, location in walk(copied(session, url, folder / f"{n}.parquet")).files
        if _kind(location) == "parquet"
    ]
    rest = [url for url in files.remote if url not in files.remote_tables]
    return replace(files, local=[*files.local, *copies], remote=rest)


def read_crashes(
    session: SparkSession, files: CrashFiles, rules: CustomRules, longest: int = LONGEST_LINE
) -> DataFrame:
    """Return the crash reports of the files, `CRASH_SCHEMA`, read under the given house rules. Remote Parquet is not read: `with_copies` fetches it.

    A line of more than ``longest`` bytes counts as unread. Of several batches Python holds one, which `ingest.session` bounds by bytes.
    """
    schema = spark_schema(CRASH_SCHEMA)
    read = []
    if files.lines:
        packs = [[one._asdict() for one in pack] for pack in line_packs(files.lines)]
        table = pa.table({"n": range(len(packs)), "parts": pa.array(packs, _PARTS)})
        listed = session.createDataFrame(table).repartitionByRange(len(packs), "n")
        read.append(listed.select("parts").mapInArrow(_from_files(rules, longest), schema))
    if files.remote_lines:
        lines = _remote_lines(session, files.remote_lines, longest)
        read.append(lines.mapInArrow(_from_lines(rules, longest), schema))
    if files.tables:
        cut = [
            (os.fsencode(name), part, count)
            for name in files.tables
            for count in [parts(name)]
            for part in range(count)
        ]
        listed = session.createDataFrame(cut, "location binary, part int, count int").repartition(len(cut))
        read.append(listed.mapInArrow(_from_tables(rules), schema))
    if files.logs:
        listed = session.createDataFrame(pa.table({"value": list(map(os.fsencode, files.logs))}))
        read.append(listed.repartition(len(files.logs)).mapInArrow(_from_logs(rules), schema))
    if files.refused:
        notes = pa.Table.from_pylist([_unread(name, reason) for name, reason in files.refused], CRASH_SCHEMA)
        read.append(session.createDataFrame(notes, schema))
    crashes = read[0]
    for one in read[1:]:
        crashes = crashes.unionByName(one)
    return crashes


def _remote_lines(session: SparkSession, urls: list[str], longest: int) -> DataFrame:
    lines = session.read.option(_LINE_LIMIT, 2 * longest).text(urls)
    is_long = f.octet_length("value") > longest
    return lines.select(
        f.when(~is_long, f.col("value").cast("binary")).alias("line"),  # Spark takes any bytes for text
        f.when(is_long, f.col("_metadata.file_name")).alias("too_long"),
    )


def _from_files(rules: CustomRules, longest: int) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def batches(incoming: Batches) -> Iterator[pa.RecordBatch]:
        reader = CrashReader(rules)
        for batch in incoming:
            for part in (part for pack in batch["parts"].to_pylist() for part in pack):
                yield from _batches(_to_the_end(_line_rows(reader, part, longest), os.fsdecode(part["location"])))

    return batches


def _from_lines(rules: CustomRules, longest: int) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def batches(incoming: Batches) -> Iterator[pa.RecordBatch]:
        reader = CrashReader(rules)
        for batch in incoming:
            lines = zip(batch["line"], batch["too_long"], strict=True)
            rows = (_line_row(reader, line.as_py(), unquote(name.as_py() or ""), longest) for line, name in lines)
            yield from _batches(filter(None, rows))

    return batches


def _line_rows(reader: "CrashReader", part: dict[str, Any], longest: int) -> Iterator[Reading]:
    name = Path(os.fsdecode(part["location"])).name
    for line in read_lines(**part, longest=longest):
        if row := _line_row(reader, line, name, longest):
            yield row


def _line_row(reader: "CrashReader", line: bytes | None, name: str, longest: int) -> Reading | None:
    """Return a row of `CRASH_SCHEMA`; none for an empty line. Bytes that are no UTF-8 are replaced."""
    if line is None:
        return _unread(name, f"not read where a line has more than {longest:,} bytes")
    text = line.decode("utf-8", "replace").strip()
    return reader.row(read_record(text)) if text else None


def _from_tables(rules: CustomRules) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def batches(incoming: Batches) -> Iterator[pa.RecordBatch]:
        reader = CrashReader(rules)
        for batch in incoming:
            for cut in batch.to_pylist():
                cut["location"] = os.fsdecode(cut["location"])
                rows = (reader.row(read_record(line)) for line in table_lines(**cut))
                yield from _batches(_to_the_end(rows, cut["location"]))

    return batches


def _from_logs(rules: CustomRules) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def rows(reader: CrashReader, location: bytes) -> Iterator[Reading]:
        with opened(location) as file:
            for record in read_log(file):
                yield reader.row(record)

    def batches(incoming: Batches) -> Iterator[pa.RecordBatch]:
        reader = CrashReader(rules)
        for batch in incoming:
            for location in batch["value"].to_pylist():
                yield from _batches(_to_the_end(rows(reader, location), os.fsdecode(location)))

    return batches


def _to_the_end(rows: Iterator[Reading], location: str) -> Iterator[Reading]:
    """Yield the rows of a file, and one more where it cannot be read to its end: it counts as unread, and the other files are read."""
    try:
        yield from rows
    except OSError as error:
        yield _unread(Path(location).name, f"not read to its end: {error.strerror or error}")


def _batches(rows: Iterator[Reading]) -> Iterator[pa.RecordBatch]:
    while some := list(islice(rows, _TOGETHER)):
        yield pa.RecordBatch.from_pylist(some, CRASH_SCHEMA)


def _unread(name: str, reason: str) -> Reading:
    """Return a row of `CRASH_SCHEMA` that says what of a file is not read, and why."""
    text = redact(f"{name} is {reason}").text
    return {"is_report": False, "text": text.encode("utf-8", "replace").decode()}


class CrashReader:
    """Reads reports, each distinct text once as long as it is remembered."""

    def __init__(self, rules: CustomRules) -> None:
        activate(rules)
        self._readings: OrderedDict[str, Reading] = OrderedDict()
        self._size = 0
        # A million reports name a few hundred hosts and versions.
        # It is cut when its secrets are out: half a secret is not known for one.
        self._name = lru_cache(maxsize=4_096)(lambda name: None if name is None else redact(name).text[:_LONGEST_NAME])

    def row(self, record: CrashRecord | None) -> Reading:
        """Return a row of `CRASH_SCHEMA`."""
        if record is None:
            return {"is_report": False}
        reading = self._readings.get(record.text)
        if reading is None:
            reading = self._readings[record.text] = _read(record.text)
            self._size += len(record.text)
            while self._size > _REMEMBERED:
                self._size -= len(self._readings.popitem(last=False)[0])
        else:
            self._readings.move_to_end(record.text)
        version, host = self._name(record.version), self._name(record.host)
        return {"at": record.at, "version": version, "host": host, "is_report": True, **reading}


def _read(text: str) -> Reading:
    """Return what the columns from ``exact`` on hold of a text: of the error that it is about, secrets out."""
    redacted = redact(text).text
    chain = leading(parse(redacted))
    if chain is None:
        return {}
    prints = fingerprints(chain)
    root = chain.root
    return {
        **{level.value: one.digest for level, one in prints.items()},
        "runtime": chain.runtime,
        "type": _begun(root.type),
        "template": _begun(template(root.message)) if root.message else None,
        "text": _shortened(redacted[chain.span[0] : chain.span[1]]),
        "basis": "\n".join(prints[Level.ROOT_CAUSE].basis),
    }


def _begun(text: str | None) -> str | None:
    return text if text is None or len(text) <= _LONGEST_TEMPLATE else f"{text[: _LONGEST_TEMPLATE - 1]}…"


def _shortened(text: str) -> str:
    """Return whole lines of the beginning and of the end of a long trace, `CUT` between them."""
    if len(text) < LONGEST_TEXT:
        return text
    mark = f"\n    {CUT}\n"
    head, tail = text[: _END - len(mark)], text[-_END:]
    return head.rpartition("\n")[0 if "\n" in head else 2] + mark + tail.partition("\n")[2 if "\n" in tail else 0]
