"""Why each difference of a run was reported or ignored (law 10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Literal
from uuid import UUID

import msgspec

from driftline.core.diff.rows import Row
from driftline.engine.check.reparse import reread, with_new_state
from driftline.engine.pool import Overrun, Share
from driftline.engine.ports import Store, StoredSnapshot
from driftline.errors import BadRule
from driftline.kinds.kind import AnyKind, Baseline, Rules, Verdict
from driftline.kinds.page.judge.dropped import REASONS
from driftline.model.change import Change, Suppressed
from driftline.model.delta import Delta, Entry
from driftline.model.item import StoredItem
from driftline.model.noise.mask import Mask
from driftline.model.run import Run
from driftline.model.watch import Watch

LISTED_AT_MOST = 500
TOO_LONG = "the full comparison takes too long. These are the differences that the check stored"
SNAPSHOTS_AT_MOST = 1_000


class ExplainedDifference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One difference between two versions: reported or ignored, and why."""

    fate: Literal["kept", "dropped"]
    by: str  # the level that reported it, or the rule that ignored it
    place: str = ""
    before: str = ""
    after: str = ""
    reason: str = ""  # why that rule exists, or how the mask was learned

    @property
    def rule(self) -> str:
        """`by` as shown to users: stored rules keep their old names."""
        return self.by.replace("told with", "reported with")


class JudgedChange(msgspec.Struct, frozen=True, kw_only=True):
    """What the language model said of a change, when it was about to be sent."""

    change: UUID
    headline: str
    notify: bool
    reason: str


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """A run with all its differences and their reasons."""

    run: Run
    differences: tuple[ExplainedDifference, ...]
    compared_again: bool = False  # both bodies were stored: the list is complete, not the run's own excerpt
    note: str = ""
    judged: tuple[JudgedChange, ...] = ()  # where the watch has an intent


async def explain(
    store: Store, share: Share, kind: AnyKind, watch: Watch, rules: Rules, run: Run, masks: Sequence[Mask]
) -> Explanation:
    """The differences of the run, from its row and its changes, and from both bodies if they were stored."""
    changes = await store.changes_of(watch, run.id)
    again, too_slow = None, False
    if kind.traits.one_item:
        try:
            again = await _compare_again(store, share, kind, watch, rules, run, masks)
        except (Overrun, BadRule):
            too_slow = True
    suppressed = run.suppressed if again is None else again
    differences = [*_reported_differences(changes), *(_ignored_difference(one, masks) for one in suppressed)]
    return Explanation(
        run=run,
        differences=tuple(differences[:LISTED_AT_MOST]),
        compared_again=again is not None,
        note=TOO_LONG if too_slow else _note(run, differences, whole=again is not None),
    )


async def _compare_again(
    store: Store, share: Share, kind: AnyKind, watch: Watch, rules: Rules, run: Run, masks: Sequence[Mask]
) -> tuple[Suppressed, ...] | None:
    """What comparing the two bodies ignores; None if they were not both stored. Raises Overrun."""
    pair = await _pair(store, watch, run)
    if pair is None:
        return None
    before, after = [await reread(store, share, kind, watch, rules, one) for one in pair]
    if before is None or after is None or not before.items or not after.items:
        return None
    old, new = with_new_state(pair[0], before.items[0]), after.items[0]
    known = StoredItem(item_id=old.item_id, key=old.key, fingerprint=old.fingerprint, version=old.version, member=True)
    delta: Delta[Any] = Delta(entries=[Entry(observed=new, stored=known)])
    baseline: Baseline[Any] = Baseline(first=False, snapshots={old.key: old})
    weight = sum(len(one.packed.state) + len(one.packed.text or "") for one in pair)
    judge = partial(kind.judge, at=run.started_at)
    verdict: Verdict = await share.compute(max(weight, rules.weight(b"")), judge, baseline, delta, rules, masks)
    return verdict.suppressed


async def _pair(store: Store, watch: Watch, run: Run) -> tuple[StoredSnapshot, StoredSnapshot] | None:
    """The snapshot before the run's own, and the run's own."""
    members = await store.members(watch)
    history = await store.history(members[0].item_id, SNAPSHOTS_AT_MOST) if members else ()
    for newer, older in pairwise(history):
        if newer.run_id == run.id:
            return older, newer
    return None


def _note(run: Run, differences: Sequence[ExplainedDifference], *, whole: bool) -> str:
    if run.status == "failed":
        return "the source could not be read, so nothing was compared. The baseline stays"
    if run.outcome == "baseline":
        return "the first good check. There was nothing to compare it with"
    if not differences:
        return "the watched content is the same"
    if not whole and any(one.fate == "dropped" for one in differences):
        return "these are the differences that the check stored. The page itself was not stored"
    return ""


def _ignored_difference(one: Suppressed, masks: Sequence[Mask]) -> ExplainedDifference:
    evidence = next((mask.evidence for mask in masks if one.rule == f"ignored area {mask.id}"), "")
    reason = evidence or REASONS.get(one.rule, "")
    return ExplainedDifference(fate="dropped", by=one.rule, place=one.place, before=one.before, after=one.after, reason=reason)


def _reported_differences(changes: Sequence[Change]) -> Iterator[ExplainedDifference]:
    """The reported differences, by level where a change has levels."""
    for change in changes:
        levels = (change.diff or {}).get("changes")
        if change.type == "content" and isinstance(levels, Mapping):
            yield from _content_differences(levels, (change.diff or {}).get("rows") or ())
        else:
            yield ExplainedDifference(
                fate="kept",
                by=change.type,
                before=_as_text(change.before),
                after=_as_text(change.after),
                reason=change.headline,
            )


def _content_differences(levels: Mapping[str, Any], rows: Sequence[Any]) -> Iterator[ExplainedDifference]:
    """Title, description, text by lines, images, links and metadata."""
    title = levels.get("title") or {}
    if title.get("changed"):
        yield ExplainedDifference(fate="kept", by="title", before=title.get("before") or "", after=title.get("after") or "")
    for row in msgspec.convert(rows, tuple[Row, ...]):
        if row.action in {"changed", "added", "removed", "moved"}:
            old, new = row.old if row.action != "added" else "", row.new if row.action != "removed" else ""
            yield ExplainedDifference(
                fate="kept", by="text", place=f"line {row.after or row.before}, {row.action}", before=old, after=new
            )
    for key, pair in (levels.get("metadata") or {}).items():
        yield ExplainedDifference(fate="kept", by="metadata", place=key, before=pair["before"] or "", after=pair["after"] or "")
    for level in ("images", "links"):
        yield from _list_differences(level, levels.get(level) or {})
        for role in ("navigation", "pagination"):
            yield from _list_differences(level, (levels.get(level) or {}).get(role) or {}, place=role)


def _list_differences(level: str, sides: Mapping[str, Any], place: str = "") -> Iterator[ExplainedDifference]:
    for url in sides.get("added") or ():
        yield ExplainedDifference(fate="kept", by=level, place=place, after=url)
    for url in sides.get("removed") or ():
        yield ExplainedDifference(fate="kept", by=level, place=place, before=url)


def _as_text(side: dict[str, Any] | None) -> str:
    return "" if side is None else ", ".join(f"{name}: {value}" for name, value in side.items() if value is not None)
