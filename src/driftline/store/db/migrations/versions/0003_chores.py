"""When the work that is done once a night was done."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Instant

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table of chores."""
    op.create_table(
        "chores",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("done_at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_chores")),
    )
