"""Messages of chats are jobs: what was asked, what was answered, who is at it."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the table of messages anew. Those of the old one had been seen, and stay so."""
    op.drop_index("ix_messages_first_at", "messages")
    op.rename_table("messages", "messages_0002")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE messages_0002 RENAME CONSTRAINT pk_messages TO pk_messages_0002")
    made = _make()
    old = sa.table("messages_0002", *(sa.column(name) for name in ("platform", "message_id", "first_at", "updated_at")))
    rows = [
        {
            **dict(row),
            "ref": secrets.token_hex(16),
            "kind": "question",
            "state": "done",
            "begun": False,
            "tries": 1,
            "due_at": row["received_at"],
        }
        for row in op.get_bind()
        .execute(sa.select(old.c.platform, old.c.message_id, old.c.first_at.label("received_at"), old.c.updated_at))
        .mappings()
    ]
    op.bulk_insert(made, rows)
    op.drop_table("messages_0002")


def _make() -> sa.Table:
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    made = op.create_table(
        "messages",
        sa.Column("ref", text, nullable=False),
        sa.Column("platform", text, nullable=False),
        sa.Column("message_id", text, nullable=False),
        sa.Column("kind", text, nullable=False),
        sa.Column("state", text, nullable=False),
        sa.Column("begun", sa.Boolean(), nullable=False),
        sa.Column("asked", text),
        sa.Column("answer", text),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("why", text),
        sa.Column("holder", text),
        sa.Column("due_at", sa.String(27), nullable=False),
        sa.Column("received_at", sa.String(27), nullable=False),
        sa.Column("updated_at", sa.String(27), nullable=False),
        sa.PrimaryKeyConstraint("ref", name="pk_messages"),
        sa.UniqueConstraint("platform", "message_id", name="uq_messages_platform_message_id"),
    )
    op.create_index("ix_messages_received_at", "messages", ["received_at"])
    op.create_index("ix_messages_state_due_at", "messages", ["state", "due_at"])
    return made
