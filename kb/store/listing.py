"""Lists of incidents, a page at a time. A page goes on where the last one ended, so nothing is skipped when others write meanwhile."""

import json
from dataclasses import dataclass
from enum import StrEnum

import sqlalchemy as sa

from kb.incident import Incident, Status
from kb.record import stored
from kb.store import schema
from kb.store.database import Database
from kb.store.model import ListedIncident

_INCIDENTS, _REDIRECTS, _REVISIONS = schema.incidents, schema.redirects, schema.revisions


class Order(StrEnum):
    """By id nothing is missed; by time, an incident that is changed between two pages moves to the front."""

    ID = "id"
    RECENT = "recent"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which incidents; None: any."""

    status: Status | None = None
    component: str | None = None
    text: str | None = None
    """Stands in id, title, component or a tag, in any case."""
    author: str | None = None
    """Id or name of who wrote the revision that is listed."""
    live: bool = False
    """As they are found by search (or were, until retired), whatever lies over them; a page can then be short of ``limit``."""
    order: Order = Order.ID
    ids: tuple[str, ...] | None = None

    def is_about(self, component: str | None) -> bool:
        """Whether an incident of that component is wanted, in any case."""
        return self.component is None or self.component.lower() == (component or "").lower()


@dataclass(frozen=True, slots=True)
class IncidentPage:
    """Some of them."""

    items: tuple[ListedIncident, ...]
    after: str | None
    """To be given for the next page; None at the end."""


def page(database: Database, wanted: Wanted, after: str | None, limit: int) -> IncidentPage:
    """The page behind ``after``, of at most ``limit`` incidents."""
    in_force = sa.and_(_REDIRECTS.c.from_id == _INCIDENTS.c.id, _REDIRECTS.c.undone_at.is_(None))
    query = sa.select(_INCIDENTS, _REDIRECTS.c.to_id).outerjoin(_REDIRECTS, in_force).where(*_conditions(wanted))
    if wanted.live:
        own = sa.and_(_REVISIONS.c.incident_id == _INCIDENTS.c.id, _REVISIONS.c.number == _visible_revision())
        columns = (_REVISIONS.c.record, _REVISIONS.c.at, _REVISIONS.c.author_id, _REVISIONS.c.author_name)
        query = query.join(_REVISIONS, own).add_columns(*columns)
    if wanted.order is Order.ID:
        query = query.order_by(_INCIDENTS.c.id)
        query = query if after is None else query.where(_INCIDENTS.c.id > after)
    else:
        query = query.order_by(_INCIDENTS.c.sequence.desc())
        query = query if after is None else query.where(_INCIDENTS.c.sequence < _number(after))
    with database.reading() as connection:
        rows = connection.execute(query.limit(limit + 1)).mappings().all()
    shown = [row for row in rows[:limit] if not wanted.live or _is_wanted(stored(json.loads(row["record"])), wanted)]
    last = rows[:limit][-1] if len(rows) > limit > 0 else None
    behind = None if last is None else str(last["id" if wanted.order is Order.ID else "sequence"])
    return IncidentPage(tuple(_live(row) if wanted.live else _listed(row) for row in shown), behind)


def unpublished(database: Database, limit: int) -> list[tuple[str, str]]:
    """Id and record (JSON) of the incidents whose last revision is not published, those that changed last; the newest at the end."""
    last = sa.and_(_REVISIONS.c.incident_id == _INCIDENTS.c.id, _REVISIONS.c.number == _INCIDENTS.c.revision)
    query = sa.select(_INCIDENTS.c.id, _REVISIONS.c.record).join(_REVISIONS, last)
    others = [one.value for one in Status if one is not Status.PUBLISHED]
    query = query.where(_INCIDENTS.c.status.in_(others)).order_by(_INCIDENTS.c.sequence.desc()).limit(limit)
    with database.reading() as connection:
        return [(name, record) for name, record in connection.execute(query)][::-1]


def _visible_revision() -> sa.ScalarSelect[int]:
    """The number of the words that everybody may see: what was retired may have a draft's."""
    each = _REVISIONS.alias()
    own = (each.c.incident_id == _INCIDENTS.c.id, each.c.number <= _INCIDENTS.c.live_revision)
    newest = sa.select(sa.func.max(each.c.number)).where(*own, each.c.status == Status.PUBLISHED.value)
    return newest.correlate(_INCIDENTS).scalar_subquery()


def _conditions(wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    """Of live ones whose last revision may say something else, the words are looked at when they are read (`_is_wanted`)."""
    table, conditions = _INCIDENTS.c, list[sa.ColumnElement[bool]]()
    if wanted.component is not None:
        conditions.append(sa.func.lower(table.component) == wanted.component.lower())
    if wanted.text is not None:
        conditions.append(table.sought.contains(wanted.text.casefold(), autoescape=True))
    if wanted.ids is not None:
        conditions.append(table.id.in_(wanted.ids))
    if wanted.live:
        is_other = sa.or_(table.revision != table.live_revision, table.live_status == Status.RETIRED.value)
        conditions = [sa.or_(is_other, one) for one in conditions]
        conditions.append(table.live_revision.is_not(None))
    if wanted.status is not None:
        conditions.append((table.live_status if wanted.live else table.status) == wanted.status.value)
    if wanted.author is not None:
        who = (
            (_REVISIONS.c.author_id, _REVISIONS.c.author_name)
            if wanted.live
            else (table.updated_by_id, table.updated_by_name)
        )
        conditions.append(sa.or_(*(column == wanted.author for column in who)))
    return conditions


def _is_wanted(shown: Incident, wanted: Wanted) -> bool:
    if not wanted.is_about(shown.component):
        return False
    return wanted.text is None or wanted.text.casefold() in sought(shown)


def sought(shown: Incident) -> str:
    """What a list of incidents is searched by."""
    return "\n".join((shown.id, shown.title, shown.component or "", *shown.tags)).casefold()


def _number(after: str) -> int:
    """A mark that no page gave begins at the front again."""
    return int(after) if after.isascii() and after.isdigit() and len(after) < 19 else (1 << 62)


def _listed(row: sa.RowMapping) -> ListedIncident:
    return ListedIncident(
        id=row["id"],
        title=row["title"],
        status=Status(row["status"]),
        revision=row["revision"],
        is_live=row["live_status"] == Status.PUBLISHED,
        lang=row["lang"],
        component=row["component"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        updated_by=schema.author(row, "updated_by"),
        merged_into=row["to_id"],
    )


def _live(row: sa.RowMapping) -> ListedIncident:
    """How an incident stands for whoever sees nothing but what is, or was, searched."""
    shown = stored(json.loads(row["record"]))
    return ListedIncident(
        id=row["id"],
        title=shown.title,
        status=Status(row["live_status"]),
        revision=row["live_revision"],
        is_live=row["live_status"] == Status.PUBLISHED,
        lang=shown.lang,
        component=shown.component,
        created_at=row["created_at"],
        updated_at=row["at"],
        updated_by=schema.author(row, "author"),
        merged_into=row["to_id"],
    )
