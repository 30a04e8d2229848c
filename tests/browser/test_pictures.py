"""Pictures of versions on the page of a change, walked at desktop and phone width."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, ViewportSize, expect
from tests.browser.server import NARROW, WIDE, Server, Visitor, browsing, serving, shot
from tests.scripted import scripted_site

from driftline.engine.editing.watch_input import WatchInput
from driftline.model.fetch import FetchOptions
from driftline.settings import Settings
from driftline.wiring.app import App

SIZES = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["desktop", "phone"])
WORDS = "<p>Lamps that stand, hang and are carried, of glass, paper and brass, for rooms of every size and taste.</p>" * 8
PAGE = (
    """<!doctype html><title>Lamps</title><body style="margin:0;font:16px sans-serif"><h1>Lamps</h1>
<style>.offer {{ position: absolute; top: 20px; right: 20px; width: 240px; height: 90px }}</style>
<div class="css-1x9k2 offer" style="background:{color}"><p>{offer}</p></div>"""
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
        with serving(database, DRIFTLINE_CHROMIUM=chromium) as up:
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
    for image in frame.locator(".shot-page img").all():
        image.scroll_into_view_if_needed()
        expect(image).to_have_js_property("complete", True)
    sides = [visitor.page.request.get(page.url + f"/picture/{side}").body() for side in ("before", "after")]
    pictures = [Image.open(io.BytesIO(side)) for side in sides]
    assert [one.size[0] for one in pictures] == [1280, 1280]
    boxes = visitor.page.request.get(page.url + "/picture/boxes").text()
    assert boxes.count("<rect") >= 1
    page.get_by_label("How much of the page before").fill("90")
    assert frame.evaluate("frame => getComputedStyle(frame).getPropertyValue('--cut')") == "90%"
    shot(page, "slider", size)
    page.get_by_role("button", name="Difference").click()
    expect(frame).to_have_attribute("data-view", "difference")
    shot(page, "overlay", size)
    page.get_by_label("Box what changed").uncheck()
    expect(frame.locator(".shot-boxes")).to_be_hidden()
    page.get_by_role("button", name="Side by side").click()
    expect(frame).to_have_attribute("data-view", "beside")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_label("Box what changed").check()
    after, over = (frame.locator(f".shot-after {which}").bounding_box() for which in ("img:not(.shot-boxes)", ".shot-boxes"))
    assert after == over, "the boxes stand over the picture"
    shot(page, "beside", size)
    assert visitor.wrong == []
    visitor.context.close()


@SIZES
def test_a_part_is_picked_on_the_picture_of_the_page(
    server: Server, browser: Browser, signed_in: Path, size: ViewportSize
) -> None:
    visitor = Visitor(browser.new_context(viewport=size, storage_state=signed_in), server.url)
    page = visitor.go("/watches")
    page.get_by_role("link", name="Lamps").first.click()
    page.goto(f"{page.url.split('?')[0]}?tab=rules")
    page.get_by_role("button", name="Pick a part").click()
    picture = page.locator("[data-pick] img")
    expect(picture).to_be_visible()
    width = (picture.bounding_box() or {"width": 0})["width"]
    scale = width / 1280
    picture.click(position={"x": 1140 * scale, "y": 100 * scale})  # the box at the top right, below its words
    expect(page.get_by_label("Selector")).to_have_value("div.offer")  # and not the class that a program made
    expect(page.locator("[data-words]")).to_contain_text("Brass lamps are sold out")
    tried = page.locator("[data-versions] li")
    expect(tried).to_have_count(2)
    expect(tried.nth(0)).to_contain_text("Version 2: Brass lamps are sold out")
    expect(tried.nth(1)).to_contain_text("Version 1: Brass lamps cost 40 euros")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shot(page, "pick", size)
    page.get_by_role("button", name="Use this part").click()
    expect(page.get_by_label("Watch only this part of the page")).to_have_value("div.offer")
    expect(page.locator("[data-preview]")).to_contain_text("Brass lamps are sold out")
    assert visitor.wrong == []
    visitor.context.close()
