"""robots.txt as RFC 9309 reads it: groups by product token, the longest matching rule wins, `*` and `$`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Literal
from urllib.parse import quote

import msgspec
from yarl import URL

from driftline.engine.ports import Clock
from driftline.model.fetch import Blocked, Failed, Fetched, Unmodified

MAX_BYTES = 500 * 1024  # what comes after it is not read
_REMEMBERED = 4_096  # origins
_KEPT_FOR = 3_600.0  # an answer, also "there is none"
_REFUSED_FOR = 600.0  # a server error: asked again after this
_UNREACHABLE_FOR = 60.0  # a network failure, which the page itself would meet as well
_GIVE_UP_AFTER = 86_400.0  # a server error that lasts counts as "there is none"
_HEX = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

Load = Callable[[str], Awaitable[Fetched | Unmodified | Blocked | Failed]]
Rule = tuple[bool, str]  # allowed, path pattern


def rules_for(body: bytes, product: str) -> tuple[Rule, ...]:
    """The rules for one product: those of all its groups, else of the groups for everybody."""
    named: list[Rule] = []
    everybody: list[Rule] = []
    found = False
    targets: list[list[Rule]] = []
    agents_end = True  # a rule, or the start, closes the list of user-agent lines
    for line in body[:MAX_BYTES].decode("utf-8-sig", "replace").splitlines():
        name, colon, value = line.partition("#")[0].partition(":")
        key, value = name.strip().lower(), value.strip()
        if not colon:
            continue
        if key == "user-agent":
            if agents_end:
                targets, agents_end = [], False
            if value == "*":
                targets.append(everybody)
            elif re.split(r"[^A-Za-z_-]", value, maxsplit=1)[0].lower() == product.lower():
                found = True
                targets.append(named)
        elif key in {"allow", "disallow"}:
            agents_end = True
            if value:
                for target in targets:
                    target.append((key == "allow", _normal(value)))
    return tuple(named if found else everybody)


def allowed(rules: tuple[Rule, ...], path: str) -> bool:
    """Whether the path (with its query) may be visited: the longest matching rule decides, allow on a tie."""
    target = _normal(path)
    if target == "/robots.txt":
        return True
    longest, verdict = -1, True
    for allow, pattern in rules:
        size = len(pattern)
        if (size > longest or (size == longest and allow)) and _matches(pattern, target):
            longest, verdict = size, allow
    return verdict


def _normal(path: str) -> str:
    """One spelling: octets outside ASCII encoded, unreserved ones decoded, hex digits in upper case."""

    def respell(found: re.Match[str]) -> str:
        letter = chr(int(found[0][1:], 16))
        return letter if letter in _UNRESERVED else found[0].upper()

    return _HEX.sub(respell, path if path.isascii() else quote(path, safe="".join(map(chr, range(33, 127))), errors="replace"))


def _matches(pattern: str, path: str) -> bool:
    """`*` stands for anything and a final `$` for the end; in linear time, since patterns come from strangers."""
    anchored = pattern.endswith("$")
    first, *others = (pattern[:-1] if anchored else pattern).split("*")
    if not path.startswith(first):
        return False
    if not others:
        return not anchored or len(path) == len(first)
    position = len(first)
    last = others.pop()
    for part in others:
        position = path.find(part, position)
        if position < 0:
            return False
        position += len(part)
    if anchored:
        return len(path) - len(last) >= position and path.endswith(last)
    return path.find(last, position) >= 0


class _Known(msgspec.Struct, frozen=True):
    """What one origin's robots.txt came to."""

    until: float  # monotonic
    rules: tuple[Rule, ...] | None  # None: not to be had
    failure: Failed | None = None  # why, where the network was in the way
    failing_since: float | None = None


Permission = Literal["allowed", "refused"] | Failed


class Robots:
    """Remembers each origin's rules for a while; `load` fetches through the guard."""

    def __init__(self, load: Load, clock: Clock, *, product: str = "driftline") -> None:
        self._load = load
        self._clock = clock
        self._product = product
        self._known: dict[str, _Known] = {}
        self._loading: dict[str, asyncio.Lock] = {}

    async def permission(self, url: URL) -> Permission:
        """Whether the URL may be visited, or the failure that kept its robots.txt from being read."""
        origin = str(url.origin())
        known = self._known.get(origin)
        if known is None or known.until <= self._clock.monotonic():
            known = await self._refreshed(origin)
        if known.failure is not None:
            return known.failure
        if known.rules is None:
            return "refused"
        return "allowed" if allowed(known.rules, url.raw_path_qs) else "refused"

    async def _refreshed(self, origin: str) -> _Known:
        """Ask the origin, once for all who wait."""
        lock = self._loading.setdefault(origin, asyncio.Lock())
        try:
            async with lock:
                before = self._known.get(origin)
                if before is not None and before.until > self._clock.monotonic():
                    return before
                answer = await self._load(f"{origin}/robots.txt")
                known = self._known_from(answer, before)
                self._remember(origin, known)
                return known
        finally:
            if not lock.locked():
                self._loading.pop(origin, None)

    def _known_from(self, answer: Fetched | Unmodified | Blocked | Failed, before: _Known | None) -> _Known:
        now = self._clock.monotonic()
        match answer:
            case Fetched():
                return _Known(now + _KEPT_FOR, rules_for(answer.body, self._product))
            case Failed(status=None):
                return _Known(now + _UNREACHABLE_FOR, None, answer)
            case Failed(status=int(status)) | Blocked(status=int(status)) if 300 <= status < 500 and status != 429:
                return _Known(now + _KEPT_FOR, ())
        since = before.failing_since if before is not None and before.failing_since is not None else now
        if now - since >= _GIVE_UP_AFTER:
            return _Known(now + _KEPT_FOR, (), failing_since=since)
        return _Known(now + _REFUSED_FOR, None, failing_since=since)

    def _remember(self, origin: str, known: _Known) -> None:
        self._known.pop(origin, None)
        if len(self._known) >= _REMEMBERED:
            del self._known[next(iter(self._known))]
        self._known[origin] = known
