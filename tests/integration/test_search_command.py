"""`driftline search`: changes and stored texts from the command line."""

from __future__ import annotations

from tests.integration.conftest import Driftline
from tests.scripted import ScriptedSite


def test_words_are_found_in_changes_and_texts(driftline: Driftline, site: ScriptedSite) -> None:
    page = "<title>Hours</title><h1>Hours</h1><p>Open from {} to five.</p>"
    driftline("add", site.show("/hours", page.format("nine")), "--name", "Hours")
    driftline("check", "Hours")
    site.show("/hours", page.format("noon"))
    driftline("check", "Hours")
    rows = driftline("search", "noon", "--json").rows
    assert [(row["found"], row["name"]) for row in rows] == [("change", "Hours"), ("text", "Hours")]
    assert "Open from noon to five." in driftline("search", "five", "noon").out
    assert driftline("search", "zebra").out == "Nothing found\n"
    assert (
        driftline("search", "noon", "--watch", "Hours", "--since", "1h", "--type", "content", "--json").rows[0]["found"]
        == "change"
    )
    assert driftline("search", "noon", "--until", "1h", "--json").rows == []
    assert [row["found"] for row in driftline("search", "no*", "--json").rows] == ["change", "text"]
    assert driftline("search", "!!!").code == 2
