"""What moved lately, and what was said of it, is kept with the watch; masks know when they were needed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Id, Instant

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """A watch has a row while something of it is restless."""
    with op.batch_alter_table("masks", recreate="auto" if op.get_bind().dialect.name == "postgresql" else "always") as masks:
        masks.add_column(sa.Column("needed_at", Instant))
    op.create_table(
        "restless",
        sa.Column("watch_id", Id, nullable=False),
        sa.Column("places", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_restless_watch_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("watch_id", name=op.f("pk_restless")),
    )
