"""What the text of a block says in so many words."""

from __future__ import annotations

import pytest

from driftline.kinds.page.extract.facts import facts_in


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("EUR 80,000", {"price": "EUR 80,000"}),
        ("80,000 EUR", {"price": "80,000 EUR"}),
        ("EUR 70,000 - EUR 80,000", {"salary": "EUR 70,000 - EUR 80,000"}),
        ("80.000 € pro Jahr", {"salary": "80.000 € pro Jahr"}),
        ("Location: Paris", {"location": "Paris"}),
        ("NEUR 80", {}),
    ],
)
def test_money_is_read_with_its_currency_on_either_side(text: str, facts: dict[str, str]) -> None:
    assert facts_in(text) == facts
