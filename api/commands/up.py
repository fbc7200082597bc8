"""Start here: ingest the bundled write-ups if needed, then serve the API and the page."""

import hashlib
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import typer

from api.commands.serve import Host, Port, Workers, run
from api.render.console import note
from api.server.exposure import check as check_exposure
from api.settings import ServiceSettings
from index.checkup import snapshot
from kb.article.writeups.frontmatter import split
from kb.errors import KbError, SourceError

app = typer.Typer()

STAMP = "up.json"
"""In the home: which write-ups the last `kb up` ingested, so that the next one starts at once."""


@app.command()
def up(host: Host = None, port: Port = None, workers: Workers = None) -> None:
    """Start here: ingest the bundled write-ups if needed, then serve the API and the page.

    The first start needs Spark and takes most of a minute; later ones start in seconds.
    """
    settings = ServiceSettings.load(host=host, port=port, workers=workers)
    check_exposure(settings)
    corpus = corpus_folder()
    prepare(settings.home, corpus)
    note(f"{summary(component_counts(corpus))}. `kb corpus list` names them.")
    run(settings)


def corpus_folder() -> Path:
    """Where the bundled write-ups are."""
    spec = find_spec("corpus")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if any(Path(place).glob("**/*.md")):
            return Path(place)
    raise SourceError("the bundled write-ups (corpus/) are missing", cure="install dejastack again with `make install`")


def prepare(home: Path, corpus: Path) -> None:
    """Make sure that the home has a snapshot with the write-ups in it."""
    wanted = digest(corpus)
    if _is_done(home, wanted):
        note(f"The write-ups of corpus/ are in {home}: nothing to ingest.")
        return
    note(f"Ingesting the write-ups of corpus/ into {home}: starts Spark, most of a minute the first time.")
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "api.cli", "ingest", str(corpus)], check=False)  # noqa: S603
    if done.returncode:
        problem = f"kb ingest of the bundled write-ups failed with exit code {done.returncode}"
        raise KbError(problem, cure="its own message is above; `kb doctor` checks Java, disk and model")
    (home / STAMP).write_text(json.dumps({"corpus": wanted}), encoding="utf-8")
    note(f"Ingested in {time.monotonic() - start:.0f} s.")


def component_counts(folder: Path) -> dict[str, int]:
    """How many write-ups of a folder each component has, the most first; told by their front matter alone."""
    heads = (split(path.read_text(encoding="utf-8"))[0] for path in sorted(folder.rglob("*.md")))
    named = sorted(
        str(head.get("component") or "(none)") for head in heads if "id" in head and "translates" not in head
    )
    return dict(Counter(named).most_common())


def summary(counts: Mapping[str, int]) -> str:
    """The counts in a line: ``151 write-ups of 34 components: python 20, jvm 15, …``."""
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    return f"{sum(counts.values())} write-ups of {len(counts)} components: {listed}"


def digest(corpus: Path) -> str:
    """One hash over every write-up's name and content."""
    summed = hashlib.sha256()
    for path in sorted(corpus.rglob("*.md")):
        summed.update(
            f"{path.relative_to(corpus).as_posix()}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
        )
    return summed.hexdigest()


def _is_done(home: Path, wanted: str) -> bool:
    try:
        stamp = json.loads((home / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    # A snapshot that this code or this model would refuse has to be built again, too.
    return isinstance(stamp, dict) and stamp.get("corpus") == wanted and snapshot(home).ok
