"""Questions that came before: the framework is not asked again what they mean; everything else is asked anew."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from litestar import Request
from tests.offices import Office, Tenant

from driftline.store.session import OrgData
from driftline.web.auth import SESSION_COOKIE, Identity
from driftline.web.caller import Calling, Pace
from driftline.web.questions import Questions

API = ("/watches", "/changes", "/deliveries", "/dead-letters", "/articles", "/just-opened", "/available")
OF_A_WATCH = ("/api/v1/watches/{}/runs", "/api/v1/watches/{}/items", "/watches/{}", "/watches/{}?tab=checks")
LISTS = ("/", "/changes", "/watches", "/opened", "/articles", "/deliveries", *(f"/api/v1{path}" for path in API), *OF_A_WATCH)


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses that the framework had to read."""
    found: list[str] = []
    note = Questions.note

    def counted(self: Questions, request: Request[Any, Any, Any], *more: Any) -> None:
        found.append(request.scope["path"])
        note(self, request, *more)

    monkeypatch.setattr(Questions, "note", counted)
    return found


def ask(office: Office, path: str, tenant: Tenant | None = None) -> Any:
    return office.ask("GET", path, token=(tenant or office.tenant).token)


@pytest.mark.parametrize("path", LISTS)
def test_a_list_is_answered_the_second_time_as_the_first_without_the_framework(
    office: Office, noted: list[str], path: str
) -> None:
    path = path.format(office.tenant.furnished()["watch_id"])
    first, *others = [ask(office, path) for _ in range(3)]
    assert len(noted) == 1
    for other in others:
        assert (other.status_code, other.text) == (200, first.text)
        assert sorted(other.headers.multi_items()) == sorted(first.headers.multi_items())


@pytest.mark.parametrize("path", ["/watches", "/changes", "/deliveries"])
def test_lists_show_what_changed_a_moment_ago(office: Office, path: str) -> None:
    before = [office.get(path).text for _ in range(3)]
    assert len(set(before)) == 1
    office.tenant.furnished()
    after = [office.get(path).text for _ in range(3)]
    assert len(set(after)) == 1
    assert after[0] != before[0]


def test_a_known_question_shows_everybody_their_own(office: Office) -> None:
    mine, other = office.tenant, office.another("other")
    ids = mine.furnished()
    for _ in range(2):
        assert len(ask(office, "/api/v1/watches").json()["items"]) == 1
        assert ask(office, "/api/v1/watches", other).json()["items"] == []
    for path in OF_A_WATCH:
        assert [ask(office, path.format(ids["watch_id"])).status_code for _ in range(2)] == [200, 200]
        assert [ask(office, path.format(ids["watch_id"]), other).status_code for _ in range(2)] == [404, 404]


def test_a_token_or_a_session_that_is_ended_opens_nothing_at_once(office: Office) -> None:
    token, cookie = office.tenant.token_for(office.tenant.owner), office.tenant.session_for(office.tenant.owner)
    for _ in range(3):
        assert office.get("/watches", token=token).status_code == 200
        assert office.browse("GET", "/watches", cookie=cookie).status_code == 200
    office.app.store.write_now(lambda session: session.tx.run("DELETE FROM sessions"))
    office.app.store.write_now(lambda session: session.tx.run("DELETE FROM tokens"))
    assert office.get("/watches", token=token).status_code == 401
    assert office.browse("GET", "/watches", cookie=cookie).headers["location"].startswith("/sign-in")


def test_a_known_question_that_fails_is_told_as_the_framework_tells_it(quick_office: Office) -> None:
    answers = [quick_office.get("/changes?cursor=nonsense") for _ in range(3)]
    assert {answer.status_code for answer in answers} == {422}
    assert {answer.headers["content-type"] for answer in answers} == {"application/problem+json"}
    assert len({answer.text for answer in answers}) == 1


def test_only_reading_is_answered_so(quick_office: Office, noted: list[str]) -> None:
    for _ in range(2):
        assert quick_office.ask("GET", "/watches").status_code == 200
    cookie = quick_office.tenant.session_for(quick_office.tenant.owner)
    assert quick_office.browse("POST", "/watches", cookie=cookie, csrf=False).status_code == 403
    assert quick_office.client.request("OPTIONS", "/watches").status_code == 204
    assert len(noted) == 1


def test_each_reader_sees_their_own_frame_around_a_known_list(quick_office: Office) -> None:
    tenant = quick_office.tenant
    viewer = tenant.user("viewer", "viewer@example.org")
    cookies = [tenant.session_for(user) for user in (tenant.owner, viewer, tenant.owner)]
    for _ in range(2):
        pages = [quick_office.browse("GET", "/watches", cookie=cookie).text for cookie in cookies]
        assert ["Add your first watch" in page for page in pages] == [True, False, True]
        assert [tenant.owner.email in page for page in pages] == [True, False, True]
        assert len({page.partition('name="_csrf" value="')[2][:40] for page in pages}) == 3
        dark = {"Cookie": f"{SESSION_COOKIE}={cookies[0]}; driftline_theme=dark"}
        assert 'data-theme="dark"' in quick_office.client.get("/watches", headers=dark).text


def test_few_questions_are_known_at_once_and_no_long_ones(quick_office: Office, noted: list[str]) -> None:
    for _ in range(2):
        quick_office.get(f"/changes?type={'x' * 500}")
    assert len(noted) == 2
    for number in range(600):
        quick_office.get(f"/watches?text={number}")
    noted.clear()
    quick_office.get("/watches?text=599")
    quick_office.get("/watches?text=1")
    assert len(noted) == 1


async def test_what_was_read_quickly_is_read_without_a_hop_and_what_was_not_is_not(quick_office: Office) -> None:
    tenant, pace = quick_office.tenant, Pace()
    identity = Identity(user=tenant.owner, org=tenant.org, scopes=frozenset({"read"}))
    request: Any = SimpleNamespace(user=identity, app=quick_office.web)
    caller, here = Calling(request, pace), threading.current_thread()

    def where(_: OrgData) -> threading.Thread:
        return threading.current_thread()

    assert await caller.read(where) is not here  # nobody knows yet
    pace.took = 0.0001
    assert await caller.read(where) is here
    pace.took = 0.1
    assert await caller.read(where) is not here
