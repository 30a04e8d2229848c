"""A web application on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.offices import Office, office_on


@pytest.fixture
def office(database_url: str) -> Iterator[Office]:
    """On SQLite, then on PostgreSQL."""
    with office_on(database_url) as opened:
        yield opened


@pytest.fixture
def quick_office(tmp_path: Path) -> Iterator[Office]:
    """On SQLite alone, for what no database decides."""
    with office_on(f"sqlite:///{tmp_path / 'driftline.db'}") as opened:
        yield opened
