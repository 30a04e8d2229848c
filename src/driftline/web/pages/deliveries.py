"""What is on its way to people, and what did not arrive."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath

from driftline.model.delivery import Delivery, State
from driftline.store.rows import Page
from driftline.store.session import OrgData
from driftline.web.api import deliveries as api
from driftline.web.auth import editor, viewer
from driftline.web.caller import Caller
from driftline.web.pages.asked import Asked
from driftline.web.pages.rendering import page, to

SHOWN: Final = 50
STATES: Final[tuple[State, ...]] = ("pending", "sending", "retrying", "sent", "dead", "skipped")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery in the list."""

    delivery: Delivery
    channel: str
    user: str
    about: str
    run_id: UUID | None
    again: bool  # may be tried again


@get("/deliveries", guards=[viewer])
async def delivery_list(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """Newest first, by state."""
    asked = Asked.of(request, "state", "cursor")
    wanted = [state for state in STATES if state == asked["state"]]

    def find(data: OrgData) -> tuple[Page[Delivery], dict[str, int], list[Row]]:
        found = data.deliveries.page(states=wanted, limit=SHOWN, cursor=asked["cursor"] or None)
        channels = {one.id: one.name for one in data.channels.all()}
        users = {one.id: one.name for one in data.users.all()}
        told = data.told.by_report([one.report_id for one in found.rows])
        rows = []
        for one in found.rows:
            run_id, name, total = told.get(one.report_id, (None, "", 0))
            rows.append(
                Row(
                    delivery=one,
                    channel=channels.get(one.channel_id, "a channel that is gone"),
                    user=users.get(one.user_id, ""),
                    about=f"{total} {'change' if total == 1 else 'changes'} on {name}" if run_id else "a report that is gone",
                    run_id=run_id,
                    again=one.state in ("dead", "skipped", "retrying"),
                )
            )
        return found, data.deliveries.waiting(), rows

    found, counts, rows = await caller.read(find)
    return page(request, "deliveries.html", rows=rows, counts=counts, states=STATES, cursor=found.cursor, given=asked.given)


@post("/deliveries/{delivery_id:uuid}/requeue", guards=[editor])
async def requeue(caller: Caller, delivery_id: FromPath[UUID]) -> Response[None]:
    """Try it again, under the same id."""
    await api.requeue_delivery.fn(caller, delivery_id)
    return to("/deliveries", done="requeued")


@post("/deliveries/requeue", guards=[editor])
async def requeue_dead(caller: Caller) -> Response[None]:
    """Try all dead letters again."""
    await api.requeue_dead.fn(caller)
    return to("/deliveries", done="requeued")


ROUTES = (delivery_list, requeue, requeue_dead)
