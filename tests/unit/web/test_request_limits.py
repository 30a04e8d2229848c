"""What a request may bring, decided before anything reads it."""

from __future__ import annotations

from typing import Any

import pytest
from litestar.exceptions import HTTPException

from driftline.web.request_limits import BODY_AT_MOST, FIELDS_AT_MOST, RequestLimits


async def asked(
    headers: list[tuple[bytes, bytes]], *, body: bytes = b"", path: str = "/sign-in", query: bytes = b""
) -> tuple[dict[str, Any], int]:
    """What the application behind the limits sees, and the status that was answered in its place; 0: none."""
    seen: dict[str, Any] = {}
    status = 0

    async def app(scope: Any, receive: Any, _send: Any) -> None:
        seen["cookies"] = [value for name, value in scope["headers"] if name == b"cookie"]
        message = await receive()
        seen["body"] = message["body"]

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    scope: Any = {"type": "http", "method": "POST", "path": path, "query_string": query, "headers": headers}
    await RequestLimits(app)(scope, receive, send)
    return seen, status


async def test_only_our_own_cookies_plainly_written_are_read() -> None:
    sent = b'other="' + b"\\" * 1_000 + b'"; driftline_session=abc-1; driftline_theme="x\\"; driftline_visitor=v=='
    seen, _ = await asked([(b"cookie", sent), (b"cookie", b"driftline_session=second")])
    assert seen["cookies"] == [b"driftline_session=abc-1; driftline_visitor=v=="]


async def test_a_body_has_a_limit_that_imports_and_pushed_runs_do_not_share() -> None:
    large = b"a" * (BODY_AT_MOST + 1)
    with pytest.raises(HTTPException) as refused:
        await asked([], body=large)
    assert refused.value.status_code == 413
    assert (await asked([], body=large, path="/api/v1/import"))[0]["body"] == large
    assert (await asked([], body=large, path="/api/v1/watches/0190-ab/runs"))[0]["body"] == large


async def test_a_body_that_says_it_is_too_large_is_never_read() -> None:
    assert await asked([(b"content-length", b"%d" % (BODY_AT_MOST + 1))]) == ({}, 413)


async def test_a_form_has_only_so_many_fields() -> None:
    kind = [(b"content-type", b"application/x-www-form-urlencoded")]
    with pytest.raises(HTTPException):
        await asked(kind, body=b"&a=b" * (FIELDS_AT_MOST + 1))
    assert (await asked(kind, body=b"&a=b" * FIELDS_AT_MOST))[0]


@pytest.mark.parametrize(
    ("headers", "query", "status"), [([(b"x", b"y" * 17_000)], b"", 431), ([], b"a=%41&" * 1_000, 414)], ids=["head", "query"]
)
async def test_a_head_has_a_limit(headers: list[tuple[bytes, bytes]], query: bytes, status: int) -> None:
    assert await asked(headers, query=query) == ({}, status)
