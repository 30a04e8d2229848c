"""Pictures of versions on the page of a change, walked at desktop and phone width."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, ViewportSize, expect
from tests.browser.server import NARROW, WIDE, Server, Visitor, browsing, serving
from tests.scripted import scripted_site

from driftline.engine.watch_input import WatchInput
from driftline.model.fetch import FetchOptions
from driftline.settings import Settings
from driftline.wiring.app import App

SIZES = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["desktop", "phone"])
WORDS = "<p>Lamps that stand, hang and are carried, of glass, paper and brass, for rooms of every size and taste.</p>" * 8
PAGE = (
    """<!doctype html><title>Lamps</title><body style="margin:0;font:16px sans-serif"><h1>Lamps</h1>
<div style="position:absolute;top:20px;right:20px;width:240px;height:90px;background:{color}"><p>{offer}</p></div>"""
    + WORDS
)


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with browsing(chromium) as opened:
        yield opened


@pytest.fixture(scope="module")
def server(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """With one change of a page in the browser, and a step that failed."""
    database = f"sqlite:///{tmp_path_factory.mktemp('server')}/driftline.db"
    settings = Settings(db=database, allow_hosts=("127.0.0.1",), calibrate_after=0.0, chromium=chromium)
    with scripted_site() as site:
        app = App(settings)
        url = f"{site.url}/lamps"
        fetch = FetchOptions(browser="always")
        site.show("/lamps", PAGE.format(color="#cde", offer="Brass lamps cost 40 euros until Friday"))
        (watch,) = app.add([app.draft(WatchInput(url=url, name="Lamps", fetch=fetch))])
        app.check([watch.id], _ignore)
        site.show("/lamps", PAGE.format(color="#fa0", offer="Brass lamps are sold out for this year"))
        app.check([watch.id], _ignore)
        app.close()
        with serving(database) as up:
            yield up


async def _ignore(_: object) -> None:
    """Nobody listens."""


@pytest.fixture(scope="module")
def signed_in(server: Server, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    visitor = Visitor(browser.new_context(), server.url)
    visitor.sign_in(server.link)
    place = tmp_path_factory.mktemp("cookies") / "cookies.json"
    visitor.context.storage_state(path=place)
    visitor.context.close()
    return place


@SIZES
def test_a_change_shows_how_the_page_looked(server: Server, browser: Browser, signed_in: Path, size: ViewportSize) -> None:
    visitor = Visitor(browser.new_context(viewport=size, storage_state=signed_in), server.url)
    page = visitor.go("/")
    page.get_by_role("link", name="sold out").first.click()
    frame = page.locator(".shots-frame")
    expect(frame).to_be_visible()
    for image in frame.locator("img").all():
        image.scroll_into_view_if_needed()
        expect(image).to_have_js_property("complete", True)
    sides = [visitor.page.request.get(page.url + f"/picture/{side}").body() for side in ("before", "after")]
    pictures = [Image.open(io.BytesIO(side)) for side in sides]
    assert [one.size[0] for one in pictures] == [1280, 1280]
    boxes = visitor.page.request.get(page.url + "/picture/boxes").text()
    assert boxes.count("<rect") >= 1
    page.get_by_label("How much of the page before").fill("90")
    assert frame.evaluate("frame => getComputedStyle(frame).getPropertyValue('--cut')") == "90%"
    page.get_by_role("button", name="Difference").click()
    expect(frame).to_have_attribute("data-view", "difference")
    page.get_by_label("Box what changed").uncheck()
    expect(frame.locator(".shot-boxes")).to_be_hidden()
    page.get_by_role("button", name="Side by side").click()
    expect(frame).to_have_attribute("data-view", "beside")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_label("Box what changed").check()
    assert visitor.wrong == []
    visitor.context.close()
