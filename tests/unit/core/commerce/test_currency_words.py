"""No text with a price in it is passed over."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.core.commerce.test_prices import WRITTEN

from driftline.core.commerce.currency_symbols import every_mark
from driftline.core.commerce.currency_words import may_name_a_currency
from driftline.core.commerce.number_scan import numbers
from driftline.core.commerce.prices import find_prices

TEXTS = [line.rpartition("|")[0].strip() for line in WRITTEN.strip().splitlines()]
PIECES = st.sampled_from(
    [
        *every_mark(),
        *TEXTS,
        "ct",
        "cents",
        "p",
        "12",
        "5.99",
        "1 299",
        ",-",
        ".-",
        "/-",
        "/=",
        "-",
        " ",
        "\n",
        "\u00a0",
        "m²",
        "k",
        "Oak",
        "x",
        "(",
        ".",
        ":",
    ]
)


@pytest.mark.parametrize("text", TEXTS)
def test_every_written_price_may_name_a_currency(text: str) -> None:
    assert may_name_a_currency(text) or not any(found.marked for found in numbers(text, "GBP"))


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=6).map("".join), st.sampled_from([None, "GBP", "EUR", "ZAR", "PLN"]))
def test_a_number_with_a_mark_is_never_passed_over(text: str, hint: str | None) -> None:
    assert may_name_a_currency(text) or not any(found.marked for found in numbers(text, hint, bare=False))


@pytest.mark.parametrize(
    "text", ["Oak table, model 312", "Bücherregal, weiß, 80x28x202 cm", "Core Ultra 5, 16 GB RAM, 15.6", "T-shirt 3"]
)
def test_a_name_without_a_currency_is_passed_over(text: str) -> None:
    assert not may_name_a_currency(text)
    assert find_prices(text) == []
