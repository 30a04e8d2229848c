"""Memos apart from snapshots: a check reads nothing else, and behind a snapshot's text it has to read all of it first."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Id

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """One memo an item; those that were are not carried over, as the next look at a page makes them anew."""
    op.create_table(
        "memos",
        sa.Column("item_id", Id, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("memo", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_memos_item_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("item_id", name=op.f("pk_memos")),
    )
    op.drop_column("snapshots", "block_memo")
