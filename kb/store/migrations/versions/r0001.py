"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes every table, and keeps revisions and the audit log from being changed."""
    _incidents()
    _revisions()
    _redirects()
    _reviews()
    _feedback()
    _messages()
    _access()
    _freeze("revisions")
    _freeze("audit")


def _text() -> sa.types.TypeEngine[str]:
    """Sorted by its bytes."""
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def _number() -> sa.types.TypeEngine[int]:
    """Counts up by itself as a primary key."""
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _moment(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(27), nullable=nullable)


def _author(prefix: str, *, nullable: bool = False) -> tuple[sa.Column[str], sa.Column[str]]:
    return (
        sa.Column(f"{prefix}_id", _text(), nullable=nullable),
        sa.Column(f"{prefix}_name", _text(), nullable=nullable),
    )


def _incidents() -> None:
    op.create_table(
        "sequence",
        sa.Column("one", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.Column("store_id", _text(), nullable=False),
        sa.PrimaryKeyConstraint("one", name="pk_sequence"),
    )
    op.create_table(
        "incidents",
        sa.Column("id", _text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("status", _text(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("live_revision", sa.Integer()),
        sa.Column("live_status", _text()),
        sa.Column("live_sequence", sa.BigInteger()),
        sa.Column("title", _text(), nullable=False),
        sa.Column("lang", _text(), nullable=False),
        sa.Column("component", _text()),
        sa.Column("sought", _text(), nullable=False),
        _moment("created_at"),
        _moment("updated_at"),
        *_author("updated_by"),
        sa.PrimaryKeyConstraint("id", name="pk_incidents"),
        sa.UniqueConstraint("sequence", name="uq_incidents_sequence"),
        sa.UniqueConstraint("live_sequence", name="uq_incidents_live_sequence"),
    )
    op.create_index("ix_incidents_component", "incidents", ["component"])
    op.create_index("ix_incidents_status_id", "incidents", ["status", "id"])


def _revisions() -> None:
    op.create_table(
        "revisions",
        sa.Column("incident_id", _text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("status", _text(), nullable=False),
        sa.Column("record", _text(), nullable=False),
        *_author("author"),
        sa.Column("note", _text(), nullable=False),
        _moment("at"),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("incident_id", "number", name="pk_revisions"),
        sa.ForeignKeyConstraint(["incident_id"], ["incidents.id"], name="fk_revisions_incident_id"),
        sa.UniqueConstraint("sequence", name="uq_revisions_sequence"),
    )


def _redirects() -> None:
    op.create_table(
        "redirects",
        sa.Column("number", _number(), nullable=False),
        sa.Column("from_id", _text(), nullable=False),
        sa.Column("to_id", _text(), nullable=False),
        sa.Column("from_revision", sa.Integer(), nullable=False),
        sa.Column("from_live", sa.Integer()),
        sa.Column("traces", _text(), nullable=False),
        *_author("by"),
        _moment("at"),
        *_author("undone_by", nullable=True),
        _moment("undone_at", nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_redirects"),
        sa.ForeignKeyConstraint(["from_id"], ["incidents.id"], name="fk_redirects_from_id"),
        sa.ForeignKeyConstraint(["to_id"], ["incidents.id"], name="fk_redirects_to_id"),
    )
    op.create_index("ix_redirects_to_id", "redirects", ["to_id"])
    in_force = sa.text("undone_at IS NULL")
    op.create_index(
        "uq_redirects_in_force",
        "redirects",
        ["from_id"],
        unique=True,
        sqlite_where=in_force,
        postgresql_where=in_force,
    )


def _reviews() -> None:
    op.create_table(
        "reviewers",
        sa.Column("incident_id", _text(), nullable=False),
        sa.Column("id", _text(), nullable=False),
        sa.Column("name", _text(), nullable=False),
        *_author("assigned_by"),
        _moment("at"),
        sa.PrimaryKeyConstraint("incident_id", "id", name="pk_reviewers"),
        sa.ForeignKeyConstraint(["incident_id"], ["incidents.id"], name="fk_reviewers_incident_id"),
    )
    op.create_table(
        "comments",
        sa.Column("number", _number(), nullable=False),
        sa.Column("incident_id", _text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("answers", _number()),
        sa.Column("text", _text(), nullable=False),
        *_author("by"),
        _moment("at"),
        sa.PrimaryKeyConstraint("number", name="pk_comments"),
        sa.ForeignKeyConstraint(["incident_id"], ["incidents.id"], name="fk_comments_incident_id"),
        sa.ForeignKeyConstraint(["answers"], ["comments.number"], name="fk_comments_answers"),
    )
    op.create_index("ix_comments_incident_id_number", "comments", ["incident_id", "number"])


def _feedback() -> None:
    op.create_table(
        "feedback",
        sa.Column("number", _number(), nullable=False),
        sa.Column("incident_id", _text(), nullable=False),
        sa.Column("vote", sa.Integer(), nullable=False),
        sa.Column("prints", _text(), nullable=False),
        sa.Column("probability", sa.Double(), nullable=False),
        sa.Column("snapshot_id", _text(), nullable=False),
        sa.Column("text", _text()),
        *_author("by"),
        _moment("at"),
        sa.PrimaryKeyConstraint("number", name="pk_feedback"),
    )
    op.create_index("ix_feedback_incident_id_number", "feedback", ["incident_id", "number"])


def _messages() -> None:
    op.create_table(
        "messages",
        sa.Column("platform", _text(), nullable=False),
        sa.Column("message_id", _text(), nullable=False),
        sa.Column("state", _text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        _moment("first_at"),
        _moment("updated_at"),
        sa.PrimaryKeyConstraint("platform", "message_id", name="pk_messages"),
    )
    op.create_index("ix_messages_first_at", "messages", ["first_at"])


def _access() -> None:
    op.create_table(
        "keys",
        sa.Column("id", _text(), nullable=False),
        sa.Column("digest", _text(), nullable=False),
        sa.Column("name", _text(), nullable=False),
        sa.Column("role", _text(), nullable=False),
        sa.Column("scopes", _text(), nullable=False),
        _moment("created_at"),
        _moment("expires_at", nullable=True),
        _moment("revoked_at", nullable=True),
        _moment("last_used", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_keys"),
        sa.UniqueConstraint("digest", name="uq_keys_digest"),
    )
    op.create_table(
        "audit",
        sa.Column("number", _number(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        _moment("at"),
        *_author("actor"),
        sa.Column("role", _text(), nullable=False),
        sa.Column("action", _text(), nullable=False),
        sa.Column("object", _text(), nullable=False),
        sa.Column("details", _text(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_audit"),
    )
    op.create_index("ix_audit_sequence", "audit", ["sequence"])
    op.create_index("ix_audit_object", "audit", ["object"])


def _freeze(table: str) -> None:
    """A trigger that refuses to change or remove a row of a table."""
    if op.get_bind().dialect.name == "sqlite":
        for what in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER frozen_{table}_{what.lower()} BEFORE {what} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        f"CREATE FUNCTION frozen_{table}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER frozen_{table} BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION frozen_{table}()"
    )
