"""One form for a watch, at adding and at editing: what it asks for is stored whole, and an error keeps what was typed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.integration.web.test_dashboard import NOTICE, check
from tests.scripted import ScriptedSite, scripted_site
from tests.web_server import WebServer

from driftline.engine.editing.watch_input import WatchInput
from driftline.model.watch import Watch


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as scripted:
        yield scripted


def stored(server: WebServer, watch: Watch) -> Watch:
    return server.app.read(lambda data: data.watches.get(watch.id))


def a_watch(server: WebServer, url: str, **more: object) -> Watch:
    return server.app.add([server.app.draft(WatchInput(url=url, **more))])[0]  # type: ignore[arg-type]  # WatchInput checks itself


def test_all_of_a_watch_is_edited_in_one_form(server: WebServer) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    watch = a_watch(server, "https://a.example/", rules={"sort_lines": True})
    form = {
        "url": "b.example/terms",
        "kind": "page",
        "name": "Terms",
        "tag": "legal, home",
        "every": "30m",
        "timezone": "Europe/Berlin",
        "window": "mon-fri 08:00-18:00; sat 10:00-12:00",
        "adaptive": "yes",
        "header": "X-Plan: gold\nAccept-Language: de",
        "cookie": "consent=yes; session=1",
        "method": "POST",
        "body": "a=1",
        "page.select": "main\n.price",
        "page.remove": ".ad",
        "page.ignore_text": "/\\d+ people/",
        "page.trigger_text": "sold out",
        "page.detailed_snapshots": "yes",
        "advanced": '{"unique_lines": true}',
    }
    answer = server.browse("POST", f"/watches/{watch.id}/edit", cookie=cookie, data=form)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/watches/{watch.id}?tab=rules&done=saved")
    now = stored(server, watch)
    assert (now.url, now.name, now.tags) == ("https://b.example/terms", "Terms", ("legal", "home"))
    assert (now.schedule.every_for, now.schedule.timezone, now.schedule.adaptive) == (1800, "Europe/Berlin", True)
    assert [one.weekdays for one in now.schedule.windows] == [(0, 1, 2, 3, 4), (5,)]
    assert now.fetch.headers == {"X-Plan": "gold", "Accept-Language": "de"}
    assert now.fetch.cookies == {"consent": "yes", "session": "1"}
    assert (now.fetch.method, now.fetch.body) == ("POST", "a=1")
    assert now.rules == {
        "select": ["main", ".price"], "remove": [".ad"], "ignore_text": ["/\\d+ people/"], "trigger_text": ["sold out"],
        "detailed_snapshots": True, "unique_lines": True,
    }  # fmt: skip
    page = server.browse("GET", f"/watches/{watch.id}?tab=rules", cookie=cookie).text
    for text in ("mon,tue,wed,thu,fri 08:00-18:00; sat 10:00-12:00", "consent=yes\nsession=1", "main\n.price", "legal, home"):
        assert text in page
    assert "keep_text" in page  # the names of all rules, for whoever writes JSON
    sent = dict(re.findall(r'<input id="([\w.]+)" name="[\w.]+"[^>]* value="([^"]*)"', page))
    assert sent["url"] == "https://b.example/terms"


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("url", "ftp://a.example/", "Only https:// and http:// addresses can be watched"),
        ("every", "15 bananas", "Write it as 15m, 1h30m, 2d or weekly"),
        ("cron", "every day", "cron"),
        ("timezone", "Mars/Olympus", "time zone"),
        ("window", "always", "Write it as &#39;mon-fri 08:00-18:00&#39;"),
        ("header", "no colon here", "Write it as Name: value"),
        ("cookie", "novalue", "Write it as name=value"),
        ("page.select", "main >", "selector"),
        ("page.ignore_text", "/(/", "pattern"),
        ("advanced", '{"ignor_text": []}', "Did you mean &#34;ignore_text&#34;?"),
        ("body", "a=1", "Only POST can send a body"),
    ],
)
def test_an_error_keeps_the_form_with_its_sentence_beside_the_field(
    quick_server: WebServer, field: str, typed: str, said: str
) -> None:
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    watch = a_watch(quick_server, "https://a.example/", name="A")
    form = {"url": "https://a.example/", "kind": "page", "name": "Renamed", "every": "1h", field: typed}
    for path in (f"/watches/{watch.id}/edit", "/add"):
        answer = quick_server.browse("POST", path, cookie=cookie, data=form)
        assert answer.status_code == 422
        beside = re.search(rf'id="{re.escape(field)}-error">([^<]*)<', answer.text)
        assert beside is not None, answer.text
        assert said in beside[1]
        assert 'value="Renamed"' in answer.text
    assert stored(quick_server, watch).name == "A"
    assert len(list(quick_server.app.all_watches())) == 1


def test_another_address_keeps_the_history(server: WebServer, site: ScriptedSite) -> None:
    watch = a_watch(server, site.show("/old", NOTICE.format(nine := "nine")))
    check(server, watch)
    site.show("/old", NOTICE.format("ten"))
    check(server, watch)
    moved = site.show("/new", NOTICE.format("ten"))
    answer = server.ask("PATCH", f"/api/v1/watches/{watch.id}", json={"url": moved})
    assert (answer.status_code, answer.json()["url"]) == (200, moved)
    assert check(server, stored(server, watch)).run.outcome == "unchanged"  # the same text elsewhere is no change
    site.show("/new", NOTICE.format("noon"))
    checked = check(server, stored(server, watch))
    assert checked.run.outcome == "changed"
    changes = server.app.read(lambda data: data.changes.page(watch_id=watch.id).rows)
    assert [nine in str(change.diff) for change in changes] == [False, True]
    assert len({change.item_id for change in changes}) == 1


def test_a_list_at_another_address_begins_with_a_baseline(server: WebServer) -> None:
    ids = server.tenant.furnished()
    answer = server.ask("PATCH", f"/api/v1/watches/{ids['watch_id']}", json={"url": "https://other.example/lamps"})
    assert answer.status_code == 200
    moved = server.app.read(lambda data: data.watches.get(ids["watch_id"]))
    assert moved.baseline_run_id is None
    assert moved.source_id != ids["watch_id"]  # another shop: its products are others
    assert server.get(f"/changes/{ids['change_id']}").status_code == 200
    page = {"kind": "page", "rules": {}, "url": "https://other.example/"}
    assert server.ask("PATCH", f"/api/v1/watches/{ids['watch_id']}", json=page).json()["kind"] == "page"
    assert server.ask("PATCH", f"/api/v1/watches/{ids['watch_id']}", json={"kind": "availability"}).status_code == 409
    assert server.ask("DELETE", f"/api/v1/watches/{ids['watch_id']}").status_code == 204


def test_an_edit_is_previewed_without_saving_it(quick_server: WebServer, site: ScriptedSite) -> None:
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    watch = a_watch(quick_server, site.show("/board", NOTICE.format("nine")))
    form = {"url": watch.url, "kind": "page", "name": "Other", "every": "1h", "page.select": "h1"}
    for place in ("form", "preview"):
        shown = quick_server.browse("POST", f"/watches/{watch.id}/{place}", cookie=cookie, data=form).text
        preview = shown.partition('aria-label="Watched text"')[2].partition("</pre>")[0]
        assert "Board" in preview
        assert "towel" not in preview
    assert stored(quick_server, watch).rules == {}
