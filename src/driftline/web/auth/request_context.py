"""The context of a handler: the signed-in user, and access to their org's data."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import msgspec
from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.exceptions import ClientException

from driftline.store.accounts.idempotency import StoredAnswer
from driftline.store.session import OrgData
from driftline.web.auth.guards import Identity
from driftline.wiring import App

T = TypeVar("T")

KEY_HEADER = "idempotency-key"
_KEY_AT_MOST = 255


class Calling:
    """The authenticated caller of a route."""

    def __init__(self, request: Request[Any, Any, Any]) -> None:
        self.identity: Identity = request.user
        self.request = request
        self._shared: App = request.app.state.driftline

    @cached_property
    def app(self) -> App:
        """The application for their org."""
        return self._shared.of(self.identity.org)

    @property
    def now(self) -> datetime:
        """The present time."""
        return self._shared.clock.now()

    async def read(self, fn: Callable[[OrgData], T]) -> T:
        """Run `fn` over the org's data in one read transaction."""
        org_id = self.identity.org.id
        return await self._shared.store.read(lambda session: fn(session.org(org_id)))

    async def write(self, fn: Callable[[OrgData], T]) -> T:
        """Run `fn` over the org's data in one write transaction; it may run twice, and must change nothing but the store."""
        org_id = self.identity.org.id
        return await self._shared.store.write(lambda session: fn(session.org(org_id)))

    async def create(
        self, make: Callable[[OrgData], T], shown: Callable[[T], Any], *, kept: Callable[[T], Any] | None = None
    ) -> Response[Any]:
        """What `make` stores, shown with status 201; once, however often the request comes with its Idempotency-Key.

        `kept` is what a repetition shows, where the first answer holds a secret.
        """
        key = self.request.headers.get(KEY_HEADER)
        if key is None:
            return _created(encoded(shown(await self.write(make))))
        if not 0 < len(key) <= _KEY_AT_MOST:
            raise ClientException(detail=f"Idempotency-Key must have 1 to {_KEY_AT_MOST} characters")
        key_hash = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
        request_hash = hashlib.sha256(
            b"\0".join([self.request.method.encode(), self.request.url.path.encode(), await self.request.body()])
        ).digest()
        at = self.app.clock.now()

        def once(data: OrgData) -> bytes:
            answered = data.idempotency.begin(key_hash, request_hash, at=at)
            if answered is not None:
                return answered.body
            made = make(data)
            data.idempotency.finish(key_hash, StoredAnswer(status=201, body=encoded((kept or shown)(made))))
            return encoded(shown(made))

        return _created(await self.write(once))


def encoded(value: Any) -> bytes:
    """JSON as the API writes it: amounts as text, never as numbers."""
    return msgspec.json.encode(value)


def _created(body: bytes) -> Response[Any]:
    return Response(body, status_code=201, media_type="application/json")


Caller: TypeAlias = NamedDependency[Calling]  # a handler's parameter `caller: Caller`


async def provide_caller(request: Request[Any, Any, Any]) -> Calling:
    """The caller of a guarded route."""
    return Calling(request)
