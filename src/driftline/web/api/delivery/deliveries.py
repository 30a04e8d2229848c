"""Deliveries: their state, and retries of those that failed."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import get, post
from litestar.params import FromPath, FromQuery, QueryParameter

from driftline.model.delivery import Delivery, State
from driftline.store.session import OrgData
from driftline.web.auth.guards import editor, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.paging import Cursor, Limit, Listed, listed


class DeliveryDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One report on its way to one channel."""

    id: UUID
    report: UUID
    channel: UUID
    user: UUID
    state: State
    reason: str | None
    attempts: int
    next_attempt_at: datetime | None
    digest_at: datetime | None
    sent_at: datetime | None
    created_at: datetime


class Requeued(msgspec.Struct, frozen=True, kw_only=True):
    """How many deliveries will be retried."""

    requeued: int


@get("/deliveries", guards=[viewer], summary="List deliveries")
async def list_deliveries(
    caller: Caller,
    delivery_state: Annotated[State | None, QueryParameter(name="state", required=False)] = None,
    user: FromQuery[UUID | None] = None,
    channel: FromQuery[UUID | None] = None,
    report: FromQuery[UUID | None] = None,
    watch: FromQuery[UUID | None] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[DeliveryDocument]:
    """Newest first, with the reason of each failure."""

    def find(data: OrgData) -> Listed[DeliveryDocument]:
        page = data.deliveries.page(
            states=(delivery_state,) if delivery_state else (),
            user_id=data.users.get(user).id if user else None,
            channel_id=data.channels.get(channel).id if channel else None,
            report_id=report,
            watch_id=data.watches.get(watch).id if watch else None,
            limit=limit,
            cursor=cursor,
        )
        return listed(page, delivery_document)

    return await caller.read(find)


@get("/dead-letters", guards=[viewer], summary="List failed deliveries")
async def list_dead(caller: Caller, limit: Limit = 100, cursor: Cursor = None) -> Listed[DeliveryDocument]:
    """Deliveries that were given up and can be retried."""
    return await caller.read(
        lambda data: listed(data.deliveries.page(states=("dead",), limit=limit, cursor=cursor), delivery_document)
    )


@post("/dead-letters/requeue", guards=[editor], status_code=200, summary="Retry all failed deliveries")
async def requeue_dead(caller: Caller) -> Requeued:
    """Each delivery keeps its id."""
    at = caller.now
    return Requeued(requeued=await caller.write(lambda data: data.deliveries.requeue_dead(at=at)))


@get("/deliveries/{delivery_id:uuid}", guards=[viewer], summary="Show a delivery")
async def show_delivery(caller: Caller, delivery_id: FromPath[UUID]) -> DeliveryDocument:
    """With its state, attempts and last failure."""
    return delivery_document(await caller.read(lambda data: data.deliveries.get(delivery_id)))


@post("/deliveries/{delivery_id:uuid}/requeue", guards=[editor], status_code=200, summary="Retry a delivery")
async def requeue_delivery(caller: Caller, delivery_id: FromPath[UUID]) -> DeliveryDocument:
    """A delivery that failed, was skipped, or waits for its next attempt. It keeps its id."""
    at = caller.now
    return delivery_document(await caller.write(lambda data: data.deliveries.requeue(delivery_id, at=at)))


def delivery_document(delivery: Delivery) -> DeliveryDocument:
    """A delivery as it is shown."""
    return DeliveryDocument(
        id=delivery.id,
        report=delivery.report_id,
        channel=delivery.channel_id,
        user=delivery.user_id,
        state=delivery.state,
        reason=delivery.reason,
        attempts=delivery.attempts,
        next_attempt_at=delivery.next_attempt_at,
        digest_at=delivery.digest_at,
        sent_at=delivery.sent_at,
        created_at=delivery.created_at,
    )


ROUTES = (list_deliveries, list_dead, requeue_dead, show_delivery, requeue_delivery)
