"""The part in which two versions of a line differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.text.language.critical_words import critical_tokens, differs_critically
from driftline.core.text.window import differing_part

LINES = st.text(alphabet="ab 12.,éй", max_size=60)


@given(LINES, LINES, st.integers(0, 20))
def test_what_stands_outside_of_a_window_is_the_same_on_both_sides(before: str, after: str, around: int) -> None:
    part = differing_part(before, after, around=around)
    head, tail = before[: part.start], before[len(before) - part.after_count :]
    assert head + part.before + tail == before
    assert head + part.after + tail == after


@given(LINES, LINES)
def test_a_window_tears_no_word(before: str, after: str) -> None:
    part = differing_part(before, after)
    assert not part.start or before[part.start - 1] == " "
    assert not part.after_count or before[len(before) - part.after_count] == " "


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("We store data for 12 months after you leave", "We store data for 24 months after you leave"),
        ("You may cancel at any time", "You may not cancel at any time"),
        ("From 5 May on we ship", "From 5 June on we ship"),
    ],
)
def test_a_number_date_or_negation_counts_wherever_it_stands_in_a_long_line(before: str, after: str) -> None:
    around = "as it was agreed upon between both sides " * 20
    assert differs_critically(around + before + " " + around, around + after + " " + around)
    assert critical_tokens(before) != critical_tokens(after)
