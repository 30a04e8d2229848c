"""The link that confirms a mail address: a page with one button, which works once."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from litestar import Request, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.handlers import BaseRouteHandler
from litestar.params import FromPath

from driftline.model.delivery import Channel
from driftline.store.accounts.channels import any_channel
from driftline.store.accounts.confirmations import confirm_by_link, is_pending
from driftline.store.session import Session
from driftline.web.auth.guards import Connection, Guard
from driftline.web.auth.secrets import stored
from driftline.web.pages.parts.rendering import page
from driftline.web.pages.public import failing
from driftline.wiring import App

PATH: Final = "/confirm/{channel_id:uuid}/{secret:str}"


class Invited(Guard):
    """Whoever got the link by mail, and has no session."""

    async def __call__(self, connection: Connection, _handler: BaseRouteHandler) -> None:
        """A link that is none, was used, or is too old is a page that does not exist."""
        app: App = connection.app.state.driftline
        channel_id, secret = connection.path_params["channel_id"], str(connection.path_params["secret"])
        at = app.clock.now()

        def find(session: Session) -> Channel | None:
            pending = is_pending(session.tx, channel_id, stored(secret), at=at)
            return any_channel(session.tx, channel_id) if pending else None

        found = await app.store.read(find)
        if found is None:
            raise NotFoundException
        connection.scope["state"]["channel"] = found


invited: Final = Invited()


@get(PATH, guards=[invited], include_in_schema=False, exception_handlers=failing.HANDLERS)
async def confirming(request: Request[Any, Any, Any], channel_id: FromPath[UUID], secret: FromPath[str]) -> Response[str]:  # noqa: ARG001 - the guard checks them
    """Asks first: programs that look at mails open every link in them."""
    return page(request, "confirm.html", target=request.state.channel.target, confirmed=False)


@post(PATH, guards=[invited], include_in_schema=False, exception_handlers=failing.HANDLERS, status_code=200)
async def confirm(request: Request[Any, Any, Any], channel_id: FromPath[UUID], secret: FromPath[str]) -> Response[str]:
    """From now on reports go to the address."""
    app: App = request.app.state.driftline
    at = app.clock.now()
    if not await app.store.write(lambda session: confirm_by_link(session.tx, channel_id, stored(secret), at=at)):
        raise NotFoundException
    return page(request, "confirm.html", target=request.state.channel.target, confirmed=True)


ROUTES = (confirming, confirm)
