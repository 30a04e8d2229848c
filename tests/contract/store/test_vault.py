"""Secrets and sessions: sealed on both databases, opened by their keys alone."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import msgspec
import pytest

from driftline.core.text.step_texts import read_steps
from driftline.errors import BadSetting, NotFound, StoreCorrupt
from driftline.model.account import Org
from driftline.model.browser.credentials import SiteSession
from driftline.store.session import OrgData, Session
from driftline.store.store import Store
from driftline.store.vault.sealing import Sealer
from driftline.store.vault.vault import Vault, resealed, secret_place

AT = datetime(2026, 3, 1, tzinfo=UTC)
OURS, THEIRS = UUID(int=1), UUID(int=2)
OLD, NEW = "o" * 32, "n" * 32


@pytest.fixture
def orgs(store: Store) -> Store:
    def add(session: Session) -> None:
        for org_id in (OURS, THEIRS):
            session.add_org(Org(id=org_id, name=str(org_id)), at=AT)

    store.write_now(add)
    return store


def put(store: Store, sealer: Sealer, name: str, value: str) -> None:
    sealed = sealer.seal(value.encode(), bound_to=secret_place(OURS, name))
    assert value.encode() not in sealed
    store.write_now(lambda session: session.org(OURS).secrets.set(name, sealed, at=AT))


async def test_a_secret_opens_for_its_org_and_name_alone(orgs: Store) -> None:
    sealer = Sealer((NEW,))
    vault = Vault(orgs, sealer, lambda: AT)
    put(orgs, sealer, "pw", "hunter22")
    assert await vault.secrets(OURS, frozenset({"pw", "other"})) == {"pw": "hunter22"}
    assert await vault.secrets(THEIRS, frozenset({"pw"})) == {}

    def move(session: Session) -> None:
        sealed = session.org(OURS).secrets.sealed()["pw"]
        session.org(THEIRS).secrets.set("pw", sealed, at=AT)

    orgs.write_now(move)
    with pytest.raises(StoreCorrupt):
        await vault.secrets(THEIRS, frozenset({"pw"}))


async def test_after_a_rotation_the_old_key_is_not_needed(orgs: Store) -> None:
    put(orgs, Sealer((OLD,)), "pw", "hunter22")
    session = SiteSession(name="shop", url="https://a.example/", steps=read_steps(["click a"]), created_at=AT)
    orgs.write_now(lambda one: one.org(OURS).browser_sessions.set(session))
    await Vault(orgs, Sealer((OLD,)), lambda: AT).keep_session(OURS, "shop", b'{"cookies":[]}')
    new = Vault(orgs, Sealer((NEW,)), lambda: AT)
    with pytest.raises(BadSetting):
        await new.secrets(OURS, frozenset({"pw"}))
    both = Sealer((NEW, OLD))
    assert orgs.write_now(lambda one: resealed(one.org(OURS), both, at=AT)) == 2
    assert orgs.write_now(lambda one: resealed(one.org(OURS), both, at=AT)) == 0
    assert await new.secrets(OURS, frozenset({"pw"})) == {"pw": "hunter22"}
    opened = await new.session(OURS, "shop")
    assert opened is not None
    assert opened.state == b'{"cookies":[]}'
    assert opened.session == msgspec.structs.replace(session, signed_in_at=AT)


def test_what_is_removed_is_gone_and_a_changed_session_signs_in_anew(orgs: Store) -> None:
    put(orgs, Sealer((NEW,)), "pw", "hunter22")
    session = SiteSession(name="shop", url="https://a.example/", steps=read_steps(["click a"]), created_at=AT)

    def change(one: Session) -> tuple[SiteSession, bytes | None]:
        data: OrgData = one.org(OURS)
        data.browser_sessions.set(session)
        data.browser_sessions.keep("shop", b"sealed", at=AT)
        data.browser_sessions.set(session)
        data.secrets.remove("pw")
        return data.browser_sessions.get("shop")

    assert orgs.write_now(change) == (session, None)
    with pytest.raises(NotFound):
        orgs.write_now(lambda one: one.org(OURS).secrets.remove("pw"))


def test_without_a_key_or_with_a_short_one_nothing_is_stored() -> None:
    with pytest.raises(BadSetting):
        Sealer(()).seal(b"a", bound_to="b")
    with pytest.raises(BadSetting):
        Sealer(("short",))
