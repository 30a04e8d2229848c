"""Tags act: they set values of their watches, and are subscribed to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Id, Json

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """No tag sets anything yet: all that is stored is the watch's own."""
    op.create_table(
        "tags",
        sa.Column("org_id", Id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("settings", Json, nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_tags_org_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("org_id", "name", name=op.f("pk_tags")),
    )
    op.add_column("watches", sa.Column("own", Json, nullable=True))
    op.add_column("subscriptions", sa.Column("tag", sa.Text(), nullable=True))
