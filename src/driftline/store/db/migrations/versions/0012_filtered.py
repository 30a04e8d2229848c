"""For lists that show few of many: type and severity in the index of an org's changes, and an index of baselines."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """What does not fit is told by an index, without its row."""
    op.drop_index("ix_changes_org_id_created_at", "changes")
    columns = ["org_id", "created_at", "id", "type", "severity"]
    op.create_index("ix_changes_org_id_created_at", "changes", columns, unique=False)
    baseline = sa.text("outcome = 'baseline'")
    op.create_index("ix_runs_baselines", "runs", ["id"], unique=False, sqlite_where=baseline, postgresql_where=baseline)
