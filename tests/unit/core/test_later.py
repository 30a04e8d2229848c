"""Patterns that are compiled at their first use."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator

import pytest

from driftline.core import critical, noise, words
from driftline.core.later import _Later, later
from driftline.core.noise_rules import Rule


def patterns() -> Iterator[_Later]:
    """Every one of them, also those that rules hold."""
    for module in (critical, noise, words):
        yield from (value for value in vars(module).values() if isinstance(value, _Later))
    for rule in noise.RULES:
        yield from (held for held in gc.get_referents(rule.spans, *_cells(rule)) if isinstance(held, _Later))


def _cells(rule: Rule) -> Iterable[object]:
    return getattr(rule.spans, "__closure__", None) or ()


def test_every_pattern_compiles() -> None:
    found = list(patterns())
    assert len(found) > 60
    for pattern in found:
        pattern.fullmatch("any line")  # type: ignore[operator]  # a method once it is compiled


def test_a_pattern_is_compiled_once_and_answers_as_if_it_had_been_before() -> None:
    pattern = later(r"(a+)b", re.IGNORECASE)
    assert pattern.search("xAAB").group(1) == "AA"  # type: ignore[union-attr]  # found
    assert pattern.search is pattern.search
    assert pattern.groups == 1


def test_a_broken_pattern_shows_when_it_is_first_used() -> None:
    with pytest.raises(re.error):
        later("(").search("x")
