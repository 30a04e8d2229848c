"""Images and scans: what a check says of them, and the pictures before and after on the page of the change."""

from __future__ import annotations

import pytest
from litestar.testing import TestClient
from tests.integration.conftest import Runner
from tests.scripted import Page, ScriptedSite
from tests.unit.core.pictures.drawn import drawn, saved, scan
from tests.web_server import HERE, WebServer

from driftline.web.app import create_app

TALL = (850, 1100)


@pytest.mark.parametrize(
    ("media", "before", "after", "again", "headline"),
    [
        (
            "image/jpeg",
            saved(drawn(), "JPEG"),
            saved(drawn(box=True), "JPEG"),
            saved(drawn(box=True), "JPEG", quality=80),
            "Picture changed: top right: something new (3.9% of the picture)",
        ),
        (
            "application/pdf",
            scan(drawn("one", size=TALL), drawn("two", size=TALL)),
            scan(drawn("one", size=TALL), drawn("ten", size=TALL)),
            scan(drawn("one", size=TALL), drawn("ten", size=TALL), title="again"),
            "Scan changed: page 2 of 2",
        ),
    ],
    ids=["image", "scan"],
)
def test_a_changed_picture_is_shown_before_and_after(
    runner: Runner, site: ScriptedSite, media: str, before: bytes, after: bytes, again: bytes, headline: str
) -> None:
    def show(body: bytes) -> str:
        return site.show("/map", Page(body=body, headers={"content-type": media}))

    watch = runner.watch(show(before))
    assert runner.outcome(watch) == "baseline"
    show(after)
    (checked,) = runner.check(watch)
    (change,) = checked.changes
    assert change.headline == headline
    show(again)
    assert runner.outcome(watch) == "unchanged"
    with TestClient(create_app(runner.app, bound_to="127.0.0.1"), base_url=HERE) as client:
        server = WebServer(runner.app, client)
        page = server.ask("GET", f"/changes/{change.id}").text
        sides = [server.ask("GET", f"/changes/{change.id}/picture/{side}") for side in ("before", "after")]
        boxes = server.ask("GET", f"/changes/{change.id}/picture/boxes").text
    assert "How it looked" in page
    assert all(side.content.startswith(b"\x89PNG") and "sandbox" in side.headers["content-security-policy"] for side in sides)
    assert sides[0].content != sides[1].content
    assert boxes.count("<rect") >= 1


def test_a_page_in_the_place_of_a_picture_is_an_error_with_that_sentence(runner: Runner, site: ScriptedSite) -> None:
    watch = runner.watch(site.show("/map", Page(body=saved(drawn()), headers={"content-type": "image/png"})))
    assert runner.outcome(watch) == "baseline"
    site.show("/map", "<!doctype html><title>Sorry</title><h1>We are down for maintenance</h1><p>" + "Please come back. " * 20)
    (checked,) = runner.check(watch)
    assert (checked.run.status, checked.run.outcome) == ("failed", "error")
    assert checked.run.reason == "answers with a page instead of a picture (PNG)"
    site.show("/map", Page(body=saved(drawn()), headers={"content-type": "image/png"}))
    assert runner.outcome(watch) in ("unchanged", "changed")
