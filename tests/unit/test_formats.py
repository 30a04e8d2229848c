"""Prices, dates and instants are written one way, each by one module."""

from __future__ import annotations

import ast
import re
from decimal import Decimal

from tests.sources import SOURCE, parsed

from driftline.core.commerce.amounts import money

# What writes a date, an instant or an amount by its own hands.
BY_HAND = re.compile(r"strftime|:%[aAbBdHIjmMpSyYZ]|replace\('\+00:00', 'Z'\)|:,f\}|\{amount:,")
LIKE_IT = re.compile(r"strftime|:%|\+00:00|:,f|:,")  # spells it in any way: taking a file apart is slow
ALLOWED = {
    "core/text/time_text.py": "instants and dates",
    "core/commerce/amounts.py": "amounts of money",
    "kinds/availability/judging.py": "a key that is stored",
    "kinds/availability/ical/calendar.py": "the form of iCalendar",
    "policy/schedule/windows.py": "the form that people type a window in",
    "store/db/readable_views.py": "SQL",
    "store/views/results/slots.py": "SQL",
    "web/charts.py": "ticks of an axis, as short as their step allows",
}


def test_nothing_else_writes_dates_and_prices() -> None:
    found = {
        path.as_posix()
        for path, tree in parsed().items()
        if "migrations" not in path.parts
        and LIKE_IT.search((SOURCE / path).read_text(encoding="utf-8"))
        and BY_HAND.search(ast.unparse(tree))
    }
    assert found - ALLOWED.keys() == set(), "use core/text/time_text.py and core/commerce/amounts.py"
    assert ALLOWED.keys() - found == set(), "exceptions that nobody needs any more"


def test_a_price_has_its_thousands_and_whole_cents_and_is_never_rounded() -> None:
    written = [money(amount, "EUR") for amount in ("1299.5", "1299", "0.005", "1E+3", Decimal("12.30"))]
    assert written == ["1,299.50 EUR", "1,299.00 EUR", "0.005 EUR", "1,000.00 EUR", "12.30 EUR"]
    assert money("5", None) == "5"
    assert [money(amount, "EUR") for amount in ("385000", "385000.5")] == ["385,000 EUR", "385,000.50 EUR"]
    assert [money("79", currency) for currency in ("JPY", "HUF", "KWD")] == ["79 JPY", "79 HUF", "79.000 KWD"]
