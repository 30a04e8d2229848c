"""One watch: its changes, checks, items, noise, subscribers and rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath
from markupsafe import Markup

from driftline.core.answers.failure_text import failure_text
from driftline.core.text import time_text
from driftline.deliver.account_input import draft_filter
from driftline.engine.imports.watch_list import input_of
from driftline.errors import UsageError
from driftline.kinds.kind import Expands, Learns
from driftline.kinds.registry import KINDS
from driftline.model.delivery import Channel, Subscription
from driftline.model.run import FAILED_OUTCOMES, Run
from driftline.model.tag import Tag
from driftline.model.watch import Schedule, Watch
from driftline.policy.health import failing
from driftline.policy.schedule.windows import window_text
from driftline.store.db.query import uuid_or_none
from driftline.store.rows import Page
from driftline.store.session import OrgData
from driftline.web import charts
from driftline.web.api.delivery import subscriptions as subscriptions_api
from driftline.web.api.watching import watches as api
from driftline.web.auth.guards import editor, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.pages.notifying.subscriptions import filter_words
from driftline.web.pages.parts.form import FormValues
from driftline.web.pages.parts.rendering import page, to
from driftline.web.pages.parts.watch_form import WatchForm, form_of, origins_of
from driftline.web.pages.results.feed import feed
from driftline.web.pages.results.items import price_chart
from driftline.web.pages.results.versions import reported
from driftline.web.pages.watching.page_tree import PAGE_STATES, tree_of
from driftline.web.pages.watching.preview import Shown
from driftline.web.pages.watching.watches import with_buckets

CHANGES_SHOWN: Final = 20
RUNS_SHOWN: Final = 50
VERSIONS_SHOWN: Final = 50
ITEMS_SHOWN: Final = 50
PAGES_SHOWN: Final = 200
_DAYS: Final = 30
_TABS: Final = (
    ("changes", "Changes"),
    ("history", "History"),
    ("checks", "Check log"),
    ("items", "Items"),
    ("buckets", "Dates"),
    ("pages", "Pages"),
    ("noise", "Ignored areas"),
    ("subscriptions", "Subscriptions"),
    ("rules", "Edit"),
)


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """A check in the log."""

    run: Run
    took: str
    summary: str


class SubscriberRow(msgspec.Struct, frozen=True, kw_only=True):
    """A subscriber of the watch."""

    id: UUID
    user: str
    channels: str
    wants: str
    everything: str  # what it is to, where that is more than this watch
    mine: bool


@get("/watches/{watch_id:uuid}", guards=[viewer])
async def one_watch(request: Request[Any, Any, Any], caller: Caller, watch_id: FromPath[UUID]) -> Response[str]:
    """A part of it at a time; each part has an address of its own."""
    values = FormValues.of(request, "tab", "q", "state", "cursor")
    return await watch_page(request, caller, watch_id, values)


async def watch_page(
    request: Request[Any, Any, Any],
    caller: Caller,
    watch_id: UUID,
    values: FormValues,
    *,
    form: WatchForm | None = None,
    shown: Shown | None = None,
    status: int = 200,
) -> Response[str]:
    """The page of a watch; with a form that was sent, that form as it was filled in."""
    at = caller.now
    proxies = tuple(caller.app.settings.proxies)

    def find(data: OrgData) -> dict[str, Any]:
        watch = with_buckets(data.activity, data.watches.get(watch_id))
        tabs = tabs_of(watch)
        tab = values["tab"] if values["tab"] in dict(tabs) else tabs[0][0]
        counts = data.activity.by_day([watch], days=_DAYS, at=at)[watch.id]
        parent = data.watches.get(watch.parent_id) if watch.parent_id else None
        reason = data.runs.reasons([watch.id]).get(watch.id) if watch.failures else None
        return {
            "watch": watch,
            "tabs": tabs,
            "tab": tab,
            "spark": Markup(charts.activity(tuple(counts), title="Changes")),  # noqa: S704 - numbers
            "parent": parent,
            "failing": failing(watch, reason),
            "note": data.runs.notes([watch.id]).get(watch.id) if KINDS[watch.kind].traits.one_item else None,
            "given": values.given,
            "form": _form(form, watch, data.tags.some(watch.tags), data.tag_conditions.of(watch.tags), proxies),
            "preview_form": f"/watches/{watch_id}/form",
            **_part(data, caller, watch, tab, values),
        }

    found = await caller.read(find)
    return page(request, "watch.html", status=status, **found, **(shown or Shown()).values())


def _form(
    form: WatchForm | None, watch: Watch, tags: Sequence[Tag], conditions: Mapping[str, str], proxies: tuple[str, ...]
) -> WatchForm:
    """The form as it was sent, or with what is stored; with what tags set."""
    shown = form or WatchForm(values=form_of(input_of(watch)), proxies=proxies)
    place = f"/watches/{watch.id}/try"
    return msgspec.structs.replace(shown, origins=origins_of(watch, tags), tag_conditions=conditions, try_place=place)


def tabs_of(watch: Watch) -> tuple[tuple[str, str], ...]:
    """Those that make sense for the kind."""
    kind = KINDS[watch.kind]
    parent = isinstance(kind, Expands) and watch.parent_id is None
    hidden = {"items"} if kind.traits.one_item or parent or kind.traits.finds_children else set()
    hidden |= set() if kind.traits.finds_children else {"pages"}
    hidden |= set() if kind.traits.one_item else {"history"}
    hidden |= set() if parent else {"buckets"}
    hidden |= set() if isinstance(kind, Learns) else {"noise"}
    return tuple(tab for tab in _TABS if tab[0] not in hidden)


def _part(data: OrgData, caller: Caller, watch: Watch, tab: str, values: FormValues) -> dict[str, Any]:
    cursor = values["cursor"] or None
    match tab:
        case "changes":
            priced = data.prices.of_watch(watch.id, limit=1) if KINDS[watch.kind].traits.one_item else []
            curve = next((one for one in priced if sum(point.price is not None for point in one.points) > 0), None)
            changes = data.changes.page(watch_id=watch.id, slots_once=True, first_runs_once=True, limit=CHANGES_SHOWN)
            first_runs = data.changes.first_runs(changes.rows)
            return {
                "days": feed(changes.rows, caller.identity.user.timezone, now=caller.now, first_runs=first_runs),
                "chart": price_chart(curve, until_at=caller.now) if curve else "",
                "chart_item": curve.item_id if curve else None,
                "more": changes.cursor is not None,
                "any_gone": curve is not None and any(point.in_stock is False for point in curve.points),
            }
        case "history":
            (item,) = data.items.of(watch.id, limit=1).rows or (None,)
            stored = data.items.snapshots(item.id, limit=VERSIONS_SHOWN, cursor=cursor) if item else Page((), None)
            named = reported(data, item.id, stored.rows) if item else {}
            return {"item": item, "snapshots": stored.rows, "cursor": stored.cursor, "reported": named}
        case "checks":
            runs = data.runs.of(watch.id, limit=RUNS_SHOWN, cursor=cursor)
            return {"runs": [run_row(run) for run in runs.rows], "cursor": runs.cursor}
        case "items":
            items = data.items.of(watch.id, limit=ITEMS_SHOWN, cursor=cursor)
            return {"items": items.rows, "cursor": items.cursor}
        case "buckets":
            return {"children": data.watches.children(watch.id)}
        case "pages":
            found = data.watches.children_page(
                watch.id, text=values["q"] or None, state=PAGE_STATES.get(values["state"]), limit=PAGES_SHOWN, cursor=cursor
            )
            return {"tree": tree_of(found.rows), "cursor": found.cursor, "start": watch.url}
        case "noise":
            return {"masks": data.masks.of(watch.id)}
        case "subscriptions":
            return {
                "subscriptions": _subscribers(data, caller, watch),
                "channels": data.channels.all(user_id=caller.identity.user.id),
            }
        case _:
            rules = msgspec.json.format(msgspec.json.encode(watch.rules), indent=2).decode()
            return {"rules": rules, "schedule": schedule_words(watch.schedule)}


def run_row(run: Run) -> RunRow:
    """A check as the log shows it."""
    return RunRow(run=run, took=took(run), summary=_reason(run) or _counted(run.counted) or _plainly(run))


def _reason(run: Run) -> str:
    """Why it ended so, in plain words; as it stands where it did not fail."""
    return failure_text(run.outcome, run.reason).what if run.outcome in FAILED_OUTCOMES else run.reason or ""


def took(run: Run) -> str:
    """How long it lasted."""
    if run.completed_at is None:
        return ""
    seconds = (run.completed_at - run.started_at).total_seconds()
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _counted(counters: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counters.items() if count)


def _plainly(run: Run) -> str:
    left_out = len(run.suppressed)
    noise = f"{left_out} {'difference' if left_out == 1 else 'differences'} ignored" if left_out else ""
    words = {"unchanged": "no changes", "baseline": "first version stored"}
    return "; ".join(part for part in (words.get(run.outcome or "", ""), noise) if part)


def _subscribers(data: OrgData, caller: Caller, watch: Watch) -> list[SubscriberRow]:
    """Of this watch, of its parent, and of every watch."""
    concerned = {watch.id, watch.parent_id, None}
    names = {user.id: user.name for user in data.users.all()}
    channels = {channel.id: channel for channel in data.channels.all()}
    return [
        SubscriberRow(
            id=one.id,
            user=names.get(one.user_id, "unknown user"),
            channels=_through(one, channels),
            wants=filter_words(one.filter) + (", paused" if one.paused_at else ""),
            everything=f"tag {one.tag}" if one.tag else "" if one.watch_id else "all watches",
            mine=one.user_id == caller.identity.user.id or caller.identity.role == "owner",
        )
        for one in data.subscriptions.all()
        if (one.tag in watch.tags if one.tag else one.watch_id in concerned)
    ]


def _through(one: Subscription, channels: dict[UUID, Channel]) -> str:
    named = [channels[id_].name for id_ in one.channel_ids if id_ in channels]
    return ", ".join(named) or "the default channel"


def schedule_words(schedule: Schedule) -> str:
    """How often it is checked."""
    windows = "; ".join(window_text(one) for one in schedule.windows)
    words = f"by cron {schedule.cron}" if schedule.cron else f"every {time_text.duration_text(schedule.every_for)}"
    return f"{words}{f' ({windows})' if windows else ''}"


@post("/watches/{watch_id:uuid}/check", guards=[editor])
async def check_now(caller: Caller, watch_id: FromPath[UUID]) -> Response[None]:
    """It is checked at once."""
    await api.check_watch.fn(caller, watch_id)
    return to(f"/watches/{watch_id}", done="checking")


@post("/watches/{watch_id:uuid}/pause", guards=[editor])
async def pause(caller: Caller, watch_id: FromPath[UUID]) -> Response[None]:
    """No check until it is resumed."""
    await api.pause_watch.fn(caller, watch_id)
    return to(f"/watches/{watch_id}", done="paused")


@post("/watches/{watch_id:uuid}/resume", guards=[editor])
async def resume(caller: Caller, watch_id: FromPath[UUID]) -> Response[None]:
    """Due again."""
    await api.resume_watch.fn(caller, watch_id)
    return to(f"/watches/{watch_id}", done="resumed")


@post("/watches/{watch_id:uuid}/rebaseline", guards=[editor])
async def rebaseline(caller: Caller, watch_id: FromPath[UUID]) -> Response[None]:
    """The next answer is taken as it is."""
    await api.rebaseline_watch.fn(caller, watch_id)
    return to(f"/watches/{watch_id}", done="rebaselined")


@post("/watches/{watch_id:uuid}/subscribe", guards=[editor])
async def subscribe(request: Request[Any, Any, Any], caller: Caller, watch_id: FromPath[UUID]) -> Response[None]:
    """Whoever asks, through one channel or their default one."""
    form = await FormValues.form(request)
    channel_id = uuid_or_none(form["channel"]) if form["channel"] else None
    if form["channel"] and channel_id is None:
        raise UsageError("unknown channel", hint="choose one from the list")
    wanted = {name: form[name] for name in ("min_severity", "price_below") if form[name]}
    draft_filter(dict(wanted))
    watch_input = subscriptions_api.NewSubscription(watch=watch_id, channels=(channel_id,) if channel_id else (), filter=wanted)
    await subscriptions_api.add_subscription.fn(caller, watch_input)
    return to(f"/watches/{watch_id}?tab=subscriptions", done="subscribed")


@post("/subscriptions/{subscription_id:uuid}/end", guards=[editor])
async def unsubscribe(caller: Caller, subscription_id: FromPath[UUID]) -> Response[None]:
    """End a subscription."""
    found = await caller.read(lambda data: data.subscriptions.get(subscription_id))
    await subscriptions_api.remove_subscription.fn(caller, subscription_id)
    return to(
        f"/watches/{found.watch_id}?tab=subscriptions" if found.watch_id else "/settings/subscriptions", done="unsubscribed"
    )


@post("/watches/{watch_id:uuid}/masks/{mask_id:uuid}/forget", guards=[editor])
async def forget(caller: Caller, watch_id: FromPath[UUID], mask_id: FromPath[UUID]) -> Response[None]:
    """Differences in that place count again."""
    await caller.write(lambda data: data.masks.remove(mask_id))
    return to(f"/watches/{watch_id}?tab=noise", done="forgotten")


ROUTES = (one_watch, check_now, pause, resume, rebaseline, subscribe, unsubscribe, forget)
