"""Who may come in, and what they may do there."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from argon2 import PasswordHasher
from litestar import get, post
from litestar.exceptions import NotAuthorizedException, TooManyRequestsException
from tests.contract.store.conftest import emptied
from tests.web_server import HERE, WebServer, server_on

from driftline.errors import DriftlineError
from driftline.settings import Settings
from driftline.web.app import create_app
from driftline.web.auth import sign_in
from driftline.web.auth.guards import SESSION_COOKIE, VISITOR_COOKIE, public, viewer
from driftline.web.auth.secrets import csrf_token
from driftline.web.auth.sign_in import ATTEMPTS, ATTEMPTS_AFTER, ATTEMPTS_AT, ATTEMPTS_FROM, SignIn, new_link
from driftline.wiring import App, run_loop

PASSWORD = "correct horse battery"


def filled(path: str) -> str:
    return re.sub(r"{(\w+):(\w+)}", lambda found: str(uuid4()) if found[2] == "uuid" else "off", path)


def test_a_route_without_a_guard_does_not_start(tmp_path: Path) -> None:
    @get("/open-house")
    async def open_house() -> str:
        return "come in"

    app = App(Settings(db=f"sqlite:///{tmp_path / 'x.db'}"))
    try:
        with pytest.raises(DriftlineError, match="route without a guard"):
            create_app(app, pages=False, more=[open_house])
    finally:
        app.close()


def test_a_public_route_that_changes_something_does_not_start(tmp_path: Path) -> None:
    @post("/suggestions", guards=[public])
    async def suggestions() -> str:
        return "thanks"

    app = App(Settings(db=f"sqlite:///{tmp_path / 'x.db'}"))
    try:
        with pytest.raises(DriftlineError, match="public"):
            create_app(app, pages=False, more=[suggestions])
    finally:
        app.close()


def test_a_guarded_route_starts(tmp_path: Path) -> None:
    @get("/hall", guards=[viewer])
    async def hall() -> str:
        return "hello"

    app = App(Settings(db=f"sqlite:///{tmp_path / 'x.db'}"))
    try:
        assert create_app(app, pages=False, more=[hall])
    finally:
        app.close()


BY_MAIL = ("/unsubscribe/", "/confirm/")  # whoever opens these has no session: the secret in the address proves enough


def test_nobody_gets_past_any_guard(quick_server: WebServer) -> None:
    open_to_all = {"/healthz", "/readyz", "/metrics", "/sign-in", "/sign-in/link", "/api/v1/openapi.json", "/static/{name:str}"}
    guarded = [(method, path) for method, path, _ in quick_server.routes() if path not in open_to_all]
    assert len(guarded) > 60
    for method, path in guarded:
        answer = quick_server.client.request(method, filled(path), follow_redirects=False)
        nobody = 404 if "/feeds/" in path or path.startswith(BY_MAIL) else 401
        assert answer.status_code == nobody or answer.headers.get("location") == "/sign-in", (method, path, answer.text)


def test_no_get_changes_anything(quick_server: WebServer) -> None:
    """What reads and what writes never share a verb: every handler of GET has GET alone."""
    reading = [(path, handler) for method, path, handler in quick_server.routes() if method == "GET"]
    assert len(reading) > 30
    assert [path for path, handler in reading if handler.http_methods != {"GET"}] == []


def test_an_unsafe_request_of_a_browser_needs_its_token_and_our_origin(quick_server: WebServer) -> None:
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    asked = 0
    for method, path, _ in list(quick_server.routes()):
        if method == "GET" or path.startswith(BY_MAIL):
            continue
        asked += 1
        where = filled(path)
        if path.startswith("/sign-in"):
            cookies = {"Cookie": f"{VISITOR_COOKIE}={cookie}"}
            tries: list[dict[str, str]] = [
                {"Origin": HERE},
                {"Origin": "http://evil.example", "X-CSRF-Token": csrf_token(cookie)},
                {"X-CSRF-Token": csrf_token(cookie)},
            ]
            answers = [quick_server.client.request(method, where, headers=cookies | one) for one in tries]
        else:
            answers = [
                quick_server.browse(method, where, cookie=cookie, csrf=False),
                quick_server.browse(method, where, cookie=cookie, origin="http://evil.example"),
                quick_server.browse(method, where, cookie=cookie, origin="null"),
                quick_server.browse(method, where, cookie=cookie, origin=None),
                quick_server.browse(method, where, cookie=cookie, csrf=False, headers={"X-CSRF-Token": "0" * 64}),
            ]
        assert {answer.status_code for answer in answers} == {403}, (method, path, [one.text for one in answers])
    assert asked > 50


def test_a_form_may_bring_the_token_as_a_field(quick_server: WebServer) -> None:
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    answer = quick_server.browse("POST", "/sign-out", cookie=cookie, csrf=False, data={"_csrf": csrf_token(cookie)})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")


def test_another_sessions_token_is_refused(quick_server: WebServer) -> None:
    mine = quick_server.tenant.session_for(quick_server.tenant.owner)
    other = quick_server.tenant.session_for(quick_server.tenant.owner)
    headers = {"X-CSRF-Token": csrf_token(other)}
    assert quick_server.browse("POST", "/sign-out", cookie=mine, csrf=False, headers=headers).status_code == 403


@pytest.mark.parametrize(
    ("role", "may"), [("viewer", {"read"}), ("editor", {"read", "write"}), ("owner", {"read", "write", "admin"})]
)
def test_a_role_bounds_what_any_token_may(quick_server: WebServer, role: Any, may: set[str]) -> None:
    user = quick_server.tenant.user(role, f"{role}2@example.org")
    token = quick_server.tenant.token_for(user)
    watch_input = {"url": "https://example.org/"}
    statuses = {
        "read": quick_server.get("/watches", token=token).status_code,
        "write": quick_server.post("/watches", watch_input, token=token).status_code,
        "admin": quick_server.post("/users", {"email": "new@example.org"}, token=token).status_code,
    }
    assert {what for what, status in statuses.items() if status < 300} == may
    assert {status for what, status in statuses.items() if what not in may} <= {403}


def test_a_scope_bounds_what_an_owners_token_may(quick_server: WebServer) -> None:
    reader = quick_server.tenant.token_for(quick_server.tenant.owner, ["read"])
    assert quick_server.get("/me", token=reader).json()["scopes"] == ["read"]
    assert quick_server.post("/watches", {"url": "https://example.org/"}, token=reader).status_code == 403
    assert quick_server.post("/tokens", {"name": "more", "scopes": ["admin"]}, token=reader).status_code == 403
    pusher = quick_server.tenant.token_for(quick_server.tenant.owner, ["push"])
    assert quick_server.get("/watches", token=pusher).status_code == 403


def test_a_token_gives_out_no_more_than_it_has(quick_server: WebServer) -> None:
    keeper = quick_server.tenant.token_for(quick_server.tenant.owner, ["read", "admin"])
    assert quick_server.post("/tokens", {"name": "x", "scopes": ["write"]}, token=keeper).status_code == 403
    assert quick_server.post("/tokens", {"name": "x", "scopes": ["read"]}, token=keeper).status_code == 201


def test_a_token_opens_until_it_is_taken_back_or_expires(server: WebServer) -> None:
    made = server.post("/tokens", {"name": "ci", "scopes": ["read"]}).json()
    assert made["token"].startswith(made["prefix"])
    assert len(made["token"]) - len(made["prefix"]) >= 43  # 256 bits beyond what is shown
    assert server.get("/me", token=made["token"]).status_code == 200
    assert made["token"] not in server.get("/tokens").text
    assert server.ask("DELETE", f"/api/v1/tokens/{made['id']}").status_code == 204
    assert server.get("/me", token=made["token"]).status_code == 401
    brief = server.tenant.token_for(server.tenant.owner, lasts=timedelta(microseconds=1))
    assert server.get("/me", token=brief).status_code == 401


def test_only_hashes_of_secrets_are_stored(server: WebServer) -> None:
    token = server.tenant.token
    cookie = server.tenant.session_for(server.tenant.owner)
    link = new_link(server.app, server.tenant.owner)
    made = server.post("/tokens", {"name": "k", "scopes": ["read"]}, headers={"Idempotency-Key": "k"}).json()["token"]

    def everything(session: Any) -> str:
        tables = ("tokens", "sessions", "signin_links", "idempotency_keys")
        return repr([session.tx.rows(f"SELECT * FROM {table}") for table in tables])

    stored = server.app.store.read_now(everything)
    for secret in (token, cookie, link, made):
        assert secret not in stored
        assert secret[10:] not in stored


def test_a_bad_token_is_nobody_whatever_the_cookie(quick_server: WebServer) -> None:
    cookie = quick_server.tenant.session_for(quick_server.tenant.owner)
    for bad in ("Bearer nonsense", "Bearer ", "Basic b3duZXI6eA==", "dl_x", "Bearer \xe9"):
        answer = quick_server.browse("GET", "/api/v1/me", cookie=cookie, headers={"Authorization": bad.encode("latin-1")})
        assert answer.status_code == 401, bad
        assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_disabled_user_is_nobody_at_once(server: WebServer) -> None:
    user = server.tenant.user("editor", "gone@example.org")
    token, cookie = server.tenant.token_for(user), server.tenant.session_for(user)
    assert server.get("/me", token=token).status_code == 200
    assert server.ask("PATCH", f"/api/v1/users/{user.id}", json={"active": False}).status_code == 200
    assert server.get("/me", token=token).status_code == 401
    assert server.browse("GET", "/api/v1/me", cookie=cookie).status_code == 401


def test_the_last_owner_stays(quick_server: WebServer) -> None:
    path = f"/api/v1/users/{quick_server.tenant.owner.id}"
    assert quick_server.ask("DELETE", path).status_code == 409
    assert quick_server.ask("PATCH", path, json={"role": "viewer"}).status_code == 409
    assert quick_server.ask("PATCH", path, json={"active": False}).status_code == 409


@pytest.mark.parametrize("field", ["org", "org_id", "id", "plan", "features", "created_at", "is_admin"])
def test_nothing_beyond_its_fields_is_assignable(quick_server: WebServer, field: str) -> None:
    for path, body in (
        ("/users", {"email": "x@example.org"}),
        ("/watches", {"url": "https://example.org/"}),
        ("/tokens", {"name": "x", "scopes": ["read"]}),
        ("/channels", {"kind": "email", "target": "x@example.org"}),
        ("/subscriptions", {}),
    ):
        assert quick_server.post(path, body | {field: "premium"}).status_code == 400, path
    assert quick_server.ask("PATCH", f"/api/v1/users/{quick_server.tenant.owner.id}", json={field: "x"}).status_code == 400


def test_a_plan_is_the_operators_to_give(server: WebServer) -> None:
    other = server.another("other")
    assert server.ask("PUT", "/api/v1/org/plan", json={"plan": "free"}).json()["plan"] == "free"
    assert server.ask("PUT", "/api/v1/org/plan", token=other.token, json={"plan": "premium"}).status_code == 403


class Browser:
    """A visitor with a cookie jar."""

    def __init__(self, server: WebServer) -> None:
        self._office = server
        self.cookies = {VISITOR_COOKIE: "visitor"}

    def post(self, path: str, **form: str) -> Any:
        jar = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        token = csrf_token(self.cookies.get(SESSION_COOKIE) or self.cookies[VISITOR_COOKIE])
        answer = self._office.client.post(
            path, data=form | {"_csrf": token}, headers={"Cookie": jar, "Origin": HERE}, follow_redirects=False
        )
        for name, value in answer.cookies.items():
            self.cookies[name] = value
        self._office.client.cookies.clear()
        return answer


@pytest.fixture
def server_at(server: WebServer) -> WebServer:
    """A server whose owner has a password."""
    run_loop(lambda: SignIn(server.app).set_password(server.tenant.owner, PASSWORD))
    return server


def test_a_password_signs_in_and_sign_out_ends_every_session(server_at: WebServer) -> None:
    email = server_at.tenant.owner.email
    first, second = Browser(server_at), Browser(server_at)
    for browser in (first, second):
        answer = browser.post("/sign-in", email=email.upper(), password=PASSWORD)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        held = next(line for line in answer.headers.get_list("set-cookie") if line.startswith(SESSION_COOKIE)).lower()
        assert "httponly" in held
        assert "samesite=lax" in held
        browser.cookies.pop(VISITOR_COOKIE, None)
    assert first.cookies[SESSION_COOKIE] != second.cookies[SESSION_COOKIE]
    assert server_at.browse("GET", "/api/v1/me", cookie=first.cookies[SESSION_COOKIE]).status_code == 200
    assert first.post("/sign-out").status_code == 303
    for browser in (first, second):
        assert server_at.browse("GET", "/api/v1/me", cookie=browser.cookies[SESSION_COOKIE]).status_code == 401


def test_signing_in_rotates_the_session(server_at: WebServer) -> None:
    browser = Browser(server_at)
    browser.post("/sign-in", email=server_at.tenant.owner.email, password=PASSWORD)
    before = browser.cookies[SESSION_COOKIE]
    browser.cookies = {VISITOR_COOKIE: "again", SESSION_COOKIE: before}
    jar = f"{VISITOR_COOKIE}=again; {SESSION_COOKIE}={before}"
    answer = server_at.client.post(
        "/sign-in",
        data={"email": server_at.tenant.owner.email, "password": PASSWORD, "_csrf": csrf_token("again")},
        headers={"Cookie": jar, "Origin": HERE},
        follow_redirects=False,
    )
    assert answer.cookies[SESSION_COOKIE] != before
    server_at.client.cookies.clear()
    assert server_at.browse("GET", "/api/v1/me", cookie=before).status_code == 401


def test_a_new_password_ends_the_other_sessions(server_at: WebServer) -> None:
    owner = server_at.tenant.owner
    here, there = server_at.tenant.session_for(owner), server_at.tenant.session_for(owner)
    put = {"old": PASSWORD, "new": "another long password"}
    assert server_at.browse("PUT", "/api/v1/me/password", cookie=here, json=put | {"old": "wrong"}).status_code == 401
    assert server_at.browse("PUT", "/api/v1/me/password", cookie=here, json=put).status_code == 204
    assert server_at.browse("GET", "/api/v1/me", cookie=here).status_code == 200
    assert server_at.browse("GET", "/api/v1/me", cookie=there).status_code == 401


def test_guessing_is_slowed_down_for_a_wrong_and_for_an_unknown_address(quick_server: WebServer) -> None:
    server_at = quick_server
    run_loop(lambda: SignIn(server_at.app).set_password(server_at.tenant.owner, PASSWORD))
    for email in (server_at.tenant.owner.email, "nobody@example.org"):
        browser = Browser(server_at)
        answers = [browser.post("/sign-in", email=email, password="wrong") for _ in range(ATTEMPTS + 1)]
        places = [answer.headers["location"] for answer in answers]
        assert places[-1] == "/sign-in?failed=wait"
        assert SESSION_COOKIE not in browser.cookies
    right = Browser(server_at).post("/sign-in", email=server_at.tenant.owner.email, password=PASSWORD)
    assert right.headers["location"] == "/sign-in?failed=wait"


def test_wrong_tries_at_one_account_stop_nobody_else(quick_server: WebServer) -> None:
    server_at, other = quick_server, quick_server.tenant.user("viewer", "other@default.example")
    for user in (server_at.tenant.owner, other):
        run_loop(lambda user=user: SignIn(server_at.app).set_password(user, PASSWORD))  # type: ignore[misc]  # bound here
    cookie, link = server_at.tenant.session_for(server_at.tenant.owner), new_link(server_at.app, server_at.tenant.owner)
    guesser = Browser(server_at)
    for _ in range(ATTEMPTS + 1):
        guesser.post("/sign-in", email=server_at.tenant.owner.email, password="wrong")
    assert Browser(server_at).post("/sign-in", email=other.email, password=PASSWORD).headers["location"] == "/"
    put = {"old": PASSWORD, "new": "another long password"}
    assert server_at.browse("PUT", "/api/v1/me/password", cookie=cookie, json=put).status_code == 204
    assert Browser(server_at).post("/sign-in/link", link=link).headers["location"] == "/"


def test_an_address_that_tries_many_accounts_has_fewer_tries_at_each(quick_server: WebServer) -> None:
    browser = Browser(quick_server)
    for number in range(ATTEMPTS_FROM):
        browser.post("/sign-in", email=f"{number}@example.org", password="x" * 2000)
    places = [
        browser.post("/sign-in", email="one@example.org", password="x" * 2000).headers["location"]
        for _ in range(ATTEMPTS_AFTER + 1)
    ]
    assert places == ["/sign-in?failed=password"] * ATTEMPTS_AFTER + ["/sign-in?failed=wait"]


@pytest.mark.parametrize("forwarded", ["", "203.0.113.9"])
def test_wrong_tries_behind_a_proxy_that_nobody_named_shut_out_nobody_else(server_at: WebServer, forwarded: str) -> None:
    browser, email = Browser(server_at), server_at.tenant.owner.email
    if forwarded:
        server_at.client.headers["X-Forwarded-For"] = forwarded  # of the proxy; not believed
    for number in range(ATTEMPTS_FROM + 20):
        browser.post("/sign-in", email=f"{number}@example.org", password="x" * 2000)
    assert browser.post("/sign-in", email=email, password="a typo of mine").headers["location"] == "/sign-in?failed=password"
    assert browser.post("/sign-in", email=email, password=PASSWORD).headers["location"] == "/"


async def test_an_account_that_is_guessed_at_opens_from_other_addresses(quick_server: WebServer) -> None:
    door, owner = SignIn(quick_server.app), quick_server.tenant.owner
    await door.set_password(owner, PASSWORD)
    for _ in range(ATTEMPTS):
        with pytest.raises(NotAuthorizedException):
            await door.by_password(owner.email, "x" * 2000, address="203.0.113.9")
    with pytest.raises(TooManyRequestsException):
        await door.by_password(owner.email, PASSWORD, address="203.0.113.9")
    assert await door.by_password(owner.email, PASSWORD, address="198.51.100.7") == owner


async def test_many_addresses_together_cannot_guess_at_one_account_for_long(quick_server: WebServer) -> None:
    door = SignIn(quick_server.app)
    for number in range(ATTEMPTS_AT):
        with pytest.raises(NotAuthorizedException):
            await door.by_password("one@example.org", "x" * 2000, address=f"203.0.113.{number}")
    with pytest.raises(TooManyRequestsException):
        await door.by_password("one@example.org", "x" * 2000, address="198.51.100.7")


async def test_an_own_account_does_not_buy_an_address_more_guesses(quick_server: WebServer) -> None:
    door, owner = SignIn(quick_server.app), quick_server.tenant.owner
    await door.set_password(owner, PASSWORD)
    for number in range(ATTEMPTS_FROM):
        if number == ATTEMPTS_FROM // 2:
            assert await door.by_password(owner.email, PASSWORD, address="a") == owner
        with pytest.raises(NotAuthorizedException):
            await door.by_password(f"{number}@example.org", "x" * 2000, address="a")
    for _ in range(ATTEMPTS_AFTER):
        with pytest.raises(NotAuthorizedException):
            await door.by_password("one@example.org", "x" * 2000, address="a")
    with pytest.raises(TooManyRequestsException):
        await door.by_password("one@example.org", "x" * 2000, address="a")


async def test_however_many_sign_in_at_once_few_passwords_are_hashed_at_once(
    quick_server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    door, running, most, lock = SignIn(quick_server.app), 0, 0, Lock()

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any) -> Any:
            nonlocal running, most
            with lock:
                running += 1
                most = max(most, running)
            try:
                return real(*given)
            finally:
                with lock:
                    running -= 1

        return run

    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(sign_in, "hasher", SimpleNamespace(hash=counted(cheap.hash), verify=counted(cheap.verify)))
    tries = [door.by_password(f"{number}@example.org", "wrong", address="a") for number in range(ATTEMPTS_FROM + 20)]
    ended = await asyncio.gather(*tries, return_exceptions=True)
    assert {type(one) for one in ended} == {NotAuthorizedException}
    assert most <= 2


def test_the_old_password_cannot_be_guessed_from_a_session(quick_server: WebServer) -> None:
    run_loop(lambda: SignIn(quick_server.app).set_password(quick_server.tenant.owner, PASSWORD))
    cookie, put = quick_server.tenant.session_for(quick_server.tenant.owner), {"old": "wrong", "new": "another long password"}
    answers = [quick_server.browse("PUT", "/api/v1/me/password", cookie=cookie, json=put) for _ in range(ATTEMPTS + 1)]
    assert [answer.status_code for answer in answers] == [401] * ATTEMPTS + [429]


def test_the_door_says_how_to_get_in(quick_server: WebServer) -> None:
    assert "<code>driftline serve</code> printed a one-time sign-in link" in quick_server.client.get("/sign-in").text
    run_loop(lambda: SignIn(quick_server.app).set_password(quick_server.tenant.owner, PASSWORD))
    quick_server.client.cookies.clear()
    assert "<code>driftline sign-in-link ADDRESS</code>" in quick_server.client.get("/sign-in").text
    quick_server.client.cookies.clear()
    cookie, form = quick_server.tenant.session_for(quick_server.tenant.owner), {"email": "new@example.org", "role": "viewer"}
    saved = quick_server.browse("POST", "/settings/users", cookie=cookie, data=form)
    assert "Send this link to" in saved.text
    link = saved.text.partition("/sign-in?link=")[2].partition("<")[0]
    assert Browser(quick_server).post("/sign-in/link", link=link).headers["location"] == "/"


def test_a_link_signs_in_once(server: WebServer) -> None:
    link = new_link(server.app, server.tenant.owner)
    assert server.client.get(f"/sign-in?link={link}").status_code == 200  # opening it alone signs nobody in
    server.client.cookies.clear()
    first = Browser(server)
    assert first.post("/sign-in/link", link=link).headers["location"] == "/"
    assert server.browse("GET", "/api/v1/me", cookie=first.cookies[SESSION_COOKIE]).status_code == 200
    assert Browser(server).post("/sign-in/link", link=link).headers["location"] == "/sign-in?failed=link"


def test_a_session_ends_when_its_time_is_over(server: WebServer) -> None:
    cookie = server.tenant.session_for(server.tenant.owner, seconds=0)
    assert server.browse("GET", "/api/v1/me", cookie=cookie).status_code == 401


def test_sessions_are_listed_and_ended_one_by_one(server: WebServer) -> None:
    owner = server.tenant.owner
    here, there = server.tenant.session_for(owner), server.tenant.session_for(owner)
    listed = server.browse("GET", "/api/v1/sessions", cookie=here).json()["items"]
    assert [one["current"] for one in listed] == [True, False]
    assert server.browse("DELETE", f"/api/v1/sessions/{listed[1]['id']}", cookie=here).status_code == 204
    assert server.browse("GET", "/api/v1/me", cookie=there).status_code == 401
    assert server.browse("GET", "/api/v1/me", cookie=here).status_code == 200


def test_metrics_are_the_operators_unless_only_this_machine_listens(tmp_path: Path) -> None:
    with server_on(f"sqlite:///{tmp_path / 'x.db'}", bound_to="0.0.0.0") as server:
        assert server.client.get("/metrics").status_code == 401
        assert server.ask("GET", "/metrics").status_code == 200
        assert server.ask("GET", "/metrics", token=server.another("other").token).status_code == 403
    with server_on(f"sqlite:///{tmp_path / 'x2.db'}") as server:
        assert "driftline_watches 0" in server.client.get("/metrics").text


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "127.0.0.1"},
        {"x-real-ip": "::1"},
        {"Forwarded": "for=127.0.0.1;host=localhost"},
        {"Via": "1.1 front"},
        {"Host": "localhost", "X-Forwarded-Host": "driftline.example"},
    ],
)
def test_metrics_tell_nothing_to_strangers_whom_a_proxy_on_this_machine_lets_pass(
    quick_server: WebServer, headers: dict[str, str]
) -> None:
    answer = quick_server.client.get("/metrics", headers=headers)
    assert (answer.status_code, "driftline_watches" in answer.text) == (401, False)


@pytest.mark.parametrize(
    "settings",
    [{"public_url": "https://driftline.example"}, {"web_hosts": ("driftline.lan",)}, {"web_proxies": ("127.0.0.1",)}],
)
def test_metrics_are_guarded_where_settings_name_a_proxy_whatever_host_is_forged(
    sqlite_url: str, settings: dict[str, Any]
) -> None:
    with server_on(sqlite_url, **settings) as server:
        for host in ("127.0.0.1", "localhost:8765", "[::1]"):
            assert server.client.get("/metrics", headers={"Host": host}).status_code == 401
        assert server.ask("GET", "/metrics").status_code == 200
    emptied(sqlite_url)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]:80"])
def test_a_forged_host_opens_no_metrics_where_others_can_connect(sqlite_url: str, host: str) -> None:
    with server_on(sqlite_url, bound_to="0.0.0.0") as server:
        assert server.client.get("/metrics", headers={"Host": host}).status_code == 401
        assert server.client.get("/metrics/", headers={"Host": host}).status_code == 401
    emptied(sqlite_url)
