"""Limits the size and duration of requests before anything reads them (law 14)."""

from __future__ import annotations

import asyncio
import re
from typing import Any, Final

import msgspec
from litestar.enums import ScopeType
from litestar.exceptions import HTTPException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge
from litestar.types import ASGIApp, Receive, Scope, Send

from driftline.web.problems import MEDIA_TYPE, Problem

HEAD_AT_MOST: Final = 16 * 1024  # bytes of a request's head
QUERY_AT_MOST: Final = 4 * 1024  # bytes of the query: the framework caches parsed ones
BODY_AT_MOST: Final = 64 * 1024  # bytes of a form or a JSON document
LARGE_BODY_AT_MOST: Final = 16 * 1024 * 1024  # for imports; pushed runs are streamed and have their own limit
FIELDS_AT_MOST: Final = 1_000  # of a form: twice as many watches as one form may name
CHUNK_TIMEOUT: Final = 20.0  # seconds for the next chunk of a body
BODY_TIMEOUT: Final = 60.0  # seconds for a whole body, except pushed runs
OUR_COOKIES: Final = frozenset((b"driftline_session", b"driftline_visitor", b"driftline_theme"))
_LARGE: Final = frozenset(("/api/v1/import", "/api/v1/watches"))
_PUSHED: Final = re.compile(r"/api/v1/watches/[0-9A-Za-z-]{1,64}/runs/?")
_COOKIE: Final = re.compile(rb"[\w.~+/=-]{1,512}")
_MAX_COOKIES: Final = 200  # cookies that are examined


class RequestLimits:
    """Wraps the application; removes foreign cookies."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse what is too large; count and time the body while it is read."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        if (problem := _too_large(scope)) is not None:
            await _answer(send, problem)
            return
        _keep_our_cookies(scope)
        await self._app(scope, _bounded(scope, receive), send)


def _too_large(scope: Any) -> Problem | None:
    if len(scope["query_string"]) > QUERY_AT_MOST or len(scope["path"]) > QUERY_AT_MOST:
        return Problem(title="URI Too Long", status=414, detail=f"an address has at most {QUERY_AT_MOST} bytes")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > HEAD_AT_MOST:
        return Problem(title="Request Header Fields Too Large", status=431, detail=f"a head has at most {HEAD_AT_MOST} bytes")
    length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    if length.isdigit() and (limit := _limit(scope)) is not None and int(length) > limit:
        return Problem(title="Request Entity Too Large", status=413, detail=_at_most(limit))
    return None


def _limit(scope: Any) -> int | None:
    """The largest body of a route; None for pushed runs, which have their own limit."""
    path = scope["path"]
    if _PUSHED.fullmatch(path):
        return None
    return LARGE_BODY_AT_MOST if path.rstrip("/") in _LARGE else BODY_AT_MOST


def _at_most(limit: int) -> str:
    return f"a body has at most {limit:,} bytes here"


def _keep_our_cookies(scope: Any) -> None:
    """Pass only our own cookies to the framework."""
    given = [value for name, value in scope["headers"] if name == b"cookie"]
    if not given:
        return
    kept: dict[bytes, bytes] = {}
    for pair in b";".join(given).split(b";", _MAX_COOKIES)[:_MAX_COOKIES]:
        name, _, value = pair.strip().partition(b"=")
        if name in OUR_COOKIES and _COOKIE.fullmatch(value):
            kept.setdefault(name, value)
    others = [pair for pair in scope["headers"] if pair[0] != b"cookie"]
    plain = b"; ".join(name + b"=" + value for name, value in kept.items())
    scope["headers"] = [*others, (b"cookie", plain)] if plain else others


def _bounded(scope: Any, receive: Receive) -> Receive:
    """The body, counted while it grows; a stalled sender is disconnected."""
    limit = _limit(scope)
    form = any(name == b"content-type" and b"urlencoded" in value.lower() for name, value in scope["headers"])
    announced = any(name in (b"content-length", b"transfer-encoding") for name, _ in scope["headers"])
    until = asyncio.get_running_loop().time() + BODY_TIMEOUT
    read = fields = 0
    whole = False

    async def next_message() -> Any:
        nonlocal read, fields, whole
        if whole:  # the next message is the client's disconnect
            return await receive()
        left = CHUNK_TIMEOUT if limit is None else min(CHUNK_TIMEOUT, until - asyncio.get_running_loop().time())
        try:
            message: Any = await asyncio.wait_for(receive(), max(left, 0.0))
        except TimeoutError:
            raise HTTPException(status_code=408, detail="the request came too slowly") from None
        if message["type"] != "http.request":
            if announced:  # the framework would call it a failure of ours
                raise HTTPException(status_code=400, detail="the request broke off")
            return message
        body = message.get("body", b"")
        whole = not message.get("more_body", False)
        read += len(body)
        if limit is not None and read > limit:
            raise RequestEntityTooLarge(detail=_at_most(limit))
        if form:
            fields += body.count(b"&")
            if fields > FIELDS_AT_MOST:
                raise RequestEntityTooLarge(detail=f"a form has at most {FIELDS_AT_MOST:,} fields")
        return message

    return next_message


async def _answer(send: Any, problem: Problem) -> None:
    body = msgspec.json.encode(problem)
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": int(problem.status), "headers": headers})
    await send({"type": "http.response.body", "body": body})
