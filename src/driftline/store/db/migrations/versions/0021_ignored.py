"""What the latest check dropped is kept, so that rules that drop less never report what was there all the time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """A column beside places and habits."""
    with op.batch_alter_table(
        "last_seen", recreate="auto" if op.get_bind().dialect.name == "postgresql" else "always"
    ) as table:
        table.add_column(sa.Column("ignored", sa.LargeBinary()))
