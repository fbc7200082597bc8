"""Pastes that somebody asked a link for; what is counted of searches."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the tables of links, of sums, and of groups of unanswered questions."""
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "links",
        sa.Column("id", text, nullable=False),
        sa.Column("text", text, nullable=False),
        sa.Column("secret", text, nullable=False),
        sa.Column("by_id", text, nullable=False),
        sa.Column("by_name", text, nullable=False),
        sa.Column("created_at", sa.String(27), nullable=False),
        sa.Column("expires_at", sa.String(27), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_links"),
    )
    op.create_index("ix_links_expires_at", "links", ["expires_at"])
    op.create_index("ix_links_by_id_created_at", "links", ["by_id", "created_at"])
    op.create_table(
        "tallies",
        sa.Column("kind", text, nullable=False),
        sa.Column("name", text, nullable=False),
        sa.Column("detail", text, nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "name", "detail", "day", name="pk_tallies"),
    )
    op.create_index("ix_tallies_day", "tallies", ["day"])
    op.create_table(
        "questions",
        sa.Column("name", text, nullable=False),
        sa.Column("runtime", text, nullable=False),
        sa.Column("type", text, nullable=False),
        sa.Column("template", text, nullable=False),
        sa.Column("nearest", text, nullable=False),
        sa.Column("text", text),
        sa.PrimaryKeyConstraint("name", name="pk_questions"),
    )
