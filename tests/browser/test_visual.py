"""Watches that compare how a page looks, in a real Chromium: one change of it, what moves by itself, and a part alone."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from tests.scripted import Page, ScriptedSite, scripted_site

from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.settings import Settings
from driftline.wiring.app import App

# Nothing but colours and sizes change: no text says anything. The stripe at the bottom moves with every load.
BANNER = """<!doctype html><title>Gallery</title><body style="margin:0;font:16px sans-serif;height:1400px">
<h1 style="margin:40px">Gallery</h1><p style="margin:40px">Pictures of the coast.</p>
<div id="banner" style="position:absolute;top:40px;right:40px;width:300px;height:120px;background:{color}"></div>
<div style="position:absolute;top:1200px;left:{left}px;width:90px;height:40px;background:#383"></div>"""


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as opened:
        yield opened


@pytest.fixture
def app(tmp_path: Path, chromium: str) -> Iterator[App]:
    settings = Settings(
        db=f"sqlite:///{tmp_path}/d.db", allow_hosts=("127.0.0.1",), calibrate_after=0.0, chromium=chromium, pictures="none"
    )
    with closing(App(settings)) as opened:
        yield opened


async def checked(app: App, watch_input: WatchInput, before_each: Sequence[Callable[[], object]]) -> list[Checked]:
    """A new watch, checked once after each of these."""
    ended: list[Checked] = []

    async def listen(one: Checked) -> None:
        ended.append(one)

    (watch,) = await asyncio.to_thread(app.add, [app.draft(watch_input)])
    async with app.worker(listen) as worker:
        for prepare in before_each:
            prepare()
            await worker.check_now([watch.id])
    return ended


def shown(site: ScriptedSite, colors: dict[str, str]) -> None:
    moving = itertools.cycle([40, 60, 48, 72, 55])
    site.show("/gallery", lambda _: Page(body=BANNER.format(left=next(moving), **colors).encode()))


async def test_a_banner_of_another_colour_is_reported_where_it_is_and_what_moves_is_not(app: App, site: ScriptedSite) -> None:
    colors = {"color": "#c33"}
    shown(site, colors)
    quiet: list[Callable[[], object]] = [lambda: None] * 4
    watch_input = WatchInput(url=f"{site.url}/gallery", rules={"compare": "visual"})
    ended = await checked(app, watch_input, [*quiet, lambda: colors.update(color="#36c")])
    assert [one.run.outcome for one in ended] == ["baseline", *["unchanged"] * 3, "changed"], [one.run.reason for one in ended]
    (change,) = ended[-1].changes
    assert change.type == "visual"
    assert change.headline.startswith("Top right: replaced (")
    kept = await asyncio.to_thread(lambda: app.read(lambda data: data.pictures.of_snapshot(change.next_snapshot_id)))
    assert kept is not None  # also where no pictures of other pages are taken
    explained = await asyncio.to_thread(app.explain, ended[-1].run)
    assert next((one.fate, one.reason) for one in explained.differences) == ("kept", change.headline)
    assert {one.place for one in explained.differences if one.fate == "dropped"} == {"bottom left"}


async def test_a_part_is_compared_alone_and_one_that_is_gone_is_missing(app: App, site: ScriptedSite) -> None:
    colors = {"color": "linear-gradient(#c33, #3c3)"}
    shown(site, colors)

    def gone() -> None:
        site.show("/gallery", "<!doctype html><h1>Gallery</h1><p>We moved to another house by the sea.</p>")

    watch_input = WatchInput(url=f"{site.url}/gallery", rules={"compare": "visual", "select": ["#banner"]})
    ended = await checked(app, watch_input, [lambda: None, lambda: colors.update(color="linear-gradient(#c33, #36c)"), gone])
    assert [one.run.outcome for one in ended] == ["baseline", "changed", "selector_missing"]
    assert (ended[1].changes[0].diff or {})["visual"]["width"] == 300
    assert ended[0].run.suppressed == ()


async def test_a_server_that_fails_is_no_visual_change(app: App, site: ScriptedSite) -> None:
    shown(site, {"color": "#c33"})

    def broken() -> None:
        site.show("/gallery", Page(status=500, body=b"<h1>The server is tired</h1>"))

    watch_input = WatchInput(url=f"{site.url}/gallery", rules={"compare": "visual"})
    ended = await checked(app, watch_input, [lambda: None, broken])
    assert (ended[1].run.outcome, ended[1].run.reason) == ("error", "http 500")
