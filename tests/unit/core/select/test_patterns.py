from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.select.patterns import MAX_PATTERN, any_found, parse_pattern, parse_patterns
from driftline.errors import BadRule


def test_plain_words_ignore_letter_case_and_the_kind_of_space() -> None:
    pattern = parse_pattern("Last  updated")
    assert pattern.literal
    assert pattern.matches("page LAST\nUPDATED today")
    assert pattern.matches("Last\xa0updated")
    assert not pattern.matches("lastupdated")


def test_plain_text_is_never_read_as_a_regex() -> None:
    assert parse_pattern("a.b (c)").matches("xx a.b (c) yy")
    assert not parse_pattern("a.b").matches("axb")


def test_slashes_make_a_regex_with_flags() -> None:
    assert parse_pattern(r"/\d+ views/").matches("1234 views")
    assert not parse_pattern("/VIEWS/").matches("views")
    assert parse_pattern("/VIEWS/i").matches("views")
    assert parse_pattern("/^b$/m").matches("a\nb\nc")
    assert parse_pattern("/a.b/s").matches("a\nb")


@pytest.mark.parametrize("text", ["/usr/bin", "/", "//", "a/b/i"])
def test_a_path_is_plain_text(text: str) -> None:
    assert parse_pattern(text).literal


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "a\0b",
        "/[/",
        "/(?=a)b/",
        r"/(a)\1/",
        "/a/g",
        "/x{1001}/",
        "/((a{100}){100}){100}/",
        "/(a?){500}a{500}b/",
        "/.{0,999}b.{0,999}c/",
        "/\udc80/",
        "x" * (MAX_PATTERN + 1),
    ],
)
def test_what_cannot_run_in_bounded_time_or_does_not_parse_is_a_bad_rule(text: str) -> None:
    with pytest.raises(BadRule):
        parse_pattern(text)


def test_spans_count_characters_and_not_bytes() -> None:
    assert parse_pattern("/é+/").spans("aéé東é") == [(1, 3), (4, 5)]
    assert parse_pattern("/x*/").spans("axxb") == [(1, 3)]


def test_replacing_takes_the_replacement_word_for_word() -> None:
    assert parse_pattern(r"/(\d+)/").replace("a 1 b 22", r"\1") == r"a \1 b \1"
    assert parse_pattern("/z/").replace("abc", "-") == "abc"


def test_a_lone_surrogate_in_the_text_is_no_error() -> None:
    assert parse_pattern("ab").spans("\udc80ab") == [(1, 3)]
    assert parse_pattern("ab").matches("\udc80ab")
    assert parse_pattern("ab").replace("\udc80ab!", "-") == "\udc80-!"


def test_the_first_pattern_that_is_found_is_named() -> None:
    patterns = parse_patterns(["one", "/t.o/"])
    found = any_found(patterns, "two")
    assert found is not None
    assert found.text == "/t.o/"
    assert any_found(patterns, "three") is None


@given(st.text(max_size=30), st.text(max_size=60))
def test_any_plain_text_is_found_in_itself_or_refused(words: str, around: str) -> None:
    try:
        pattern = parse_pattern(words)
    except BadRule:
        return
    if pattern.literal:
        assert pattern.matches(f"{around}{words}{around}")


@given(st.text("ab()[]{}|*+?.^$\\/-,0123im:<>P", max_size=40), st.text("ab\n", max_size=60))
def test_a_hostile_regex_either_works_or_is_a_bad_rule(regex: str, text: str) -> None:
    try:
        pattern = parse_pattern(f"/{regex}/")
    except BadRule:
        return
    spans = pattern.spans(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    assert pattern.matches(text) or not spans
