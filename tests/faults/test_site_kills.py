"""kill -9 while a site is crawled: each page is watched once, reported once when it comes and goes, and none is lost."""

from __future__ import annotations

import signal

import msgspec
import pytest
from tests.faults.history import let_leases_end, make_due, rows
from tests.faults.workers import Workers, work
from tests.integration.whole_sites import html, words
from tests.scripted import ScriptedSite, scripted_site

from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.fault_points import POINTS
from driftline.settings import Settings
from driftline.wiring import App


def publish(site: ScriptedSite, version: int) -> set[str]:
    """One page more and one less than before, and one with another text; gives the addresses of the pages."""
    names = [f"p{number}" for number in range(version, version + 6)]
    site.pages.clear()
    for name in names:
        site.show(f"/{name}", html(name, words(name)))
    edited = html("news", f"{words('news')} {words(f'news {version}', 10)}")
    site.show("/news", edited)
    site.show("/", html("start", words("/"), "/news", *(f"/{name}" for name in names)))
    return {f"{site.url}/", f"{site.url}/news", *(f"{site.url}/{name}" for name in names)}


def expected(versions: int) -> list[str]:
    later = range(2, versions + 1)
    pages = [f"page_added p{version + 5}" for version in later] + [f"page_removed p{version - 1}" for version in later]
    return sorted(pages + ["content news"] * len(later))


def reported(app: App) -> list[str]:
    return sorted(f"{kind} {url.rpartition('/')[2]}" for kind, url in rows(app, "SELECT type, url FROM changes"))


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_a_named_step_loses_no_page_and_reports_none_twice(
    point: str, app: App, settings: Settings, workers: Workers
) -> None:
    with scripted_site() as site:
        publish(site, 1)
        app.add([app.draft(WatchInput(url=f"{site.url}/", kind="site", name="town"))])
        killed = 0
        for version in range(1, 4):
            pages = publish(site, version)
            armed = msgspec.structs.replace(settings, crash_at=f"{point}:{version}")
            killed += workers.join(workers.start(work, armed, True)) == -signal.SIGKILL
            let_leases_end(app)
            make_due(app)
            assert workers.join(workers.start(work, settings, True)) == 0
            assert reported(app) == expected(version)
            watched = rows(app, "SELECT url FROM watches WHERE parent_id IS NOT NULL AND retired_at IS NULL ORDER BY url")
            assert [url for (url,) in watched] == sorted(pages)
            make_due(app)
        assert killed
