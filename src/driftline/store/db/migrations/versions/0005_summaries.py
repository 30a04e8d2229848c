"""What articles say, made once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Hash, Id, Instant

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_WAITING = sa.text("next_attempt_at IS NOT NULL")


def upgrade() -> None:
    """Create the table of summaries."""
    op.create_table(
        "summaries",
        sa.Column("item_id", Id, nullable=False),
        sa.Column("run_id", Id, nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("label", sa.Text()),
        sa.Column("label_confidence", sa.Float()),
        sa.Column("model", sa.Text()),
        sa.Column("text_hash", Hash),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("asked_at", Instant, nullable=False),
        sa.Column("next_attempt_at", Instant),
        sa.Column("summarized_at", Instant),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_summaries_item_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("item_id", name=op.f("pk_summaries")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_summaries_waiting", "summaries", ["next_attempt_at"], sqlite_where=_WAITING, postgresql_where=_WAITING)
