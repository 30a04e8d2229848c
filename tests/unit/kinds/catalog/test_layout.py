"""A listing that suddenly shows fewer than half of its products was built anew: nothing is compared with it."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from driftline.kinds.catalog.judging import judge
from driftline.kinds.catalog.product import Product, observed
from driftline.kinds.catalog.rules import CatalogRules
from driftline.kinds.kind import Baseline
from driftline.model.delta import Delta, Entry
from driftline.model.item import StoredItem

AT = datetime(2026, 3, 1, tzinfo=UTC)


def known(number: int) -> StoredItem:
    return StoredItem(item_id=UUID(int=number), key=f"https://shop.example/{number}", fingerprint=b"", version=1, member=True)


@pytest.mark.parametrize(
    ("shown", "missing", "new", "refused"),
    [
        (10, 0, 0, ""),
        (5, 5, 0, ""),
        (4, 6, 0, "cards read: 4 of 10"),
        (0, 10, 3, "cards read: 3 of 10"),
        (0, 10, 10, ""),  # another selection every day
        (1, 4, 0, ""),  # too few to say
    ],
)
def test_a_listing_without_most_of_its_cards_is_refused(shown: int, missing: int, new: int, refused: str) -> None:
    entries = [
        Entry(observed=observed(f"https://shop.example/new/{at}", Product(title=f"New {at}")), stored=None) for at in range(new)
    ]
    delta = Delta(entries=entries, missing=[known(at) for at in range(missing)], unchanged=shown)
    verdict = judge(Baseline(first=False, snapshots={}), delta, CatalogRules(), at=AT)
    assert (verdict.refused, verdict.refused_as) == (refused, "layout_changed")
    assert judge(Baseline(first=True, snapshots={}), delta, CatalogRules(), at=AT).refused == ""
