"""Who may do what: role and scope, our own page, and this machine alone."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import pytest
from litestar.exceptions import PermissionDeniedException
from tests.services import Services
from tests.web_server import Tenant

from driftline.model.access import SCOPES, Scope
from driftline.model.account import Features, Org, Role, User
from driftline.settings import Settings
from driftline.web.auth.guards import (
    SESSION_COOKIE,
    Connection,
    Identity,
    _from_this_machine,
    by_token,
    check_form,
    editor,
    identified,
    owner,
    pusher,
    same_origin,
    viewer,
)
from driftline.wiring import App

AT = datetime(2026, 1, 1, tzinfo=UTC)
SOME = UUID(int=7)


def identity(role: Role, *scopes: Scope) -> Identity:
    user = User(id=SOME, org_id=SOME, email="a@example.org", name="A", role=role, next_digest_at=AT, created_at=AT)
    return Identity(user=user, org=Org(id=SOME, name="org", features=Features()), scopes=frozenset(scopes or SCOPES))


@pytest.mark.parametrize(
    ("role", "scopes", "admitted"),
    [
        ("viewer", (), [True, False, False, False]),
        ("editor", (), [True, True, True, False]),
        ("owner", (), [True, True, True, True]),
        ("owner", ("read",), [True, False, False, False]),
        ("owner", ("push",), [False, False, True, False]),
        ("editor", ("write",), [False, True, True, False]),
        ("viewer", ("admin", "write"), [False, False, False, False]),
    ],
)
def test_a_guard_admits_by_role_and_scope_together(role: Role, scopes: tuple[Scope, ...], admitted: list[bool]) -> None:
    assert [guard.admits(identity(role, *scopes)) for guard in (viewer, editor, pusher, owner)] == admitted


def connection(headers: dict[str, str] | None = None, *, loopback: bool = True, **settings: Any) -> Connection:
    given = {"host": "127.0.0.1:8000", **(headers or {})}
    state = SimpleNamespace(driftline=SimpleNamespace(settings=Settings(**settings)), loopback=loopback)
    raw = [(name.encode(), value.encode()) for name, value in given.items()]
    made = SimpleNamespace(
        headers=given, cookies={}, app=SimpleNamespace(state=state), scope={"headers": raw, "server": ("127.0.0.1", 8000)}
    )
    return cast("Connection", made)


@pytest.mark.parametrize(
    ("origin", "ours"),
    [
        ("http://127.0.0.1:8000", True),
        ("https://watch.example.org", True),
        ("http://watch.example.org", False),
        ("https://evil.example", False),
        ("null", False),
        ("", False),
        ("ftp://127.0.0.1:8000", False),
    ],
)
def test_a_form_comes_from_the_host_that_was_asked_or_from_the_public_address(origin: str, ours: bool) -> None:
    asked = connection({"origin": origin}, public_url="https://watch.example.org")
    assert same_origin(asked) is ours


@pytest.mark.parametrize(
    ("given", "alone"),
    [
        ({}, True),
        ({"loopback": False}, False),
        ({"headers": {"x-forwarded-for": "1.2.3.4"}}, False),
        ({"headers": {"via": "1.1 proxy"}}, False),
        ({"headers": {"host": "watch.example.org"}}, False),
        ({"public_url": "https://watch.example.org"}, False),
        ({"public_url": "http://localhost:8000"}, True),
        ({"web_hosts": ("watch.example.org",)}, False),
        ({"web_proxies": ("127.0.0.1",)}, False),
    ],
)
def test_only_what_no_proxy_can_have_passed_on_is_of_this_machine(given: dict[str, Any], alone: bool) -> None:
    assert _from_this_machine(connection(given.pop("headers", None), **given)) is alone


@pytest.mark.parametrize(
    ("headers", "expected", "refusal"),
    [
        ({"origin": "http://127.0.0.1:8000", "x-csrf-token": "secret"}, "secret", None),
        ({"origin": "http://127.0.0.1:8000", "x-csrf-token": "other"}, "secret", "has expired"),
        ({"origin": "http://127.0.0.1:8000", "x-csrf-token": ""}, "", "has expired"),
        ({"origin": "https://evil.example", "x-csrf-token": "secret"}, "secret", "another site"),
    ],
)
async def test_a_form_needs_our_origin_and_its_own_token(headers: dict[str, str], expected: str, refusal: str | None) -> None:
    if refusal is None:
        await check_form(connection(headers), expected)
        return
    with pytest.raises(PermissionDeniedException, match=refusal):
        await check_form(connection(headers), expected)


async def test_a_token_is_its_holder_with_its_scopes_and_is_noted_as_used(services: Services, tmp_path: Path) -> None:
    with closing(App(Settings(db=services.migrated_file(tmp_path / "a.db")))) as app:
        tenant = Tenant(app, app.org)
        secret = tenant.token_for(tenant.owner, ["read"])
        found = await by_token(app, secret)
        assert found is not None
        assert (found.user.id, found.org.id, found.session) == (tenant.owner.id, app.org.id, None)
        assert found.scopes == frozenset({"read"})
        used = {one.scopes: one.used_at for one in app.read(lambda data: data.tokens.all())}
        noted = used["read",]
        assert noted is not None
        assert abs(noted - app.clock.now()) < timedelta(hours=1)
        assert await by_token(app, f"{secret}x") is None

        async def sent(authorization: str) -> Identity | None:
            asked = connection({"authorization": authorization})
            asked.app.state.driftline = app
            asked.cookies[SESSION_COOKIE] = "a session that is not asked for where there is a token"
            return await identified(asked)

        for header in (f"Bearer {secret}", f"bearer  {secret} "):
            holder = await sent(header)
            assert holder is not None
            assert (holder.user, holder.scopes, holder.session) == (found.user, found.scopes, None)
        for header in (f"Basic {secret}", secret, "Bearer", ""):
            assert await sent(header) is None
