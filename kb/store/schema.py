"""The tables. `migrations/` makes them in a database; a test holds the two against each other."""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

from kb.store.model import Author

VERSION = "0008"
"""The migration that this code needs."""
VERSION_TABLE = "store_version"


class Text(TypeDecorator[str]):
    """Any text. What no database takes (lone surrogates, NUL) becomes a mark, in what is written and in what is looked for."""

    impl = sa.Text
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        """Ordered by its bytes everywhere, and by nobody's locale: an index outlives the system's rules of sorting."""
        kind: type[sa.Text] = sa.Text
        return dialect.type_descriptor(kind(collation="C") if dialect.name == "postgresql" else kind())

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """As it is stored."""
        return None if value is None else storable(value)


class Moment(TypeDecorator[datetime]):
    """A time in UTC as ISO 8601 text of one width: the same order and the same microseconds in every database."""

    impl = sa.String(27)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """As it is stored."""
        return None if value is None else f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        """As it is read."""
        return None if value is None else datetime.fromisoformat(value)


def storable(text: str) -> str:
    """Without what no database takes."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _author(prefix: str, *, nullable: bool = False) -> tuple[sa.Column[Any], sa.Column[Any]]:
    return sa.Column(f"{prefix}_id", Text, nullable=nullable), sa.Column(f"{prefix}_name", Text, nullable=nullable)


def author(row: sa.RowMapping, prefix: str) -> Author:
    """Who is named in two columns of a row."""
    return Author(row[f"{prefix}_id"], row[f"{prefix}_name"])


def _of_incident(*, primary_key: bool = False) -> sa.Column[Any]:
    return sa.Column("incident_id", Text, sa.ForeignKey("incidents.id"), nullable=False, primary_key=primary_key)


Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""Counts up by itself as a primary key, in both databases."""

sequence = sa.Table(
    "sequence",
    metadata,
    sa.Column("one", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("value", sa.BigInteger, nullable=False),
    sa.Column("store_id", Text, nullable=False),  # another after a backup was restored: numbers begin anew
    sa.Column("least_revision", sa.Integer),  # of a restored store: no new revision has a smaller number
    sa.Column("restored_from", Text),  # the store_id that the backup was made of, and its last change
    sa.Column("restored_upto", sa.BigInteger),
    sa.Column("voter_key", Text),  # addresses of voters without a name are hashed with it
)

incidents = sa.Table(
    "incidents",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("revision", sa.Integer, nullable=False),  # the last one
    sa.Column("status", Text, nullable=False),
    sa.Column("sequence", sa.BigInteger, nullable=False, unique=True),
    sa.Column("live_revision", sa.Integer),  # the last one that is published or retired
    sa.Column("live_status", Text),
    sa.Column("live_sequence", sa.BigInteger, unique=True),
    sa.Column("title", Text, nullable=False),
    sa.Column("lang", Text, nullable=False),
    sa.Column("component", Text, index=True),
    sa.Column("sought", Text, nullable=False),  # id, title, component and tags, case folded
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    *_author("updated_by"),
    sa.Index(None, "status", "id"),
)

revisions = sa.Table(
    "revisions",
    metadata,
    _of_incident(primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("status", Text, nullable=False),
    sa.Column("record", Text, nullable=False),
    *_author("author"),
    sa.Column("note", Text, nullable=False),
    sa.Column("at", Moment, nullable=False),
    sa.Column("sequence", sa.BigInteger, nullable=False, unique=True),
)

redirects = sa.Table(
    "redirects",
    metadata,
    sa.Column("number", Number, primary_key=True),
    sa.Column("from_id", Text, sa.ForeignKey("incidents.id"), nullable=False),
    sa.Column("to_id", Text, sa.ForeignKey("incidents.id"), nullable=False, index=True),
    sa.Column("from_revision", sa.Integer, nullable=False),  # the last one, and the searched one, before
    sa.Column("from_live", sa.Integer),
    sa.Column("traces", Text, nullable=False),
    *_author("by"),
    sa.Column("at", Moment, nullable=False),
    *_author("undone_by", nullable=True),
    sa.Column("undone_at", Moment),
    sa.Index(
        "uq_redirects_in_force",
        "from_id",
        unique=True,
        sqlite_where=sa.text("undone_at IS NULL"),
        postgresql_where=sa.text("undone_at IS NULL"),
    ),
)

reviewers = sa.Table(
    "reviewers",
    metadata,
    _of_incident(primary_key=True),
    sa.Column("id", Text, primary_key=True, index=True),
    sa.Column("name", Text, nullable=False),
    *_author("assigned_by"),
    sa.Column("at", Moment, nullable=False),
)

comments = sa.Table(
    "comments",
    metadata,
    sa.Column("number", Number, primary_key=True),
    _of_incident(),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("answers", Number, sa.ForeignKey("comments.number")),
    sa.Column("text", Text, nullable=False),
    *_author("by"),
    sa.Column("at", Moment, nullable=False),
    sa.Index(None, "incident_id", "number"),
)

feedback = sa.Table(
    "feedback",
    metadata,
    sa.Column("number", Number, primary_key=True),
    sa.Column("incident_id", Text, nullable=False),  # of a snapshot, perhaps: the store may not know it
    sa.Column("vote", sa.Integer, nullable=False),
    sa.Column("prints", Text, nullable=False),
    sa.Column("probability", sa.Double, nullable=False),
    sa.Column("snapshot_id", Text, nullable=False),
    sa.Column("text", Text),
    *_author("by"),
    sa.Column("at", Moment, nullable=False),
    sa.Index(None, "incident_id", "number"),
)

sightings = sa.Table(
    "sightings",
    metadata,
    sa.Column("number", Number, primary_key=True),
    sa.Column("incident_id", Text, nullable=False),  # of a snapshot, perhaps: the store may not know it
    sa.Column("name", Text, nullable=False),  # of the paste: the same for the same fingerprints
    sa.Column("voter", Text, nullable=False),
    sa.Column("weight", sa.Integer, nullable=False),
    sa.Column("vote", sa.Integer, nullable=False),
    sa.Column("prints", Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),  # of the fingerprints
    sa.Column("at", Moment, nullable=False),
    sa.Column("sequence", sa.BigInteger, nullable=False, index=True),
    *_author("removed_by", nullable=True),
    sa.Column("removed_at", Moment),
    sa.UniqueConstraint("incident_id", "name", "voter"),
)

keys = sa.Table(
    "keys",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("digest", Text, nullable=False, unique=True),  # SHA-256 of the secret
    sa.Column("name", Text, nullable=False),
    sa.Column("role", Text, nullable=False),
    sa.Column("scopes", Text, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("expires_at", Moment),
    sa.Column("revoked_at", Moment),
    sa.Column("last_used", Moment),
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("digest", Text, primary_key=True),  # SHA-256 of the secret
    *_author("actor"),
    sa.Column("role", Text, nullable=False),
    sa.Column("key_id", Text, sa.ForeignKey("keys.id")),  # the key that it was begun with
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("expires_at", Moment, nullable=False, index=True),
)

people = sa.Table(
    "people",
    metadata,
    sa.Column("id", Text, primary_key=True),  # of their login
    sa.Column("name", Text, nullable=False),
    sa.Column("role", Text, nullable=False),
    sa.Column("seen_at", Moment, nullable=False, index=True),
)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("number", Number, primary_key=True),
    sa.Column("sequence", sa.BigInteger, nullable=False, index=True),
    sa.Column("at", Moment, nullable=False),
    *_author("actor"),
    sa.Column("role", Text, nullable=False),
    sa.Column("action", Text, nullable=False),
    sa.Column("object", Text, nullable=False, index=True),
    sa.Column("details", Text, nullable=False),
)

messages = sa.Table(
    "messages",
    metadata,
    sa.Column("ref", Text, primary_key=True),
    sa.Column("platform", Text, nullable=False),
    sa.Column("message_id", Text, nullable=False),
    sa.Column("kind", Text, nullable=False),
    sa.Column("state", Text, nullable=False),
    sa.Column("begun", sa.Boolean, nullable=False),  # what it is about has left, perhaps
    sa.Column("asked", Text),
    sa.Column("answer", Text),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("why", Text),
    sa.Column("holder", Text),
    sa.Column("due_at", Moment, nullable=False),  # of one that is held: when the hold ends
    sa.Column("received_at", Moment, nullable=False, index=True),
    sa.Column("updated_at", Moment, nullable=False),
    sa.UniqueConstraint("platform", "message_id"),
    sa.Index(None, "state", "due_at"),
)

links = sa.Table(
    "links",
    metadata,
    sa.Column("id", Text, primary_key=True),  # unguessable: whoever has it and may read sees the paste
    sa.Column("text", Text, nullable=False),  # secrets out
    sa.Column("secret", Text, nullable=False),  # SHA-256 of what its maker deletes it by
    *_author("by"),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("expires_at", Moment, nullable=False, index=True),
    sa.Index(None, "by_id", "created_at"),
)

tallies = sa.Table(
    "tallies",
    metadata,
    sa.Column("kind", Text, primary_key=True),
    sa.Column("name", Text, primary_key=True),
    sa.Column("detail", Text, primary_key=True),
    sa.Column("day", sa.String(10), primary_key=True),  # ISO 8601, UTC
    sa.Column("count", sa.BigInteger, nullable=False),
    sa.Index(None, "day"),
)

questions = sa.Table(
    "questions",
    metadata,
    sa.Column("name", Text, primary_key=True),  # the digest of a fingerprint
    sa.Column("runtime", Text, nullable=False),
    sa.Column("type", Text, nullable=False),
    sa.Column("template", Text, nullable=False),  # the message without its values, secrets out
    sa.Column("nearest", Text, nullable=False),
    sa.Column("text", Text),  # only where it may be kept, secrets out
)

drafts = sa.Table(
    "drafts",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("tab", Text, nullable=False),  # who wrote last: a name that a tab of the browser gave itself
    sa.Column("title", Text, nullable=False),
    sa.Column("text", Text, nullable=False),  # secrets out
    sa.Column("note", Text, nullable=False),
    sa.Column("incident_id", Text, nullable=False),  # '' for a new one; of a snapshot, perhaps
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("was", Text, nullable=False),
    *_author("by"),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False, index=True),
    sa.Index(None, "by_id", "updated_at"),
)

APPEND_ONLY = ("revisions", "audit")
"""Tables whose rows a trigger keeps as they are."""
