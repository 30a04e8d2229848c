"""Commands about channels: mail, webhooks, chat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from driftline.cli.accounts.users import OWN_USER, UserOption, user_of
from driftline.cli.options import Cursor, Json, Limit, read_mapping
from driftline.cli.output import emit, say, say_more, stamp, table
from driftline.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from driftline.model.account import User
    from driftline.model.delivery import Channel, ChannelOptions
    from driftline.store.rows import Page
    from driftline.store.session import OrgData
    from driftline.wiring import App

channel = typer.Typer(no_args_is_help=True, help="How users are notified: mail, webhooks, chat.")

ChannelRef = Annotated[str, typer.Argument(metavar="CHANNEL", help="Name, id, or the end of an id.")]


@channel.command("add")
def channel_add(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="email, webhook, apprise, bus, or an extension's.")],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="A mail address, a URL, an Apprise URL, or a topic of the bus.")
    ],
    of_user: UserOption = None,
    name: Annotated[str | None, typer.Option("--name", help="Your name for it.")] = None,
    default: Annotated[bool, typer.Option("--default", help="Make it the default channel.")] = False,
    options: Annotated[
        Path | None, typer.Option("--options", help="A YAML or JSON file: subject, text, body (templates), headers.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Add a channel for a user. The secret of a webhook is shown only once."""
    from driftline.model.delivery import ChannelOptions
    from driftline.wiring import opened

    given = None
    if options is not None:
        try:
            given = msgspec.convert(read_mapping(options), ChannelOptions)
        except msgspec.ValidationError as error:
            raise UsageError("invalid channel options", problem=str(error), hint="see docs/delivery.md") from None
    with opened() as app:

        def add(data: OrgData) -> tuple[User, Channel]:
            owner = user_of(app, data, of_user, made_for=target if kind == "email" else OWN_USER)
            return owner, add_channel(app, data, owner, kind, target, name=name, options=given, default=default)

        owner, added = app.write(add)
    message = f"added {added.name} for {owner.email}. Try: driftline channel test {added.id.hex[-8:]}"
    document = channel_document(added)
    if added.kind == "webhook":
        document["secret"] = added.secrets[0].value
        message += f"\nsecret for verifying signatures: {added.secrets[0].value}"
    say(document, message, as_json=as_json)


@channel.command("list")
def channel_list(of_user: UserOption = None, limit: Limit = 100, cursor: Cursor = None, as_json: Json = False) -> None:
    """List channels."""
    from driftline.wiring import opened

    def find(data: OrgData) -> tuple[Page[Channel], dict[Any, str]]:
        user_id = data.users.get(of_user).id if of_user else None
        return data.channels.page(user_id=user_id, limit=limit, cursor=cursor), {one.id: one.email for one in data.users.all()}

    with opened() as app:
        found, owners = app.read(find)
    if as_json:
        emit([channel_document(one) for one in found.rows])
    else:
        rows = [(one.name, one.kind, _shown(one), owners[one.user_id], _state(one), one.id.hex[-8:]) for one in found.rows]
        table(
            "",
            ("name", "kind", "to", "user", "state", "id"),
            rows,
            empty="No channels. Try: driftline channel add email ADDRESS",
        )
    say_more("channel list", found.cursor)


@channel.command("test")
def channel_test(reference: ChannelRef, as_json: Json = False) -> int:
    """Send a test message through a channel."""
    from driftline.deliver.channels.samples import sample
    from driftline.model.delivery import Message, Sent
    from driftline.wiring import opened, run_loop

    with opened() as app:
        message_id, at = app.ids(), app.clock.now()

        def begin(data: OrgData) -> tuple[Channel, Message]:
            found = data.channels.get(reference)
            written = sample(message_id, found, data.users.get(found.user_id), at=at)
            data.confirmations.count_sample(message_id, found.id, at=at)
            return found, written

        found, message = app.write(begin)

        async def send() -> Any:
            async with app.transports() as transports:
                transport = transports.get(found.kind)
                if transport is None:
                    raise UsageError("this type of channel is not configured", kind=found.kind, hint="see docs/delivery.md")
                return await transport.deliver(message)

        outcome = run_loop(send)
    sent = isinstance(outcome, Sent)
    reason = None if sent else outcome.reason
    document = {"channel": found.id, "delivery": message.id, "sent": sent, "reason": reason}
    say(document, f"sent to {_shown(found)}" if sent else f"not sent: {reason}", as_json=as_json)
    return 0 if sent else 1


@channel.command("default")
def channel_default(reference: ChannelRef, as_json: Json = False) -> None:
    """Make a channel the default for subscriptions without one."""
    _change(reference, lambda data, one, _at: data.channels.make_default(one.id), "is now the default", as_json=as_json)


@channel.command("off")
def channel_off(reference: ChannelRef, as_json: Json = False) -> None:
    """Turn a channel off."""
    _change(reference, lambda data, one, at: data.channels.set_off_at(one.id, off_at=at), "is off", as_json=as_json)


@channel.command("on")
def channel_on(
    reference: ChannelRef,
    anyway: Annotated[bool, typer.Option("--anyway", help="Also if its reader unsubscribed. Ask them first.")] = False,
    as_json: Json = False,
) -> None:
    """Turn a channel on again."""
    _change(reference, lambda data, one, _at: data.channels.turn_on(one.id, anyway=anyway), "is on", as_json=as_json)


@channel.command("confirm")
def channel_confirm(reference: ChannelRef, as_json: Json = False) -> None:
    """Confirm a mail address without the link in the confirmation mail."""

    def confirm(data: OrgData, one: Channel, _at: datetime) -> Channel:
        data.confirmations.confirm(one.id)
        return data.channels.get(one.id)

    _change(reference, confirm, "is confirmed", as_json=as_json)


@channel.command("rotate")
def channel_rotate(reference: ChannelRef, as_json: Json = False) -> None:
    """Give a webhook a new secret. For one day, messages are signed with both."""
    from secrets import token_bytes

    from driftline.deliver.channels.signing import new_secret, rotate
    from driftline.wiring import opened

    with opened() as app:
        at = app.clock.now()
        fresh = new_secret(token_bytes(32), at=at)

        def store_rotated(data: OrgData) -> Channel:
            found = data.channels.get(reference)
            return data.channels.set_secrets(found.id, rotate(found.secrets, fresh, at=at))

        changed = app.write(store_rotated)
    say(channel_document(changed) | {"secret": fresh.value}, f"new secret for {changed.name}: {fresh.value}", as_json=as_json)


@channel.command("rm")
def channel_rm(reference: ChannelRef, as_json: Json = False) -> None:
    """Remove a channel and its deliveries."""

    def remove(data: OrgData, one: Channel, _at: datetime) -> Channel:
        data.channels.remove(one.id)
        return one

    _change(reference, remove, "is removed", as_json=as_json)


def _change(reference: str, do: Callable[[OrgData, Channel, datetime], Channel], message: str, *, as_json: bool) -> None:
    """Do one thing to one channel."""
    from driftline.wiring import opened

    with opened() as app:
        at = app.clock.now()
        changed = app.write(lambda data: do(data, data.channels.get(reference), at))
    say(channel_document(changed), f"{changed.name} {message}", as_json=as_json)


def add_channel(
    app: App,
    data: OrgData,
    owner: User,
    kind: str,
    target: str,
    *,
    name: str | None = None,
    options: ChannelOptions | None = None,
    default: bool = False,
) -> Channel:
    """Draft and store a channel with a fresh secret."""
    from secrets import token_bytes

    from driftline.bus.ports import DEAD_LETTER
    from driftline.deliver.account_input import draft_channel
    from driftline.deliver.channels.apprise import SCHEMES
    from driftline.deliver.channels.signing import new_secret
    from driftline.fetch.egress import Egress
    from driftline.fetch.post import refused_literal
    from driftline.model.delivery import Channel

    egress = Egress(app.settings.allow_hosts)
    draft = draft_channel(
        kind,
        target,
        name=name,
        options=options,
        refused_literal=lambda url: refused_literal(egress, url),
        schemes=frozenset(app.settings.chat_services) & SCHEMES or SCHEMES,
        reserved=(DEAD_LETTER, app.settings.input_queue),
    )
    at = app.clock.now()
    fresh = Channel(
        id=app.ids(),
        org_id=app.org.id,
        user_id=owner.id,
        kind=draft.kind,
        name=draft.name,
        target=draft.target,
        options=draft.options,
        secrets=(new_secret(token_bytes(32), at=at),),
        is_default=default,
        created_at=at,
    )
    return data.channels.add(fresh)


def _state(one: Channel) -> str:
    if not one.confirmed:
        return "unconfirmed"
    return "off" if one.disabled_at else ("default" if one.is_default else "on")


def _shown(one: Channel) -> str:
    """The target without what is secret in it: chat URLs are tokens."""
    scheme, found, rest = one.target.partition("://")
    return f"{scheme}://{rest[:4]}…" if found and one.kind == "apprise" else one.target


def channel_document(one: Channel) -> dict[str, Any]:
    """A channel in JSON; its secrets are shown only when they are made."""
    return {
        "id": one.id,
        "user": one.user_id,
        "kind": one.kind,
        "name": one.name,
        "target": _shown(one),
        "options": msgspec.to_builtins(one.options),
        "default": one.is_default,
        "active": one.disabled_at is None,
        "confirmed": one.confirmed,
        "created_at": stamp(one.created_at),
    }


GROUPS = {"channel": channel}
