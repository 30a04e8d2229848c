"""Who may come in, and what they may do there."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from litestar import get, post
from tests.offices import HERE, Office, office_on

from driftline.errors import DriftlineError
from driftline.settings import Settings
from driftline.web.app import create_app
from driftline.web.auth import SESSION_COOKIE, VISITOR_COOKIE, public, viewer
from driftline.web.secrets import csrf_token
from driftline.web.signin import ATTEMPTS, ATTEMPTS_FROM, SignIn, new_link
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


def test_nobody_gets_past_any_guard(quick_office: Office) -> None:
    open_to_all = {"/healthz", "/readyz", "/metrics", "/sign-in", "/sign-in/link", "/api/v1/openapi.json", "/static/{name:str}"}
    for method, path, _ in quick_office.routes():
        if path in open_to_all:
            continue
        answer = quick_office.client.request(method, filled(path), follow_redirects=False)
        nobody = 404 if "/feeds/" in path or path.startswith("/unsubscribe/") else 401
        assert answer.status_code == nobody or answer.headers.get("location") == "/sign-in", (method, path, answer.text)


def test_no_get_changes_anything(quick_office: Office) -> None:
    """What reads and what writes never share a verb: every handler of GET has GET alone."""
    for method, path, handler in quick_office.routes():
        assert method != "GET" or handler.http_methods == {"GET"}, path


def test_an_unsafe_request_of_a_browser_needs_its_token_and_our_origin(quick_office: Office) -> None:
    cookie = quick_office.tenant.session_for(quick_office.tenant.owner)
    asked = 0
    for method, path, _ in list(quick_office.routes()):
        if method == "GET" or path.startswith("/unsubscribe/"):  # a mail program has no token: the address proves enough
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
            answers = [quick_office.client.request(method, where, headers=cookies | one) for one in tries]
        else:
            answers = [
                quick_office.browse(method, where, cookie=cookie, csrf=False),
                quick_office.browse(method, where, cookie=cookie, origin="http://evil.example"),
                quick_office.browse(method, where, cookie=cookie, origin="null"),
                quick_office.browse(method, where, cookie=cookie, origin=None),
                quick_office.browse(method, where, cookie=cookie, csrf=False, headers={"X-CSRF-Token": "0" * 64}),
            ]
        assert {answer.status_code for answer in answers} == {403}, (method, path, [one.text for one in answers])
    assert asked > 50


def test_a_form_may_bring_the_token_as_a_field(quick_office: Office) -> None:
    cookie = quick_office.tenant.session_for(quick_office.tenant.owner)
    answer = quick_office.browse("POST", "/sign-out", cookie=cookie, csrf=False, data={"_csrf": csrf_token(cookie)})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")


def test_another_sessions_token_is_refused(quick_office: Office) -> None:
    mine = quick_office.tenant.session_for(quick_office.tenant.owner)
    other = quick_office.tenant.session_for(quick_office.tenant.owner)
    headers = {"X-CSRF-Token": csrf_token(other)}
    assert quick_office.browse("POST", "/sign-out", cookie=mine, csrf=False, headers=headers).status_code == 403


@pytest.mark.parametrize(
    ("role", "may"), [("viewer", {"read"}), ("editor", {"read", "write"}), ("owner", {"read", "write", "admin"})]
)
def test_a_role_bounds_what_any_token_may(quick_office: Office, role: Any, may: set[str]) -> None:
    user = quick_office.tenant.user(role, f"{role}2@example.org")
    token = quick_office.tenant.token_for(user)
    wish = {"url": "https://example.org/"}
    statuses = {
        "read": quick_office.get("/watches", token=token).status_code,
        "write": quick_office.post("/watches", wish, token=token).status_code,
        "admin": quick_office.post("/users", {"email": "new@example.org"}, token=token).status_code,
    }
    assert {what for what, status in statuses.items() if status < 300} == may
    assert {status for what, status in statuses.items() if what not in may} <= {403}


def test_a_scope_bounds_what_an_owners_token_may(quick_office: Office) -> None:
    reader = quick_office.tenant.token_for(quick_office.tenant.owner, ["read"])
    assert quick_office.get("/me", token=reader).json()["scopes"] == ["read"]
    assert quick_office.post("/watches", {"url": "https://example.org/"}, token=reader).status_code == 403
    assert quick_office.post("/tokens", {"name": "more", "scopes": ["admin"]}, token=reader).status_code == 403
    pusher = quick_office.tenant.token_for(quick_office.tenant.owner, ["push"])
    assert quick_office.get("/watches", token=pusher).status_code == 403


def test_a_token_gives_out_no_more_than_it_has(quick_office: Office) -> None:
    keeper = quick_office.tenant.token_for(quick_office.tenant.owner, ["read", "admin"])
    assert quick_office.post("/tokens", {"name": "x", "scopes": ["write"]}, token=keeper).status_code == 403
    assert quick_office.post("/tokens", {"name": "x", "scopes": ["read"]}, token=keeper).status_code == 201


def test_a_token_opens_until_it_is_taken_back_or_expires(office: Office) -> None:
    made = office.post("/tokens", {"name": "ci", "scopes": ["read"]}).json()
    assert made["token"].startswith(made["prefix"])
    assert len(made["token"]) - len(made["prefix"]) >= 43  # 256 bits beyond what is shown
    assert office.get("/me", token=made["token"]).status_code == 200
    assert made["token"] not in office.get("/tokens").text
    assert office.ask("DELETE", f"/api/v1/tokens/{made['id']}").status_code == 204
    assert office.get("/me", token=made["token"]).status_code == 401
    brief = office.tenant.token_for(office.tenant.owner, lasts=timedelta(microseconds=1))
    assert office.get("/me", token=brief).status_code == 401


def test_only_hashes_of_secrets_are_stored(office: Office) -> None:
    token = office.tenant.token
    cookie = office.tenant.session_for(office.tenant.owner)
    link = new_link(office.app, office.tenant.owner)
    made = office.post("/tokens", {"name": "k", "scopes": ["read"]}, headers={"Idempotency-Key": "k"}).json()["token"]

    def everything(session: Any) -> str:
        tables = ("tokens", "sessions", "signin_links", "idempotency_keys")
        return repr([session.tx.rows(f"SELECT * FROM {table}") for table in tables])

    stored = office.app.store.read_now(everything)
    for secret in (token, cookie, link, made):
        assert secret not in stored
        assert secret[10:] not in stored


def test_a_bad_token_is_nobody_whatever_the_cookie(quick_office: Office) -> None:
    cookie = quick_office.tenant.session_for(quick_office.tenant.owner)
    for bad in ("Bearer nonsense", "Bearer ", "Basic b3duZXI6eA==", "dl_x", "Bearer \xe9"):
        answer = quick_office.browse("GET", "/api/v1/me", cookie=cookie, headers={"Authorization": bad.encode("latin-1")})
        assert answer.status_code == 401, bad
        assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_disabled_user_is_nobody_at_once(office: Office) -> None:
    user = office.tenant.user("editor", "gone@example.org")
    token, cookie = office.tenant.token_for(user), office.tenant.session_for(user)
    assert office.get("/me", token=token).status_code == 200
    assert office.ask("PATCH", f"/api/v1/users/{user.id}", json={"active": False}).status_code == 200
    assert office.get("/me", token=token).status_code == 401
    assert office.browse("GET", "/api/v1/me", cookie=cookie).status_code == 401


def test_the_last_owner_stays(quick_office: Office) -> None:
    path = f"/api/v1/users/{quick_office.tenant.owner.id}"
    assert quick_office.ask("DELETE", path).status_code == 409
    assert quick_office.ask("PATCH", path, json={"role": "viewer"}).status_code == 409
    assert quick_office.ask("PATCH", path, json={"active": False}).status_code == 409


@pytest.mark.parametrize("field", ["org", "org_id", "id", "plan", "features", "created_at", "is_admin"])
def test_nothing_beyond_its_fields_is_assignable(quick_office: Office, field: str) -> None:
    for path, body in (
        ("/users", {"email": "x@example.org"}),
        ("/watches", {"url": "https://example.org/"}),
        ("/tokens", {"name": "x", "scopes": ["read"]}),
        ("/channels", {"kind": "email", "target": "x@example.org"}),
        ("/subscriptions", {}),
    ):
        assert quick_office.post(path, body | {field: "premium"}).status_code == 400, path
    assert quick_office.ask("PATCH", f"/api/v1/users/{quick_office.tenant.owner.id}", json={field: "x"}).status_code == 400


def test_a_plan_is_the_operators_to_give(office: Office) -> None:
    other = office.another("other")
    assert office.ask("PUT", "/api/v1/org/plan", json={"plan": "free"}).json()["plan"] == "free"
    assert office.ask("PUT", "/api/v1/org/plan", token=other.token, json={"plan": "premium"}).status_code == 403


class Browser:
    """A visitor with a cookie jar."""

    def __init__(self, office: Office) -> None:
        self._office = office
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
def housed(office: Office) -> Office:
    """An office whose owner has a password."""
    run_loop(lambda: SignIn(office.app).set_password(office.tenant.owner, PASSWORD))
    return office


def test_a_password_signs_in_and_sign_out_ends_every_session(housed: Office) -> None:
    email = housed.tenant.owner.email
    first, second = Browser(housed), Browser(housed)
    for browser in (first, second):
        answer = browser.post("/sign-in", email=email.upper(), password=PASSWORD)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        held = next(line for line in answer.headers.get_list("set-cookie") if line.startswith(SESSION_COOKIE)).lower()
        assert "httponly" in held
        assert "samesite=lax" in held
        browser.cookies.pop(VISITOR_COOKIE, None)
    assert first.cookies[SESSION_COOKIE] != second.cookies[SESSION_COOKIE]
    assert housed.browse("GET", "/api/v1/me", cookie=first.cookies[SESSION_COOKIE]).status_code == 200
    assert first.post("/sign-out").status_code == 303
    for browser in (first, second):
        assert housed.browse("GET", "/api/v1/me", cookie=browser.cookies[SESSION_COOKIE]).status_code == 401


def test_signing_in_rotates_the_session(housed: Office) -> None:
    browser = Browser(housed)
    browser.post("/sign-in", email=housed.tenant.owner.email, password=PASSWORD)
    before = browser.cookies[SESSION_COOKIE]
    browser.cookies = {VISITOR_COOKIE: "again", SESSION_COOKIE: before}
    jar = f"{VISITOR_COOKIE}=again; {SESSION_COOKIE}={before}"
    answer = housed.client.post(
        "/sign-in",
        data={"email": housed.tenant.owner.email, "password": PASSWORD, "_csrf": csrf_token("again")},
        headers={"Cookie": jar, "Origin": HERE},
        follow_redirects=False,
    )
    assert answer.cookies[SESSION_COOKIE] != before
    housed.client.cookies.clear()
    assert housed.browse("GET", "/api/v1/me", cookie=before).status_code == 401


def test_a_new_password_ends_the_other_sessions(housed: Office) -> None:
    owner = housed.tenant.owner
    here, there = housed.tenant.session_for(owner), housed.tenant.session_for(owner)
    put = {"old": PASSWORD, "new": "another long password"}
    assert housed.browse("PUT", "/api/v1/me/password", cookie=here, json=put | {"old": "wrong"}).status_code == 401
    assert housed.browse("PUT", "/api/v1/me/password", cookie=here, json=put).status_code == 204
    assert housed.browse("GET", "/api/v1/me", cookie=here).status_code == 200
    assert housed.browse("GET", "/api/v1/me", cookie=there).status_code == 401


def test_guessing_is_slowed_down_for_a_wrong_and_for_an_unknown_address(quick_office: Office) -> None:
    housed = quick_office
    run_loop(lambda: SignIn(housed.app).set_password(housed.tenant.owner, PASSWORD))
    for email in (housed.tenant.owner.email, "nobody@example.org"):
        browser = Browser(housed)
        answers = [browser.post("/sign-in", email=email, password="wrong") for _ in range(ATTEMPTS + 1)]
        places = [answer.headers["location"] for answer in answers]
        assert places[-1] == "/sign-in?failed=wait"
        assert SESSION_COOKIE not in browser.cookies
    right = Browser(housed).post("/sign-in", email=housed.tenant.owner.email, password=PASSWORD)
    assert right.headers["location"] == "/sign-in?failed=wait"


def test_wrong_tries_at_one_account_stop_nobody_else(quick_office: Office) -> None:
    housed, other = quick_office, quick_office.tenant.user("viewer", "other@default.example")
    for user in (housed.tenant.owner, other):
        run_loop(lambda user=user: SignIn(housed.app).set_password(user, PASSWORD))  # type: ignore[misc]  # bound here
    cookie, link = housed.tenant.session_for(housed.tenant.owner), new_link(housed.app, housed.tenant.owner)
    guesser = Browser(housed)
    for _ in range(ATTEMPTS + 1):
        guesser.post("/sign-in", email=housed.tenant.owner.email, password="wrong")
    assert Browser(housed).post("/sign-in", email=other.email, password=PASSWORD).headers["location"] == "/"
    put = {"old": PASSWORD, "new": "another long password"}
    assert housed.browse("PUT", "/api/v1/me/password", cookie=cookie, json=put).status_code == 204
    assert Browser(housed).post("/sign-in/link", link=link).headers["location"] == "/"


def test_an_address_that_tries_many_accounts_has_to_wait(quick_office: Office) -> None:
    browser = Browser(quick_office)
    for number in range(ATTEMPTS_FROM):
        browser.post("/sign-in", email=f"{number}@example.org", password="x" * 2000)
    answer = browser.post("/sign-in", email=quick_office.tenant.owner.email, password="wrong")
    assert answer.headers["location"] == "/sign-in?failed=wait"


def test_the_old_password_cannot_be_guessed_from_a_session(quick_office: Office) -> None:
    run_loop(lambda: SignIn(quick_office.app).set_password(quick_office.tenant.owner, PASSWORD))
    cookie, put = quick_office.tenant.session_for(quick_office.tenant.owner), {"old": "wrong", "new": "another long password"}
    answers = [quick_office.browse("PUT", "/api/v1/me/password", cookie=cookie, json=put) for _ in range(ATTEMPTS + 1)]
    assert [answer.status_code for answer in answers] == [401] * ATTEMPTS + [429]


def test_the_door_says_how_to_get_in(quick_office: Office) -> None:
    assert "<code>driftline serve</code> printed a link" in quick_office.client.get("/sign-in").text
    run_loop(lambda: SignIn(quick_office.app).set_password(quick_office.tenant.owner, PASSWORD))
    quick_office.client.cookies.clear()
    assert "<code>driftline sign-in-link ADDRESS</code>" in quick_office.client.get("/sign-in").text
    quick_office.client.cookies.clear()
    cookie, form = quick_office.tenant.session_for(quick_office.tenant.owner), {"email": "new@example.org", "role": "viewer"}
    saved = quick_office.browse("POST", "/settings/users", cookie=cookie, data=form)
    assert "driftline sign-in-link" in quick_office.browse("GET", saved.headers["location"], cookie=cookie).text


def test_a_link_signs_in_once(office: Office) -> None:
    link = new_link(office.app, office.tenant.owner)
    assert office.client.get(f"/sign-in?link={link}").status_code == 200  # opening it alone signs nobody in
    office.client.cookies.clear()
    first = Browser(office)
    assert first.post("/sign-in/link", link=link).headers["location"] == "/"
    assert office.browse("GET", "/api/v1/me", cookie=first.cookies[SESSION_COOKIE]).status_code == 200
    assert Browser(office).post("/sign-in/link", link=link).headers["location"] == "/sign-in?failed=link"


def test_a_session_ends_when_its_time_is_over(office: Office) -> None:
    cookie = office.tenant.session_for(office.tenant.owner, seconds=0)
    assert office.browse("GET", "/api/v1/me", cookie=cookie).status_code == 401


def test_sessions_are_listed_and_ended_one_by_one(office: Office) -> None:
    owner = office.tenant.owner
    here, there = office.tenant.session_for(owner), office.tenant.session_for(owner)
    listed = office.browse("GET", "/api/v1/sessions", cookie=here).json()["items"]
    assert [one["current"] for one in listed] == [True, False]
    assert office.browse("DELETE", f"/api/v1/sessions/{listed[1]['id']}", cookie=here).status_code == 204
    assert office.browse("GET", "/api/v1/me", cookie=there).status_code == 401
    assert office.browse("GET", "/api/v1/me", cookie=here).status_code == 200


def test_metrics_are_the_operators_unless_only_this_machine_listens(tmp_path: Path) -> None:
    with office_on(f"sqlite:///{tmp_path / 'x.db'}", bound_to="0.0.0.0") as office:
        assert office.client.get("/metrics").status_code == 401
        assert office.ask("GET", "/metrics").status_code == 200
        assert office.ask("GET", "/metrics", token=office.another("other").token).status_code == 403
    with office_on(f"sqlite:///{tmp_path / 'x2.db'}") as office:
        assert "driftline_watches 0" in office.client.get("/metrics").text
