"""Fetches again before a change is reported: what differs between two answers seconds apart is noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from driftline.core.text.time_text import duration_text
from driftline.engine.check.context import Context
from driftline.engine.check.judging import JudgedReading
from driftline.engine.check.observe import Observation, Visit, observe
from driftline.engine.pool import Share
from driftline.engine.ports import Clock, Fetcher
from driftline.kinds.kind import AnyKind, Hint, Learns
from driftline.model.item import Observed
from driftline.model.noise.mask import Mask
from driftline.model.watch import Validators
from driftline.policy.confirmation import FURTHER_FETCHES, Doubt, doubt_of, doubted_lately


class Confirmation:
    """Fetches again and lets the kind learn what the answers disagree on. Keeps no state."""

    def __init__(
        self,
        *,
        fetcher: Fetcher,
        clock: Clock,
        after: float,  # seconds between two fetches
        share: Callable[[Context], Share],
        hint_of: Callable[[AnyKind, Observed[Any], Context], Hint],
    ) -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._after = after
        self._share = share
        self._hint_of = hint_of

    async def calibrate(self, context: Context, kind: AnyKind, seen: Observation) -> tuple[Mask, ...]:
        """On the first good run: fetch twice more, and learn everything that differs as noise."""
        reading = seen.reading
        if not _confirms(context, kind) or not context.first or reading.outcome or not reading.items:
            return ()
        one, learned = reading.items[0], dict[str, tuple[Mask, ...]]()
        await self._clock.sleep(self._after)
        for _ in range(FURTHER_FETCHES):
            if (again := await self._fetch_again(context, kind, seen)) is None:
                continue
            fresh = await self._learn(context, kind, seen, one.state, again.state)
            for place in {mask.place for mask in fresh} - learned.keys():
                learned[place] = tuple(mask for mask in fresh if mask.place == place)
        return tuple(mask for masks in learned.values() for mask in masks)

    async def doubt(self, context: Context, kind: AnyKind, seen: Observation, judged: JudgedReading) -> Doubt:
        """Before a report: fetch again. What differs both from before and from a moment ago changes on its own."""
        if not judged.verdict.findings or not _confirms(context, kind) or not isinstance(kind, Learns):
            return Doubt()
        one, known, at = seen.reading.items[0], context.claim.masks, context.started_at
        if (past := judged.snapshots.get(one.key)) is None:
            return Doubt()
        await self._clock.sleep(self._after)
        again = await self._fetch_again(context, kind, seen)
        if again is None and doubted_lately(known, at=at):
            again = await self._fetch_again(context, kind, seen)
        if again is None:
            return Doubt()
        differs_now = await self._learn(context, kind, seen, one.state, again.state)
        differs_before = await self._learn(context, kind, seen, past.state, again.state) if differs_now else ()
        held = await self._compute(context, seen, partial(kind.hold, at=at), past.state, one.state, again.state)
        return doubt_of(differs_now, (mask.place for mask in differs_before), held, known, at=at)

    def masks_of(self, doubt: Doubt) -> tuple[Mask, ...]:
        """What is stored of a doubt: learned noise, and places that were as before again."""
        evidence = f"changed back {self._after:g} s later"
        return (*doubt.learned, *(mask.doubted(evidence) for mask in doubt.held))

    async def _fetch_again(self, context: Context, kind: AnyKind, seen: Observation) -> Observed[Any] | None:
        """The item fetched once more, if it differs."""
        item = seen.reading.items[0]
        known = Validators(body_hash=seen.validators.body_hash)  # the same bytes are not read twice; nobody asks for a 304
        visit = Visit(
            fetcher=context.meter.counting(self._fetcher),
            pool=self._share(context),
            kind=kind,
            watch=msgspec.structs.replace(context.watch, validators=known),
            rules=context.rules,
            hint=self._hint_of(kind, item, context),
            shortcuts=True,
        )
        again = await observe(visit, rendered=seen.rendered, at=context.started_at)
        if again.reading.outcome or again.reading.unchanged or not again.reading.items:
            return None
        other = again.reading.items[0]
        return None if other.fingerprint == item.fingerprint else other

    async def _learn(self, context: Context, kind: AnyKind, seen: Observation, one: object, other: object) -> Sequence[Mask]:
        if not isinstance(kind, Learns):
            return ()
        apart = f" {duration_text(self._after)} apart" if self._after >= 1 else ""
        evidence = f"differed between two fetches{apart}"
        learn = partial(kind.learn, evidence=evidence, at=context.started_at)
        return await self._compute(context, seen, learn, one, other, context.rules)

    async def _compute(
        self, context: Context, seen: Observation, call: Callable[..., Sequence[Mask]], *args: object
    ) -> Sequence[Mask]:
        return await self._share(context).compute(seen.weight, call, *args)


def _confirms(context: Context, kind: AnyKind) -> bool:
    return context.rules.calibrate and kind.traits.one_item
