"""A quick look at the sources: what lies there and whether it may have changed. Nothing is opened.

The signature of a file is its size, its times and its inode (`ingest.sources.remembered`).
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from index.local_rules import FOLDER
from ingest.sources.local import walk
from ingest.sources.remembered import signature
from ingest.sources.remote import is_remote, local_path, look_remote
from ingest.survey import Hidden, Options, home_within

Key = tuple[str, str]
"""Source and path below it."""
Seen = Mapping[Key, object]
"""What lies in the sources, each with its signature."""


def glance(places: Sequence[str], options: Options, session: Callable[[], SparkSession]) -> Seen:
    """Everything in the sources, and the rules of the house. Raises `SourceError` for a source that is not there.

    ``session`` gives Spark, which lists the sources behind a URL: for those alone a look is a Spark job.
    """
    seen: dict[Key, object] = {}
    for place in places:
        if is_remote(place):
            seen |= {(place, path): content for path, content in look_remote(session(), place).items()}
        else:
            seen.update(_look(Path(local_path(place)), options.home, follow_links=options.follow_links))
    rules = options.home / FOLDER
    return seen | dict(_look(rules, options.home)) if rules.is_dir() else seen


def _look(place: Path, home: Path, *, follow_links: bool = False) -> Iterator[tuple[Key, object]]:
    found = walk(place, follow_links=follow_links)
    ours: Hidden = () if place == home / FOLDER else home_within([found.source], home)
    for path, location in found.files:
        if not any(path.startswith(prefix) for _, prefix in ours):
            yield (found.source, path), _signature(location)
    for path in found.unsafe:
        yield (found.source, path), "unsafe"
    for path, why in found.blind:
        yield (found.source, f"{path}/"), why


def _signature(location: str) -> object:
    try:
        return signature(os.stat(location))  # noqa: PTH116  a hundred thousand Path objects would be felt
    except OSError as error:
        return error.errno
