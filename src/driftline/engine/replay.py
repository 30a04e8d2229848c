"""Detection again over stored snapshots with other rules: what would have been reported, beside what was. Writes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any, Literal

import msgspec

from driftline.core.identity.fingerprint import recipe as recipe_of
from driftline.engine.check.reparse import as_snapshot_state, reread, unpacked
from driftline.engine.pool import Overrun, Share
from driftline.engine.ports import Store, StoredSnapshot
from driftline.errors import BadRule, Refused, StoreCorrupt
from driftline.kinds.kind import AnyKind, Baseline, Hint, Reading, Rules, Verdict
from driftline.model.account import Features
from driftline.model.change import Change, Finding, Suppressed
from driftline.model.delta import Delta, Entry
from driftline.model.flapping import Place
from driftline.model.item import Observed, SnapshotState, StoredItem
from driftline.model.mask import Mask
from driftline.model.run import Outcome
from driftline.model.watch import Watch
from driftline.policy import flapping

SNAPSHOTS_AT_MOST = 1_000  # the newest are replayed
_EVERYTHING = Features()


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """A stored version, compared with the other rules."""

    version: int
    at: datetime
    outcome: Outcome | Literal["unknown"]  # unknown: it cannot be compared with the version before
    reason: str | None = None
    reported: tuple[Change, ...] = ()  # as it was
    would_report: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether somebody would have heard who did not, or the other way round."""
        return {change.type for change in self.reported if not change.flags.get("muted")} != {
            finding.type for finding in self.would_report if not finding.flags.get("muted")
        }


async def replay(
    store: Store, share: Share, kind: AnyKind, watch: Watch, rules: Rules, masks: Sequence[Mask]
) -> list[Replayed]:
    """Every stored version of the watch's page, oldest first, judged with `rules` against the one before."""
    if not kind.traits.one_item:
        raise Refused("only pages can be replayed", kind=kind.name, hint="give a watch of kind page")
    members = await store.members(watch)
    stored = list(reversed(await store.history(members[0].item_id, SNAPSHOTS_AT_MOST))) if members else []
    player = _Player(share, kind, rules, masks, same_recipe=recipe_of(kind.name, kind.version, rules) == watch.recipe)
    played: list[Replayed] = []
    for snapshot in stored:
        try:
            row = await player.play(snapshot, await reread(store, share, kind, watch, rules, snapshot, hint=player.hint()))
        except Overrun as error:
            row = _row(snapshot, "unknown", reason=f"reading it {error}")
        except BadRule as error:
            row = _row(snapshot, "error", reason=error.message)
        was = [change for change in await store.changes_of(watch, snapshot.run_id) if change.item_id is not None]
        played.append(msgspec.structs.replace(row, reported=tuple(was)))
        await asyncio.sleep(0)  # others have their turn between two versions
    return played


class _Player:
    """Walks from version to version as a worker would have walked."""

    def __init__(self, share: Share, kind: AnyKind, rules: Rules, masks: Sequence[Mask], *, same_recipe: bool) -> None:
        self._share = share
        self._kind = kind
        self._rules = rules
        self._masks = tuple(masks)
        self._same_recipe = same_recipe
        self._past: SnapshotState[Any] | None = None  # the newest
        self._places: tuple[Place, ...] = ()
        self._read_anew = False  # whether the newest one was

    def hint(self) -> Hint | None:
        """What a worker would have known before it read the next answer."""
        past = self._past
        if past is None or not self._read_anew:
            return None
        memo = self._kind.pack(past.state, _EVERYTHING).memo
        known = StoredItem(
            item_id=past.item_id,
            key=past.key,
            fingerprint=past.fingerprint,
            version=past.version,
            memo=memo,
        )
        return Hint(known=known, masks=self._masks)

    async def play(self, snapshot: StoredSnapshot, reading: Reading[Any] | None) -> Replayed:
        """One version; the baseline moves as it would have moved."""
        if reading is None:
            return await self._play_stored(snapshot)
        if reading.outcome is not None:
            return _row(snapshot, reading.outcome, reason=reading.reason)
        if reading.unchanged or not reading.items:
            return _row(snapshot, "unchanged", suppressed=reading.suppressed)
        item: Observed[Any] = reading.items[0]
        return await self._compare(snapshot, item, as_snapshot_state(snapshot, item), read_anew=True)

    async def _play_stored(self, snapshot: StoredSnapshot) -> Replayed:
        """Without a body: the state as it was read then, which other ways of reading cannot change any more."""
        try:
            past = unpacked(self._kind, snapshot)
        except StoreCorrupt as error:
            return _row(snapshot, "unknown", reason=error.message)
        item = Observed(key=past.key, url="", title="", fingerprint=past.fingerprint, build=lambda: past.state)
        played = await self._compare(snapshot, item, past, read_anew=False)
        reason = None if self._same_recipe else "its body was not stored: read with the old rules, compared with the new ones"
        return msgspec.structs.replace(played, reason=played.reason or reason)

    async def _compare(
        self, snapshot: StoredSnapshot, item: Observed[Any], past: SnapshotState[Any], *, read_anew: bool
    ) -> Replayed:
        before = self._past
        if before is None:
            self._move(past, read_anew=read_anew)
            return _row(snapshot, "baseline")
        if self._read_anew != read_anew and not self._same_recipe:
            self._move(past, read_anew=read_anew)
            return _row(snapshot, "unknown", reason="only one of the two bodies was stored, so this is a new baseline")
        if before.fingerprint == item.fingerprint:
            return _row(snapshot, "unchanged")
        known = StoredItem(
            item_id=before.item_id,
            key=before.key,
            fingerprint=before.fingerprint,
            version=before.version,
            member=True,
        )
        delta: Delta[Any] = Delta(entries=[Entry(observed=item, known=known)])
        limits = partial(flapping.step, flapping.checked_often(self._places))
        baseline: Baseline[Any] = Baseline(first=False, past={before.key: before}, limits=limits)
        weight = max(2 * len(snapshot.packed.state) + 2 * len(snapshot.packed.text or ""), self._rules.weight(b""))
        judge = partial(self._kind.judge, at=snapshot.at)
        verdict: Verdict = await self._share.compute(weight, judge, baseline, delta, self._rules, self._masks)
        if item.key not in verdict.noise:
            self._move(past, read_anew=read_anew)
        if verdict.step is not None:
            self._places = verdict.step.places
        outcome: Outcome = "changed" if verdict.findings else "unchanged"
        return _row(snapshot, outcome, would_report=verdict.findings, suppressed=verdict.suppressed)

    def _move(self, past: SnapshotState[Any], *, read_anew: bool) -> None:
        self._past = past
        self._read_anew = read_anew


def _row(
    snapshot: StoredSnapshot,
    outcome: Outcome | Literal["unknown"],
    *,
    reason: str | None = None,
    would_report: tuple[Finding, ...] = (),
    suppressed: tuple[Suppressed, ...] = (),
) -> Replayed:
    return Replayed(
        version=snapshot.version,
        at=snapshot.at,
        outcome=outcome,
        reason=reason,
        would_report=would_report,
        suppressed=suppressed,
    )
