"""The stories of the dashboard by the keyboard alone, at desktop and phone width: no pointer touches the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect
from tests.browser.local_site import LocalSite
from tests.browser.server import NARROW, WIDE, Server, Visitor, browsing, serving
from tests.scripted import Page as Answer
from tests.scripted import scripted_site

SIZES = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["desktop", "phone"])
BOARD = "<title>Board</title><h1>Board</h1><p>The harbour pool opens {} on Sundays.</p><p>Bring your own towel.</p>"
_NAME = """() => {
  const at = document.activeElement;
  if (at === document.body) return [];
  return (at.ariaLabel || at.labels?.[0]?.innerText || at.innerText || "").split("\\n").map((line) => line.trim());
}"""
_TABS = 120  # more than any of our pages takes


class Keyboard:
    """Somebody who has no pointer."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def reach(self, name: str) -> Keyboard:
        """Press Tab until the element of this name has the focus, and can be seen to have it."""
        for _ in range(_TABS):
            if name in self.page.evaluate(_NAME):
                assert self.page.evaluate("document.activeElement.matches(':focus-visible')")
                return self
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {name} on {self.page.url}")

    def press(self, name: str, *, leads_to: str = "") -> Keyboard:
        """Reach something and press it; with `leads_to`, until that page is there."""
        self.reach(name).page.keyboard.press("Enter")
        if leads_to:
            self.page.wait_for_url(leads_to)
        return self

    def write(self, name: str, text: str) -> Keyboard:
        """Reach a field and replace what it holds."""
        self.reach(name).page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.type(text)
        return self

    def choose(self, name: str, letters: str) -> Keyboard:
        """Reach a list and choose by the first letters of an entry."""
        self.reach(name).page.keyboard.type(letters)
        return self


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with browsing(chromium) as opened:
        yield opened


@pytest.fixture(scope="module")
def local_site() -> Iterator[LocalSite]:
    with scripted_site() as site:
        site.show("/hook", Answer(status=204))
        yield LocalSite(site)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(f"sqlite:///{tmp_path_factory.mktemp('keyboard')}/driftline.db") as up:
        yield up


@pytest.fixture(scope="module")
def signed_in(server: Server, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cookies of somebody who signed in by the keyboard."""
    visitor = Visitor(browser.new_context(), server.url)
    visitor.page.goto(server.link)
    Keyboard(visitor.page).press("Sign in to driftline")
    visitor.page.wait_for_url(f"{server.url}/")
    place = tmp_path_factory.mktemp("cookies") / "cookies.json"
    visitor.context.storage_state(path=place)
    visitor.context.close()
    return place


@pytest.fixture
def visitor(server: Server, browser: Browser, signed_in: Path, size: ViewportSize) -> Iterator[Visitor]:
    context = browser.new_context(viewport=size, storage_state=signed_in)
    visitor = Visitor(context, server.url)
    yield visitor
    context.close()
    assert visitor.wrong == []


@SIZES
def test_from_nothing_to_a_change_that_was_delivered(visitor: Visitor, local_site: LocalSite, size: ViewportSize) -> None:
    path, name = f"/board-{size['width']}", f"Board {size['width']}"
    local_site.site.show(path, BOARD.format("early"))
    page, keys = visitor.go("/settings"), Keyboard(visitor.page)
    keys.choose("Type", "Webhook").write("Address", local_site.url("/hook")).write("Name", f"Hook {size['width']}").press("Add")
    expect(page.get_by_role("status").first).to_contain_text("Copy it now")
    keys.press("Send a test")
    expect(page.get_by_role("status").first).to_contain_text("Test message sent")

    visitor.go("/add")
    keys.write("Address", local_site.url(path)).press("Preview")
    expect(page.locator("[data-preview]")).to_contain_text("Bring your own towel.")
    keys.write("Name", name).press("Save and check now")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.locator("[data-check]")).to_have_text("Checked: the first version is stored.")
    local_site.site.show(path, BOARD.format("late"))
    keys.press("Check now")
    expect(page.get_by_role("main")).to_contain_text("early → late")

    visitor.go("/")
    keys.press("The harbour pool opens early → late on Sundays.")
    expect(page.locator("ol.diff ins").first).to_have_text("late")
    keys.press("Side by side")
    expect(page.locator("table.splitdiff")).to_be_visible()
    keys.press("This was noise")
    expect(page.get_by_role("heading", level=1)).to_have_text("What would be ignored")
    keys.press("Cancel")
    expect(page.get_by_text("Notified", exact=True)).to_be_visible()


@SIZES
def test_a_watch_is_edited_compared_searched_and_subscribed_to(
    visitor: Visitor, local_site: LocalSite, size: ViewportSize
) -> None:
    path, name = f"/terms-{size['width']}", f"Terms {size['width']}"
    local_site.site.show(path, BOARD.format("at nine"))
    page, keys = visitor.go("/add"), Keyboard(visitor.page)
    keys.write("Address", local_site.url(path)).write("Name", name).press("Save and check now")
    expect(page.locator("[data-check]")).to_have_text("Checked: the first version is stored.")
    keys.press("Edit", leads_to="**?tab=rules").write("Check every", "2h").write("Tags", f"pools {size['width']}").write(
        "Ignore lines with", "towel"
    ).press("Save")
    expect(page.get_by_role("status").first).to_contain_text("Saved.")
    local_site.site.show(path, BOARD.format("at noon").replace("towel", "soap"))
    keys.press("Check now")
    expect(page.get_by_role("main")).to_contain_text("noon")
    visitor.page.goto(f"{page.url.partition('?')[0]}?tab=history")
    keys.press("Compare the two", leads_to="**/compare?**")
    expect(page.locator("ol.diff ins").first).to_have_text("noon")

    visitor.go("/search")
    keys.write("Words", "noon").press("Search")
    expect(page.get_by_role("main")).to_contain_text("Text of version 2")
    visitor.go("/tags")
    keys.write("Tag", f"pools {size['width']}").press("Continue", leads_to="**/tag?**").press("Subscribe me")
    expect(page.get_by_role("status").first).to_contain_text("Subscribed")
    visitor.go("/watches")
    keys.write("Name or address", name).press("Find", leads_to="**/watches?**")
    keys.reach(name).page.keyboard.press("Space")  # the box to select it, before its link
    keys.press("Pause")
    expect(page.get_by_role("main")).to_contain_text("paused")
