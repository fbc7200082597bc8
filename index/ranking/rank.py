"""From features to a probability and a verdict: a sum of log-odds, with weights that are data.

Weights, thresholds and where they come from: ``rules/rank.json``, written by ``kb rank train DATA``. Every weight
is at least 0 and every feature grows with agreement, so more agreement never lowers a probability.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import chain

import numpy as np

from index.answer import EvidenceKind, FineVerdict, Verdict
from index.ranking.features import NAMES, ComparedIncident, Features
from index.reading import Reading
from index.terms.sketch import ChainSketch
from kb.entities.components import table_of
from kb.errors import RulesError
from kb.incident import Incident
from kb.trace import ExceptionChain
from kb.trace.in_force import rules_in_force


@dataclass(frozen=True, slots=True)
class BetaCalibration:
    """What a sum of log-odds turned out to be worth on real questions, as log-odds again (Kull et al., 2017).

    ``low · ln p - high · ln(1 - p) + lead · ahead + offset``, where p is the probability of the sum; (1, 1, 0, 0) changes nothing. It rises
    with the sum, so no order changes. ``low`` stretches what is improbable, ``high`` what is probable.
    """

    low: float = 1.0
    high: float = 1.0
    offset: float = 0.0
    lead: float = 0.0
    """What it adds to be one log-odd ahead of the next other problem."""

    def __call__(self, log_odds: float, ahead: float = 0.0) -> float:
        """The calibrated log-odds of a sum, so far ahead of that of the next other problem (`lead_over`)."""
        below = max(-log_odds, 0.0) + math.log1p(math.exp(-abs(log_odds)))  # -ln p
        return self.offset + self.high * (log_odds + below) - self.low * below + self.lead * ahead


SHOWN = 2.1
"""Shown is what is at least this many times as probable as an incident that agrees in nothing: as many were shown before calibration (2026-11-27)."""


@dataclass(frozen=True)
class RankModel:
    """How features add up, and which probability is called what.

    There are two sums: one for a paste and an incident that both show frames, one for all others. `Features.silent` says how much of
    each counts, so that an incident whose frames nobody can compare is not judged as if they disagreed.
    """

    bias: float
    silent: float
    """What the second sum adds to the bias."""
    wordless: float
    """And what it adds where one side shows no error (`Features.wordless`)."""
    weights: Mapping[str, float]
    alone: Mapping[str, float]
    """The weights of the second sum."""
    known: float
    """From this probability on an incident is the known one."""
    probable: float
    """From this probability on it is probably the one: worth a check."""
    related: float
    """From this probability on it has to do with it."""
    shown: float
    """What is less probable is not shown at all (`shows`)."""
    calibration: BetaCalibration = BetaCalibration()

    def base(self, features: Features) -> float:
        """The log-odds of an incident that agrees in nothing."""
        return self.bias + self.silent * features.silent + self.wordless * features.wordless

    def contributions(self, features: Features) -> dict[str, float]:
        """What each feature adds, in log-odds."""
        silent = features.silent
        sums = zip(NAMES, self._weights, self._alone, features, strict=True)
        return {name: (weight * (1.0 - silent) + alone * silent) * value for name, weight, alone, value in sums}

    def log_odds(self, features: Features) -> float:
        """The base and all contributions."""
        return self.all_log_odds([features])[0]

    def all_log_odds(self, features: Sequence[Features]) -> list[float]:
        """Those of many incidents, in their order; equal features have equal ones, to the last bit, wherever they stand."""
        flat = chain.from_iterable(features)  # a third of the time of np.array
        values = np.fromiter(flat, np.float64, len(features) * len(NAMES)).reshape(len(features), len(NAMES))
        silent, wordless = (values[:, NAMES.index(name)] for name in BASE)
        base = self.bias + self.silent * silent + self.wordless * wordless
        framed, alone = (
            (values * self._weights).sum(axis=1),
            (values * self._alone).sum(axis=1),
        )  # a product of BLAS may differ by row
        odds: list[float] = (base + framed * (1.0 - silent) + alone * silent).tolist()
        return odds

    @cached_property
    def _weights(self) -> tuple[float, ...]:
        return tuple(self.weights.get(name, 0.0) for name in NAMES)

    @cached_property
    def _alone(self) -> tuple[float, ...]:
        return tuple(self.alone.get(name, 0.0) for name in NAMES)

    def probability(self, features: Features) -> float:
        """0 … 1."""
        return probability(self.calibration(self.log_odds(features)))

    def shows(self, likely: float, features: Features) -> bool:
        """Whether an incident of a probability is listed: one that agrees in nothing is not, however probable that is where no error is shown."""
        return likely >= max(self.shown, SHOWN * probability(self.calibration(self.base(features))))

    def verdict(self, probability: float) -> Verdict:
        """What the best match amounts to."""
        return self.fine_verdict(probability).verdict

    def fine_verdict(self, probability: float) -> FineVerdict:
        """The same in finer steps."""
        if probability >= self.known:
            return FineVerdict.KNOWN
        if probability >= self.probable:
            return FineVerdict.PROBABLE
        return FineVerdict.RELATED if probability >= self.related else FineVerdict.UNKNOWN


def probability(log_odds: float) -> float:
    """0 … 1, without overflow."""
    return 1.0 / (1.0 + math.exp(-max(min(log_odds, 40.0), -40.0)))


KINDS: Mapping[str, EvidenceKind] = {
    "exact": EvidenceKind.FINGERPRINT,
    "root_cause": EvidenceKind.FINGERPRINT,
    "loose": EvidenceKind.FINGERPRINT,
    "message": EvidenceKind.MESSAGE,
    "root_message": EvidenceKind.MESSAGE,
    "quoted": EvidenceKind.MESSAGE,
    "complete": EvidenceKind.MESSAGE,
    "root_frames": EvidenceKind.FRAMES,
    "root_both": EvidenceKind.FRAMES,
    "rarest": EvidenceKind.FRAMES,
    "lines": EvidenceKind.FRAMES,
    "everything": EvidenceKind.TRACE,
    "contained": EvidenceKind.TRACE,
    "words": EvidenceKind.WORDS,
    "title": EvidenceKind.WORDS,
    "bm25": EvidenceKind.WORDS,
    "phrases": EvidenceKind.WORDS,
    "cause": EvidenceKind.WORDS,
    "reason": EvidenceKind.WORDS,
    "meaning": EvidenceKind.MEANING,
}
"""Which agreement a feature is part of."""
BASE = ("silent", "wordless")
"""The features that are no agreement: they say what could not agree. Each is a field of `RankModel`, a term of its ``base`` and of
``all_log_odds``, and a key at the top of ``rank.json``, which `read_model` demands: 0 until `kb rank train` has fitted it."""


@cache
def bundled_model() -> RankModel:
    """The bundled weights."""
    text = resources.files("index").joinpath("rules/rank.json").read_text(encoding="utf-8")
    return read_model(text, "index/rules/rank.json")


def read_model(text: str, name: str) -> RankModel:
    """The weights of a rules file. RulesError for a missing key, an unknown feature, a negative weight or thresholds out of order."""
    raw = json.loads(text)
    if (
        missing := {"bias", *BASE, "known", "probable", "related", "shown", "weights", "alone", "calibration"}
        - raw.keys()
    ):
        raise RulesError(f"{name}: {', '.join(sorted(missing))} missing", cure="run `kb rank train DATA`")
    weights, alone = raw["weights"], raw["alone"]
    limits = {key: float(raw[key]) for key in ("known", "probable", "related", "shown")}
    calibration = BetaCalibration(**{key: float(raw["calibration"][key]) for key in ("low", "high", "offset", "lead")})
    base = {key: float(raw[key]) for key in ("bias", *BASE)}
    model = RankModel(**base, weights=weights, alone=alone, **limits, calibration=calibration)
    wrong = [
        feature for feature, weight in (*weights.items(), *alone.items()) if feature not in KINDS or not weight >= 0
    ]
    if wrong or not 0 <= model.shown <= model.related <= model.probable <= model.known <= 1:
        problem = (
            f"features {wrong} are unknown or negative"
            if wrong
            else "0 <= shown <= related <= probable <= known <= 1 does not hold"
        )
        raise RulesError(f"{name}: {problem}", cure="run `kb rank train DATA`")
    return model


BESIDE_A_FAULT = 0.5
"""A paste that shows a fault is about the fault: an incident with one of the idle threads beside it is at best related."""

LEAST = 0.0005
"""Who confirms a match for the same trace makes it `known` if it was this probable: so is what agrees in next to nothing. Of the right answers
among the first five none is less (part train of the real pairs, 2026-11-29)."""
_SURE = 0.99
"""A threshold above this counts as this: what readers move stays below 12.3, whatever a model says."""


def odds(found: Sequence[ComparedIncident], model: RankModel, ahead: float = 0.0) -> list[float]:
    """The log-odds of each incident: what its features add up to, calibrated, and what readers move."""
    sums = (model.calibration(one, ahead) for one in model.all_log_odds([one.features for one in found]))
    return [log_odds + moved(one, model) if one.seen else log_odds for one, log_odds in zip(found, sums, strict=True)]


LEAD = 0.7
"""A lead counts up to so many log-odds: who is further ahead is no surer (chosen among 0.3 to 2 on part train of the real pairs and on
first pastes, 2026-11-29)."""


def lead_over(first: float, rival: float) -> float:
    """How far a sum of log-odds is ahead of that of the next other problem, as far as it counts.

    Where another write-up comes as near, it is the same error with another cause as often as not; where none does, there is hardly another.
    """
    return min(max(first - rival, 0.0), LEAD)


_FEW, _UNSURE = 10, 0.5
"""Among fewer incidents a lead counts for no more than this: with it, sums between -1 and 3 come to within .05 of the probability of the fit without leads,
nearer than with .45 or .55 (2026-11-30)."""


def most_lead(compared: int) -> float:
    """How far a lead counts among so many incidents."""
    return LEAD if compared >= _FEW else _UNSURE


def chance(reading: Reading, found: ComparedIncident, log_odds: float) -> float:
    """The probability that the incident with these `odds` is the one the text is about.

    One of n idle threads that agrees is one of n chances to agree by accident: its odds are divided by n.
    """
    usual = probability(log_odds)
    threads = reading.threads
    if not threads or found.trace is None or not reading.traces[found.trace].is_idle_thread:
        return usual
    one_of_many = usual / (usual + (1.0 - usual) * threads)
    return min(one_of_many, BESIDE_A_FAULT) if threads < len(reading.traces) else one_of_many


def is_listed(reading: Reading, found: ComparedIncident, likely: float, model: RankModel) -> bool:
    """Return whether an incident is listed: always where readers confirmed it; where they denied it, as without their votes."""
    share = found.seen.share if found.seen else 0.0
    if share < 0:
        unmoved = found._replace(seen=None)
        likely = chance(reading, unmoved, odds([unmoved], model)[0])
    return share > 0 or model.shows(likely, found.features)


def below_known(likely: float, model: RankModel) -> float:
    """The probability of an incident that is at best probable, whatever agrees."""
    return min(likely, math.nextafter(model.known, 0.0))


def moved(found: ComparedIncident, model: RankModel) -> float:
    """The log-odds that readers add, or take away: at most `bound`."""
    share = found.seen.share if found.seen else 0.0
    return share * bound(model, is_denied=share < 0)


def bound(model: RankModel, *, is_denied: bool = False) -> float:
    """The most that readers move: up from LEAST to `known`; down from `known` without a lead to `shown`, so that what is denied is still listed."""
    known, shown = min(model.known, _SURE), max(model.shown, LEAST)
    if is_denied:
        return max(_logit(known) - model.calibration.lead * LEAD - _logit(shown), 0.0)
    return _logit(known) - _logit(LEAST)


def _logit(likely: float) -> float:
    return math.log(likely / (1.0 - likely))


_SAME_PLACE = 0.5
"""Two roots fail at the same place from this agreement of their frames on. Like the two below chosen by reason, not fitted: no known answer of part train is such a match (decision 140)."""
_OTHER_MESSAGE = 0.2
"""Below this agreement the messages of two roots are different ones."""
_NOT_QUOTED = 0.8
"""A write-up does not quote the paste's message if it has less than this share of its words anywhere."""
_SPOKEN = 3
"""Words from which on a message says something of its own."""


def says_something_else(reading: Reading, found: ComparedIncident, chains: Sequence[ChainSketch]) -> bool:
    """Whether a text fails at the incident's place with another message: a client library raises at one place whatever its server says.

    ``chains`` are the incident's. A message that one side does not show disagrees with nothing.
    """
    features = found.features
    if found.trace is None or found.incident_chain is None or features.exact or features.root_frames < _SAME_PLACE:
        return False
    both = reading.traces[found.trace].sketch, chains[found.incident_chain]
    are_spoken = all(len(chain[0].message) >= _SPOKEN for chain in both)
    return are_spoken and features.root_message < _OTHER_MESSAGE and features.quoted < _NOT_QUOTED


def names_another_program(reading: Reading, incident: Incident, chains: Callable[[], Sequence[ExceptionChain]]) -> bool:
    """Whether a text names a component that the incident names nowhere, and nowhere the incident's own.

    Only of an incident whose ``chains`` show frames of its component: HDFS refuses a writer in the same words and frames whoever writes,
    and the frames above them say whether it was a checkpoint of Flink or a job of Hive.
    """
    table, own = table_of(rules_in_force().components), incident.component
    if own is None or own not in table.owners - table.general or own in reading.components:
        return False
    named = reading.components - table.general
    if not named or named <= table.named_in(_words(incident)).keys():
        return False
    modules = {frame.module for chain in chains() for one in chain.exceptions for frame in one.stack.frames}
    return any(module and table.owner(module) == own for module in modules)


def _words(incident: Incident) -> str:
    texts = (incident.title, incident.symptom, incident.root_cause, incident.fix, incident.prose, *incident.traces)
    return "\n".join(filter(None, texts))
