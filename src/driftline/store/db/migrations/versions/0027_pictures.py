"""Pictures of versions, and of steps that failed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Id

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Deleted with what they show."""
    op.create_table(
        "pictures",
        sa.Column("id", Id, nullable=False),
        sa.Column("snapshot_id", Id, nullable=True),
        sa.Column("run_id", Id, nullable=True),
        sa.Column("blob_key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["snapshot_id"], ["snapshots.id"], name="fk_pictures_snapshot_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_pictures_run_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_pictures"),
    )
    op.create_index("ix_pictures_snapshot_id", "pictures", ["snapshot_id"], unique=False)
    op.create_index("ix_pictures_run_id", "pictures", ["run_id"], unique=False)
    op.create_index("ix_pictures_blob_key", "pictures", ["blob_key"], unique=False)
