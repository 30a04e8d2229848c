"""The vault: secrets and sessions of every org, opened for a request and for nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from uuid import UUID

from driftline.errors import NotFound
from driftline.model.browser.credentials import OpenedSession
from driftline.store.session import OrgData
from driftline.store.store import Store
from driftline.store.vault.sealing import Sealer


class Vault:
    """`engine.ports.Credentials` over a store."""

    def __init__(self, store: Store, sealer: Sealer, now: Callable[[], datetime]) -> None:
        self._store = store
        self._sealer = sealer
        self._now = now

    async def secrets(self, org_id: UUID, names: frozenset[str]) -> Mapping[str, str]:
        """The values of these; those that there are not are left out. Raises BadSetting without the key."""
        sealed = await self._store.read(lambda session: session.org(org_id).secrets.sealed(tuple(names)))
        return {name: self._sealer.open(one, bound_to=secret_place(org_id, name)).decode() for name, one in sealed.items()}

    async def session(self, org_id: UUID, name: str) -> OpenedSession | None:
        """A session with its state; None if there is no such one."""
        try:
            found, sealed = await self._store.read(lambda session: session.org(org_id).browser_sessions.get(name))
        except NotFound:
            return None
        state = None if sealed is None else self._sealer.open(sealed, bound_to=session_place(org_id, name))
        return OpenedSession(session=found, state=state)

    async def keep_session(self, org_id: UUID, name: str, state: bytes | None) -> None:
        """Store what signing in made; None: it has to sign in again."""
        sealed = None if state is None else self._sealer.seal(state, bound_to=session_place(org_id, name))
        at = None if state is None else self._now()
        await self._store.write(lambda session: session.org(org_id).browser_sessions.keep(name, sealed, at=at))


def secret_place(org_id: UUID, name: str) -> str:
    """What a secret is bound to: moved to another row, it does not open."""
    return f"secret/{org_id}/{name}"


def session_place(org_id: UUID, name: str) -> str:
    """The same for a session."""
    return f"session/{org_id}/{name}"


def resealed(data: OrgData, sealer: Sealer, *, at: datetime) -> int:
    """Seal everything of an org with the first key; gives how many were under another."""
    count = 0
    for name, sealed in data.secrets.sealed().items():
        if not sealer.is_current(sealed):
            place = secret_place(data.org_id, name)
            data.secrets.set(name, sealer.seal(sealer.open(sealed, bound_to=place), bound_to=place), at=at)
            count += 1
    for name, sealed in data.browser_sessions.sealed().items():
        if not sealer.is_current(sealed):
            place = session_place(data.org_id, name)
            data.browser_sessions.reseal(name, sealer.seal(sealer.open(sealed, bound_to=place), bound_to=place))
            count += 1
    return count
