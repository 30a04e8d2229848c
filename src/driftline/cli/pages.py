"""Commands that look behind a page's changes: noise, reasons, other rules, and what is thrown away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import msgspec
import typer

from driftline.cli.options import Json, RulesFile, Select
from driftline.cli.output import ago, change_document, console, emit, stamp, table
from driftline.errors import Ambiguous, NotFound

if TYPE_CHECKING:
    from driftline.engine.explain import Explanation
    from driftline.engine.replay import Replayed
    from driftline.model.item import Mask
    from driftline.model.watch import Watch
    from driftline.store.session import OrgData

WatchRef = Annotated[str, typer.Argument(metavar="WATCH", help="Name, id, or the end of an id.")]
SHOWN = 70  # characters of a side in a table


def masks(
    watch: WatchRef,
    remove: Annotated[
        list[str] | None,
        typer.Option("--remove", metavar="ID", help="Forget this mask, by the end of its id; may be repeated."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the noise that was learned on a watch, with its evidence, or forget some of it."""
    from driftline.wiring import opened

    def work(data: OrgData) -> list[Mask]:
        watch_id = data.watches.get(watch).id
        for reference in remove or ():
            data.masks.remove(_one_mask(data.masks.of(watch_id), reference))
        return data.masks.of(watch_id)

    with opened() as app:
        found = app.write(work) if remove else app.read(work)
        now = app.clock.now()
    if as_json:
        emit([{**msgspec.to_builtins(mask), "id": mask.id, "learned_at": stamp(mask.learned_at)} for mask in found])
        return
    rows = [
        (mask.id.hex[-8:] if mask.id else "-", mask.place, _short(mask.skeleton), mask.evidence, ago(mask.learned_at, now=now))
        for mask in found
    ]
    table("", ("id", "where", "around it", "why", "learned"), rows, empty="nothing is masked")


def _one_mask(known: Sequence[Mask], reference: str) -> UUID:
    """The mask whose id ends so."""
    suffix = reference.replace("-", "").lower()
    fits = [mask.id for mask in known if mask.id is not None and mask.id.hex.endswith(suffix)]
    if not fits or not suffix:
        raise NotFound("no such mask", ref=reference, hint="driftline masks WATCH lists them")
    if len(fits) > 1:
        raise Ambiguous("more than one mask fits", ref=reference, hint="give the whole id")
    return fits[0]


def explain(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run by the end of its id; a watch stands for its latest run.")],
    as_json: Json = False,
) -> None:
    """Say of each difference that a run saw which rule dropped it, or which level kept it."""
    from driftline.wiring import opened

    with opened() as app:
        found = app.explain(app.read(lambda data: _run_of(data, run)))
        now = app.clock.now()
    if as_json:
        emit(_explanation_document(found))
        return
    screen = console()
    told = found.run.outcome or found.run.status
    screen.print(
        f"{told}, {ago(found.run.started_at, now=now)}{': ' + found.run.reason if found.run.reason else ''}", markup=False
    )
    for one in found.differences:
        sides = " -> ".join(_short(side) for side in (one.before, one.after) if side)
        line = f"  {one.fate:<7}  {one.by}{f' ({one.place})' if one.place else ''}: {sides or one.reason}"
        screen.print(line, style="dim" if one.fate == "dropped" else "", markup=False)
        if one.reason and sides:
            screen.print(f"             {one.reason}", style="dim", markup=False)
    if found.note:
        screen.print(found.note, style="dim", markup=False)


def _run_of(data: OrgData, reference: str) -> Any:
    """The run, or the latest one of the watch that was named."""
    try:
        return data.runs.get(reference)
    except NotFound:
        try:
            watch_id = data.watches.get(reference).id
        except NotFound:
            raise NotFound("no such run", ref=reference, hint="driftline show WATCH lists the runs of a watch") from None
        latest = data.runs.latest(watch_id)
        if latest is None:
            raise NotFound("never checked", watch=reference, hint="driftline check WATCH") from None
        return latest


def _explanation_document(found: Explanation) -> dict[str, Any]:
    return {
        "run": found.run.id,
        "watch": found.run.watch_id,
        "status": found.run.status,
        "outcome": found.run.outcome,
        "reason": found.run.reason,
        "at": stamp(found.run.started_at),
        "compared_again": found.compared_again,
        "note": found.note,
        "differences": found.differences,
    }


def replay(
    watch: WatchRef,
    rules: RulesFile = None,
    select: Select = None,
    as_json: Json = False,
) -> None:
    """Judge the stored versions of a page with other rules: what would have alerted, beside what did. Writes nothing.

    Without --rules and --select the watch's own rules are used. What the rules of then dropped was not stored: it stays unseen.
    """
    from driftline.cli.wishes import rules_from
    from driftline.wiring import opened

    with opened() as app:
        stored = app.read(lambda data: data.watches.get(watch))
        given = rules_from(rules, select) if rules else stored.rules | rules_from(None, select)
        played = app.replay(stored, given)
        now = app.clock.now()
    if as_json:
        emit([_replayed_document(one) for one in played])
        return
    rows = [
        (
            str(one.version),
            ago(one.at, now=now),
            "; ".join(change.headline for change in one.told) or "-",
            "; ".join(finding.headline for finding in one.would_tell)
            or one.outcome + (f": {one.reason}" if one.reason else ""),
            "differs" if one.differs else "",
        )
        for one in played
    ]
    table("", ("version", "when", "was told", "would be told", ""), rows, empty="no versions yet; try: driftline check WATCH")


def _replayed_document(one: Replayed) -> dict[str, Any]:
    return {
        "version": one.version,
        "at": stamp(one.at),
        "outcome": one.outcome,
        "reason": one.reason,
        "told": [change_document(change) for change in one.told],
        "would_tell": [
            {
                "type": finding.type,
                "severity": finding.severity,
                "headline": finding.headline,
                "before": finding.before,
                "after": finding.after,
                "diff": finding.diff,
                "flags": finding.flags,
            }
            for finding in one.would_tell
        ],
        "differs": one.differs,
    }


def rebaseline(
    watches: Annotated[list[str], typer.Argument(metavar="WATCH...", help="Name, id, or the end of an id.")],
    as_json: Json = False,
) -> None:
    """Take the next answer of watches as it comes: whatever changed until then is not told."""
    from driftline.wiring import opened

    with opened() as app:
        now = app.clock.now()

        def work(data: OrgData) -> list[Watch]:
            found = [data.watches.get(reference) for reference in watches]
            for one in found:
                data.watches.rebaseline(one.id, next_due_at=None if one.paused_at or one.retired_at else now)
            return found

        found = app.write(work)
    if as_json:
        emit([{"watch": one.id, "name": one.name} for one in found])
        return
    for one in found:
        console().print(f"the next check of {one.name} is a baseline", markup=False)


def prune(
    older_than: Annotated[
        str | None, typer.Option("--older-than", help="Also snapshots older than this, e.g. 30d, whatever their plan says.")
    ] = None,
    keep: Annotated[int | None, typer.Option("--keep", min=1, help="Also all but this many snapshots of each item.")] = None,
    size: Annotated[
        str | None, typer.Option("--bytes", help="Also the oldest snapshots until all fit, e.g. 500M or 2G.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Throw away what has expired: snapshots, then changes and bodies that nothing refers to, and old runs that told nothing.

    The latest snapshot of an item stays, and so does what a delivery on its way needs. Workers do this every night.
    """
    from driftline.policy.every import parse_span
    from driftline.policy.retention import Limits, parse_bytes
    from driftline.wiring import opened

    with opened() as app:
        usual = app.limits()
        limits = Limits(
            older_than_for=parse_span(older_than, "--older-than") if older_than else usual.older_than_for,
            versions=keep or usual.versions,
            max_bytes=parse_bytes(size) if size else usual.max_bytes,
        )
        gone = app.prune(limits)
    if as_json:
        emit(msgspec.to_builtins(gone))
        return
    bodies = f"{gone.blobs} bodies of {gone.blob_bytes} bytes"
    told = f"gone: {gone.snapshots} snapshots, {gone.changes} changes, {gone.runs} runs, {bodies}"
    console().print(told if gone else "nothing to throw away", markup=False)


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= SHOWN else f"{one_line[: SHOWN - 1]}…"


COMMANDS = (masks, explain, replay, rebaseline, prune)
