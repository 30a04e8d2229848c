"""Quiet hours of a user."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from driftline.model.watch import Window
from driftline.policy.schedule.windows import opening
from driftline.policy.schedule.zones import zone


def quiet_until(windows: Sequence[Window], timezone: str, *, at: datetime) -> datetime | None:
    """When the quiet hours at `at` end; None outside of them."""
    if not windows:
        return None
    stretch = opening(windows, zone(timezone), at=at)
    return stretch.ends_at if stretch is not None and stretch.starts_at <= at else None
