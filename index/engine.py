"""The one use case: a pasted text in, the closest known incidents out. Every door of the product enters here."""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, groupby
from pathlib import Path
from threading import Lock
from typing import Self

import numpy as np
import numpy.typing as npt

from index.answer import Answer, Match, Named, Problem
from index.encoder import Encoder, Vectors, load_encoder, vector_of
from index.explain.case import MatchCase, against
from index.explain.evidence import Explanation, evidence, explanation
from index.explain.spans import QuerySpans
from index.holdings import Holdings
from index.live.overlay import Overlay
from index.live.saved import FailedChange, Position, StoreChanges, StoreFollower, Take, opened
from index.local_rules import check_rules, read_house
from index.ranking.features import ComparedIncident
from index.ranking.groups import MOST_CAUSES, Ranked, alternatives, grouped, lead_of, standing
from index.ranking.pairs import IncidentPairs, StatedCauses
from index.ranking.problems import MATCHES, JudgedText, best_trace_note, headline, problems
from index.ranking.rank import (
    RankModel,
    below_known,
    bundled_model,
    chance,
    is_listed,
    names_another_program,
    odds,
    says_something_else,
)
from index.ranking.sightings import ReaderVotes, SightingIndex
from index.reading import Reading, read
from index.stages import stage
from index.storage.catalogue import Catalogue
from index.storage.place import CandidatePlace
from index.storage.restoring import finish
from index.storage.segment import SnapshotSegment
from index.storage.snapshot import CURE, SnapshotInfo, check_code, current, sealed, untouched, verify
from index.terms.facets import Narrowing, narrow
from kb import store as stores
from kb.errors import SnapshotError
from kb.incident import Incident, Repost
from kb.language import answer_language
from kb.store import IncidentChange
from kb.store.voices import LearnedSightings
from kb.trace import ExceptionChain
from kb.trace.custom import CustomRules
from kb.trace.in_force import activate, adopted, made_ready
from kb.translations import in_language

MAX_K = 100
_Judged = tuple[float, float, ComparedIncident]


class Engine:
    """Searches one snapshot and what was saved since. Safe to use from several threads: what a search began with does not change."""

    def __init__(self, info: SnapshotInfo, encoder: Encoder, rules: CustomRules, place: CandidatePlace | None) -> None:
        self.info = info
        self.rules = rules
        self._ready = made_ready(rules)
        self._seal = sealed(info)
        self._encoder = encoder
        self._applying = Lock()
        self._following = StoreFollower(Position.of(info.manifest), self.apply, self._begin, self.learn)
        self._snapshot = SnapshotSegment(info, place)
        self._overlay = Overlay(self._snapshot, encoder)
        self._holdings = Holdings.of(self._snapshot)
        self._sightings = SightingIndex()
        self._causes = StatedCauses(encoder)

    @classmethod
    def open(
        cls,
        home: Path | str,
        model: str | None = None,
        store: Path | str | None = None,
        candidates: CandidatePlace | None = None,
    ) -> Self:
        """Open the current snapshot of a home folder with a model (None: the built-in one), and all that was saved since.

        ``store`` is the place of the store (None: ``store.db`` in the home, if it is there); it is not held open. ``candidates`` is where candidates are looked up (None: the snapshot's own index); it is asked with the first search, not before.
        A restore that was cut off is ended first. SnapshotError when there is no snapshot, or when it was built by other code, another model or under other rules; SettingsError
        for the model, RulesError for the rules of the home, StoreError for the store. The engine reads under these rules, whatever acts in the process.
        """
        finish(Path(home), store)
        with opened(home, store) as found:
            return cls._begun(home, model, lambda one: one.catch_up(found) if found else None, candidates)

    @classmethod
    def carried(cls, home: Path | str, model: str | None, saved: StoreChanges) -> Self:
        """The same where the store is not: what it has over the snapshot was carried there."""
        return cls._begun(home, model, lambda following: following.take(saved))

    @classmethod
    def _begun(cls, home: Path | str, model: str | None, take: Take, candidates: CandidatePlace | None = None) -> Self:
        info = current(home)
        encoder = load_encoder(model)
        check_code(info, encoder)
        rules = read_house(home)
        check_rules(info, rules)
        try:
            engine = cls(info, encoder, rules, candidates)
        except SnapshotError:
            raise
        except Exception as error:
            verify(info.path)  # what the disk forgot without a word
            raise SnapshotError(f"snapshot {info.id} cannot be opened: {error!r}", cure=CURE) from error
        try:
            take(engine._following)
        except BaseException:
            engine.close()
            raise
        return engine

    def activate(self) -> None:
        """Let its rules act in the whole process, also outside of its methods. Call it where one process serves one home."""
        activate(self._ready)

    @cached_property
    def model(self) -> RankModel:
        """The bundled weights; what only compares, as training does, needs none: those of today may name features of yesterday."""
        return bundled_model()

    @property
    def snapshot_id(self) -> str:
        """The id of the snapshot that answers."""
        return self.info.id

    def search(
        self,
        text: str,
        k: int = 5,
        filters: Mapping[str, str] | None = None,
        *,
        without: str | None = None,
        lang: str | None = None,
    ) -> Answer:
        """Return the closest known incidents, best first; incidents of one problem are one match. ``k`` is held within 1 and 100. No text raises.

        ``without`` is the id of an incident that is not to be found. ``lang`` is the reader's language, ``zh`` or ``en`` (None: that of the
        text): reasons and notes are in it, and incidents that have a translation into it.
        """
        return self.searched(text, k, filters, without=without, lang=lang)[1]

    def searched(
        self,
        text: str,
        k: int = 5,
        filters: Mapping[str, str] | None = None,
        *,
        without: str | None = None,
        lang: str | None = None,
    ) -> tuple[Reading, Answer]:
        """The same answer, behind the reading it was made of: for whoever shows both, so that nothing is read twice."""
        started = time.perf_counter()
        now = copy(self)  # what is applied meanwhile is for the next search
        with adopted(self._ready):
            with stage("parse"):
                reading = read(text, lang)
            answer_lang, k = lang or answer_language(reading.lang), max(1, min(k, MAX_K))
            narrowing = narrow(filters, answer_lang)
            try:
                own = () if without is None else (now._holdings.row_of(without),)  # noqa: SLF001 - our copy
                judge = partial(now._judge, narrowing=narrowing, k=k, own=own)  # noqa: SLF001 - our copy
                found = problems(reading, judge, self.model)
                return reading, now._answer(reading, found, k, started, answer_lang, narrowing.notes)  # noqa: SLF001 - our copy
            except Exception:
                self.check()  # a file that was written to under us explains it
                raise

    def _answer(
        self, reading: Reading, found: Sequence[JudgedText], k: int, started: float, lang: str, notes: tuple[str, ...]
    ) -> Answer:
        """Return the answer that shows the problems found, with ``notes`` about the filters."""
        first = found[0]
        with stage("explain"):
            matches = self._matches(reading, first, k, lang)
            some = [matches, *(self._matches(reading, one, min(k, MATCHES), lang) for one in found[1:])]
            problems = tuple(self._problem(lang, *one) for one in zip(found, some, strict=True))
        return Answer(
            query=replace(first.reading.query, lang=reading.lang),
            verdict=first.fine_verdict.verdict,
            matches=matches,
            notes=reading.notes + notes + best_trace_note(reading, first, lang) + self._snapshot.notes(lang),
            snapshot_id=self.snapshot_id,
            took_ms=(time.perf_counter() - started) * 1000,
            headline=problems[0].headline,
            causes=problems[0].causes,
            problems=problems,
        )

    def _judge(self, reading: Reading, narrowing: Narrowing, k: int, own: Collection[int | None] = ()) -> JudgedText:
        """Return the ranked groups, causes and verdict of a text or a part of one, without the incidents at ``own``."""
        compared = [one for one in self._compare(reading, narrowing) if one.row not in own]
        with stage("rank"):
            judged, pairs = self._judged(reading, compared), self._pairs()
            listed = (one for one in judged if is_listed(reading, one[1], one[0], self.model))
            groups = grouped(listed, max(k, MOST_CAUSES), pairs)
            causes = alternatives(groups, self.model, pairs)
            ahead = lead_of(groups[0][0][1], judged, self.model, pairs) if groups else 0.0
            for first in filter(None, (*groups[:1], causes)):  # the same match, as probable as its lead makes it
                first[0] = (self._chance(reading, first[0][1], odds([first[0][1]], self.model, ahead)[0]), first[0][1])
        verdict = standing([one for one, _ in causes or [group[0] for group in groups[:1]]], self.model)
        return JudgedText(reading, verdict, groups, causes if verdict.is_likely else (), ahead)

    def _matches(self, reading: Reading, judged: JudgedText, k: int, lang: str) -> tuple[Match, ...]:
        """The first matches of a problem, explained in a language."""
        part = judged.reading if judged.reading.lang == reading.lang else replace(judged.reading, lang=reading.lang)
        places = QuerySpans(part)
        whole = [reading.traces.index(trace) if trace in reading.traces else None for trace in part.traces]
        groups = enumerate(judged.groups[:k])
        return tuple(self._match(places, group, whole, lang, is_first=not at) for at, group in groups)

    def _problem(self, lang: str, judged: JudgedText, matches: Sequence[Match]) -> Problem:
        causes = tuple(self._holdings.id_of(found.row) for _, found in judged.causes)
        heading = headline(lang, judged.fine_verdict, len(causes), matches[0].incident.title if matches else "")
        return Problem(judged.span, judged.fine_verdict, heading, tuple(matches[:MATCHES]), causes, judged.prints)

    def explain(self, text: str, incident_id: str) -> Explanation | None:
        """Compare an incident with the problem of the text that finds it, or with the whole text, number by number; None when no incident has that id."""
        now = self._holdings
        row = now.row_of(incident_id)
        if row is None:
            return None
        with adopted(self._ready):
            whole = read(text)
            judge = partial(self._judge, narrowing=narrow(None, whole.lang), k=MATCHES)
            part = min(problems(whole, judge, self.model), key=lambda one: one.rank_of(row))
            reading = whole if part.rank_of(row) > MAX_K else part.reading
            ahead = 0.0 if part.rank_of(row) else part.ahead
            found = now.compared(reading, self._vector(reading), row)._replace(seen=self._seen(reading).get(row))
            case = self._case(QuerySpans(reading), found, now.incident(row), now.chains(row))
            likely = self._chance(reading, found, odds([found], self.model, ahead)[0])
            return explanation(case, likely if part.rank_of(row) else part.likely, ahead)

    def incident(self, incident_id: str) -> Incident | None:
        """Return the incident with that id, duplicates included; None when there is none."""
        now = self._holdings
        row = now.row_of(incident_id)
        return None if row is None else now.incident(row)

    @property
    def position(self) -> Position:
        """The position reached in the store: changes with a higher number are not searched yet."""
        return self._following.position

    @property
    def aside(self) -> Mapping[str, FailedChange]:
        """By id, the changes that could not be indexed: those incidents are searched as they were before, or not at all."""
        return self._following.aside

    @property
    def candidates_fault(self) -> str | None:
        """Why candidates do not come from where they should; None when they do."""
        return self._snapshot.fault

    @property
    def overlay_size(self) -> int:
        """Return how many incidents differ from the snapshot."""
        return len(self._overlay)

    def apply(self, changes: Iterable[IncidentChange]) -> None:
        """Apply what was saved since the snapshot was built. Searches go on meanwhile; each sees all of a batch or nothing of it."""
        with self._applying, adopted(self._ready):
            self._holdings = self._overlay.apply(changes) or self._holdings

    def learn(self, learned: Iterable[LearnedSightings]) -> None:
        """Apply what readers confirmed and denied. As with `apply`, each search sees all of a batch or nothing of it."""
        with self._applying:
            self._sightings = self._sightings.with_learned(learned)

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
            self._sightings = SightingIndex()

    def check(self) -> None:
        """Look whether somebody has written to the files of the snapshot since they were opened. SnapshotError when one holds something else now."""
        self._seal = untouched(self.info, self._seal)

    def close(self) -> None:
        """Close the snapshot's files."""
        self._snapshot.close()

    def _compare(self, reading: Reading, narrowing: Narrowing | None = None) -> list[ComparedIncident]:
        """Every candidate with its features, in the order of rows: what ranking and training look at."""
        if not reading.text or reading.text.isspace():  # strip() would copy it
            return []
        seen = self._seen(reading)
        confirmed = [row for row, one in seen.items() if one.share > 0]
        wanted = narrowing or narrow(None, reading.lang)
        compared = self._holdings.compare(reading, self._vector(reading), wanted, confirmed)
        return [one._replace(seen=seen[one.row]) if one.row in seen else one for one in compared]

    def _seen(self, reading: Reading) -> dict[int, ReaderVotes]:
        """Return the readers' votes on incidents for such a text, by row."""
        now = self._holdings
        votes = self._sightings.about(reading, now.words, now.features.telling)
        rows = ((now.row_of(name), one) for name, one in votes.items())
        return {row: one for row, one in rows if row is not None}

    def ingested(self, row: int, count: int) -> list[Incident]:
        """So many incidents of the snapshot from a row on, without chains, as they were when it was built."""
        documents = self._snapshot.documents
        return [documents.shown(at) for at in range(row, min(row + count, len(documents)))]

    def catalogue(self) -> Catalogue:
        """The incidents that are found, to be browsed by facets with counts."""
        return self._holdings.catalogue

    def vectors(self, ids: Iterable[str]) -> Vectors:
        """The embeddings of incidents, one row each; zeros for an id that is not found."""
        return self._holdings.vectors_of(ids, self._encoder.dim)

    def searchable(self) -> int:
        """How many incidents are found."""
        return self._holdings.searchable

    def ids(self) -> Iterator[str]:
        """The ids of all incidents of the snapshot, duplicates included."""
        return self._holdings.ids()

    def _judged(self, reading: Reading, found: Sequence[ComparedIncident]) -> list[tuple[float, ComparedIncident]]:
        pairs = zip(found, odds(found, self.model), strict=True)
        judged = [(self._chance(reading, one, log), log, one) for one, log in pairs]
        judged.sort(key=lambda one: one[:2], reverse=True)
        equals = groupby(judged, key=lambda one: one[:2])  # an id is read from disk: only where it decides
        return [(one[0], one[2]) for _, group in equals for one in self._by_id(list(group))]

    def _chance(self, reading: Reading, found: ComparedIncident, log_odds: float) -> float:
        likely = chance(reading, found, log_odds)
        if likely < self.model.known or found.seen or found.incident_chain is None:
            return likely
        now = self._holdings
        is_another = says_something_else(reading, found, now.features.chains(found.row)) or names_another_program(
            reading, now.shown(found.row), partial(now.chains, found.row)
        )
        return below_known(likely, self.model) if is_another else likely

    def _by_id(self, equals: list[_Judged]) -> list[_Judged]:
        return equals if len(equals) == 1 else sorted(equals, key=lambda one: self._holdings.id_of(one[2].row))

    def _pairs(self) -> IncidentPairs:
        """Return what compares the incidents of one answer."""
        causes = self._causes.between(lambda row: self._holdings.shown(row).root_cause or "")
        return IncidentPairs(self._holdings.features, causes)

    def _case(
        self,
        places: QuerySpans,
        found: ComparedIncident,
        incident: Incident,
        chains: tuple[ExceptionChain, ...],
        lang: str | None = None,
    ) -> MatchCase:
        now = self._holdings
        return MatchCase(places, found, self.model, incident, chains, now.terms(found.row), now.features, lang)

    def _match(
        self, places: QuerySpans, group: Sequence[Ranked], numbers: Sequence[int | None], lang: str, *, is_first: bool
    ) -> Match:
        """The match of a group; ``numbers`` are those of the traces in the whole text, None for an error line that is no trace of it.

        What speaks against it is asked of the first alone, which is read: it costs half of what the reasons do.
        """
        now = self._holdings
        likely, found = group[0]
        chains = now.chains(found.row)
        shown = [in_language(now.shown(other.row), lang) for _, other in group]
        reposts = (repost for one in shown for repost in one.reposts)
        also = [Named(other.id, other.title) for other in chain[Incident | Repost](shown[1:], reposts)]
        case = self._case(places, found, shown[0], chains, lang)
        number = numbers[case.pair.trace] if case.pair else None
        traces = None if case.pair is None or number is None else (number, case.pair.chain)
        speaking, first = against(case) if is_first else (), replace(shown[0], chains=chains)
        return Match(first, likely, evidence(case), tuple(also), against=speaking, traces=traces)

    def _vector(self, reading: Reading) -> npt.NDArray[np.float32]:
        with stage("embed"):
            return vector_of(self._encoder, reading.embedded)
