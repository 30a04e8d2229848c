"""What every request passes, without an application behind it."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from driftline.web.front import Front
from driftline.web.logs import JsonLines


async def asked(
    path: str, *, body: bytes = b"{}", media: bytes = b"application/json", headers: Any = (), chunks: int = 1
) -> Any:
    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", media)]})
        for number in range(chunks):
            await send({"type": "http.response.body", "body": body, "more_body": number < chunks - 1})

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("nobody reads")

    front = Front(app, hosts=["localhost"], https=False, observe=lambda *_: None)
    scope = {"type": "http", "method": "GET", "path": path, "headers": [(b"host", b"localhost"), *headers]}
    await front(scope, receive, send)  # type: ignore[arg-type]  # a scope as servers write it
    return sent


def tag(sent: Any) -> bytes | None:
    return dict(sent[0]["headers"]).get(b"etag")


async def test_a_json_read_of_the_api_gets_a_tag_and_is_not_sent_twice() -> None:
    first = await asked("/api/v1/x", body=b'{"a":1}')
    known = tag(first)
    assert known is not None
    again = await asked("/api/v1/x", body=b'{"a":1}', headers=[(b"if-none-match", b'"other", W/' + known)])
    assert (again[0]["status"], again[1]["body"]) == (304, b"")
    changed = await asked("/api/v1/x", body=b'{"a":2}', headers=[(b"if-none-match", known)])
    assert changed[0]["status"] == 200


async def test_streams_pages_and_other_types_pass_as_they_are() -> None:
    assert tag(await asked("/api/v1/x", chunks=3)) is None
    assert len(await asked("/api/v1/x", chunks=3)) == 4
    assert tag(await asked("/page")) is None
    assert tag(await asked("/api/v1/x", media=b"text/csv")) is None


async def test_the_log_does_not_repeat_a_feeds_secret(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="driftline.web.front"):
        await asked("/api/v1/feeds/dl_secret/changes.atom")
    (record,) = caplog.records
    line = json.loads(JsonLines().format(record))
    assert line["path"] == "/api/v1/feeds/.../changes.atom"
    assert "dl_secret" not in json.dumps(line)


def test_a_log_line_is_one_json_object_whatever_happened() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        import sys

        record = logging.getLogger("x").makeRecord(
            "x", logging.ERROR, "f", 1, "it %s", ("broke",), sys.exc_info(), extra={"what": object(), "url": "a\nb"}
        )
    line = JsonLines().format(record)
    assert "\n" not in line
    assert json.loads(line)["event"] == "it broke"
    assert "ValueError" in json.loads(line)["exception"]
