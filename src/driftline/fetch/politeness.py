"""Limits per host: concurrent requests, pauses between them, and Retry-After."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import msgspec

from driftline.engine.ports import Clock

_MAX_HOSTS = 4_096  # beyond that, idle ones are forgotten


class Manners(msgspec.Struct, frozen=True, kw_only=True):
    """How hosts are treated: foreign ones, and the operator's own."""

    at_once: int = 6  # concurrent requests to a foreign host
    own_at_once: int = 32  # concurrent requests to an own host
    apart_for: float = 0.1  # seconds between the starts of two requests to a foreign host
    held_at_most_for: float = 3_600.0  # a longer Retry-After counts as this


class _Host:
    __slots__ = ("free", "held_until", "next_start", "under_way")

    def __init__(self, at_once: int) -> None:
        self.free = asyncio.Semaphore(at_once)
        self.under_way = 0  # waiting ones too
        self.next_start = 0.0
        self.held_until = 0.0


class Hosts:
    """The state of each host, written `name:port`."""

    def __init__(self, clock: Clock, manners: Manners | None = None) -> None:
        self._clock = clock
        self._manners = manners or Manners()
        self._hosts: dict[str, _Host] = {}

    def held_for(self, host: str) -> float:
        """Seconds for which the host asked to wait; 0.0 if it did not."""
        state = self._hosts.get(host)
        return max(0.0, state.held_until - self._clock.monotonic()) if state is not None and state.held_until else 0.0

    def hold(self, host: str, seconds: float) -> None:
        """Send nothing to the host for so long: it answered with Retry-After."""
        until = self._clock.monotonic() + min(seconds, self._manners.held_at_most_for)
        state = self._state(host)
        state.held_until = max(state.held_until, until)

    async def enter(self, host: str, *, own: bool = False) -> None:
        """Wait for permission to send; every `enter` is followed by one `leave`."""
        state = self._state(host, own=own)
        state.under_way += 1
        try:
            await state.free.acquire()
        except asyncio.CancelledError:
            state.under_way -= 1
            raise
        if own:
            return
        now = self._clock.monotonic()
        start = max(now, state.next_start)
        state.next_start = start + self._manners.apart_for
        if start > now:
            try:
                await self._clock.sleep(start - now)
            except asyncio.CancelledError:
                self.leave(host)
                raise

    def leave(self, host: str) -> None:
        """The request has ended."""
        state = self._hosts[host]
        state.under_way -= 1
        state.free.release()

    def _state(self, host: str, *, own: bool = False) -> _Host:
        state = self._hosts.get(host)
        if state is None:
            if len(self._hosts) >= _MAX_HOSTS:
                self._forget_idle()
            state = self._hosts[host] = _Host(self._manners.own_at_once if own else self._manners.at_once)
        return state

    def _forget_idle(self) -> None:
        now = self._clock.monotonic()
        self._hosts = {
            name: state
            for name, state in self._hosts.items()
            if state.under_way or state.held_until > now or state.next_start > now
        }


def retry_after(value: str | None, *, at: datetime) -> float | None:
    """The seconds of a Retry-After header (a number or an HTTP date); None if it is invalid."""
    if not value:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    try:
        until_at = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # the latter for a year of twenty digits
        return None
    if until_at.tzinfo is None:
        until_at = until_at.replace(tzinfo=UTC)
    return max(0.0, (until_at - at).total_seconds())
