"""Every form of condition says yes and no with a reason that a person understands."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.messages import AT, change, price
from tests.unit.policy.conditions.test_written import conditions

from driftline.core.diff.rows import rows
from driftline.model.change import Change
from driftline.model.condition import ChangeEvidence, Condition, MeasuredAt, Not, StoredBody, VersionText
from driftline.policy.conditions.deciding import decide, needs_of
from driftline.policy.conditions.written import parse_condition


def page_change(before: str, after: str, *, kept: bool = True, **given: Any) -> Change:
    """A content change between two texts, as the page kind stores it."""
    text = {"before": before if kept else None, "after": after if kept else None}
    shown = msgspec.to_builtins(rows(before.splitlines(), after.splitlines()))
    return change(diff={"changes": {"text": text}, "rows": shown}, **given)


def asked(text: str, one: Change, **known: Any) -> tuple[bool | None, str]:
    verdict = decide(parse_condition(text), ChangeEvidence(change=one, **known))
    return verdict.holds, verdict.reason


PLANS = page_change(
    "Family plan 9 EUR\nNotice: 30 days\n12 members", "Family plan 11 EUR\nNotice: 30 days\nNow 14 members\nIn stock"
)
PRICES = tuple(MeasuredAt(AT - timedelta(days=days), Decimal(value)) for days, value in ((60, 70), (20, 95), (5, 100), (0, 92)))


@pytest.mark.parametrize(
    ("text", "holds", "reason"),
    [
        ('added "in stock"', True, '"in stock" was added'),
        ('added "sold out"', False, '"sold out" was not added'),
        ("added /\\d+ EUR/", True, "/\\d+ EUR/ was added"),
        ('removed "9 EUR"', True, '"9 EUR" was removed'),
        ('changed "family plan"', True, '"family plan" was changed'),
        ('changed "notice"', False, '"notice" was not changed'),
        ('appears "in stock"', True, '"in stock" appeared'),
        ('appears "family plan"', False, '"family plan" did not appear'),
        ('disappears "9 EUR"', True, '"9 EUR" disappeared'),
        ("removed", True, "something was removed"),
        ('number "members" > 13', True, 'number "members" 14 is above 13'),
        ('number "family plan" rises by 10%', True, 'number "family plan" went from 9 to 11, by at least 10%'),
        ('number "family plan" falls', False, 'number "family plan" went from 9 to 11, it did not fall'),
        ('number "visitors" > 1', False, 'there is no number "visitors"'),
        ('count "EUR" = 1', True, 'count "EUR" 1 is equal to 1'),
        ("size between 1 and 10", False, "size 58 is not between 1 and 10"),
        ("severity at least high", False, "severity medium is not at least high"),
        ("time between 20:00 and 21:00", True, "20:28 is between 20:00 and 21:00"),
        ("time between 22:00 and 06:00", False, "20:28 is not between 22:00 and 06:00"),
        ("status = 200", True, "status 200 is equal to 200"),
        ("price < 80", False, "there is no price"),
    ],
)
def test_of_a_page(text: str, holds: bool, reason: str) -> None:
    assert asked(text, PLANS) == (holds, reason)


@pytest.mark.parametrize(
    ("text", "holds", "reason"),
    [
        ("price < 80", False, "price 92 is not below 80"),
        ("price between 90 and 95", True, "price 92 is between 90 and 95"),
        ("price falls by 8", True, "price went from 100 to 92, by at least 8"),
        ("price falls by 10%", False, "price went from 100 to 92, by less than 10%"),
        ("price rises", False, "price went from 100 to 92, it did not rise"),
        ("price new low", False, "price 92 is not below 70, the lowest of all time"),
        ("price new low 10 days", True, "price 92 is below 95, the lowest in 10 days"),
        ("price new high 30 days", False, "price 92 is not above 100, the highest in 30 days"),
        ("number field price > 90", True, "number field price 92 is above 90"),
        ("changed field price", True, "price was changed"),
        ("changed field currency", False, "currency was not changed"),
        ('added field currency "EUR"', False, '"EUR" in currency was not added'),
        ("price < 80 or price falls", True, "price went from 100 to 92"),
        ("price > 80 and price falls by 50%", False, "price went from 100 to 92, by less than 50%"),
        ("not price < 80", True, "price 92 is not below 80"),
    ],
)
def test_of_a_price(text: str, holds: bool, reason: str) -> None:
    assert asked(text, price(before="100", now="92", currency="EUR"), prices=PRICES) == (holds, reason)


def test_the_title_and_the_links_of_a_page_are_texts_as_well() -> None:
    changes = {
        "text": {"before": "", "after": ""},
        "title": {"changed": True, "before": "Summer sale", "after": "Autumn deals"},
        "description": {"changed": False, "before": "All shoes", "after": "All shoes"},
        "links": {"added": ["https://a.example/new"], "removed": ["https://a.example/old"]},
    }
    one = change(diff={"changes": changes, "rows": []})
    assert asked('added "deals"', one)[0] is True
    assert asked('removed "deals"', one)[0] is False
    assert asked('removed "sale"', one)[0] is True
    assert asked('added "/new"', one)[0] is True
    assert asked('removed "/old"', one)[0] is True
    assert asked('changed "shoes"', one)[0] is False


def test_a_field_of_a_page_is_what_it_was_and_what_it_became() -> None:
    stock = {"changed": True, "before": "3 left", "after": "5 left"}
    one = change(diff={"changes": {"stock_level": stock}}, before={"size": "9"}, after={"size": "10"})
    assert asked("number field stock_level > 4", one)[0] is True
    assert asked("number field stock_level < 4", one)[0] is False
    assert asked('added field stock_level "5"', one)[0] is True
    assert asked('removed field stock_level "3"', one)[0] is True
    assert asked("number field size > 9", one)[0] is True


def test_of_an_entry() -> None:
    slot = change(type="drop", after={"venue_name": "Rooftop", "time": "2026-02-28T20:30", "party_sizes": [2, 4]})
    assert asked('added field venue_name "roof"', slot) == (True, '"roof" in venue_name was added')
    assert asked('added "Rooftop"', slot)[0] is True
    assert asked('added field party_sizes "4"', slot)[0] is True
    assert asked('removed "Rooftop"', slot)[0] is False


@pytest.mark.parametrize(
    ("before", "after", "true"),
    [
        (None, {"colour": "red"}, {"added", "changed"}),
        ({"colour": "red"}, None, {"removed", "changed"}),
        ({"colour": "red"}, {"colour": "blue"}, {"added", "removed", "changed"}),
        ({"colour": "red"}, {"colour": "red"}, set()),
    ],
)
def test_a_field_that_came_went_or_changed(before: Any, after: Any, true: set[str]) -> None:
    one = change(type="drop", before=before, after=after)
    assert {how for how in ("added", "removed", "changed") if asked(f"{how} field colour", one)[0]} == true


def test_what_appears_in_a_field_was_not_there_before() -> None:
    one = change(type="drop", before={"note": "red, large"}, after={"note": "red, small"})
    assert [asked(f'{how} field note "red"', one)[0] for how in ("appears", "disappears", "changed")] == [False, False, True]
    assert asked('appears field note "small"', one)[0] is True
    assert asked('disappears field note "large"', one)[0] is True
    assert asked('disappears field note "small"', one)[0] is False


def test_what_appears_where_texts_were_not_kept_came_and_did_not_go() -> None:
    one = page_change("red\nsmall", "red and blue\nlarge", kept=False)
    assert [asked(f'appears "{word}"', one)[0] for word in ("blue", "red", "small")] == [True, False, False]
    assert [asked(f'disappears "{word}"', one)[0] for word in ("small", "red", "large")] == [True, False, False]


def test_a_change_of_the_text_happened_at_the_price_of_that_time() -> None:
    assert asked("price < 95", PLANS, prices=PRICES) == (True, "price 92 is below 95")


def test_selectors_are_looked_for_on_the_page_after_the_change() -> None:
    known = {"body": StoredBody("key", ""), "selectors": {"#buy": True}}
    assert asked('selector "#buy" present', PLANS, **known) == (True, '"#buy" is present')
    assert asked('selector "#buy" absent', PLANS, **known) == (False, '"#buy" is present')


def test_the_time_of_day_is_the_readers() -> None:
    assert asked("time between 21:00 and 22:00", PLANS, timezone="Europe/Berlin")[0] is True


def test_numbers_of_earlier_versions_count_for_a_new_high() -> None:
    known = [VersionText(AT - timedelta(days=days), f"{count} members") for days, count in ((9, 50), (2, 12), (0, 14))]
    assert asked('number "members" new high', PLANS, versions=tuple(known))[0] is False
    assert asked('number "members" new high 1 days', PLANS, versions=tuple(known))[0] is True


def test_what_cannot_be_known_is_neither_yes_nor_no() -> None:
    unkept = page_change("a", "b", kept=False)
    assert asked("size > 5", unkept)[0] is None
    assert asked("not size > 5", unkept)[0] is None
    assert asked('selector "#buy" present', unkept)[0] is None
    assert asked("size > 5 or severity at least low", unkept)[0] is True
    assert asked("size > 5 and severity at least high", unkept)[0] is False


def test_news_of_the_watch_itself_is_sent_whatever_the_condition() -> None:
    failing = change(type="error", after={"reason": "http 404"})
    assert asked("price < 80", failing)[0] is True
    assert asked("status = 404", failing) == (True, "status 404 is equal to 404")
    assert asked("status = 500", failing)[0] is False


def test_only_what_a_condition_needs_is_loaded() -> None:
    assert needs_of(parse_condition('added "x" and severity at least high')) == type(needs_of(None))()
    assert needs_of(parse_condition("price < 80")).prices
    assert not needs_of(parse_condition("price < 80")).price_history
    assert needs_of(parse_condition("price new low")).price_history
    assert needs_of(parse_condition('selector "#a" present')).selectors == {"#a"}


@given(conditions, st.sampled_from([PLANS, price(before="100", now="92"), change(type="drop", after={"time": "x"})]))
def test_a_condition_and_its_opposite_never_agree(condition: Condition, one: Change) -> None:
    evidence = ChangeEvidence(change=one)
    yes, no = decide(condition, evidence), decide(Not(of=condition), evidence)
    assert yes.reason
    assert (yes.holds is None and no.holds is None) or yes.holds is not no.holds


def test_texts_inside_of_texts_are_found_too() -> None:
    one = change(type="drop", after={"venue": {"name": "Rooftop", "tables": [{"view": "harbour"}]}})
    assert asked('added "rooftop"', one)[0] is True
    assert asked('added "harbour"', one)[0] is True
    assert asked('added "garden"', one)[0] is False
