"""Parent watches and their buckets: new ones appear as the calendar moves on, past ones retire."""

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

POLL_EVERY_FOR: Final = 10.0  # seconds between looks for parents whose buckets have to move
ROLLED_EVERY_FOR: Final = timedelta(minutes=10)  # at the latest: a new day begins at another time in every zone
PARENTS_AT_ONCE: Final = 200

Defaults = Mapping[str, Mapping[str, Any]]  # by kind: rules that hold where a watch says nothing


def expansion_of(watch: Watch, kinds: Mapping[str, AnyKind], defaults: Defaults, *, at: datetime) -> Expansion | None:
    """The buckets that a watch should have now; None for one that is checked itself. UsageError: its rules make none."""
    kind = kinds[watch.kind]
    rules = msgspec.convert({**defaults.get(watch.kind, {}), **watch.rules}, kind.rules)
    buckets = kind.expand(watch, rules, at=at) if isinstance(kind, Expands) else None
    if buckets is None:
        return None
    soonest = min((bucket.retires_at for bucket in buckets), default=at + ROLLED_EVERY_FOR)
    scope = scope_of(kind, watch.id, watch.url, rules)
    return Expansion(buckets=buckets, scope=scope, next_at=min(soonest, at + ROLLED_EVERY_FOR))


class Expander:
    """Keeps buckets up to date. Several may share one database: what one has done, the next finds done."""

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
        """Move the buckets that have to move, unless that was looked after a moment ago."""
        now = self._clock.monotonic()
        if now < self._next_at:
            return
        self._next_at = now + POLL_EVERY_FOR
        at = self._clock.now()
        while (
            await self._store.expand_due(lambda watch: self._expansion(watch, at), ids=self._ids, at=at, limit=PARENTS_AT_ONCE)
            == PARENTS_AT_ONCE
        ):
            pass

    def _expansion(self, watch: Watch, at: datetime) -> Expansion | None:
        """What the parent's rules make; one whose rules no longer make sense keeps what it has."""
        try:
            return expansion_of(watch, self._kinds, self._defaults, at=at)
        except (KeyError, msgspec.ValidationError, UsageError) as error:
            log.warning("the dates cannot be made", extra={"watch": str(watch.id), "problem": str(error)})
            return None
