"""Parquet that somebody made up to end a triage: a few kilobytes that hold gigabytes, and descriptions that lie."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.triage.fields import LONGEST
from ingest.triage.records import CrashRecord, read_record
from ingest.triage.tables import parts, table_lines

AT = datetime(2026, 11, 23, 4, 5, 6, tzinfo=UTC)
STACK = "java.lang.IllegalStateException: gone\n\tat com.acme.Pay.run(Pay.java:3)"


def lines(path: Path) -> list[str]:
    return list(table_lines(str(path), 0, parts(str(path))))


def written(path: Path, columns: dict[str, pa.Array], **options: object) -> Path:
    pq.write_table(pa.table(columns), path, compression="zstd", write_statistics=False, **options)
    return path


def shared(text: str, rows: int) -> pa.Array:
    """A column of one string, which every row shares."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int8)), pa.array([text]))


def varint(number: int) -> bytes:
    """A number as Thrift's compact protocol writes it."""
    left, coded = number << 1, bytearray()
    while left > 127:
        coded.append(left & 127 | 128)
        left >>= 7
    return bytes([*coded, left])


def rows_without_end(path: Path) -> Path:
    return written(path, {"text": shared("E: x", 2_000_000)}, row_group_size=1 << 30, data_page_size=1 << 30)


def false_number_of_rows(path: Path) -> Path:
    data = written(path, {"text": shared("E: x", 123_457)}).read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - length : -8].replace(b"\x16" + varint(123_457), b"\x16" + varint(1 << 60))
    path.write_bytes(data[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    return path


def list_without_end(path: Path) -> Path:
    many = 3_000_000
    return written(path, {"text": pa.ListArray.from_arrays(pa.array([0, many], pa.int32()), shared("x" * 500, many))})


def false_size_of_a_page(path: Path) -> Path:
    size = 140_000_000
    written(path, {"text": pa.array([b"x" * size])}, use_dictionary=False)
    data = path.read_bytes()
    said = next(one for more in range(20) if (one := b"\x15" + varint(size + more)) in data[:20])
    path.write_bytes(data.replace(said, b"\x15" + varint((1 << 31) - 1), 1))
    return path


def nested(path: Path) -> Path:
    column = pa.array(["x"])
    for _ in range(400):
        column = pa.StructArray.from_arrays([column], ["error"])
    return written(path, {"error": column})


def cut_off(path: Path) -> Path:
    path.write_bytes(written(path, {"text": shared(STACK, 9)}).read_bytes()[:-20])
    return path


def many_columns(path: Path) -> Path:
    return written(path, {f"c{n}": pa.array([1]) for n in range(1_001)})


BOMBS: dict[Callable[[Path], Path], str] = {
    rows_without_end: "2,000,000 rows in",
    false_number_of_rows: "1,152,921,504,606,846,976 rows in",
    list_without_end: "more than 1024 MB of memory",
    false_size_of_a_page: "more than 1024 MB of memory",
    nested: "nested",
    cut_off: "magic bytes not found",
    many_columns: "1,001 columns",
}


@pytest.mark.parametrize(
    "made",
    [pytest.param(one, marks=[pytest.mark.bench] if one is list_without_end else [], id=one.__name__) for one in BOMBS],
)
def test_a_bomb_is_refused_for_what_it_is(made: Callable[[Path], Path], tmp_path: Path) -> None:
    """It ends the process that reads it, or is refused there; who asked goes on, and is told why."""
    path = made(tmp_path / "bomb.parquet")
    assert path.stat().st_size < 400_000
    with pytest.raises(OSError, match=BOMBS[made]):
        lines(path)


def test_a_long_text_that_rows_share_is_held_once_and_cut(tmp_path: Path) -> None:
    """3 MB that 700 rows share are 2 GB."""
    path = written(tmp_path / "a.parquet", {"text": shared(f"first{'x' * 3_000_000}last", 700)}, dictionary_pagesize_limit=64 << 20)  # fmt: skip
    count = 0
    for line in table_lines(str(path), 0, 1):
        assert LONGEST < len(line) < LONGEST + 100
        count += 1
    assert count == 700


def beginnings(path: Path, rows: int) -> Path:
    """Texts that differ in their last letters alone, each written as what differs."""
    texts = pa.array([f"{'x' * 100_000}{n}" for n in range(rows)])
    return written(path, {"text": texts}, use_dictionary=False, column_encoding={"text": "DELTA_BYTE_ARRAY"}, data_page_size=1 << 30)  # fmt: skip


def test_texts_that_share_their_beginning_are_read_so_far(tmp_path: Path) -> None:
    """Every figure of the file is small: 3,000 rows, and 110 kB of which zstd makes one. What is read is counted."""
    path = beginnings(tmp_path / "bomb.parquet", 3_000)
    assert path.stat().st_size < 2_000
    read: list[str] = []
    with pytest.raises(
        OSError, match=r"its [\d,]+ bytes hold more than 10\d,\d{3},\d{3}, which is the most that is read"
    ):
        read.extend(table_lines(str(path), 0, 1, row=100))  # 100 MB and not 4 GB, so that the test is quick
    assert len(read) <= 1_100


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "dictionary"])
@pytest.mark.parametrize("unit", ["ms", "us", "ns", "int96", "text"])
@pytest.mark.slow
def test_an_ordinary_table_is_read_whole(encoding: str, unit: str, tmp_path: Path) -> None:
    """Whatever the encoding of texts and times, with rows that have none."""
    times = pa.array([AT.isoformat()] * 700) if unit == "text" else pa.array([AT] * 700, pa.timestamp("ns" if unit == "int96" else unit, "UTC"))  # fmt: skip
    table = {
        "text": pa.array([STACK, None] * 350),
        "@timestamp": times,
        "service": pa.array([{"version": "1.2"}] * 700),
        "host": pa.array(["web-1"] * 700),
        "other": pa.array([b"\xff"] * 700),
    }
    how = {"use_dictionary": ["text"]} if encoding == "dictionary" else {"use_dictionary": False, "column_encoding": {"text": encoding}}  # fmt: skip
    path = written(tmp_path / "a.parquet", table, use_deprecated_int96_timestamps=unit == "int96", **how)
    read = [read_record(line) for line in lines(path)]
    assert read == [CrashRecord(STACK, AT, "1.2", "web-1"), None] * 350


def test_every_part_of_a_large_table_is_read_once(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", {"text": pa.array([f"E: {n}" for n in range(1_000)])}, row_group_size=90)
    read = [line for part in range(5) for line in table_lines(str(path), part, 5)]
    assert sorted(read) == sorted(f'{{"text": "E: {n}"}}\n' for n in range(1_000))
