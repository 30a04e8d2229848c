"""Items whose own pages are asked in turn: when that was, and what they have still to confirm."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Hash, Id, Instant

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The queue is empty: what was never asked for comes first."""
    op.create_table(
        "verifications",
        sa.Column("watch_id", Id, nullable=False),
        sa.Column("item_id", Id, nullable=False),
        sa.Column("tried_at", Instant),
        sa.Column("claim", Hash),
        sa.Column("etag", sa.Text()),
        sa.Column("last_modified", sa.Text()),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_verifications_item_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_verifications_watch_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("watch_id", "item_id", name=op.f("pk_verifications")),
        sa.Index("ix_verifications_item_id", "item_id"),
        sqlite_with_rowid=False,
    )
