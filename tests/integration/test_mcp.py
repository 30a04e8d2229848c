"""The tools for programs, used with the official client over standard input and output."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters, stdio_client
from tests.scripted import ScriptedSite

PAGE = "<html><title>Club</title><body><main><h1>Club</h1><p>{}</p><p>We meet on Mondays in the hall.</p></main></body></html>"


def started(folder: Path, *options: str) -> StdioServerParameters:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DRIFTLINE_")}
    ours = {
        "DRIFTLINE_DB": f"sqlite:///{folder}/mcp.db",
        "DRIFTLINE_ALLOW_HOSTS": "127.0.0.1",
        "DRIFTLINE_CALIBRATE_AFTER": "0",
        "DRIFTLINE_BROWSER": "false",
    }
    return StdioServerParameters(command=sys.executable, args=["-m", "driftline", "mcp", *options], env=kept | ours)


async def asked(session: ClientSession, tool: str, **given: Any) -> Any:
    result = await session.call_tool(tool, given)
    text = result.content[0].text  # type: ignore[union-attr]  # all of ours are texts
    return text if result.is_error else json.loads(text)


async def test_a_program_adds_previews_checks_lists_and_explains(tmp_path: Path, site: ScriptedSite) -> None:
    url = site.show("/club", PAGE.format("12 members"))
    async with stdio_client(started(tmp_path)) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        names = {tool.name for tool in (await session.list_tools()).tools}
        assert names == set(
            "list_watches add_watch preview check_now list_changes get_change explain replay compare search just_opened "
            "prices".split()
        )
        assert "12 members" in (await asked(session, "preview", url=url))["text"]
        watch = await asked(session, "add_watch", url=url, name="Club", when='number "members" > 13')
        assert watch["when"] == 'number "members" > 13'
        assert (await asked(session, "check_now", watch="Club"))["runs"][0]["outcome"] == "baseline"
        site.show("/club", PAGE.format("14 members"))
        checked = await asked(session, "check_now", watch="Club")
        (change,) = (await asked(session, "list_changes", watch="Club"))["items"]
        assert [one["id"] for one in checked["changes"]] == [change["id"]]
        detail = await asked(session, "get_change", change=change["id"])
        assert "14 members" in json.dumps(detail)
        assert (await asked(session, "explain", run=change["run"]))["differences"]
        assert (await asked(session, "replay", watch="Club", when='number "members" > 20'))["notified"] == 0
        assert (await asked(session, "compare", watch="Club", before=1, after=2))["rows"]
        assert (await asked(session, "search", words="14"))["items"]
        report = await session.read_resource(f"driftline://reports/{change['run']}")
        assert change["id"] in report.contents[0].text  # type: ignore[union-attr]  # a text
        assert "Did you mean" in await asked(session, "add_watch", url=url, when="prise < 80")
        assert "invalid arguments" in await asked(session, "list_changes", limit=100_000)


async def test_a_program_that_may_only_read_is_refused_the_rest(tmp_path: Path, site: ScriptedSite) -> None:
    url = site.show("/club", PAGE.format("12 members"))
    async with stdio_client(started(tmp_path, "--read-only")) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        assert (await asked(session, "list_watches"))["items"] == []
        for tool, given in (("add_watch", {"url": url}), ("preview", {"url": url}), ("check_now", {"watch": "x"})):
            assert "may only read" in await asked(session, tool, **given)
        assert (await asked(session, "list_watches"))["items"] == []
