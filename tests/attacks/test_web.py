"""What strangers try at the web's door: names that are not ours, markup everywhere, odd requests."""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.scripted import scripted_site
from tests.services import Services
from tests.web_server import HERE, WebServer, server_on

import driftline.web
from driftline.web.logs import JsonLines
from driftline.web.security_headers import CSP, SANDBOX

TEMPLATES = Path(driftline.web.__file__).parent / "templates"
MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&</title></textarea>"


@pytest.fixture
def server(services: Services, tmp_path: Path) -> Iterator[WebServer]:
    database = services.migrated_file(tmp_path / "driftline.db")
    with server_on(database, public_url="https://drift.example.org", web_hosts=("drift.lan",)) as opened:
        yield opened


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example:80",
        "localhost.evil.example",
        "drift.example.org.evil.example",
        "xdrift.lan",
        "127.0.0.1@evil.example",
        "[::1].evil.example",
        "0.0.0.0",
        "",
        "127.0.0.1:80:evil.example",
    ],
)
def test_a_foreign_name_is_refused(server: WebServer, host: str) -> None:
    for path in ("/", "/api/v1/me", "/metrics", "/static/app.css", "/api/v1/openapi.json"):
        assert server.client.get(path, headers={"Host": host}).status_code == 421, path


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost:8765", "[::1]:8765", "drift.example.org", "DRIFT.LAN", "drift.lan:443"]
)
def test_our_own_names_are_answered(server: WebServer, host: str) -> None:
    assert server.ask("GET", "/api/v1/me", headers={"Host": host}).status_code == 200


def test_every_answer_carries_the_headers(server: WebServer) -> None:
    for path in ("/", "/sign-in", "/api/v1/me", "/api/v1/watches", "/nowhere", "/healthz", "/metrics", "/static/nothing.css"):
        for answer in (server.client.get(path, follow_redirects=False), server.ask("GET", path)):
            assert answer.headers["content-security-policy"] == CSP, path
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["x-frame-options"] == "DENY"
            assert answer.headers["referrer-policy"] == "same-origin"
            assert "max-age" in answer.headers["strict-transport-security"]
            assert "no-" in answer.headers["cache-control"] or path.startswith("/static/")
    assert CSP == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"
    )


def test_markup_in_what_strangers_wrote_is_inert(server: WebServer) -> None:
    tenant = server.tenant
    made = server.post(
        "/watches", {"url": "https://shop.example/?q=<script>x</script>", "kind": "catalog", "name": MARKUP}
    ).json()
    tenant.push(made["id"], "10", title=MARKUP)
    run_id = tenant.push(made["id"], "12", title=MARKUP)
    change = server.get(f"/changes?run={run_id}").json()["items"][0]
    cookie = tenant.session_for(tenant.owner)
    pages = [
        "/",
        "/watches",
        f"/watches?text={MARKUP}",
        f"/watches/{made['id']}",
        f"/changes/{change['id']}",
        f"/runs/{run_id}",
        f"/items/{change['item']}",
        "/deliveries",
        "/settings",
        "/opened",
        "/articles",
        f"/sign-in?failed={MARKUP}",
        f"/sign-in?link={MARKUP}",
    ]
    for path in pages:
        answer = server.browse("GET", path, cookie=cookie)
        assert answer.status_code in (200, 303), (path, answer.status_code, answer.text[:300])
        for live in ("<script>alert", "<img src=x", 'onerror=alert(2)>"', "</title></textarea>"):
            assert live not in answer.text, (path, live)


def test_markup_in_an_error_is_never_html(server: WebServer) -> None:
    tries: list[tuple[str, str, dict[str, Any]]] = [
        ("GET", f"/api/v1/{MARKUP}", {}),
        ("GET", "/api/v1/watches?cursor=" + "<script>alert(1)</script>", {}),
        ("GET", "/api/v1/watches?limit=<script>alert(1)</script>", {}),
        ("GET", "/api/v1/watches/<script>alert(1)</script>", {}),
        ("POST", "/api/v1/watches", {"json": {"url": "javascript:" + MARKUP}}),
        ("POST", "/api/v1/watches", {"json": {MARKUP: 1}}),
        ("POST", "/api/v1/watches", {"content": MARKUP.encode(), "headers": {"Content-Type": "application/json"}}),
        ("POST", "/api/v1/import?strict=true", {"content": MARKUP.encode()}),
    ]
    for method, path, more in tries:
        answer = server.ask(method, path, **more)
        assert 400 <= answer.status_code < 500, (path, answer.status_code)
        assert answer.headers["content-type"] == "application/problem+json", (path, answer.headers["content-type"])
        assert set(answer.json()) >= {"title", "status"}


@pytest.mark.parametrize("body", [b'{"name":"\xff","\xff":1}', b'{"name":"\xed\xa0\x80"}', b'{"name":"\\ud800"}'])
def test_a_body_that_is_not_unicode_is_refused_everywhere(server: WebServer, body: bytes) -> None:
    ids = {name: str(value) for name, value in server.tenant.furnished().items()}
    for method, path, handler in server.routes():
        if not path.startswith("/api/") or "data" not in handler.fn.__annotations__:
            continue
        where = re.sub(r"{(\w+):\w+}", lambda found: ids.get(found[1], "any"), path)
        answer = server.ask(method, where, content=body, headers={"Content-Type": "application/json"})
        assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json"), (method, where)
    for path in (f"/api/v1/watches/{ids['watch_id']}/runs", "/api/v1/import"):
        assert server.ask("POST", path, content=body).status_code < 500


ODD_VALUES = [None, "", "no address", "\0", "\u202e" * 40, "9" * 400, "-1", "0001-01-01", "((((", "https://a.example:99999/"]


@pytest.mark.parametrize("value", ODD_VALUES)
def test_no_form_of_odd_values_is_a_failure_of_ours(server: WebServer, value: str | None) -> None:
    """Every form of the dashboard, with every field that any of them has."""
    names = {name for file in TEMPLATES.glob("*.html") for name in re.findall(r'name="(\w+)"', file.read_text("utf-8"))}
    form = {} if value is None else dict.fromkeys(sorted(names - {"_csrf"}), value)
    ids = {name: str(found) for name, found in server.tenant.furnished().items()}
    asked = 0
    for method, path, _ in server.routes():
        if method == "POST" and not path.startswith(("/api/", "/mcp")):
            where = re.sub(r"{(\w+):\w+}", lambda found: ids.get(found[1], "any"), path)
            cookie = server.tenant.session_for(server.tenant.owner)
            answer = server.browse("POST", where, cookie=cookie, data=form)
            assert answer.status_code < 500, (where, answer.status_code)
            asked += 1
    assert asked > 50


def test_a_feed_with_markup_is_well_formed(server: WebServer) -> None:
    made = server.post("/watches", {"url": "https://shop.example/", "kind": "catalog", "name": MARKUP}).json()
    server.tenant.push(made["id"], "10", title=MARKUP + "\x00\x0b]]>")
    feed = server.client.get(f"/api/v1/feeds/{server.tenant.token}/changes.atom")
    entries = ET.fromstring(feed.content).findall("{http://www.w3.org/2005/Atom}entry")
    assert len(entries) == 1
    assert "<script>" not in feed.text


def test_a_snapshot_is_plain_text_in_a_sandbox(server: WebServer) -> None:
    with scripted_site() as site:
        url = site.show("/", f"<html><body><p>Terms of service {MARKUP} and more words here</p></body></html>")
        watch = server.post("/watches", {"url": url}).json()

        async def ignore(_: Any) -> None: ...

        server.app.check([server.app.read(lambda data: data.watches.get(watch["id"]).id)], ignore)
    (item,) = server.get(f"/watches/{watch['id']}/items").json()["items"]
    (version,) = server.get(f"/items/{item['id']}/history").json()["items"]
    for what in ("text", "raw"):
        answer = server.get(f"/snapshots/{version['id']}?what={what}")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert answer.headers["content-security-policy"] == SANDBOX
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "<script>" in answer.text  # as it was sent, and nothing more than text


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        " FILE:/etc/passwd",
        "source:file:///etc/passwd",
        "gopher://example.org/",
        "ftp://example.org/",
        "javascript:alert(1)",
        "data:text/html,x",
        "http://user:pass@example.org/",
        "http://example.org\\@evil.example/",
        "http://example.org/%00",
        "http://exam\nple.org/",
        "http://example.org/" + "a" * 2100,
    ],
)
def test_an_address_that_may_not_be_visited_is_refused_everywhere(server: WebServer, url: str) -> None:
    assert server.post("/watches", {"url": url}).status_code == 422
    assert server.post("/watches", [{"url": url}]).status_code == 422
    assert server.post("/preview", {"url": url}).status_code == 422
    assert server.post("/channels", {"kind": "webhook", "target": url}).status_code in (400, 422)
    assert server.get("/watches").json()["items"] == []


@pytest.mark.parametrize(
    "more",
    [
        {"fetch": {"max_bytes": 10**12}},
        {"fetch": {"max_bytes": -1}},
        {"fetch": {"timeout_for": 1e300}},
        {"fetch": {"timeout_for": -1.0}},
        {"fetch": {"headers": {"Host": "inside.example"}}},
        {"fetch": {"headers": {"Transfer-Encoding": "chunked"}}},
        {"fetch": {"headers": {"a": "b\r\nc: d"}}},
        {"fetch": {"headers": {f"x-{number}": "x" for number in range(20_000)}}},
        {"fetch": {"method": "POST", "body": "x" * 100_000}},
        {"rules": {"select": ["a"] * 1_000}},
        {"rules": {"ignore_text": ["a"] * 1_000}},
        {"kind": "catalog", "rules": {"fields": {"extra": {f"x{number}": "a" for number in range(1_000)}}}},
        {"schedule": {"windows": [{"starts": "00:00:00", "ends": "00:01:00"}] * 1_000}},
        {"schedule": {"cron": "1," * 10_000 + "1 * * * *"}},
        {"schedule": {"timezone": "../../etc/passwd"}},
        {"tags": [f"tag {number}" for number in range(1_000)]},
        {"tags": ["x" * 10_000]},
        {"name": "x" * 10_000},
    ],
)
def test_a_watch_that_would_cost_too_much_is_refused(server: WebServer, more: dict[str, Any]) -> None:
    assert server.post("/watches", {"url": "https://example.org/"} | more).status_code == 422
    if "kind" not in more:
        made = server.post("/watches", {"url": "https://example.org/"}).json()
        assert server.ask("PATCH", f"/api/v1/watches/{made['id']}", json=more).status_code in (400, 413, 422)


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "http://169.254.169.254/", "http://[::1]:1/", "http://2130706434/"])
def test_a_preview_does_not_reach_private_addresses(server: WebServer, url: str) -> None:
    reported = server.post("/preview", {"url": url}).json()
    assert reported["outcome"] == "error"
    assert "refused" in reported["reason"]


_ID = "00000000-0000-0000-0000-000000000000"


@pytest.mark.parametrize(
    "key",
    [
        f'["2020-01-01T00:00:00","{_ID}"]',
        f'["9999-12-31T23:59:59-23:59","{_ID}"]',
        f'["0001-01-01T00:00:00+23:59","{_ID}"]',
        f'["a\\u0000","{_ID}"]',
        f'[{10**30},"{_ID}"]',
        f'[-{10**30},"{_ID}"]',
        f'["\' OR 1=1--","{_ID}"]',
        f'[null,"{_ID}"]',
        '["x","y"]',
        "[" * 3_000,
        "\x00",
        "",
    ],
)
def test_a_forged_cursor_is_refused_or_leads_nowhere(server: WebServer, key: str) -> None:
    cursor = base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")[:4_000]
    ids = server.tenant.furnished()
    cookie = server.tenant.session_for(server.tenant.owner)
    watch, item = ids["watch_id"], ids["item_id"]
    for path in (
        "/watches", "/changes", "/deliveries", "/available", "/just-opened", "/articles", "/dead-letters",
        f"/watches/{watch}/runs", f"/watches/{watch}/items", f"/items/{item}/history",
    ):  # fmt: skip
        assert server.get(f"{path}?cursor={cursor}").status_code in (200, 400, 422), path
    for path in (
        "/watches?",
        "/?",
        "/deliveries?",
        "/opened?",
        "/opened?show=all&",
        "/articles?",
        f"/watches/{watch}?tab=checks&",
    ):
        answer = server.browse("GET", f"{path}cursor={cursor}", cookie=cookie)
        assert answer.status_code in (200, 400, 422), path


@pytest.mark.parametrize("instant", ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"])
def test_an_instant_at_the_end_of_time_is_no_crash(server: WebServer, instant: str) -> None:
    assert server.post("/tokens", {"name": "a", "expires_at": instant}).status_code in (201, 422)
    ids = server.tenant.furnished()
    path = f"/subscriptions/{ids['subscription_id']}/mute"
    assert server.post(path, {"until": instant}).status_code in (200, 422)
    assert server.get("/changes", params={"since": instant}).status_code == 200
    run = {"run_key": instant, "started_at": instant, "products": [{"url": "https://shop.example/a"}]}
    assert server.post(f"/watches/{ids['watch_id']}/runs", run).status_code in (201, 409)
    board = {"url": "https://board.example/{date}", "kind": "availability", "rules": {"dates": [instant[:10]]}}
    assert server.post("/watches", board).status_code == 422


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01"])
def test_a_day_at_the_end_of_time_is_no_crash(server: WebServer, day: str) -> None:
    tenant = server.tenant
    cookie, change = tenant.session_for(tenant.owner), tenant.furnished()["change_id"]
    for timezone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        assert server.ask("PATCH", f"/api/v1/users/{tenant.owner.id}", json={"timezone": timezone}).status_code == 200
        for path in ("/?", "/search?q=lamp&", f"/changes/{change}/card?"):
            answer = server.browse("GET", f"{path}since={day}&until={day}", cookie=cookie)
            assert answer.status_code == 200, (path, timezone)


def test_methods_that_nobody_knows_do_not_fill_the_metrics(server: WebServer) -> None:
    for number in range(20):
        server.client.request(f"INVENTED{number}", "/healthz")
    reported = server.ask("GET", "/metrics").text
    assert 'method="other"' in reported
    assert "INVENTED" not in reported


def test_metrics_are_not_passed_on_to_strangers_by_a_proxy_on_this_machine(server: WebServer) -> None:
    assert server.client.get("/metrics", headers={"Host": "127.0.0.1:8765"}).status_code == 401  # it has a public name
    assert server.client.get("/metrics", headers={"Host": "drift.example.org"}).status_code == 401
    assert server.ask("GET", "/metrics", headers={"Host": "drift.example.org"}).status_code == 200


@pytest.mark.parametrize("topic", ["dead_letter", "change.check"])
def test_no_channel_leads_into_the_agents_own_queues(server: WebServer, topic: str) -> None:
    assert server.post("/channels", {"kind": "bus", "target": topic}).status_code == 422


def test_the_bus_is_the_operators_own(server: WebServer) -> None:
    events = {"kind": "bus", "target": "events"}
    assert server.post("/channels", events).status_code == 201
    assert server.post("/channels", events, token=server.another("other").token).status_code == 403


def test_a_failure_in_the_log_does_not_repeat_a_feeds_secret(
    server: WebServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("driftline.web.api.results.feeds.feed", lambda *_, **__: 1 / 0)
    assert server.client.get(f"/api/v1/feeds/{server.tenant.token}/changes.atom").status_code == 500
    assert caplog.records
    assert all(server.tenant.token not in JsonLines().format(record) for record in caplog.records)


def test_a_csv_cell_is_no_formula(server: WebServer) -> None:
    made = server.post("/watches", {"url": "https://shop.example/", "kind": "catalog"}).json()
    server.tenant.push(made["id"], "10", title='=HYPERLINK("http://evil.example")')
    assert ",=HYPERLINK" not in server.get(f"/watches/{made['id']}/prices?format=csv").text
    assert '"=HYPERLINK' not in server.get(f"/watches/{made['id']}/prices?format=csv").text


def test_bodies_that_are_too_large_or_too_deep_are_refused(server: WebServer) -> None:
    huge = b'{"url": "' + b"a" * (17 * 1024 * 1024) + b'"}'
    json = {"Content-Type": "application/json"}
    assert server.ask("POST", "/api/v1/watches", content=huge, headers=json).status_code == 413
    deep = b'{"url":"https://example.org/","rules":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}"
    assert server.ask("POST", "/api/v1/watches", content=deep, headers=json).status_code in (400, 422)
    assert server.get("/me").status_code == 200


def test_redirects_lead_to_fixed_places(server: WebServer) -> None:
    for path in (
        "/?next=//evil.example",
        "//evil.example/",
        "/sign-in?next=http://evil.example",
        "/watches?back=//evil.example",
    ):
        answer = server.client.get(path, follow_redirects=False)
        assert "evil.example" not in answer.headers.get("location", ""), path


def test_an_origin_of_another_scheme_or_port_is_another_site(server: WebServer) -> None:
    cookie = server.tenant.session_for(server.tenant.owner)
    for origin in (
        f"{HERE}:1",
        "https://127.0.0.1.evil.example",
        "http://drift.example.org",
        "file://",
        "null",
        f"{HERE}, http://evil.example",
    ):
        assert server.browse("POST", "/sign-out", cookie=cookie, origin=origin).status_code == 403, origin
    assert server.browse("POST", "/sign-out", cookie=cookie, origin="https://drift.example.org").status_code == 303
