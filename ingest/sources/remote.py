"""Lists and reads folders behind a Hadoop URL (``hdfs://``, ``s3a://`` …) through Spark's ``binaryFile`` source.

Files that may hold many documents are told by their names, fetched once for each content, and cut like those of this machine.
"""

import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from ingest.quality import Reason
from ingest.sources.archives import PACKED
from ingest.sources.cutting import unsupported
from ingest.sources.formats import DATA, TRACKER, DocumentFormat, format_of, suffix_of
from ingest.sources.listing import MAX_DOCUMENT, ListedDocument, Listing, to_table
from ingest.sources.packs import Packs, lost
from ingest.sources.recognise import opened
from kb.errors import SourceError

Row = Mapping[str, Any]

_GLOB = str.maketrans({character: f"\\{character}" for character in "\\*?[]{}"})


def is_remote(place: str) -> bool:
    """Whether a source is a URL that this machine's own file system cannot open."""
    scheme = urlsplit(place).scheme
    return len(scheme) > 1 and scheme != "file" and "://" in place


def local_path(place: str) -> str:
    """The path of a local source: as it is, or of its ``file://`` URL."""
    return unquote(urlsplit(place).path) if place.startswith("file:/") else place


def escaped(path: str) -> str:
    """The path with what Spark takes for a pattern escaped."""
    return path.translate(_GLOB)


def list_remote(session: SparkSession, urls: list[str], wanted: DocumentFormat, packs: Packs) -> Listing:
    """Every file under the URLs. What changes with the content is length and modification time: single documents are not read."""
    alone: list[ListedDocument] = []
    tables: list[pa.Table] = []
    for url in urls:
        for row in _names(session, url):
            listed = _listed(url, row, wanted)
            if listed.reason or not _may_hold_many(listed, wanted):
                alone.append(_within(listed))
                continue
            try:
                tables.append(packs.listed(listed, wanted, _Fetched(session, row["path"], packs.scratch())))
            except (OSError, SourceError) as error:
                alone.append(replace(listed, reason=Reason.UNREADABLE.value, detail=str(error)))
    table = pa.concat_tables([to_table(alone), *tables])
    return Listing(table, tuple(urls), lost(table))


def _may_hold_many(listed: ListedDocument, wanted: DocumentFormat) -> bool:
    suffix = suffix_of(listed.path)
    return suffix in DATA | PACKED or format_of(listed.path, wanted) in {
        DocumentFormat.JSONL,
        DocumentFormat.MBOX,
        *TRACKER,
    }


def copied(session: SparkSession, url: str, copy: Path) -> Path:
    """Copy the file or folder of a URL to this machine. Raises `SourceError`."""
    context = session.sparkContext
    hadoop = context._jvm.org.apache.hadoop.fs  # noqa: SLF001  Hadoop's file systems have no other door in Python
    try:
        path = hadoop.Path(url)
        system = path.getFileSystem(context._jsc.hadoopConfiguration())  # noqa: SLF001
        # Any size goes through Java's hands, not ours.
        system.copyToLocalFile(False, path, hadoop.Path(copy.as_uri()), True)  # noqa: FBT003  Java knows no keywords
    except (Py4JJavaError, PySparkException) as error:
        reason = str(getattr(error, "java_exception", error)).partition("\n")[0]
        raise SourceError(f"source {url} cannot be read ({reason})", cure="give the URL of a file or folder") from error
    return copy


class _Fetched:
    """Opens a copy of a remote file, which is gone when it is closed."""

    def __init__(self, session: SparkSession, url: str, scratch: Path) -> None:
        self._session, self._url, self._scratch = session, url, scratch

    def __call__(self) -> io.BufferedReader:
        with TemporaryDirectory(prefix="fetched-", dir=self._scratch) as folder:
            copy = copied(self._session, self._url, Path(folder) / "copy")
            return opened(str(copy))  # its name goes here, it itself when the packs close it


def look_remote(session: SparkSession, url: str) -> dict[str, str]:
    """Path below the URL → what changes with the content. Raises `SourceError` for a URL that names nothing."""
    return {_relative(url, row["path"]): _content(row) for row in _names(session, url)}


def with_data(session: SparkSession, listing: pa.Table) -> DataFrame:
    """The listed documents with their bytes in ``data``."""
    documents = session.createDataFrame(listing).withColumn("url", f.col("location").cast("string"))
    paths = [escaped(location.decode()) for location in listing["location"].to_pylist()]
    read = _files(session, paths).select(f.col("path").alias("url"), f.col("content").alias("data"))
    return read.join(f.broadcast(documents), "url").drop("url")


def _names(session: SparkSession, url: str) -> list[Row]:
    try:
        found = _files(session, [url]).select("path", "length", "modificationTime").toArrow()
    except AnalysisException as error:
        raise SourceError(f"source {url} is not there", cure="give the URL of a file or folder") from error
    rows: list[Row] = found.to_pylist()
    return rows


def _content(row: Row) -> str:
    return f"{row['length']}@{row['modificationTime'].isoformat()}"


def _files(session: SparkSession, paths: list[str]) -> DataFrame:
    return session.read.format("binaryFile").option("recursiveFileLookup", "true").load(paths)


def _listed(url: str, row: Row, wanted: DocumentFormat) -> ListedDocument:
    location, size = row["path"], row["length"]
    path = _relative(url, location)
    form = format_of(path, wanted)
    listed = ListedDocument(url, path, location.encode(), form or DocumentFormat.AUTO, size, _content(row))
    if form is None:
        return replace(listed, reason=Reason.UNSUPPORTED.value, detail=unsupported(path))
    return listed


def _within(listed: ListedDocument) -> ListedDocument:
    if listed.reason or listed.size <= MAX_DOCUMENT:
        return listed
    detail = f"{listed.size:,} bytes; at most {MAX_DOCUMENT:,} are read"
    return replace(listed, reason=Reason.TOO_LARGE.value, detail=detail)


def _relative(url: str, location: str) -> str:
    """The path below the source; Hadoop writes URLs in its own way, so they are compared by path."""
    root, path = urlsplit(url).path.rstrip("/"), urlsplit(location).path
    return path[len(root) + 1 :] if path.startswith(f"{root}/") else path.rpartition("/")[2]
