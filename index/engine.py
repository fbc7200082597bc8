"""The one use case: a pasted text in, the closest known incidents out. Every door of the product enters here."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt

from index.answer import Answer, Match, Named, Query, Verdict
from index.encoder import Encoder, load_encoder
from index.explain import Explanation, evidence, explanation
from index.facets import Narrowing, narrow
from index.features import Compared
from index.following import Following
from index.frequencies import Frequencies
from index.groups import Ranked, grouped
from index.hashing import Hashes
from index.holdings import Holdings
from index.house import check_rules, read_house
from index.judge import chance
from index.overlay import Overlay
from index.phrases import phrase
from index.rank import MESSAGE_AGREES, Model, Ranking, ranking
from index.reading import Reading, read
from index.saved import Aside, Position, Saved, opened
from index.segment import SnapshotSegment
from index.snapshot import SnapshotInfo, check_code, check_files, current
from index.stages import stage
from kb import store as stores
from kb.incident import Incident, Repost
from kb.store import Change
from kb.trace import ExceptionChain
from kb.trace.in_force import adopt, rules_in_force

MAX_K = 100
_CAUSE = 600
"""Characters of a stated cause that are compared with those of another."""
_SAME_CAUSE = 0.5
"""The cosine of two stated causes below which incidents with one trace are two problems."""


class Engine:
    """Searches one snapshot and what was saved since. Safe to use from several threads: what a search began with does not change."""

    def __init__(self, info: SnapshotInfo, encoder: Encoder) -> None:
        self.info = info
        self._encoder = encoder
        self._applying = Lock()
        self._following = Following(Position.of(info.manifest), self.apply, self._begin)
        self._snapshot = SnapshotSegment(info)
        self._overlay = Overlay(self._snapshot, encoder)
        self._holdings = Holdings.of(self._snapshot)
        self._ranking: Ranking = ranking()

    @classmethod
    def open(cls, home: Path | str, model: str | None = None, store: Path | str | None = None) -> "Engine":
        """Open the current snapshot of a home folder with a model (None: the built-in one), and all that was saved since.

        ``store`` is the place of the store (None: ``store.db`` in the home, if it is there); it is not held open.
        SnapshotError when there is no snapshot, or when it was built by other code, another model or under other rules; SettingsError
        for the model, RulesError for the rules of the home, StoreError for the store. These rules are in force in the whole process
        from then on.
        """
        with opened(home, store) as found:
            return cls._begun(home, model, lambda following: following.catch_up(found) if found else None)

    @classmethod
    def carried(cls, home: Path | str, model: str | None, saved: Saved) -> "Engine":
        """The same where the store is not: what it has over the snapshot was carried there."""
        return cls._begun(home, model, lambda following: following.take(saved))

    @classmethod
    def _begun(cls, home: Path | str, model: str | None, take: Callable[[Following], object]) -> "Engine":
        info = current(home)
        encoder = load_encoder(model)
        check_code(info, encoder)
        check_files(info)
        rules, before = read_house(home), rules_in_force()
        check_rules(info, rules)
        engine = cls(info, encoder)
        adopt(rules)
        try:
            take(engine._following)
        except BaseException:
            engine.close()
            adopt(before)  # an engine that does not open leaves the one that answers its rules
            raise
        return engine

    @property
    def snapshot_id(self) -> str:
        """The id of the snapshot that answers."""
        return self.info.id

    def search(
        self, text: str, k: int = 5, filters: Mapping[str, str] | None = None, *, without: str | None = None
    ) -> Answer:
        """The closest known incidents, best first, those of one problem as one. ``k`` is held within 1 and 100. No text raises.

        ``without`` is the id of an incident that is not to be found.
        """
        return copy(self)._answer(text, k, filters, without)  # noqa: SLF001 - what is applied meanwhile is for the next search

    def _answer(self, text: str, k: int, filters: Mapping[str, str] | None, without: str | None) -> Answer:
        started = time.perf_counter()
        with stage("parse"):
            reading = read(text)
        narrowing = narrow(filters, reading.lang)
        compared = self.compare(reading, narrowing)
        if without is not None:
            own = self._holdings.row_of(without)
            compared = [one for one in compared if one.row != own]
        with stage("rank"):
            shown = self._shown(reading, self._judged(reading, compared))
            groups = grouped(shown, max(1, min(k, MAX_K)), self._holdings.features, self._is_one_cause)
        ranked = [group[0] for group in groups]
        verdict = self.model_for(reading, ranked[0][1]).verdict(ranked[0][0]) if ranked else Verdict.UNKNOWN
        notes = reading.notes + narrowing.notes + self._best_trace_note(reading, ranked)
        with stage("explain"):
            matches = tuple(self._match(reading, group) for group in groups)
        return Answer(
            query=Query(reading.chains, reading.lang),
            verdict=verdict,
            matches=matches,
            notes=notes,
            snapshot_id=self.snapshot_id,
            took_ms=(time.perf_counter() - started) * 1000,
        )

    def explain(self, text: str, incident_id: str) -> Explanation | None:
        """How the text compares with one incident, number by number; None when no incident has that id."""
        now = self._holdings
        row = now.row_of(incident_id)
        if row is None:
            return None
        reading = read(text)
        found = now.compared(reading, self._vector(reading), row)
        model = self.model_for(reading, found)
        return explanation(reading, found, model, now.incident(row), now.chains(row))

    def incident(self, incident_id: str) -> Incident | None:
        """The incident with that id, duplicates included; None when there is none."""
        now = self._holdings
        row = now.row_of(incident_id)
        return None if row is None else now.incident(row)

    @property
    def position(self) -> Position:
        """How far the store was followed: what has a higher number is not searched yet."""
        return self._following.position

    @property
    def aside(self) -> Mapping[str, Aside]:
        """By id, the changes that could not be indexed: those incidents are searched as they were before, or not at all."""
        return self._following.aside

    @property
    def overlay_size(self) -> int:
        """How many incidents are otherwise than in the snapshot."""
        return len(self._overlay)

    def apply(self, changes: Iterable[Change]) -> None:
        """Take in what was saved since the snapshot was built. Searches go on meanwhile, each sees all of a batch or nothing of it."""
        with self._applying:
            self._holdings = self._overlay.apply(changes) or self._holdings

    def follow(self, store: "stores.Store") -> int:
        """Take in all that changed in the store since the last time; how many incidents did. To be called again and again.

        When nothing did, one row is read. Else the changes are taken a few at a time, in order, with a rest between them in which
        searches have the processor; where reading them fails, those before are taken, and the next call goes on there. One that
        cannot be indexed is set `aside`. Another store than was followed (one that was restored from a backup) is taken from its beginning.
        """
        return self._following.follow(store)

    def _begin(self) -> None:
        """The snapshot alone, to be followed by a store of which nothing is known."""
        with self._applying:
            self._overlay = Overlay(self._snapshot, self._encoder)
            self._holdings = Holdings.of(self._snapshot)

    def before(self, row: int, words: Frequencies, frames: Frequencies) -> "Engine":
        """The engine as it stood when only the rows below ``row`` had been told, and rarity was as given: for measuring.

        It shares the files; only the first is closed.
        """
        then = copy(self)
        then._holdings = Holdings.of(self._snapshot.before(row, words, frames))  # noqa: SLF001 - of its own kind
        return then

    def told(self, row: int) -> tuple[Hashes, tuple[ExceptionChain, ...]]:
        """What a row holds: the names of its words, ascending, and its normalised chains."""
        return self._holdings.terms(row), self._holdings.chains(row)

    def close(self) -> None:
        """Let go of the snapshot's files."""
        self._snapshot.close()

    def compare(self, reading: Reading, narrowing: Narrowing | None = None) -> list[Compared]:
        """Every candidate with its features, in the order of rows: what ranking and training look at."""
        if not reading.text.strip():
            return []
        return self._holdings.compare(reading, self._vector(reading), narrowing or narrow(None, reading.lang))

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
        return self._holdings.id_of(row)

    def ingested(self, row: int, count: int) -> list[Incident]:
        """So many incidents of the snapshot from a row on, without chains, as they were when it was built."""
        documents = self._snapshot.documents
        return [documents.shown(at) for at in range(row, min(row + count, len(documents)))]

    def ids(self) -> Iterator[str]:
        """The ids of all incidents of the snapshot, duplicates included."""
        return self._holdings.ids()

    def ranked(self, reading: Reading, narrowing: Narrowing | None = None) -> list[tuple[float, Compared]]:
        """What is probable enough to be shown, with its probability, best first; ties in the order of ids."""
        return self._shown(reading, self.judged(reading, narrowing))

    def judged(self, reading: Reading, narrowing: Narrowing | None = None) -> list[tuple[float, Compared]]:
        """All candidates with their probabilities, best first; ties in the order of ids."""
        return self._judged(reading, self.compare(reading, narrowing))

    def _shown(self, reading: Reading, judged: Iterable[tuple[float, Compared]]) -> list[tuple[float, Compared]]:
        return [(likely, found) for likely, found in judged if likely >= self.model_for(reading, found).shown]

    def _judged(self, reading: Reading, compared: Iterable[Compared]) -> list[tuple[float, Compared]]:
        judged = []
        for found in compared:
            model = self.model_for(reading, found)
            judged.append((chance(reading, found, model), model.log_odds(found.features), found))
        judged.sort(key=lambda one: one[:2], reverse=True)
        equals = groupby(judged, key=lambda one: one[:2])  # an id is read from disk: only where it decides
        return [(one[0], one[2]) for _, group in equals for one in self._by_id(list(group))]

    def _by_id(self, equals: list[tuple[float, float, Compared]]) -> list[tuple[float, float, Compared]]:
        return equals if len(equals) == 1 else sorted(equals, key=lambda one: self.id_of(one[2].row))

    def _is_one_cause(self, ours: int, theirs: int) -> bool:
        """Whether the causes that two incidents state mean about the same; so they may where one states none."""
        causes = [self._holdings.shown(row).root_cause or "" for row in (ours, theirs)]
        one, other = self._encoder.encode([cause[:_CAUSE] for cause in causes])
        return not all(causes) or float(one @ other) >= _SAME_CAUSE

    def _match(self, reading: Reading, group: Sequence[Ranked]) -> Match:
        now = self._holdings
        likely, found = group[0]
        chains = now.chains(found.row)
        pieces = evidence(reading, found, self.model_for(reading, found), chains)
        shown = [now.shown(other.row) for _, other in group]
        reposts = (repost for one in shown for repost in one.reposts)
        also = [Named(other.id, other.title) for other in chain[Incident | Repost](shown[1:], reposts)]
        return Match(replace(shown[0], chains=chains), likely, pieces, tuple(also))

    def _vector(self, reading: Reading) -> npt.NDArray[np.float32]:
        with stage("embed"):
            vector: npt.NDArray[np.float32] = self._encoder.encode([reading.embedded])[0]
        return vector

    def _best_trace_note(self, reading: Reading, ranked: Sequence[tuple[float, Compared]]) -> tuple[str, ...]:
        """Which of several traces the first match is about."""
        if len(reading.traces) < 2 or not ranked or ranked[0][1].trace is None:
            return ()
        chain = reading.traces[ranked[0][1].trace].found
        line = reading.text.count("\n", 0, chain.span[0]) + 1
        kind = chain.exceptions[0].type or chain.thread or phrase(reading.lang, "head_cut_off")
        return (phrase(reading.lang, "note_best_trace", line=line, type=kind),)
