"""What searching a folder of write-ups shows: traces that find another write-up first, and sentences that stand elsewhere word for word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from api.incidents.writeup_checks import CheckedWriteup, WriteupMistake, without_fences
from index.build import build
from index.encoder import Encoder
from index.engine import Engine
from index.entry import entries
from kb.article.decode import decode
from kb.article.writeups.frontmatter import split
from kb.incident import Status

RUN = 12
"""Words in a row that are a copied sentence."""
_BATCH = 200
_LARGEST = 4 << 20
"""Bytes of a file of others that are compared."""
_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]{2}")
"""A word; of Chinese two characters."""
_UNCOMPARED = re.compile(r"`[^`\n]{1,300}`|^[-*] \[[^\n]*$", re.MULTILINE)
"""Code in a line; a link with the title of a page."""


def search_own_traces(read: Sequence[CheckedWriteup], encoder: Encoder) -> Iterator[WriteupMistake]:
    """The traces that find another write-up of the folder before their own. Drafts are searched as if they were published."""
    incidents = [replace(one.incident, status=Status.PUBLISHED) for one in read]
    with TemporaryDirectory(prefix="kb-corpus-") as home:
        batches = (entries(incidents[at : at + _BATCH], encoder) for at in range(0, len(incidents), _BATCH))
        build(batches, Path(home), encoder)
        engine = Engine.open(home)
        try:
            for one in read:
                yield from _found_others(one, engine)
        finally:
            engine.close()


def _found_others(one: CheckedWriteup, engine: Engine) -> Iterator[WriteupMistake]:
    text = one.texts[one.path]
    for number, trace in enumerate(one.incident.traces, 1):
        first = next((match.incident.id for match in engine.search(trace, 1).matches), None)
        if first == one.incident.id:
            continue
        line = text.count("\n", 0, max(0, text.find(trace.partition("\n")[0]))) + 1
        problem = (
            f"trace {number} finds `{first}` first: show lines that only this problem has, or make them one write-up"
        )
        if first is None:
            problem = f"trace {number} does not find its own write-up: show the type and the message of the error"
        yield WriteupMistake(one.path, line, problem)


def copied_sentences(read: Sequence[CheckedWriteup], sources: Path) -> Iterator[WriteupMistake]:
    """The passages of write-ups that stand word for word in a file below a folder of other people's texts.

    What their own traces say is no passage: a title and a symptom quote it.
    """
    places: dict[int, tuple[Path, int]] = {}
    for one in read:
        quoted = {run for trace in one.incident.traces for run, _ in _runs(_words(trace))}
        for path, text in one.texts.items():
            words = _words(_prose(text))
            for run, at in _runs(words):
                if run not in quoted and _tells(words[at : at + RUN]):
                    places.setdefault(run, (path, at))
    lines = {path: _lines(_prose(text)) for one in read for path, text in one.texts.items()}
    found: set[tuple[Path, int]] = set()
    for source in sorted(path for path in sources.rglob("*") if path.is_file() and path.resolve() not in lines):
        if source.stat().st_size > _LARGEST:
            continue
        for run, _ in _runs(_words(decode(source.read_bytes()).text)):
            if run in places and (place := (places[run][0], lines[places[run][0]][places[run][1]])) not in found:
                found.add(place)
                problem = f"{RUN} words from here on stand in {source.name} as well: say it in your own words"
                yield WriteupMistake(*place, problem)


def _prose(text: str) -> str:
    """The text without its front matter, whose title quotes an error, and without code and links; its lines kept."""
    _, body = split(text)
    words = "\n" * text.count("\n", 0, body) + without_fences(text[body:])
    return _UNCOMPARED.sub(" ", words)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _lines(text: str) -> list[int]:
    """The line of each word."""
    return [number for number, line in enumerate(text.split("\n"), 1) for _ in _words(line)]


def _runs(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Each run of so many words, as a hash, with the number of its first."""
    for at in range(len(words) - RUN + 1):
        yield hash(tuple(words[at : at + RUN])), at


def _tells(words: Sequence[str]) -> bool:
    """Whether it is a sentence rather than numbers and short names."""
    return sum(len(word) > 3 or word > "\u3400" for word in words) * 2 >= len(words)
