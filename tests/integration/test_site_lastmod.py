"""The dates of a sitemap save fetches of a site's pages where they proved honest, and hide no change."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from tests.integration.boards import NOON, Hands
from tests.integration.whole_sites import html, words
from tests.scripted import Page, ScriptedSite

from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.model.watch import Schedule, Watch
from driftline.settings import Settings
from driftline.wiring import App

PAGES = 20
LONG_AGO = NOON - timedelta(days=300)


class DatedSite:
    """Twenty pages and a sitemap with their dates, watched once a day."""

    def __init__(self, database_url: str, site: ScriptedSite) -> None:
        self.hands = Hands()
        self.site = site
        settings = Settings(
            db=database_url,
            allow_hosts=("127.0.0.1",),
            calibrate_after=0.0,
            timeout_for=5.0,
            browser=False,
        )
        self.app = App(settings, clock=self.hands)
        self.dates = {f"/p{number}": LONG_AGO for number in range(PAGES)}
        for path in self.dates:
            site.show(path, html(path, words(path)))
        self.publish()
        given = WatchInput(
            url=f"{site.url}/sitemap.xml", kind="site", name="town", schedule=Schedule(every_for=86_400.0, jitter=0.0)
        )
        self.watch = self.app.add([self.app.draft(given)])[0]
        self.day()
        for child in self.children():  # so that none is checked at the very moment of its site
            self.app.write(lambda data, child=child: data.watches.update(child.id, next_due_at=NOON + timedelta(hours=26)))  # type: ignore[misc]

    def publish(self) -> None:
        """Write the sitemap as it stands now."""
        listed = "".join(
            f"<url><loc>{self.site.url}{path}</loc><lastmod>{date:%Y-%m-%d}</lastmod></url>"
            for path, date in self.dates.items()
        )
        self.site.show("/sitemap.xml", Page(body=f"<urlset>{listed}</urlset>".encode(), headers={"content-type": "text/xml"}))

    def edit(self, path: str, *, date: datetime | None) -> None:
        """Change a page; without a date, the sitemap does not say so."""
        self.site.show(path, html(path, f"{words(path)} {words(f'{path} {self.hands.at}', 8)}"))
        self.dates[path] = date or self.dates[path]
        self.publish()

    def day(self) -> tuple[set[str], set[str]]:
        """A day passes, in quarters; the pages that were fetched, and those whose change was reported."""
        self.site.asked.clear()
        changed: set[str] = set()

        async def listen(checked: Checked) -> None:
            changed.update(checked.watch.url.removeprefix(self.site.url) for change in checked.changes if change.item_id)

        for _ in range(4):
            self.app.run(listen, once=True)
            self.hands.at += timedelta(hours=6)
        return set(self.site.asked) - {"/sitemap.xml", "/robots.txt"}, changed

    def prove(self) -> None:
        """Three changes whose dates moved, and the days until the site is known to be honest."""
        for path in ("/p0", "/p1", "/p2"):
            self.edit(path, date=self.hands.at)
        _, changed = self.day()
        assert changed == {"/p0", "/p1", "/p2"}
        self.day()

    def checked_at(self) -> dict[str, datetime | None]:
        """When each page was checked, as stored."""
        return {child.url.removeprefix(self.site.url): child.last_checked_at for child in self.children()}

    def children(self) -> list[Watch]:
        """The pages that are watched."""
        return list(self.app.read(lambda data: data.watches.children(self.watch.id)))


@pytest.fixture
def town(database_url: str, site: ScriptedSite) -> Iterator[DatedSite]:
    dated = DatedSite(database_url, site)
    yield dated
    dated.app.close()


def test_honest_dates_save_fetches_and_every_dated_change_is_found_at_once(town: DatedSite) -> None:
    town.prove()
    fetched = 0
    for number in range(10):
        path = f"/p{number + 5}"
        town.edit(path, date=town.hands.at)
        asked, changed = town.day()
        assert changed == {path}
        fetched += len(asked)
    assert fetched < 10 * PAGES / 2


def test_a_page_that_rests_is_not_recorded_as_checked_and_comes_up_again_within_a_week(town: DatedSite) -> None:
    town.prove()
    before = town.checked_at()
    asked, _ = town.day()
    after = town.checked_at()
    assert {path for path in before if after[path] != before[path]} == asked
    assert len(asked) < PAGES / 2
    for _ in range(6):
        asked |= town.day()[0]
    assert asked == set(town.dates)


def test_dates_that_never_move_let_no_page_rest(town: DatedSite) -> None:
    for path in ("/p0", "/p1", "/p2", "/p3"):
        town.edit(path, date=None)
    assert town.day()[1] == {"/p0", "/p1", "/p2", "/p3"}
    for _ in range(3):
        assert town.day()[0] == set(town.dates)


def test_dates_that_are_always_new_let_no_page_rest(town: DatedSite) -> None:
    for number in range(5):
        town.dates = dict.fromkeys(town.dates, town.hands.at)
        town.edit(f"/p{number}", date=town.hands.at)
        asked, changed = town.day()
        assert asked == set(town.dates)
        assert changed == {f"/p{number}"}


def test_a_change_under_an_old_date_is_found_within_a_week_and_the_page_rests_no_more(town: DatedSite) -> None:
    town.prove()
    town.day()
    town.edit("/p9", date=None)
    found = [town.day()[1] for _ in range(7)]
    assert found.count({"/p9"}) == 1
    assert [changed for changed in found if changed] == [{"/p9"}]
    assert all("/p9" in town.day()[0] for _ in range(4))


def test_a_page_is_fetched_if_its_site_cannot_be_read(town: DatedSite) -> None:
    town.prove()
    town.day()
    town.site.show("/sitemap.xml", Page(status=503))
    asked = town.day()[0] | town.day()[0]
    assert asked == set(town.dates)
