"""The MCP server over the tools: the official package, loaded only where it is asked for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from typing import Any, TypeVar
from uuid import UUID

import mcp.types as protocol
import msgspec
from mcp import MCPError
from mcp.server.lowlevel import Server

from driftline import __version__
from driftline.errors import DriftlineError, UsageError
from driftline.web.api.documents import change_document
from driftline.web.mcp.tools import TOOLS, ToolContext
from driftline.web.problems import status_of

log = logging.getLogger(__name__)
T = TypeVar("T")

_ENCODER = msgspec.json.Encoder(decimal_format="string")
_SNAPSHOT, _REPORT = "driftline://snapshots/", "driftline://reports/"
LONGEST = 200_000  # characters of one answer
CALL_FOR = 60.0  # seconds of one call where people wait for the same process


def server_for(context: ToolContext) -> Server[Any]:
    """A server whose requests all act for the same caller."""

    async def list_tools(_context: Any, _params: Any) -> protocol.ListToolsResult:
        return protocol.ListToolsResult(
            tools=[
                protocol.Tool(
                    name=name,
                    description=tool.arguments.__doc__ or name,
                    input_schema=_schema(tool.arguments),
                    annotations=protocol.ToolAnnotations(read_only_hint=not tool.stores),
                )
                for name, tool in TOOLS.items()
            ]
        )

    async def call_tool(_context: Any, params: protocol.CallToolRequestParams) -> protocol.CallToolResult:
        try:
            return _result(await _in_time(context, _called(context, params)))
        except Exception as error:  # noqa: BLE001 - the protocol would send any exception's text
            return _result(_shown(error), failed=True)

    async def list_templates(_context: Any, _params: Any) -> protocol.ListResourceTemplatesResult:
        return protocol.ListResourceTemplatesResult(
            resource_templates=[
                protocol.ResourceTemplate(name="snapshot", uri_template=f"{_SNAPSHOT}{{id}}", mime_type="text/plain"),
                protocol.ResourceTemplate(name="report", uri_template=f"{_REPORT}{{run}}", mime_type="application/json"),
            ]
        )

    async def read_resource(_context: Any, params: protocol.ReadResourceRequestParams) -> protocol.ReadResourceResult:
        uri = str(params.uri)
        try:
            text = await _in_time(context, _resource(context, uri))
        except Exception as error:  # noqa: BLE001 - likewise
            raise MCPError(code=protocol.INVALID_PARAMS, message=_shown(error)) from None
        return protocol.ReadResourceResult(contents=[protocol.TextResourceContents(uri=uri, text=text[:LONGEST])])

    return Server(
        "driftline",
        version=__version__,
        instructions="Watches web pages, shops, booking pages and sitemaps, and says what really changed.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


async def _in_time(context: ToolContext, answer: Awaitable[T]) -> T:
    if not context.workers_run:
        return await answer
    try:
        async with asyncio.timeout(CALL_FOR):
            return await answer
    except TimeoutError:
        raise UsageError("the call took too long", hint="ask for less, or try again in a moment") from None


def _shown(error: Exception) -> str:
    """What is wrong with a call; a failure of ours reveals nothing."""
    if isinstance(error, DriftlineError) and status_of(error) < 500:
        return str(error)
    log.error("tool failed", exc_info=error)
    return "driftline failed; its log says why"


async def _called(context: ToolContext, params: protocol.CallToolRequestParams) -> Any:
    tool = TOOLS.get(params.name)
    if tool is None:
        raise UsageError("unknown tool", tool=params.name, hint=f"use one of: {', '.join(TOOLS)}")
    if tool.needs_write and not context.may_write:
        raise UsageError("this token may only read", tool=params.name, hint="use a token with the scope write")
    try:
        args = msgspec.convert(params.arguments or {}, tool.arguments, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError("invalid arguments", problem=str(error), hint="see the tool's schema") from None
    return await tool.run(context, args)


async def _resource(context: ToolContext, uri: str) -> str:
    """A stored version as text, or a report as JSON."""
    reference = uri.rpartition("/")[2]
    try:
        id_ = UUID(reference)
    except ValueError:
        raise UsageError("unknown resource", uri=uri[:200], hint=f"use {_SNAPSHOT}ID or {_REPORT}RUN") from None
    if uri.startswith(_SNAPSHOT):
        content = await context.read(lambda data: data.contents.get(id_))
        return content.text or _ENCODER.encode(content.state).decode()
    if uri.startswith(_REPORT):
        page = await context.read(lambda data: data.changes.page(run_id=data.runs.get(id_).id, limit=200))
        return _ENCODER.encode([change_document(change) for change in page.rows]).decode()
    raise UsageError("unknown resource", uri=uri[:200], hint=f"use {_SNAPSHOT}ID or {_REPORT}RUN")


def _result(value: Any, *, failed: bool = False) -> protocol.CallToolResult:
    text = value if isinstance(value, str) else _ENCODER.encode(value).decode()
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}… (cut: ask with a smaller limit)"
    return protocol.CallToolResult(content=[protocol.TextContent(type="text", text=text)], is_error=failed)


def _schema(type_: type[Any]) -> dict[str, Any]:
    """The JSON schema of arguments, without references."""
    (schema,), parts = msgspec.json.schema_components([type_], ref_template="#/$defs/{name}")
    own = parts.pop(type_.__name__)
    return {**own, **({"$defs": parts} if parts else {})} if "$ref" in schema else schema
