"""Channels: how people are reached."""

from __future__ import annotations

import re
from datetime import datetime
from secrets import token_bytes
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Response, delete, get, post
from litestar.exceptions import PermissionDeniedException
from litestar.params import FromPath, FromQuery, JSONBody
from msgspec import Meta

from driftline.bus.ports import DEAD_LETTER
from driftline.deliver.apprise import SCHEMES
from driftline.deliver.drafting import drafted_channel
from driftline.deliver.signing import new_secret, rotated
from driftline.errors import Refused
from driftline.fetch.egress import Egress
from driftline.fetch.post import refused_literal
from driftline.model.delivery import Channel, ChannelKind, ChannelOptions, Letter, Sent
from driftline.store.session import DEFAULT_ORG, OrgData
from driftline.web.auth import editor, viewer
from driftline.web.caller import Caller
from driftline.web.paging import Listed


class ChannelDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A way to reach a user."""

    id: UUID
    user: UUID
    kind: ChannelKind
    name: str
    target: str  # of chats the beginning only, of others' webhooks the host: the rest is a secret
    options: ChannelOptions
    default: bool
    active: bool
    disabled_reason: str | None
    created_at: datetime


class MadeChannel(ChannelDocument, frozen=True, kw_only=True):
    """A channel whose messages are signed with a new secret."""

    secret: str | None  # for verifying signatures: shown once


class NewChannel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A channel to be made."""

    kind: ChannelKind
    target: Annotated[str, Meta(max_length=2048)]
    name: Annotated[str, Meta(max_length=120)] | None = None
    user: UUID | None = None  # null: oneself
    options: ChannelOptions = ChannelOptions()
    default: bool = False


class Tested(msgspec.Struct, frozen=True, kw_only=True):
    """How a sample fared."""

    sent: bool
    reason: str | None


@get("/channels", guards=[viewer], summary="List channels")
async def list_channels(caller: Caller, user: FromQuery[UUID | None] = None) -> Listed[ChannelDocument]:
    """Every channel, or one user's."""

    def find(data: OrgData) -> list[Channel]:
        return data.channels.all(user_id=data.users.get(user).id if user else None)

    return Listed(items=tuple(_shown_to(caller, one) for one in await caller.read(find)))


@post("/channels", guards=[editor], summary="Add a channel")
async def add_channel(caller: Caller, data: JSONBody[NewChannel]) -> Response[MadeChannel]:
    """For oneself; an owner may add others'. A webhook's secret is in this answer and nowhere else."""
    user_id = data.user or caller.identity.user.id
    own_or_owner(caller, user_id)
    if data.kind == "bus" and caller.identity.org.id != DEFAULT_ORG:
        raise PermissionDeniedException(detail="the bus is the operator's own")
    egress = Egress(caller.app.settings.allow_hosts)
    draft = drafted_channel(
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
    return await caller.create(
        lambda stored: stored.channels.add(fresh),
        lambda made: MadeChannel(**_fields(made), secret=secret.value if signed else None),
        kept=lambda made: MadeChannel(**_fields(made), secret=None),
    )


@get("/channels/{channel_id:uuid}", guards=[viewer], summary="Show a channel")
async def show_channel(caller: Caller, channel_id: FromPath[UUID]) -> ChannelDocument:
    """As it is now."""
    return _shown_to(caller, await caller.read(lambda data: data.channels.get(channel_id)))


@delete("/channels/{channel_id:uuid}", guards=[editor], summary="Remove a channel")
async def remove_channel(caller: Caller, channel_id: FromPath[UUID]) -> None:
    """With its deliveries."""

    def remove(data: OrgData) -> None:
        data.channels.remove(_own(caller, data, channel_id).id)

    await caller.write(remove)


@post("/channels/{channel_id:uuid}/default", guards=[editor], status_code=200, summary="Make a channel the default")
async def default_channel(caller: Caller, channel_id: FromPath[UUID]) -> ChannelDocument:
    """For subscriptions that name none."""
    changed = await caller.write(lambda data: data.channels.make_default(_own(caller, data, channel_id).id))
    return channel_document(changed)


@post("/channels/{channel_id:uuid}/off", guards=[editor], status_code=200, summary="Switch a channel off")
async def switch_off(caller: Caller, channel_id: FromPath[UUID]) -> ChannelDocument:
    """Nothing is sent through it for now."""
    at = caller.now
    changed = await caller.write(lambda data: data.channels.switch(_own(caller, data, channel_id).id, off_at=at))
    return channel_document(changed)


@post("/channels/{channel_id:uuid}/on", guards=[editor], status_code=200, summary="Switch a channel on")
async def switch_on(caller: Caller, channel_id: FromPath[UUID]) -> ChannelDocument:
    """Also after driftline switched it off because nobody answered."""
    changed = await caller.write(lambda data: data.channels.switch(_own(caller, data, channel_id).id, off_at=None))
    return channel_document(changed)


@post("/channels/{channel_id:uuid}/rotate", guards=[editor], status_code=200, summary="Give a webhook a new secret")
async def rotate_secret(caller: Caller, channel_id: FromPath[UUID]) -> MadeChannel:
    """For a day messages are signed with both."""
    at = caller.now
    fresh = new_secret(token_bytes(32), at=at)

    def rotate(data: OrgData) -> Channel:
        found = _own(caller, data, channel_id)
        return data.channels.set_secrets(found.id, rotated(found.secrets, fresh, at=at))

    return MadeChannel(**_fields(await caller.write(rotate)), secret=fresh.value)


@post("/channels/{channel_id:uuid}/test", guards=[editor], status_code=200, summary="Send a sample through a channel")
async def test_channel(caller: Caller, channel_id: FromPath[UUID]) -> Tested:
    """Now, and say how it ended."""

    def find(data: OrgData) -> Any:
        found = _own(caller, data, channel_id)
        return found, data.users.get(found.user_id)

    found, user = await caller.read(find)
    letter = Letter(id=caller.app.ids(), channel=found, user=user, sections=(), sample=True, written_at=caller.now)
    async with caller.app.couriers() as couriers:
        courier = couriers.get(found.kind)
        if courier is None:
            raise Refused("no such part is configured", kind=found.kind, hint="see docs/delivery.md")
        outcome = await courier.deliver(letter)
    return Tested(sent=isinstance(outcome, Sent), reason=None if isinstance(outcome, Sent) else outcome.reason)


def own_or_owner(caller: Caller, user_id: UUID) -> None:
    """Editors manage what is theirs, owners everybody's."""
    if user_id != caller.identity.user.id and caller.identity.role != "owner":
        raise PermissionDeniedException(detail="it is somebody else's")


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
)
