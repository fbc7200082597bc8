"""What the dashboard shows: searches by day, verdict and door, questions without an answer, incidents to look at."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from time import monotonic

from api.observability.metrics import SECONDS
from index import Engine
from index.storage.catalogue import Catalogue, Mask
from index.verdict import FineVerdict
from kb.store import Store
from kb.store.model import Votes
from kb.store.tallies import AskedQuestion, TallyKey, TimesFound, first_day
from kb.translations import in_language

DAYS = 30
"""Days of the charts."""
VERDICTS = tuple(one.value for one in FineVerdict)
_QUESTIONS, _VOTED = 50, 10
_OLD = timedelta(days=365)
"""A write-up that is older, and was not the answer to anything, may be stale."""
_SECONDS = 30.0
"""How long it is remembered which incidents were found: all sums of them are read for it."""
Series = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class VerdictSeries:
    """How often a verdict was given, in all and day by day."""

    verdict: str
    count: int
    days: Series


@dataclass(frozen=True, slots=True)
class DoorRow:
    """What was answered at one door."""

    door: str
    counts: Mapping[str, int]
    """Answers by verdict."""
    p50: float
    p99: float
    """Milliseconds."""
    days: Series

    @property
    def count(self) -> int:
        """Return how many answers the door gave."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A group of questions without an answer."""

    group: AskedQuestion
    days: Series


@dataclass(frozen=True, slots=True)
class VotedRow:
    """An incident of which readers said something."""

    id: str
    title: str
    votes: Votes


@dataclass(frozen=True, slots=True)
class Dashboard:
    """Everything that the dashboard shows, of the last `DAYS` days."""

    verdicts: tuple[VerdictSeries, ...]
    doors: tuple[DoorRow, ...]
    p50: float
    p99: float
    slow: Series
    """The p99 of each day, in milliseconds."""
    unanswered: tuple[QuestionRow, ...]
    denied: tuple[VotedRow, ...]
    confirmed: tuple[VotedRow, ...]
    to_mend: Mapping[str, int]
    """How many incidents each list of `Insight.only` has."""

    @property
    def count(self) -> int:
        """Return how many searches were made."""
        return sum(one.count for one in self.verdicts)

    @property
    def days(self) -> Series:
        """Return how many searches were made on each day."""
        return tuple(map(sum, zip(*(one.days for one in self.verdicts), strict=True)))


ONLY = ("never_found", "stale", "denied", "confirmed", "one_language")
"""Lists of incidents that a number of the dashboard leads to."""


class Insight:
    """The dashboard and its lists. Keeps what takes reading all sums for `_SECONDS`."""

    def __init__(self) -> None:
        self._found: tuple[float, Mapping[str, TimesFound]] = (-_SECONDS, {})
        self._votes: tuple[str, int, Mapping[str, Votes]] = ("", -1, {})

    def dashboard(self, store: Store, engine: Engine | None, lang: str) -> Dashboard:
        """Return the figures of this moment, titles in ``lang`` where there are such; each list of incidents is as long as `only` returns it."""
        since = first_day(DAYS)
        sums = store.tallies.searches(since)
        votes = [VotedRow(name, "", one) for name, one in self.votes(store).items()]
        denied = sorted((one for one in votes if one.votes.no > one.votes.yes), key=lambda one: (-one.votes.no, one.id))
        liked = sorted((one for one in votes if one.votes.yes > one.votes.no), key=lambda one: (-one.votes.yes, one.id))
        catalogue = engine.catalogue() if engine else Catalogue.of(())
        lists = {name: int(self.only(name, store, catalogue).sum()) for name in ONLY}
        without_fix = next((one.count for one in catalogue.counts("fix") if one.value == "no"), 0)
        steps = steps_of(sums)
        return Dashboard(
            tuple(_of_verdict(sums, verdict, since) for verdict in VERDICTS),
            tuple(sorted((_of_door(sums, door, since) for door in _doors(sums)), key=lambda one: -one.count)),
            percentile(steps, 0.5),
            percentile(steps, 0.99),
            tuple(round(percentile(steps_of(one for one in sums if one[0].day == day), 0.99)) for day in _days(since)),
            tuple(QuestionRow(one, _series(one.days, since)) for one in store.tallies.unanswered(_QUESTIONS)),
            tuple(VotedRow(one.id, title_of(engine, one.id, lang), one.votes) for one in denied[:_VOTED]),
            tuple(VotedRow(one.id, title_of(engine, one.id, lang), one.votes) for one in liked[:_VOTED]),
            lists | {"without_fix": without_fix},
        )

    def only(self, name: str, store: Store, catalogue: Catalogue) -> Mask:
        """The rows of the catalogue on one of the lists `ONLY`."""
        if name == "one_language":
            return catalogue.in_one_language()
        if name in {"denied", "confirmed"}:
            sign = 1 if name == "confirmed" else -1
            return catalogue.these(i for i, one in self.votes(store).items() if sign * (one.yes - one.no) > 0)
        never = ~catalogue.these(self.found(store))
        if name == "stale":
            return never & catalogue.dated_before((date.today() - _OLD).isoformat())  # noqa: DTZ011 - a year, to the day
        return never

    def found(self, store: Store) -> Mapping[str, TimesFound]:
        """How often incidents were the answer; at most half a minute old."""
        if monotonic() - self._found[0] >= _SECONDS:
            self._found = monotonic(), store.tallies.found()
        return self._found[1]

    def votes(self, store: Store) -> Mapping[str, Votes]:
        """What readers said of incidents."""
        head = store.head()
        if self._votes[:2] != (head.store_id, head.sequence):
            self._votes = head.store_id, head.sequence, store.feedback.all_votes()
        return self._votes[2]


def percentile(steps: Mapping[int, int], share: float) -> float:
    """The time in milliseconds within which that share was answered, interpolated within its step; 0 where there is nothing."""
    wanted, so_far = share * sum(steps.values()), 0
    for step in sorted(steps):
        if steps[step] and so_far + steps[step] >= wanted:
            below = SECONDS[step - 1] if step else 0.0
            above = SECONDS[min(step, len(SECONDS) - 1)]
            return 1000 * (below + (above - below) * (wanted - so_far) / steps[step])
        so_far += steps[step]
    return 0.0


def steps_of(sums: Iterable[tuple[TallyKey, int]]) -> Mapping[int, int]:
    """Return how many answers took each step of time, the place in `SECONDS`."""
    found: Counter[int] = Counter()
    for key, count in sums:
        found[int(key.detail)] += count
    return found


def _doors(sums: Iterable[tuple[TallyKey, int]]) -> set[str]:
    return {key.name.partition(" ")[0] for key, _ in sums}


def _of_verdict(sums: Sequence[tuple[TallyKey, int]], verdict: str, since: date) -> VerdictSeries:
    days: Counter[date] = Counter()
    for key, count in sums:
        if key.name.endswith(f" {verdict}"):
            days[key.day] += count
    return VerdictSeries(verdict, sum(days.values()), _series(days, since))


def _of_door(sums: Sequence[tuple[TallyKey, int]], door: str, since: date) -> DoorRow:
    own = [(key, count) for key, count in sums if key.name.startswith(f"{door} ")]
    verdicts: Counter[str] = Counter()
    days: Counter[date] = Counter()
    for key, count in own:
        verdicts[key.name.partition(" ")[2]] += count
        days[key.day] += count
    steps = steps_of(own)
    return DoorRow(door, verdicts, percentile(steps, 0.5), percentile(steps, 0.99), _series(days, since))


def _days(since: date) -> list[date]:
    return [since + timedelta(days=at) for at in range(DAYS)]


def _series(days: Mapping[date, int], since: date) -> Series:
    return tuple(days.get(day, 0) for day in _days(since))


def title_of(engine: Engine | None, incident_id: str, lang: str) -> str:
    """Return the title of an incident, in a language where it has one; its id where it is not found."""
    found = engine.incident(incident_id) if engine else None
    return in_language(found, lang).title if found else incident_id
