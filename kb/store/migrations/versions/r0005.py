"""What readers confirmed or denied is searched: sightings, and the key by which addresses are hashed."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table of sightings and the key. Feedback of before teaches nothing: it does not say who a voter without a name was."""
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "sightings",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("incident_id", text, nullable=False),
        sa.Column("name", text, nullable=False),
        sa.Column("voter", text, nullable=False),
        sa.Column("weight", sa.Integer(), nullable=False),
        sa.Column("vote", sa.Integer(), nullable=False),
        sa.Column("prints", text, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(27), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("removed_by_id", text),
        sa.Column("removed_by_name", text),
        sa.Column("removed_at", sa.String(27)),
        sa.PrimaryKeyConstraint("number", name="pk_sightings"),
        sa.UniqueConstraint("incident_id", "name", "voter", name="uq_sightings_incident_id_name_voter"),
    )
    op.create_index("ix_sightings_sequence", "sightings", ["sequence"])
    op.add_column("sequence", sa.Column("voter_key", text))
    op.execute(sa.text("UPDATE sequence SET voter_key = :key").bindparams(key=secrets.token_hex(16)))
