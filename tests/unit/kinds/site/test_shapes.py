"""Parameters that say nothing of a page are learned from two addresses that differ in them alone."""

from __future__ import annotations

import pytest

from driftline.kinds.site import shapes
from driftline.kinds.site.shapes import SessionParameters, generated_names, shape_of, without


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.example/2026/03", "https://a.example/1999/12"),
        ("https://a.example/a/b/a/b", "https://a.example/a/b"),
        ("https://a.example/x?page=2&sort=up", "https://a.example/x?sort=up&page=17"),
    ],
)
def test_addresses_of_one_shape(one: str, other: str) -> None:
    assert shape_of(one) == shape_of(other)
    assert shape_of(one) != shape_of("https://a.example/else")


def test_generated_values_are_long_and_have_a_digit_or_are_hexadecimal() -> None:
    assert generated_names("https://a.example/?sid=abc123def&page=2&q=something&id=deadbeefdeadbeef") == {"sid", "id"}
    assert generated_names("https://a.example/") == frozenset()


def test_an_address_without_a_parameter_keeps_the_others() -> None:
    assert without("https://a.example/x?a=1&b=2&a=3#top", {"a"}) == "https://a.example/x?b=2"
    assert without("https://a.example/x#top", {"a"}) == "https://a.example/x#top"
    assert without("https://a.example/x?a=1#top", frozenset()) == "https://a.example/x?a=1#top"


def address(number: int) -> str:
    return f"https://a.example/x?sid=session{number:04d}"


def test_two_addresses_with_the_same_text_make_a_parameter_meaningless() -> None:
    learned = SessionParameters()
    assert [learned.is_withheld(address(number)) for number in range(4)] == [False, False, True, True]
    assert learned.learn(address(0), b"same") == []
    assert learned.learn(address(1), b"same") == []
    assert learned.meaningless == {"sid"}
    assert (learned.stripped(address(3)), learned.rest()) == ("https://a.example/x", [])


def test_two_addresses_with_different_texts_give_free_what_waits() -> None:
    learned = SessionParameters()
    waiting = [address(number) for number in range(4) if learned.is_withheld(address(number))]
    assert learned.learn(address(0), b"one") == []
    assert learned.learn(address(1), b"other") == waiting == [address(2), address(3)]
    assert (learned.meaningless, learned.stripped(address(3))) == (set(), address(3))
    assert not learned.is_withheld(address(5))
    assert learned.rest() == []


def test_two_pages_without_text_prove_nothing() -> None:
    learned = SessionParameters()
    assert [learned.is_withheld(address(number)) for number in range(3)] == [False, False, True]
    assert learned.learn(address(0), b"") == []
    assert learned.learn(address(1), b"") == [address(2)]
    assert learned.meaningless == set()


def test_what_could_not_be_compared_waits_to_the_end_and_comes_once() -> None:
    learned = SessionParameters()
    for number in range(4):
        learned.is_withheld(address(number))
    assert learned.learn(address(2), b"never asked") == []
    assert learned.learn(address(0), b"one") == []
    assert learned.rest() == [address(2), address(3)]
    assert learned.rest() == []


def test_only_so_many_addresses_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "MAX_WITHHELD", 3)
    learned = SessionParameters()
    assert [learned.is_withheld(address(number)) for number in range(7)] == [False, False, *[True] * 5]
    assert learned.rest() == [address(2), address(3), address(4)]
