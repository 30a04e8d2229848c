"""Products are found by what they are called in every shop."""

from __future__ import annotations

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """An index over what is stored: the same code, or none."""
    postgres = op.get_bind().dialect.name == "postgresql"
    code = "(state -> 'extra' ->> 'code')" if postgres else "json_extract(state, '$.extra.code')"
    op.execute(f"CREATE INDEX ix_items_code ON items ({code}) WHERE kind = 'catalog'")
