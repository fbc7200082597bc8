"""Write-ups in a folder: which file has which id, what a new one is called, and how one is written so that no half of it is ever there."""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from api.incidents.writeups import Writeup, read_text
from api.problems import HttpProblem
from api.writing.shapes import LONGEST_WRITEUP
from kb.article.frontmatter import split
from kb.errors import KbError, SourceError
from kb.record import slug

_STEADY = re.compile(r"[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_-]+)*")
_LONGEST = 100
_TAKEN = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|readme|index)(?:\..*)?")
"""Names that Windows keeps for itself, and those of pages about a folder."""
_DIGITS = 16
_PART = ".part"


@dataclass(frozen=True, slots=True)
class FilePosition:
    """Where something is wrong in a file: line and column from 1; 0 where there is none."""

    line: int
    column: int
    problem: str


@dataclass(frozen=True, slots=True)
class File:
    """A file of a folder: a write-up, or why it is none."""

    path: Path
    writeup: Writeup | None
    problems: tuple[FilePosition, ...] = ()


def name_of(incident_id: str) -> str:
    """The file of an incident: ``<id>.md`` where the id can be a name everywhere, else words and a hash of it. Always the same."""
    if len(incident_id) <= _LONGEST and _STEADY.fullmatch(incident_id) and not _TAKEN.fullmatch(incident_id):
        return f"{incident_id}.md"
    digest = hashlib.sha256(incident_id.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{slug(incident_id)}~{digest}.md"


def read_folder(folder: Path) -> list[File]:
    """The write-ups below a folder, by path. Hidden files and links are not looked at; pages that are no write-ups are left out.

    KbError when the folder cannot be read.
    """
    if not folder.is_dir():
        raise SourceError(f"{folder} is no folder", cure="name a folder of write-ups")
    found = [file for path in _paths(folder) if (file := read_file(path))]
    return _once(found)


def _paths(folder: Path) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise SourceError(f"{folder} cannot be read: {error.strerror}", cure="name a folder you may read") from error
    for entry in entries:
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if entry.is_dir():
            yield from _paths(Path(entry.path))
        elif entry.name.endswith(".md"):
            yield Path(entry.path)


def read_file(path: Path) -> File | None:
    """One file; None for a page that is no write-up: it has no front matter, or says ``incident: false``."""
    text = _text(path)
    if isinstance(text, str):
        return File(path, None, (FilePosition(0, 0, text),))
    meta, _ = split(text[0])
    is_page = meta.get("incident") is False or not (meta or text[0].lstrip().startswith("---"))
    return None if is_page else _read(path, text[0])


def _text(path: Path) -> tuple[str] | str:
    """The text of a file, or why there is none."""
    try:
        if path.stat().st_size > LONGEST_WRITEUP * 4:
            return "is larger than a write-up may be"
        return (path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n"),)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        return "is not UTF-8"


def _read(path: Path, text: str) -> File:
    try:
        return File(path, read_text(text, path.stem))
    except HttpProblem as problem:
        return File(path, None, places(problem.errors) or (FilePosition(0, 0, str(problem.detail)),))


def places(errors: object) -> tuple[FilePosition, ...]:
    """The places that a problem document names."""
    if not isinstance(errors, list | tuple):
        return ()
    return tuple(
        FilePosition(int(one.get("line") or 0), int(one.get("column") or 0), f"{_pointer(one)}{one.get('detail', '')}")
        for one in errors
        if isinstance(one, dict)
    )


def _pointer(one: dict[str, object]) -> str:
    return f"{one['pointer']}: " if one.get("pointer") else ""


def _once(files: list[File]) -> list[File]:
    """Of two files with one id neither is taken."""
    seen: dict[str, list[File]] = {}
    for file in files:
        if file.writeup:
            seen.setdefault(file.writeup.id, []).append(file)
    twice = {id(file): others for others in seen.values() if len(others) > 1 for file in others}
    return [file if id(file) not in twice else _doubled(file, twice[id(file)]) for file in files]


def _doubled(file: File, all_of_them: list[File]) -> File:
    others = ", ".join(str(one.path) for one in all_of_them if one is not file)
    return File(file.path, None, (FilePosition(0, 0, f"has the same id as {others}"),))


def write_file(path: Path, text: str) -> None:
    """Write it beside and put it in its place: whoever reads sees the old file or the new one, also after a crash."""
    beside = path.with_name(f".{path.name}{_PART}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as out:
            out.write(text.encode("utf-8", "replace"))
            out.flush()
            os.fsync(out.fileno())
        beside.replace(path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise KbError(f"{path} cannot be written: {error.strerror}", cure="name a folder you may write to") from error
