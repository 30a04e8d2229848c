"""Mails as a reader sees them, in a window and on a phone."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import ViewportSize
from tests.browser.server import NARROW, WIDE, browsing
from tests.messages import change, message, price, reported
from tests.scripted import scripted_site

from driftline.cli.demo.stage import subscribe
from driftline.deliver.render.html import html
from driftline.demo.mailbox import Mail
from driftline.demo.receivers import receivers
from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.model.delivery import Message
from driftline.settings import Settings
from driftline.wiring.app import App
from driftline.wiring.loop import run_loop

SIZES = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["desktop", "phone"])
LONG = "https://example.org/" + "a-path-that-does-not-end-" * 8
LETTERS = {
    "immediate": message(reported(price())),
    "digest": message(
        reported(price(1), change(2, headline="x" * 200, url=LONG), name="y" * 90),
        reported(change(3, diff={"unified": "-Open 9 to 17\n+" + "z" * 300}), number=5),
        digest=True,
    ),
}
SHOP = """<!doctype html><title>Lamps</title><body style="margin:0;font:16px sans-serif;height:2400px"><h1>Lamps</h1>
<p>Lamps that stand, hang and are carried, of glass, paper and brass, for rooms of every size and taste.</p>
<div style="position:absolute;top:900px;right:80px;width:360px;padding:20px;background:{color}">{offer}</div>"""


@SIZES
@pytest.mark.parametrize("written", LETTERS.values(), ids=LETTERS.keys())
def test_a_mail_is_never_wider_than_the_window(chromium: str, written: Message, size: ViewportSize) -> None:
    with browsing(chromium) as browser:
        page = browser.new_page(viewport=size)
        page.set_content(html(written, links={"Unsubscribe": LONG}))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.fixture(scope="module")
def letter(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mail]:
    """What arrives when a page in the browser changed."""

    async def ignore(_: Checked) -> None:
        """Nobody listens."""

    async def changed(app: App) -> Mail:
        async with receivers() as inbox:
            subscribe(app, inbox)
            site.show("/lamps", SHOP.format(color="#cde", offer="Brass lamps cost 40 euros until Friday"))
            (watch,) = app.add([app.draft(WatchInput(url=f"{site.url}/lamps", rules={"compare": "visual"}))])
            async with app.worker(ignore) as worker:
                await worker.check_now([watch.id])
                site.show("/lamps", SHOP.format(color="#fa0", offer="Brass lamps are sold out"))
                await worker.check_now([watch.id])
            async with app.dispatcher() as dispatcher:
                await dispatcher.run(once=True)
            (mail,) = inbox.mails
            return mail

    database = f"sqlite:///{tmp_path_factory.mktemp('mails')}/d.db"
    settings = Settings(db=database, allow_hosts=("127.0.0.1",), calibrate_after=0.0, chromium=chromium)
    with scripted_site() as site, closing(App(settings)) as app:
        yield run_loop(lambda: changed(app))


def is_orange(image: Image.Image) -> bool:
    """Whether a part of it has the colour of the new offer."""
    small = image.resize((40, 20)).tobytes()
    colors = zip(small[::3], small[1::3], small[2::3], strict=True)
    return sum(red > 200 and 120 < green < 210 and blue < 100 for red, green, blue in colors) > 20


@SIZES
def test_a_mail_shows_what_changed_before_and_after_on_any_screen(chromium: str, letter: Mail, size: ViewportSize) -> None:
    with browsing(chromium) as browser:
        page = browser.new_page(viewport=size)
        page.set_content(letter.html)
        pictures = page.locator("img")
        assert pictures.count() == 2
        for one in pictures.all():
            assert one.evaluate("one => one.complete && one.naturalWidth >= 300")
            assert (one.bounding_box() or {"width": 0})["width"] >= 280  # words in it can be read
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        shot = page.screenshot(full_page=True)
        if folder := os.environ.get("DRIFTLINE_TEST_SHOTS"):
            (Path(folder) / f"mail-{size['width']}.png").write_bytes(shot)
        before, after = (Image.open(io.BytesIO(one.screenshot())).convert("RGB") for one in pictures.all())
        assert (is_orange(before), is_orange(after)) == (False, True)
