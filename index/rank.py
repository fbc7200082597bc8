"""From features to a probability and a verdict: a sum of log-odds, with weights that are data.

Weights, thresholds and where they come from: ``rules/rank.json``, written by ``kb rank train DATA``. Every weight
is at least 0 and every feature grows with agreement, so more agreement never lowers a probability.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

from index.answer import EvidenceKind, Verdict
from index.features import NAMES, Features, values_of
from kb.errors import RulesError

MESSAGE_AGREES = 0.65
"""From this share on, the root messages say the same. `CERTIFICATE_VERIFY_FAILED` and `WRONG_VERSION_NUMBER` in one and the
same sentence of requests agree to 0.60, the same failure with another host to 0.82."""
NAMED_ONLY_CEILING = 0.5
"""An exception without frames, whose message says something else, is at best as likely another problem of that type."""


@dataclass(frozen=True)
class Model:
    """How features of one kind of query add up."""

    bias: float
    weights: Mapping[str, float]
    known: float
    """From this probability on an incident is the known one."""
    related: float
    """From this probability on it has to do with it."""
    shown: float
    """What is less probable is not shown at all."""

    def contributions(self, features: Features) -> dict[str, float]:
        """What each feature adds, in log-odds."""
        return {
            name: self.weights.get(name, 0.0) * value for name, value in zip(NAMES, values_of(features), strict=True)
        }

    def log_odds(self, features: Features) -> float:
        """The bias and all contributions."""
        return self.bias + sum([w * v for w, v in zip(self._in_order, values_of(features), strict=True)])

    @cached_property
    def _in_order(self) -> tuple[float, ...]:
        return tuple(self.weights.get(name, 0.0) for name in NAMES)

    def probability(self, features: Features) -> float:
        """0 … 1."""
        return probability(self.log_odds(features))

    def judged(self, features: Features, *, named_only: bool) -> float:
        """Probability, held down where a type is named without frames and the message does not agree."""
        chance = self.probability(features)
        same = max(features.exact, features.root_cause) > 0 or features.root_message >= MESSAGE_AGREES
        return min(chance, NAMED_ONLY_CEILING) if named_only and not same else chance

    def verdict(self, probability: float) -> Verdict:
        """What the best match amounts to."""
        if probability >= self.known:
            return Verdict.KNOWN
        return Verdict.RELATED if probability >= self.related else Verdict.UNKNOWN


def probability(log_odds: float) -> float:
    """0 … 1, without overflow."""
    return 1.0 / (1.0 + math.exp(-max(min(log_odds, 40.0), -40.0)))


@dataclass(frozen=True, slots=True)
class Ranking:
    """The models by kind of query: with frames, and without."""

    trace: Model
    text: Model

    def model(self, *, has_frames: bool) -> Model:
        """The model for a query."""
        return self.trace if has_frames else self.text


KINDS: Mapping[str, EvidenceKind] = {
    "exact": EvidenceKind.FINGERPRINT,
    "root_cause": EvidenceKind.FINGERPRINT,
    "loose": EvidenceKind.FINGERPRINT,
    "root_message": EvidenceKind.MESSAGE,
    "root_frames": EvidenceKind.FRAMES,
    "root_both": EvidenceKind.FRAMES,
    "rarest": EvidenceKind.FRAMES,
    "lines": EvidenceKind.FRAMES,
    "everything": EvidenceKind.TRACE,
    "words": EvidenceKind.WORDS,
    "focus": EvidenceKind.WORDS,
    "title": EvidenceKind.WORDS,
    "word_depth": EvidenceKind.WORDS,
    "meaning": EvidenceKind.MEANING,
}
"""Which agreement a feature is part of."""


@cache
def ranking() -> Ranking:
    """The bundled weights."""
    text = resources.files("index").joinpath("rules/rank.json").read_text(encoding="utf-8")
    return read_ranking(text, "index/rules/rank.json")


def read_ranking(text: str, name: str) -> Ranking:
    """The weights of a rules file. RulesError for an unknown feature, a negative weight or thresholds out of order."""
    raw = json.loads(text)
    return Ranking(**{kind: _model(raw[kind], f"{name}, {kind}") for kind in ("trace", "text")})


def _model(raw: Mapping[str, object], place: str) -> Model:
    weights = raw["weights"]
    assert isinstance(weights, dict)
    model = Model(weights=weights, **{key: float(str(raw[key])) for key in ("bias", "known", "related", "shown")})
    wrong = [n for n, weight in weights.items() if n not in NAMES or not weight >= 0]
    if wrong or not 0 <= model.shown <= model.related <= model.known <= 1:
        problem = (
            f"features {wrong} are unknown or negative"
            if wrong
            else "0 <= shown <= related <= known <= 1 does not hold"
        )
        raise RulesError(f"{place}: {problem}", cure="run `kb rank train DATA`")
    return model
