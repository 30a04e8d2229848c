"""What a password costs, for whoever signs in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from argon2 import PasswordHasher, Type
from litestar.exceptions import NotAuthorizedException
from tests.services import Services
from tests.web_server import Tenant

from driftline.settings import Settings
from driftline.web.auth import sign_in
from driftline.web.auth.sign_in import SignIn
from driftline.wiring import App

PASSWORD = "correct horse battery"


def test_a_password_costs_what_rfc_9106_asks_for() -> None:
    hasher = sign_in.hasher
    assert (hasher.type, hasher.time_cost, hasher.memory_cost, hasher.parallelism) == (Type.ID, 3, 64 * 1024, 4)


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passwords that were compared, cheaply."""
    cheap, compared = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1), []

    def verify(hashed: str, password: str) -> bool:
        compared.append(password)
        return cheap.verify(hashed, password)

    monkeypatch.setattr(sign_in, "hasher", SimpleNamespace(hash=cheap.hash, verify=verify))
    return compared


@pytest.fixture
def tenant(services: Services, tmp_path: Path) -> Iterator[Tenant]:
    with closing(App(Settings(db=services.migrated_file(tmp_path / "a.db")))) as app:
        yield Tenant(app, app.org)


async def test_an_unknown_address_costs_as_much_as_a_known_one(tenant: Tenant, verified: list[str]) -> None:
    door = SignIn(tenant.app)
    await door.set_password(tenant.owner, PASSWORD)
    costs = []
    for email in (tenant.owner.email, "nobody@example.org"):
        verified.clear()
        with pytest.raises(NotAuthorizedException):
            await door.by_password(email, "a wrong one", address="a")
        costs.append(list(verified))
    assert costs == [["a wrong one"], ["a wrong one"]]


async def test_a_right_password_forgives_its_own_account_and_no_other(tenant: Tenant, verified: list[str]) -> None:
    door, other = SignIn(tenant.app), tenant.user("viewer", "other@example.org")
    for user in (tenant.owner, other):
        await door.set_password(user, PASSWORD)
        for _ in range(sign_in.ATTEMPTS - 1):
            with pytest.raises(NotAuthorizedException):
                await door.by_password(user.email, "a wrong one", address="a")
    assert await door.by_password(tenant.owner.email, PASSWORD, address="a") == tenant.owner
    count = door._at_account_from.count
    assert (count(f"a {tenant.owner.email}"), count(f"a {other.email}")) == (0, sign_in.ATTEMPTS - 1)
    assert (door._at_account.count(tenant.owner.email), door._at_account.count(other.email)) == (0, sign_in.ATTEMPTS - 1)
