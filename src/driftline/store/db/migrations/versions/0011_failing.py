"""An index of the watches that fail, from their first failure on: most do not, and their list and count look at no other."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """In the order of the list of watches."""
    failing = sa.text("failures > 0 OR trouble IS NOT NULL")
    op.create_index(
        "ix_watches_failing",
        "watches",
        ["org_id", "name", "id"],
        unique=False,
        sqlite_where=failing,
        postgresql_where=failing,
    )
