"""Lists and reads folders behind a Hadoop URL (``hdfs://``, ``s3a://`` …) through Spark's ``binaryFile`` source."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from ingest.quality import Reason
from ingest.sources.formats import Format, format_of
from ingest.sources.listing import MAX_DOCUMENT, Listed, Listing, to_table
from kb.errors import SourceError

_GLOB = str.maketrans({character: f"\\{character}" for character in "\\*?[]{}"})


def is_remote(place: str) -> bool:
    """Whether a source is a URL that this machine's own file system cannot open."""
    scheme = urlsplit(place).scheme
    return len(scheme) > 1 and scheme != "file" and "://" in place


def local_path(place: str) -> str:
    """The path of a local source: as it is, or of its ``file://`` URL."""
    return unquote(urlsplit(place).path) if place.startswith("file:/") else place


def list_remote(session: SparkSession, urls: list[str], wanted: Format) -> Listing:
    """Every file under the URLs. What changes with the content is length and modification time: nothing is read."""
    listed: list[Listed] = []
    for url in urls:
        try:
            found = _files(session, [url]).select("path", "length", "modificationTime").toArrow()
        except AnalysisException as error:
            raise SourceError(f"source {url} is not there", cure="give the URL of a file or folder") from error
        listed.extend(_listed(url, row, wanted) for row in found.to_pylist())
    return Listing(to_table(listed), tuple(urls))


def with_data(session: SparkSession, listing: pa.Table) -> DataFrame:
    """The listed documents with their bytes in ``data``."""
    documents = session.createDataFrame(listing).withColumn("url", f.col("location").cast("string"))
    paths = [location.decode().translate(_GLOB) for location in listing["location"].to_pylist()]
    read = _files(session, paths).select(f.col("path").alias("url"), f.col("content").alias("data"))
    return read.join(f.broadcast(documents), "url").drop("url")


def _files(session: SparkSession, paths: list[str]) -> DataFrame:
    return session.read.format("binaryFile").option("recursiveFileLookup", "true").load(paths)


def _listed(url: str, row: Mapping[str, Any], wanted: Format) -> Listed:
    location, size = row["path"], row["length"]
    path = _relative(url, location)
    form = format_of(path, wanted)
    reason, detail = "", ""
    if form is None:
        reason, detail = Reason.UNSUPPORTED, f"{path.rpartition('.')[2]} files are not read as articles"
    elif form is Format.JSONL:
        reason, detail = Reason.UNSUPPORTED, "JSON lines are read from local files only"
    elif size > MAX_DOCUMENT:
        reason, detail = Reason.TOO_LARGE, f"{size:,} bytes; at most {MAX_DOCUMENT:,} are read"
    content = f"{size}@{row['modificationTime'].isoformat()}"
    return Listed(url, path, location.encode(), form or Format.AUTO, size, content, reason=reason, detail=detail)


def _relative(url: str, location: str) -> str:
    """The path below the source; Hadoop writes URLs in its own way, so they are compared by path."""
    root, path = urlsplit(url).path.rstrip("/"), urlsplit(location).path
    return path[len(root) + 1 :] if path.startswith(f"{root}/") else path.rpartition("/")[2]
