"""The price that a change says."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any


def price_of(state: Mapping[str, Any] | None) -> Decimal | None:
    """The amount in a change's before or after; None if there is none."""
    written = (state or {}).get("price")
    if isinstance(written, Mapping):
        written = written.get("amount")
    if not isinstance(written, str | int | Decimal) or isinstance(written, bool):
        return None
    try:
        amount = Decimal(written)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None
