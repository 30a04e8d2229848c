"""The same product in several shops: its codes, and the price of a unit."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from driftline.core.commerce.amounts import per_unit
from driftline.core.commerce.product_codes import product_code, with_code


@pytest.mark.parametrize(
    ("gtin", "brand", "part", "code"),
    [
        ("4006381333931", "", "", "gtin:04006381333931"),
        ("036000291452", "", "", "gtin:00036000291452"),  # a UPC is a GTIN with a zero in front
        ("978-3-16-148410-0", "", "", "gtin:09783161484100"),
        ("4006381333932", "", "", ""),  # the check digit is wrong
        ("00000000", "", "", ""),
        ("", "Acme", "X-100 B", "part:acme/x100b"),
        ("", "ACME", "x100b", "part:acme/x100b"),
        ("", "", "X-100", ""),  # many makers have such a number
        ("", "Acme", "1", ""),
    ],
)
def test_a_product_has_one_code_in_every_shop(gtin: str, brand: str, part: str, code: str) -> None:
    assert product_code(gtin, brand, part) == code


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"EAN": 4006381333931}, "gtin:04006381333931"),
        ({"gtin_13": "4006381333931", "brand": "Acme", "mpn": "X-100"}, "gtin:04006381333931"),
        ({"Brand": "Acme", "MPN": "X-100"}, "part:acme/x100"),
        ({"ean": "4006381333931", "code": "SPRING"}, "SPRING"),  # a crawler's own
        ({"brand": "Acme"}, None),
        ({"ean": ["4006381333931"]}, None),
    ],
)
def test_the_code_of_a_pushed_product_follows_from_its_fields(fields: dict[str, Any], code: str | None) -> None:
    assert with_code(fields) == {**fields, **({"code": code} if code else {})}


@pytest.mark.parametrize(
    ("title", "price", "said"),
    [
        ("Coffee 500 g", "6.00", ("12.00", "kg")),
        ("Water 6 x 1,5 l", "4.50", ("0.50", "l")),
        ("Cable 10m", "25", ("2.50", "m")),
        ("Socks", "5", None),
        ("Oil 1 l, with 250 ml free", "5", None),  # two sizes
        ("Core i7-9700 G9", "300", None),
        ("Tee 0 g", "3", None),
    ],
)
def test_the_price_of_a_unit_follows_from_the_size_in_the_name(title: str, price: str, said: tuple[str, str] | None) -> None:
    found = per_unit(title, Decimal(price))
    assert (found and (str(found.amount), found.unit)) == said
