"""What every request passes, without an application behind it."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

import pytest

from driftline.web.logs import JsonLines
from driftline.web.security_headers import SecurityHeaders
from driftline.wiring.logs import PlainLines


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

    front = SecurityHeaders(app, hosts=["localhost"], https=False, observe=lambda *_: None)
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


@pytest.mark.parametrize("path", ["/api/v1/feeds/dl_secret/x", "/API/v1//Feeds//DL_SECRET/x", "/api/v1/feeds/%64l_secret/x"])
async def test_the_log_does_not_repeat_a_feeds_secret(caplog: pytest.LogCaptureFixture, path: str) -> None:
    with caplog.at_level(logging.INFO, logger="driftline.web.security_headers"):
        await asked(path)
    (record,) = caplog.records
    line = JsonLines().format(record)
    assert json.loads(line)["path"].lower().replace("//", "/") == "/api/v1/feeds/.../x"
    assert "secret" not in line.lower()


def _failed(message: str, **extra: object) -> logging.LogRecord:
    try:
        raise ValueError(message)
    except ValueError:
        return logging.getLogger("x").makeRecord("x", logging.ERROR, "f", 1, "%s", (message,), sys.exc_info(), extra=extra)


@pytest.mark.parametrize("formatter", [JsonLines(), PlainLines()])
def test_no_log_repeats_a_secret_or_what_acts_on_a_terminal(formatter: logging.Formatter) -> None:
    hostile = "a\x1b]0;b\x07 \x9b1m \x7f \u202e \u2066 \u200f\r\n2026-01-01 INFO x: forged /feeds/dl_secret"
    line = formatter.format(_failed(hostile, facts={"url": [hostile]}, lone="\ud800"))
    assert "secret" not in line
    assert not [letter for letter in line if letter in "\x1b\x07\x9b\x7f\u202e\u2066\u200f\r"]
    assert not [row for row in line.splitlines()[1:] if not row.startswith("  ")]


def test_a_log_line_is_one_json_object_whatever_happened() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        record = logging.getLogger("x").makeRecord(
            "x", logging.ERROR, "f", 1, "it %s", ("broke",), sys.exc_info(), extra={"what": object(), "url": "a\nb"}
        )
    line = JsonLines().format(record)
    assert "\n" not in line
    assert json.loads(line)["event"] == "it broke"
    assert "ValueError" in json.loads(line)["exception"]
