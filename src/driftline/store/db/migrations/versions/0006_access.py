"""What opens the door: tokens, sessions, passwords, sign-in links; and answers that are given once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Hash, Id, Instant, Json

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables of access."""
    op.create_table(
        "tokens",
        sa.Column("id", Id, nullable=False),
        sa.Column("org_id", Id, nullable=False),
        sa.Column("user_id", Id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("secret_hash", Hash, nullable=False),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("expires_at", Instant),
        sa.Column("used_at", Instant),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_tokens_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_tokens_secret_hash")),
    )
    op.create_index("ix_tokens_org_id", "tokens", ["org_id"])
    op.create_index("ix_tokens_user_id", "tokens", ["user_id"])
    op.create_table(
        "sessions",
        sa.Column("id", Id, nullable=False),
        sa.Column("org_id", Id, nullable=False),
        sa.Column("user_id", Id, nullable=False),
        sa.Column("secret_hash", Hash, nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("expires_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sessions_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_sessions_secret_hash")),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"])
    op.create_table(
        "passwords",
        sa.Column("user_id", Id, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("changed_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_passwords_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_passwords")),
    )
    op.create_table(
        "signin_links",
        sa.Column("secret_hash", Hash, nullable=False),
        sa.Column("user_id", Id, nullable=False),
        sa.Column("expires_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_signin_links_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("secret_hash", name=op.f("pk_signin_links")),
    )
    op.create_index("ix_signin_links_user_id", "signin_links", ["user_id"])
    op.create_table(
        "idempotency_keys",
        sa.Column("org_id", Id, nullable=False),
        sa.Column("key_hash", Hash, nullable=False),
        sa.Column("request_hash", Hash, nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_idempotency_keys_org_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("org_id", "key_hash", name=op.f("pk_idempotency_keys")),
    )
    op.create_index("ix_idempotency_keys_org_id_created_at", "idempotency_keys", ["org_id", "created_at"])
