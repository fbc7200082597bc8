"""Pastes that somebody asked a link for."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table of links."""
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
