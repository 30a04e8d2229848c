"""Subscriptions: who is notified of what."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Response, delete, get, post
from litestar.params import FromPath, FromQuery, JSONBody
from msgspec import Meta

from driftline.deliver.account_input import draft_filter
from driftline.errors import UsageError
from driftline.model.delivery import Filter, Subscription
from driftline.store.db.codec import clamped
from driftline.store.rows import Page
from driftline.store.session import OrgData
from driftline.web.api.delivery.channels import own_or_owner
from driftline.web.auth.guards import editor, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.paging import Cursor, Limit, Listed, listed


class SubscriptionDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A user who is notified of the changes of a watch."""

    id: UUID
    user: UUID
    watch: UUID | None  # null: the watches with the tag, or every watch of the org
    tag: str | None
    channels: tuple[UUID, ...]
    filter: Filter
    muted_until: datetime | None
    active: bool
    created_at: datetime


class NewSubscription(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A subscription to add."""

    watch: UUID | None = None  # null: every watch, present and to come
    tag: Annotated[str, Meta(min_length=1, max_length=200)] | None = None  # instead of a watch: those that have this tag
    user: UUID | None = None  # null: the signed-in user
    channels: Annotated[tuple[UUID, ...], Meta(max_length=50)] = ()  # none: the user's default one
    filter: dict[str, Any] = {}


class Silence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long to mute a subscription."""

    until: Annotated[datetime, Meta(tz=True)] | None  # null: speak again


@get("/subscriptions", guards=[viewer], summary="List subscriptions")
async def list_subscriptions(
    caller: Caller,
    user: FromQuery[UUID | None] = None,
    watch: FromQuery[UUID | None] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[SubscriptionDocument]:
    """Subscriptions of the org, or those of one user or watch, oldest first."""

    def find(data: OrgData) -> Page[Subscription]:
        return data.subscriptions.page(
            user_id=data.users.get(user).id if user else None,
            watch_id=data.watches.get(watch).id if watch else None,
            limit=limit,
            cursor=cursor,
        )

    return listed(await caller.read(find), subscription_document)


@post("/subscriptions", guards=[editor], summary="Subscribe")
async def add_subscription(caller: Caller, data: JSONBody[NewSubscription]) -> Response[SubscriptionDocument]:
    """For yourself; an owner may subscribe others."""
    user_id = data.user or caller.identity.user.id
    own_or_owner(caller, user_id)
    if data.watch and data.tag:
        raise UsageError("a subscription is to a watch or to a tag", hint="leave one of them out")
    fresh = Subscription(
        id=caller.app.ids(),
        org_id=caller.identity.org.id,
        user_id=user_id,
        watch_id=data.watch,
        tag=data.tag,
        channel_ids=data.channels,
        filter=draft_filter(data.filter),
        created_at=caller.now,
    )
    return await caller.create(lambda stored: stored.subscriptions.add(fresh), subscription_document)


@get("/subscriptions/{subscription_id:uuid}", guards=[viewer], summary="Show a subscription")
async def show_subscription(caller: Caller, subscription_id: FromPath[UUID]) -> SubscriptionDocument:
    """With its filter and state."""
    return subscription_document(await caller.read(lambda data: data.subscriptions.get(subscription_id)))


@post("/subscriptions/{subscription_id:uuid}/mute", guards=[editor], status_code=200, summary="Mute a subscription")
async def mute_subscription(caller: Caller, subscription_id: FromPath[UUID], data: JSONBody[Silence]) -> SubscriptionDocument:
    """Changes in that time are not sent."""
    until_at = clamped(data.until) if data.until else None
    if until_at is not None and until_at > caller.now + timedelta(days=3660):
        raise UsageError("the time is too long", hint="end the subscription instead")

    def mute(stored: OrgData) -> Subscription:
        return stored.subscriptions.mute(_own(caller, stored, subscription_id).id, until_at=until_at)

    return subscription_document(await caller.write(mute))


@post("/subscriptions/{subscription_id:uuid}/pause", guards=[editor], status_code=200, summary="Pause a subscription")
async def pause_subscription(caller: Caller, subscription_id: FromPath[UUID]) -> SubscriptionDocument:
    """Changes are not sent until it is resumed."""
    at = caller.now
    changed = await caller.write(lambda data: data.subscriptions.pause(_own(caller, data, subscription_id).id, at=at))
    return subscription_document(changed)


@post("/subscriptions/{subscription_id:uuid}/resume", guards=[editor], status_code=200, summary="Resume a subscription")
async def resume_subscription(caller: Caller, subscription_id: FromPath[UUID]) -> SubscriptionDocument:
    """Changes from now on are sent."""
    changed = await caller.write(lambda data: data.subscriptions.pause(_own(caller, data, subscription_id).id, at=None))
    return subscription_document(changed)


@delete("/subscriptions/{subscription_id:uuid}", guards=[editor], summary="End a subscription")
async def remove_subscription(caller: Caller, subscription_id: FromPath[UUID]) -> None:
    """This cannot be undone."""
    await caller.write(lambda data: data.subscriptions.remove(_own(caller, data, subscription_id).id))


def _own(caller: Caller, data: OrgData, subscription_id: UUID) -> Subscription:
    found = data.subscriptions.get(subscription_id)
    own_or_owner(caller, found.user_id)
    return found


def subscription_document(subscription: Subscription) -> SubscriptionDocument:
    """A subscription as it is shown."""
    return SubscriptionDocument(
        id=subscription.id,
        user=subscription.user_id,
        watch=subscription.watch_id,
        tag=subscription.tag,
        channels=subscription.channel_ids,
        filter=subscription.filter,
        muted_until=subscription.muted_until_at,
        active=subscription.paused_at is None,
        created_at=subscription.created_at,
    )


ROUTES = (
    list_subscriptions,
    add_subscription,
    show_subscription,
    mute_subscription,
    pause_subscription,
    resume_subscription,
    remove_subscription,
)
