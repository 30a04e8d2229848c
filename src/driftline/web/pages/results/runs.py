"""One check: its report, warnings and ignored differences."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get
from litestar.params import FromPath

from driftline.core.answers.failure_text import failure_text
from driftline.core.identity.severity import CHANGE_TYPES
from driftline.engine.history.explain import ExplainedDifference
from driftline.model.change import Change
from driftline.model.run import FAILED_OUTCOMES, Run
from driftline.model.watch import Watch
from driftline.store.db.query import uuid_or_none
from driftline.store.rows import Page, Report
from driftline.store.session import OrgData
from driftline.web.auth.guards import viewer
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.cards import ChangeCard, card
from driftline.web.pages.parts.rendering import page
from driftline.web.pages.watching.watch import took

SHOWN: Final = 500  # changes of one report
_AREA: Final = "ignored area "  # before the id of the area that ignored a difference
_ORDER: Final = {name: place for place, name in enumerate(CHANGE_TYPES)}


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of one type."""

    label: str
    count: int
    cards: tuple[ChangeCard, ...]


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """A difference that was not reported."""

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
    pictured = await caller.read(lambda data: data.pictures.of_run(run_id)) if run.status == "failed" else None
    explanation = await asyncio.to_thread(caller.app.explain, run)
    counts = dict(report.counts) if report else {}
    return page(
        request,
        "run.html",
        run=run,
        watch=watch,
        took=took(run),
        browser=run.browser,
        pictured=pictured,
        reason=failure_text(run.outcome, run.reason).sentence if run.outcome in FAILED_OUTCOMES else run.reason,
        title=_title(watch, counts),
        counts=[(name.replace("_", " ").capitalize(), count) for name, count in run.counted.items()]
        or [(_label(name), count) for name, count in counts.items()],
        groups=_groups(changes.rows),
        cut=changes.cursor is not None,
        shown=SHOWN,
        warnings=[*run.warnings],
        dropped=[_dropped(one) for one in explanation.differences if one.fate == "dropped"],
        judged=explanation.judged,
        note=explanation.note[:1].upper() + explanation.note[1:] + "." if explanation.note else "",
    )


def _title(watch: Watch, counts: dict[str, int]) -> str:
    if not counts:
        return f"Check of {watch.name}"
    total = sum(counts.values())
    return f"{total:,} {'change' if total == 1 else 'changes'} on {watch.name}"


def _groups(changes: Sequence[Change]) -> list[Group]:
    ordered = sorted(changes, key=lambda one: (_ORDER.get(one.type, len(_ORDER)), one.type, one.headline))
    groups = [(name, tuple(card(one, "") for one in group)) for name, group in groupby(ordered, key=lambda one: one.type)]
    return [Group(label=_label(name), count=len(cards), cards=cards) for name, cards in groups]


def _label(name: str) -> str:
    known = CHANGE_TYPES.get(name)
    return known.label if known else name.replace("_", " ").capitalize()


def _dropped(one: ExplainedDifference) -> Dropped:
    return Dropped(
        rule="ignored area" if one.by.startswith(_AREA) else one.rule.replace("_", " "),
        place=one.place,
        before=one.before[:300],
        after=one.after[:300],
        reason=one.reason,
        mask_id=uuid_or_none(one.by.removeprefix(_AREA)) if one.by.startswith(_AREA) else None,
    )


ROUTES = (one_run,)
