"""Listings after the themes of the systems that most shops run on, and the same pages written in another way."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.kinds.catalog.storefronts import SHAPES, SYSTEMS, indented, listing
from tests.unit.kinds.catalog.test_reading import read, shown

ALL = [(system, shape) for system in SYSTEMS for shape in SHAPES]


def found(page: str, url: str) -> dict[str, tuple[str, Decimal | None, str | None, bool | None]]:
    reading = read(page, url=url)
    assert (reading.outcome, reading.complete) == (None, True)
    return shown(reading)


@pytest.mark.parametrize(("system", "shape"), ALL)
def test_every_card_of_a_storefront_is_read(system: str, shape: str) -> None:
    url, page, expected = listing(SYSTEMS[system], SHAPES[shape])
    assert found(page, url) == {
        where: (title, Decimal(price), currency, stock) for where, (title, price, currency, stock) in expected.items()
    }


def _reversed_attributes(page: str) -> str:
    def turned(tag: re.Match[str]) -> str:
        attributes = re.findall(r"[\w:-]+(?:='[^']*')?", tag[2])
        return f"<{tag[1]} {' '.join(reversed(attributes))}>"

    return re.sub(r"<([a-z][\w-]*)((?: [\w:-]+(?:='[^']*')?)+)>", turned, page)


@given(st.sampled_from(ALL), st.booleans(), st.booleans(), st.sampled_from(["", "Neu", "-20%", "Bestseller 2024", "4.8", "XL"]))
def test_how_a_page_is_written_changes_nothing(which: tuple[str, str], spread: bool, turn: bool, badge: str) -> None:
    system, shape = which
    url, page, _ = listing(SYSTEMS[system], SHAPES[shape])
    expected = found(page, url)
    if spread:
        page = indented(page)
    if turn:
        page = _reversed_attributes(page)
    if badge:
        page = re.sub(r"(<img [^>]*>)", rf"\1<span class='flag'>{badge}</span>", page)
    assert found(page, url) == expected
