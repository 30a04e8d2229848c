from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.errors import StoreCorrupt
from driftline.store.db.codec import EARLIEST, LATEST, POSTGRES, SQLITE, dumps, loads, micros, money, without_nul

INSTANTS = st.datetimes(
    min_value=datetime(1970, 1, 2),  # noqa: DTZ001 - hypothesis adds the zone, and what was before 1970 is moved into it
    max_value=datetime(2199, 12, 31),  # noqa: DTZ001 - likewise
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-9))]),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()), inner, max_size=4),
    max_leaves=12,
)


@given(INSTANTS)
def test_instants_keep_every_microsecond(at: datetime) -> None:
    (raw,) = SQLITE.row([at])
    assert SQLITE.at(raw) == at
    assert POSTGRES.row([at]) == [at]


@given(INSTANTS, INSTANTS)
def test_instants_sort_as_they_are(one: datetime, other: datetime) -> None:
    assert (micros(one) < micros(other)) == (one < other)


@pytest.mark.parametrize(
    ("at", "kept"), [(datetime(1, 1, 1, tzinfo=UTC), EARLIEST), (datetime(9999, 1, 1, tzinfo=UTC), LATEST)]
)
def test_instants_outside_the_calendar_of_both_databases_are_clamped(at: datetime, kept: datetime) -> None:
    assert SQLITE.at(SQLITE.row([at])[0]) == kept
    assert POSTGRES.row([at]) == [kept]


def test_an_instant_without_a_zone_is_refused() -> None:
    for codec in (SQLITE, POSTGRES):
        with pytest.raises(TypeError):
            codec.row([datetime(2026, 1, 1)])  # noqa: DTZ001 - what is refused


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_money_has_one_spelling_and_loses_no_digit(amount: Decimal) -> None:
    text = money(amount)
    assert Decimal(text) == amount
    assert "e" not in text.lower()
    assert money(Decimal(text)) == text


@pytest.mark.parametrize(("one", "other"), [("2879.2", "2879.20"), ("0", "-0.00"), ("1E+3", "1000"), ("0.10", ".1")])
def test_equal_amounts_are_equal_as_text(one: str, other: str) -> None:
    assert money(Decimal(one)) == money(Decimal(other))


@pytest.mark.parametrize("amount", ["NaN", "Infinity", "-Infinity"])
def test_money_is_finite(amount: str) -> None:
    with pytest.raises(ValueError, match="finite"):
        money(Decimal(amount))


@given(st.uuids())
def test_ids_come_back(id_: UUID) -> None:
    assert SQLITE.id(SQLITE.row([id_])[0]) == id_
    assert SQLITE.row([id_])[0] == SQLITE.raw_id(id_)
    assert POSTGRES.id(POSTGRES.row([id_])[0]) == POSTGRES.raw_id(id_) == id_


@given(JSON)
def test_json_is_stored_without_nul_and_lone_surrogates_and_otherwise_as_it_is(value: object) -> None:
    text = dumps(value)
    assert "\x00" not in text
    assert "\\u0000" not in text.replace("\\\\", "")
    text.encode()
    if _clean(value):
        assert loads(text) == value


def _clean(value: object) -> bool:
    """Nothing in it that storing would change."""
    match value:
        case str():
            return "\x00" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
        case dict():
            return all(_clean(key) and _clean(item) for key, item in value.items())
        case list():
            return all(map(_clean, value))
        case _:
            return True


def test_json_of_others_loses_its_nul_and_keeps_a_literal_backslash() -> None:
    assert without_nul('{"a":"x\\u0000y"}') == '{"a":"xy"}'
    assert loads(without_nul('{"a":"x\\\\u0000y"}')) == {"a": "x\\u0000y"}
    assert without_nul('{"a": 1}') == '{"a": 1}'


def test_json_that_does_not_decode_is_corrupt() -> None:
    with pytest.raises(StoreCorrupt):
        loads('{"a":')
    with pytest.raises(StoreCorrupt):
        loads('{"a": "x"}', dict[str, int])
