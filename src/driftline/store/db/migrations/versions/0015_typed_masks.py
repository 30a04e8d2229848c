"""A mask's state and area have columns of their own; they were names and values in `data`, and an empty one meant lifted."""

from __future__ import annotations

from typing import Literal

import sqlalchemy as sa
from alembic import op

from driftline.store.db.types import Json

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Masks of the second form keep their area; older ones have none and cover nothing, as before."""
    postgres = op.get_bind().dialect.name == "postgresql"
    recreate: Literal["auto", "always"] = "auto" if postgres else "always"
    with op.batch_alter_table("masks", recreate=recreate) as masks:
        masks.add_column(sa.Column("state", sa.Text(), nullable=False, server_default="active"))
        masks.add_column(sa.Column("area", Json))
    doubt, area = (
        ("data ->> 'doubt'", "(data ->> 'area')::jsonb")
        if postgres
        else ("json_extract(data, '$.doubt')", "json_extract(data, '$.area')")
    )
    op.execute(
        f"UPDATE masks SET area = {area}, state = CASE WHEN data IS NULL OR CAST(data AS text) = '{{}}' THEN 'lifted' "  # noqa: S608 - constants
        f"WHEN {doubt} IS NOT NULL THEN 'doubtful' ELSE 'active' END"
    )
    with op.batch_alter_table("masks", recreate=recreate) as masks:
        masks.drop_column("data")
