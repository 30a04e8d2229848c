"""What models answered, and what they cost each org on each day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Hash, Id, Instant

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing was asked yet."""
    op.create_table(
        "model_answers",
        sa.Column("org_id", Id, nullable=False),
        sa.Column("key", Hash, nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_model_answers_org_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("org_id", "key", name=op.f("pk_model_answers")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "model_usage",
        sa.Column("org_id", Id, nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_model_usage_org_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("org_id", "day", name=op.f("pk_model_usage")),
        sqlite_with_rowid=False,
    )
