"""Detection run again over stored snapshots with other rules: what would have been told, beside what was. Writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec

from driftline.core.fingerprint import recipe as recipe_of
from driftline.engine.judging import HISTORY
from driftline.engine.ports import Store, StoredPast
from driftline.engine.rereading import as_past, reread, unpacked
from driftline.errors import Refused, StoreCorrupt
from driftline.kinds.kind import AnyKind, Baseline, Hint, Reading, Rules
from driftline.model.account import Features
from driftline.model.change import Change, Finding, Suppressed
from driftline.model.delta import Delta, Entry
from driftline.model.item import Known, Mask, Observed, Past
from driftline.model.run import Outcome
from driftline.model.watch import Watch

SNAPSHOTS_AT_MOST = 1_000  # the newest are replayed
_EVERYTHING = Features()


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """One stored version under the other rules."""

    version: int
    at: datetime
    outcome: Outcome | Literal["unknown"]  # unknown: it cannot be compared with the version before
    reason: str | None = None
    told: tuple[Change, ...] = ()  # as it was
    would_tell: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether somebody would have heard who did not, or the other way round."""
        return {change.type for change in self.told if not change.flags.get("muted")} != {
            finding.type for finding in self.would_tell if not finding.flags.get("muted")
        }


async def replay(store: Store, kind: AnyKind, watch: Watch, rules: Rules, masks: Sequence[Mask]) -> list[Replayed]:
    """Every stored version of the watch's page, oldest first, judged with `rules` against the one before."""
    if not kind.singular:
        raise Refused("only pages can be replayed", kind=kind.name, hint="its snapshots hold no answers to read again")
    members = await store.members(watch)
    stored = list(reversed(await store.history(members[0].item_id, SNAPSHOTS_AT_MOST))) if members else []
    player = _Player(kind, rules, masks, same_recipe=recipe_of(kind.name, kind.version, rules) == watch.recipe)
    played: list[Replayed] = []
    for snapshot in stored:
        reading = await reread(store, kind, watch, rules, snapshot, hint=player.hint())
        was = [change for change in await store.changes_of(watch, snapshot.run_id) if change.item_id is not None]
        played.append(msgspec.structs.replace(player.play(snapshot, reading), told=tuple(was)))
    return played


class _Player:
    """Walks from version to version as a worker would have walked."""

    def __init__(self, kind: AnyKind, rules: Rules, masks: Sequence[Mask], *, same_recipe: bool) -> None:
        self._kind = kind
        self._rules = rules
        self._masks = tuple(masks)
        self._same_recipe = same_recipe
        self._past: list[Past[Any]] = []  # newest first
        self._read_anew = False  # whether the newest one was

    def hint(self) -> Hint | None:
        """What a worker would have known before it read the next answer."""
        if not self._past or not self._read_anew:
            return None
        past = self._past[0]
        memo = self._kind.pack(past.state, _EVERYTHING).memo
        known = Known(
            item_id=past.item_id,
            key=past.key,
            fingerprint=past.fingerprint,
            version=past.version,
            memo=memo,
        )
        return Hint(known=known, masks=self._masks)

    def play(self, snapshot: StoredPast, reading: Reading[Any] | None) -> Replayed:
        """One version; the baseline moves as it would have moved."""
        if reading is None:
            return self._play_stored(snapshot)
        if reading.outcome is not None:
            return _row(snapshot, reading.outcome, reason=reading.reason)
        if reading.unchanged or not reading.items:
            return _row(snapshot, "unchanged", suppressed=reading.suppressed)
        item: Observed[Any] = reading.items[0]
        return self._compare(snapshot, item, as_past(snapshot, item), read_anew=True)

    def _play_stored(self, snapshot: StoredPast) -> Replayed:
        """Without a body: the state as it was read then, which other ways of reading cannot change any more."""
        try:
            past = unpacked(self._kind, snapshot)
        except StoreCorrupt as error:
            return _row(snapshot, "unknown", reason=error.message)
        item = Observed(key=past.key, url="", title="", fingerprint=past.fingerprint, build=lambda: past.state)
        played = self._compare(snapshot, item, past, read_anew=False)
        reason = None if self._same_recipe else "its body was not kept: read with the rules of then, judged with these"
        return msgspec.structs.replace(played, reason=played.reason or reason)

    def _compare(self, snapshot: StoredPast, item: Observed[Any], past: Past[Any], *, read_anew: bool) -> Replayed:
        if not self._past:
            self._move(past, read_anew=read_anew)
            return _row(snapshot, "baseline")
        before = self._past[0]
        if self._read_anew != read_anew and not self._same_recipe:
            self._move(past, read_anew=read_anew)
            return _row(snapshot, "unknown", reason="only one of the two bodies was kept; the baseline is taken anew")
        if before.fingerprint == item.fingerprint:
            return _row(snapshot, "unchanged")
        known = Known(
            item_id=before.item_id,
            key=before.key,
            fingerprint=before.fingerprint,
            version=before.version,
            member=True,
        )
        delta: Delta[Any] = Delta(entries=[Entry(observed=item, known=known)])
        baseline: Baseline[Any] = Baseline(first=False, past={before.key: before}, history=tuple(self._past))
        verdict = self._kind.judge(baseline, delta, self._rules, self._masks, at=snapshot.at)
        if item.key not in verdict.noise:
            self._move(past, read_anew=read_anew)
        outcome: Outcome = "changed" if verdict.findings else "unchanged"
        return _row(snapshot, outcome, would_tell=verdict.findings, suppressed=verdict.suppressed)

    def _move(self, past: Past[Any], *, read_anew: bool) -> None:
        self._past = [past, *self._past[: HISTORY - 1]]
        self._read_anew = read_anew


def _row(
    snapshot: StoredPast,
    outcome: Outcome | Literal["unknown"],
    *,
    reason: str | None = None,
    would_tell: tuple[Finding, ...] = (),
    suppressed: tuple[Suppressed, ...] = (),
) -> Replayed:
    return Replayed(
        version=snapshot.version,
        at=snapshot.at,
        outcome=outcome,
        reason=reason,
        would_tell=would_tell,
        suppressed=suppressed,
    )
