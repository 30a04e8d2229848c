"""The unsubscribe link of every mail: a page that asks, this watch or everything; a mail program ends all (RFC 8058)."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from litestar import Request, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.handlers import BaseRouteHandler
from litestar.params import FromPath

from driftline.deliver.channels.signing import is_valid_token
from driftline.deliver.render.mail import UNSUBSCRIBE
from driftline.errors import NotFound
from driftline.model.delivery import UNSUBSCRIBED, Channel
from driftline.model.watch import Watch
from driftline.store.accounts.channels import any_channel
from driftline.store.db.query import uuid_or_none
from driftline.web.auth.guards import Connection, Guard
from driftline.web.pages.parts.rendering import page
from driftline.web.pages.public import failing
from driftline.wiring import App

PATH: Final = "/unsubscribe/{channel_id:uuid}/{proof:str}"


class Addressee(Guard):
    """Whoever got a mail through the channel: the link in it proves so, and a mail program has no session."""

    async def __call__(self, connection: Connection, _handler: BaseRouteHandler) -> None:
        """A proof that is none is a page that does not exist."""
        channel_id, proof = connection.path_params["channel_id"], str(connection.path_params["proof"])
        found = await connection.app.state.driftline.store.read(lambda session: any_channel(session.tx, channel_id))
        if found is None or not is_valid_token(found.secrets, UNSUBSCRIBE, proof):
            raise NotFoundException
        connection.scope["state"]["channel"] = found


addressee: Final = Addressee()


@get(PATH, guards=[addressee], include_in_schema=False, exception_handlers=failing.HANDLERS)
async def leaving(request: Request[Any, Any, Any], channel_id: FromPath[UUID], proof: FromPath[str]) -> Response[str]:  # noqa: ARG001 - the guard checks them
    """Asks first: programs that look at mails open every link in them."""
    return _page(request, request.state.channel, watch=await _watch(request))


@post(PATH, guards=[addressee], include_in_schema=False, exception_handlers=failing.HANDLERS, status_code=200)
async def leave(request: Request[Any, Any, Any], channel_id: FromPath[UUID], proof: FromPath[str]) -> Response[str]:  # noqa: ARG001 - the guard checks them
    """Nothing is sent about the watch, or through the channel at all; as often as it is asked for."""
    app: App = request.app.state.driftline
    channel: Channel = request.state.channel
    watch = await _watch(request)
    if watch is not None and (await request.form()).get("scope") == "watch":
        await app.store.write(lambda session: session.org(channel.org_id).subscriptions.unsubscribe(channel, watch.id))
        return _page(request, channel, watch=watch, left=True)
    if channel.disabled_at is None:
        at = app.clock.now()
        channel = await app.store.write(
            lambda session: session.org(channel.org_id).channels.set_off_at(channel_id, off_at=at, reason=UNSUBSCRIBED)
        )
    return _page(request, channel)


async def _watch(request: Request[Any, Any, Any]) -> Watch | None:
    """The watch that the mail was about, where it is still there."""
    watch_id = uuid_or_none(request.query_params.get("watch", ""))
    if watch_id is None:
        return None
    app: App = request.app.state.driftline
    channel: Channel = request.state.channel
    try:
        return await app.store.read(lambda session: session.org(channel.org_id).watches.get(watch_id))
    except NotFound:
        return None


def _page(
    request: Request[Any, Any, Any], channel: Channel, *, watch: Watch | None = None, left: bool = False
) -> Response[str]:
    off = channel.disabled_at is not None
    return page(request, "unsubscribe.html", target=channel.target, off=off, watch=watch.name if watch else "", left=left)


ROUTES = (leaving, leave)
