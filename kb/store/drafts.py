"""Private drafts: what somebody types into the editor, kept as it is typed, for its writer alone.

Nothing here is a change of the store: nobody follows it, no search sees it, and keeping one waits for no curator. A text that two tabs
change is kept twice rather than lost once.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from kb.redact import redact
from kb.store import schema
from kb.store.database import Database
from kb.store.errors import Missing, Refused
from kb.store.model import Actor

LONGEST = 200_000
"""Characters of a draft: all of them are 400 million at the most, in UTF-8 up to 1.2 GB of Chinese and 1.6 GB of anything."""
MOST_OF_ONE = 50
"""Drafts of one writer; of more, those go that were changed longest ago."""
MOST = 2_000
"""Drafts of all writers; of more, those go that were changed longest ago."""
_TABLE = schema.drafts
_LISTED = [column for column in _TABLE.c if column.name not in {"text", "note"}]


@dataclass(frozen=True, slots=True)
class DraftText:
    """What the editor holds."""

    text: str
    note: str = ""
    title: str = ""
    incident_id: str = ""
    """The incident that is edited; '' for a new one."""
    revision: int = 0
    was: str = ""
    """Its status when the writer began."""


@dataclass(frozen=True, slots=True)
class DraftAt:
    """Which draft a tab writes to."""

    id: str = ""
    """'' when it has none yet."""
    seen: int = 0
    """The version of it that the tab has seen."""
    tab: str = ""
    """A name that the tab gave itself; '' without a script."""


@dataclass(frozen=True, slots=True)
class PrivateDraft:
    """A draft as it is kept; of a list without text and note."""

    id: str
    version: int
    content: DraftText
    created_at: datetime
    updated_at: datetime


class Drafts:
    """Private drafts, kept, listed and deleted. Each is shown to its writer only, and nothing tells that others have any."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, content: DraftText, at: DraftAt, *, actor: Actor) -> tuple[str, int]:
        """Keep a text without its secrets; return the id and version of its draft.

        It replaces the draft that the tab has seen, else the one that it has written last. Where another tab has changed that draft since, a new one is made.
        Refused when the text is too long.
        """
        values = _values(content)
        now = datetime.now(UTC)
        with self._database.aside() as connection:
            own = _TABLE.c.by_id == actor.id
            seen = sa.and_(_TABLE.c.id == at.id, _TABLE.c.version == at.seen)
            of_tab = sa.select(_TABLE.c.id).where(own, _TABLE.c.tab == at.tab).order_by(_TABLE.c.updated_at.desc())
            last = _TABLE.c.id == of_tab.limit(1).scalar_subquery()
            for which in (seen, last) if at.tab else (seen,):
                changed = (
                    sa.update(_TABLE)
                    .where(own, which)
                    .values(**values, tab=at.tab, version=_TABLE.c.version + 1, updated_at=now)
                    .returning(_TABLE.c.id, _TABLE.c.version)
                )
                if row := connection.execute(changed).first():
                    return row.id, row.version
            made = {"id": secrets.token_hex(16), "version": 1, "tab": at.tab, "by_id": actor.id, "by_name": actor.name}
            times = {"created_at": now, "updated_at": now}
            connection.execute(sa.insert(_TABLE).values(**values, **made, **times))
            _prune(connection, MOST_OF_ONE, own)
            _prune(connection, MOST)
        return str(made["id"]), 1

    def find(self, draft_id: str, *, actor: Actor) -> PrivateDraft:
        """Return a draft of the actor's. Missing when there is none."""
        query = sa.select(_TABLE).where(_TABLE.c.id == draft_id, _TABLE.c.by_id == actor.id)
        with self._database.reading() as connection:
            row = connection.execute(query).mappings().first()
        if row is None:
            raise Missing("there is no such draft of yours", cure="/drafts lists those there are")
        return _draft(row)

    def listing(self, *, actor: Actor, incident_id: str | None = None) -> Sequence[PrivateDraft]:
        """Return the actor's drafts (of one incident; '' for new ones), the last changed first, without their texts."""
        wanted = [_TABLE.c.by_id == actor.id, *([] if incident_id is None else [_TABLE.c.incident_id == incident_id])]
        query = sa.select(*_LISTED).where(*wanted).order_by(_TABLE.c.updated_at.desc(), _TABLE.c.id)
        with self._database.reading() as connection:
            return [_draft(row) for row in connection.execute(query).mappings()]

    def delete(self, draft_id: str, *, actor: Actor) -> None:
        """Delete a draft of the actor's; what is not there is deleted already."""
        with self._database.aside() as connection:
            connection.execute(sa.delete(_TABLE).where(_TABLE.c.id == draft_id, _TABLE.c.by_id == actor.id))

    def forget(self, lasts: timedelta) -> int:
        """Delete what was not changed for so long; return how many there were."""
        with self._database.aside() as connection:
            return connection.execute(
                sa.delete(_TABLE).where(_TABLE.c.updated_at <= datetime.now(UTC) - lasts)
            ).rowcount


def _values(content: DraftText) -> dict[str, object]:
    text, note = redact(content.text).text, redact(content.note).text
    if len(text) + len(note) > LONGEST:
        raise Refused(
            f"the draft has more than {LONGEST:,} characters", cure="save it as a draft of the knowledge base"
        )
    return {
        "text": text,
        "note": note,
        "title": redact(content.title).text,
        "incident_id": content.incident_id,
        "revision": content.revision,
        "was": content.was,
    }


def _prune(connection: sa.Connection, most: int, *of: sa.ColumnElement[bool]) -> None:
    oldest = sa.select(_TABLE.c.id).where(*of).order_by(_TABLE.c.updated_at.desc(), _TABLE.c.id).offset(most)
    gone = connection.execute(oldest.limit(most)).scalars().all()
    if gone:
        connection.execute(sa.delete(_TABLE).where(_TABLE.c.id.in_(gone)))


def _draft(row: sa.RowMapping) -> PrivateDraft:
    named = (row["title"], row["incident_id"], row["revision"], row["was"])
    content = DraftText(row.get("text", ""), row.get("note", ""), *named)
    return PrivateDraft(row["id"], row["version"], content, row["created_at"], row["updated_at"])
