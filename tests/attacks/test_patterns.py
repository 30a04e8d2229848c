"""Texts from outside meet expressions: none of them may take longer than in proportion to the text."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from tests.patterns import Collected, Found, collected
from tests.pumping import growth, is_bounded, slowest

import driftline

SIZE: Final = 1_000  # characters, and four and sixteen times as many
STEEP: Final = 6.0  # times the cost of a text that is four times as long: 4 is linear, 16 the square
UNNOTICED: Final = 0.001  # seconds for the longest text
BOUNDED_SIZE: Final = 400
DEAREST: Final = 0.008  # seconds for that: 20 microseconds a character
AT_THE_CAP: Final = 0.005  # seconds


class Capped(NamedTuple):
    """An expression that is not linear and meets short texts alone; the code beside it says so too."""

    length: int  # characters
    reason: str


CAPPED: Final[Mapping[str, Capped]] = {}  # none at present
# Functions that make expressions out of what they are given; what they made is found where it is kept.
MADE_ELSEWHERE: Final = frozenset(("driftline.core.text.lazy_regex",))


@pytest.fixture(scope="module")
def found() -> Collected:
    return collected()


def _questions(one: Found) -> Iterator[tuple[str, Callable[[Any], object]]]:
    """What the package asks of an expression; all matches of a text, where it is not known."""
    if not one.asked or one.asked - {"search", "match", "fullmatch"}:
        yield "finditer", lambda text: [None for _ in one.pattern.finditer(text)]
    elif "search" in one.asked:
        yield "search", one.pattern.search
    elif "match" in one.asked:
        yield "match", one.pattern.match
    if "fullmatch" in one.asked:
        yield "fullmatch", one.pattern.fullmatch


def _fault(one: Found) -> str | None:
    for name, ask in _questions(one):
        if one.where in CAPPED:
            took, pump = slowest(one.pattern, ask, size=CAPPED[one.where].length)
            if took > AT_THE_CAP:
                return f"{one.where}: {name} takes {took * 1000:.1f} ms at its cap, {pump}"
        elif is_bounded(one.pattern):
            took, pump = slowest(one.pattern, ask, size=BOUNDED_SIZE)
            if took > DEAREST:
                return f"{one.where}: {name} takes {took * 1000:.1f} ms for {BOUNDED_SIZE} characters, {pump}"
        elif slow := growth(one.pattern, ask, size=SIZE, unnoticed=UNNOTICED, factor=STEEP):
            return f"{one.where}: {name} grows faster than the text, {slow.text}: {slow.costs}"
    return None


def test_every_expression_of_the_package_is_linear_in_the_text_that_it_meets(found: Collected) -> None:
    faults = [fault for one in found.patterns if (fault := _fault(one))]
    assert not faults, "\n".join(faults)


def test_every_expression_is_found(found: Collected) -> None:
    assert len(found.patterns) > 400
    linear = {where.partition(":")[0] for where in found.linear}
    assert {"driftline.core.select.patterns", "driftline.core.commerce.stock"} <= linear  # what people write, and long lists
    assert {one.where.partition(":")[0] for one in found.unread} <= MADE_ELSEWHERE
    assert CAPPED.keys() <= {one.where for one in found.patterns}


PLANTED: Final = """
import functools, re
from driftline.core.text.lazy_regex import lazy_regex
AT_ONCE = re.compile(r"a\\s*;1")
LATER = lazy_regex(lambda: r"\\s*;2")
TABLE = {"x": [("y", re.compile(r"\\s*;3"))]}
BOUND = re.compile(r"\\s*;4").search
class Held:
    pattern = re.compile(r"\\s*;5")
@functools.cache
def made():
    return re.compile(r"\\s*;6")
def asked(text):
    return re.search(r"\\s*;7", text)
async def lazily(text, pattern=re.compile(r"\\s*;8")):
    return lazy_regex(r"\\s*;9").search(text)
"""


def test_a_slow_expression_is_found_wherever_it_is_planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "planted.py").write_text(PLANTED, encoding="utf-8")
    monkeypatch.setattr(driftline, "__path__", [str(tmp_path)])
    try:
        patterns = collected().patterns
    finally:
        sys.modules.pop("driftline.planted", None)
    assert {one.pattern.pattern[-1] for one in patterns} == set("123456789")
    assert {one.pattern.pattern[-1] for one in patterns if _fault(one)} == set("23456789")  # the first one has where to begin


@pytest.mark.parametrize(
    "slow",
    [
        r"(?<![a-z])(?:starts?|ends?)[a-z]*(?:[_\s-]?(?:date|time|at|on|by|datetime|utc))*\s?[:=(-]?$",
        r"(?<=[\w)])[.-](?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[A-Za-z\d_-]{8}(?=\.[a-z0-9]{2,5}$)",
        r"(?:^|[^a-z])(?:\w*day|date|cell)(?:$|[^a-z])",
        r"\)\s*;?\s*\Z",
        r"\s*[\r\n\t]\s*",
        r"<textarea(?![^>]*(?:g-recaptcha|h-captcha))",
        r"(?:[a-z\d]+[-_])*uptime",
    ],
)
def test_an_expression_that_froze_the_server_is_seen(slow: str) -> None:
    pattern = re.compile(slow)
    assert growth(pattern, pattern.search, size=SIZE // 2, unnoticed=UNNOTICED, factor=STEEP) is not None


@pytest.mark.parametrize("quick", [r"\s+", r"(?<![a-z])ends?[a-z]*+(?:_(?:date|time))*\s?$", r"<[^<>]*>", r"(?<!\d)\d+ left"])
def test_a_linear_expression_is_none_of_them(quick: str) -> None:
    pattern = re.compile(quick)
    assert growth(pattern, pattern.search, size=SIZE, unnoticed=UNNOTICED, factor=STEEP) is None
