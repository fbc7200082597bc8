"""What the indexes hold of one incident. Computed in Spark executors, from `kb` functions, jieba and the encoder only."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from index import tokens
from index.encoder import Encoder, Vectors, normalised
from index.lines import lines_of
from index.sketch import frame_tokens
from index.threads import most_telling, said
from kb.incident import Incident
from kb.record import to_record
from kb.trace import ExceptionChain, Level, fingerprints, normalize
from kb.trace.wire import chain_to_dict

VERSION = 4
"""Raised whenever an entry of the same incident would differ: snapshots of another version are refused."""

ENTRY_SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("document", pa.string(), nullable=False),  # JSON of kb.record.to_record
        pa.field("chains", pa.string(), nullable=False),  # JSON list of the normalised chains
        pa.field("lines", pa.list_(pa.list_(pa.int32())), nullable=False),  # of each chain, the lines of its frames
        pa.field("exact", pa.list_(pa.string()), nullable=False),
        pa.field("root_cause", pa.list_(pa.string()), nullable=False),
        pa.field("loose", pa.list_(pa.string()), nullable=False),
        pa.field("terms", pa.list_(pa.string()), nullable=False),  # words of the whole text, repeats kept
        pa.field("focus", pa.list_(pa.string()), nullable=False),  # distinct words of title, symptom, cause, messages
        pa.field("title", pa.list_(pa.string()), nullable=False),  # distinct words of the title
        pa.field("frames", pa.list_(pa.string()), nullable=False),  # frames and types, repeats kept
        pa.field("vector", pa.list_(pa.float32()), nullable=False),
    ]
)

_PROSE = 16_000
_EMBEDDED_PROSE = 1_200
_EMBEDDED_FIX = 600
_HEART = 400
"""Characters of symptom and of cause in the heart of an incident."""
MAX_TRACES = 32
"""Chains of one incident that are searched by; an article with more is a log."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The words of an incident, by how much they say about what it is. Never frames."""

    title: str
    focus: str
    whole: str
    embedded: str
    heart: str
    """Title, and how symptom and cause begin: embedded once more, for a long write-up is about many things."""


def searched_chains(incident: Incident) -> list[tuple[ExceptionChain, ExceptionChain]]:
    """The incident's chains that are searched by: as found, and as compared."""
    chosen = (incident.chains[at] for at in sorted(most_telling(incident.chains, MAX_TRACES)))
    return [(chain, normalize(chain)) for chain in chosen]


def normalised_chains(incident: Incident) -> tuple[ExceptionChain, ...]:
    """The incident's chains as they are compared."""
    return tuple(normalised for _, normalised in searched_chains(incident))


def texts_of(incident: Incident, chains: Sequence[ExceptionChain]) -> Texts:
    """Title, symptom, cause, fix, prose and message templates, put together for each use."""
    named = tokens.codes("\n".join(incident.traces))
    spoken = "\n".join([*messages(chains), " ".join(named)]).strip()
    symptom, cause, fix = incident.symptom or "", incident.root_cause or "", incident.fix or ""
    focus = "\n".join(filter(None, (incident.title, symptom, cause, spoken)))
    whole = "\n".join(filter(None, (focus, fix, incident.prose[:_PROSE], " ".join(incident.tags), incident.component)))
    embedded = "\n".join(filter(None, (focus, fix[:_EMBEDDED_FIX], incident.prose[:_EMBEDDED_PROSE])))
    heart = "\n".join(filter(None, (incident.title, symptom[:_HEART], cause[:_HEART])))
    return Texts(incident.title, focus, whole, embedded, heart)


def messages(chains: Sequence[ExceptionChain]) -> list[str]:
    """The distinct message templates of normalised chains, each behind its type, in order."""
    spoken = (f"{e.type or ''} {said(chain, e) or ''}".strip() for chain in chains for e in chain.exceptions)
    return list(dict.fromkeys(filter(None, spoken)))


def entries(incidents: Sequence[Incident], encoder: Encoder) -> pa.RecordBatch:
    """The entries of the incidents, in order, as one batch of ENTRY_SCHEMA."""
    read = [(incident, searched_chains(incident)) for incident in incidents]
    texts = [texts_of(incident, [normalised for _, normalised in chains]) for incident, chains in read]
    vectors = _vectors(texts, encoder) if texts else np.zeros((0, encoder.dim), np.float32)
    rows = [
        _row(incident, chains, text) | {"vector": vector}
        for (incident, chains), text, vector in zip(read, texts, vectors, strict=True)
    ]
    columns = [pa.array([row[field.name] for row in rows], type=field.type) for field in ENTRY_SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=ENTRY_SCHEMA)


def _vectors(texts: Sequence[Texts], encoder: Encoder) -> Vectors:
    """Half what the whole says, half what the heart says."""
    whole = encoder.encode([text.embedded for text in texts])
    return normalised(whole + encoder.encode([text.heart for text in texts]))


def _row(
    incident: Incident, searched: Sequence[tuple[ExceptionChain, ExceptionChain]], text: Texts
) -> dict[str, object]:
    chains = [normalised for _, normalised in searched]
    prints = [fingerprints(chain) for chain in chains]
    return {
        "id": _clean(incident.id),
        "document": _json(to_record(incident)),
        "chains": _json([chain_to_dict(chain) for chain in chains]),
        "lines": [lines_of(found, normalised) for found, normalised in searched],
        **{level.value: list(dict.fromkeys(found[level].digest for found in prints)) for level in Level},
        "terms": tokens.index_terms(text.whole),
        "focus": list(dict.fromkeys(tokens.index_terms(text.focus))),
        "title": list(dict.fromkeys(tokens.index_terms(text.title))),
        "frames": [_clean(token) for chain in chains for token in frame_tokens(chain)],
    }


def _json(value: object) -> str:
    return _clean(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _clean(text: str) -> str:
    """Without lone surrogates, which no file format takes."""
    return text.encode("utf-8", "replace").decode("utf-8")
