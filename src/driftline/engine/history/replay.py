"""Repeats detection over stored snapshots with other rules: what would have been reported, next to what was. Writes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Literal
from uuid import UUID

import msgspec

from driftline.core.identity.fingerprint import recipe as recipe_of
from driftline.engine.check.reparse import reread, unpack, with_new_state
from driftline.engine.pool import Overrun, Share
from driftline.engine.ports import Ids, Store, StoredSnapshot
from driftline.errors import BadRule, Refused, StoreCorrupt
from driftline.kinds.kind import AnyKind, Baseline, Hint, Reading, Rules, Verdict
from driftline.model.account import Features
from driftline.model.change import Change, Finding, Suppressed
from driftline.model.delta import Delta, Entry
from driftline.model.item import Observed, SnapshotState, StoredItem
from driftline.model.noise.flapping import Place
from driftline.model.noise.mask import Mask
from driftline.model.run import Outcome
from driftline.model.watch import Watch
from driftline.policy import flapping

SNAPSHOTS_AT_MOST = 1_000  # the latest version are replayed
_ALL_FEATURES = Features()


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """A stored version, judged with the other rules."""

    version: int
    snapshot_id: UUID
    run_id: UUID
    item_id: UUID
    at: datetime
    outcome: Outcome | Literal["unknown"]  # unknown: it cannot be compared with the version before
    reason: str | None = None
    reported: tuple[Change, ...] = ()  # as it was
    would_report: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the report would have been different."""
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
    replaying = _Replay(share, kind, rules, masks, same_recipe=recipe_of(kind.name, kind.version, rules) == watch.recipe)
    rows: list[Replayed] = []
    for snapshot in stored:
        try:
            row = await replaying.play(
                snapshot, await reread(store, share, kind, watch, rules, snapshot, hint=replaying.hint())
            )
        except Overrun as error:
            row = _row(snapshot, "unknown", reason=f"reading it {error}")
        except BadRule as error:
            row = _row(snapshot, "error", reason=error.message)
        was = [change for change in await store.changes_of(watch, snapshot.run_id) if change.item_id is not None]
        rows.append(msgspec.structs.replace(row, reported=tuple(was)))
        await asyncio.sleep(0)  # let other tasks run between two versions
    return rows


def as_changes(played: Iterable[Replayed], watch: Watch, ids: Ids) -> list[Change]:
    """What would have been reported, as changes that are not stored."""
    return [
        Change(
            id=ids(),
            org_id=watch.org_id,
            watch_id=watch.id,
            run_id=one.run_id,
            report_id=one.run_id,
            item_id=one.item_id,
            type=found.type,
            severity=found.severity,
            headline=found.headline,
            url=found.url or watch.url,
            before=found.before,
            after=found.after,
            diff=found.diff,
            flags=found.flags,
            next_snapshot_id=one.snapshot_id,
            created_at=one.at,
        )
        for one in played
        for found in one.would_report
    ]


class _Replay:
    """Walks from version to version as a worker would have done."""

    def __init__(self, share: Share, kind: AnyKind, rules: Rules, masks: Sequence[Mask], *, same_recipe: bool) -> None:
        self._share = share
        self._kind = kind
        self._rules = rules
        self._masks = tuple(masks)
        self._same_recipe = same_recipe
        self._latest: SnapshotState[Any] | None = None  # the latest version
        self._places: tuple[Place, ...] = ()
        self._reparsed = False  # whether the latest version was read again from its body

    def hint(self) -> Hint | None:
        """What a worker would have known before it read the next answer."""
        past = self._latest
        if past is None or not self._reparsed:
            return None
        memo = self._kind.pack(past.state, _ALL_FEATURES).memo
        known = StoredItem(
            item_id=past.item_id,
            key=past.key,
            fingerprint=past.fingerprint,
            version=past.version,
            memo=memo,
        )
        return Hint(stored=known, masks=self._masks)

    async def play(self, snapshot: StoredSnapshot, reading: Reading[Any] | None) -> Replayed:
        """Judge one version; the baseline advances as it would have."""
        if reading is None:
            return await self._play_without_body(snapshot)
        if reading.outcome is not None:
            return _row(snapshot, reading.outcome, reason=reading.reason)
        if reading.unchanged or not reading.items:
            return _row(snapshot, "unchanged", suppressed=reading.suppressed)
        item: Observed[Any] = reading.items[0]
        return await self._compare(snapshot, item, with_new_state(snapshot, item), reparsed=True)

    async def _play_without_body(self, snapshot: StoredSnapshot) -> Replayed:
        """Judge the stored state, since there is no body to read with the new rules."""
        try:
            past = unpack(self._kind, snapshot)
        except StoreCorrupt as error:
            return _row(snapshot, "unknown", reason=error.message)
        item = Observed(key=past.key, url="", title="", fingerprint=past.fingerprint, build=lambda: past.state)
        row = await self._compare(snapshot, item, past, reparsed=False)
        reason = None if self._same_recipe else "its body was not stored: read with the old rules, compared with the new ones"
        return msgspec.structs.replace(row, reason=row.reason or reason)

    async def _compare(
        self, snapshot: StoredSnapshot, item: Observed[Any], past: SnapshotState[Any], *, reparsed: bool
    ) -> Replayed:
        before = self._latest
        if before is None:
            self._advance(past, reparsed=reparsed)
            return _row(snapshot, "baseline")
        if self._reparsed != reparsed and not self._same_recipe:
            self._advance(past, reparsed=reparsed)
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
        delta: Delta[Any] = Delta(entries=[Entry(observed=item, stored=known)])
        limits = partial(flapping.step, flapping.checked_often(self._places))
        baseline: Baseline[Any] = Baseline(first=False, snapshots={before.key: before}, limits=limits)
        weight = max(2 * len(snapshot.packed.state) + 2 * len(snapshot.packed.text or ""), self._rules.weight(b""))
        judge = partial(self._kind.judge, at=snapshot.at)
        verdict: Verdict = await self._share.compute(weight, judge, baseline, delta, self._rules, self._masks)
        if item.key not in verdict.noise:
            self._advance(past, reparsed=reparsed)
        if verdict.step is not None:
            self._places = verdict.step.places
        outcome: Outcome = "changed" if verdict.findings else "unchanged"
        return _row(snapshot, outcome, would_report=verdict.findings, suppressed=verdict.suppressed)

    def _advance(self, past: SnapshotState[Any], *, reparsed: bool) -> None:
        self._latest = past
        self._reparsed = reparsed


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
        snapshot_id=snapshot.snapshot_id,
        run_id=snapshot.run_id,
        item_id=snapshot.item_id,
        at=snapshot.at,
        outcome=outcome,
        reason=reason,
        would_report=would_report,
        suppressed=suppressed,
    )
