"""Deliveries that were skipped are few, and are found among the many that were sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """An index of its own, as dead ones have."""
    skipped = sa.text("state = 'skipped'")
    op.create_index(
        "ix_deliveries_skipped",
        "deliveries",
        ["org_id", "created_at", "id"],
        unique=False,
        sqlite_where=skipped,
        postgresql_where=skipped,
    )
