"""Why a run told what it told: each difference with the rule that dropped it or the level that kept it (law 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from itertools import pairwise
from typing import Any, Literal

import msgspec

from driftline.core import noise
from driftline.core.diff_rows import Row
from driftline.core.text import fold
from driftline.engine.ports import Store, StoredPast
from driftline.engine.rereading import as_past, reread
from driftline.kinds.kind import AnyKind, Baseline, Rules
from driftline.kinds.page.noted import RAW
from driftline.model.change import Change, Suppressed
from driftline.model.delta import Delta, Entry
from driftline.model.item import Known, Mask
from driftline.model.run import Run
from driftline.model.watch import Watch

LISTED_AT_MOST = 500
SNAPSHOTS_AT_MOST = 1_000
_REASONS = {rule.name: rule.reason for rule in noise.RULES} | {
    "title-case": "only letter case or spaces of the title differ",
    "noise in metadata": "the same without its noise",
    "writing": "the same in other signs: quotes, dashes, accents or spaces",
    "trigger_text did not match": "the watch wants only changes in which certain words come or go",
    "address": "the same address without tracking and cache-busting parameters",
    "metadata": "only metadata that carries no content differs",
    "attribute": "an attribute or address that reads the same, or that nobody sees",
    "invisible": "differs, and reads the same",
}


class Difference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One difference between two versions, and what became of it."""

    fate: Literal["kept", "dropped"]
    by: str  # the level that kept it, or the rule that dropped it
    place: str = ""
    before: str = ""
    after: str = ""
    reason: str = ""  # why that rule is there, or what taught the mask


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """A run, explained."""

    run: Run
    differences: tuple[Difference, ...]
    compared_again: bool = False  # both bodies were kept: the list is whole, not the run's own excerpt
    note: str = ""


async def explain(store: Store, kind: AnyKind, watch: Watch, rules: Rules, run: Run, masks: Sequence[Mask]) -> Explanation:
    """What the run compared, from its own row, its changes, and the two bodies where they were kept."""
    changes = await store.changes_of(watch, run.id)
    again = await _compared_again(store, kind, watch, rules, run, masks) if kind.singular else None
    suppressed = run.suppressed if again is None else again
    if any(one.rule == RAW for one in suppressed):
        lines = await _lines_before(store, watch, run)
        suppressed = tuple(_named(one, lines) if one.rule == RAW else one for one in suppressed)
    differences = [*_kept(changes), *(_dropped(one, masks) for one in suppressed)]
    return Explanation(
        run=run,
        differences=tuple(differences[:LISTED_AT_MOST]),
        compared_again=again is not None,
        note=_note(run, differences, whole=again is not None),
    )


async def _compared_again(
    store: Store, kind: AnyKind, watch: Watch, rules: Rules, run: Run, masks: Sequence[Mask]
) -> tuple[Suppressed, ...] | None:
    """What comparing the run's body with the one before drops; None where there are not two bodies."""
    pair = await _pair(store, watch, run)
    if pair is None:
        return None
    before, after = [await reread(store, kind, watch, rules, one) for one in pair]
    if before is None or after is None or not before.items or not after.items:
        return None
    old, new = as_past(pair[0], before.items[0]), after.items[0]
    known = Known(item_id=old.item_id, key=old.key, fingerprint=old.fingerprint, version=old.version, member=True)
    delta: Delta[Any] = Delta(entries=[Entry(observed=new, known=known)])
    baseline: Baseline[Any] = Baseline(first=False, past={old.key: old}, history=(old,))
    return kind.judge(baseline, delta, rules, masks, at=run.started_at).suppressed


async def _pair(store: Store, watch: Watch, run: Run) -> tuple[StoredPast, StoredPast] | None:
    """The snapshot that the run wrote, and the one before it."""
    members = await store.members(watch)
    history = await store.history(members[0].item_id, SNAPSHOTS_AT_MOST) if members else ()
    for newer, older in pairwise(history):
        if newer.run_id == run.id:
            return older, newer
    return None


def _note(run: Run, differences: Sequence[Difference], *, whole: bool) -> str:
    if run.status == "failed":
        return "the answer could not be read, so nothing was compared and the baseline stays"
    if run.outcome == "baseline":
        return "the first good answer; there was nothing to compare it with"
    if not differences:
        return "the answer was the same, or differed in nothing that is looked at"
    if not whole and any(one.fate == "dropped" for one in differences):
        return "dropped differences are those that the run kept note of; the answer itself was not stored"
    return ""


def _dropped(one: Suppressed, masks: Sequence[Mask]) -> Difference:
    evidence = next((mask.evidence for mask in masks if one.rule == f"mask {mask.id}"), "")
    reason = evidence or _REASONS.get(one.rule, "")
    return Difference(fate="dropped", by=one.rule, place=one.place, before=one.before, after=one.after, reason=reason)


def _named(one: Suppressed, lines: Mapping[str, str]) -> Suppressed:
    """A raw difference with the rule that dropped it: a text, or a tag with the text behind it."""
    tag, end, behind = one.after.partition(">") if one.after.startswith("<") else ("", "", one.after)
    text = fold(unescape(behind))
    found, (canonical, role) = noise.explain(text), noise.canonical(text)
    if not found and not (text and role):
        return Suppressed(rule="attribute" if tag else "invisible", after=one.after)
    rule = found[0][0].name if found else "counter" if role & noise.COUNT else "updated-at"
    before = lines.get(canonical, "") if found else ""
    return Suppressed(rule=rule, place=f"{tag}{end}", before=before if before != text else "", after=text)


async def _lines_before(store: Store, watch: Watch, run: Run) -> Mapping[str, str]:
    """The lines of the snapshot that the run was compared with, by what they are without noise; those that are the only one."""
    members = await store.members(watch)
    stored = await store.past([member.item_id for member in members], started_at=run.started_at, run_id=run.id)
    lines = [line for past in stored.values() for line in (past.packed.text or "").split("\n")]
    canonical = [noise.canonical(line).text for line in lines]
    counts = Counter(canonical)
    return {key: line for key, line in zip(canonical, lines, strict=True) if counts[key] == 1}


def _kept(changes: Sequence[Change]) -> Iterator[Difference]:
    """What was told, level by level where a change has levels."""
    for change in changes:
        levels = (change.diff or {}).get("changes")
        if change.type == "content" and isinstance(levels, Mapping):
            yield from _levels(levels, (change.diff or {}).get("rows") or ())
        else:
            yield Difference(
                fate="kept", by=change.type, before=_said(change.before), after=_said(change.after), reason=change.headline
            )


def _levels(levels: Mapping[str, Any], rows: Sequence[Any]) -> Iterator[Difference]:
    """Title, description, text by lines, images, links and metadata."""
    title = levels.get("title") or {}
    if title.get("changed"):
        yield Difference(fate="kept", by="title", before=title.get("before") or "", after=title.get("after") or "")
    for row in msgspec.convert(rows, tuple[Row, ...]):
        if row.action in {"changed", "added", "removed", "moved"}:
            old, new = row.old if row.action != "added" else "", row.new if row.action != "removed" else ""
            yield Difference(
                fate="kept", by="text", place=f"line {row.after or row.before}, {row.action}", before=old, after=new
            )
    for key, pair in (levels.get("metadata") or {}).items():
        yield Difference(fate="kept", by="metadata", place=key, before=pair["before"] or "", after=pair["after"] or "")
    for level in ("images", "links"):
        yield from _listed(level, levels.get(level) or {})
        for role in ("navigation", "pagination"):
            yield from _listed(level, (levels.get(level) or {}).get(role) or {}, place=role)


def _listed(level: str, sides: Mapping[str, Any], place: str = "") -> Iterator[Difference]:
    for url in sides.get("added") or ():
        yield Difference(fate="kept", by=level, place=place, after=url)
    for url in sides.get("removed") or ():
        yield Difference(fate="kept", by=level, place=place, before=url)


def _said(side: dict[str, Any] | None) -> str:
    return "" if side is None else ", ".join(f"{name}: {value}" for name, value in side.items() if value is not None)
