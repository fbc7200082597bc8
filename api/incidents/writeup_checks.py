"""What is wrong with a folder of write-ups: form, links, traces, components, translations, secrets."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import urlsplit

from api.incidents.files import File, read_folder
from kb.article.writeups.form import HEADING, NAMES
from kb.article.writeups.frontmatter import split, text_of
from kb.article.writeups.translated import split_parts
from kb.article.writeups.writeup import as_written
from kb.entities.components import table_of
from kb.incident import Incident
from kb.kinds import LANGUAGES
from kb.redact import redact
from kb.trace import parse
from kb.trace.in_force import rules_in_force
from kb.translations import lagging, languages, prose_of

REQUIRED = ("id", "title", "lang", "component", "versions", "tags", "url", "created")
SECTIONS = ("symptom", "traces", "root_cause", "fix")
TO_WRITE = "…to be written…"
"""What a skeleton says where somebody has to write."""
_LINK = re.compile(r"\[[^\[\]\n]{0,300}\]\((?P<target>[^()\s]{0,500})\)")
"""``[Connection refused](jvm-connection-refused.md)``"""
_NAME = re.compile(r"(?<![a-z0-9-])[a-z0-9]++(?:-[a-z0-9]++)++")
"""``jvm-connection-refused``"""


@dataclass(frozen=True, slots=True, order=True)
class WriteupMistake:
    """One thing to mend: file, line from 1 (0: the file as a whole), what it is and what to do."""

    path: Path
    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.problem}" if self.line else f"{self.path}: {self.problem}"


@dataclass(frozen=True, slots=True)
class CheckedWriteup:
    """A write-up that can be read, with the text of each of its files, the original first."""

    incident: Incident
    texts: Mapping[Path, str]

    @property
    def path(self) -> Path:
        """The file of the original."""
        return next(iter(self.texts))


def read_writeups(folder: Path) -> tuple[list[CheckedWriteup], list[WriteupMistake]]:
    """The write-ups of a folder, and what cannot be read as one. KbError when the folder cannot be read."""
    read: list[CheckedWriteup] = []
    found: list[WriteupMistake] = []
    for file in read_folder(folder):
        incident = as_written(file.writeup.text, file.path.stem) if file.writeup else None
        if file.writeup is None or incident is None:
            found += [WriteupMistake(file.path, one.line, one.problem) for one in file.problems]
        else:
            read.append(CheckedWriteup(incident, _texts(file, file.writeup.text)))
    return read, found


def _texts(file: File, text: str) -> dict[Path, str]:
    """The text of each file, as lines are counted in it."""
    first, *others = split_parts(text)
    named = {file.path.with_name(f"{file.path.stem}.{split(part)[0].get('lang')}.md"): part for part in others}
    return {file.path: first} | named


def check_writeups(read: Sequence[CheckedWriteup], *, bilingual: bool) -> Iterator[WriteupMistake]:
    """What is wrong with write-ups by themselves and beside each other; ``bilingual``: each must be in both languages."""
    paths = {one.incident.id: one for one in read}
    mentions = {one.incident.id: _mentioned(one, paths) for one in read}
    for one in read:
        yield from _form(one)
        yield from _traces(one)
        yield from _component(one, [other.incident.component or "" for other in read])
        yield from _translations(one, bilingual=bilingual)
        for path, text in one.texts.items():
            yield from _links(path, text)
            yield from _secrets(path, text)
        for name, line in mentions[one.incident.id].items():
            if one.incident.id not in mentions[name]:
                problem = f"`{name}` is named here and does not name `{one.incident.id}` in return: add it under {_heading('distinguish')}"
                yield WriteupMistake(one.path, line, f"{problem} in {paths[name].path}")


def without_fences(text: str) -> str:
    """The text with empty lines in the place of fenced code; one that is not closed ends with the text."""
    lines, is_fenced = [], False
    for line in text.split("\n"):
        is_mark = line.lstrip().startswith("```")
        lines.append("" if is_fenced or is_mark else line)
        is_fenced ^= is_mark
    return "\n".join(lines)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _heading(field: str, lang: str = "en") -> str:
    return f"`## {NAMES[field][lang == 'zh']}`"


def _form(one: CheckedWriteup) -> Iterator[WriteupMistake]:
    meta, _ = split(one.texts[one.path])
    for key in REQUIRED:
        if not meta.get(key):
            yield WriteupMistake(one.path, 1, f"the front matter says no `{key}`: add it")
    for field in SECTIONS:
        if not getattr(one.incident, field):
            yield WriteupMistake(one.path, 0, f"there is no section {_heading(field, one.incident.lang)}: write it")
    for path, text in one.texts.items():
        if mark := _enclosing_mark(text_of(split(text)[0], "title") or ""):
            line = next((at for at, content in enumerate(text.split("\n"), 1) if content.startswith("title")), 1)
            yield WriteupMistake(
                path,
                line,
                f"the title stands between quotation marks ({mark}…{mark}) even when it is read: take one pair out",
            )
        if (at := text.find(TO_WRITE)) >= 0:
            yield WriteupMistake(
                path, _line(text, at), f"the skeleton is not filled in: put words in the place of {TO_WRITE}"
            )


def _enclosing_mark(title: str) -> str:
    """The quotation mark that a title begins and ends with; none when it stands inside, too: `"a" is not "b"` quotes two words."""
    mark = title[:1]
    return mark if mark in {"'", '"'} and title[-1] == mark and title.count(mark) == 2 else ""


def _traces(one: CheckedWriteup) -> Iterator[WriteupMistake]:
    for number, trace in enumerate(one.incident.traces, 1):
        if not parse(trace):
            text = one.texts[one.path]
            line = _line(text, max(0, text.find(trace.partition("\n")[0])))
            problem = f"no error is recognised in trace {number}: `kb parse` shows how it is read; keep the line with its type or message whole"
            yield WriteupMistake(one.path, line, problem)


def _component(one: CheckedWriteup, used: Iterable[str]) -> Iterator[WriteupMistake]:
    name = one.incident.component
    if not name:
        return
    listed = set(table_of(rules_in_force().components).words.values())
    if name in listed:
        return
    others = {other for other in used if other != name} | listed
    spelt = {re.sub(r"[\W_]", "", other.lower()): other for other in others}
    near = get_close_matches(re.sub(r"[\W_]", "", name.lower()), spelt, n=1, cutoff=0.85)
    if near:
        line = next(
            (at for at, text in enumerate(one.texts[one.path].split("\n"), 1) if text.startswith("component")), 1
        )
        yield WriteupMistake(
            one.path, line, f"component `{name}` looks like `{spelt[near[0]]}`: spell it the same everywhere"
        )


def _translations(one: CheckedWriteup, *, bilingual: bool) -> Iterator[WriteupMistake]:
    incident = one.incident
    present = languages(incident)
    missing = [lang for lang in LANGUAGES if lang not in present] if bilingual else []
    for lang in missing:
        yield WriteupMistake(one.path, 0, f"there is no translation {one.path.stem}.{lang}.md: write it")
    wanted = set(prose_of(incident))
    for lang, translation in incident.translations.items():
        path = one.path.with_name(f"{one.path.stem}.{lang}.md")
        for field in NAMES:
            if field in wanted and not translation.texts.get(field):
                yield WriteupMistake(path, 0, f"{_heading(field, lang)} of the original is not translated: write it")
    for lang in lagging(incident):
        path = one.path.with_name(f"{one.path.stem}.{lang}.md")
        problem = f"it follows an older text of the original: bring it up to date, then `kb incidents stamp DIR {incident.id}`"
        yield WriteupMistake(path, 0, problem)


def _links(path: Path, text: str) -> Iterator[WriteupMistake]:
    """Links that lead nowhere: files that are not there, addresses that are none."""
    prose = without_fences(text)
    for link in _LINK.finditer(prose):
        target, line = link["target"], _line(prose, link.start())
        scheme, host = _address(target)
        if scheme in {"http", "https"}:
            if "." not in host:
                yield WriteupMistake(path, line, f"the link {target!r} names no host: write the whole address")
        elif scheme:
            yield WriteupMistake(
                path, line, f"the link {target!r} is neither http(s) nor a file: write the whole address"
            )
        elif not target.startswith("#") and not (path.parent / target.partition("#")[0]).is_file():
            yield WriteupMistake(path, line, f"the link {target!r} leads to no file: mend its path")


def _address(target: str) -> tuple[str, str]:
    try:
        parts = urlsplit(target)
    except ValueError:
        return "broken", ""
    return parts.scheme, parts.hostname or ""


def _secrets(path: Path, text: str) -> Iterator[WriteupMistake]:
    for one in redact(text).redactions:
        problem = f"this is taken away when it is stored ({one.kind}): write a placeholder such as <{one.kind}>, and revoke it if it was a real secret"
        yield WriteupMistake(path, _line(text, one.start), problem)


def _mentioned(one: CheckedWriteup, known: Mapping[str, CheckedWriteup]) -> dict[str, int]:
    """The other write-ups that the original names by id, each with the line of its first mention."""
    text = one.texts[one.path]
    _, body = split(text)
    heading = HEADING.search(text, body)
    found: dict[str, int] = {}
    for word in _NAME.finditer(text, heading.start() if heading else len(text)):
        if word[0] in known and word[0] != one.incident.id:
            found.setdefault(word[0], _line(text, word.start()))
    return found
