"""What is counted of searches: verdicts, times, what was found, what was not. Sums by day, of bounded size; no text unless it may be kept.

Whoever counts adds up in memory and writes the sums now and then, so no search waits for the database. Nobody follows these tables.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from kb.redact import redact
from kb.store import schema
from kb.store.database import Database
from kb.store.errors import Missing

MOST_SUMS = 200_000
"""Rows of sums that are kept beside those of searches, which are few; of more, the oldest days go, then the smallest sums of the day that is left in part."""
MOST_QUESTIONS = 2_000
"""Groups of unanswered questions that are kept; of more, those go that were asked least, and longest ago."""
LONGEST_TEMPLATE, LONGEST_TEXT = 300, 20_000
_TABLE, _QUESTIONS = schema.tallies, schema.questions
_TOGETHER = 500
"""Rows of one statement."""


class TallyKind(StrEnum):
    """The kinds of sums."""

    SEARCH = "search"
    """Answers, by door and verdict; ``detail`` is the step of their time."""
    FOUND = "found"
    """Incidents that were the answer, by id; ``detail`` is door and verdict, '' where it was not noted yet."""
    UNANSWERED = "unanswered"
    """Questions without an answer, by group; ``detail`` as above."""


@dataclass(frozen=True, slots=True)
class TallyKey:
    """What one sum is of."""

    kind: TallyKind
    name: str
    day: date
    detail: str = ""


@dataclass(frozen=True, slots=True)
class UnansweredQuestion:
    """A group of questions that were not answered: one error, as far as its fingerprint tells."""

    name: str
    """The digest of its fingerprint."""
    runtime: str
    type: str
    template: str
    """The message without its values."""
    nearest: str
    """The id of the nearest incident of the last one; '' where there was none."""
    text: str | None = None
    """The last one, secrets out; None unless it may be kept."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A group, and how often it was asked."""

    question: UnansweredQuestion
    days: Mapping[date, int]

    @property
    def count(self) -> int:
        """Return how often it was asked, on all days that are kept."""
        return sum(self.days.values())

    @property
    def last(self) -> date:
        """Return the last day on which it was asked."""
        return max(self.days)


@dataclass(frozen=True, slots=True)
class SumsWanted:
    """Which sums are added up: kind, first and last day, and door with verdict (``page known``); None takes all of these."""

    kind: TallyKind
    first: date
    last: date
    details: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class NamedSum:
    """How often one name was counted, and when last."""

    name: str
    count: int
    last: date


@dataclass(frozen=True, slots=True)
class SumsPage:
    """Some names, the most frequent first."""

    rows: tuple[NamedSum, ...]
    total: int
    """How many names there are."""
    unplaced: int
    """Counts of these days whose door and verdict were not noted, so that they are not among the rows."""


@dataclass(frozen=True, slots=True)
class TimesFound:
    """How often an incident was the answer, and when last."""

    count: int
    last: date


class Tallies:
    """Sums, added and read."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, sums: Mapping[TallyKey, int], questions: Iterable[UnansweredQuestion] = ()) -> None:
        """Add to the sums, and keep the newest text and nearest incident of each group of questions."""
        rows = [
            {"kind": key.kind.value, "name": key.name, "detail": key.detail, "day": key.day.isoformat(), "count": count}
            for key, count in sorted(
                sums.items(), key=lambda one: (one[0].kind, one[0].name, one[0].detail, one[0].day)
            )
        ]  # in one order, so that two workers never wait for each other
        groups = [_row(one) for one in sorted(questions, key=lambda one: one.name)]
        with self._database.aside() as connection:
            insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            for at in range(0, len(rows), _TOGETHER):
                added = insert(_TABLE).values(rows[at : at + _TOGETHER])
                total = {"count": _TABLE.c.count + added.excluded.count}
                connection.execute(added.on_conflict_do_update(index_elements=_KEY, set_=total))
            for at in range(0, len(groups), _TOGETHER):
                kept = insert(_QUESTIONS).values(groups[at : at + _TOGETHER])
                changed = {name: kept.excluded[name] for name in ("nearest", "text")}
                connection.execute(kept.on_conflict_do_update(index_elements=["name"], set_=changed))

    def forget(self, before: date) -> None:
        """Delete what is older than a day, and what is beyond the bounds."""
        with self._database.aside() as connection:
            connection.execute(sa.delete(_TABLE).where(_TABLE.c.day < before.isoformat()))
            if connection.dialect.name == "postgresql":
                # Its planner compares each row with each row where it believes that a flooded table is still small.
                connection.execute(sa.text(f"ANALYZE {_TABLE.name}, {_QUESTIONS.name}"))
            _prune_groups(connection)
            _prune_sums(connection)
            still = sa.select(_TABLE.c.name).where(_TABLE.c.kind == TallyKind.UNANSWERED.value)
            connection.execute(sa.delete(_QUESTIONS).where(_QUESTIONS.c.name.not_in(still)))

    def searches(self, since: date) -> list[tuple[TallyKey, int]]:
        """Return how many answers were given, by door and verdict (``page known``), day and step of time."""
        query = sa.select(_TABLE).where(_TABLE.c.kind == TallyKind.SEARCH.value, _TABLE.c.day >= since.isoformat())
        with self._database.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return [
            (TallyKey(TallyKind.SEARCH, row["name"], date.fromisoformat(row["day"]), row["detail"]), row["count"])
            for row in rows
        ]

    def found(self, ids: Sequence[str] | None = None) -> dict[str, TimesFound]:
        """Return how often incidents were the answer, on the days that are kept; None asks for every incident."""
        count, last = sa.func.sum(_TABLE.c.count), sa.func.max(_TABLE.c.day)
        query = sa.select(_TABLE.c.name, count, last).where(_TABLE.c.kind == TallyKind.FOUND.value)
        if ids is not None:
            query = query.where(_TABLE.c.name.in_(list(ids)))
        with self._database.reading() as connection:
            rows = connection.execute(query.group_by(_TABLE.c.name)).all()
        return {name: TimesFound(int(total), date.fromisoformat(day)) for name, total, day in rows}

    def unanswered(self, limit: int) -> list[AskedQuestion]:
        """Return the groups of questions that were asked most."""
        is_unanswered = _TABLE.c.kind == TallyKind.UNANSWERED.value
        total, last = sa.func.sum(_TABLE.c.count), sa.func.max(_TABLE.c.day)
        joined = sa.select(_QUESTIONS.c.name).join(_TABLE, sa.and_(_TABLE.c.name == _QUESTIONS.c.name, is_unanswered))
        most = joined.group_by(_QUESTIONS.c.name).order_by(total.desc(), last.desc(), _QUESTIONS.c.name).limit(limit)
        with self._database.reading() as connection:
            names = connection.execute(most).scalars().all()
            sums = connection.execute(sa.select(_TABLE).where(is_unanswered, _TABLE.c.name.in_(names))).mappings().all()
        questions = self.questions(names)
        days: dict[str, Counter[date]] = {name: Counter() for name in names}
        for row in sums:
            days[row["name"]][date.fromisoformat(row["day"])] += row["count"]
        return [AskedQuestion(questions[name], days[name]) for name in names if name in questions]

    def sums(self, wanted: SumsWanted, start: int, limit: int) -> SumsPage:
        """Return the names that were counted most, from ``start`` on."""
        own = [_TABLE.c.kind == wanted.kind.value]
        own.append(_TABLE.c.day.between(wanted.first.isoformat(), wanted.last.isoformat()))
        placed = own if wanted.details is None else [*own, _TABLE.c.detail.in_(list(wanted.details))]
        count, last = sa.func.sum(_TABLE.c.count).label("count"), sa.func.max(_TABLE.c.day).label("last")
        names = sa.select(_TABLE.c.name, count, last).where(*placed).group_by(_TABLE.c.name)
        most = names.order_by(sa.desc("count"), sa.desc("last"), _TABLE.c.name).offset(start).limit(limit)
        without = sa.select(sa.func.sum(_TABLE.c.count)).where(*own, _TABLE.c.detail == "")
        with self._database.reading() as connection:
            rows = connection.execute(most).all()
            total = connection.execute(sa.select(sa.func.count()).select_from(names.subquery())).scalar_one()
            unplaced = 0 if wanted.details is None else connection.execute(without).scalar() or 0
        found = (NamedSum(name, int(times), date.fromisoformat(day)) for name, times, day in rows)
        return SumsPage(tuple(found), total, int(unplaced))

    def sums_of(self, kind: TallyKind, name: str) -> list[tuple[TallyKey, int]]:
        """Return all sums of one name, the last day first."""
        query = sa.select(_TABLE).where(_TABLE.c.kind == kind.value, _TABLE.c.name == name)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(_TABLE.c.day.desc(), _TABLE.c.detail)).mappings().all()
        return [(TallyKey(kind, name, date.fromisoformat(row["day"]), row["detail"]), row["count"]) for row in rows]

    def questions(self, names: Sequence[str]) -> dict[str, UnansweredQuestion]:
        """Return the groups of these names that are kept."""
        query = sa.select(_QUESTIONS).where(_QUESTIONS.c.name.in_(list(names)))
        with self._database.reading() as connection:
            return {row["name"]: _question(row) for row in connection.execute(query).mappings()}

    def question(self, name: str) -> UnansweredQuestion:
        """Return one group. Missing when it is not kept any more."""
        with self._database.reading() as connection:
            row = connection.execute(sa.select(_QUESTIONS).where(_QUESTIONS.c.name == name)).mappings().first()
        if row is None:
            raise Missing("no such question is kept any more", cure="the dashboard lists those that are")
        return _question(row)

    def answered(self, name: str) -> None:
        """Delete a group that somebody has dealt with. Asked again, it comes back."""
        with self._database.aside() as connection:
            own = (_TABLE.c.kind == TallyKind.UNANSWERED.value, _TABLE.c.name == name)
            connection.execute(sa.delete(_TABLE).where(*own))
            connection.execute(sa.delete(_QUESTIONS).where(_QUESTIONS.c.name == name))


_KEY = ["kind", "name", "detail", "day"]


def today() -> date:
    """Return the day in UTC, by which sums are kept."""
    return datetime.now(UTC).date()


def first_day(days: int) -> date:
    """Return the first of so many days that end today."""
    return today() - timedelta(days=days - 1)


def _prune_groups(connection: sa.Connection) -> None:
    """Delete the groups that are too many. First of all: a flood of invented errors is not to push out anything else."""
    total, last = sa.func.sum(_TABLE.c.count), sa.func.max(_TABLE.c.day)
    is_unanswered = _TABLE.c.kind == TallyKind.UNANSWERED.value
    names = sa.select(_TABLE.c.name).where(is_unanswered).group_by(_TABLE.c.name)
    few = names.order_by(total.desc(), last.desc(), _TABLE.c.name).offset(MOST_QUESTIONS)
    connection.execute(sa.delete(_TABLE).where(is_unanswered, _TABLE.c.name.in_(few)))


def _prune_sums(connection: sa.Connection) -> None:
    """Delete the rows that are too many: days that do not fit at all, then the smallest of the day that fits in part."""
    bounded = _TABLE.c.kind != TallyKind.SEARCH.value
    newest = sa.select(_TABLE.c.day).where(bounded).order_by(_TABLE.c.day.desc()).offset(MOST_SUMS).limit(1)
    if (day := connection.execute(newest).scalar()) is None:
        return
    connection.execute(sa.delete(_TABLE).where(bounded, _TABLE.c.day < day))
    left = connection.execute(sa.select(sa.func.count()).select_from(_TABLE).where(bounded)).scalar_one()
    own = (bounded, _TABLE.c.day == day)
    smallest = sa.select(_TABLE.c.kind, _TABLE.c.name, _TABLE.c.detail).where(*own)
    smallest = smallest.order_by(_TABLE.c.count, _TABLE.c.kind, _TABLE.c.name, _TABLE.c.detail).limit(left - MOST_SUMS)
    named = sa.tuple_(_TABLE.c.kind, _TABLE.c.name, _TABLE.c.detail)
    connection.execute(sa.delete(_TABLE).where(*own, named.in_(smallest)))


def _row(one: UnansweredQuestion) -> dict[str, str | None]:
    return {
        "name": one.name,
        "runtime": one.runtime,
        "type": one.type[:LONGEST_TEMPLATE],
        "template": redact(one.template).text[:LONGEST_TEMPLATE],
        "nearest": one.nearest,
        "text": None if one.text is None else redact(one.text).text[:LONGEST_TEXT],
    }


def _question(row: sa.RowMapping) -> UnansweredQuestion:
    return UnansweredQuestion(row["name"], row["runtime"], row["type"], row["template"], row["nearest"], row["text"])
