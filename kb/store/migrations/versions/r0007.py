"""Private drafts of the editor."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table of drafts."""
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "drafts",
        sa.Column("id", text, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("tab", text, nullable=False),
        sa.Column("title", text, nullable=False),
        sa.Column("text", text, nullable=False),
        sa.Column("note", text, nullable=False),
        sa.Column("incident_id", text, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("was", text, nullable=False),
        sa.Column("by_id", text, nullable=False),
        sa.Column("by_name", text, nullable=False),
        sa.Column("created_at", sa.String(27), nullable=False),
        sa.Column("updated_at", sa.String(27), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_drafts"),
    )
    op.create_index("ix_drafts_by_id_updated_at", "drafts", ["by_id", "updated_at"])
    op.create_index("ix_drafts_updated_at", "drafts", ["updated_at"])
