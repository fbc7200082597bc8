"""What the indexes hold of one incident. Computed in Spark executors, from `kb` functions, jieba and the encoder only."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain as chained

import numpy as np
import pyarrow as pa

from index.encoder import Encoder, Vectors, normalised
from index.terms import tokens
from index.terms.facets import facets_of
from index.terms.frequencies import names_of
from index.terms.hashing import Hashes, distinct, hash_all, hash_set
from index.terms.sketch import frame_tokens, lines_of, message_of, most_telling, pack, sketch, with_values
from kb.incident import Incident, fields_of
from kb.record import to_record
from kb.trace import ExceptionChain, Level, fingerprints, normalize
from kb.trace.wire import bare_chain
from kb.translations import in_language, languages

VERSION = 7
"""Raised whenever an entry of the same incident would differ: snapshots of another version are refused."""

_NAMES = pa.list_(pa.int64())
"""64-bit names, signed: what Spark and Parquet know."""

ENTRY_SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("document", pa.string(), nullable=False),  # JSON of kb.record.to_record
        pa.field("chains", pa.string(), nullable=False),  # JSON list of the normalised chains
        pa.field("exact", pa.list_(pa.string()), nullable=False),
        pa.field("root_cause", pa.list_(pa.string()), nullable=False),
        pa.field("loose", pa.list_(pa.string()), nullable=False),
        pa.field("said", pa.string(), nullable=False),  # words of the whole text between blanks, repeats kept
        pa.field("called", pa.string(), nullable=False),  # names of frames and types in hexadecimal, likewise
        pa.field("sketches", _NAMES, nullable=False),  # index.terms.sketch.pack of the normalised chains
        pa.field("terms", _NAMES, nullable=False),  # distinct words of all texts, ascending, like those below
        pa.field("title", _NAMES, nullable=False),
        pa.field("cause", _NAMES, nullable=False),
        pa.field("translated_title", _NAMES, nullable=False),  # the same of the translations
        pa.field("translated_cause", _NAMES, nullable=False),
        pa.field("translated", _NAMES, nullable=False),  # distinct words that translations alone have
        pa.field("phrases", _NAMES, nullable=False),  # distinct pairs of neighbouring words of the title, ascending
        pa.field("frames", _NAMES, nullable=False),  # distinct frames and types
        pa.field("facets", _NAMES, nullable=False),
        pa.field("vector", pa.list_(pa.float32()), nullable=False),
    ]
)
"""Everything that can be said of an incident alone; what is left to the builder is putting entries together."""

_PROSE = 16_000
"""Characters of the rest of a text whose words are searched by. Not measured, nor was a reason written down."""
_PLACED = frozenset(("symptom", "root_cause", "fix", "prose"))
"""Texts of an incident that have their own place in the index; others are words of the rest."""
_EMBEDDED_PROSE = 1_200
_EMBEDDED_FIX = 600
"""Characters of the rest and of a fix that its vector is made of: in their mean a long text would drown title and cause. Not measured."""
_HEART = 400
"""Characters of symptom and of cause in the heart of an incident."""
MAX_TRACES = 32
"""Chains of one incident that are searched by; an article with more is a log."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The words of an incident, by how much they say about what it is. Never frames."""

    title: str
    focus: str
    """Symptom, cause, messages."""
    cause: str
    rest: str
    embedded: str
    heart: str
    """Title, and how symptom and cause begin: embedded once more, for a long write-up is about many things."""
    translations: tuple["Texts", ...] = ()
    """The same in other languages."""

    @property
    def whole(self) -> str:
        """Every word."""
        return _lines(self.title, self.focus, self.rest)


def searched_chains(incident: Incident) -> list[tuple[ExceptionChain, ExceptionChain]]:
    """The incident's chains that are searched by: as found, and as compared."""
    chosen = (incident.chains[at] for at in sorted(most_telling(incident.chains, MAX_TRACES)))
    return [(chain, with_values(chain, normalize(chain))) for chain in chosen]


def normalised_chains(incident: Incident) -> tuple[ExceptionChain, ...]:
    """The incident's chains as they are compared."""
    return tuple(normalised for _, normalised in searched_chains(incident))


def all_texts_of(incident: Incident, chains: Sequence[ExceptionChain]) -> Texts:
    """Return the texts of an incident and of its translations; only the original has the traces."""
    others = (texts_of(in_language(incident, lang), ()) for lang in languages(incident)[1:])
    return replace(texts_of(incident, chains), translations=tuple(others))


def texts_of(incident: Incident, chains: Sequence[ExceptionChain]) -> Texts:
    """Title, symptom, cause, fix, what tells it apart, prose and message templates, put together for each use."""
    shown = "\n".join(incident.traces)
    unread = "" if incident.chains else shown  # no chain finds it: it is searched as words, as an article's output is
    named = tokens.codes(shown)
    spoken = "\n".join([*messages(chains), " ".join(named)]).strip()
    symptom, cause, fix = incident.symptom or "", incident.root_cause or "", incident.fix or ""
    focus = _lines(symptom, cause, spoken)
    others = (
        getattr(incident, one.name) for one in fields_of(type(incident)) if one.is_prose and one.name not in _PLACED
    )
    return Texts(
        title=incident.title,
        focus=focus,
        cause=cause,
        rest=_lines(
            fix, *others, unread[:_PROSE], incident.prose[:_PROSE], " ".join(incident.tags), incident.component
        ),
        embedded=_lines(incident.title, focus, fix[:_EMBEDDED_FIX], incident.prose[:_EMBEDDED_PROSE]),
        heart=_lines(incident.title, symptom[:_HEART], cause[:_HEART]),
    )


def _lines(*texts: str | None) -> str:
    return "\n".join(filter(None, texts))


def messages(chains: Sequence[ExceptionChain]) -> list[str]:
    """The distinct message templates of normalised chains, each behind its type, in order."""
    spoken = (f"{e.type or ''} {message_of(chain, e) or ''}".strip() for chain in chains for e in chain.exceptions)
    return list(dict.fromkeys(filter(None, spoken)))


def entries(incidents: Sequence[Incident], encoder: Encoder) -> pa.RecordBatch:
    """The entries of the incidents, in order, as one batch of ENTRY_SCHEMA."""
    read = [(incident, searched_chains(incident)) for incident in incidents]
    texts = [all_texts_of(incident, [normalised for _, normalised in chains]) for incident, chains in read]
    vectors = _vectors(texts, encoder) if texts else np.zeros((0, encoder.dim), np.float32)
    rows = [
        _row(incident, chains, text) | {"vector": vector}
        for (incident, chains), text, vector in zip(read, texts, vectors, strict=True)
    ]
    columns = [_column(field, [row[field.name] for row in rows]) for field in ENTRY_SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=ENTRY_SCHEMA)


def _column(field: pa.Field, rows: Sequence[object]) -> pa.Array:
    if field.type != _NAMES:
        return pa.array(rows, type=field.type)
    names: Sequence[Hashes] = rows  # type: ignore[assignment]
    offsets = np.cumsum([0, *map(len, names)], dtype=np.int32)
    values = np.concatenate([np.zeros(0, np.uint64), *names])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values.view(np.int64)))


def _vectors(texts: Sequence[Texts], encoder: Encoder) -> Vectors:
    """Half what the whole says, half what the heart says; of an incident in two languages, as much of each."""
    every = [one for text in texts for one in (text, *text.translations)]
    vectors = encoder.encode([text.embedded for text in every]) + encoder.encode([text.heart for text in every])
    counts = np.array([1 + len(text.translations) for text in texts])
    return normalised(np.add.reduceat(vectors, np.cumsum(counts) - counts) if len(every) > len(texts) else vectors)


def _row(
    incident: Incident, searched: Sequence[tuple[ExceptionChain, ExceptionChain]], text: Texts
) -> dict[str, object]:
    chains = [normalised for _, normalised in searched]
    prints = [fingerprints(chain) for chain in chains]
    record = to_record(incident)
    left = max(tokens.MAX_CHARS - len(text.title) - len(text.focus), 0)
    title, focus, rest = (tokens.index_terms(part) for part in (text.title, text.focus, text.rest[:left]))
    others = [_translated_words(one) for one in text.translations]
    own, foreign = hash_set(chained(title, focus, rest)), hash_set(chained(*(words for words, _, _ in others)))
    frames = [storable(token) for chain in chains for token in frame_tokens(chain)]
    called = names_of(frames)
    return {
        "id": storable(incident.id),
        "document": _json(record),
        "chains": _json([bare_chain(chain) for chain in chains]),
        **{level.value: list(dict.fromkeys(found[level].digest for found in prints)) for level in Level},
        "said": " ".join(chained(title, focus, rest, *(words for words, _, _ in others))),
        "called": hexadecimal(called.tolist()),
        "sketches": pack([sketch(normalised, lines_of(found, normalised)) for found, normalised in searched]),
        "terms": np.union1d(own, foreign),
        "title": hash_set(title),
        "cause": hash_set(set(tokens.index_terms(text.cause)).intersection(focus)),
        "translated_title": hash_set(chained(*(words for _, words, _ in others))),
        "translated_cause": hash_set(chained(*(words for _, _, words in others))),
        "translated": np.setdiff1d(foreign, own),
        "phrases": hash_set(chained(*(tokens.phrases(one.title) for one in (text, *text.translations)))),
        "frames": distinct(called),
        "facets": hash_all(facets_of(record)),
    }


def _translated_words(text: Texts) -> tuple[list[str], list[str], list[str]]:
    """The words of a translation: all of them, those of the title, those of the cause."""
    title, focus = list(tokens.index_terms(text.title)), list(tokens.index_terms(text.focus))
    left = max(tokens.MAX_CHARS - len(text.title) - len(text.focus), 0)
    words = [*title, *focus, *tokens.index_terms(text.rest[:left])]
    return words, title, list(set(tokens.index_terms(text.cause)).intersection(focus))


def hexadecimal(names: Iterable[int]) -> str:
    """Names as the lexical index has them, between blanks."""
    return " ".join(f"{name:016x}" for name in names)


def _json(value: object) -> str:
    return storable(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def storable(text: str) -> str:
    """Without lone surrogates, which no file format takes."""
    return text.encode("utf-8", "replace").decode("utf-8")
