"""The one use case: a pasted text in, the closest known incidents out. Every door of the product enters here."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path

import numpy as np
import numpy.typing as npt

from index import tokens
from index.answer import Answer, Match, Query, Verdict
from index.candidates import ByFingerprint, ByTokens, ByVector, CandidateQuery, Side, gather
from index.common import names_of
from index.compare import FADE, SHARPNESS
from index.documents import Documents
from index.encoder import Encoder, load_encoder
from index.explain import Explanation, evidence, explanation
from index.facets import Narrowing, mask, narrow
from index.features import Compared, FeatureReader, QueryView, unit_names
from index.fingerprints import FingerprintIndex
from index.frequencies import Frequencies
from index.hashing import Hashes, hash_all
from index.house import check_rules, read_house
from index.judge import chance
from index.lexical import LexicalIndex
from index.phrases import phrase
from index.ragged import Ragged
from index.rank import MESSAGE_AGREES, Model, Ranking, ranking
from index.reading import Reading, Trace, read
from index.sketch import frame_tokens
from index.snapshot import SnapshotInfo, check_code, check_files, current
from index.vectors import VectorIndex
from kb.incident import Incident
from kb.trace import ExceptionChain, Level
from kb.trace.in_force import adopt

PER_SIDE = 40
"""Candidates each side gives; on 1,500 articles the right one is among them as often as with 200 (index/README.md)."""
MAX_K = 100
MAX_TOKENS = 48
"""The tokens of a query that are looked up, the most telling ones: more only cost time."""
COLUMNS = ("sketches", "terms", "focus", "title", "facets")


class Engine:
    """Searches one snapshot. Safe to use from several threads; nothing in it changes after opening."""

    def __init__(self, info: SnapshotInfo, encoder: Encoder) -> None:
        self.info = info
        self._encoder = encoder
        self._documents = Documents(info.path)
        self._prints = FingerprintIndex(info.path)
        vectors = VectorIndex(info.path)
        lexical = LexicalIndex(info.path / "lexical")
        counts = info.manifest.counts
        columns = {name: Ragged(info.path / name) for name in COLUMNS}
        words = Frequencies(info.path, "words", counts["searchable"])
        frames = Frequencies(info.path, "frames", counts["with_traces"])
        self._features = FeatureReader(columns, words, frames, vectors)
        self._terms = columns["terms"]
        self._until: int | None = None
        self._facets = columns["facets"]
        self._sides: tuple[Side, ...] = (
            ByFingerprint(self._prints),
            ByTokens(lexical, "frames"),
            ByTokens(lexical, "words"),
            ByVector(vectors),
        )
        self._ranking: Ranking = ranking()

    @classmethod
    def open(cls, home: Path | str, model: str | None = None) -> "Engine":
        """Open the current snapshot of a home folder with a model (None: the built-in one).

        SnapshotError when there is none, or when it was built by other code, another model or under other rules; SettingsError for
        the model, RulesError for the rules of the home. These are in force in the whole process from then on.
        """
        info = current(home)
        encoder = load_encoder(model)
        check_code(info, encoder)
        check_files(info)
        rules = read_house(home)
        check_rules(info, rules)
        tokens.warm()
        engine = cls(info, encoder)
        adopt(rules)  # last: an engine that does not open leaves the one that answers its rules
        return engine

    @property
    def snapshot_id(self) -> str:
        """The id of the snapshot that answers."""
        return self.info.id

    def search(self, text: str, k: int = 5, filters: Mapping[str, str] | None = None) -> Answer:
        """The closest known incidents, best first. ``k`` is held within 1 and 100. No text raises."""
        started = time.perf_counter()
        reading = read(text)
        narrowing = narrow(filters, reading.lang)
        ranked = self.ranked(reading, narrowing)[: max(1, min(k, MAX_K))]
        verdict = self.model_for(reading, ranked[0][1]).verdict(ranked[0][0]) if ranked else Verdict.UNKNOWN
        notes = reading.notes + narrowing.notes + self._best_trace_note(reading, ranked)
        return Answer(
            query=Query(reading.chains, reading.lang),
            verdict=verdict,
            matches=tuple(self._match(reading, likely, found) for likely, found in ranked),
            notes=notes,
            snapshot_id=self.snapshot_id,
            took_ms=(time.perf_counter() - started) * 1000,
        )

    def explain(self, text: str, incident_id: str) -> Explanation | None:
        """How the text compares with one incident, number by number; None when no incident has that id."""
        row = self._documents.row_of(incident_id)
        if row is None:
            return None
        reading = read(text)
        found = self._features.compared(self._view(reading), [row])[0]
        model = self.model_for(reading, found)
        return explanation(reading, found, model, self._documents.incident(row), self._documents.chains(row))

    def incident(self, incident_id: str) -> Incident | None:
        """The incident with that id, duplicates included; None when there is none."""
        row = self._documents.row_of(incident_id)
        return None if row is None else self._documents.incident(row)

    def before(self, row: int, words: Frequencies, frames: Frequencies) -> "Engine":
        """The engine as it stood when only the rows below ``row`` had been told, and rarity was as given: for measuring.

        It shares the files; only the first is closed.
        """
        then = copy(self)
        then._until = row  # noqa: SLF001 - of its own kind
        then._features = self._features.counting(words, frames)  # noqa: SLF001
        return then

    def told(self, row: int) -> tuple[Hashes, tuple[ExceptionChain, ...]]:
        """What a row holds: the names of its words, ascending, and its normalised chains."""
        return self._terms[row], self._documents.chains(row)

    def close(self) -> None:
        """Let go of the snapshot's files."""
        self._documents.close()

    def compare(self, reading: Reading, narrowing: Narrowing | None = None) -> list[Compared]:
        """Every candidate with its features, in the order of rows: what ranking and training look at."""
        if not reading.text.strip():
            return []
        view = self._view(reading)
        query = self._candidate_query(view, narrowing or narrow(None, reading.lang))
        return self._features.compared(view, gather(self._sides, query, PER_SIDE))

    def model_for(self, reading: Reading, found: Compared) -> Model:
        """The weights and thresholds that judge this text beside one incident.

        A paste that ends at its root cause shows only its wrapper's frames. Where its root message agrees and its frames do
        not, the message is what counts.
        """
        features = found.features
        frames_agree = max(features.exact, features.root_cause) > 0
        cut_off = not reading.has_frames and not frames_agree and features.root_message >= MESSAGE_AGREES
        return self._ranking.model(has_frames=reading.has_outer_frames and not cut_off)

    def id_of(self, row: int) -> str:
        """The id of the incident at a row of the snapshot."""
        return self._documents.id_of(row)

    def ids(self) -> Iterator[str]:
        """The ids of all incidents of the snapshot, duplicates included."""
        return self._documents.ids()

    def ranked(self, reading: Reading, narrowing: Narrowing | None = None) -> list[tuple[float, Compared]]:
        """What is probable enough to be shown, with its probability, best first; ties in the order of ids."""
        judged = self.judged(reading, narrowing)
        return [(likely, found) for likely, found in judged if likely >= self.model_for(reading, found).shown]

    def judged(self, reading: Reading, narrowing: Narrowing | None = None) -> list[tuple[float, Compared]]:
        """All candidates with their probabilities, best first; ties in the order of ids."""
        judged = []
        for found in self.compare(reading, narrowing):
            model = self.model_for(reading, found)
            judged.append((chance(reading, found, model), model.log_odds(found.features), found))
        judged.sort(key=lambda one: (-one[0], -one[1], self.id_of(one[2].row)))
        return [(likely, found) for likely, _, found in judged]

    def _view(self, reading: Reading) -> QueryView:
        words, concepts = unit_names(reading.units)
        return QueryView(
            reading=reading,
            vector=self._encoder.encode([reading.embedded])[0],
            print_rows=self._print_rows(reading),
            word_names=words,
            concept_names=concepts,
            word_weights=self._features.word_weights(words),
        )

    def _print_rows(self, reading: Reading) -> dict[Level, dict[int, float]]:
        """Per level, the rows with an equal fingerprint, and what that tells: less the more rows have it."""
        found: dict[Level, dict[int, float]] = {level: {} for level in Level}
        for trace in reading.traces:
            telling = self._features.telling(trace)
            for fingerprint in trace.prints:
                rows = self._prints.rows(fingerprint.level, fingerprint.digest)
                told = telling / (1.0 + math.log(len(rows))) if rows else 0.0
                here = found[fingerprint.level]
                here.update((row, max(told, here.get(row, 0.0))) for row in rows)
        return found

    def _candidate_query(self, view: QueryView, narrowing: Narrowing) -> CandidateQuery:
        allowed: npt.NDArray[np.bool_] | None = mask(self._facets, narrowing.required)
        if allowed is not None and allowed.all():
            allowed = None
        required = () if allowed is None else narrowing.required
        if self._until is not None:
            past = np.arange(len(self._facets)) < self._until
            allowed = past if allowed is None else allowed & past
        return CandidateQuery(
            prints=tuple(p for trace in view.reading.traces for p in trace.prints),
            frames=self._frame_weights(view.reading.traces),
            words=self._word_weights(view),
            vector=view.vector,
            required=required,
            allowed=allowed,
            until=self._until,
        )

    def _frame_weights(self, traces: Sequence[Trace]) -> dict[str, float]:
        """The most telling frames and types, those near a raise point first."""
        fade: dict[str, float] = {}
        for trace in traces:
            for at, token in enumerate(frame_tokens(trace.normalised)):
                told = np.exp(-FADE * at) if token[0] in "fp" else 1.0
                fade[token] = max(fade.get(token, 0.0), float(told))
        names = names_of(fade)
        weights = self._features.frames.rarity(names) ** SHARPNESS * np.array(list(fade.values()))
        known = self._features.frames.counts(names) > 0
        return _heaviest(names, np.where(known, weights, 0.0), "{:016x}")

    def _word_weights(self, view: QueryView) -> dict[str, float]:
        """The most telling words that the snapshot has, concepts beside them."""
        terms = list(dict.fromkeys(t for unit in view.reading.units for t in unit if t))
        names = hash_all(terms)
        known = self._features.words.counts(names) > 0
        weights = np.where(known, self._features.words.rarity(names), 0.0)
        order = np.argsort(-weights, kind="stable")[:MAX_TOKENS]
        return {terms[i]: float(weights[i]) for i in order if weights[i] > 0}

    def _match(self, reading: Reading, likely: float, found: Compared) -> Match:
        incident = self._documents.incident(found.row)
        model = self.model_for(reading, found)
        return Match(incident, likely, evidence(reading, found, model, self._documents.chains(found.row)))

    def _best_trace_note(self, reading: Reading, ranked: Sequence[tuple[float, Compared]]) -> tuple[str, ...]:
        """Which of several traces the first match is about."""
        if len(reading.traces) < 2 or not ranked or ranked[0][1].trace is None:
            return ()
        chain = reading.traces[ranked[0][1].trace].found
        line = reading.text.count("\n", 0, chain.span[0]) + 1
        kind = chain.exceptions[0].type or chain.thread or phrase(reading.lang, "head_cut_off")
        return (phrase(reading.lang, "note_best_trace", line=line, type=kind),)


def _heaviest(names: npt.NDArray[np.uint64], weights: npt.NDArray[np.float64], form: str) -> dict[str, float]:
    order = np.argsort(-weights, kind="stable")[:MAX_TOKENS]
    return {form.format(int(names[i])): float(weights[i]) for i in order if weights[i] > 0}
