"""Conditions that cannot be meant are refused when they are saved."""

from __future__ import annotations

import pytest

from driftline.errors import BadRule
from driftline.kinds.registry import KINDS
from driftline.policy.conditions.checking import checked_condition

PAGE = (KINDS["page"].traits.subject,)
SLOTS = (KINDS["availability"].traits.subject,)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("price < 80 and price > 90", "Did you mean price < 80 or price > 90?"),
        ("price between 90 and 80", "Did you mean price between 80 and 90?"),
        ("price falls by 150%", "Did you mean price falls by 150?"),
        ("price < 0", "Did you mean price = 0?"),
        ("size < 0", "Did you mean size = 0?"),
        ("status = 700", "Did you mean status = 404?"),
        ("status between 600 and 700", "Did you mean status = 404?"),
        ("not severity at least low", "Did you mean not severity at least medium?"),
        ("price rises and price new low", "Did you mean price rises or price new low?"),
        ("price new low and price new high 30 days", "or"),
        ('appears "x" and disappears "x"', 'Did you mean appears "x" or disappears "x"?'),
        ("time between 08:00 and 10:00 and time between 12:00 and 14:00", "or"),
        ("time between 22:00 and 06:00 and not time between 20:00 and 07:00", "or"),
        ("price = 80 and price != 80", "or"),
        ("price >= 80 and price > 80 and price <= 80", "or"),
        ("price > 80 and price >= 80 and price <= 80", "or"),
        ("price <= 80 and price < 80 and price >= 80", "or"),
        ("price < 80 and price <= 80 and price >= 80", "or"),
        ("price between 20 and 30 and not price between 20 and 30", "or"),
        ("price between 20 and 30 and not price between 10 and 40", "or"),
        ('not (added "x" or not added "x")', 'Did you mean not (added "x" and not added "x")?'),
        ("price rises and price falls", "or"),
        ("not price >= 0", "Did you mean price >= 0?"),
        ('added "x" and not added "x"', "or"),
        ('selector "#a" present and selector "#a" absent', "or"),
        ('count "x" > 2 and count "x" < 3', "or"),
        ("severity at least high and not severity at least medium", "or"),
        ("(price < 1 and price > 2) or (size < 1 and size > 2)", "Did you mean price < 1 or price > 2?"),
    ],
)
def test_what_can_never_be_true_is_refused_with_the_nearest_that_can(text: str, hint: str) -> None:
    with pytest.raises(BadRule, match="never be true") as refused:
        checked_condition(text, PAGE)
    assert hint in (refused.value.hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "price < 80 or price > 90",
        "price between 80 and 80",
        "price >= 80 and price <= 80",
        "not (price < 80 and price > 90)",
        "severity at least medium and not severity at least high",
        'price rises or number "members" falls',
        "time between 22:00 and 06:00",
        'count "x" < 1',
        "price falls and price new low",
        "price rises and size falls",
        'added "x" and removed "x"',
        'appears "x" and disappears "y"',
        "time between 22:00 and 06:00 and time between 05:00 and 08:00",
        "price between 10 and 40 and not price between 20 and 30",
        "price >= 80 and price != 80",
        "not status = 404",
    ],
)
def test_what_can_be_true_is_kept_as_it_is_written(text: str) -> None:
    assert checked_condition(text, PAGE) == text


def test_an_unknown_field_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(BadRule, match='unknown field "venue_nam"') as refused:
        checked_condition('added field venue_nam "Rooftop"', SLOTS)
    assert refused.value.hint == 'Did you mean "venue_name"?'
    assert checked_condition('added field extra.table "terrace"', SLOTS)


def test_a_kind_is_asked_only_for_what_it_has() -> None:
    with pytest.raises(BadRule, match="availability has no price"):
        checked_condition("price < 80", SLOTS)
    with pytest.raises(BadRule, match="no selectors"):
        checked_condition('selector "#a" present', SLOTS)


@pytest.mark.parametrize(
    "text",
    [
        "added /(/", "number /(/ > 1", 'selector "a[" present', "price new low 0 days", "price new low 3651 days",
        "time between 08:00 and 08:00",
    ],
)  # fmt: skip
def test_parts_that_are_wrong_by_themselves_are_refused(text: str) -> None:
    with pytest.raises(BadRule):
        checked_condition(text, PAGE)


def test_no_condition_is_no_condition() -> None:
    assert checked_condition("", PAGE) == checked_condition({}, PAGE) == ""
