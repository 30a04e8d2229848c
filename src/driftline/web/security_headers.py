"""Checks the Host header of every request, and adds security headers to every answer."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any, Final

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from driftline.core.identity.fingerprint import digest
from driftline.web.problems import MEDIA_TYPE, Problem

log = logging.getLogger(__name__)

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)
SANDBOX: Final = "default-src 'none'; sandbox"  # for foreign content: raw snapshots
LOOKED: Final = (
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'"  # in a frame of ours
)
_HEADERS: Final = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),  # with no-referrer browsers would hide the Origin of our own forms
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"cache-control", b"no-store"),
)
_TAGGED: Final = b"private, no-cache"
_LAST_PORT: Final = 65_535
_PROBES: Final = frozenset({"/healthz", "/readyz"})  # requested by IP address, and reveal nothing
LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")

Observer = Callable[[str, int, float], None]  # method, status, seconds


class SecurityHeaders:
    """Wraps the whole application, so that every answer has the headers, even a 404."""

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str], https: bool, observe: Observer) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._headers = _HEADERS + (((b"strict-transport-security", b"max-age=31536000"),) if https else ())
        self._observe = observe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse unknown hosts; add headers to every other answer."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        method, path = scope["method"], scope["path"]
        started = time.perf_counter()
        answer = _Answer(send, self._headers, _requested_tags(scope))
        try:
            if (path in _PROBES and method == "GET") or requested_host(scope) in self._hosts:
                await self._app(scope, receive, answer)
            else:
                await _refuse(answer)
        finally:
            took = time.perf_counter() - started
            self._observe(method, answer.status, took)
            if log.isEnabledFor(logging.INFO):
                facts = {
                    "method": method,
                    "path": path,
                    "status": answer.status,
                    "seconds": round(took, 4),
                }
                log.info("request", extra=facts)


class _Answer:
    """Passes messages on with our headers; a JSON answer to a GET gets an ETag, or becomes a 304."""

    def __init__(self, send: Send, headers: tuple[tuple[bytes, bytes], ...], known_tags: frozenset[bytes] | None) -> None:
        self._send = send
        self._headers = headers
        self._known_tags = known_tags
        self._start_message: Any = None
        self.status = 0

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = dict(message)
            given = list(message.get("headers", ()))
            names = {name.lower() for name, _ in given}
            message["headers"] = given + [pair for pair in self._headers if pair[0] not in names]
            if self._known_tags is not None and self.status == HTTPStatus.OK and _is_json(given):
                self._start_message = message  # kept until the body is known
            else:
                await self._send(message)
        elif self._start_message is not None:
            start, self._start_message = self._start_message, None
            if message.get("more_body"):
                await self._send(start)
                await self._send(message)
            else:
                await self._tagged(start, message)
        else:
            await self._send(message)

    async def _tagged(self, start: Any, message: Any) -> None:
        tag = b'"' + digest(message.get("body", b"")).hex().encode() + b'"'
        kept = [pair for pair in start["headers"] if pair[0].lower() != b"cache-control"]
        start["headers"] = [*kept, (b"etag", tag), (b"cache-control", _TAGGED)]
        if self._known_tags and (tag in self._known_tags or b"*" in self._known_tags):
            self.status = start["status"] = HTTPStatus.NOT_MODIFIED.value
            start["headers"] = [
                pair for pair in start["headers"] if pair[0].lower() not in (b"content-length", b"content-type")
            ]
            message = dict(message) | {"body": b""}
        await self._send(start)
        await self._send(message)


def _requested_tags(scope: Any) -> frozenset[bytes] | None:
    """The ETags of a request to the API; None if ETags do not apply."""
    if scope["method"] != "GET" or not scope["path"].startswith("/api/"):
        return None
    found = b",".join(value for name, value in scope["headers"] if name == b"if-none-match")
    return frozenset(tag.strip().removeprefix(b"W/") for tag in found.split(b",") if tag.strip())


def _is_json(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"application/json") for name, value in headers)


def requested_host(scope: Any) -> str:
    """The requested host without its port; empty if the header is missing or repeated."""
    found = [value for name, value in scope["headers"] if name == b"host"]
    if len(found) != 1:
        return ""
    text: str = found[0].decode("latin-1").lower()
    name, colon, port = text.rpartition(":")
    return name if colon and port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= _LAST_PORT else text


def first_header(scope: Any, name: bytes) -> str | None:
    """A raw header; the framework would parse all of them."""
    for header, value in scope["headers"]:
        if header == name:
            return str(value, "latin-1")
    return None


async def _refuse(send: Any) -> None:
    problem = Problem(
        title="Misdirected Request",
        status=HTTPStatus.MISDIRECTED_REQUEST,
        detail="unknown host name",
        hint="set DRIFTLINE_PUBLIC_URL or DRIFTLINE_WEB_HOSTS",
    )
    body = msgspec.json.encode(problem)
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
