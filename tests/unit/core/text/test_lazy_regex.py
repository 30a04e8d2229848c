"""Patterns that are compiled at their first use."""

from __future__ import annotations

import re

import pytest

from driftline.core.text.lazy_regex import lazy_regex


def test_a_pattern_is_compiled_once_and_answers_as_if_it_had_been_before() -> None:
    pattern = lazy_regex(r"(a+)b", re.IGNORECASE)
    assert pattern.search("xAAB").group(1) == "AA"  # type: ignore[union-attr]  # found
    assert pattern.search is pattern.search
    assert pattern.groups == 1


def test_a_broken_pattern_shows_when_it_is_first_used() -> None:
    with pytest.raises(re.error):
        lazy_regex("(").search("x")
