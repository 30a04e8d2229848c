"""The built-in plans. Features are stored on the org: an operator may set others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from driftline.errors import UsageError
from driftline.model.account import Features

_DAY: Final = 86_400.0

PLANS: Final[Mapping[str, Features]] = {
    "free": Features(
        tier="free", immediate=False, detailed_snapshots=False, semantic_diff=False, full_compare=False, kept_for=7 * _DAY
    ),
    "pro": Features(
        tier="pro", immediate=True, detailed_snapshots=True, semantic_diff=False, full_compare=False, kept_for=90 * _DAY
    ),
    "premium": Features(
        tier="premium", immediate=True, detailed_snapshots=True, semantic_diff=True, full_compare=True, kept_for=365 * _DAY
    ),
    "embedded": Features(tier="embedded"),  # your own machine: all features, without limits
}


def plan(name: str) -> Features:
    """The features of a plan; raises UsageError for an unknown name."""
    features = PLANS.get(name)
    if features is None:
        raise UsageError("unknown plan", plan=name, hint=f"use one of: {', '.join(PLANS)}")
    return features
