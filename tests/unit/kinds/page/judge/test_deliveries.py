"""Days of delivery and numbers sold: what moves along on a product page, and what of it is news."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from driftline.kinds.page.judge.lines import same_meaning
from driftline.kinds.page.judge.moments import Times

AT = datetime(2026, 11, 16, 12, tzinfo=UTC)
NEXT_DAY = Times(AT, AT + timedelta(days=1))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Delivery by Wed 18 Nov", "Delivery by Thu 19 Nov"),
        ("Free delivery Friday, November 20", "Free delivery Monday, November 23"),
        ("Lieferung bis Mittwoch, 18. November", "Lieferung bis Donnerstag, 19. November"),
    ],
)
def test_the_next_day_of_delivery_moves_along_with_the_fetch(before: str, after: str) -> None:
    assert same_meaning(before, after, NEXT_DAY) == "day of delivery"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Delivery by Wed 18 Nov", "Delivery by Thu 21 Jan"),  # it is late
        ("Delivery by Thu 19 Nov", "Delivery by Wed 18 Nov"),  # it comes sooner
        ("Applications until Wed 18 Nov", "Applications until Thu 19 Nov"),
    ],
)
def test_a_delay_and_a_deadline_are_news(before: str, after: str) -> None:
    assert same_meaning(before, after, NEXT_DAY) is None


def test_how_many_were_sold_is_a_count() -> None:
    assert same_meaning("1,204 sold", "1,211 sold") == "counter"


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ("Get it between Tue, Jul 8 - Fri, Jul 11", "Get it between Wed, Jul 9 - Sat, Jul 12", "day of delivery"),
        ("Delivery by Wed 30 Dec", "Delivery by Sat 2 Jan", "day of delivery"),
        ("Delivery by Wed 18 Nov", "Delivery by Thu 21 Jan", None),
        ("Dispatched on 13 March 2026", "Dispatched on 19 March 2027", None),
    ],
)
def test_a_delivery_some_days_on_passes_where_nobody_knows_when_pages_were_fetched(
    before: str, after: str, rule: str | None
) -> None:
    assert same_meaning(before, after) == rule
