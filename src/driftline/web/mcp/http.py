"""The tools for programs over HTTP (streamable, without sessions): a token's scopes apply as to the API."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Final
from uuid import UUID

from litestar import post
from litestar.types import ASGIApp, Receive, Scope, Send

from driftline.errors import Busy, Refused
from driftline.web.auth.guards import editor, viewer
from driftline.web.auth.request_context import Caller
from driftline.web.mcp.tools import ToolContext
from driftline.web.request_limits import BODY_AT_MOST

CALLS_AT_ONCE: Final = 8  # per org


@post("/mcp", guards=[viewer], status_code=200, include_in_schema=False)
async def serve_tools(caller: Caller) -> ASGIApp:
    """One message of the protocol, and its answer. Each has a server of its own, so that no caller shares one with another."""
    context = ToolContext(caller.app, may_write=editor.admits(caller.identity), workers_run=True)
    running: Counter[UUID] = caller.request.app.state.tool_calls
    await asyncio.to_thread(_load)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        org_id = context.app.org.id
        if running[org_id] >= CALLS_AT_ONCE:
            raise Busy("Too many calls at once", hint="try again in a moment")
        running[org_id] += 1
        try:
            await _answer(context, scope, receive, send)
        finally:
            running[org_id] -= 1

    return answer


def _load() -> None:
    """Import the package where it is first used: it takes half a second and 30 MB."""
    try:
        import driftline.web.mcp.server  # noqa: F401, PLC0415 - see above
    except ImportError:
        raise Refused("the package mcp is missing", hint="the operator installs it: pip install 'driftline[mcp]'") from None


async def _answer(context: ToolContext, scope: Scope, receive: Receive, send: Send) -> None:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: PLC0415 - likewise

    from driftline.web.mcp.server import server_for  # noqa: PLC0415 - likewise

    manager = StreamableHTTPSessionManager(
        server_for(context), json_response=True, stateless=True, max_request_body_size=BODY_AT_MOST
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)  # type: ignore[arg-type]  # ASGI, in other words
