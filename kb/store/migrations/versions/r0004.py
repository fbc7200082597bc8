"""What a restored store must know: numbers that were given out before it, and what it was copied from."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds three columns to the one row of `sequence`; NULL in a store that was never restored."""
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.add_column("sequence", sa.Column("least_revision", sa.Integer()))
    op.add_column("sequence", sa.Column("restored_from", text))
    op.add_column("sequence", sa.Column("restored_upto", sa.BigInteger()))
