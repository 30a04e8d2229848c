from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from uuid import RFC_4122, UUID

from hypothesis import given
from hypothesis import strategies as st

from driftline.core.identity.ids import id_millisecond, make_ids, uuid_from, uuid_of

CLOCKS = st.lists(st.integers(min_value=-5, max_value=1 << 49), min_size=2, max_size=60)


def ids_at(clock: list[int], random_bits: object = None) -> list[UUID]:
    ticks: Iterator[int] = iter(clock)
    source = random_bits if callable(random_bits) else random.Random(7).getrandbits
    make = make_ids(lambda: next(ticks), source)
    return [make() for _ in clock]


@given(CLOCKS)
def test_ids_grow_strictly_whatever_the_clock_does(clock: list[int]) -> None:
    made = ids_at(clock)
    assert all(one < other for one, other in pairwise(made))
    assert all(one.hex < other.hex for one, other in pairwise(made))


@given(CLOCKS)
def test_every_id_is_a_version_7_uuid_of_the_rfc_variant(clock: list[int]) -> None:
    assert all(made.version == 7 and made.variant == RFC_4122 for made in ids_at(clock))


@given(st.lists(st.integers(min_value=0, max_value=(1 << 48) - 1), min_size=1, unique=True).map(sorted))
def test_an_id_tells_its_millisecond_while_the_clock_moves_on(clock: list[int]) -> None:
    assert [id_millisecond(made) for made in ids_at(clock)] == clock


def test_ids_grow_even_when_the_random_source_gives_its_largest_numbers() -> None:
    made = ids_at([1000] * 5000, lambda bits: (1 << bits) - 1)
    assert all(one < other for one, other in pairwise(made))
    assert len(set(made)) == 5000


def test_a_full_millisecond_borrows_from_the_next() -> None:
    wide = iter([(1 << 73) - 1, 1 << 73, 5])  # a source that gives more bits than were asked for
    ticks = iter([1000, 1000])
    make = make_ids(lambda: next(ticks), lambda _: next(wide))
    first, second = make(), make()
    assert first < second
    assert id_millisecond(second) == 1001


def test_two_makers_with_different_random_sources_do_not_meet() -> None:
    one = ids_at([1000] * 1000, random.Random(1).getrandbits)
    other = ids_at([1000] * 1000, random.Random(2).getrandbits)
    assert not set(one) & set(other)


@given(st.uuids())
def test_ids_are_made_quickly_like_any_others(made: UUID) -> None:
    for quick in (uuid_of(made.int), uuid_from(made.bytes)):
        assert (quick, quick.is_safe, repr(quick), hash(quick)) == (made, made.is_safe, repr(made), hash(made))
