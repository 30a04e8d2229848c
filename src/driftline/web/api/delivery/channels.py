"""Channels: mail, webhooks, chat, bus."""

from __future__ import annotations

import logging
import re
from datetime import datetime
from secrets import token_bytes
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Response, delete, get, post
from litestar.exceptions import PermissionDeniedException
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from msgspec import Meta

from driftline.bus.ports import DEAD_LETTER
from driftline.deliver.account_input import draft_channel
from driftline.deliver.channels import samples
from driftline.deliver.channels.apprise import SCHEMES
from driftline.deliver.channels.signing import new_secret, rotate
from driftline.errors import Refused
from driftline.fetch.egress import Egress
from driftline.fetch.post import refused_literal
from driftline.model.delivery import Channel, ChannelKind, ChannelOptions, Message, Sent
from driftline.store.rows import Page
from driftline.store.session import DEFAULT_ORG, OrgData
from driftline.web.auth import secrets
from driftline.web.auth.guards import editor, viewer
from driftline.web.auth.request_context import Caller, Calling
from driftline.web.paging import Cursor, Limit, Listed, listed

log = logging.getLogger(__name__)


class ChannelDocument(msgspec.Struct, frozen=True, kw_only=True):
    """How messages reach a user: mail, webhook, chat or the message bus."""

    id: UUID
    user: UUID
    kind: ChannelKind
    name: str
    target: str  # of chats the beginning only, of others' webhooks the host: the rest is a secret
    options: ChannelOptions
    default: bool
    active: bool
    disabled_reason: str | None
    confirmed: bool  # false: a mail address that waits for its owner to open the link; nothing else is sent to it
    created_at: datetime


class MadeChannel(ChannelDocument, frozen=True, kw_only=True):
    """A webhook with its new secret."""

    secret: str | None  # for verifying signatures: shown once


class NewChannel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A channel to add."""

    kind: ChannelKind
    target: Annotated[str, Meta(max_length=2048)]
    name: Annotated[str, Meta(max_length=120)] | None = None
    user: UUID | None = None  # null: the signed-in user
    options: ChannelOptions = ChannelOptions()
    default: bool = False


class Tested(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a test message or a confirmation link was sent."""

    sent: bool
    reason: str | None


@get("/channels", guards=[viewer], summary="List channels")
async def list_channels(
    caller: Caller, user: FromQuery[UUID | None] = None, limit: Limit = 100, cursor: Cursor = None
) -> Listed[ChannelDocument]:
    """Channels of the org, or those of one user, oldest first."""

    def find(data: OrgData) -> Page[Channel]:
        return data.channels.page(user_id=data.users.get(user).id if user else None, limit=limit, cursor=cursor)

    return listed(await caller.read(find), lambda one: _shown_to(caller, one))


@post("/channels", guards=[editor], summary="Add a channel")
async def add_channel(caller: Caller, data: JSONBody[NewChannel]) -> Response[MadeChannel]:
    """For yourself; an owner may add channels for others. The secret of a webhook is shown only in this answer."""
    return (await add_and_confirm(caller, data))[0]


async def add_and_confirm(caller: Calling, data: NewChannel) -> tuple[Response[Any], Tested | None]:
    """The new channel, and whether the confirmation link was sent, where one is needed."""
    user_id = data.user or caller.identity.user.id
    own_or_owner(caller, user_id)
    if data.kind == "bus" and caller.identity.org.id != DEFAULT_ORG:
        raise PermissionDeniedException(detail="only the operator can use the message bus")
    egress = Egress(caller.app.settings.allow_hosts)
    draft = draft_channel(
        data.kind,
        data.target,
        name=data.name,
        options=data.options,
        refused_literal=lambda url: refused_literal(egress, url),
        schemes=frozenset(caller.app.settings.chat_services) & SCHEMES or SCHEMES,
        reserved=(DEAD_LETTER, caller.app.settings.input_queue),
    )
    at = caller.now
    secret = new_secret(token_bytes(32), at=at)
    fresh = Channel(
        id=caller.app.ids(),
        org_id=caller.identity.org.id,
        user_id=user_id,
        kind=draft.kind,
        name=draft.name,
        target=draft.target,
        options=draft.options,
        secrets=(secret,),
        is_default=data.default,
        created_at=at,
    )
    signed = draft.kind == "webhook"
    link = secrets.new_secret()
    unconfirmed: list[Channel] = []

    def make(stored: OrgData) -> Channel:
        unconfirmed.clear()
        own = _is_own_confirmed(stored, caller, fresh)
        made = stored.channels.add(fresh)
        if made.kind != "email" or own:
            return made
        made = _await_confirmation(caller, stored, made, link)
        unconfirmed.append(made)
        return made

    answer = await caller.create(
        make,
        lambda made: MadeChannel(**_fields(made), secret=secret.value if signed else None),
        kept=lambda made: MadeChannel(**_fields(made), secret=None),
    )
    return answer, await _send_first_link(caller, unconfirmed[0], link) if unconfirmed else None


@get("/channels/{channel_id:uuid}", guards=[viewer], summary="Show a channel")
async def show_channel(caller: Caller, channel_id: FromPath[UUID]) -> ChannelDocument:
    """The channel with its options and state."""
    return _shown_to(caller, await caller.read(lambda data: data.channels.get(channel_id)))


@delete("/channels/{channel_id:uuid}", guards=[editor], summary="Remove a channel")
async def remove_channel(caller: Caller, channel_id: FromPath[UUID]) -> None:
    """Its deliveries are removed too."""

    def remove(data: OrgData) -> None:
        data.channels.remove(_own(caller, data, channel_id).id)

    await caller.write(remove)


@post("/channels/{channel_id:uuid}/default", guards=[editor], status_code=200, summary="Make a channel the default")
async def default_channel(caller: Caller, channel_id: FromPath[UUID]) -> ChannelDocument:
    """Subscriptions without a channel use the default."""
    changed = await caller.write(lambda data: data.channels.make_default(_own(caller, data, channel_id).id))
    return channel_document(changed)


@post("/channels/{channel_id:uuid}/off", guards=[editor], status_code=200, summary="Turn a channel off")
async def switch_off(caller: Caller, channel_id: FromPath[UUID]) -> ChannelDocument:
    """Nothing is sent through it until it is turned on again."""
    at = caller.now
    changed = await caller.write(lambda data: data.channels.set_off_at(_own(caller, data, channel_id).id, off_at=at))
    return channel_document(changed)


@post("/channels/{channel_id:uuid}/on", guards=[editor], status_code=200, summary="Turn a channel on")
async def switch_on(
    caller: Caller,
    channel_id: FromPath[UUID],
    anyway: Annotated[bool, QueryParameter(description="also if its reader unsubscribed", required=False)] = False,
) -> ChannelDocument:
    """Also if driftline turned it off after failures."""
    changed = await caller.write(lambda data: data.channels.turn_on(_own(caller, data, channel_id).id, anyway=anyway))
    return channel_document(changed)


@post("/channels/{channel_id:uuid}/rotate", guards=[editor], status_code=200, summary="Give a webhook a new secret")
async def rotate_secret(caller: Caller, channel_id: FromPath[UUID]) -> MadeChannel:
    """For one day, messages are signed with the old and the new secret."""
    at = caller.now
    fresh = new_secret(token_bytes(32), at=at)

    def store_rotated(data: OrgData) -> Channel:
        found = _own(caller, data, channel_id)
        return data.channels.set_secrets(found.id, rotate(found.secrets, fresh, at=at))

    return MadeChannel(**_fields(await caller.write(store_rotated)), secret=fresh.value)


@post("/channels/{channel_id:uuid}/test", guards=[editor], status_code=200, summary="Send a test message through a channel")
async def test_channel(caller: Caller, channel_id: FromPath[UUID]) -> Tested:
    """It is sent at once; the answer says whether it arrived."""
    message_id, at = caller.app.ids(), caller.now

    def begin(data: OrgData) -> Message:
        found = _own(caller, data, channel_id)
        message = samples.sample(message_id, found, data.users.get(found.user_id), at=at)
        data.confirmations.count_sample(message_id, found.id, at=at)
        return message

    return await _sent(caller, await caller.write(begin))


@post("/channels/{channel_id:uuid}/link", guards=[editor], status_code=200, summary="Send the confirmation link to an address")
async def send_link(caller: Caller, channel_id: FromPath[UUID]) -> Tested:
    """Older links stop working."""
    link = secrets.new_secret()

    def begin(data: OrgData) -> Channel:
        found = _own(caller, data, channel_id)
        if found.confirmed:
            raise Refused("the address is confirmed", hint="send a test")
        samples.confirm_url(_dashboard(caller), found.id, link)
        return _await_confirmation(caller, data, found, link)

    return await _sent(caller, await _link_message(caller, await caller.write(begin), link))


def _await_confirmation(caller: Caller, data: OrgData, channel: Channel, link: str) -> Channel:
    """The channel waits for this link."""
    at = caller.now
    data.confirmations.count_sample(caller.app.ids(), channel.id, at=at)
    data.confirmations.request(channel.id, secrets.stored(link), expires_at=at + samples.LINK_LASTS_FOR)
    return data.channels.get(channel.id)


def _is_own_confirmed(data: OrgData, caller: Caller, fresh: Channel) -> bool:
    """Whether whoever asks confirmed this address before, and did not unsubscribe from it."""
    own = data.channels.all(user_id=caller.identity.user.id) if fresh.user_id == caller.identity.user.id else []
    same = [one for one in own if (one.kind, one.target) == ("email", fresh.target)]
    return any(one.confirmed for one in same) and all(one.disabled_at is None for one in same)


async def _send_first_link(caller: Caller, channel: Channel, link: str) -> Tested:
    """The channel is stored, whatever becomes of the mail: it can be sent again."""
    try:
        tested = await _sent(caller, await _link_message(caller, channel, link))
    except Refused as error:
        tested = Tested(sent=False, reason=error.message)
    if not tested.sent:
        log.warning("link to confirm an address was not sent", extra={"channel": str(channel.id), "reason": tested.reason})
    return tested


async def _link_message(caller: Caller, channel: Channel, link: str) -> Message:
    url = samples.confirm_url(_dashboard(caller), channel.id, link)
    user = await caller.read(lambda data: data.users.get(channel.user_id))
    return samples.confirmation(caller.app.ids(), channel, user, url=url, at=caller.now)


def _dashboard(caller: Caller) -> str:
    """Where people reach the dashboard: as the operator says, else as whoever asks does; the host was checked."""
    return caller.app.settings.public_url or str(caller.request.base_url)


async def _sent(caller: Caller, message: Message) -> Tested:
    """Send a test message or a confirmation link now."""
    kind = message.channel.kind
    async with caller.app.transports() as transports:
        transport = transports.get(kind)
        if transport is None:
            raise Refused("this type of channel is not configured", kind=kind, hint="see docs/delivery.md")
        outcome = await transport.deliver(message)
    return Tested(sent=isinstance(outcome, Sent), reason=None if isinstance(outcome, Sent) else outcome.reason)


def own_or_owner(caller: Caller, user_id: UUID) -> None:
    """Editors manage what is theirs, owners everybody's."""
    if user_id != caller.identity.user.id and caller.identity.role != "owner":
        raise PermissionDeniedException(detail="it belongs to another user")


def _own(caller: Caller, data: OrgData, channel_id: UUID) -> Channel:
    found = data.channels.get(channel_id)
    own_or_owner(caller, found.user_id)
    return found


def _shown_to(caller: Caller, channel: Channel) -> ChannelDocument:
    """A channel; where somebody else's webhook leads is for them and for owners: such addresses are keys."""
    document = channel_document(channel)
    theirs = channel.user_id != caller.identity.user.id and caller.identity.role != "owner"
    if channel.kind == "webhook" and theirs:
        scheme, _, rest = channel.target.partition("://")
        return msgspec.structs.replace(document, target=f"{scheme}://{re.split('[/?]', rest)[0]}/…")
    return document


def channel_document(channel: Channel) -> ChannelDocument:
    """A channel as it is shown."""
    return ChannelDocument(**_fields(channel))


def _fields(channel: Channel) -> dict[str, Any]:
    scheme, found, rest = channel.target.partition("://")
    hidden = channel.kind == "apprise" and found
    return {
        "id": channel.id,
        "user": channel.user_id,
        "kind": channel.kind,
        "name": channel.name,
        "target": f"{scheme}://{rest[:4]}…" if hidden else channel.target,
        "options": msgspec.structs.replace(channel.options, headers=dict.fromkeys(channel.options.headers, "...")),
        "default": channel.is_default,
        "active": channel.disabled_at is None,
        "disabled_reason": channel.disabled_reason,
        "confirmed": channel.confirmed,
        "created_at": channel.created_at,
    }


ROUTES = (
    list_channels,
    add_channel,
    show_channel,
    remove_channel,
    default_channel,
    switch_off,
    switch_on,
    rotate_secret,
    test_channel,
    send_link,
)
