"""Who hears of changes, and how: users, channels, subscriptions, deliveries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Id, Instant, Json

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables of accounts and deliveries."""
    op.create_table(
        "users",
        sa.Column("id", Id, nullable=False),
        sa.Column("org_id", Id, nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.Column("digest_hour", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Boolean(), nullable=False),
        sa.Column("next_digest_at", Instant, nullable=False),
        sa.Column("disabled_at", Instant, nullable=True),
        sa.Column("created_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_users_org_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("org_id", "email", name=op.f("uq_users_org_id_email")),
    )
    op.create_index("ix_users_next_digest_at", "users", ["next_digest_at"], unique=False)
    op.create_table(
        "channels",
        sa.Column("id", Id, nullable=False),
        sa.Column("org_id", Id, nullable=False),
        sa.Column("user_id", Id, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("options", Json, nullable=False),
        sa.Column("secrets", Json, nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("disabled_at", Instant, nullable=True),
        sa.Column("disabled_reason", sa.Text(), nullable=True),
        sa.Column("created_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_channels_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_channels")),
        sa.UniqueConstraint("org_id", "name", name=op.f("uq_channels_org_id_name")),
    )
    op.create_index("ix_channels_user_id", "channels", ["user_id"], unique=False)
    op.create_index(
        "uq_channels_default",
        "channels",
        ["user_id"],
        unique=True,
        sqlite_where=sa.text("is_default"),
        postgresql_where=sa.text("is_default"),
    )
    op.create_table(
        "subscriptions",
        sa.Column("id", Id, nullable=False),
        sa.Column("org_id", Id, nullable=False),
        sa.Column("user_id", Id, nullable=False),
        sa.Column("watch_id", Id, nullable=True),
        sa.Column("filter", Json, nullable=False),
        sa.Column("muted_until_at", Instant, nullable=True),
        sa.Column("paused_at", Instant, nullable=True),
        sa.Column("created_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_subscriptions_user_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_subscriptions_watch_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_subscriptions")),
    )
    op.create_index("ix_subscriptions_org_id_watch_id", "subscriptions", ["org_id", "watch_id"], unique=False)
    op.create_index("ix_subscriptions_user_id", "subscriptions", ["user_id"], unique=False)
    op.create_index("ix_subscriptions_watch_id", "subscriptions", ["watch_id"], unique=False)
    op.create_table(
        "subscription_channels",
        sa.Column("subscription_id", Id, nullable=False),
        sa.Column("channel_id", Id, nullable=False),
        sa.ForeignKeyConstraint(
            ["channel_id"], ["channels.id"], name=op.f("fk_subscription_channels_channel_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["subscription_id"], ["subscriptions.id"], name=op.f("fk_subscription_channels_subscription_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("subscription_id", "channel_id", name=op.f("pk_subscription_channels")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_subscription_channels_channel_id", "subscription_channels", ["channel_id"], unique=False)
    op.create_table(
        "deliveries",
        sa.Column("id", Id, nullable=False),
        sa.Column("org_id", Id, nullable=False),
        sa.Column("report_id", Id, nullable=False),
        sa.Column("user_id", Id, nullable=False),
        sa.Column("channel_id", Id, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_attempt_at", Instant, nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("digest_at", Instant, nullable=True),
        sa.Column("digest_id", Id, nullable=True),
        sa.Column("sent_at", Instant, nullable=True),
        sa.Column("created_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["channel_id"], ["channels.id"], name=op.f("fk_deliveries_channel_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["report_id"], ["reports.id"], name=op.f("fk_deliveries_report_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
        sa.UniqueConstraint("report_id", "channel_id", name=op.f("uq_deliveries_report_id_channel_id")),
    )
    op.create_index("ix_deliveries_channel_id_created_at", "deliveries", ["channel_id", "created_at"], unique=False)
    op.create_index(
        "ix_deliveries_due",
        "deliveries",
        ["next_attempt_at", "id"],
        unique=False,
        sqlite_where=sa.text("next_attempt_at IS NOT NULL"),
        postgresql_where=sa.text("next_attempt_at IS NOT NULL"),
    )
    op.create_index("ix_deliveries_org_id_created_at", "deliveries", ["org_id", "created_at", "id"], unique=False)
