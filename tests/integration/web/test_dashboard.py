"""The dashboard's pages on both databases: all of them answer, and what people say teaches."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import reduce
from uuid import UUID

import msgspec
import pytest
from tests.offices import Office
from tests.scripted import ScriptedSite, scripted_site

from driftline.engine.context import Checked
from driftline.engine.drafting import Wish
from driftline.model.watch import Watch
from driftline.web.teaching import Teacher

NOTICE = "<title>Board</title><h1>Board</h1><p>The pool opens at {} on Sundays.</p><p>Bring your own towel.</p>"


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as scripted:
        yield scripted


def check(office: Office, watch: Watch) -> Checked:
    ended: list[Checked] = []

    async def listen(checked: Checked) -> None:
        ended.append(checked)

    office.app.check([watch.id], listen)
    return ended[0]


def test_every_page_answers_with_html_and_its_own_policy(office: Office) -> None:
    ids = office.tenant.furnished()
    cookie = office.tenant.session_for(office.tenant.owner)
    seen = 0
    for method, path, handler in office.routes():
        ours = handler.fn.__module__.startswith("driftline.web.pages.") and method == "GET"
        if not ours or "/static/" in path or path == "/sign-in" or "{proof" in path:  # these have tests of their own
            continue
        asked = reduce(lambda text, pair: text.replace(f"{{{pair[0]}:uuid}}", str(pair[1])), ids.items(), path)
        answer = office.browse("GET", asked, cookie=cookie)
        assert answer.status_code == 200, path
        assert answer.headers["content-type"].startswith("text/html")
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert " style=" not in answer.text
        assert " onclick=" not in answer.text
        seen += 1
    assert seen >= 12


def test_every_page_says_how_many_letters_wait_for_a_person(office: Office) -> None:
    ids = office.tenant.furnished()
    others = office.another("other").furnished()
    cookie = office.tenant.session_for(office.tenant.owner)
    pages = ("/", "/watches", "/add", "/deliveries", f"/watches/{ids['watch_id']}", f"/changes/{ids['change_id']}", "/settings")

    def told() -> list[bool]:
        return ['title="dead letters">1<' in office.browse("GET", path, cookie=cookie).text for path in pages]

    assert not any(told())
    kill = "UPDATE deliveries SET state = 'dead', next_attempt_at = NULL WHERE id = ?"
    rows = [(one["delivery_id"],) for one in (ids, others)]
    office.app.store.write_now(lambda session: session.tx.many(kill, rows))
    assert all(told())


@pytest.mark.parametrize("path", ["/nowhere", "/watches/not-an-id", "/static/nothing.css"])
def test_an_address_that_leads_nowhere_is_a_page_with_a_way_back(quick_office: Office, path: str) -> None:
    answer = quick_office.client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert 'href="/watches"' in answer.text
    asked = quick_office.client.get(f"/api/v1{path}")
    assert asked.status_code == 404
    assert asked.headers["content-type"] == "application/problem+json"


def test_markup_in_an_address_is_not_repeated(quick_office: Office) -> None:
    answer = quick_office.client.get("/<img src=x onerror=alert(1)>")
    assert answer.status_code == 404
    assert "<img" not in answer.text


def test_a_letter_leads_to_the_changes(quick_office: Office) -> None:
    quick_office.tenant.furnished()
    cookie = quick_office.tenant.session_for(quick_office.tenant.owner)
    listed = [quick_office.browse("GET", path, cookie=cookie).text.count("<article") for path in ("/", "/changes")]
    assert listed[0] == listed[1] > 0


def test_how_long_slots_live_is_told_for_every_venue(office: Office, site: ScriptedSite) -> None:
    day = (office.app.clock.now() + timedelta(days=3)).date()
    slot = {"provider": "house", "venue_id": "lume", "venue_name": "<Lume>", "time": f"{day}T20:30"}
    url = site.show("/tables", '{"slots": []}')
    watch = office.app.add([office.app.draft(Wish(url=url, kind="availability", rules={"dates": [f"{day}"]}))])[0]
    for slots in ([], [slot], []):
        site.show("/tables", msgspec.json.encode({"slots": slots}).decode())
        check(office, watch)
    (venue,) = office.get("/venues").json()["items"]
    assert (venue["venue_name"], venue["still_open"], sum(venue["counts"])) == ("<Lume>", 0, 1)
    assert venue["median_for"] >= 0
    cookie = office.tenant.session_for(office.tenant.owner)
    assert "&lt;Lume&gt;" in office.browse("GET", "/opened/venues", cookie=cookie).text
    assert office.get(f"/venues?watch={watch.id}").json()["items"] == [venue]


@pytest.mark.parametrize("tab", ["changes", "checks", "items", "subscriptions", "rules"])
def test_every_part_of_a_watch_answers(quick_office: Office, tab: str) -> None:
    ids = quick_office.tenant.furnished()
    cookie = quick_office.tenant.session_for(quick_office.tenant.owner)
    answer = quick_office.browse("GET", f"/watches/{ids['watch_id']}?tab={tab}", cookie=cookie)
    assert answer.status_code == 200
    assert f'href="?tab={tab}" aria-current="page"' in answer.text


def test_a_viewer_reads_and_is_offered_nothing_that_changes(quick_office: Office) -> None:
    ids = quick_office.tenant.furnished()
    viewer = quick_office.tenant.user("viewer", "eyes@example.org")
    cookie = quick_office.tenant.session_for(viewer)
    for path in ("/", "/watches", "/deliveries", f"/watches/{ids['watch_id']}", f"/changes/{ids['change_id']}"):
        page = quick_office.browse("GET", path, cookie=cookie).text
        assert page.count("<form method=") == 1, path  # the way out
    assert quick_office.browse("GET", "/add", cookie=cookie).status_code == 403
    assert quick_office.browse("POST", f"/watches/{ids['watch_id']}/pause", cookie=cookie).status_code == 403


def test_what_was_called_noise_is_told_no_more_until_it_matters(office: Office, site: ScriptedSite) -> None:
    app = office.app
    url = site.show("/board", NOTICE.format("nine"))
    watch = app.add([app.draft(Wish(url=url, rules={"calibrate": False, "revert_window_for": 0.0}))])[0]
    assert check(office, watch).run.outcome == "baseline"
    site.show("/board", NOTICE.format("ten"))
    told = check(office, watch)
    assert told.run.outcome == "changed"

    teacher = Teacher(app)
    assert asyncio.run(teacher.noise(told.changes[0].id)) == 1
    (mask,) = app.read(lambda data: data.masks.of(watch.id))
    assert mask.evidence == f"you said that change {told.changes[0].id.hex[-8:]} was noise"
    site.show("/board", NOTICE.format("eleven"))
    assert check(office, watch).run.outcome == "unchanged"

    asyncio.run(teacher.matters(told.changes[0].id))
    assert app.read(lambda data: data.masks.of(watch.id)) == []
    assert app.read(lambda data: data.changes.get(told.changes[0].id)).change.flags["said"] == "matters"
    site.show("/board", NOTICE.format("twelve"))
    assert check(office, watch).run.outcome == "changed"


def test_activity_counts_days_and_nobody_elses_changes(office: Office) -> None:
    ids = office.tenant.furnished()
    stranger = office.another("other")
    other = stranger.furnished()
    at, org_id = office.app.clock.now(), office.tenant.org.id
    asked = [
        tenant.app.read(lambda data, id_=furniture["watch_id"]: data.watches.get(id_))  # type: ignore[misc]  # bound here
        for tenant, furniture in ((office.tenant, ids), (stranger, other))
    ]

    def counts(day: int) -> Mapping[UUID, list[int]]:
        when = at + timedelta(days=day)
        return office.app.store.read_now(lambda s: s.org(org_id).activity.by_day(asked, days=3, at=when))

    mine = counts(0)[ids["watch_id"]]
    assert mine[:2] == [0, 0]
    assert mine[2] > 0
    assert counts(1)[ids["watch_id"]] == [0, mine[2], 0]
    assert counts(0)[other["watch_id"]] == [0, 0, 0]
    assert office.app.store.read_now(lambda s: s.org(org_id).activity.standing()).watches == 1


def test_a_refused_form_comes_back_with_its_words_and_what_is_wrong(quick_office: Office) -> None:
    cookie = quick_office.tenant.session_for(quick_office.tenant.owner)
    form = {"url": "ftp://example.org/<em>", "kind": "page", "every": "1h", "name": "A name"}
    answer = quick_office.browse("POST", "/add", cookie=cookie, data=form)
    assert answer.status_code == 422
    assert 'value="A name"' in answer.text
    assert 'role="alert"' in answer.text
    assert "<em>" not in answer.text


def test_what_was_looked_at_is_what_is_saved(quick_office: Office, site: ScriptedSite) -> None:
    listed = "".join(f"<url><loc>https://example.org/{name}</loc><lastmod>2026-01-01</lastmod></url>" for name in "abc")
    sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'
    form = {"url": site.show("/sitemap.xml", sitemap), "kind": "page", "every": "1h"}
    cookie = quick_office.tenant.session_for(quick_office.tenant.owner)
    page = quick_office.browse("POST", "/add/look", cookie=cookie, data=form).text
    assert "Read as</dt><dd>Sitemap" in page
    assert re.findall(r'name="kind" value="(\w+)" checked', page) == ["sitemap"]
