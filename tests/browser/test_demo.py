"""The first minute with driftline: `driftline demo` before somebody's eyes."""

from __future__ import annotations

import re
import signal

from playwright.sync_api import expect
from tests.browser.server import Visitor, browsing, demonstrating

WATCHED = ("Tideway store", "Tideway blog", "Tables at the harbour", "Work with us", "Terms of service")


def test_the_demo_shows_changes_as_they_come_and_letters_as_they_arrive(chromium: str) -> None:
    with demonstrating("--pause", "2") as server, browsing(chromium) as browser:
        visitor = Visitor(browser.new_context(), server.url)
        visitor.sign_in(server.link)
        for name in WATCHED:
            expect(visitor.go("/watches").get_by_role("link", name=name)).to_be_visible()
        page = visitor.go("/")
        page.get_by_text("is back in stock").first.wait_for()  # nobody reloads
        assert visitor.wrong == []

        found = re.search(r"http://\S+/mailbox", server.greeting)
        assert found is not None
        page.goto(found.group())
        page.get_by_role("link", name="[Tideway store] 1 sold out, 1 back in stock").first.click()
        letter = page.frame_locator("iframe")
        expect(letter.get_by_role("link", name="store/lantern")).to_be_visible()
        with page.expect_popup() as opened:
            letter.get_by_role("link", name="Open in driftline").click()
        expect(opened.value).to_have_url(re.compile("/runs/"))
        expect(opened.value.get_by_role("heading", name="Sold out")).to_be_visible()


def test_ctrl_c_ends_the_demo_and_says_so() -> None:
    with demonstrating() as server:
        server.process.send_signal(signal.SIGINT)
        said, _ = server.process.communicate(timeout=60)
        assert server.process.returncode == 0
        assert "The demo is over" in said
        assert "Traceback" not in said
