"""The rules in the folder ``rules`` of the home: read, checked, and held against what a snapshot was built under."""

import os
from dataclasses import replace
from pathlib import Path

from index.storage.snapshot import SnapshotInfo
from kb.errors import RulesError, SnapshotError
from kb.trace import ExceptionChain, Frame, RaisedException, StackTrace, normalize
from kb.trace.custom import FILES, CustomRules, read_custom
from kb.trace.in_force import activate, rules_in_force

FOLDER = "rules"

_LARGEST = 1 << 20  # bytes of a rules file: two thousand long entries
_PROSE = "README.md"


def read_house(home: Path | str) -> CustomRules:
    """The rules of a home; none when it has no such folder. RulesError names file and line of what is wrong."""
    folder = Path(home) / FOLDER
    return read_folder(folder) if folder.is_dir() else CustomRules()


def read_folder(folder: Path) -> CustomRules:
    """The rules in a folder, whose files are all looked at; hidden files, backups and a README are nobody's rules."""
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise RulesError(f"{folder} cannot be read: {error.strerror}", cure="name a folder with rules files") from error
    named = [path for path in paths if not path.name.startswith(".") and not path.name.endswith("~")]
    texts: dict[str, str] = {}
    for path in (one for one in named if one.name != _PROSE):
        try:
            texts[path.name] = _text(path)
        except RulesError:
            if os.path.lexists(path):  # else it was removed after the folder was listed
                raise
    return read_custom(texts, str(folder))


def read_candidate(path: Path, home: Path | str) -> CustomRules:
    """Rules to try: a folder, or one file that takes the place of its namesake among the rules of the home."""
    if not path.is_file():
        return read_folder(path)
    folder = Path(home) / FOLDER
    others = {name: _text(folder / name) for name in FILES if (folder / name).is_file() and name != path.name}
    read_custom(others, str(folder))  # what is wrong there is named there
    return read_custom({**others, path.name: _text(path)}, str(path.parent))


def _text(path: Path) -> str:
    """The text of a rules file; RulesError where it is none."""
    if path.name not in FILES:
        return ""  # the name alone is wrong
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RulesError(
            f"{path} cannot be read: {error.strerror}", cure="make it a readable file, or remove it"
        ) from error
    if len(data) > _LARGEST:
        raise RulesError(f"{path} has {len(data):,} bytes", cure=f"at most {_LARGEST:,} are read: shorten it")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RulesError(f"{path}:{line}: not UTF-8", cure="save the file as UTF-8") from error


def activate_home_rules(home: Path | str) -> CustomRules:
    """Reads the rules of a home and puts them in force for this process. RulesError names what is wrong."""
    rules = read_house(home)
    activate(rules)
    return rules


def check_rules(info: SnapshotInfo, rules: CustomRules) -> None:
    """SnapshotError when the snapshot was built under other rules: its fingerprints would meet none of the query's."""
    if info.manifest.rules != rules.digest:
        raise SnapshotError(
            f"snapshot {info.id} was built under {_named(info.manifest.rules)}, the home has {_named(rules.digest)} now",
            cure="run `kb ingest` again (sources that did not change are not read again), or put the former rules back",
        )


def judged(chain: ExceptionChain) -> ExceptionChain:
    """A chain as it was read, with ``in_app`` as the rules in force have it; others see it only once it is normalised."""
    if not rules_in_force().in_app:
        return chain
    exceptions = tuple(
        replace(e, stack=StackTrace(tuple(_judged(frame, chain.runtime) for frame in e.stack.frames)))
        for e in chain.exceptions
    )
    return replace(chain, exceptions=exceptions)


def _judged(frame: Frame, runtime: str) -> Frame:
    alone = ExceptionChain(runtime, (RaisedException(type=None, stack=StackTrace((frame,))),))
    (lasting,) = normalize(alone).exceptions[0].stack.frames
    return frame if lasting.in_app == frame.in_app else replace(frame, in_app=lasting.in_app)


def _named(digest: str) -> str:
    return f"the rules {digest[:8]}" if digest else "no rules of the house"
