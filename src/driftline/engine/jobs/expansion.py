"""Keeps the buckets of parent watches up to date: new dates appear, past ones retire."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from driftline.engine.ports import Clock, Expansion, Ids, Store
from driftline.errors import UsageError
from driftline.kinds.kind import AnyKind, Expands, scope_of
from driftline.model.watch import Watch

log = logging.getLogger(__name__)

POLL_EVERY: Final = 10.0  # seconds between two searches for parents with outdated buckets
EXPAND_EVERY: Final = timedelta(minutes=10)  # at the latest: each time zone has its own midnight
PARENT_BATCH: Final = 200

Defaults = Mapping[str, Mapping[str, Any]]  # by kind: rules for fields that a watch leaves out


def expansion_of(watch: Watch, kinds: Mapping[str, AnyKind], defaults: Defaults, *, at: datetime) -> Expansion | None:
    """The buckets that a watch should have now; None if it has no buckets. Raises UsageError for unusable rules."""
    kind = kinds[watch.kind]
    rules = msgspec.convert({**defaults.get(watch.kind, {}), **watch.rules}, kind.rules)
    buckets = kind.expand(watch, rules, at=at) if isinstance(kind, Expands) else None
    if buckets is None:
        return None
    soonest = min((bucket.retires_at for bucket in buckets), default=at + EXPAND_EVERY)
    scope = scope_of(kind, watch.id, watch.url, rules)
    return Expansion(buckets=buckets, scope=scope, next_at=min(soonest, at + EXPAND_EVERY))


class Expander:
    """Updates buckets. Several may share one database; repeating the work changes nothing."""

    def __init__(
        self, *, store: Store, clock: Clock, ids: Ids, kinds: Mapping[str, AnyKind], defaults: Defaults | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._kinds = kinds
        self._defaults = defaults or {}
        self._next_at = 0.0  # monotonic

    async def expand_due(self) -> None:
        """Update outdated buckets, unless that was done a moment ago."""
        now = self._clock.monotonic()
        if now < self._next_at:
            return
        self._next_at = now + POLL_EVERY
        at = self._clock.now()
        while (
            await self._store.expand_due(lambda watch: self._expansion(watch, at), ids=self._ids, at=at, limit=PARENT_BATCH)
            == PARENT_BATCH
        ):
            pass

    def _expansion(self, watch: Watch, at: datetime) -> Expansion | None:
        """The parent's buckets by its rules; if the rules are invalid, it keeps those that it has."""
        try:
            return expansion_of(watch, self._kinds, self._defaults, at=at)
        except (KeyError, msgspec.ValidationError, UsageError) as error:
            log.warning("the dates cannot be made", extra={"watch": str(watch.id), "problem": str(error)})
            return None
