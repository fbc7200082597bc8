"""Lists of incidents, a page at a time. A page goes on where the last one ended, so nothing is skipped when others write meanwhile."""

from dataclasses import dataclass
from enum import StrEnum

import sqlalchemy as sa

from kb.incident import Status
from kb.store import schema
from kb.store.database import Database
from kb.store.model import Listed

_INCIDENTS, _REDIRECTS = schema.incidents, schema.redirects


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
    order: Order = Order.ID


@dataclass(frozen=True, slots=True)
class Page:
    """Some of them."""

    items: tuple[Listed, ...]
    after: str | None
    """To be given for the next page; None at the end."""


def page(database: Database, wanted: Wanted, after: str | None, limit: int) -> Page:
    """The page behind ``after``, of at most ``limit`` incidents."""
    in_force = sa.and_(_REDIRECTS.c.from_id == _INCIDENTS.c.id, _REDIRECTS.c.undone_at.is_(None))
    query = sa.select(_INCIDENTS, _REDIRECTS.c.to_id).outerjoin(_REDIRECTS, in_force).where(*_conditions(wanted))
    if wanted.order is Order.ID:
        query = query.order_by(_INCIDENTS.c.id)
        query = query if after is None else query.where(_INCIDENTS.c.id > after)
    else:
        query = query.order_by(_INCIDENTS.c.sequence.desc())
        query = query if after is None else query.where(_INCIDENTS.c.sequence < _number(after))
    with database.reading() as connection:
        rows = connection.execute(query.limit(limit + 1)).mappings().all()
    items = tuple(_listed(row) for row in rows[:limit])
    last = rows[:limit][-1] if len(rows) > limit > 0 else None
    return Page(items, None if last is None else str(last["id" if wanted.order is Order.ID else "sequence"]))


def _conditions(wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    conditions: list[sa.ColumnElement[bool]] = []
    if wanted.status is not None:
        conditions.append(_INCIDENTS.c.status == wanted.status.value)
    if wanted.component is not None:
        conditions.append(_INCIDENTS.c.component == wanted.component)
    if wanted.text is not None:
        conditions.append(_INCIDENTS.c.sought.contains(wanted.text.casefold(), autoescape=True))
    return conditions


def _number(after: str) -> int:
    """A mark that no page gave begins at the front again."""
    return int(after) if after.isascii() and after.isdigit() and len(after) < 19 else (1 << 62)


def _listed(row: sa.RowMapping) -> Listed:
    return Listed(
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
