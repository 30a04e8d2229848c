"""kill -9 while a sitemap and a booking board are watched: each article and each drop is told once, and none is lost."""

from __future__ import annotations

import json
import signal

import msgspec
import pytest
from tests.faults.history import let_leases_end, make_due, rows
from tests.faults.workers import Workers, work
from tests.scripted import Page, ScriptedSite, scripted_site

from driftline.engine.editing.watch_input import WatchInput
from driftline.engine.fault_points import POINTS
from driftline.settings import Settings
from driftline.wiring import App

_TOLD = "SELECT c.type, c.url, c.after FROM changes AS c ORDER BY c.created_at, c.id"


def publish(site: ScriptedSite, version: int) -> None:
    """One more article and one less, the first one changed, and a slot at one more venue."""
    lastmods = {f"p{number}": "2026-01-01" for number in range(version // 2, version + 1)} | {"first": f"2026-02-{version:02}"}
    listed = "".join(f"<url><loc>{site.url}/{slug}</loc><lastmod>{at}</lastmod></url>" for slug, at in lastmods.items())
    half = listed.find("<url>", len(listed) // 2)
    for number, part in enumerate((listed[:half], listed[half:])):
        site.show(f"/{number}.xml", Page(body=f"<urlset>{part}</urlset>".encode()))
    files = "".join(f"<sitemap><loc>{site.url}/{number}.xml</loc></sitemap>" for number in range(2))
    site.show("/sitemap.xml", Page(body=f"<sitemapindex>{files}</sitemapindex>".encode()))
    slots = [{"id": f"{version}-{number}", "venue": f"v{number}", "start": "2027-01-01T10:00"} for number in range(version)]
    site.show("/board", Page(body=json.dumps({"slots": slots, "turn": version}).encode()))


def expected(versions: int) -> list[str]:
    reported = []
    for version in range(2, versions + 1):
        reported += [f"new_article p{version}", "article_updated first", f"drop v{version - 1}"]
        reported += [f"article_removed p{version // 2 - 1}"] if version % 2 == 0 else []
    return sorted(reported)


def reported(app: App) -> list[str]:
    found = []
    for kind, url, after in rows(app, _TOLD):
        slot = after if isinstance(after, dict) else json.loads(after) if after else {}
        found.append(f"{kind} {slot['venue_id'] if kind == 'drop' else url.rpartition('/')[2]}")
    return sorted(found)


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_a_named_step_tells_every_article_and_drop_once(
    point: str, app: App, settings: Settings, workers: Workers
) -> None:
    with scripted_site() as site:
        publish(site, 1)
        app.add(
            [
                app.draft(WatchInput(url=f"{site.url}/sitemap.xml", kind="sitemap", name="blog", rules={"removed": True})),
                app.draft(WatchInput(url=f"{site.url}/board", kind="availability", name="board")),
            ]
        )
        killed = 0
        for version in range(1, 4):
            armed = msgspec.structs.replace(settings, crash_at=f"{point}:{version}")
            killed += workers.join(workers.start(work, armed, True)) == -signal.SIGKILL
            let_leases_end(app)
            make_due(app)
            assert workers.join(workers.start(work, settings, True)) == 0
            assert reported(app) == expected(version)
            publish(site, version + 1)
            make_due(app)
        assert killed
