"""Conditions and intents of watches, and conditions of tags."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Id

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """No watch has one yet: everything is sent as before."""
    for name in ("condition", "intent"):
        op.add_column("watches", sa.Column(name, sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "tag_conditions",
        sa.Column("org_id", Id, nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("condition", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["org_id"], ["orgs.id"], name=op.f("fk_tag_conditions_org_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("org_id", "tag", name=op.f("pk_tag_conditions")),
        sqlite_with_rowid=False,
    )
