"""Write-ups in files: read one or a folder of them, write one, and let somebody edit one in their editor."""

import hashlib
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from api.contract.problems import HttpProblem
from api.render.console import note
from api.writing.incident_input import merged_over, parse_incident
from api.writing.shapes import LONGEST_WRITEUP
from kb.annotate import annotated
from kb.article.writeups.frontmatter import split, text_of
from kb.article.writeups.translated import is_translation, join_parts, pairs, split_parts
from kb.article.writeups.writeup import as_written, whole
from kb.client import Declined
from kb.client.shapes import Saved
from kb.errors import KbError, SourceError
from kb.kinds import LANGUAGES
from kb.record import read_chains, slug, stored, to_record

_FOUND_OUT = ("component", "versions", "codes")
"""What a write-up may leave unsaid: it is found out of its words."""
_FRONT_MATTER = re.compile(r"\s{0,64}+---[ \t]*+\n")
_NO_WORDS = frozenset(("revision", "status", "reposts"))


@dataclass(frozen=True, slots=True)
class Writeup:
    """The text of a file, read."""

    text: str
    id: str
    revision: int
    """The revision that it was written from; 1 when it states none."""
    status: str | None
    """None: the file states none and leaves it unchanged."""


def text_of_record(record: Mapping[str, Any]) -> str:
    """Return the write-up of a record. Error codes that its text yields anyway are left out."""
    incident = stored(record)
    bare = replace(incident, codes=(), chains=read_chains(incident.traces))
    if incident.codes and annotated(bare).codes == incident.codes:
        incident = replace(incident, codes=())
    return whole(incident)


def read_text(text: str, name: str) -> Writeup:
    """Parse the text of a file. Problem 422 says what is wrong, and where. ``name`` is its id where it states none."""
    meta, _ = split(text)
    parsed = parse_incident(
        text.encode("utf-8", "replace"), markdown=True, incident_id=None if text_of(meta, "id") else name
    )
    status = None if parsed.status is None else parsed.status.value
    return Writeup(text, parsed.incident.id, parsed.incident.revision, status)


def as_saved(writeup: Writeup, over: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record that saving a write-up over another would make."""
    before = stored(over)
    parsed = parse_incident(writeup.text.encode("utf-8", "replace"), markdown=True, incident_id=writeup.id)
    now = merged_over(before, parsed)
    raw = as_written(writeup.text, "")
    not_written: dict[str, Any] = {name: getattr(before, name) for name in _FOUND_OUT if not getattr(raw, name)}
    return to_record(
        replace(now, **not_written, reposts=now.reposts or before.reposts, status=parsed.status or before.status)
    )


def differs(writeup: Writeup, record: Mapping[str, Any]) -> bool:
    """Whether saving it would change the record."""
    if writeup.status not in {None, record["status"]}:
        return True
    return _content(as_saved(writeup, record)) != _content(record)


def _content(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in _NO_WORDS}


def stamped(text: str, incident_id: str, revision: int, status: str) -> str:
    """The text with id, number and state in its front matter; nothing else of it is touched."""
    opening = _FRONT_MATTER.match(text)
    if opening is None:
        return text
    end = re.compile(r"^---[ \t]*$", re.MULTILINE).search(text, opening.end())
    stop = end.start() if end else len(text)
    head = text[opening.end() : stop]
    if re.search(r"^id[ \t]*:", head, re.MULTILINE) is None:
        head = f"id: {incident_id}\n{head}"
    head = _with_line(head, "status", status, "published")
    head = _with_line(head, "revision", str(revision), "1")
    return f"{text[: opening.end()]}{head}{text[stop:]}"


def _with_line(head: str, key: str, value: str, usual: str) -> str:
    """Set a line of the front matter; a usual value needs no line."""
    line = re.compile(rf"^{key}[ \t]*:[^\n]*\n", re.MULTILINE)
    if match := line.search(head):
        same = head[match.start() : match.end()].partition(":")[2].strip() == value
        return head if same else f"{head[: match.start()]}{key}: {value}\n{head[match.end() :]}"
    if value == usual:
        return head
    return f"{head}{key}: {value}\n"


_STEADY = re.compile(r"[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_-]+)*")
_LONGEST = 100
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|readme|index)(?:\..*)?")
"""Names that Windows reserves, and names of pages about a folder."""
_DIGITS = 16
_PART = ".part"


@dataclass(frozen=True, slots=True)
class FilePosition:
    """The place of a mistake in a file: line and column from 1, or 0 for none."""

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
    if len(incident_id) <= _LONGEST and _STEADY.fullmatch(incident_id) and not _RESERVED.fullmatch(incident_id):
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
    """The files that may be write-ups, in order, however deep they lie; a pipe is none: to read it might never end."""
    waiting: list[os.DirEntry[str]] = _entries(str(folder))
    while waiting:
        entry = waiting.pop()
        if entry.is_dir():
            waiting += _entries(entry.path)
        elif entry.name.endswith(".md") and entry.is_file():
            yield Path(entry.path)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """What a folder holds but hidden files and links, the last name first."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name, reverse=True)
    except OSError as error:
        raise SourceError(f"{folder} cannot be read: {error.strerror}", cure="name a folder you may read") from error
    return [entry for entry in entries if not entry.name.startswith(".") and not entry.is_symlink()]


def read_one(path: Path) -> File | None:
    """One file with the translations beside it; None for a page that is no write-up."""
    return read_file(path, _translations(path))


def _translations(path: Path) -> list[Path]:
    """The files beside a write-up that are translations of it."""
    beside = (path.with_name(f"{path.stem}.{lang}.md") for lang in LANGUAGES)
    return [one for one in beside if one.is_file() and not one.is_symlink() and is_translation(_beginning(str(one)))]


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
    """Mark files that share an id as invalid."""
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
    """Write a file atomically: readers see the old file or the new one, also after a crash."""
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


_CURE = "set EDITOR to the editor you like"


class NotSaved(KbError):  # noqa: N818 - reads as what is the case
    """Nothing was saved; the text is in ``file``. ``document`` is the problem document of the answer, if any."""

    def __init__(
        self,
        problem: str,
        file: Path,
        problems: tuple[FilePosition, ...] = (),
        document: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(problem, cure=f"your text is in {file}: mend it, then `kb incidents import {file}`")
        self.file = file
        self.problems = problems
        self.document = document or {}


def edit_text(text: str, incident_id: str, save: Callable[[str], Saved], again: Callable[[], bool]) -> Saved | None:
    """Open a text in the editor and save the result; None when it comes back unchanged.

    ``again`` decides after a mistake whether to reopen it. `NotSaved` when nothing was saved.
    """
    file = Path(tempfile.mkdtemp(prefix="kb-edit-")) / name_of(incident_id)
    file.write_bytes(text.encode("utf-8", "replace"))
    before = file.read_bytes()
    while True:
        _run(file)
        after = file.read_bytes()
        if after == before:
            _remove(file)
            return None
        try:
            saved = save(after.decode("utf-8").replace("\r\n", "\n"))
        except UnicodeDecodeError:
            raise NotSaved("the text is not UTF-8, nothing was saved", file) from None
        except Declined as declined:
            mistakes = places(declined.errors)
            if declined.status != 422:
                raise NotSaved(declined.problem, file, mistakes, declined.document) from declined
            for one in mistakes:
                note(f"{file}:{one.line}:{one.column}: {one.problem}")
            if not again():
                raise NotSaved(
                    "nothing was saved: the write-up has mistakes", file, mistakes, declined.document
                ) from declined
        except KbError as error:
            raise NotSaved(f"{error.problem}; nothing was saved", file) from error
        else:
            _remove(file)
            return saved


def _run(file: Path) -> None:
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        ended = subprocess.run([*shlex.split(command), str(file)], check=False)  # noqa: S603 - the editor is the user's own
    except (OSError, ValueError) as error:
        raise NotSaved(f"the editor {command!r} does not start; {_CURE}", file) from error
    if ended.returncode:
        raise NotSaved(f"the editor ended with {ended.returncode}, nothing was saved", file)


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.parent.rmdir()
