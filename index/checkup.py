"""What `kb doctor` looks at in this room: the snapshot, the store, the model, the rules of the house, the disk."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from index.encoder import load_encoder
from index.engine import Engine
from index.entry import storable
from index.live.saved import Position, StoreChanges
from index.local_rules import FOLDER, read_house
from index.settings import HomeSettings
from index.storage.filling import held_of
from index.storage.restoring import FOLDER as FOLDER_OF_RESTORES
from index.storage.snapshot import current, verify
from kb import store as stores  # SQLAlchemy is imported when a store is looked at, not before
from kb.errors import KbError

_ANOTHER = "run `kb ingest` again to build one anew, or `kb snapshots rollback` to take the one before"
_SHOWN = 10
_ROOMY = 2 << 30
"""Bytes that an ingest of a few thousand articles and two snapshots need, with room to spare."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. ``cure`` is empty when all is well."""

    name: str
    ok: bool
    finding: str
    cure: str = ""


def snapshot(home: Path) -> Finding:
    """The current snapshot is whole, opens, and answers: built by this code, with this model, under these rules."""
    if (home / FOLDER_OF_RESTORES).exists():
        problem = "a restore is under way, or was cut off"
        return Finding(
            "snapshot",
            ok=False,
            finding=problem,
            cure="wait for it; `kb serve` or `kb search` end one that was cut off",
        )
    try:
        info = verify(current(home).path)
        engine = Engine.carried(home, HomeSettings.read().model, StoreChanges(Position.of(info.manifest), ()))
        try:
            engine.search("java.io.IOException", 1)
            if wrong := _not_as_saved(engine, home):
                return wrong
        finally:
            engine.close()
    except KbError as error:
        return Finding("snapshot", ok=False, finding=error.problem, cure=error.cure)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with it is what is looked for
        return Finding("snapshot", ok=False, finding=f"it cannot be searched: {error!r}", cure=_ANOTHER)
    counts = info.manifest.counts
    return Finding(
        "snapshot", ok=True, finding=f"{info.id}: {counts['searchable']} incidents, model {info.manifest.model}"
    )


def _not_as_saved(engine: Engine, home: Path) -> Finding | None:
    """What of the store is not searched, or is searched although the store knows nothing of it; None when they agree."""
    place = HomeSettings.read(home=home).store
    if not stores.is_current(place):
        return None  # what there is to be said of it the next check says
    with stores.Store.open(place) as store:
        engine.follow(store)
        if engine.aside:
            names = _some([f"{name} ({one.fault})" for name, one in engine.aside.items()])
            cure = "save these once more (`kb incidents edit ID`); where that fails, bring back the last backup with `kb restore`"
            return Finding("snapshot", ok=False, finding=f"changes that cannot be indexed: {names}", cure=cure)
        if missing := sorted(set(map(storable, store.published())) - set(engine.ids())):
            problem = f"published, and not searched: {_some(missing)}"
            return Finding("snapshot", ok=False, finding=problem, cure="run `kb ingest`; the log of it says why")
        made, head, origin = engine.info.manifest, store.head(), store.origin()
    is_own = made.store_id in {"", head.store_id}
    is_copied = origin is not None and made.store_id == origin.store_id and made.store_sequence <= origin.sequence
    if is_own or is_copied:
        return None
    problem = (
        f"{engine.info.id} was built with another store, or with what a restore has taken away: that is still found"
    )
    return Finding("snapshot", ok=False, finding=problem, cure="run `kb ingest`")


def _some(names: Sequence[str]) -> str:
    """The first few of some names."""
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def store(home: Path) -> Finding:
    """The store of curated incidents answers, was not written by newer code, and holds together. Nothing is changed."""
    try:
        found = stores.examine(HomeSettings.read(home=home).store)
    except KbError as error:
        return Finding("store", ok=False, finding=error.problem, cure=error.cure)
    return Finding("store", ok=True, finding=found)


def model(home: Path) -> Finding:  # noqa: ARG001 - one shape for all checks
    """The model that KB_MODEL names loads."""
    try:
        encoder = load_encoder(HomeSettings.read().model)
    except KbError as error:
        return Finding("model", ok=False, finding=error.problem, cure=error.cure)
    return Finding(
        "model", ok=True, finding=f"{encoder.name}, {encoder.dim} numbers a text, digest {encoder.digest[:8]}"
    )


def rules(home: Path) -> Finding:
    """The rules of the house can be read."""
    try:
        read = read_house(home)
    except KbError as error:
        return Finding("rules", ok=False, finding=error.problem, cure=error.cure)
    count = len(read.in_app) + len(read.wrappers) + len(read.noise) + len(read.messages)
    return Finding("rules", ok=True, finding=f"{count} in {home / FOLDER}" if count else "none of the house")


def disk(home: Path) -> Finding:
    """There is room for another snapshot, and the home can be written to."""
    place = next(path for path in (home.absolute(), *home.absolute().parents) if path.exists())
    if not os.access(place, os.W_OK):
        cure = "make it writable, or set KB_HOME to another folder"
        return Finding("disk", ok=False, finding=f"{place} cannot be written to", cure=cure)
    free = shutil.disk_usage(place).free
    free_space = f"{free / 2**30:.1f} GiB free in {place}"
    if free >= _ROOMY:
        return Finding("disk", ok=True, finding=free_space)
    return Finding("disk", ok=False, finding=free_space, cure="free some space, or set KB_HOME to a larger disk")


def candidates(home: Path) -> Finding:
    """The server that KB_CANDIDATES names answers, and has the current snapshot, whole."""
    try:
        place = HomeSettings.read().place
        if place is None:
            return Finding("candidates", ok=True, finding="from the snapshot's own index")
        info = current(home)
        held = held_of(place, info)
    except KbError as error:
        return Finding("candidates", ok=False, finding=error.problem, cure=error.cure)
    if held == info.manifest.counts["searchable"]:
        return Finding("candidates", ok=True, finding=f"{held} rows in {place.of_snapshot(info.id)} at {place.uri}")
    lacking = f"{place.uri} has {held or 'none'} of {info.manifest.counts['searchable']} rows of {info.id}"
    return Finding("candidates", ok=False, finding=lacking, cure="run `kb snapshots fill`")
