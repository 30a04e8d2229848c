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
from tests.scripted import Page, ScriptedSite, scripted_site
from tests.web_server import WebServer

from driftline.engine.check.context import Checked
from driftline.engine.editing.watch_input import WatchInput
from driftline.model.delivery import Judgement
from driftline.model.fetch import FetchOptions
from driftline.model.watch import Watch
from driftline.store.queues.model_answers import ModelAnswers
from driftline.web.feedback import ChangeFeedback
from driftline.web.pages.parts.rendering import share_text
from driftline.wiring import run_loop

NOTICE = "<title>Board</title><h1>Board</h1><p>The pool opens at {} on Sundays.</p><p>Bring your own towel.</p>"


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    with scripted_site() as scripted:
        yield scripted


def check(server: WebServer, watch: Watch) -> Checked:
    ended: list[Checked] = []

    async def listen(checked: Checked) -> None:
        ended.append(checked)

    server.app.check([watch.id], listen)
    return ended[0]


# Links that open once, files, pictures, and what a script asks for.
TESTED_ELSEWHERE = ("/static/", "/sign-in", "{proof", "{secret", "/picture", "/selected")


def test_every_page_answers_with_html_and_its_own_policy(server: WebServer) -> None:
    ids = server.tenant.furnished()
    cookie = server.tenant.session_for(server.tenant.owner)
    seen = 0
    for method, path, handler in server.routes():
        ours = handler.fn.__module__.startswith("driftline.web.pages.") and method == "GET"
        if not ours or any(part in path for part in TESTED_ELSEWHERE):
            continue
        asked = reduce(lambda text, pair: text.replace(f"{{{pair[0]}:uuid}}", str(pair[1])), ids.items(), path)
        answer = server.browse("GET", asked, cookie=cookie)
        assert answer.status_code == 200, path
        assert answer.headers["content-type"].startswith("text/html"), path
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert " style=" not in answer.text
        assert " onclick=" not in answer.text
        seen += 1
    assert seen >= 12


def test_every_page_says_how_many_letters_wait_for_a_person(server: WebServer) -> None:
    ids = server.tenant.furnished()
    others = server.another("other").furnished()
    cookie = server.tenant.session_for(server.tenant.owner)
    pages = ("/", "/watches", "/add", "/deliveries", f"/watches/{ids['watch_id']}", f"/changes/{ids['change_id']}", "/settings")

    def reported() -> list[bool]:
        return ['title="failed deliveries">1<' in server.browse("GET", path, cookie=cookie).text for path in pages]

    assert not any(reported())
    kill = "UPDATE deliveries SET state = 'dead', next_attempt_at = NULL WHERE id = ?"
    rows = [(one["delivery_id"],) for one in (ids, others)]
    server.app.store.write_now(lambda session: session.tx.many(kill, rows))
    assert all(reported())


@pytest.mark.parametrize("path", ["/nowhere", "/watches/not-an-id", "/static/nothing.css"])
def test_an_address_that_leads_nowhere_is_a_page_with_a_way_back(quick_server: WebServer, path: str) -> None:
    answer = quick_server.client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert 'href="/watches"' in answer.text
    asked = quick_server.client.get(f"/api/v1{path}")
    assert asked.status_code == 404
    assert asked.headers["content-type"] == "application/problem+json"


def test_a_change_that_is_gone_is_named_without_its_id_or_a_command(quick_server: WebServer) -> None:
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    gone = quick_server.browse("GET", "/changes/00000000-0000-7000-8000-000000000009", cookie=cookie)
    assert gone.status_code == 404
    assert "No such change. It may have been removed, or has expired." in gone.text
    assert "driftline changes" not in gone.text
    assert "00000000-0000" not in gone.text


def test_markup_in_an_address_is_not_repeated(quick_server: WebServer) -> None:
    answer = quick_server.client.get("/<img src=x onerror=alert(1)>")
    assert answer.status_code == 404
    assert "<img" not in answer.text


def test_a_letter_leads_to_the_changes(quick_server: WebServer) -> None:
    quick_server.tenant.furnished()
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    listed = [quick_server.browse("GET", path, cookie=cookie).text.count("<article") for path in ("/", "/changes")]
    assert listed[0] == listed[1] > 0


def test_how_long_slots_live_is_reported_for_every_venue(server: WebServer, site: ScriptedSite) -> None:
    day = (server.app.clock.now() + timedelta(days=3)).date()
    slot = {"provider": "house", "venue_id": "lume", "venue_name": "<Lume>", "time": f"{day}T20:30"}
    url = site.show("/tables", '{"slots": []}')
    watch = server.app.add([server.app.draft(WatchInput(url=url, kind="availability", rules={"dates": [f"{day}"]}))])[0]
    for slots in ([], [slot], []):
        site.show("/tables", msgspec.json.encode({"slots": slots}).decode())
        check(server, watch)
    (venue,) = server.get("/venues").json()["items"]
    assert (venue["venue_name"], venue["still_open"], sum(venue["counts"])) == ("<Lume>", 0, 1)
    assert venue["median_for"] >= 0
    cookie = server.tenant.session_for(server.tenant.owner)
    assert "&lt;Lume&gt;" in server.browse("GET", "/opened/venues", cookie=cookie).text
    assert server.get(f"/venues?watch={watch.id}").json()["items"] == [venue]


@pytest.mark.parametrize("tab", ["changes", "checks", "items", "subscriptions", "rules"])
def test_every_part_of_a_watch_answers(quick_server: WebServer, tab: str) -> None:
    ids = quick_server.tenant.furnished()
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    answer = quick_server.browse("GET", f"/watches/{ids['watch_id']}?tab={tab}", cookie=cookie)
    assert answer.status_code == 200
    assert f'href="?tab={tab}" aria-current="page"' in answer.text


def test_a_viewer_reads_and_is_offered_nothing_that_changes(quick_server: WebServer) -> None:
    ids = quick_server.tenant.furnished()
    viewer = quick_server.tenant.user("viewer", "eyes@example.org")
    cookie = quick_server.tenant.session_for(viewer)
    for path in ("/", "/watches", "/deliveries", f"/watches/{ids['watch_id']}", f"/changes/{ids['change_id']}"):
        page = quick_server.browse("GET", path, cookie=cookie).text
        actions = set(re.findall(r'<form method="post" action="([^"]+)"', page))
        own = {"/sign-out", "/changes/read-all", f"/changes/{ids['change_id']}/unread"}  # nobody else sees what they have read
        assert actions <= own, path
    assert quick_server.browse("GET", "/add", cookie=cookie).status_code == 403
    assert quick_server.browse("POST", f"/watches/{ids['watch_id']}/pause", cookie=cookie).status_code == 403


def test_what_was_called_noise_is_reported_no_more_until_it_matters(server: WebServer, site: ScriptedSite) -> None:
    app = server.app
    url = site.show("/board", NOTICE.format("calm"))
    watch = app.add([app.draft(WatchInput(url=url, rules={"calibrate": False, "revert_window_for": 0.0}))])[0]
    assert check(server, watch).run.outcome == "baseline"
    site.show("/board", NOTICE.format("mild"))
    reported = check(server, watch)
    assert reported.run.outcome == "changed"

    teacher = ChangeFeedback(app)
    assert asyncio.run(teacher.noise(reported.changes[0].id)) == 1
    (mask,) = app.read(lambda data: data.masks.of(watch.id))
    assert mask.evidence == f"you said that change {reported.changes[0].id.hex[-8:]} was noise"
    site.show("/board", NOTICE.format("calm"))
    assert check(server, watch).run.outcome == "unchanged"  # both values were seen; another one would be news

    asyncio.run(teacher.matters(reported.changes[0].id))
    assert app.read(lambda data: data.masks.of(watch.id)) == []
    assert app.read(lambda data: data.changes.get(reported.changes[0].id)).change.flags["said"] == "matters"
    site.show("/board", NOTICE.format("wild"))
    assert check(server, watch).run.outcome == "changed"


def test_what_noise_would_hide_is_shown_first_and_a_rule_offered_where_nothing_can_be_ignored(
    server: WebServer, site: ScriptedSite
) -> None:
    app, cookie = server.app, server.tenant.session_for(server.tenant.owner)
    fees = "<main><h1>Fees</h1><p>{}</p><p>A day ticket is {} euros for adults.</p><p>Tickets are sold at the gate.</p></main>"
    url = site.show("/board", fees.format("The lake is calm today", 12))
    watch = app.add([app.draft(WatchInput(url=url, rules={"calibrate": False}))])[0]
    check(server, watch)
    site.show("/board", fees.format("The lake is mild today", 14))
    (change,) = check(server, watch).changes

    shown = server.browse("GET", f"/changes/{change.id}/noise", cookie=cookie).text
    assert shown.index("The lake is calm today") < shown.index("Still reported") < shown.index("A day ticket is 14 euros")
    assert app.read(lambda data: data.masks.of(watch.id)) == []
    offered = server.get(f"/changes/{change.id}/noise").json()["ignore_text"]
    assert len(offered) == 1

    server.browse("POST", f"/changes/{change.id}/ignore", cookie=cookie, data={"patterns": offered[0]})
    server.browse("POST", f"/changes/{change.id}/noise", cookie=cookie)
    assert app.read(lambda data: data.watches.get(watch.id)).rules["ignore_text"] == offered
    check(server, watch)
    site.show("/board", fees.format("The lake is calm today", 17))
    assert check(server, watch).run.outcome == "unchanged"


def test_activity_counts_days_and_nobody_elses_changes(server: WebServer) -> None:
    ids = server.tenant.furnished()
    stranger = server.another("other")
    other = stranger.furnished()
    at, org_id = server.app.clock.now(), server.tenant.org.id
    asked = [
        tenant.app.read(lambda data, id_=furniture["watch_id"]: data.watches.get(id_))  # type: ignore[misc]  # bound here
        for tenant, furniture in ((server.tenant, ids), (stranger, other))
    ]

    def counts(day: int) -> Mapping[UUID, list[int]]:
        when = at + timedelta(days=day)
        return server.app.store.read_now(lambda s: s.org(org_id).activity.by_day(asked, days=3, at=when))

    mine = counts(0)[ids["watch_id"]]
    assert mine[:2] == [0, 0]
    assert mine[2] > 0
    assert counts(1)[ids["watch_id"]] == [0, mine[2], 0]
    assert counts(0)[other["watch_id"]] == [0, 0, 0]
    assert server.app.store.read_now(lambda s: s.org(org_id).activity.counts()).watches == 1


def test_a_refused_form_comes_back_with_its_words_and_what_is_wrong(quick_server: WebServer) -> None:
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    form = {"url": "ftp://example.org/<em>", "kind": "page", "every": "1h", "name": "A name"}
    answer = quick_server.browse("POST", "/add", cookie=cookie, data=form)
    assert answer.status_code == 422
    assert 'value="A name"' in answer.text
    assert 'role="alert"' in answer.text
    assert "<em>" not in answer.text


def test_what_was_looked_at_is_what_is_saved(quick_server: WebServer, site: ScriptedSite) -> None:
    listed = "".join(f"<url><loc>https://example.org/{name}</loc><lastmod>2026-01-01</lastmod></url>" for name in "abc")
    sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'
    form = {"url": site.show("/sitemap.xml", sitemap), "kind": "page", "every": "1h"}
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    page = quick_server.browse("POST", "/add/form", cookie=cookie, data=form).text
    assert "Kind</dt><dd>Sitemap" in page
    assert re.findall(r'name="kind" value="(\w+)" checked', page) == ["sitemap"]


SHELL = "<html><head><script src='/app.js'></script></head><body><div id='root'></div></body></html>"


def test_what_cannot_be_watched_says_so_in_preview_list_and_on_its_page(server: WebServer, site: ScriptedSite) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    scripts = "This page is built by scripts and needs a browser"
    site.show("/login", "<title>Sign in</title><input type='password'>")
    reported = {
        site.show("/app", SHELL): scripts,
        site.url + "/nothing": "Page not found (404)",
        site.show(
            "/me", Page(status=302, headers={"location": "/login"})
        ): "Redirects to /login: this looks like a sign-in page",
    }
    watches = {}
    for url, said in reported.items():
        form = {"url": url, "kind": "page", "every": "1h", "browser": "never"}  # whether one is installed or not
        assert said in server.browse("POST", "/add/form", cookie=cookie, data=form).text
        (watches[url],) = server.app.add([server.app.draft(WatchInput(url=url, fetch=FetchOptions(browser="never")))])
        check(server, watches[url])
    listed = server.browse("GET", "/watches", cookie=cookie).text
    failing = server.browse("GET", "/watches?state=troubled", cookie=cookie).text
    assert "3 failing" in listed
    assert "dot fine" not in listed
    for url, said in reported.items():
        page = server.browse("GET", f"/watches/{watches[url].id}", cookie=cookie).text
        assert said in page
        assert said in listed
        assert said in failing
        assert "The baseline is stored" not in page
        assert "Nothing is stored yet" in page
    assert "Page not found (404), 1 of 3 tries" in listed


def test_a_booking_page_whose_dates_all_fail_is_shown_as_failing(server: WebServer, site: ScriptedSite) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    url = f"{site.url}/gone?day={{date}}"
    (parent,) = server.app.add([server.app.draft(WatchInput(url=url, kind="availability", rules={"dates": "next 2 days"}))])
    children = server.app.read(lambda data: data.watches.children(parent.id))
    check(server, children[0])
    assert "dot trouble" not in server.browse("GET", "/watches", cookie=cookie).text  # another date may still be read
    for child in children[1:]:
        check(server, child)
    listed = server.browse("GET", "/watches", cookie=cookie).text
    assert "dot trouble" in listed
    assert "The page cannot be read" in listed
    assert "The page cannot be read" in server.browse("GET", f"/watches/{parent.id}", cookie=cookie).text


def test_a_file_is_called_one_in_preview_in_the_list_and_on_its_page(quick_server: WebServer, site: ScriptedSite) -> None:
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    url = site.show("/terms", Page(body=b"%PDF-1.7\n" + bytes(1_200_000)))
    said = "PDF, 1.2 MB: compared as a file; damaged: it cannot be opened"
    looked = quick_server.browse("POST", "/add/form", cookie=cookie, data={"url": url, "kind": "page", "every": "1h"})
    assert said in looked.text
    (watch,) = quick_server.app.add([quick_server.app.draft(WatchInput(url=url))])
    assert check(quick_server, watch).run.outcome == "baseline"
    assert said in quick_server.browse("GET", f"/watches/{watch.id}", cookie=cookie).text
    assert said in quick_server.browse("GET", "/watches", cookie=cookie).text


def test_a_new_user_is_led_to_a_watch_and_a_channel(quick_server: WebServer) -> None:
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    first = quick_server.browse("GET", "/", cookie=cookie).text
    assert first.index("Watch something") < first.index("Get a message") < first.index("See the first change")
    assert 'href="/add?url=https%3A//books.toscrape.com/"' in first
    quick_server.app.add([quick_server.app.draft(WatchInput(url="http://example.com/"))])
    second = quick_server.browse("GET", "/", cookie=cookie).text
    assert "All severities" not in second  # nothing to filter yet
    assert "Watch something <span" in second
    assert "Add a channel" in second


@pytest.mark.parametrize(("similarity", "shown"), [(0.99996, "99.9%"), (1.0, "99.9%"), (0.5, "50.0%"), (0.0, "0.0%")])
def test_what_changed_is_never_wholly_the_same(similarity: float, shown: str) -> None:
    assert share_text(similarity) == shown


def test_what_a_model_said_and_read_stands_on_the_pages_of_change_and_check(server: WebServer) -> None:
    ids = server.tenant.furnished()
    app, org_id = server.app, server.tenant.org.id
    fields = {"price": 12, "places": ["Rome", "<i>"]}
    said = Judgement(notify=False, reason="only <b>2</b> more", fields=fields, fields_before={"price": 10})
    run_loop(lambda: ModelAnswers(app.store.database).judged(org_id, ids["change_id"], said, at=app.clock.now()))
    cookie = server.tenant.session_for(server.tenant.owner)
    change = server.browse("GET", f"/changes/{ids['change_id']}", cookie=cookie).text
    for shown in (
        "Held back by the language model: only &lt;b&gt;2&lt;/b&gt; more",
        "before: 10",
        "before: none",
        "Rome, &lt;i&gt;",
    ):
        assert shown in change
    check = server.browse("GET", f"/runs/{ids['run_id']}", cookie=cookie).text
    assert "What the language model said" in check
    assert "Only &lt;b&gt;2&lt;/b&gt; more" in check
    explained = server.get(f"/runs/{ids['run_id']}/explain").json()["judged"]
    assert [(one["notify"], one["reason"]) for one in explained] == [(False, "only <b>2</b> more")]


def test_a_failure_says_its_reason_once_and_leads_to_what_can_be_done(server: WebServer, site: ScriptedSite) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    login = site.show("/login", "<title>Sign in</title><form><input name=user><input type=password name=pw></form>")
    url = site.show("/members", Page(status=302, headers={"location": login}))
    watch = server.app.add([server.app.draft(WatchInput(url=url, name="Members"))])[0]
    check(server, watch)
    change = server.app.read(lambda data: data.changes.page(watch_id=watch.id)).rows[0]
    shown = server.browse("GET", f"/changes/{change.id}", cookie=cookie).text
    assert "Before and after" not in shown
    assert f'href="/watches/{watch.id}?tab=rules#cookie"' in shown
    assert "Nobody was subscribed" in shown
    assert 'href="?tab=rules#cookie"' in server.browse("GET", f"/watches/{watch.id}", cookie=cookie).text


def test_a_price_stands_in_one_row_with_its_currency(server: WebServer) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    shown = server.browse("GET", f"/changes/{server.tenant.furnished()['change_id']}", cookie=cookie).text
    assert '<span class="del">10.00 EUR</span>' in shown
    assert '<span class="ins">12.00 EUR</span>' in shown
    assert ">Currency<" not in shown


def test_the_preview_of_a_product_names_its_price_and_of_a_feed_its_kind(server: WebServer, site: ScriptedSite) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    product = (
        "<title>Lamp</title><main><h1>Lamp</h1><p class=price>89,00 €</p><p>In stock</p><button>Add to cart</button></main>"
    )
    form = {"url": site.show("/lamp", product), "kind": "page"}
    assert "89.00 EUR · in stock" in server.browse("POST", "/add/preview", cookie=cookie, data=form).text
    feed = (
        '<rss version="2.0"><channel><title>News</title><item><title>One</title><link>http://a/1</link></item></channel></rss>'
    )
    watch = server.app.add(
        [
            server.app.draft(
                WatchInput(
                    url=site.show("/feed", Page(body=feed.encode(), headers={"content-type": "application/rss+xml"})),
                    name="News",
                )
            )
        ]
    )[0]
    check(server, watch)
    assert (
        "as kind sitemap its articles are reported one by one"
        in server.browse("GET", f"/watches/{watch.id}", cookie=cookie).text
    )
