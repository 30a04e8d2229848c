"""The same question again: the same answer while nothing changed, and never a moment longer."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from tests.offices import Office

from driftline.model.access import SCOPES, Token
from driftline.store.session import Session
from driftline.web.again import AGAIN, KEPT_FOR, Again
from driftline.web.app import create_app
from driftline.web.auth import Identity
from driftline.wiring import App

PATHS = ("/watches", "/changes", "/deliveries", "/articles", "/just-opened", "/available")


class Counting:
    """Answers with the names of all watches, and counts how often it had to."""

    def __init__(self, app: App, identity: Identity) -> None:
        self.app = app
        self.identity = identity
        self.asked = 0

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        self.asked += 1
        scope["user"] = self.identity

        def names(session: Session) -> bytes:
            return repr(session.tx.rows("SELECT name FROM watches ORDER BY id")).encode()

        body = await self.app.store.read(names)
        if scope["query_string"] == b"writes":
            await self.app.store.write(lambda session: session.tx.run("UPDATE orgs SET name = name"))
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": body})


class Asking:
    """Asks it as a server would."""

    def __init__(self, office: Office, *, lasts: timedelta | None = None) -> None:
        at = office.app.clock.now()
        owner, org = office.tenant.owner, office.tenant.org
        token = Token(
            id=owner.id, org_id=org.id, user_id=owner.id, name="t", prefix="dl_", scopes=SCOPES, created_at=at,
            expires_at=at + lasts if lasts is not None else None,
        )  # fmt: skip
        self.counting = Counting(office.app, Identity(user=owner, org=org, scopes=frozenset(SCOPES), token=token))
        self.again = Again(self.counting, office.app, create_app(office.app))

    def get(self, path: str = "/watches", query: bytes = b"", **headers: str) -> bytes:
        return asyncio.run(self._get(path, query, headers))

    async def _get(self, path: str, query: bytes, headers: dict[str, str]) -> bytes:
        given = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": "GET", "path": path, "query_string": query, "headers": given}
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        await self.again(scope, None, send)  # type: ignore[arg-type]  # a scope as servers write it
        assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
        assert (sent[0]["status"], list(sent[0]["headers"])) == (200, [(b"content-type", b"text/plain")])
        body: bytes = sent[1]["body"]
        return body


def renamed(office: Office, name: str) -> None:
    office.app.store.write_now(lambda session: session.tx.run("UPDATE watches SET name = ?", (name,)))


def test_an_answer_is_given_again_until_a_row_of_it_changes(office: Office) -> None:
    office.tenant.furnished()
    asking = Asking(office)
    first = asking.get()
    assert [asking.get() for _ in range(4)] == [first] * 4
    assert asking.counting.asked == 2  # who asks once may never ask again
    renamed(office, "another name")
    for _ in range(4):
        assert b"another name" in asking.get()
    assert asking.counting.asked == 4


def test_whatever_differs_in_the_question_is_another_question(quick_office: Office) -> None:
    asking = Asking(quick_office)
    for path, query, headers in (
        ("/watches", b"", {}),
        ("/watches", b"q=x", {}),
        ("/deliveries", b"", {}),
        ("/watches", b"", {"authorization": "Bearer a"}),
        ("/watches", b"", {"authorization": "Bearer b"}),
        ("/watches", b"", {"cookie": "driftline_theme=dark"}),
    ):
        for _ in range(5):
            asking.get(path, query, **headers)
    assert asking.counting.asked == 12  # each of the six twice


def test_what_was_asked_with_a_write_is_asked_anew(quick_office: Office) -> None:
    asking = Asking(quick_office)
    for _ in range(5):
        asking.get(query=b"writes")
    assert asking.counting.asked == 5


def test_an_answer_ends_with_the_token_that_it_was_given_to(quick_office: Office) -> None:
    asking = Asking(quick_office, lasts=timedelta(0))
    for _ in range(5):
        asking.get()
    assert asking.counting.asked == 5


def test_an_answer_is_not_given_again_when_it_is_old(quick_office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    asking = Asking(quick_office)
    for _ in range(3):
        asking.get()
    assert asking.counting.asked == 2
    later = quick_office.app.clock.now() + KEPT_FOR
    monkeypatch.setattr(type(quick_office.app.clock), "now", lambda _: later)
    asking.get()
    assert asking.counting.asked == 3


def test_rows_that_weigh_too_much_are_not_kept(quick_office: Office) -> None:
    quick_office.tenant.furnished()
    asking = Asking(quick_office)
    renamed(quick_office, "x" * 300_000)
    for _ in range(5):
        asking.get()
    assert asking.counting.asked == 5


def test_what_no_list_is_passes_by(quick_office: Office) -> None:
    asking = Asking(quick_office)
    for _ in range(5):
        asking.get("/settings")
    assert asking.counting.asked == 5


@pytest.mark.parametrize("path", ["/watches", "/changes", "/deliveries"])
def test_lists_of_the_api_show_what_changed_a_moment_ago(office: Office, path: str) -> None:
    before = [office.get(path).text for _ in range(3)]
    assert len(set(before)) == 1
    office.tenant.furnished()
    after = [office.get(path).text for _ in range(3)]
    assert len(set(after)) == 1
    assert after[0] != before[0]


def test_a_token_or_a_session_that_is_ended_opens_nothing_at_once(office: Office) -> None:
    token, cookie = office.tenant.token_for(office.tenant.owner), office.tenant.session_for(office.tenant.owner)
    for _ in range(3):
        assert office.get("/watches", token=token).status_code == 200
        assert office.browse("GET", "/watches", cookie=cookie).status_code == 200
    office.app.store.write_now(lambda session: session.tx.run("DELETE FROM sessions"))
    office.app.store.write_now(lambda session: session.tx.run("DELETE FROM tokens"))
    assert office.get("/watches", token=token).status_code == 401
    assert office.browse("GET", "/watches", cookie=cookie).headers["location"].startswith("/sign-in")


def test_every_list_that_grows_may_be_answered_again(quick_office: Office) -> None:
    web = create_app(quick_office.app)
    marked = {route.path for route in web.routes for handler in getattr(route, "route_handlers", ()) if handler.opt.get(AGAIN)}
    pages = {"/", "/changes", "/watches", "/watches/{watch_id:uuid}", "/opened", "/articles", "/deliveries"}
    assert marked >= pages | {f"/api/v1{path}" for path in PATHS}
