"""The command that serves the tools for programs on standard input and output."""

from __future__ import annotations

from typing import Annotated

import typer

from driftline.errors import Refused


def mcp(
    read_only: Annotated[bool, typer.Option("--read-only", help="Refuse what needs a token with the scope write.")] = False,
) -> None:
    """Serve tools for programs (MCP) on standard input and output. For agents that start it themselves.

    Needs driftline[mcp]. See docs/howto-mcp.md.
    """
    try:
        from mcp.server.stdio import stdio_server

        from driftline.web.mcp.server import server_for
    except ImportError:
        raise Refused("the package mcp is missing", hint="pip install 'driftline[mcp]'") from None
    from driftline.web.mcp.tools import ToolContext
    from driftline.wiring import opened
    from driftline.wiring.loop import run_loop

    with opened() as app:
        server = server_for(ToolContext(app, not read_only))

        async def serve() -> None:
            async with stdio_server() as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())

        run_loop(serve)


COMMANDS = (mcp,)
