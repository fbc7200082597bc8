"""Functions of columns for anybody's Spark job: read, fingerprint, redact and match stack traces.

    from ingest import spark as kb

    crashes.select("host", kb.fingerprints("text").alias("prints"))
    crashes.select(kb.match("text", home="/srv/kb").alias("answer")).where("answer.verdict = 'known'")

    kb.register(session)
    session.sql("select kb_template(message), count(*) from log group by 1")

All are Arrow functions (`pyspark.sql.functions.arrow_udf`): no pandas, and the trace is parsed in the executor's Python. The package and its
extra ``ingest`` must be installed where the executors run. A text that is null gives null. Secrets are taken out of a text before anything
is read from it, as behind every other door, so spans are offsets into the redacted text.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
from pyspark.sql import Column, SparkSession
from pyspark.sql.functions import arrow_udf
from pyspark.sql.pandas.types import from_arrow_type

from index import Engine
from index.live.saved import StoreChanges, opened
from index.local_rules import judged, read_house
from index.storage.snapshot import current
from index.wire import answer_to_dict
from kb import redact as redaction
from kb import trace as traces
from kb.trace.custom import NONE, CustomRules
from kb.trace.in_force import adopted
from kb.trace.wire import chain_to_dict

FRAME = pa.struct(
    [
        *((name, pa.string()) for name in ("module", "function", "filename")),
        *((name, pa.int64()) for name in ("lineno", "column")),
        ("in_app", pa.bool_()),
        ("raw", pa.string()),
    ]
)
EXCEPTION = pa.struct(
    [
        *((name, pa.string()) for name in ("type", "wrapped_type", "message", "template", "relation")),
        *((name, pa.int32()) for name in ("parent", "elided")),
        ("frames", pa.list_(FRAME)),
    ]
)
FINGERPRINTS = pa.struct([(level.value, pa.string()) for level in traces.Level])
"""``exact``, ``root_cause`` and ``loose``: 32 hexadecimal digits each."""
TRACE = pa.struct(
    [
        ("runtime", pa.string()),
        ("thread", pa.string()),
        ("head_truncated", pa.bool_()),
        ("span", pa.list_(pa.int64())),
        ("notes", pa.list_(pa.string())),
        ("exceptions", pa.list_(EXCEPTION)),
        ("fingerprints", FINGERPRINTS),
    ]
)
"""One trace as `POST /v1/parse` gives it."""
MATCH = pa.struct(
    [
        ("verdict", pa.string()),
        ("fine_verdict", pa.string()),
        ("headline", pa.string()),
        ("probability", pa.float64()),
        ("incident", pa.string()),
        ("title", pa.string()),
        ("answer", pa.string()),
    ]
)
"""The verdict on the wire and in finer steps (``probable`` stands between ``known`` and ``related``), and of the first match its probability, id and title (null where nothing matches); ``answer`` is the JSON of `POST /v1/search`."""

TextColumn: TypeAlias = Column | str


def parse(text: TextColumn, home: Path | str | None = None) -> Column:
    """Return every stack trace of a text: an array of `TRACE`, empty where there is none.

    ``home``: under the house rules of this knowledge base, which are read here and carried to the executors; None: without any.
    """
    return _parse(_rules(home))(text)


def fingerprints(text: TextColumn, home: Path | str | None = None) -> Column:
    """Return the fingerprints of every trace of a text, in their order: an array of `FINGERPRINTS`. ``home`` as for `parse`."""
    return _fingerprints(_rules(home))(text)


def template(message: TextColumn, home: Path | str | None = None) -> Column:
    """Return the template of a message: numbers, paths, ids and quoted values replaced by placeholders. ``home`` as for `parse`."""
    return _template(_rules(home))(message)


def redact(text: TextColumn, home: Path | str | None = None) -> Column:
    """Return a text without its secrets and personal data. ``home`` as for `parse`."""
    return _redact(_rules(home))(text)


def match(text: TextColumn, home: Path | str, *, model: str | None = None, store: Path | str | None = None) -> Column:
    """Return the answer of a knowledge base to a text: a `MATCH`.

    ``home`` must be visible to the executors at the same path. What curators saved since its snapshot was built (``store``: a path or an
    address of a database; None: the one beside the snapshot) is read here and carried to them, so that all answer from the same moment.
    Raises `kb.errors.SnapshotError` where the home has no snapshot.
    """
    return Knowledge.of(home, model, store).match(text)


def register(session: SparkSession, home: Path | str | None = None) -> None:
    """Make the functions known to Spark SQL: ``kb_parse``, ``kb_fingerprints``, ``kb_template``, ``kb_redact``; with a home ``kb_match``, too."""
    rules = _rules(home)
    functions = {
        "kb_parse": _parse(rules),
        "kb_fingerprints": _fingerprints(rules),
        "kb_template": _template(rules),
        "kb_redact": _redact(rules),
    }
    if home is not None:
        functions["kb_match"] = Knowledge.of(home).matching()
    for name, function in functions.items():
        session.udf.register(name, function)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What an executor needs to answer from a knowledge base: its home, and what was carried there."""

    home: str
    model: str | None
    rules: CustomRules
    saved: StoreChanges
    """All that the store has over the snapshot; compared by its position alone."""

    @classmethod
    def of(cls, home: Path | str, model: str | None = None, store: Path | str | None = None) -> "Knowledge":
        """Read what must be carried. Raises `SnapshotError` where the home has no snapshot, `RulesError` for house rules that are wrong."""
        place = Path(home).resolve()
        with opened(place, place / "store.db" if store is None else store) as found:
            saved = StoreChanges.since(current(place).manifest, found)
        return cls(str(place), model, read_house(place), saved)

    def match(self, text: TextColumn, k: int = 5) -> Column:
        """Return the answer to a text, with at most ``k`` matches: a `MATCH`."""
        return self.matching(k)(text)

    def matching(self, k: int = 5) -> Callable[[TextColumn], Column]:
        """Return the function that `match` applies."""
        return _function(self.rules, partial(self._answer, k=k), MATCH)

    def _answer(self, text: str, k: int) -> dict[str, Any]:
        found = self.engine().search(text, k)
        data: dict[str, Any] = {
            "verdict": found.verdict.value,
            "fine_verdict": found.fine_verdict.value,
            "headline": found.headline,
            "answer": json.dumps(answer_to_dict(found)),
        }
        if found.matches:
            first = found.matches[0]
            data |= {
                "probability": round(first.probability, 4),
                "incident": first.incident.id,
                "title": first.incident.title,
            }
        return data

    def engine(self) -> Engine:
        """Return the engine of this Python worker, opened once and open until the worker ends."""
        return _engine(self)


@cache
def _engine(knowledge: Knowledge) -> Engine:
    return Engine.carried(knowledge.home, knowledge.model, knowledge.saved)


def _rules(home: Path | str | None) -> CustomRules:
    return NONE if home is None else read_house(home)


def _function(rules: CustomRules, value: Callable[[str], Any], kind: pa.DataType) -> Callable[[TextColumn], Column]:
    """Return an Arrow function of Spark that gives ``value`` of each text, under ``rules``."""

    def values(texts: pa.Array) -> pa.Array:
        # Spark takes any bytes for text: those that are no UTF-8 are replaced.
        given = texts.cast(pa.large_binary()).to_pylist()
        with adopted(rules):
            return pa.array([None if text is None else value(text.decode("utf-8", "replace")) for text in given], kind)

    made: Callable[[TextColumn], Column] = arrow_udf(values, from_arrow_type(kind))
    return made


def _parse(rules: CustomRules) -> Callable[[TextColumn], Column]:
    return _function(rules, lambda text: [chain_to_dict(chain) for chain in _chains(text)], pa.list_(TRACE))


def _fingerprints(rules: CustomRules) -> Callable[[TextColumn], Column]:
    def prints(text: str) -> list[dict[str, str]]:
        return [
            {level.value: one.digest for level, one in traces.fingerprints(chain).items()} for chain in _chains(text)
        ]

    return _function(rules, prints, pa.list_(FINGERPRINTS))


def _template(rules: CustomRules) -> Callable[[TextColumn], Column]:
    return _function(rules, traces.template, pa.string())


def _redact(rules: CustomRules) -> Callable[[TextColumn], Column]:
    return _function(rules, lambda text: redaction.redact(text).text, pa.string())


def _chains(text: str) -> Sequence[traces.ExceptionChain]:
    return [judged(chain) for chain in traces.parse(redaction.redact(text).text)]
