"""What is on its way to people, and what did not arrive."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath
from markupsafe import Markup

from driftline.model.delivery import Delivery, State
from driftline.store.codec import Codec
from driftline.store.rows import Row
from driftline.store.session import OrgData
from driftline.store.views.deliveries import named_delivery
from driftline.web.api import deliveries as api
from driftline.web.auth import editor, viewer
from driftline.web.caller import Caller
from driftline.web.pages.asked import Asked, Given
from driftline.web.pages.lines import filled, lines
from driftline.web.pages.rendering import list_page, to
from driftline.web.questions import listing

SHOWN: Final = 50
STATES: Final[tuple[State, ...]] = ("pending", "sending", "retrying", "sent", "dead", "skipped")


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery in the list."""

    delivery: Delivery
    channel: str
    user: str
    about: str
    run_id: UUID
    again: bool  # may be tried again


def _shown(codec: Codec, row: Row) -> Shown:
    one = named_delivery(codec, row)
    return Shown(
        delivery=one.delivery,
        channel=one.channel,
        user=one.user,
        about=f"{one.total} {'change' if one.total == 1 else 'changes'} on {one.watch}",
        run_id=one.run_id,
        again=one.delivery.state in ("dead", "skipped", "retrying"),
    )


LETTERS: Final = lines("delivery", _shown)


@get("/deliveries", guards=[viewer])
@listing
async def delivery_list(request: Request[Any, Any, Any], caller: Caller) -> Response[str]:
    """Newest first, by state."""
    asked = Asked.of(request, "state", "cursor")
    wanted = [state for state in STATES if state == asked["state"]]
    identity, now = caller.identity, caller.now

    def find(data: OrgData) -> tuple[Markup, str | None, dict[str, int]]:
        found = data.deliveries.page(states=wanted, named=True, limit=SHOWN, cursor=asked["cursor"] or None)
        letters = LETTERS.of(found.codec, found.raw, identity.user.timezone, identity.may("editor", "write"))
        return filled(letters, now=now), found.cursor, data.deliveries.waiting()

    rows, cursor, waiting = await caller.read(find)
    counts = Given(waiting | {"dead": request.scope["state"]["dead_letters"]})  # which the frame had to know
    late = {"rows": rows, "cursor": cursor}
    return list_page(request, "deliveries.html", late, counts=counts, states=STATES, given=asked.given)


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
