"""Mail addresses are confirmed by their owners, and samples are counted; channels that were count as confirmed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Hash, Id, Instant

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """A channel is unconfirmed where it has a row."""
    op.create_table(
        "unconfirmed_channels",
        sa.Column("channel_id", Id, nullable=False),
        sa.Column("secret_hash", Hash, nullable=False),
        sa.Column("expires_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["channel_id"], ["channels.id"], name=op.f("fk_unconfirmed_channels_channel_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("channel_id", name=op.f("pk_unconfirmed_channels")),
    )
    op.create_table(
        "samples",
        sa.Column("id", Id, nullable=False),
        sa.Column("org_id", Id, nullable=False),
        sa.Column("channel_id", Id, nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_samples_org_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_samples")),
    )
    op.create_index("ix_samples_org_id", "samples", ["org_id"])
