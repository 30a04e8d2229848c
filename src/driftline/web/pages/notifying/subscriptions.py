"""Subscriptions: to a watch, a tag or all watches, with what is sent and when; and the daily message of a user."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath

from driftline.core.identity.severity import CHANGE_TYPES
from driftline.deliver.account_input import draft_filter
from driftline.errors import UsageError
from driftline.model.delivery import Channel, Filter, Subscription
from driftline.policy.schedule.every import every_text, parse_span
from driftline.policy.schedule.windows import parse_window, window_text
from driftline.store.db.query import uuid_or_none
from driftline.store.session import OrgData
from driftline.web.api.accounts import org
from driftline.web.api.delivery import subscriptions as api
from driftline.web.api.delivery.channels import own_or_owner
from driftline.web.auth.guards import editor, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.form import FormValues, all_values
from driftline.web.pages.parts.rendering import page, to
from driftline.web.pages.public.failing import ErrorNotice, error_notice

_HERE: Final = "/settings/subscriptions"
_TYPES: Final = tuple((name, known.label) for name, known in CHANGE_TYPES.items())
_HOURS: Final = tuple((str(hour), f"{hour:02}:00") for hour in range(24))
_AT_LEAST: Final = {"medium": "medium or high", "high": "high only"}
_AT_ONCE: Final = 100  # subscriptions of one page
_SEVERITIES: Final = ("low", "medium", "high")


class SubscriptionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A subscription in the list."""

    subscription: Subscription
    to: str  # what it is to
    link: str  # where that is shown
    user: str
    channels: str
    words: str  # what it lets through


@get(_HERE, guards=[viewer])
async def subscriptions(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """All of them for an owner, their own for others."""
    return await _shown(request, caller)


async def _shown(
    request: Request[Any, Any, Any], caller: Caller, *, form: FormValues | None = None, problem: ErrorNotice | None = None
) -> Response[str]:
    user = caller.identity.user

    given = FormValues.of(request, "cursor")

    def find(data: OrgData) -> tuple[list[SubscriptionRow], str | None, list[Channel]]:
        mine = None if caller.identity.role == "owner" else user.id
        found = data.subscriptions.page(user_id=mine, limit=_AT_ONCE, cursor=given["cursor"] or None)
        names = data.watches.names([one.watch_id for one in found.rows if one.watch_id])
        users = {one.id: one.name for one in data.users.all()}
        channels = {one.id: one.name for one in data.channels.all()}
        listed = [_row(one, names, users, channels) for one in found.rows]
        return listed, found.cursor, data.channels.all(user_id=user.id)

    rows, cursor, channels = await caller.read(find)
    return page(
        request,
        "subscriptions.html",
        status=422 if problem else 200,
        rows=rows,
        cursor=cursor,
        given=given.given,
        channels=channels,
        form=form or FormValues({}),
        types=_TYPES,
        hours=_HOURS,
        user=user,
        problem=problem,
        immediate=caller.identity.org.features.immediate,
    )


def _row(one: Subscription, names: Any, users: dict[UUID, str], channels: dict[UUID, str]) -> SubscriptionRow:
    if one.watch_id:
        to_, link = names.get(one.watch_id, "a watch"), f"/watches/{one.watch_id}"
    else:
        to_, link = (f"Tag {one.tag}", "/tags") if one.tag else ("All watches", "/watches")
    named = ", ".join(channels[id_] for id_ in one.channel_ids if id_ in channels) or "the default channel"
    words = filter_words(one.filter)
    return SubscriptionRow(subscription=one, to=to_, link=link, user=users.get(one.user_id, ""), channels=named, words=words)


def filter_words(chosen: Filter) -> str:
    """What a subscription lets through, in a line."""
    parts = [_AT_LEAST[chosen.min_severity]] if chosen.min_severity in _AT_LEAST else []
    if chosen.types:
        parts.append(", ".join(CHANGE_TYPES[name].label for name in chosen.types if name in CHANGE_TYPES))
    if chosen.price_below is not None:
        parts.append(f"prices below {chosen.price_below:f}")
    if chosen.price_change_at_least is not None:
        parts.append(f"price changes of at least {chosen.price_change_at_least:f}")
    if chosen.price_change_percent is not None:
        parts.append(f"price changes of at least {chosen.price_change_percent:f}%")
    if chosen.venues:
        parts.append(f"venues {', '.join(chosen.venues)}")
    if chosen.slots_from or chosen.slots_until or chosen.slots_weekdays or chosen.slots_dates or chosen.party_sizes:
        parts.append("only chosen slots")
    if chosen.when:
        parts.append(f"only when {chosen.when}")
    if chosen.quiet:
        parts.append(f"quiet {'; '.join(map(window_text, chosen.quiet))}")
    if chosen.cooldown_for:
        parts.append(f"at most one message per watch in {every_text(chosen.cooldown_for)}")
    if chosen.except_watches:
        parts.append(f"without {len(chosen.except_watches)} of the watches")
    return "; ".join(parts) or "all changes"


@post(_HERE, guards=[editor])
async def add(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """To a watch, a tag or everything; whoever asks, through their channels."""
    form = await FormValues.form(request)
    try:
        filter_, channel_ids = await _wanted(request, form, Filter())
        watch_id = await _watch(caller, form["watch"]) if form["watch"] else None
        wanted = api.NewSubscription(watch=watch_id, tag=form["tag"] or None, channels=channel_ids, filter=filter_)
        await api.add_subscription.fn(caller, wanted)
    except UsageError as error:
        return await _shown(request, caller, form=form, problem=error_notice(error))
    return to(_HERE, done="subscribed")


@get("/settings/subscriptions/{subscription_id:uuid}", guards=[editor])
async def one_subscription(request: Request[Any, Any, Any], caller: Caller, subscription_id: FromPath[UUID]) -> Response[str]:
    """What it sends, and when."""
    return await _edit_page(request, caller, subscription_id)


async def _edit_page(
    request: Request[Any, Any, Any],
    caller: Caller,
    subscription_id: UUID,
    *,
    form: FormValues | None = None,
    problem: ErrorNotice | None = None,
) -> Response[str]:
    def find(data: OrgData) -> tuple[Subscription, str, list[Channel]]:
        one = data.subscriptions.get(subscription_id)
        own_or_owner(caller, one.user_id)
        name = data.watches.get(one.watch_id).name if one.watch_id else f"Tag {one.tag}" if one.tag else "All watches"
        return one, name, data.channels.all(user_id=one.user_id)

    one, name, channels = await caller.read(find)
    return page(
        request,
        "subscription.html",
        status=422 if problem else 200,
        one=one,
        name=name,
        channels=channels,
        form=form or _form(one),
        chosen=set(one.filter.types),
        named=set(map(str, one.channel_ids)),
        types=_TYPES,
        problem=problem,
    )


def _form(one: Subscription) -> FormValues:
    chosen = one.filter
    amount = chosen.price_change_at_least
    percent = f"{chosen.price_change_percent:f}%" if chosen.price_change_percent is not None else ""
    return FormValues(
        {
            "min_severity": chosen.min_severity,
            "price_below": f"{chosen.price_below:f}" if chosen.price_below is not None else "",
            "price_change": f"{amount:f}" if amount is not None else percent,
            "quiet": "; ".join(map(window_text, chosen.quiet)),
            "cooldown": every_text(chosen.cooldown_for) if chosen.cooldown_for else "",
            "when": chosen.when,
        }
    )


@post("/settings/subscriptions/{subscription_id:uuid}", guards=[editor])
async def change(request: Request[Any, Any, Any], caller: Caller, subscription_id: FromPath[UUID]) -> Response[Any]:
    """All of the form or nothing."""
    form = await FormValues.form(request)
    before = await caller.read(lambda data: data.subscriptions.get(subscription_id))
    own_or_owner(caller, before.user_id)
    try:
        filter_, channel_ids = await _wanted(request, form, before.filter)
        after = msgspec.structs.replace(before, filter=draft_filter(filter_), channel_ids=channel_ids)
        await caller.write(lambda data: data.subscriptions.update(after))
    except UsageError as error:
        return await _edit_page(request, caller, subscription_id, form=form, problem=error_notice(error))
    return to(_HERE, done="saved")


@post("/settings/delivery", guards=[editor])
async def set_delivery(request: Request[Any, Any, Any], caller: Caller) -> Response[Any]:
    """The time zone and the daily message of whoever asks."""
    form = await FormValues.form(request)
    try:
        hour = int(form["hour"]) if form["hour"].isdigit() else -1
        if not 0 <= hour <= 23:
            raise UsageError("invalid hour", hint="choose one from the list")
        wanted = org.UserPatch(timezone=form["timezone"] or "UTC", digest=form["digest"] == "yes", digest_hour=hour)
        now, user_id = caller.now, caller.identity.user.id
        await caller.write(lambda data: data.users.update(org.patched(data.users.get(user_id), wanted, now=now)))
    except UsageError as error:
        return await _shown(request, caller, problem=error_notice(error))
    return to(_HERE, done="saved")


async def _wanted(request: Request[Any, Any, Any], form: FormValues, before: Filter) -> tuple[dict[str, Any], tuple[UUID, ...]]:
    """The filter of the form, over what has no field in it, and the channels."""
    known = set(CHANGE_TYPES)
    fields: dict[str, Any] = {
        "min_severity": form["min_severity"] if form["min_severity"] in _SEVERITIES else "low",
        "types": [name for name in await all_values(request, "type") if name in known],
        "price_below": form["price_below"] or None,
        "price_change_at_least": None if form["price_change"].endswith("%") else form["price_change"] or None,
        "price_change_percent": form["price_change"].rstrip("% ") if form["price_change"].endswith("%") else None,
        "quiet": [msgspec.to_builtins(parse_window(part)) for part in form["quiet"].split(";") if part.strip()],
        "cooldown_for": parse_span(form["cooldown"], "cooldown") if form["cooldown"] else None,
        "when": form["when"] or None,
    }
    kept = {name: value for name, value in msgspec.to_builtins(before).items() if name not in fields}
    wanted = kept | {name: value for name, value in fields.items() if value not in (None, [])}
    draft_filter(dict(wanted))
    channels = [id_ for text in await all_values(request, "channel") if (id_ := uuid_or_none(text)) is not None]
    return wanted, tuple(channels)


async def _watch(caller: Caller, ref: str) -> UUID:
    return (await caller.read(lambda data: data.watches.get(ref))).id


ROUTES = (subscriptions, add, one_subscription, change, set_delivery)
