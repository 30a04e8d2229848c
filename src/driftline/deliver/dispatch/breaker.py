"""A circuit breaker per endpoint: after some failures in a row nothing is sent for a while, then one message probes.

closed --(failures in a row)--> open --(time)--> half open --(one success)--> closed
                                  ^                  '--(one failure, longer)--.
                                  '--------------------------------------------'
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

import msgspec

from driftline.core.identity.fingerprint import digest, spread

_REMEMBERED: Final = 4_096  # endpoints; beyond that, healthy ones are forgotten


class Tolerance(msgspec.Struct, frozen=True, kw_only=True):
    """How much an endpoint may fail."""

    failures: int = 5  # in a row, before the breaker opens
    rest_for: float = 30.0  # seconds of the first pause; doubles with each failed probe
    rest_at_most_for: float = 1_800.0


class _Endpoint:
    __slots__ = ("failures", "open_until_at", "probing", "rests")

    def __init__(self) -> None:
        self.failures = 0
        self.rests = 0
        self.open_until_at: datetime | None = None
        self.probing = False


class Breakers:
    """The health of every endpoint, as seen by this process."""

    def __init__(self, tolerance: Tolerance | None = None) -> None:
        self._tolerance = tolerance or Tolerance()
        self._endpoints: dict[str, _Endpoint] = {}

    def wait_until(self, endpoint: str, *, at: datetime) -> datetime | None:
        """When to try again; None: now. After a pause, one caller goes first as the probe."""
        state = self._endpoints.get(endpoint)
        if state is None or state.open_until_at is None:
            return None
        if at < state.open_until_at:
            return state.open_until_at
        if state.probing:
            return at + timedelta(seconds=self._tolerance.rest_for)
        state.probing = True
        return None

    def worked(self, endpoint: str) -> None:
        """The endpoint accepted a message, or refused that message only: it is healthy."""
        self._endpoints.pop(endpoint, None)

    def failed(self, endpoint: str, *, at: datetime) -> datetime | None:
        """The endpoint failed; returns when it may be tried again if that opened the breaker."""
        state = self._endpoints.get(endpoint)
        if state is None:
            if len(self._endpoints) >= _REMEMBERED:
                self._endpoints = {name: one for name, one in self._endpoints.items() if one.open_until_at is not None}
            state = self._endpoints[endpoint] = _Endpoint()
        state.failures += 1
        probed, state.probing = state.probing, False
        if not probed and state.failures < self._tolerance.failures:
            return None
        if not probed and state.open_until_at is not None and at < state.open_until_at:
            return None  # it was sent before the breaker opened
        rest = min(self._tolerance.rest_for * 2.0**state.rests, self._tolerance.rest_at_most_for)
        state.rests = min(state.rests + 1, 32)
        state.failures = self._tolerance.failures
        state.open_until_at = at + timedelta(seconds=rest * (1 + 0.2 * spread(_seed(endpoint), state.rests)))
        return state.open_until_at


def _seed(endpoint: str) -> int:
    return int.from_bytes(digest(endpoint.encode())[:8], "big")
