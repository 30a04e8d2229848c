"""Mails as a reader sees them, in a window and on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import ViewportSize
from tests.browser.server import NARROW, WIDE, browsing
from tests.messages import change, message, price, reported

from driftline.deliver.render.html import html
from driftline.model.delivery import Message

LONG = "https://example.org/" + "a-path-that-does-not-end-" * 8
LETTERS = {
    "immediate": message(reported(price())),
    "digest": message(
        reported(price(1), change(2, headline="x" * 200, url=LONG), name="y" * 90),
        reported(change(3, diff={"unified": "-Open 9 to 17\n+" + "z" * 300}), number=5),
        digest=True,
    ),
}


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["desktop", "phone"])
@pytest.mark.parametrize("written", LETTERS.values(), ids=LETTERS.keys())
def test_a_mail_is_never_wider_than_the_window(chromium: str, written: Message, size: ViewportSize) -> None:
    with browsing(chromium) as browser:
        page = browser.new_page(viewport=size)
        page.set_content(html(written, links={"Unsubscribe": LONG}))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
