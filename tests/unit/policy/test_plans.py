"""The shipped plans."""

from __future__ import annotations

import pytest

from driftline.errors import UsageError
from driftline.model.account import Features
from driftline.policy.plans import PLANS, plan


def test_the_plans_are_those_of_the_specification() -> None:
    day = 86_400
    reported = {
        name: (one.immediate, one.detailed_snapshots, one.semantic_diff, one.full_compare) for name, one in PLANS.items()
    }
    assert reported == {
        "free": (False, False, False, False),
        "pro": (True, True, False, False),
        "premium": (True, True, True, True),
        "embedded": (True, True, True, False),
    }
    assert [PLANS[name].kept_for for name in ("free", "pro", "premium", "embedded")] == [7 * day, 90 * day, 365 * day, None]
    assert all(one.tier == name for name, one in PLANS.items())
    assert plan("embedded") == Features()


def test_a_plan_that_is_not_shipped_is_refused() -> None:
    with pytest.raises(UsageError):
        plan("gold")
