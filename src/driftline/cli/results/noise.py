"""Commands about noise: ignored areas, explanations, replays with other rules, new baselines, cleaning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import msgspec
import typer

from driftline.cli.options import Json, RulesFile, Select
from driftline.cli.output import ago, change_document, console, emit, stamp, table
from driftline.errors import Ambiguous, NotFound

if TYPE_CHECKING:
    from driftline.engine.history.explain import Explanation
    from driftline.engine.history.replay import Replayed
    from driftline.model.noise.mask import Mask
    from driftline.model.watch import Watch
    from driftline.store.session import OrgData

WatchRef = Annotated[str, typer.Argument(metavar="WATCH", help="Name, id, or the end of an id.")]
SHOWN = 70  # characters of a side in a table
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FATES = {"dropped": "ignored", "kept": "reported"}  # as people read them


def masks(
    watch: WatchRef,
    remove: Annotated[
        list[str] | None,
        typer.Option("--remove", metavar="ID", help="Stop ignoring this area, by the end of its id; may be repeated."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the ignored areas of a watch and why they are ignored, or remove some."""
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
    table("", ("id", "where", "text", "why", "since"), rows, empty="No ignored areas")


def noise(
    change: Annotated[str, typer.Argument(metavar="CHANGE", help="A change by its id, or the end of it.")],
    yes: Annotated[bool, typer.Option("--yes", help="Ignore it from now on instead of only showing it.")] = False,
    as_json: Json = False,
) -> None:
    """Show what marking a change as noise would hide, and with --yes do so.

    What cannot be ignored automatically is listed with patterns for the rule ignore_text.
    """
    from driftline.web.feedback import ChangeFeedback
    from driftline.wiring import opened
    from driftline.wiring.loop import run_loop

    with opened() as app:
        change_id = app.read(lambda data: data.changes.get(change)).change.id
        feedback = ChangeFeedback(app)
        found = run_loop(lambda: feedback.preview(change_id))
        masks = run_loop(lambda: feedback.noise(change_id)) if yes else 0
    if as_json:
        emit({"masks": masks, **msgspec.to_builtins(found)})
        return
    screen = console()
    for title, some in (("Ignored from now on" if yes else "Would be ignored", found.hidden), ("Still reported", found.left)):
        screen.print(f"{title}: {len(some)}", markup=False)
        for one in some:
            screen.print(f"  {' -> '.join(_short(side) or '(nothing)' for side in (one.before, one.after))}", markup=False)
    for pattern in found.ignore_text:
        screen.print(f"ignore_text: {pattern}", style="dim", markup=False)


def _one_mask(known: Sequence[Mask], reference: str) -> UUID:
    """The mask whose id ends with the reference."""
    suffix = reference.replace("-", "").lower()
    fits = [mask.id for mask in known if mask.id is not None and mask.id.hex.endswith(suffix)]
    if not fits or not suffix:
        raise NotFound("no such ignored area", ref=reference, hint="run: driftline masks WATCH")
    if len(fits) > 1:
        raise Ambiguous("more than one ignored area matches", ref=reference, hint="give the full id")
    return fits[0]


def explain(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run by the end of its id, or a watch for its latest run.")],
    as_json: Json = False,
) -> None:
    """Show why each difference was reported or ignored."""
    from driftline.wiring import opened

    with opened() as app:
        found = app.explain(app.read(lambda data: _run_of(data, run)))
        now = app.clock.now()
    if as_json:
        emit(_explanation_document(found))
        return
    screen = console()
    outcome = found.run.outcome or found.run.status
    screen.print(
        f"{outcome}, {ago(found.run.started_at, now=now)}{': ' + found.run.reason if found.run.reason else ''}", markup=False
    )
    for one in found.differences:
        sides = " -> ".join(_short(side) for side in (one.before, one.after) if side)
        rule = _UUID.sub(lambda found: found[0][-8:], one.rule)  # as `driftline masks` lists ids
        line = f"  {_FATES[one.fate]:<8}  {rule}{f' ({one.place})' if one.place else ''}: {sides or one.reason}"
        screen.print(line, style="dim" if one.fate == "dropped" else "", markup=False)
        if one.reason and sides:
            screen.print(f"              {one.reason}", style="dim", markup=False)
    for judged in found.judged:
        verdict = "sent" if judged.notify else "held back"
        screen.print(f"  {verdict} by the language model: {judged.headline}", markup=False)
        screen.print(f"              {judged.reason}", style="dim", markup=False)
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
            raise NotFound("no such run", ref=reference, hint="run: driftline show WATCH") from None
        latest = data.runs.latest(watch_id)
        if latest is None:
            raise NotFound("not checked yet", watch=reference, hint="run: driftline check WATCH") from None
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
        "judged": found.judged,
    }


def replay(
    watch: WatchRef,
    rules: RulesFile = None,
    select: Select = None,
    as_json: Json = False,
) -> None:
    """Show what other rules would have reported for the stored versions of a page. Changes nothing.

    Without --rules and --select the rules of the watch are used. Text that the old rules ignored was not stored.
    """
    from driftline.cli.watching.watch_args import rules_from
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
            "; ".join(change.headline for change in one.reported) or "-",
            "; ".join(finding.headline for finding in one.would_report)
            or one.outcome + (f": {one.reason}" if one.reason else ""),
            "differs" if one.differs else "",
        )
        for one in played
    ]
    table(
        "",
        ("version", "when", "was reported", "would be reported", ""),
        rows,
        empty="No versions yet. Try: driftline check WATCH",
    )


def _replayed_document(one: Replayed) -> dict[str, Any]:
    return {
        "version": one.version,
        "at": stamp(one.at),
        "outcome": one.outcome,
        "reason": one.reason,
        "told": [change_document(change) for change in one.reported],
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
            for finding in one.would_report
        ],
        "differs": one.differs,
    }


def rebaseline(
    watches: Annotated[list[str], typer.Argument(metavar="WATCH...", help="Name, id, or the end of an id.")],
    as_json: Json = False,
) -> None:
    """Accept watches as they are at the next check. Changes until then are not reported."""
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
        console().print(f"{one.name}: the next check is the new baseline", markup=False)


def prune(
    older_than: Annotated[
        str | None, typer.Option("--older-than", help="Also versions older than this, e.g. 30d, whatever the plan says.")
    ] = None,
    keep: Annotated[int | None, typer.Option("--keep", min=1, help="Keep only this many versions of each item.")] = None,
    size: Annotated[
        str | None, typer.Option("--bytes", help="Also the oldest versions until all fit into this size, e.g. 500M or 2G.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Remove expired data: versions, changes and bodies that are no longer used, and old runs without a report.

    The latest version of an item stays, and so does what a pending delivery needs. Workers do this every night.
    """
    from driftline.policy.retention import RetentionLimits, parse_bytes
    from driftline.policy.schedule.every import parse_span
    from driftline.wiring import opened

    with opened() as app:
        usual = app.limits()
        limits = RetentionLimits(
            older_than_for=parse_span(older_than, "--older-than") if older_than else usual.older_than_for,
            versions=keep or usual.versions,
            max_bytes=parse_bytes(size) if size else usual.max_bytes,
        )
        gone = app.prune(limits)
    if as_json:
        emit(msgspec.to_builtins(gone))
        return
    bodies = f"{gone.blobs} bodies of {gone.blob_bytes} bytes"
    removed = f"removed: {gone.snapshots} versions, {gone.changes} changes, {gone.runs} runs, {bodies}"
    console().print(removed if gone else "Nothing to remove", markup=False)


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= SHOWN else f"{one_line[: SHOWN - 1]}…"


COMMANDS = (masks, noise, explain, replay, rebaseline, prune)
