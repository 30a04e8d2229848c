"""Commands about subscriptions and deliveries."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from driftline.cli.accounts.users import UserOption, user_of
from driftline.cli.options import Cursor, Json, Limit
from driftline.cli.output import ago, console, emit, say, say_more, stamp, table, when
from driftline.errors import UsageError

if TYPE_CHECKING:
    from driftline.model.account import User
    from driftline.model.delivery import Delivery, Subscription
    from driftline.store.rows import Page
    from driftline.store.session import OrgData

SubscriptionRef = Annotated[str, typer.Argument(metavar="SUBSCRIPTION", help="Id, or the end of one.")]


def subscribe(
    watch: Annotated[str | None, typer.Argument(metavar="[WATCH]", help="Name, id, or the end of an id.")] = None,
    tag: Annotated[str | None, typer.Option("--tag", help="All watches with this tag, including later ones.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All watches, including later ones.")] = False,
    of_user: UserOption = None,
    channel: Annotated[
        list[str] | None,
        typer.Option("--channel", help="Use this channel; may be repeated. Default: the user's default channel."),
    ] = None,
    severity: Annotated[
        str, typer.Option("--severity", help="Only changes of at least this severity: low, medium or high.")
    ] = "low",
    type_: Annotated[list[str] | None, typer.Option("--type", help="Only this type of change; may be repeated.")] = None,
    venue: Annotated[list[str] | None, typer.Option("--venue", help="Only this venue, by id or name; may be repeated.")] = None,
    slots: Annotated[str | None, typer.Option("--slots", help="Only slots that start in this time, e.g. 18:00-21:30.")] = None,
    weekday: Annotated[
        list[str] | None, typer.Option("--weekday", help="Only slots on these days, e.g. fri,sat; may be repeated.")
    ] = None,
    date: Annotated[list[str] | None, typer.Option("--date", help="Only slots on this date; may be repeated.")] = None,
    party_size: Annotated[
        list[int] | None, typer.Option("--party-size", min=1, help="Only slots for so many people; may be repeated.")
    ] = None,
    price_below: Annotated[str | None, typer.Option("--price-below", help="Only price changes that end below this.")] = None,
    price_change: Annotated[
        str | None, typer.Option("--price-change", help="Only price changes of at least this, e.g. 5 or 10%.")
    ] = None,
    when: Annotated[
        str | None, typer.Option("--when", help="Only where this condition holds, e.g. 'price < 80'. See docs/conditions.md.")
    ] = None,
    quiet: Annotated[
        list[str] | None, typer.Option("--quiet", help="Quiet hours, e.g. '22:00-07:00'; may be repeated.")
    ] = None,
    cooldown: Annotated[
        str | None, typer.Option("--cooldown", help="At most one message per watch in this time, e.g. 1h.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Subscribe a user to the changes of a watch, of all watches with a tag, or of all watches."""
    from driftline.deliver.account_input import draft_filter
    from driftline.model.delivery import Subscription
    from driftline.policy.schedule.every import parse_span
    from driftline.policy.schedule.windows import parse_weekdays, parse_window
    from driftline.wiring import opened

    if (watch is not None) + (tag is not None) + everything != 1:
        raise UsageError("no watch was given", hint="give one watch, or use --tag or --all")
    fields: dict[str, Any] = {
        "min_severity": severity,
        "types": list(type_ or ()),
        "venues": list(venue or ()),
        "price_below": price_below,
        "when": when,
        "quiet": [msgspec.to_builtins(parse_window(text)) for text in quiet or ()],
        "cooldown_for": parse_span(cooldown, "--cooldown") if cooldown else 0.0,
    }
    days = {number for text in weekday or () for number in parse_weekdays(text)}
    if slots is not None:
        window = parse_window(slots)
        fields |= {"slots_from": window.starts.isoformat(), "slots_until": window.ends.isoformat()}
        if len(window.weekdays) < 7:
            days |= {*window.weekdays}
    fields |= {"slots_weekdays": sorted(days), "slots_dates": date or [], "party_sizes": party_size or []}
    if price_change is not None:
        percent = price_change.endswith("%")
        fields["price_change_percent" if percent else "price_change_at_least"] = price_change.rstrip("%")
    chosen = draft_filter({name: value for name, value in fields.items() if value not in (None, [], 0.0)})
    with opened() as app:
        id_, at = app.ids(), app.clock.now()

        def store(data: OrgData) -> tuple[User, Subscription, bool]:
            owner = user_of(app, data, of_user)
            subscription = Subscription(
                id=id_,
                org_id=app.org.id,
                user_id=owner.id,
                watch_id=data.watches.get(watch).id if watch is not None else None,
                tag=tag,
                channel_ids=tuple(data.channels.get(reference).id for reference in channel or ()),
                filter=chosen,
                created_at=at,
            )
            return owner, data.subscriptions.add(subscription), bool(data.channels.all(user_id=owner.id))

        owner, added, reachable = app.write(store)
    wanted = watch or (f"all watches with the tag {tag}" if tag else "all watches")
    message = f"Subscribed {owner.email} to {wanted} ({added.id.hex[-8:]})"
    say(subscription_document(added), message, as_json=as_json)
    if not reachable and not as_json:
        console(stderr=True).print("There is no channel yet. Try: driftline channel add email you@example.org", markup=False)


def subscriptions(of_user: UserOption = None, limit: Limit = 100, cursor: Cursor = None, as_json: Json = False) -> None:
    """List subscriptions."""
    from driftline.wiring import opened

    def find(data: OrgData) -> tuple[Page[Subscription], dict[Any, str], dict[Any, str]]:
        user_id = data.users.get(of_user).id if of_user else None
        found = data.subscriptions.page(user_id=user_id, limit=limit, cursor=cursor)
        watches = data.watches.some([one.watch_id for one in found.rows if one.watch_id is not None])
        return found, {one.id: one.email for one in data.users.all()}, {one.id: one.name for one in watches}

    with opened() as app:
        found, users, watches = app.read(find)
        now = app.clock.now()
    if as_json:
        emit([subscription_document(one) for one in found.rows])
        say_more("subscriptions", found.cursor)
        return
    rows = [
        (
            users[one.user_id],
            watches.get(one.watch_id, f"tag {one.tag}" if one.tag else "all watches"),
            msgspec.json.encode(one.filter).decode() if one.filter != type(one.filter)() else "",
            _subscription_state(one, now),
            one.id.hex[-8:],
        )
        for one in found.rows
    ]
    table("", ("user", "watch", "filter", "state", "id"), rows, empty="No subscriptions. Try: driftline subscribe WATCH")
    say_more("subscriptions", found.cursor)


def mute(
    reference: SubscriptionRef,
    for_: Annotated[str | None, typer.Option("--for", help="How long: 2h, 3d.")] = None,
    off: Annotated[bool, typer.Option("--off", help="End the mute.")] = False,
    as_json: Json = False,
) -> None:
    """Mute a subscription for a while. Changes in that time are not sent."""
    from driftline.policy.schedule.every import parse_span
    from driftline.wiring import opened

    if (for_ is not None) == off:
        raise UsageError("no duration was given", hint="use --for 2h, or --off")
    with opened() as app:
        until_at = app.clock.now() + timedelta(seconds=parse_span(for_, "--for")) if for_ else None
        changed = app.write(lambda data: data.subscriptions.mute(data.subscriptions.get(reference).id, until_at=until_at))
    message = f"muted until {when(until_at)}" if until_at else "not muted any longer"
    say(subscription_document(changed), message, as_json=as_json)


def unsubscribe(reference: SubscriptionRef, as_json: Json = False) -> None:
    """End a subscription."""
    from driftline.wiring import opened

    def end(data: OrgData) -> Subscription:
        found = data.subscriptions.get(reference)
        data.subscriptions.remove(found.id)
        return found

    with opened() as app:
        gone = app.write(end)
    say(subscription_document(gone), "unsubscribed", as_json=as_json)


def deliveries(
    state: Annotated[
        list[str] | None,
        typer.Option("--state", help="Only pending, sending, retrying, sent, dead or skipped; may be repeated."),
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    as_json: Json = False,
) -> None:
    """List deliveries, newest first, with the reason of each failure."""
    from driftline.core.answers.undelivered_text import undelivered_text
    from driftline.model.delivery import State
    from driftline.wiring import opened

    try:
        states = msgspec.convert(state or [], list[State])
    except msgspec.ValidationError:
        hint = "use pending, sending, retrying, sent, dead or skipped"
        raise UsageError("unknown state", state=",".join(state or ()), hint=hint) from None

    def find(data: OrgData) -> tuple[Page[Delivery], dict[Any, str]]:
        page = data.deliveries.page(states=states, limit=limit, cursor=cursor)
        return page, {one.id: one.name for one in data.channels.all()}

    with opened() as app:
        page, channels = app.read(find)
        now = app.clock.now()
    if as_json:
        emit([delivery_document(one) for one in page.rows])
    else:
        rows = [
            (
                ago(one.created_at, now=now),
                one.state,
                channels.get(one.channel_id, "-"),
                str(one.attempts),
                ago(one.next_attempt_at, now=now),
                undelivered_text(one.reason).sentence if one.reason else "",
                one.id.hex[-8:],
            )
            for one in page.rows
        ]
        table(
            "",
            ("when", "state", "channel", "attempts", "next", "reason", "id"),
            rows,
            empty=f"No matching deliveries: {' or '.join(states)}"
            if states
            else "No deliveries. Try: driftline subscribe --all",
        )
    say_more("deliveries", page.cursor)


def deliver(
    once: Annotated[bool, typer.Option("--once", help="Send what is due now, then exit.")] = False,
    as_json: Json = False,
) -> int:
    """Send deliveries when they are due. `driftline run` and `driftline serve` do this too."""
    from driftline.wiring import opened

    with opened() as app:
        sent = app.deliver(once=once)
        counts = app.read(lambda data: data.deliveries.counts())
    message = f"{sent} sent. All deliveries: {', '.join(f'{count} {name}' for name, count in counts.items()) or 'none'}"
    say({"sent": sent, "states": counts}, message, as_json=as_json)
    return 0


def requeue(
    reference: Annotated[str | None, typer.Argument(metavar="[DELIVERY]", help="Id, or the end of one.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All failed deliveries.")] = False,
    as_json: Json = False,
) -> None:
    """Retry deliveries that failed or were skipped. They keep their ids."""
    from driftline.wiring import opened

    if (reference is not None) == everything:
        raise UsageError("no delivery was given", hint="give a delivery, or use --all")
    with opened() as app:
        at = app.clock.now()
        if reference is None:
            count = app.write(lambda data: data.deliveries.requeue_dead(at=at))
            document: dict[str, Any] = {"requeued": count}
        else:
            back = app.write(lambda data: data.deliveries.requeue(data.deliveries.get(reference).id, at=at))
            document = delivery_document(back)
            count = 1
    say(document, f"{count} will be retried", as_json=as_json)


def _subscription_state(one: Subscription, now: datetime) -> str:
    if one.paused_at is not None:
        return "paused"
    if one.muted_until_at is not None and now < one.muted_until_at:
        return f"muted until {when(one.muted_until_at)}"
    return "active"


def subscription_document(one: Subscription) -> dict[str, Any]:
    """A subscription in JSON."""
    return {
        "id": one.id,
        "user": one.user_id,
        "watch": one.watch_id,
        "tag": one.tag,
        "channels": one.channel_ids,
        "filter": msgspec.to_builtins(one.filter),
        "muted_until": stamp(one.muted_until_at),
        "active": one.paused_at is None,
        "created_at": stamp(one.created_at),
    }


def delivery_document(one: Delivery) -> dict[str, Any]:
    """A delivery in JSON."""
    return {
        "id": one.id,
        "report": one.report_id,
        "channel": one.channel_id,
        "user": one.user_id,
        "state": one.state,
        "reason": one.reason,
        "attempts": one.attempts,
        "next_attempt_at": stamp(one.next_attempt_at),
        "digest_at": stamp(one.digest_at),
        "sent_at": stamp(one.sent_at),
        "created_at": stamp(one.created_at),
    }


COMMANDS = (subscribe, subscriptions, mute, unsubscribe, deliveries, deliver, requeue)
