"""A watch remembers that the browser did not help."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Instant

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """When the browser is asked again."""
    op.add_column("watches", sa.Column("browser_again_at", Instant, nullable=True))
