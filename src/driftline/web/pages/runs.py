"""One check: its report, what it warned of, and everything that it saw and left out."""

from __future__ import annotations

import asyncio
from itertools import groupby
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get
from litestar.params import FromPath
from markupsafe import Markup

from driftline.core.severity import CHANGE_TYPES
from driftline.engine.explain import Difference
from driftline.model.change import Change
from driftline.model.run import Run
from driftline.model.watch import Watch
from driftline.store.query import uuid_or_none
from driftline.store.rows import Page, Report
from driftline.store.session import OrgData
from driftline.web.auth import viewer
from driftline.web.caller import Caller
from driftline.web.pages.feed import CARDS
from driftline.web.pages.lines import filled
from driftline.web.pages.rendering import page
from driftline.web.pages.watch import took

SHOWN: Final = 500  # changes of one report
_ORDER: Final = {name: place for place, name in enumerate(CHANGE_TYPES)}


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of one type."""

    label: str
    count: int
    cards: Markup


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """A difference that was not told."""

    rule: str
    place: str
    before: str
    after: str
    reason: str
    mask_id: UUID | None


@get("/runs/{run_id:uuid}", guards=[viewer])
async def one_run(request: Request[Any, Any, Any], caller: Caller, run_id: FromPath[UUID]) -> Response[str]:
    """The report of a run, and why it says no more."""

    def find(data: OrgData) -> tuple[Run, Watch, Report | None, Page[Change]]:
        run = data.runs.get(run_id)
        return run, data.watches.get(run.watch_id), data.runs.report(run_id), data.changes.page(run_id=run_id, limit=SHOWN)

    run, watch, report, changes = await caller.read(find)
    told = await asyncio.to_thread(caller.app.explain, run)
    counts = dict(report.counts) if report else {}
    return page(
        request,
        "run.html",
        run=run,
        watch=watch,
        took=took(run),
        title=_title(watch, counts),
        counts=[(name.replace("_", " ").capitalize(), count) for name, count in run.counters.items()]
        or [(_label(name), count) for name, count in counts.items()],
        groups=_groups(changes, caller),
        cut=changes.cursor is not None,
        shown=SHOWN,
        warnings=[*run.warnings],
        dropped=[_dropped(one) for one in told.differences if one.fate == "dropped"],
        note=told.note[:1].upper() + told.note[1:] + "." if told.note else "",
    )


def _title(watch: Watch, counts: dict[str, int]) -> str:
    if not counts:
        return f"Check of {watch.name}"
    total = sum(counts.values())
    return f"{total:,} {'change' if total == 1 else 'changes'} on {watch.name}"


def _groups(changes: Page[Change], caller: Caller) -> list[Group]:
    cards = CARDS.of(changes.codec, changes.raw, caller.identity.user.timezone, False)
    both = zip(changes.rows, cards, strict=True)
    ordered = sorted(both, key=lambda one: (_ORDER.get(one[0].type, len(_ORDER)), one[0].headline))
    groups = {name: [line for _, line in group] for name, group in groupby(ordered, key=lambda one: one[0].type)}
    now = caller.now
    return [Group(label=_label(name), count=len(shown), cards=filled(shown, now=now)) for name, shown in groups.items()]


def _label(name: str) -> str:
    known = CHANGE_TYPES.get(name)
    return known.label if known else name.replace("_", " ").capitalize()


def _dropped(one: Difference) -> Dropped:
    return Dropped(
        rule="learned noise" if one.by.startswith("mask ") else one.by.replace("_", " "),
        place=one.place,
        before=one.before[:300],
        after=one.after[:300],
        reason=one.reason,
        mask_id=uuid_or_none(one.by.removeprefix("mask ")) if one.by.startswith("mask ") else None,
    )


ROUTES = (one_run,)
