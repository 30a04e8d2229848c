"""Blocks of changes in a table `blocks`; `change_blocks` becomes one of the views that other programs read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Id, Json

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The rows move."""
    op.create_table(
        "blocks",
        sa.Column("change_id", Id, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("block_key", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text_excerpt", sa.Text(), nullable=False),
        sa.Column("metadata", Json, nullable=True),
        sa.ForeignKeyConstraint(["change_id"], ["changes.id"], name=op.f("fk_blocks_change_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("change_id", "position", name=op.f("pk_blocks")),
        sqlite_with_rowid=False,
    )
    columns = "change_id, position, block_key, action, title, text_excerpt, metadata"
    op.execute(f"INSERT INTO blocks ({columns}) SELECT {columns} FROM change_blocks")  # noqa: S608 - constants
    op.drop_table("change_blocks")
