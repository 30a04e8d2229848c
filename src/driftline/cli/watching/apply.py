"""The command that applies a file of watches, for people who keep them in git."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
import typer

from driftline.cli.options import Json, read_document
from driftline.cli.output import console, emit
from driftline.errors import BadFile, Refused

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from driftline.engine.editing.watch_input import Draft, WatchInput
    from driftline.model.tag import Tag, TagSettings
    from driftline.model.watch import Watch
    from driftline.store.session import OrgData
    from driftline.wiring import App

T = TypeVar("T")


def apply(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A YAML file: `watches:` has a list of url, kind, name, every, tags, rules, ...; `tags:` what each sets.",
        ),
    ],
    prune: Annotated[
        bool, typer.Option("--prune", help="Also remove watches that are not in the file, with their history.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done, and change nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Add and change watches and tags as a file says, by name. Applying the same file again changes nothing."""
    from driftline.engine.imports.watch_list import input_of
    from driftline.model.tag import Tag
    from driftline.wiring import opened

    watch_inputs, settings = _read(file)
    with opened() as app:
        tags = {name: app.draft_tag(name, given) for name, given in settings.items()}
        stored = {tag.name: tag for tag in app.read(lambda data: data.tags.all())}
        set_tags = [tag for tag in tags.values() if tag != stored.get(tag.name, Tag(name=tag.name))]
        drafts = {draft.name: draft for draft in map(app.draft, watch_inputs)}
        if len(drafts) < len(watch_inputs):
            raise BadFile("two watches in the file have the same name", file=str(file), hint="give each watch its own name")
        known = {watch.name: watch for watch in app.all_watches() if watch.parent_id is None}
        own = {name: app.draft(input_of(watch)) for name, watch in known.items() if name in drafts}
        done = _done(drafts, known, own, prune=prune)
        if not dry_run:
            _carry_out(app, drafts, known, done, set_tags)
    for tag in set_tags:
        emit({"tag": tag.name, "action": "changed"}) if as_json else console().print(f"changed tag {tag.name}", markup=False)
    for name, action in done.items():
        if as_json:
            emit({"name": name, "action": action, "id": known[name].id if name in known else None})
        elif action != "unchanged":
            console().print(f"{action} {name}", markup=False)
    if not as_json and not set_tags and set(done.values()) <= {"unchanged"}:
        console().print("Nothing to do", markup=False)


def _read(file: Path) -> tuple[list[WatchInput], dict[str, TagSettings]]:
    from driftline.engine.editing.watch_input import WatchInput
    from driftline.model.tag import TagSettings

    content = read_document(file)
    listed = content.get("watches") if isinstance(content, dict) else content
    tags = (content.get("tags") if isinstance(content, dict) else None) or {}
    if listed is None and tags:
        listed = []
    if not isinstance(tags, dict):
        raise BadFile("invalid tags", file=str(file), hint="write `tags:` with a name and its settings below it")
    settings = {str(name): _converted(given or {}, TagSettings, file, f"tag {name}") for name, given in tags.items()}
    if not isinstance(listed, list):
        raise BadFile("the file holds no watches", file=str(file), hint="write `watches:` with a list below it")
    entries = [entry if isinstance(entry, dict) else {"url": entry} for entry in listed]
    return [_converted(entry, WatchInput, file, place) for place, entry in enumerate(entries, start=1)], settings


def _converted(entry: Any, into: type[T], file: Path, place: object) -> T:
    """A watch or a tag, with `every` and `cron` as they are written on the command line."""
    from driftline.core.text.step_texts import read_steps
    from driftline.policy.schedule.every import parse_every

    values: dict[str, Any] = dict(entry) if isinstance(entry, dict) else {"": entry}
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
        return msgspec.convert(values | {"schedule": schedule}, into, strict=False)
    except msgspec.ValidationError as error:
        what = "tag" if into.__name__ == "TagSettings" else "watch"
        raise BadFile(f"invalid {what}", file=str(file), entry=place, problem=str(error), hint="see docs/rules.md") from None


def _done(drafts: dict[str, Draft], known: dict[str, Watch], own: dict[str, Draft], *, prune: bool) -> dict[str, str]:
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
            done[name] = "unchanged" if _same(draft, own[name]) else "changed"
    return done | {name: "removed" for name in known if prune and name not in drafts}


def _same(draft: Draft, own: Draft) -> bool:
    return msgspec.json.encode(draft, order="deterministic") == msgspec.json.encode(own, order="deterministic")


def _carry_out(app: App, drafts: dict[str, Draft], known: dict[str, Watch], done: dict[str, str], tags: Sequence[Tag]) -> None:
    """All of it in one transaction, or nothing."""
    from driftline.engine.editing.watch_input import input_of_draft

    add_watches = app.adding([drafts[name] for name, action in done.items() if action == "added"])
    changed = {known[name].id: input_of_draft(drafts[name]) for name, action in done.items() if action == "changed"}
    removed: list[UUID] = [known[name].id for name, action in done.items() if action == "removed"]

    def work(data: OrgData) -> None:
        for tag in tags:
            app.saving_tag(tag)(data)
        add_watches(data)
        for watch_id, wanted in changed.items():
            app.changing(watch_id, lambda _, wanted=wanted: wanted)(data)  # type: ignore[misc]  # each its own
        for watch_id in removed:
            data.watches.remove(watch_id)

    app.write(work)


COMMANDS = (apply,)
