"""The texts that the bilingual model is trained and measured on, read from the evaluation set's folders.

Three sources: sentence pairs of bilingual documentation (``parallel``), troubleshooting articles (``articles``) and the older
part of labelled bug reports (``dedup``). Articles are split by their titles before anything else is done with them: one half
trains, a quarter is for choosing, a quarter for reporting. Sentence pairs that stand in an article of the last two are not
trained on either.
"""

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from index.entry import Texts, messages, normalised_chains, texts_of
from kb.article import read_article
from kb.article.blocks import BlockKind, plain
from kb.article.decode import decode
from kb.article.formats import take_apart
from kb.article.sections import sections
from kb.incident import Incident
from kb.record import from_record
from kb.trace import ExceptionChain

LEAST_SECTION = 30
"""Characters below which a section says too little to be told from others."""

MOST_SECTION = 1_500
"""Characters of a section that are trained on."""

_SPACE = re.compile(r"\W+")

Pair = tuple[str, str]
"""Two texts that mean the same or belong together."""


@dataclass(frozen=True, slots=True)
class TrainingDocument:
    """One article or bug report: what is searched for, what is asked, and what of it belongs together."""

    id: str
    part: str
    """``train``, ``tune`` or ``test``."""
    lang: str
    title: str
    body: str
    """What the index embeds of it, without the title."""
    pairs: tuple[Pair, ...]
    sentences: frozenset[str]
    """Keys (`key`) of its blocks and lines, for telling which sentence pairs stand in it."""


def key(text: str) -> str:
    """A text without case, blanks and punctuation."""
    return _SPACE.sub("", text).lower()


def part_of(title: str) -> str:
    """Which part an article belongs to: by its title, so that copies stay together."""
    first = sha256(f"dejastack articles 1 {key(title)}".encode("utf-8", "replace")).digest()[0]
    return "train" if first < 128 else "tune" if first < 192 else "test"


def sentence_pairs(path: Path) -> Iterator[Pair]:
    """(English, Chinese) of a file of sentence pairs, in its order."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            read = json.loads(line)
            yield read["en"], read["zh"]


def articles(folder: Path) -> Iterator[TrainingDocument]:
    """Every article below the folder that holds words, in the order of the paths."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        data = path.read_bytes()
        name = str(path.relative_to(folder))
        for incident in read_article(data, name).incidents:
            chains = normalised_chains(incident)
            yield _document(incident, chains, part_of(incident.title), _sections(data, name, incident.title))


def reports(path: Path, part: str) -> Iterator[TrainingDocument]:
    """The bug reports of a file that have a title and a text beside their trace."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            read = json.loads(line)
            if not read["title"] or not (read["text"] or read["trace"]):
                continue
            record = {"id": read["id"], "title": read["title"], "prose": read["text"] or "", "traces": [read["trace"]]}
            incident = from_record(record)
            yield _document(incident, normalised_chains(incident), part, [])


def _document(incident: Incident, chains: tuple[ExceptionChain, ...], part: str, found: list[Pair]) -> TrainingDocument:
    texts = texts_of(incident, chains)
    body = texts.embedded.removeprefix(incident.title).strip()
    blocks = (line for _, text in found for line in text.split("\n"))
    return TrainingDocument(
        id=incident.id,
        part=part,
        lang=incident.lang,
        title=incident.title,
        body=body,
        pairs=tuple(_belonging(incident, chains, texts, body)) + tuple(_headed(found)),
        sentences=frozenset(key(line) for line in blocks) | {key(incident.title)},
    )


def _belonging(incident: Incident, chains: tuple[ExceptionChain, ...], texts: Texts, body: str) -> Iterator[Pair]:
    """What of one report belongs together: title, symptom, cause, fix, what its exceptions say, the rest."""
    spoken = "\n".join(messages(chains))
    symptom, cause, fix = incident.symptom or "", incident.root_cause or "", incident.fix or ""
    ends = [
        (incident.title, body),
        (incident.title, body),
        (incident.title, cause),
        (incident.title, fix),
        (incident.title, spoken),
        (symptom, cause),
        (symptom, fix),
        (cause, fix),
        (spoken, cause),
        (spoken, incident.prose[:MOST_SECTION]),
    ]
    assert texts.title == incident.title
    yield from ((left, right) for left, right in ends if left.strip() and right.strip())


def _headed(found: Iterable[Pair]) -> Iterator[Pair]:
    yield from ((heading, text[:MOST_SECTION]) for heading, text in found if heading and len(text) >= LEAST_SECTION)


def _sections(data: bytes, name: str, title: str) -> list[Pair]:
    """(heading, text) of each section; a heading that only names a role (*Cause*) is put behind the title."""
    document = take_apart(decode(data).text, name)
    found = []
    for section in sections(document.blocks, title):
        words = "\n".join(plain(block.text) for block in section.blocks if block.kind is not BlockKind.CODE)
        found.append((f"{title} {section.title}" if section.roles else section.title, words.strip()))
    return found
