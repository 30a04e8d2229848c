"""The stories that people walk in the dashboard, at desktop and phone width, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, ViewportSize, expect
from tests.browser.local_site import LocalSite, a_month
from tests.browser.pictures import pages_of
from tests.browser.server import NARROW, WIDE, Server, Visitor, browsing, serving
from tests.browser.usability import axe_violations, flaws
from tests.scripted import Page, scripted_site

SIZES = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["desktop", "phone"])


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with browsing(chromium) as opened:
        yield opened


@pytest.fixture(scope="module")
def local_site() -> Iterator[LocalSite]:
    with scripted_site() as site:
        local_site = LocalSite(site)
        site.show("/hook", Page(status=410))
        yield local_site


@pytest.fixture(scope="module")
def server(local_site: LocalSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    database = f"sqlite:///{tmp_path_factory.mktemp('server')}/driftline.db"
    a_month(database, local_site)
    with serving(database) as up:
        yield up


@pytest.fixture(scope="module")
def signed_in(server: Server, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cookies of somebody who used the link; it works once."""
    visitor = Visitor(browser.new_context(), server.url)
    visitor.sign_in(server.link)
    place = tmp_path_factory.mktemp("cookies") / "cookies.json"
    visitor.context.storage_state(path=place)
    visitor.page.goto(server.link)
    visitor.page.wait_for_url(f"{server.url}/")  # who is in needs no door
    visitor.context.close()
    return place


@pytest.fixture
def visitor(server: Server, browser: Browser, signed_in: Path, request: pytest.FixtureRequest) -> Iterator[Visitor]:
    size: ViewportSize = request.getfixturevalue("size") if "size" in request.fixturenames else WIDE
    context = browser.new_context(viewport=size, storage_state=signed_in)
    visitor = Visitor(context, server.url)
    yield visitor
    context.close()
    assert visitor.wrong == []


@SIZES
def test_a_watch_is_added_with_a_preview_and_a_change_arrives_live(
    visitor: Visitor, local_site: LocalSite, size: ViewportSize
) -> None:
    path = f"/notice-{size['width']}"
    local_site.site.show(
        path, "<title>Notice board</title><h1>Notice board</h1><p>The harbour pool opens early on Sundays.</p>"
    )
    page = visitor.go("/")
    page.get_by_role("link", name="Add a watch").click()
    page.get_by_label("Address").fill(local_site.url(path))
    page.get_by_label("Address").blur()
    expect(page.locator("[data-preview]")).to_contain_text("The harbour pool opens early on Sundays.")
    expect(page.get_by_label("Name")).to_have_value("Notice board")
    page.get_by_label("Name").fill(f"Board {size['width']}")
    page.get_by_role("button", name="Save and check now").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Board {size['width']}")
    expect(page.get_by_role("status").first).to_contain_text(re.compile("Watch saved|the first version is stored"))
    watch = page.url.partition("?")[0]
    _until_checked(visitor, watch)

    feed = visitor.go("/")
    expect(feed.locator("[data-live-word]")).to_have_text("Live")
    other = Visitor(visitor.context, visitor.url)
    local_site.site.show(path, "<title>Notice board</title><h1>Notice board</h1><p>The harbour pool opens late on Sundays.</p>")
    other.page.goto(watch)
    other.page.get_by_role("button", name="Check now").click()
    arrived = feed.locator("li", has_text=f"Board {size['width']}").first
    expect(arrived).to_contain_text("late", timeout=60_000)
    assert other.wrong == []

    arrived.get_by_role("link").first.click()
    expect(feed.locator("ol.diff ins")).to_have_text("late")
    expect(feed.locator("ol.diff del")).to_have_text("early")
    feed.get_by_role("link", name="Side by side").click()
    expect(feed.locator("td.now ins")).to_have_text("late")
    feed.get_by_role("link", name="This was noise").click()
    expect(feed.locator("main")).to_contain_text("late")
    feed.get_by_role("button", name="Ignore these").click()
    expect(feed.get_by_role("status").first).to_contain_text("Ignored from now on")
    visitor.page.goto(f"{watch}?tab=noise")
    expect(feed.locator("main")).to_contain_text("you said that change", ignore_case=True)
    feed.get_by_role("button", name="Stop ignoring").first.click()
    expect(feed.get_by_role("status").first).to_contain_text("Changes in this area are reported again")


def test_what_was_done_is_said_once(visitor: Visitor) -> None:
    page = visitor.go("/watches?state=failing&done=saved")
    expect(page.get_by_role("status").first).to_contain_text("Saved.")
    page.wait_for_url(f"{visitor.url}/watches?state=failing")
    page.reload()
    expect(page.get_by_text("Saved.")).to_have_count(0)


def _until_checked(visitor: Visitor, watch: str) -> None:
    """Reload until the first check has ended; each load asks the server again."""
    for _ in range(480):
        visitor.page.goto(f"{watch}?tab=checks")
        if visitor.page.get_by_text("baseline", exact=True).count():
            return
        visitor.page.wait_for_timeout(250)
    raise AssertionError("the first check never ended")


def test_a_part_of_a_page_is_picked_and_its_noise_shown(visitor: Visitor, local_site: LocalSite) -> None:
    page = visitor.go("/add")
    page.get_by_label("Address").fill(local_site.url("/jobs"))
    page.get_by_label("Address").blur()
    expect(page.locator("[data-preview]")).to_contain_text("people are looking at this page")
    part = page.get_by_role("listitem").filter(has_text="#job-tech")
    part.get_by_role("button", name="Only this").click()
    expect(page.get_by_label("Watch only this part of the page")).to_have_value("#job-tech")
    expect(page.locator("[data-preview] pre")).to_contain_text("Technical writer")
    expect(page.locator("[data-preview] pre")).not_to_contain_text("Backend engineer")


@SIZES
def test_a_watch_is_edited_with_a_preview_and_an_error_keeps_the_form(
    visitor: Visitor, local_site: LocalSite, size: ViewportSize
) -> None:
    page = visitor.go("/add")
    page.get_by_label("Address").fill(local_site.url("/terms"))
    page.get_by_label("Name").fill(f"Edited {size['width']}")
    page.get_by_role("button", name="Save and check now").click()
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_label("Watch only this part of the page").fill("h1")
    page.get_by_label("Watch only this part of the page").blur()
    expect(page.locator("[data-preview] pre")).to_be_visible()
    expect(page.locator("[data-preview] pre")).not_to_contain_text("notice")
    page.get_by_text("Request: cookies, headers, method, browser").click()
    page.get_by_label("Cookies").fill("consent")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#cookie-error")).to_contain_text("Write it as name=value")
    assert visitor.wrong.pop().startswith("Failed to load resource: the server responded with a status of 422")
    expect(page.get_by_label("Watch only this part of the page")).to_have_value("h1")
    page.get_by_label("Cookies").fill("consent=yes")
    page.get_by_label("Address").fill(local_site.url("/jobs"))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").first).to_contain_text("Saved.")
    expect(page.get_by_label("Cookies")).to_have_value("consent=yes")
    expect(page.get_by_label("Address")).to_have_value(local_site.url("/jobs"))
    assert flaws(page) == []


def test_a_check_shows_its_progress_and_its_result(visitor: Visitor, local_site: LocalSite) -> None:
    local_site.site.show("/pool", "<title>Pool</title><h1>Pool</h1><p>The pool opens at nine on Sundays.</p>")
    page = visitor.go("/add")
    page.get_by_label("Address").fill(local_site.url("/pool"))
    page.get_by_label("Name").fill("Pool")
    page.get_by_role("button", name="Save and check now").click()
    expect(page.locator("[data-check]")).to_have_text("Checked: the first version is stored.")
    page.get_by_role("button", name="Check now").click()
    expect(page.locator("[data-check]")).to_have_text("Checked: no changes.")
    local_site.site.show("/pool", "<title>Pool</title><h1>Pool</h1><p>The pool opens at noon on Sundays.</p>")
    page.get_by_role("button", name="Check now").click()
    expect(page.get_by_role("main")).to_contain_text("noon")


@SIZES
def test_versions_are_walked_compared_and_seen_as_they_looked(visitor: Visitor, size: ViewportSize) -> None:
    page = visitor.go("/watches")
    page.get_by_role("link", name="Terms of service").click()
    page.get_by_role("link", name="History", exact=True).click()
    page.get_by_role("button", name="Compare the two").click()
    expect(page.locator("ol.diff ins").first).to_be_visible()
    page.get_by_role("link", name="version 1").click()
    page.get_by_role("link", name="Next", exact=True).click()
    expect(page.get_by_text("Version 2,")).to_be_visible()
    page.get_by_role("slider").fill("1")  # with scripts, no button is needed
    expect(page.get_by_text("Version 1,")).to_be_visible()
    assert flaws(page) == []
    page.get_by_role("link", name="Page", exact=True).click()
    expect(page.frame_locator("iframe").locator("h1")).to_have_text("Terms of service")


@SIZES
def test_somebody_subscribes_and_ends_it(visitor: Visitor, size: ViewportSize) -> None:
    page = visitor.go("/watches")
    page.get_by_role("link", name="Terms of service").click()
    page.get_by_role("link", name="Subscriptions").click()
    page.get_by_label("Severity", exact=True).select_option("high")
    page.get_by_role("button", name="Subscribe", exact=True).click()
    mine = page.get_by_role("listitem").filter(has_text="high only")
    expect(mine).to_have_count(1)
    mine.get_by_role("button", name="Unsubscribe").click()
    expect(mine).to_have_count(0)


@SIZES
def test_a_dead_letter_is_put_back_into_the_queue(visitor: Visitor, size: ViewportSize) -> None:
    page = visitor.go("/deliveries?state=dead")
    again = page.get_by_role("button", name="Retry")
    for _ in range(480):
        if again.count():
            break
        page.wait_for_timeout(250)
        page.reload()
    again.first.click()
    expect(page.get_by_role("status").first).to_contain_text("Retrying now")


@SIZES
def test_every_page_is_readable_labelled_and_in_order(visitor: Visitor, size: ViewportSize) -> None:
    found = []
    themes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for theme in themes:
        visitor.page.emulate_media(color_scheme=theme)
        for name, path in pages_of(visitor).items():
            visitor.go(path)
            found += [f"{name} ({theme}): {flaw}" for flaw in flaws(visitor.page)]
            if (size == WIDE) is (theme == "light"):  # each width and each theme once
                found += [f"{name} ({theme}): {flaw}" for flaw in axe_violations(visitor.page)]
            visitor.wrong = [one for one in visitor.wrong if "404 (Not Found)" not in one]  # one page is missing on purpose
    assert found == []


def test_faint_words_and_fields_without_a_label_would_be_seen(browser: Browser) -> None:
    page = browser.new_page()
    body = '<h1>One</h1><h1>Two</h1><p style="color: #999">faint</p><input name="bare"><div style="width: 3000px">wide</div>'
    page.set_content(f'<html lang="en"><main>{body}</main></html>')
    found = " ".join(flaws(page))
    for flaw in ("faint 2.85", "no label", "not exactly one h1", "too wide"):
        assert flaw in found
    page.close()


def test_everything_can_be_read_without_a_script(server: Server, browser: Browser, signed_in: Path) -> None:
    context = browser.new_context(java_script_enabled=False, storage_state=signed_in)
    reader = Visitor(context, server.url)
    page = reader.page
    for path in pages_of(reader).values():
        reader.go(path)
        assert page.get_by_role("heading", level=1).inner_text()
    page.goto(f"{server.url}/?type=content")
    page.locator("a.title").first.click()
    assert page.locator("ol.diff ins").count()
    context.close()


def test_the_keyboard_reaches_everything_in_reading_order(visitor: Visitor) -> None:
    page = visitor.go("/watches")
    reached = []
    for _ in range(16):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.name || document.activeElement.innerText || ''"))
    places = ["Changes", "Watches", "Bookings", "Articles", "Deliveries", "Settings"]
    assert [words.partition("\n")[0] for words in reached[:10]] == [
        "Skip to content",
        "driftline",
        *places,
        "Reader",
        "Sign out",
    ]
    assert reached[10:16] == ["1 failing", "Tags", "Add a watch", "q", "kind", "state"]
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"


def test_a_watch_is_added_by_the_keyboard_alone(visitor: Visitor, local_site: LocalSite) -> None:
    page = visitor.go("/watches")
    _tab_to(visitor, "Add a watch")
    page.keyboard.press("Enter")
    page.wait_for_url("**/add")
    for target, text in (("Address", local_site.url("/terms")), ("Name", "By keyboard")):
        _tab_to(visitor, target)
        page.keyboard.type(text)
    _tab_to(visitor, "Save and check now")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("By keyboard")


def _tab_to(visitor: Visitor, name: str) -> None:
    """Press Tab until the element of this name, or with this label, has the focus."""
    focused = "(document.activeElement.labels?.[0] ?? document.activeElement).innerText.trim()"
    for _ in range(60):
        visitor.page.keyboard.press("Tab")
        if visitor.page.evaluate(focused) == name:
            return
    raise AssertionError(f"Tab does not reach {name}")


def test_markup_in_a_page_is_inert_in_the_dashboard(visitor: Visitor, local_site: LocalSite) -> None:
    hostile = (
        "<title>&lt;img src=x onerror=alert(1)&gt;</title><p>&lt;script&gt;alert(2)&lt;/script&gt; &quot;&gt;&lt;b&gt;bold</p>"
    )
    local_site.site.show("/hostile", hostile)
    page = visitor.go("/add")
    page.get_by_label("Address").fill(local_site.url("/hostile"))
    page.get_by_label("Address").blur()
    expect(page.locator("[data-preview] pre")).to_contain_text("<script>alert(2)</script>")
    assert page.locator("[data-preview] script, [data-preview] img, [data-preview] b").count() == 0
    page.get_by_role("button", name="Save and check now").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("<img src=x onerror=alert(1)>")
    page = visitor.go("/watches?q=onerror")
    expect(page.locator("td.name a").first).to_have_text("<img src=x onerror=alert(1)>")
    assert page.locator("main img").count() == 0


def test_strangers_are_led_to_the_door_and_a_used_link_opens_nothing(server: Server, browser: Browser, signed_in: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    for path in ("/", "/watches", "/settings", "/changes/00000000-0000-7000-8000-000000000009"):
        page.goto(server.url + path)
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto(server.link)
    page.get_by_role("button", name="Sign in to driftline").click()
    expect(page.get_by_role("alert")).to_contain_text("was already used")
    context.close()
