"""Decides what follows a failed attempt."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import isfinite

import msgspec

from driftline.core.identity.fingerprint import spread


class Retry(msgspec.Struct, frozen=True, kw_only=True):
    """Try again, not before this time."""

    at: datetime


class GiveUp(msgspec.Struct, frozen=True, kw_only=True):
    """Do not try again."""

    reason: str


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of retrying."""

    attempts_at_most: int = 8  # including the first
    first_after: float = 5.0  # seconds before the second attempt
    factor: float = 2.0  # of each further wait
    wait_at_most_for: float = 3600.0  # of one wait, even if the other side asks for more
    jitter: float = 0.2  # share of a wait that is spread, so that many do not retry at once


def after_failure(
    patience: Patience,
    *,
    attempts: int,
    at: datetime,
    seed: int,
    reason: str,
    final: bool = False,
    retry_after: float | None = None,
) -> Retry | GiveUp:
    """What follows attempt number `attempts` (from 1) that failed at `at`; `final`: retrying cannot help."""
    if final:
        return GiveUp(reason=reason)
    if attempts >= patience.attempts_at_most:
        return GiveUp(reason=f"{reason} (attempt {attempts} of {patience.attempts_at_most})")
    wait = _wait(patience, attempts)
    wait *= 1 + patience.jitter * (spread(seed, attempts) - 0.5)
    if retry_after is not None and retry_after > wait:
        wait = retry_after if isfinite(retry_after) else patience.wait_at_most_for
    return Retry(at=at + timedelta(seconds=min(wait, patience.wait_at_most_for)))


def _wait(patience: Patience, attempts: int) -> float:
    try:
        grown: float = patience.first_after * patience.factor ** (attempts - 1)
    except OverflowError:
        return patience.wait_at_most_for
    return min(grown, patience.wait_at_most_for)
