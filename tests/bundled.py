"""The bundled write-ups, read once for all tests of a process, and homes that hold them."""

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from index.build import build
from index.encoder import load_encoder
from index.entry import entries
from index.training.cases import BATCH, articles
from kb.incident import Incident
from kb.trace.in_force import rules_in_force

CORPUS = Path(__file__).resolve().parents[1] / "corpus"


def write_ups() -> tuple[Incident, ...]:
    """Return every incident of the corpus, with its translations."""
    return _read(_rules())


def corpus_home(home: Path) -> Path:
    """Copy a home with the whole corpus, built without Spark, to ``home``; tests may change it."""
    shutil.copytree(_built(_rules()), home, dirs_exist_ok=True)
    return home


def _rules() -> str:
    rules = rules_in_force()
    return rules.digest + rules.reading_digest


@cache
def _read(_rules: str) -> tuple[Incident, ...]:
    return tuple(articles(CORPUS))


@cache
def _built(rules: str) -> Path:
    folder = mkdtemp(prefix="kb-corpus-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    incidents, encoder = _read(rules), load_encoder(None)
    build(
        (entries(incidents[at : at + BATCH], encoder) for at in range(0, len(incidents), BATCH)), Path(folder), encoder
    )
    return Path(folder)
