"""Runs judged from stored rows, and looks at items that left known values out."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Hash, Id

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_UNJUDGED = sa.text("judged_at IS NULL AND status = 'completed'")


def upgrade() -> None:
    """Find a run's snapshots and the runs that nobody judged; keep what a watch last saw where that is no state."""
    op.create_index("ix_snapshots_run_id", "snapshots", ["run_id", "item_id"], unique=False)
    op.create_index("ix_runs_unjudged", "runs", ["started_at"], sqlite_where=_UNJUDGED, postgresql_where=_UNJUDGED)
    op.create_table(
        "sights",
        sa.Column("watch_id", Id, nullable=False),
        sa.Column("item_id", Id, nullable=False),
        sa.Column("sight", Hash, nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_sights_item_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_sights_watch_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("watch_id", "item_id", name=op.f("pk_sights")),
        sa.Index("ix_sights_item_id", "item_id"),
        sqlite_with_rowid=False,
    )
