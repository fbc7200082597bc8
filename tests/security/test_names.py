"""Secrets in the names of files are as little for others as those in their texts; and a damaged store is told by `kb doctor`."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ingest.reading import read_document
from ingest.sources.formats import DocumentFormat
from kb.redact import redact_path
from kb.store import Actor, Role, Store, StoreError
from kb.store.examining import examine
from tests.kb.store.told import incident

ARTICLE = b"# Checkout fails\n\n## Root cause\nThe pool has an error.\n\n## Fix\nRestart it.\n"
ANN = Actor("u:ann", "Ann", Role.REVIEWER)
NAMES = {
    "password=IngCanary02x.md": "IngCanary02x",
    "notes/password=IngCanary03y/how.md": "IngCanary03y",
    "token=ghp_abcdefghijklmnopqrstuvwxyz0123456789.md": "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "dump.zip/AKIAIOSFODNN7EXAMPLA.md": "AKIAIOSFODNN7EXAMPLA",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_secret_in_a_name_is_nowhere_in_what_is_read(name: str) -> None:
    (read,) = read_document(ARTICLE, name, DocumentFormat.AUTO).incidents
    assert NAMES[name] not in str(read) + redact_path(name)
    assert read.source.path == redact_path(name)
    assert redact_path(name).endswith(".md")
    assert redact_path(redact_path(name)) == redact_path(name)


@pytest.mark.parametrize(
    "name", ["a/b.md", "2024-01-05 死锁.md", "x.jsonl#0123456789abcdef", "dump.tar.gz/a/b.md", "a", "/", ".md", "a/"]
)
def test_other_names_stay(name: str) -> None:
    assert redact_path(name) == name


@pytest.mark.parametrize("part", [0.2, 0.5, 0.9])
def test_a_damaged_page_of_the_store_is_found(tmp_path: Path, part: float) -> None:
    file = tmp_path / "store.db"
    with Store.open(file) as store:
        for number in range(40):
            store.incidents.create(incident(f"i{number}"), actor=ANN)
    whole = bytearray(file.read_bytes())
    at = int(len(whole) * part) // 4096 * 4096
    whole[at : at + 60] = b"\xff" * 60
    file.write_bytes(whole)
    with pytest.raises(StoreError, match=r"damaged|malformed|hold together"):
        examine(file)


def test_an_index_of_the_store_that_says_something_else_is_found(tmp_path: Path) -> None:
    """No row is unreadable: only a look at the whole file finds it."""
    file = tmp_path / "store.db"
    with Store.open(file) as store:
        for number in range(40):
            store.incidents.create(incident(f"i{number}"), actor=ANN)
    with closing(sqlite3.connect(file)) as database:
        (page,) = database.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'ix_incidents_status_id'"
        ).fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    whole = bytearray(file.read_bytes())
    place = whole.rindex(b"i39", (page - 1) * size, page * size)
    whole[place : place + 3] = b"i3x"
    file.write_bytes(whole)
    with pytest.raises(StoreError, match=r"damaged|malformed|hold together"):
        examine(file)
