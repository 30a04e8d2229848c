"""The queue agent: messages that were dealt with, where each page stands, and what is to be sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Hash, Id, Instant

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the agent's tables."""
    op.create_table(
        "inbox",
        sa.Column("watch_id", Id, nullable=False),
        sa.Column("message", Hash, nullable=False),
        sa.Column("received_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_inbox_watch_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("watch_id", "message", name=op.f("pk_inbox")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_inbox_received_at", "inbox", ["received_at"])
    op.create_table(
        "page_versions",
        sa.Column("watch_id", Id, nullable=False),
        sa.Column("url_hash", Hash, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("snapshot_hash", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_page_versions_watch_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("watch_id", "url_hash", name=op.f("pk_page_versions")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "outbox",
        sa.Column("id", Id, nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=False),
        sa.Column("lease_until", Instant, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_index("ix_outbox_lease_until", "outbox", ["lease_until"])
    op.create_index("ix_outbox_lease_owner", "outbox", ["lease_owner"])
