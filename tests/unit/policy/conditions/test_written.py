"""What conditions look like, and what is said where one cannot be read."""

from __future__ import annotations

from datetime import time
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.errors import BadRule
from driftline.model.condition import (
    AllOf,
    AnyOf,
    Between,
    Compared,
    Condition,
    Extreme,
    HasSelector,
    Measure,
    Moved,
    Not,
    Says,
    SeverityAtLeast,
    TimeOfDay,
)
from driftline.policy.conditions.written import condition_from, parse_condition, stored_condition, written

numbers = st.decimals(min_value=0, max_value=99_999, places=2, allow_nan=False, allow_infinity=False)
words = st.text(min_size=1, max_size=12).filter(lambda text: text.strip() == text and "\0" not in text and text[0] != "/")
texts = words | st.just("/a\\/b+/i")
names = st.sampled_from(["price", "venue_name", "extra.colour"])
measures = st.one_of(
    st.sampled_from([Measure(of="price"), Measure(of="size"), Measure(of="status")]),
    st.builds(Measure, of=st.sampled_from(["number", "count"]), text=texts),
    st.builds(Measure, of=st.just("number"), field=names),
)
clocks = st.times().map(lambda at: at.replace(second=0, microsecond=0))
leaves = st.one_of(
    st.builds(
        Says,
        how=st.sampled_from(["added", "removed", "changed", "appears", "disappears"]),
        text=st.none() | texts,
        field=st.none() | names,
    ),
    st.builds(Compared, what=measures, op=st.sampled_from(["<", "<=", "=", "!=", ">=", ">"]), value=numbers),
    st.builds(Between, what=measures, low=numbers, high=numbers),
    st.builds(Moved, what=measures, way=st.sampled_from(["rises", "falls"])),
    st.builds(Moved, what=measures, way=st.sampled_from(["rises", "falls"]), by=numbers, percent=st.booleans()),
    st.builds(Extreme, what=measures, which=st.sampled_from(["low", "high"]), days=st.none() | st.integers(1, 400)),
    st.builds(HasSelector, selector=texts, present=st.booleans()),
    st.builds(SeverityAtLeast, level=st.sampled_from(["low", "medium", "high"])),
    st.builds(TimeOfDay, starts=clocks, ends=clocks),
)


def joined(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    some = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(st.builds(AllOf, of=some), st.builds(AnyOf, of=some), st.builds(Not, of=inner))


conditions = st.recursive(leaves, joined, max_leaves=8)


@given(conditions)
def test_what_is_written_is_read_again(condition: Condition) -> None:
    text = written(condition)
    if len(text) <= 2_000:
        assert parse_condition(text) == condition


@given(conditions)
def test_the_tree_of_a_condition_is_the_same_condition(condition: Condition) -> None:
    tree = msgspec.json.decode(msgspec.json.encode(condition))
    if len(written(condition)) <= 2_000:
        assert condition_from(tree) == condition


@given(st.text(max_size=60))
def test_any_text_is_a_condition_or_is_refused_in_a_sentence(text: str) -> None:
    read = stored_condition(text)
    if read is not None:
        assert parse_condition(written(read)) == read
        return
    with pytest.raises(BadRule) as refused:
        parse_condition(text)
    assert refused.value.hint


def test_words_and_signs_say_the_same() -> None:
    assert parse_condition("price below 80") == parse_condition("price < 80")
    assert parse_condition("price at least 80") == Compared(what=Measure(of="price"), op=">=", value=Decimal(80))


def test_and_binds_closer_than_or() -> None:
    read = parse_condition("price < 80 or added and not removed")
    assert isinstance(read, AnyOf)
    assert isinstance(read.of[1], AllOf)


def test_a_tree_may_hold_texts() -> None:
    tree = {"is": "all", "of": ["price < 80", {"is": "time", "starts": "08:00", "ends": "18:00"}]}
    assert condition_from(tree) == AllOf(
        of=(parse_condition("price < 80"), TimeOfDay(starts=time(8), ends=time(18))),
    )


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("pricee < 80", 'Did you mean "price"?'),
        ("price < 80 EUR", "expected and, or"),
        ("price <", "a number such as 80 or 12.5, without a currency"),
        ("severity at least hihg", 'Did you mean "high"?'),
        ("added in stock", "expected and, or"),
        ("not " * 20 + "added", "8 levels at most"),
        (" and ".join(["added"] * 60), "50 at most"),
    ],
)
def test_a_typo_is_answered_with_what_was_probably_meant(text: str, hint: str) -> None:
    with pytest.raises(BadRule) as refused:
        parse_condition(text)
    assert hint in (refused.value.hint or "")


def test_a_stored_condition_that_cannot_be_read_any_more_holds_nothing_back() -> None:
    assert stored_condition("price smells of 80") is None
