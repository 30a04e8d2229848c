"""Users read changes: which of them is remembered for each user."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Id, Instant

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """What was found before counts as read."""
    op.add_column("users", sa.Column("read_until_at", Instant, nullable=True))
    op.execute("UPDATE users SET read_until_at = (SELECT max(c.created_at) FROM changes AS c WHERE c.org_id = users.org_id)")
    op.create_table(
        "read_marks",
        sa.Column("user_id", Id, nullable=False),
        sa.Column("change_id", Id, nullable=False),
        sa.Column("is_read", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["change_id"], ["changes.id"], name=op.f("fk_read_marks_change_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_read_marks_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "change_id", name=op.f("pk_read_marks")),
        sa.Index("ix_read_marks_change_id", "change_id"),
        sqlite_with_rowid=False,
    )
    unread = sa.text("NOT is_read")
    op.create_index(
        "ix_read_marks_unread", "read_marks", ["user_id", "change_id"], sqlite_where=unread, postgresql_where=unread
    )
