"""The list of deliveries, and retries of those that failed."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath

from driftline.model.delivery import Delivery, State
from driftline.store.rows import Page
from driftline.store.session import OrgData
from driftline.store.views.deliveries import DeliveryListing
from driftline.web.api.delivery import deliveries as api
from driftline.web.auth.guards import editor, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.pages.parts.form import FormValues
from driftline.web.pages.parts.rendering import page, to

SHOWN: Final = 50
STATES: Final[tuple[State, ...]] = ("pending", "sending", "retrying", "sent", "dead", "skipped")


class DeliveryRow(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery in the list."""

    delivery: Delivery
    channel: str
    user: str
    about: str
    run_id: UUID
    again: bool  # may be tried again


def _shown(one: DeliveryListing) -> DeliveryRow:
    return DeliveryRow(
        delivery=one.delivery,
        channel=one.channel,
        user=one.user,
        about=f"{one.total} {'change' if one.total == 1 else 'changes'} on {one.watch}",
        run_id=one.run_id,
        again=one.delivery.state in ("dead", "skipped", "retrying"),
    )


@get("/deliveries", guards=[viewer])
async def delivery_list(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """Newest first, by state."""
    values = FormValues.of(request, "state", "cursor")
    wanted = [state for state in STATES if state == values["state"]]

    def find(data: OrgData) -> tuple[Page[DeliveryListing], dict[str, int]]:
        found = data.deliveries.listing(states=wanted, limit=SHOWN, cursor=values["cursor"] or None)
        return found, data.deliveries.waiting()

    found, waiting = await caller.read(find)
    return page(
        request,
        "deliveries.html",
        deliveries=[_shown(one) for one in found.rows],
        cursor=found.cursor,
        counts=waiting | {"dead": request.scope["state"]["dead_letters"]},  # which the frame had to know
        states=STATES,
        given=values.given,
    )


@post("/deliveries/{delivery_id:uuid}/requeue", guards=[editor])
async def requeue(caller: Caller, delivery_id: FromPath[UUID]) -> Response[None]:
    """Try it again, under the same id."""
    await api.requeue_delivery.fn(caller, delivery_id)
    return to("/deliveries", done="requeued")


@post("/deliveries/requeue", guards=[editor])
async def requeue_dead(caller: Caller) -> Response[None]:
    """Retry all failed deliveries."""
    await api.requeue_dead.fn(caller)
    return to("/deliveries", done="requeued")


ROUTES = (delivery_list, requeue, requeue_dead)
