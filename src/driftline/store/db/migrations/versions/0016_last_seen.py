"""What differed lately is kept beside what was said lately: one row a watch, last_seen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Id

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The rows of `restless` move, with room for habits."""
    op.create_table(
        "last_seen",
        sa.Column("watch_id", Id, nullable=False),
        sa.Column("places", sa.LargeBinary(), nullable=False),
        sa.Column("habits", sa.LargeBinary()),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_last_seen_watch_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("watch_id", name=op.f("pk_last_seen")),
    )
    op.execute("INSERT INTO last_seen (watch_id, places) SELECT watch_id, places FROM restless")
    op.drop_table("restless")
