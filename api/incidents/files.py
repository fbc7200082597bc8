"""Write-ups in a folder: which file has which id, what a new one is called, and how one is written so that no half of it is ever there."""

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from api.incidents.writeups import Writeup, read_text
from api.problems import HttpProblem
from api.writing.shapes import LONGEST_WRITEUP
from kb.article.frontmatter import split
from kb.article.translated import is_translation, join_parts, pairs, split_parts
from kb.errors import KbError, SourceError
from kb.kinds import LANGUAGES
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
    found = pairs(map(str, _paths(folder)), _beginning)
    return _once([file for path, others in found.items() if (file := read_file(Path(path), list(map(Path, others))))])


def _beginning(path: str) -> str:
    text = _text(Path(path))
    return text[0] if isinstance(text, tuple) else ""


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


def read_one(path: Path) -> File | None:
    """One file with the translations beside it; None for a page that is no write-up."""
    return read_file(path, _translations(path))


def _translations(path: Path) -> list[Path]:
    """The files beside a write-up that are translations of it."""
    beside = (path.with_name(f"{path.stem}.{lang}.md") for lang in LANGUAGES)
    return [one for one in beside if one.is_file() and is_translation(_beginning(str(one)))]


def read_file(path: Path, translations: Sequence[Path] = ()) -> File | None:
    """One file with its translations; None for a page that is no write-up: it has no front matter, or says ``incident: false``."""
    text = _text(path)
    if isinstance(text, str):
        return File(path, None, (FilePosition(0, 0, text),))
    meta, _ = split(text[0])
    is_page = meta.get("incident") is False or not (meta or text[0].lstrip().startswith("---"))
    if is_page:
        return None
    texts = [text[0], *(found[0] for one in translations if isinstance(found := _text(one), tuple))]
    if len(texts) == 1:
        return _read(path, text[0])
    file = _read(path, join_parts(texts))
    return replace(file, problems=tuple(_in_file(one, texts, [path, *translations]) for one in file.problems))


def _in_file(problem: FilePosition, texts: Sequence[str], paths: Sequence[Path]) -> FilePosition:
    """A place in a write-up with translations as the place in one of its files."""
    line = problem.line
    for text, path in zip(texts, paths, strict=True):
        lines = join_parts([text]).count("\n") + 1  # an empty line between two
        if line <= lines:
            return (
                problem if path is paths[0] else FilePosition(line, problem.column, f"{path.name}: {problem.problem}")
            )
        line -= lines
    return problem


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


def write_writeup(path: Path, text: str) -> None:
    """Write a write-up, and its translations into files beside it; a file of one that it has no more is removed."""
    first, *others = split_parts(text)
    names = {str(split(part)[0].get("lang")): part for part in others}
    for lang, part in names.items():
        write_file(path.with_name(f"{path.stem}.{lang}.md"), part.rstrip() + "\n")
    for beside in _translations(path):
        if beside.name not in {f"{path.stem}.{lang}.md" for lang in names}:
            beside.unlink()
    write_file(path, first.rstrip() + "\n" if others else first)


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
