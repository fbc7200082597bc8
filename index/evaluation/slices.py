"""Figures of labelled questions by kind, by language, and by whether the answer is in another language; each with its uncertainty."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from index.evaluation.kinds import QueryKind
from index.evaluation.labelled import CaseOutcome, Confusion, Scores, confusion, scores

FEW = 30
"""Questions below which a figure says little: the range of hit@1 is up to 34 points wide at 30 questions."""
SAME, OTHER = "same", "other"
_DEPTHS = (1, 3)
_ORDER = [kind.value for kind in QueryKind]


@dataclass(frozen=True, slots=True)
class Slice:
    """Some of the questions."""

    scores: Scores
    confusion: Confusion
    first: tuple[float, float] | None
    """The 95 % range of hit@1; None without a question that has an answer."""

    @property
    def known_wrong(self) -> int:
        """How many questions are called known and are not, be there another answer or none."""
        return self.confusion.known_wrong + self.confusion.known_absent


def wilson(right: int, count: int, confidence: float = 0.95) -> tuple[float, float]:
    """The score interval of a share (Wilson 1927): it holds also for few and for none. ``count`` is at least 1."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, whole = right / count, 1 + z * z / count
    middle = (share + z * z / (2 * count)) / whole
    reach = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / whole
    return max(0.0, middle - reach), min(1.0, middle + reach)


def slice_of(outcomes: Sequence[CaseOutcome]) -> Slice:
    """Return the figures over all outcomes."""
    right = sum(one.rank == 1 for one in outcomes if not one.absent)
    found, confusions = scores(outcomes, _DEPTHS), confusion(outcomes)
    return Slice(found, confusions, wilson(right, confusions.answerable) if confusions.answerable else None)


def by_kind(outcomes: Sequence[CaseOutcome]) -> dict[str, Slice]:
    """Kind → figures: the kinds that are worked out from a text first, then those that only labels name."""
    found = _by(outcomes, lambda one: one.kind)
    own = {kind: found.pop(kind) for kind in _ORDER if kind in found}
    return own | found


def by_lang(outcomes: Sequence[CaseOutcome]) -> dict[str, Slice]:
    """Language of the question → figures."""
    return dict(sorted(_by(outcomes, lambda one: one.lang).items()))


def by_crossing(outcomes: Sequence[CaseOutcome]) -> dict[str, Slice]:
    """`SAME` and `OTHER` → figures: of questions in the language of their answer, and in another one."""
    names = {None: "", False: SAME, True: OTHER}
    found = _by(outcomes, lambda one: names[one.is_crossing])
    return {name: found[name] for name in (SAME, OTHER) if name in found}


def _by(outcomes: Sequence[CaseOutcome], key: Callable[[CaseOutcome], str]) -> dict[str, Slice]:
    groups: defaultdict[str, list[CaseOutcome]] = defaultdict(list)
    for one in outcomes:
        groups[key(one)].append(one)
    return {name: slice_of(found) for name, found in groups.items() if name}
