"""The command that applies a file of watches, for people who keep them in git."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from driftline.cli.options import Json, read_document
from driftline.cli.output import console, emit
from driftline.errors import BadFile, Refused

if TYPE_CHECKING:
    from uuid import UUID

    from driftline.engine.watch_input import Draft, WatchInput
    from driftline.model.watch import Watch
    from driftline.store.session import OrgData
    from driftline.wiring import App


def apply(
    file: Annotated[
        Path, typer.Argument(help="A YAML file: `watches:` with a list of url, kind, name, every, tags, rules, ...")
    ],
    prune: Annotated[
        bool, typer.Option("--prune", help="Also remove watches that are not in the file, with their history.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done, and change nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Add and change watches as a file says. Watches are matched by name; applying the same file again changes nothing."""
    from driftline.wiring import opened

    watch_inputs = _read(file)
    with opened() as app:
        drafts = {draft.name: draft for draft in map(app.draft, watch_inputs)}
        if len(drafts) < len(watch_inputs):
            raise BadFile("two watches in the file have the same name", file=str(file), hint="give each watch its own name")
        known = {watch.name: watch for watch in app.all_watches() if watch.parent_id is None}
        done = _done(drafts, known, prune=prune)
        if not dry_run:
            _carry_out(app, drafts, known, done)
    for name, action in done.items():
        if as_json:
            emit({"name": name, "action": action, "id": known[name].id if name in known else None})
        elif action != "unchanged":
            console().print(f"{action} {name}", markup=False)
    if not as_json and set(done.values()) <= {"unchanged"}:
        console().print("Nothing to do", markup=False)


def _read(file: Path) -> list[WatchInput]:
    from driftline.core.text.step_texts import read_steps
    from driftline.engine.watch_input import WatchInput
    from driftline.policy.every import parse_every

    content = read_document(file)
    listed = content.get("watches") if isinstance(content, dict) else content
    if not isinstance(listed, list):
        raise BadFile("the file holds no watches", file=str(file), hint="write `watches:` with a list below it")
    watch_inputs: list[WatchInput] = []
    for place, entry in enumerate(listed, start=1):
        values: dict[str, Any] = dict(entry) if isinstance(entry, dict) else {"url": entry}
        schedule = values.pop("schedule", None) or {}
        if not isinstance(schedule, dict):
            raise BadFile("invalid schedule", file=str(file), entry=place, hint="write every: 1h, or a mapping below schedule:")
        if "every" in values:
            schedule["every_for"] = parse_every(str(values.pop("every")))
        if "cron" in values:
            schedule["cron"] = values.pop("cron")
        if isinstance(values.get("fetch"), dict) and "steps" in values["fetch"]:  # a line each, or an object
            values["fetch"] = {**values["fetch"], "steps": msgspec.to_builtins(read_steps(values["fetch"]["steps"]))}
        try:
            watch_inputs.append(msgspec.convert(values | {"schedule": schedule}, WatchInput, strict=False))
        except msgspec.ValidationError as error:
            raise BadFile("invalid watch", file=str(file), entry=place, problem=str(error), hint="see docs/rules.md") from None
    return watch_inputs


def _done(drafts: dict[str, Draft], known: dict[str, Watch], *, prune: bool) -> dict[str, str]:
    """What is to be done, by name, in the order of the file."""
    done: dict[str, str] = {}
    for name, draft in drafts.items():
        watch = known.get(name)
        if watch is None:
            done[name] = "added"
        elif (watch.url, watch.kind) != (draft.url, draft.kind):
            raise Refused(
                "a watch with this name has another URL or kind", name=name, url=watch.url, hint="rename or remove it"
            )
        else:
            done[name] = "unchanged" if _same(draft, watch) else "changed"
    return done | {name: "removed" for name in known if prune and name not in drafts}


def _same(draft: Draft, watch: Watch) -> bool:
    rules = msgspec.json.decode(msgspec.json.encode(draft.rules))  # as it would be stored
    return (draft.tags, rules, draft.fetch, draft.schedule, draft.when, draft.intent, draft.paused) == (
        watch.tags, watch.rules, watch.fetch, watch.schedule, watch.when, watch.intent, watch.paused_at is not None,
    )  # fmt: skip


def _carry_out(app: App, drafts: dict[str, Draft], known: dict[str, Watch], done: dict[str, str]) -> None:
    """All of it in one transaction, or nothing."""
    at = app.clock.now()
    plant = app.planting([drafts[name] for name, action in done.items() if action == "added"])
    changed = {known[name].id: drafts[name] for name, action in done.items() if action == "changed"}
    removed: list[UUID] = [known[name].id for name, action in done.items() if action == "removed"]

    def work(data: OrgData) -> None:
        plant(data)
        for watch_id, draft in changed.items():
            data.watches.update(
                watch_id,
                tags=draft.tags,
                rules=draft.rules,
                fetch=draft.fetch,
                schedule=draft.schedule,
                when=draft.when,
                intent=draft.intent,
            )
            if draft.paused:
                data.watches.pause(watch_id, at=at)
            else:
                data.watches.resume(watch_id, next_due_at=at)
        for watch_id in removed:
            data.watches.remove(watch_id)

    app.write(work)


COMMANDS = (apply,)
