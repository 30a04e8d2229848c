"""The tools for programs over HTTP, used with the official client on a running `driftline serve`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from tests.integration.test_mcp import PAGE, asked
from tests.integration.web.test_serve import SOON, Served, serving
from tests.scripted import ScriptedSite
from tests.web_server import WebServer

TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@asynccontextmanager
async def connected(served: Served, token: str) -> AsyncIterator[ClientSession]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=SOON, trust_env=False) as http,
        streamable_http_client(f"{served.url}/mcp", http_client=http) as (reading, writing),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        yield session


async def test_a_token_decides_what_a_program_sees_and_does(tmp_path: Path, site: ScriptedSite) -> None:
    url = site.show("/club", PAGE.format("12 members"))
    with serving(tmp_path) as served:
        reader = served.said("token", "add", "reader", "--scope", "read")["token"]
        served.said("org", "add", "other", "--owner", "o@other.example")
        theirs = served.said("token", "add", "theirs", DRIFTLINE_ORG="other")["token"]
        async with connected(served, served.token) as session:
            assert "12 members" in (await asked(session, "preview", url=url))["text"]
            watch = await asked(session, "add_watch", url=url, name="Club")
            assert (await asked(session, "check_now", watch="Club"))["runs"][0]["outcome"] in ("baseline", "unchanged")
            site.show("/club", PAGE.format("14 members"))
            (change,) = (await asked(session, "check_now", watch="Club"))["changes"]
            assert (await asked(session, "list_changes"))["items"][0]["id"] == change["id"]
            assert (await asked(session, "explain", run=change["run"]))["differences"]
            assert (await asked(session, "replay", watch="Club", when='number "members" > 20'))["notified"] == 0
        async with connected(served, reader) as session:
            assert [one["id"] for one in (await asked(session, "list_watches"))["items"]] == [watch["id"]]
            for tool, given in (
                ("add_watch", {"url": url}),
                ("preview", {"url": url}),
                ("check_now", {"watch": "Club"}),
                ("replay", {"watch": "Club"}),
            ):
                assert "may only read" in await asked(session, tool, **given)
        async with connected(served, theirs) as session:
            assert (await asked(session, "list_watches"))["items"] == []
            assert (await asked(session, "list_changes"))["items"] == []
            assert (await asked(session, "search", words="members"))["items"] == []
            for tool, given in (
                ("get_change", {"change": change["id"]}),
                ("explain", {"run": change["run"]}),
                ("check_now", {"watch": watch["id"]}),
                ("prices", {"watch": watch["id"]}),
            ):
                assert "no such" in await asked(session, tool, **given)
            with pytest.raises(Exception, match="no such"):
                await session.read_resource(f"driftline://reports/{change['run']}")


def test_without_a_token_for_reading_there_are_no_tools(quick_server: WebServer) -> None:
    owner = quick_server.tenant.owner
    assert quick_server.client.post("/mcp", json=TOOLS, headers=ACCEPT).status_code == 401
    assert quick_server.ask("POST", "/mcp", json=TOOLS, headers=ACCEPT, token="dl_wrong").status_code == 401
    for scope in ("push", "feed"):
        token = quick_server.tenant.token_for(owner, (scope,))
        assert quick_server.ask("POST", "/mcp", json=TOOLS, headers=ACCEPT, token=token).status_code == 403
    cookie = quick_server.tenant.session_for(owner)
    assert quick_server.browse("POST", "/mcp", cookie=cookie, csrf=False, json=TOOLS, headers=ACCEPT).status_code == 403
    assert quick_server.ask("GET", "/mcp").status_code == 405


def test_bodies_and_calls_at_once_are_limited(quick_server: WebServer) -> None:
    assert len(quick_server.ask("POST", "/mcp", json=TOOLS, headers=ACCEPT).json()["result"]["tools"]) == 12
    large = {**TOOLS, "params": {"cursor": "x" * 65_536}}
    assert quick_server.ask("POST", "/mcp", json=large, headers=ACCEPT).status_code == 413
    quick_server.web.state.tool_calls[quick_server.tenant.org.id] = 8
    assert quick_server.ask("POST", "/mcp", json=TOOLS, headers=ACCEPT).status_code == 429


def test_a_failure_of_ours_reveals_nothing(quick_server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driftline.web.mcp.server.CALL_FOR", -1.0)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_watches", "arguments": {}}}
    assert "took too long" in quick_server.ask("POST", "/mcp", json=call, headers=ACCEPT).text
    monkeypatch.undo()
    quick_server.app.store.write_now(lambda session: session.tx.run("ALTER TABLE watches RENAME TO hidden"))
    try:
        said = quick_server.ask("POST", "/mcp", json=call, headers=ACCEPT).json()["result"]
    finally:
        quick_server.app.store.write_now(lambda session: session.tx.run("ALTER TABLE hidden RENAME TO watches"))
    assert said["isError"]
    assert "watches" not in said["content"][0]["text"]
