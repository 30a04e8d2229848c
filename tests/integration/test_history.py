"""`driftline history`: every version of a watch, and any two of them compared."""

from __future__ import annotations

from tests.integration.conftest import Driftline
from tests.scripted import ScriptedSite

PAGE = "<title>Hours</title><h1>Hours</h1><p>Open from {} to five.</p>"


def test_versions_are_listed_read_and_compared(driftline: Driftline, site: ScriptedSite) -> None:
    driftline("add", site.show("/hours", PAGE.format("nine")), "--name", "Hours")
    assert driftline("history", "Hours").code == 2
    driftline("check", "Hours")
    for hour in ("ten", "noon"):
        site.show("/hours", PAGE.format(hour))
        driftline("check", "Hours")
    listed = driftline("history", "Hours", "--json").rows
    assert [row["version"] for row in listed] == [3, 2, 1]
    assert set(listed[0]) >= {"version", "at", "run", "item", "headline"}
    assert "noon" in listed[0]["headline"]
    assert "Open from nine to five." in driftline("history", "Hours", "1").out
    assert "[-nine-]{+noon+}" in driftline("history", "Hours", "1", "3").out
    (compared,) = driftline("history", "Hours", "1", "3", "--json").rows
    assert (compared["before"]["version"], compared["after"]["version"], compared["added"]) == (1, 3, 1)
    assert driftline("history", "Hours", "2", "2").out == "the same text\n"
    assert driftline("history", "Hours", "1", "2", "3").code == 2
