"""Listings as shop systems write them, read without a rule: every URL, title, price, currency and word about stock."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin

import pytest
from tests.unit.kinds.catalog.test_reading import read, shown

SYSTEMS: Final = Path(__file__).with_name("systems")
EXPECTED: Final[dict[str, Any]] = json.loads((SYSTEMS / "expected.json").read_text("utf-8"))


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_listings_of_shop_systems_are_read_without_rules(name: str) -> None:
    url, found = EXPECTED[name]["url"], EXPECTED[name]["found"]
    reading = read((SYSTEMS / f"{name}.html").read_text("utf-8"), url=url)
    assert (reading.outcome, reading.complete) == (None, True)
    assert shown(reading) == {
        urljoin(url, where): (title, None if price is None else Decimal(price), currency, stock)
        for where, (title, price, currency, stock) in found.items()
    }


def test_every_listing_has_its_expectation() -> None:
    assert {page.stem for page in SYSTEMS.glob("*.html")} == set(EXPECTED)
