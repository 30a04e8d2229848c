"""robots.txt: fetched once an hour for each origin, bounded, and read by protego, which matches as RFC 9309 says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Final, Literal

import msgspec
from protego import Protego
from yarl import URL

from driftline.core.identity.urls import MAX_LENGTH
from driftline.engine.ports import Clock
from driftline.model.fetch import Blocked, Failed, Fetched, Unmodified

MAX_BYTES: Final = 500 * 1024  # what comes after it is not read
_MOST_RULES: Final = 5_000  # for us, and as many for everybody; what comes after them is not read
_MOST_WILDCARDS: Final = 500  # of those: rules that are matched one by one, against every address
_REMEMBERED: Final = 4_096  # origins
_REMEMBERED_TEXT: Final = 4 * 1024 * 1024  # characters of rules, of all origins; in memory they take up to 20 times as much
_KEPT_FOR: Final = 3_600.0  # an answer, also "there is none"
_REFUSED_FOR: Final = 600.0  # a server error: asked again after this
_UNREACHABLE_FOR: Final = 60.0  # a network failure, which the page itself would meet as well
_GIVE_UP_AFTER: Final = 86_400.0  # a server error that lasts counts as "there is none"
# The lines that decide, in protego's spellings; what else stands in a group neither counts nor ends its list of user agents.
_LINE: Final = re.compile(
    r"(user[ -]?agent|allow|disallow|dissallow|dissalow|disalow|diasllow|disallaw)(?:\s*:|\s)(.*)", re.IGNORECASE
)
_PRODUCT: Final = re.compile(r"[A-Za-z_-]*")

Load = Callable[[str, str | None], Awaitable[Fetched | Unmodified | Blocked | Failed]]  # a URL, through a proxy
_Way = tuple[str, str | None]  # an origin and the proxy that is asked for it


class _Group:
    """The rules for one user agent, each once."""

    def __init__(self) -> None:
        self.rules: dict[str, None] = {}
        self._wildcards = 0

    def add(self, field: str, pattern: str) -> None:
        """Another rule, where there is room for it."""
        rule = f"{'Allow' if field == 'allow' else 'Disallow'}: {pattern}"
        wildcard = "*" in pattern
        if rule in self.rules or len(self.rules) >= _MOST_RULES or not 0 < len(pattern) <= MAX_LENGTH:
            return
        if wildcard and self._wildcards >= _MOST_WILDCARDS:
            return
        self._wildcards += wildcard
        self.rules[rule] = None


def excerpt(body: bytes, product: str) -> str:
    """A small robots.txt that says the same to one product: its group and the one for everybody, merged and bounded.

    Protego copies each rule to every user agent of its group, so 3,000 of both take it half a minute.
    """
    if len(body) > MAX_BYTES:  # half a line is another rule
        body = body[:MAX_BYTES]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r"), 0)]
    groups: dict[str, _Group] = {}
    current: dict[str, _Group] = {}  # those that the next rule is for
    ended = True  # the list of user agents
    for line in body.decode("utf-8-sig", "replace").splitlines():
        found = _LINE.match(line.partition("#")[0].strip())
        if found is None:
            continue
        field, value = found[1].lower(), found[2].strip()
        if field.startswith("user"):
            if ended:
                current, ended = {}, False
            if name := _concerned(value, product):
                current[name] = groups.setdefault(name, _Group())
        else:
            ended = True
            for group in current.values():
                group.add(field, value)
    return "\n".join(line for name, group in groups.items() for line in (f"User-agent: {name}", *group.rules))


def _concerned(agent: str, product: str) -> str | None:
    """Whose group a user-agent line begins, as far as it matters to the product."""
    if agent == "*":
        return "*"
    token = _PRODUCT.match(agent)
    return product if token and token[0].lower() == product.lower() else None


def allowed(rules: Protego, product: str, path: str) -> bool:
    """Whether the product may visit the path (with its query)."""
    return rules.can_fetch(f"https://host{path}", product)  # the origin has no say, and some do not parse


class _Known(msgspec.Struct, frozen=True):
    """What one origin's robots.txt came to."""

    until: float  # monotonic
    rules: Protego | None  # None: not to be had
    size: int = 0  # characters of the rules
    failure: Failed | None = None  # why, where the network was in the way
    failing_since: float | None = None


def _read(body: bytes, product: str, until: float) -> _Known:
    text = excerpt(body, product)
    return _Known(until, Protego.parse(text), size=len(text))


_NO_RULES: Final = Protego.parse("")
Permission = Literal["allowed", "refused"] | Failed


class Robots:
    """Remembers each origin's rules for a while, by the proxy that is on the way; `load` fetches through the guard."""

    def __init__(self, load: Load, clock: Clock, *, product: str = "driftline") -> None:
        self._load = load
        self._clock = clock
        self._product = product
        self._known: dict[_Way, _Known] = {}
        self._size = 0  # of all that is known
        self._loading: dict[_Way, asyncio.Lock] = {}

    async def permission(self, url: URL, *, proxy: str | None = None) -> Permission:
        """Whether the URL may be visited, or the failure that kept its robots.txt from being read through the proxy."""
        way = (str(url.origin()), proxy)
        known = self._known.get(way)
        if known is None or known.until <= self._clock.monotonic():
            known = await self._refreshed(way)
        if known.failure is not None:
            return known.failure
        if known.rules is None:
            return "refused"
        return "allowed" if allowed(known.rules, self._product, url.raw_path_qs) else "refused"

    async def _refreshed(self, way: _Way) -> _Known:
        """Ask the origin, once for all who wait."""
        lock = self._loading.setdefault(way, asyncio.Lock())
        try:
            async with lock:
                before = self._known.get(way)
                if before is not None and before.until > self._clock.monotonic():
                    return before
                origin, proxy = way
                answer = await self._load(f"{origin}/robots.txt", proxy)
                if isinstance(answer, Fetched):  # the worst file of half a megabyte takes half a second
                    known = await asyncio.to_thread(_read, answer.body, self._product, self._clock.monotonic() + _KEPT_FOR)
                else:
                    known = self._known_without(answer, before)
                self._remember(way, known)
                return known
        finally:
            if not lock.locked():
                self._loading.pop(way, None)

    def _known_without(self, answer: Unmodified | Blocked | Failed, before: _Known | None) -> _Known:
        now = self._clock.monotonic()
        match answer:
            case Failed(status=None):
                return _Known(now + _UNREACHABLE_FOR, None, failure=answer)
            case Failed(status=int(status)) | Blocked(status=int(status)) if 300 <= status < 500 and status != 429:
                return _Known(now + _KEPT_FOR, _NO_RULES)
        since = before.failing_since if before is not None and before.failing_since is not None else now
        if now - since >= _GIVE_UP_AFTER:
            return _Known(now + _KEPT_FOR, _NO_RULES, failing_since=since)
        return _Known(now + _REFUSED_FOR, None, failing_since=since)

    def _remember(self, way: _Way, known: _Known) -> None:
        self._forget(way)
        while self._known and (len(self._known) >= _REMEMBERED or self._size + known.size > _REMEMBERED_TEXT):
            self._forget(next(iter(self._known)))
        self._known[way] = known
        self._size += known.size

    def _forget(self, way: _Way) -> None:
        known = self._known.pop(way, None)
        self._size -= known.size if known else 0
