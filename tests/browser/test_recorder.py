"""Recording steps on the picture of a page, and the rows of steps in the form, walked at desktop and phone width."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect
from tests.browser.server import NARROW, WIDE, Server, Visitor, browsing, serving, shot
from tests.scripted import ScriptedSite, scripted_site

from driftline.core.text.step_texts import step_text
from driftline.settings import Settings
from driftline.wiring.app import App

SIZES = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["desktop", "phone"])
# Everything stands where the test clicks: the banner covers the page until it is closed.
SHOP = """<!doctype html><title>Trains</title><body style="margin:0;font:20px sans-serif">
<div role="dialog" id="ask" style="position:fixed;inset:0;background:#fff"><p>We value your privacy</p>
<button onclick="ask.remove()">Reject all</button></div>
<h1 style="margin:20px">Trains</h1>
<input id="from" aria-label="From" style="position:absolute;left:100px;top:100px;width:300px;height:40px">
<select id="class" aria-label="Class" style="position:absolute;left:500px;top:100px;width:200px;height:40px">
<option value="1">First</option><option value="2">Second</option></select>
<input type="checkbox" id="bike" aria-label="Bicycle" style="position:absolute;left:800px;top:100px;width:40px;height:40px">
<button id="go" style="position:absolute;left:100px;top:200px;width:200px;height:60px" onclick="
  const place = document.getElementById('class').value;
  found.textContent = `${from.value}, class ${place}, bicycle ${bike.checked}: 14 trains today`">
Search</button><p id="found" style="position:absolute;left:100px;top:300px"></p>"""

DOOR = """<!doctype html><title>Club</title><body style="margin:0;font:20px sans-serif"><div id="room">
<input type="password" id="pw" aria-label="Password" style="position:absolute;left:100px;top:100px;width:300px;height:40px">
<button id="in" style="position:absolute;left:100px;top:200px;width:200px;height:60px" onclick="
  room.innerHTML = pw.value === 'correct-horse-battery' ? '<p>Welcome, your password is ' + pw.value + '</p>' : '<p>Wrong</p>'">
Sign in</button></div>"""
PASSWORD, KEY = "correct-horse-battery", "k" * 40


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with browsing(chromium) as opened:
        yield opened


@pytest.fixture(scope="module")
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as opened:
        opened.show("/trains", SHOP)
        opened.show("/door", DOOR)
        yield opened


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('recorder')}/driftline.db"


@pytest.fixture(scope="module")
def server(chromium: str, database: str) -> Iterator[Server]:
    with closing(App(Settings(db=database, secret_key=KEY))) as app:
        app.set_secret("club", PASSWORD)
    with serving(database, DRIFTLINE_CHROMIUM=chromium, DRIFTLINE_SECRET_KEY=KEY) as up:
        yield up


@pytest.fixture(scope="module")
def signed_in(server: Server, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    visitor = Visitor(browser.new_context(), server.url)
    visitor.sign_in(server.link)
    place = tmp_path_factory.mktemp("cookies") / "cookies.json"
    visitor.context.storage_state(path=place)
    visitor.context.close()
    return place


def click_at(page: Page, x: int, y: int) -> None:
    """A place of the recorded page, which is 1280 pixels wide, on its picture."""
    picture = page.locator("[data-pick] img")
    scale = (picture.bounding_box() or {"width": 0})["width"] / 1280
    picture.click(position={"x": x * scale, "y": y * scale})


def steps(page: Page) -> Locator:
    return page.locator("[data-steps] li code")


@SIZES
def test_steps_are_recorded_by_clicking_on_the_page_and_are_rows_of_the_form(
    server: Server, browser: Browser, signed_in: Path, site: ScriptedSite, database: str, size: ViewportSize
) -> None:
    visitor = Visitor(browser.new_context(viewport=size, storage_state=signed_in), server.url)
    page = visitor.go("/add")
    page.get_by_label("Address").fill(f"{site.url}/trains")
    page.get_by_label("Name", exact=True).fill(f"Trains {size['width']}")
    page.locator("summary", has_text="Request:").click()
    page.get_by_role("button", name="Record on the page").click()
    expect(page.get_by_role("status")).to_contain_text("Click on the page")
    page.get_by_role("button", name="Close cookie banner").click()
    expect(steps(page)).to_have_text(["dismiss"])
    click_at(page, 250, 120)
    page.get_by_label("Type into From").fill("Lisbon")
    page.keyboard.press("Enter")
    expect(steps(page)).to_have_text(["dismiss", "fill #from with Lisbon"])
    click_at(page, 600, 120)
    page.get_by_label("Choose in Class").select_option("Second")
    page.locator("[data-fill]").click()
    expect(steps(page)).to_have_count(3)
    click_at(page, 820, 120)
    expect(steps(page)).to_have_count(4)
    click_at(page, 200, 230)
    expect(steps(page).nth(4)).to_have_text("click #go")
    page.get_by_label("Another step").fill("wait_for text nothing like it within 1s")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Failed: not done after 1 s")  # it is said, and is no step of the watch
    page.get_by_label("Another step").fill("wait_for text 14 trains today")
    page.keyboard.press("Enter")
    expect(steps(page).nth(5)).to_have_text("wait_for text 14 trains today")
    expect(page.locator("[data-steps] li img")).to_have_count(6)  # each with what the page showed then
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shot(page, "recorder", size)
    page.get_by_role("button", name="Use these steps").click()

    rows = page.locator(".step-rows li")
    expect(rows).to_have_count(6)
    expect(page.locator("[data-preview]")).to_contain_text("Lisbon, class 2, bicycle true: 14 trains today")
    rows.nth(1).get_by_label("Fill in: Text").fill("Porto")
    rows.nth(3).get_by_role("button", name="Remove this step").click()
    page.get_by_role("button", name="Add a step").click()
    rows.nth(5).get_by_label("Step", exact=True).select_option("Take a picture")
    rows.nth(5).get_by_role("button", name="Move up").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    rows.nth(0).scroll_into_view_if_needed()
    shot(page, "step-rows", size)
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/watches/*")
    app = App(Settings(db=database))
    stored = app.read(lambda data: data.watches.get(f"Trains {size['width']}"))
    app.close()
    assert [step_text(step) for step in stored.fetch.steps] == [
        "dismiss",
        "fill #from with Porto",
        "select Second in #class",
        "click #go",
        "screenshot",
        "wait_for text 14 trains today",
    ]
    assert visitor.wrong == []
    visitor.context.close()


def test_a_recording_goes_on_from_the_steps_of_a_watch_and_its_last_step_can_be_removed(
    server: Server, browser: Browser, signed_in: Path, site: ScriptedSite
) -> None:
    visitor = Visitor(browser.new_context(storage_state=signed_in), server.url)
    page = visitor.go("/add")
    page.get_by_label("Address").fill(f"{site.url}/trains")
    page.locator("summary", has_text="Request:").click()
    page.get_by_role("button", name="Add a step").click()
    page.locator(".step-rows select").select_option("Close cookie banner")
    page.get_by_role("button", name="Record on the page").click()
    expect(steps(page)).to_have_text(["dismiss"])
    click_at(page, 820, 120)
    expect(steps(page)).to_have_text(["dismiss", "check #bike"])
    page.get_by_role("button", name="Remove the last step").click()
    expect(steps(page)).to_have_text(["dismiss"])
    page.get_by_role("button", name="Use these steps").click()
    expect(page.locator(".step-rows li")).to_have_count(1)
    assert visitor.wrong == []
    visitor.context.close()


def test_a_sign_in_is_recorded_with_a_stored_secret_and_its_value_is_shown_nowhere(
    server: Server, browser: Browser, signed_in: Path, site: ScriptedSite
) -> None:
    visitor = Visitor(browser.new_context(viewport=WIDE, storage_state=signed_in), server.url)
    answers: list[str] = []
    page = visitor.go("/add")
    page.on("response", lambda answer: answers.append(answer.text()) if answer.url.endswith("/record/step") else None)
    page.get_by_label("Address").fill(f"{site.url}/door")
    page.locator("summary", has_text="Request:").click()
    page.get_by_role("button", name="Record on the page").click()
    expect(page.get_by_role("status")).to_contain_text("Click on the page")
    page.get_by_label("Another step").fill("fill #pw with {{secret:other}}")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text('there is no secret named "other"')
    click_at(page, 250, 120)
    page.get_by_label("Secret for Password").select_option("club")
    shot(page, "recorder-secret", WIDE)
    page.locator("[data-fill]").click()
    expect(steps(page)).to_have_text(["fill #pw with {{secret:club}}"])
    click_at(page, 200, 230)
    expect(steps(page)).to_have_count(2)
    page.get_by_label("Another step").fill("wait_for text Welcome")
    page.keyboard.press("Enter")
    expect(steps(page).nth(2)).to_have_text("wait_for text Welcome")
    expect(page.locator("[data-steps] .failed")).to_have_count(0)
    assert len(answers) == 4
    assert all(PASSWORD not in said for said in (*answers, page.content()))
    assert any("[secret]" in said for said in answers), "the page says it, and the outline of its words does not"
    assert visitor.wrong == []
    visitor.context.close()
