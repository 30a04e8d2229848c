from __future__ import annotations

import sys
from typing import Any

import jsonpath_rfc9535
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.select.jsonpath import MAX_PATH, compile_path
from driftline.core.text.json_text import decode_json
from driftline.errors import BadFile, BadRule

STORE: dict[str, Any] = {
    "store": {
        "book": [
            {"title": "Sayings", "price": 8.95, "isbn": None},
            {"title": "Sword", "price": 12.99},
            {"title": "Moby", "price": 8.99, "isbn": "0-553", "tags": ["sea", "whale"]},
        ],
        "bicycle": {"color": "red", "price": 399},
    },
    "limit": 10,
}

values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["a", "b", ""]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=25,
)
PATHS = [
    "$",
    "$.a",
    "$.a.b",
    "$['a','b']",
    "$[0]",
    "$[-1]",
    "$[1:3]",
    "$[::-1]",
    "$[::0]",
    "$.*",
    "$[*].a",
    "$..a",
    "$..*",
    "$..[0]",
    "$[?@.a]",
    "$[?@.a == 1]",
    "$[?@.a != @.b]",
    "$[?@ < 2]",
    "$[?@ >= 'a']",
    "$[?!@.a]",
    "$[?@.a && @.b || @.c]",
    "$[?length(@) == 2]",
    "$[?count(@.*) > 1]",
    "$[?value(@..a) == 1]",
    "$..[?@.a == $.b]",
    "$[?@ == true]",
    "$[?@ == null]",
]


@given(data=values, path=st.sampled_from(PATHS))
def test_it_finds_what_the_reference_evaluator_finds(data: Any, path: str) -> None:
    expected = [node.value for node in jsonpath_rfc9535.find(path, data)]
    assert compile_path(path).find(data) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("$.store.book[*].title", ["Sayings", "Sword", "Moby"]),
        ("$.store.book[?@.price < $.limit].title", ["Sayings", "Moby"]),
        ("$.store.book[?@.isbn].title", ["Sayings", "Moby"]),
        ("$.store.book[?@.isbn == null].title", ["Sayings"]),
        ("$..price", [8.95, 12.99, 8.99, 399]),
        ("$.store.book[?@.tags[?@ == 'sea']].title", ["Moby"]),
        ("$.nothing", []),
        ("$.limit.deeper", []),
    ],
)
def test_it_follows_the_path(path: str, expected: list[Any]) -> None:
    assert sorted(map(str, compile_path(path).find(STORE))) == sorted(map(str, expected))


@pytest.mark.parametrize(
    "path", ["", "store", "$.", "$[", "$[?match(@.a, 'x')]", "$[?search(@.a, '(a+)+$')]", "$[?@.a ==]", "$..", "$[?nope(@)]"]
)
def test_a_path_that_does_not_parse_is_a_bad_rule(path: str) -> None:
    with pytest.raises(BadRule) as caught:
        compile_path(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "path",
    ["$" + ".a" * MAX_PATH, "$[?" + "!" * 900 + "@.a]", "$[9" + "9" * 900 + "]"],
)
def test_an_absurd_path_is_a_bad_rule(path: str) -> None:
    with pytest.raises(BadRule):
        compile_path(path)


def test_nesting_that_parses_and_cannot_be_followed_is_a_bad_rule() -> None:
    path = compile_path("$[?" + "!" * 300 + "@.a]")

    def deeper(levels: int) -> list[Any]:
        return deeper(levels - 1) if levels else path.find([{"a": 1}])

    with pytest.raises(BadRule, match="nested too deeply"):
        deeper(sys.getrecursionlimit() - 300)


def test_first_gives_the_default_where_nothing_is() -> None:
    assert compile_path("$.store.bicycle.color").first(STORE) == "red"
    assert compile_path("$.store.book[1].title").first(STORE) == "Sword"
    assert compile_path("$.store.book[9].title").first(STORE, "none") == "none"
    assert compile_path("$.store.boat").first(STORE, 0) == 0


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("$.r", {"r": [1, 2]}, [1, 2]),
        ("$.r[*]", {"r": [1, 2]}, [1, 2]),
        ("$.r[*]", {"r": []}, []),
        ("$.r", {"r": []}, []),
        ("$.r[*]", {}, None),
        ("$.r", {"r": "text"}, None),
        ("$.r[*]", {"r": "text"}, None),
        ("$.v[*].s[*]", {"v": []}, []),
        ("$.v[*].s[*]", {"v": [{"s": []}, {"s": [3]}]}, [3]),
        ("$.v[*].s[*]", {"v": [{}]}, None),
        ("$.v[*].s", {"v": [{"s": [1]}, {"s": [2]}]}, [1, 2]),
        ("$.v[?@.open].s[*]", {"v": [{"open": True, "s": [1]}, {"s": [2]}]}, [1]),
        ("$.v[?@.open].s[*]", {"v": [{"s": [2]}]}, []),
        ("$", [1], [1]),
        ("$", {"error": "x"}, None),
        ("$..s[*]", {"a": {"s": [4]}}, [4]),
        ("$..s[*]", {"a": {}}, None),
    ],
)
def test_an_empty_list_is_not_a_missing_list(path: str, data: Any, expected: list[Any] | None) -> None:
    assert compile_path(path).elements(data) == expected


@pytest.mark.parametrize("path", ["$..*..*..*", "$..[?@..[?@..x]]", "$..*[?count($..*) > 1]"])
def test_work_on_hostile_data_is_bounded(path: str) -> None:
    data: Any = 1
    for _ in range(60):
        data = {"a": data, "b": [data if isinstance(data, int) else 1] * 50}
    with pytest.raises(BadRule, match="too slow for this answer"):
        compile_path(path).find(data)


def test_deep_data_is_searched_without_recursion() -> None:
    deep: Any = {"x": "found"}
    for _ in range(50_000):
        deep = [deep]
    assert compile_path("$..x").find(deep) == ["found"]
    unlinked = deep
    while isinstance(unlinked, list):  # freed level by level, so that the test does not lean on the collector
        unlinked = unlinked.pop()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"<html>",
        b'"\xff"',
        b'"\\ud800"',
        b"NaN",
        b"1e999",
        b"[1] trailing",
        b'{"a": 1',
        b"\x00",
    ],
)
def test_what_is_not_json_ends_in_one_line(body: bytes) -> None:
    with pytest.raises(BadFile) as caught:
        decode_json(body)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_byte_order_mark_is_no_part_of_the_json() -> None:
    assert decode_json(b"\xef\xbb\xbf" + msgspec.json.encode({"a": "é"})) == {"a": "é"}
