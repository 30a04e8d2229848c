"""Long texts that a backtracking expression may choke on, made of its own parts, and what they cost it."""

from __future__ import annotations

import functools
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]  # how else would one take a pattern apart
from typing import Any, NamedTuple

_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_CHARACTERS = (_constants.LITERAL, _constants.IN, _constants.NOT_LITERAL, _constants.ANY)
_LONG = 100  # repeats of at least so many count as endless: a bounded one costs the same at every place
_POOL = "a0 -A_./\nz5:é中\t,'\"<>&=%@#()[]{};+*!?|$\\~f\r•\u00a0"
_GENERIC = ("0", " ", "a", "A", "-", "/", ".", "<", "&", '"', "'", "\n", "a ", "0 ", "a-", "0.", "/a", "<a", "1,", '="', "a\n")
_SUFFIXES = ("\x01", "x")
_ENOUGH = 50  # fragments of one pattern
_TOO_LONG = 0.25  # seconds, after which a try is given up
_SURE = 0.02  # seconds, beyond which a cost that grows with the square of the text would have shown
Asked = Callable[[Any], object]


class Slow(NamedTuple):
    """A text on which a pattern grows faster than the text."""

    fragment: str
    text: str  # how it is made
    costs: str


class Pump(NamedTuple):
    """A text of any length."""

    prefix: str
    fragment: str
    suffix: str

    def text(self, size: int) -> str:
        """So many characters, about."""
        return self.prefix + self.fragment * (size // len(self.fragment)) + self.suffix


def is_bounded(pattern: re.Pattern[Any]) -> bool:
    """Whether every repeat in it is a short one, so that no place of a text costs more than any other."""
    return max((most for most, *_ in _points(_parse(pattern), "", "")), default=0) < _LONG


def pumps(pattern: re.Pattern[Any]) -> list[Pump]:
    """Texts out of what the pattern repeats, what stands before it, and what may be mistaken for it."""
    tree = _parse(pattern)
    points = sorted((point for point in _points(tree, "", "") if point[0] > 1), key=lambda point: -point[0])
    prefixes = dict.fromkeys(("", *(head for most, *heads, _ in points if most >= _LONG for head in heads)))
    offered = [_fragments(heads, body, pattern.flags) for _, *heads, body in points]
    in_turn = dict.fromkeys(one[:60] for row in zip_longest(*offered) for one in row if one)
    chosen = dict.fromkeys((*[*in_turn][:_ENOUGH], *_GENERIC))
    suffixes = dict.fromkeys((*_SUFFIXES, *_refused(tree)))
    return [Pump(head[:60], one, end) for one in chosen for head in [*prefixes][:3] for end in [*suffixes][:4]]


def _fragments(heads: Sequence[str], body: Any, flags: int) -> list[str]:
    """What may be repeated where a pattern repeats its body behind these."""
    members = [*dict.fromkeys(_members(body, flags))]
    bodies = [_sample(body, turn) for turn in range(8)]
    led = (head + one for head in heads for one in (*members[:2], bodies[1], " "))
    return [*members[:1], *heads, *bodies, *led, *members[:6]]


def slowest(pattern: re.Pattern[Any], ask: Asked, *, size: int) -> tuple[float, Pump]:
    """The seconds of the dearest text of this size, after a second look."""
    pump = _dearest(pattern, ask, size, 1)[0]
    return _best(ask, _given(pattern, pump.text(size))), pump


def growth(pattern: re.Pattern[Any], ask: Asked, *, size: int, unnoticed: float, factor: float) -> Slow | None:
    """A text whose cost grows by more than the factor when it is four times as long; None: there is none.

    What takes less than `unnoticed` seconds at four times the size is no matter, and what looks slow is measured again.
    """
    for pump in _dearest(pattern, ask, size, 6):
        for at in (size, 4 * size):
            texts = [_given(pattern, pump.text(length)) for length in (at, 4 * at)]
            quick = _seconds(ask, texts[1])
            looks_slow = quick >= _TOO_LONG or quick > max(unnoticed, factor * _seconds(ask, texts[0]))
            if looks_slow and all(_is_steep(ask, texts, factor) for _ in range(3)):
                costs = ", ".join(f"{len(text)}: {_best(ask, text) * 1000:.1f} ms" for text in texts)
                return Slow(pump.fragment, repr(pump), costs)
            if quick > _SURE:
                break
    return None


def _dearest(pattern: re.Pattern[Any], ask: Asked, size: int, number: int) -> list[Pump]:
    """The pumps that cost most, of different fragments."""
    best: dict[str, tuple[float, Pump]] = {}
    for pump in pumps(pattern):
        took = _seconds(ask, _given(pattern, pump.text(size)))
        if took >= _TOO_LONG:
            return [pump]
        best[pump.fragment] = max(best.get(pump.fragment, (0.0, pump)), (took, pump), key=lambda one: one[0])
    return [pump for _, pump in sorted(best.values(), key=lambda one: -one[0])[:number]]


def _is_steep(ask: Asked, texts: Sequence[object], factor: float) -> bool:
    small, large = (_best(ask, text) for text in texts)
    return large >= _TOO_LONG or large > factor * small


def _best(ask: Asked, text: object) -> float:
    took = [_seconds(ask, text)]
    while len(took) < 3 and took[0] < _TOO_LONG:
        took.append(_seconds(ask, text))
    return min(took)


def _seconds(ask: Asked, text: object) -> float:
    """Of processor time, at most about `_TOO_LONG`."""
    with _alarm():
        began = time.thread_time()
        try:
            ask(text)
        except _TooLong:
            return _TOO_LONG
        return time.thread_time() - began


class _TooLong(Exception):
    """Ends a try."""


@contextmanager
def _alarm() -> Iterator[None]:
    """`re` looks for signals while it backtracks, so that even an exponential pattern comes to an end."""

    def give_up(*_: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, _TOO_LONG)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _given(pattern: re.Pattern[Any], text: str) -> str | bytes:
    return text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text


def _parse(pattern: re.Pattern[Any]) -> Any:
    return _parser.parse(pattern.pattern, pattern.flags)


def _points(tree: Iterable[Any], first: str, last: str) -> Iterator[tuple[int, str, str, Any]]:
    """Every repeat: how often at most, two texts that lead up to it, and what is repeated."""
    for index, (op, given) in enumerate(tree := list(tree)):
        heads = first + _sample(tree[:index], 0), last + _sample(tree[:index], 5)
        if op in _REPEATS:
            yield int(given[1]), *heads, given[2]
        for part in _parts(op, given):
            yield from _points(part, *heads)


def _refused(tree: Iterable[Any]) -> Iterator[str]:
    """Ends that must not follow somewhere, so that a pattern which got there has to go back."""
    for op, given in tree:
        if op is _constants.ASSERT_NOT:
            yield from (_sample(given[1], 0), _sample(given[1], 1))
        for part in _parts(op, given):
            yield from _refused(part)


def _parts(op: Any, given: Any) -> Sequence[Any]:
    if op in _REPEATS:
        return [given[2]]
    if op is _constants.BRANCH:
        return given[1]  # type: ignore[no-any-return]
    if op is _constants.SUBPATTERN:
        return [given[3]]
    if op in (_constants.ASSERT, _constants.ASSERT_NOT):
        return [given[1]]
    return [given] if op is _constants.ATOMIC_GROUP else []


def _sample(tree: Iterable[Any], turn: int) -> str:
    """A text that the pattern matches, or nearly; another for another turn."""
    said = []
    for op, given in tree:
        if op in _REPEATS:
            said.append(_sample(given[2], turn) * min(max(given[0], turn % 2), 20))
        elif op is _constants.BRANCH:
            said.append(_sample(given[1][turn % len(given[1])], turn))
        elif op is _constants.SUBPATTERN:
            said.append(_sample(given[3], turn))
        elif op is _constants.ATOMIC_GROUP or (op is _constants.ASSERT and given[0] < 0):
            said.append(_sample(given if op is _constants.ATOMIC_GROUP else given[1], turn))
        elif op in _CHARACTERS and (members := [*_members([(op, given)], 0)]):
            said.append(members[turn % len(members)])
    return "".join(said)


def _members(tree: Iterable[Any], flags: int) -> Iterator[str]:
    """Some characters that the one-character parts of a pattern stand for."""
    for op, given in tree:
        if op is _constants.LITERAL:
            yield chr(given)
        elif op in (_constants.IN, _constants.NOT_LITERAL, _constants.ANY):
            yield from _members_of(_Class(op, given), flags)
        for part in _parts(op, given):
            yield from _members(part, flags)


class _Class:
    """A part of a pattern that stands for one character; the same if it is written the same."""

    def __init__(self, op: Any, given: Any) -> None:
        self.parsed = (op, given)
        self._written = repr(self.parsed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Class) and other._written == self._written

    def __hash__(self) -> int:
        return hash(self._written)


@functools.cache
def _members_of(part: _Class, flags: int) -> Sequence[str]:
    op, given = part.parsed
    one = _compiler.compile(_parser.SubPattern(_parser.State(), [part.parsed]), flags)
    listed = [chr(inner) for kind, inner in given if kind is _constants.LITERAL] if op is _constants.IN else []
    return [each for each in dict.fromkeys((*_POOL[:8], *listed[:3], *_POOL)) if one.match(each)]
