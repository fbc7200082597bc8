"""The documents of a snapshot whose disk forgot a byte: the error names the file, when it is opened or when the text is read."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from index import Engine
from index.build import build
from index.encoder import load_encoder
from index.entry import entries
from index.storage.documents import Documents
from index.storage.snapshot import SnapshotInfo, note
from kb.errors import SnapshotError
from kb.record import from_record

_TRACE = "java.lang.IllegalStateException: no lease\n\tat shop.Cart.total(Cart.java:41)"
_ROWS = 4
_USES: dict[str, Callable[[Documents], object]] = {
    "names_of": lambda documents: documents.names_of(np.arange(_ROWS)),
    "ids": lambda documents: list(documents.ids()),
    "id_of": lambda documents: [documents.id_of(row) for row in range(_ROWS)],
    "incident": lambda documents: [documents.incident(row) for row in range(_ROWS)],
    "chains": lambda documents: [documents.chains(row) for row in range(_ROWS)],
    "row_of": lambda documents: [documents.row_of(f"i{row}") for row in range(_ROWS)],
    "catalogue": lambda documents: documents.catalogue,
    "some_titles": lambda documents: documents.some_titles(_ROWS),
}


def snapshot(home: Path) -> SnapshotInfo:
    encoder = load_encoder(None)
    found = [from_record({"id": f"i{row}", "title": "a lease expired", "trace": _TRACE}) for row in range(_ROWS)]
    return build([entries(found[:2], encoder), entries(found[2:], encoder)], home, encoder)


def change(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 0xFF
    path.write_bytes(content)


def test_whatever_byte_changes_nothing_but_a_snapshot_error_is_raised(tmp_path: Path) -> None:
    """A letter of a text can change unseen (`kb snapshots verify` sees it); where texts lie cannot."""
    path = snapshot(tmp_path).path / "documents.arrow"
    whole = path.read_bytes()
    refused = 0
    for at in range(0, len(whole), 7):  # a prime number, so that each byte of a number is met; all of them take 30 s
        change(path, at)
        try:
            documents = Documents(path.parent)
        except SnapshotError:
            refused += 1
        else:
            for use in _USES.values():
                with suppress(SnapshotError):
                    use(documents)
        path.write_bytes(whole)
    assert refused > len(whole) // 7 // 5


def test_a_damaged_file_does_not_open_although_it_is_noted_as_whole(tmp_path: Path) -> None:
    """An offset of the column of ids: it was noticed when incidents tied, as an OSError. Sizes and times are as they were noted."""
    info = snapshot(tmp_path)
    path = info.path / "documents.arrow"
    at = path.read_bytes().index(b"i2i3") - 16  # three offsets, padded to 16 bytes, and the texts follow
    change(path, at + 4)
    note(info)
    with pytest.raises(SnapshotError, match=r"documents\.arrow is not what was written.*kb ingest"):
        Engine.open(tmp_path)


def test_an_empty_batch_is_no_damage(tmp_path: Path) -> None:
    encoder = load_encoder(None)
    found = [entries(some, encoder) for some in ([], [from_record({"id": "one", "title": "a lease expired"})], [])]
    assert list(Documents(build(found, tmp_path, encoder).path).ids()) == ["one"]


def test_a_damaged_table_of_ids_does_not_open(tmp_path: Path) -> None:
    """A row beyond the last one was noticed when incidents tied, as an IndexError."""
    path = snapshot(tmp_path).path / "ids.npy"
    change(path, len(path.read_bytes()) - 1)
    with pytest.raises(SnapshotError, match=r"ids\.npy is not what was written.*kb ingest"):
        Documents(path.parent)
