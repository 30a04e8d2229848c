"""robots.txt: fetched once an hour per origin, bounded, and matched by protego (RFC 9309)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from yarl import URL

from driftline.core.identity.urls import MAX_LENGTH
from driftline.engine.ports import Clock
from driftline.model.fetch import Blocked, Failed, Fetched, Unmodified

if TYPE_CHECKING:
    from protego import Protego

MAX_BYTES: Final = 500 * 1024  # the rest is ignored
_MAX_RULES: Final = 5_000  # for us, and as many for everybody; the rest is ignored
_MAX_WILDCARDS: Final = 500  # of those: rules with wildcards are matched one by one
_MAX_ORIGINS: Final = 4_096  # origins
_MAX_TEXT: Final = 4 * 1024 * 1024  # characters of all cached rules; in memory they take up to 20 times as much
_KEPT_FOR: Final = 3_600.0  # seconds for an answer, also "there is none"
_REFUSED_FOR: Final = 600.0  # seconds until a retry after a server error
_UNREACHABLE_FOR: Final = 60.0  # seconds until a retry after a network failure
_GIVE_UP_AFTER: Final = 86_400.0  # seconds after which a lasting server error counts as "there is none"
# The relevant lines, in protego's spellings; other lines neither count nor end a group's list of user agents.
_LINE: Final = re.compile(
    r"(user[ -]?agent|allow|disallow|dissallow|dissalow|disalow|diasllow|disallaw)(?:\s*:|\s)(.*)", re.IGNORECASE
)
_PRODUCT: Final = re.compile(r"[A-Za-z_-]*")

Load = Callable[[str, str | None], Awaitable[Fetched | Unmodified | Blocked | Failed]]  # a URL, through a proxy
_OriginKey = tuple[str, str | None]  # an origin, and the proxy used for it


class _Group:
    """The rules for one user agent, without repeats."""

    def __init__(self) -> None:
        self.rules: dict[str, None] = {}
        self._wildcards = 0

    def add(self, field: str, pattern: str) -> None:
        """Add a rule, within the limits."""
        rule = f"{'Allow' if field == 'allow' else 'Disallow'}: {pattern}"
        wildcard = "*" in pattern
        if rule in self.rules or len(self.rules) >= _MAX_RULES or not 0 < len(pattern) <= MAX_LENGTH:
            return
        if wildcard and self._wildcards >= _MAX_WILDCARDS:
            return
        self._wildcards += wildcard
        self.rules[rule] = None


def excerpt(body: bytes, product: str) -> str:
    """A small robots.txt that says the same to one product: its group and the one for everybody, merged and bounded.

    Protego copies each rule to every user agent of its group, so 3,000 of both take it half a minute.
    """
    if len(body) > MAX_BYTES:  # a cut line would be another rule
        body = body[:MAX_BYTES]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r"), 0)]
    groups: dict[str, _Group] = {}
    current: dict[str, _Group] = {}  # the groups that the next rule belongs to
    ended = True  # whether the list of user agents has ended
    for line in body.decode("utf-8-sig", "replace").splitlines():
        found = _LINE.match(line.partition("#")[0].strip())
        if found is None:
            continue
        field, value = found[1].lower(), found[2].strip()
        if field.startswith("user"):
            if ended:
                current, ended = {}, False
            if name := _group_of(value, product):
                current[name] = groups.setdefault(name, _Group())
        else:
            ended = True
            for group in current.values():
                group.add(field, value)
    return "\n".join(line for name, group in groups.items() for line in (f"User-agent: {name}", *group.rules))


def _group_of(agent: str, product: str) -> str | None:
    """The group that a user-agent line starts, if it applies to the product."""
    if agent == "*":
        return "*"
    token = _PRODUCT.match(agent)
    return product if token and token[0].lower() == product.lower() else None


def allowed(rules: Protego, product: str, path: str) -> bool:
    """Whether the product may visit the path (with its query)."""
    return rules.can_fetch(f"https://host{path}", product)  # the origin does not matter, and some cannot be parsed


class _CachedRules(msgspec.Struct, frozen=True):
    """The cached result of one origin's robots.txt."""

    until: float  # monotonic
    rules: Protego | None  # None: unavailable
    size: int = 0  # characters of the rules
    failure: Failed | None = None  # why, after a network failure
    failing_since: float | None = None


def _read(body: bytes, product: str, until: float) -> _CachedRules:
    text = excerpt(body, product)
    return _CachedRules(until, _parse(text), size=len(text))


def _parse(text: str) -> Protego:
    from protego import Protego  # noqa: PLC0415 - pages that people name themselves are watched without asking

    return Protego.parse(text)


@cache
def _no_rules() -> Protego:
    return _parse("")


Permission = Literal["allowed", "refused"] | Failed


class Robots:
    """Caches each origin's rules, per proxy; `load` fetches through the guard."""

    def __init__(self, load: Load, clock: Clock, *, product: str = "driftline") -> None:
        self._load = load
        self._clock = clock
        self._product = product
        self._known: dict[_OriginKey, _CachedRules] = {}
        self._size = 0  # characters of all cached rules
        self._loading: dict[_OriginKey, asyncio.Lock] = {}

    async def permission(self, url: URL, *, proxy: str | None = None) -> Permission:
        """Whether the URL may be visited, or the failure to read its robots.txt."""
        key = (str(url.origin()), proxy)
        known = self._known.get(key)
        if known is None or known.until <= self._clock.monotonic():
            known = await self._refresh(key)
        if known.failure is not None:
            return known.failure
        if known.rules is None:
            return "refused"
        return "allowed" if allowed(known.rules, self._product, url.raw_path_qs) else "refused"

    async def _refresh(self, key: _OriginKey) -> _CachedRules:
        """Fetch the rules, once for all waiting callers."""
        lock = self._loading.setdefault(key, asyncio.Lock())
        try:
            async with lock:
                before = self._known.get(key)
                if before is not None and before.until > self._clock.monotonic():
                    return before
                origin, proxy = key
                answer = await self._load(f"{origin}/robots.txt", proxy)
                if isinstance(answer, Fetched):  # the worst file of this size takes half a second
                    known = await asyncio.to_thread(_read, answer.body, self._product, self._clock.monotonic() + _KEPT_FOR)
                else:
                    known = self._after_failure(answer, before)
                self._remember(key, known)
                return known
        finally:
            if not lock.locked():
                self._loading.pop(key, None)

    def _after_failure(self, answer: Unmodified | Blocked | Failed, before: _CachedRules | None) -> _CachedRules:
        now = self._clock.monotonic()
        match answer:
            case Failed(status=None):
                return _CachedRules(now + _UNREACHABLE_FOR, None, failure=answer)
            case Failed(status=int(status)) | Blocked(status=int(status)) if 300 <= status < 500 and status != 429:
                return _CachedRules(now + _KEPT_FOR, _no_rules())
        since = before.failing_since if before is not None and before.failing_since is not None else now
        if now - since >= _GIVE_UP_AFTER:
            return _CachedRules(now + _KEPT_FOR, _no_rules(), failing_since=since)
        return _CachedRules(now + _REFUSED_FOR, None, failing_since=since)

    def _remember(self, key: _OriginKey, known: _CachedRules) -> None:
        self._forget(key)
        while self._known and (len(self._known) >= _MAX_ORIGINS or self._size + known.size > _MAX_TEXT):
            self._forget(next(iter(self._known)))
        self._known[key] = known
        self._size += known.size

    def _forget(self, key: _OriginKey) -> None:
        known = self._known.pop(key, None)
        self._size -= known.size if known else 0
