"""Entries of generated incidents, in parts on disk: ``python -m tests.bench.million.make FOLDER COUNT [HOME]``; with HOME also a snapshot of them there.

Plans are drawn one after the other; texts, chains and entries are made of them in worker processes. Parts that are there are kept,
so an interrupted run goes on. The first N of a larger run are those of a run of N.
"""

import multiprocessing
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pyarrow as pa
from rich.progress import Progress, TimeRemainingColumn

from index.build import build
from index.encoder import Encoder, load_encoder
from index.entry import entries
from tests.bench.million.dialects import Dialects
from tests.bench.million.incidents import incident
from tests.bench.million.plan import Plan, Planner

PART = 5_000
"""Incidents of one file."""
_BATCH = 500
DRAWN = int(os.environ.get("KB_BENCH_DRAWN", "250000"))
"""Incidents that are drawn, written and read as entries one by one; more are these again in other dialects. Fewer are made sooner, and have too many rare words."""
_COMPRESSED = pa.ipc.IpcWriteOptions(compression="zstd")


def make(folder: Path, count: int, workers: int = 2, *, part: int = PART, drawn: int = DRAWN) -> None:
    """Write the parts that are missing for ``count`` incidents."""
    count = -(-min(count, drawn) // part) * part
    folder.mkdir(parents=True, exist_ok=True)
    with (
        Progress(*Progress.get_default_columns(), TimeRemainingColumn(), disable=not sys.stderr.isatty()) as shown,
        multiprocessing.get_context("spawn").Pool(workers) as pool,
    ):
        task = shown.add_task("incidents", total=count)
        for done, _ in enumerate(pool.imap(_write, _missing(folder, count, part)), start=1):
            shown.update(task, advance=part)
            if shown.disable and done % 10 == 0:
                print(f"{done * part:,} incidents made", file=sys.stderr, flush=True)


def _missing(folder: Path, count: int, size: int) -> Iterator[tuple[Path, tuple[Plan, ...]]]:
    for number, plans in enumerate(_parts(Planner().plans(count), size)):
        path = _part(folder, number)
        if not path.exists():
            yield path, plans


def read(folder: Path, count: int, *, part: int = PART, drawn: int = DRAWN) -> Iterator[pa.RecordBatch]:
    """The entries of the first ``count`` incidents; beyond those ``drawn`` they are those of the parts in other dialects."""
    dialects = Dialects(pa.concat_batches(list(_batches(folder, 0))))
    at = 0
    while at < count:
        dialect, within = divmod(at, drawn)
        for batch in _batches(folder, within // part):
            here = batch.slice(0, max(count - at, 0))
            if here.num_rows:
                yield dialects.told(here, dialect, at) if dialect else here
            at += here.num_rows


def _batches(folder: Path, number: int) -> Iterator[pa.RecordBatch]:
    with pa.OSFile(str(_part(folder, number))) as file, pa.ipc.open_file(file) as batches:
        for at in range(batches.num_record_batches):
            yield batches.get_batch(at)


def _part(folder: Path, number: int) -> Path:
    return folder / f"part-{number:05d}.arrow"


def _parts(plans: Iterable[Plan], size: int) -> Iterator[tuple[Plan, ...]]:
    waiting: list[Plan] = []
    for plan in plans:
        waiting.append(plan)
        if len(waiting) == size:
            yield tuple(waiting)
            waiting = []


def _write(part: tuple[Path, tuple[Plan, ...]]) -> None:
    path, plans = part
    beside = path.with_suffix(f".{os.getpid()}")
    made = [
        entries([incident(plan) for plan in plans[at : at + _BATCH]], _encoder()) for at in range(0, len(plans), _BATCH)
    ]
    with pa.OSFile(str(beside), "wb") as file, pa.ipc.new_file(file, made[0].schema, options=_COMPRESSED) as writer:
        for batch in made:
            writer.write_batch(batch)
    beside.replace(path)


@cache
def _encoder() -> Encoder:
    return load_encoder(None)


if __name__ == "__main__":
    parts, wanted = Path(sys.argv[1]), int(sys.argv[2])
    make(parts, wanted)
    for home in sys.argv[3:4]:
        build(read(parts, wanted), Path(home), _encoder())
