"""Logins of the page."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the table of sessions."""
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "sessions",
        sa.Column("digest", text, nullable=False),
        sa.Column("actor_id", text, nullable=False),
        sa.Column("actor_name", text, nullable=False),
        sa.Column("role", text, nullable=False),
        sa.Column("key_id", text),
        sa.Column("created_at", sa.String(27), nullable=False),
        sa.Column("expires_at", sa.String(27), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_sessions"),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_sessions_key_id"),
    )
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"])
