"""People who sign in at the provider of the house, and whose reviews wait."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_MOST = 1_000


def upgrade() -> None:
    """Adds the table of people, with those whom the audit log has seen sign in, and an index of whose reviews wait."""
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    people = op.create_table(
        "people",
        sa.Column("id", text, nullable=False),
        sa.Column("name", text, nullable=False),
        sa.Column("role", text, nullable=False),
        sa.Column("seen_at", sa.String(27), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_people"),
    )
    op.create_index("ix_people_seen_at", "people", ["seen_at"])
    op.create_index("ix_reviewers_id", "reviewers", ["id"])
    names = ("number", "at", "actor_id", "actor_name", "role", "action")
    audit = sa.table("audit", *(sa.column(name) for name in names))
    is_login = (audit.c.action == "session.begin", audit.c.actor_id.like("openid:%"))
    last = sa.select(sa.func.max(audit.c.number)).where(*is_login).group_by(audit.c.actor_id)
    query = (
        sa.select(audit.c.actor_id, audit.c.actor_name, audit.c.role, audit.c.at)
        .where(audit.c.number.in_(last), audit.c.role.in_(("curator", "reviewer", "admin")))
        .order_by(audit.c.at.desc())
        .limit(_MOST)
    )
    op.execute(sa.insert(people).from_select(["id", "name", "role", "seen_at"], query))
