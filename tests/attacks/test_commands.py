"""A command reads pages of up to a megabyte in its own process: a hostile one ends at its deadline, and the others go on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from string import ascii_lowercase

import pytest
from tests.scripted import Page, ScriptedSite, scripted_site

from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.settings import Settings
from driftline.wiring import App

DEADLINE_FOR = 1.0  # seconds; each of these takes the parser five or more


def _attributes() -> bytes:
    """The parser compares each attribute of an element with all before it; what looks like ends of tags stands in values."""
    names = ("".join(letters).encode() for letters in islice(product(ascii_lowercase, repeat=4), 45_000))
    return b"<h1>x</h1><p" + b"".join(b""" %s='"><p b="'""" % name for name in names) + b">words</p>"


def _options() -> bytes:
    """With each option of a list it looks at all before it."""
    return b"<h1>x</h1><select>" + b"<option>words" * 32_000


HOSTILE = {"attributes": _attributes(), "options": _options()}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    opened = App(Settings(db=f"sqlite:///{tmp_path / 'driftline.db'}", allow_hosts=("127.0.0.1",)))
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as scripted:
        yield scripted


def test_a_page_that_takes_its_whole_deadline_holds_up_no_other(
    app: App, site: ScriptedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = b"<h1>x</h1>" + b"<p>a line as there are many</p>" * 2_000
    pages = {**HOSTILE, "usual": usual, "small": b"<h1>x</h1><p>a line</p>"}
    assert [name for name, body in pages.items() if not 16 * 1024 < len(body) < 1024 * 1024] == ["small"]
    app.add(
        [
            app.draft(WatchInput(url=site.show(f"/{name}", Page(body=body)), name=name, rules={"calibrate": False}))
            for name, body in pages.items()
        ]
    )
    monkeypatch.setattr(app.pool, "deadline_for", DEADLINE_FOR)
    ended: dict[str, Checked] = {}

    async def listen(one: Checked) -> None:
        ended[one.watch.name] = one

    app.check([watch.id for watch in app.all_watches()], listen)
    assert {name: one.run.outcome for name, one in ended.items()} == {
        "small": "baseline",
        "usual": "baseline",
        "attributes": "truncated",
        "options": "truncated",
    }
    assert set(list(ended)[:2]) == {"small", "usual"}  # they did not wait
    assert "longer than 1 s" in str(ended["options"].run.reason)
