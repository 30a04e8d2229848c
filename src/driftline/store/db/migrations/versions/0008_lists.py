"""Indexes for what lists show: dead letters, drops, articles, and how an org's watches stand."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_WATCHES = ["org_id", "name", "id", "parent_id", "retired_at", "paused_at", "trouble"]


def upgrade() -> None:
    """Find in an index what was looked for in whole tables."""
    op.drop_index("ix_watches_org_id_name", "watches")
    op.create_index("ix_watches_org_id_name", "watches", _WATCHES, unique=False)
    _partial("ix_deliveries_dead", "deliveries", ["org_id", "created_at", "id"], "state = 'dead'")
    _partial("ix_changes_drops", "changes", ["org_id", "created_at", "id"], "type = 'drop'")
    _partial("ix_items_articles", "items", ["first_seen_at", "id"], "kind = 'sitemap'")


def _partial(name: str, table: str, columns: list[str], where: str) -> None:
    op.create_index(name, table, columns, unique=False, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
