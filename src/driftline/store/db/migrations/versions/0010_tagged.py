"""An index of the watches that have tags: most have none, and a list by tag looks at no other."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """In the order of the list of watches."""
    tagged = sa.text("tags <> '[]'")
    op.create_index(
        "ix_watches_tagged", "watches", ["org_id", "name", "id"], unique=False, sqlite_where=tagged, postgresql_where=tagged
    )
