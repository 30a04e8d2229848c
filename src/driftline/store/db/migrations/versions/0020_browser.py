"""A watch remembers that its page needs the browser."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Instant

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Until when the browser is asked first."""
    op.add_column("watches", sa.Column("browser_until", Instant, nullable=True))
