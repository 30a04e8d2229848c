"""Secrets and browser sessions, encrypted before they come here."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Id, Instant, Json

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Both by org and name."""
    op.create_table(
        "secrets",
        sa.Column("org_id", Id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("changed_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name="fk_secrets_org_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("org_id", "name", name="pk_secrets"),
    )
    op.create_table(
        "browser_sessions",
        sa.Column("org_id", Id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("steps", Json, nullable=False),
        sa.Column("signed_out_if", sa.Text(), nullable=True),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("signed_in_at", Instant, nullable=True),
        sa.Column("state", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name="fk_browser_sessions_org_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("org_id", "name", name="pk_browser_sessions"),
    )
