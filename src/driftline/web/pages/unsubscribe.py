"""The unsubscribe link of every mail: a page with one button, and the same in one click by the mail program (RFC 8058)."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from litestar import Request, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.handlers import BaseRouteHandler
from litestar.params import FromPath

from driftline.deliver.channels.signing import proves
from driftline.deliver.render.mail import UNSUBSCRIBE
from driftline.model.delivery import UNSUBSCRIBED, Channel
from driftline.store.views.accounts import any_channel
from driftline.web.auth.guards import Connection, Guard
from driftline.web.pages import failing
from driftline.web.pages.parts.rendering import page
from driftline.wiring import App

PATH: Final = "/unsubscribe/{channel_id:uuid}/{proof:str}"


class Addressee(Guard):
    """Whoever got a mail through the channel: the link in it proves so, and a mail program has no session."""

    async def __call__(self, connection: Connection, _handler: BaseRouteHandler) -> None:
        """A proof that is none is a page that does not exist."""
        channel_id, proof = connection.path_params["channel_id"], str(connection.path_params["proof"])
        found = await connection.app.state.driftline.store.read(lambda session: any_channel(session.tx, channel_id))
        if found is None or not proves(found.secrets, UNSUBSCRIBE, proof):
            raise NotFoundException
        connection.scope["state"]["channel"] = found


addressee: Final = Addressee()


@get(PATH, guards=[addressee], include_in_schema=False, exception_handlers=failing.HANDLERS)
async def leaving(request: Request[Any, Any, Any], channel_id: FromPath[UUID], proof: FromPath[str]) -> Response[str]:  # noqa: ARG001 - the guard looked at them
    """Asks first: programs that look at mails open every link in them."""
    return _page(request, request.state.channel)


@post(PATH, guards=[addressee], include_in_schema=False, exception_handlers=failing.HANDLERS, status_code=200)
async def leave(request: Request[Any, Any, Any], channel_id: FromPath[UUID], proof: FromPath[str]) -> Response[str]:  # noqa: ARG001 - the guard looked at them
    """Nothing is sent through the channel any more; as often as it is asked for."""
    app: App = request.app.state.driftline
    channel: Channel = request.state.channel
    if channel.disabled_at is None:
        at = app.clock.now()
        channel = await app.store.write(
            lambda session: session.org(channel.org_id).channels.switch(channel_id, off_at=at, reason=UNSUBSCRIBED)
        )
    return _page(request, channel)


def _page(request: Request[Any, Any, Any], channel: Channel) -> Response[str]:
    return page(request, "unsubscribe.html", target=channel.target, off=channel.disabled_at is not None)


ROUTES = (leaving, leave)
