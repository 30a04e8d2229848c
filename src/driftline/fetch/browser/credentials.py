"""Opens the secrets and the session of a request just before it is sent, and signs in where nobody is signed in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from uuid import UUID

import msgspec

from driftline.core.identity.fingerprint import fingerprint
from driftline.core.identity.urls import same_place
from driftline.core.text.safety.placeholders import filled, hidden, names_in
from driftline.engine.ports import Clock, Credentials
from driftline.errors import BadSetting
from driftline.model.browser.credentials import OpenedSession
from driftline.model.browser.steps import Step
from driftline.model.fetch import Answer, Failed, Fetched, FetchOptions, Request

_REFUSED_FOR: Final = 600.0  # seconds in which a refused sign-in is not tried again: accounts are locked for less


class Keyring:
    """What requests may use, and who is signing in."""

    def __init__(self, credentials: Credentials | None, clock: Clock) -> None:
        self._credentials = credentials
        self._clock = clock
        self._signing_in: dict[tuple[UUID, str], asyncio.Lock] = {}
        self._refused: dict[tuple[UUID, str], tuple[float, bytes, Failed]] = {}

    async def opened(self, request: Request) -> tuple[dict[str, str], OpenedSession | None] | Failed:
        """The secrets and the session of a request, or why it cannot be sent."""
        options = request.options
        try:
            session = await self._session(request)
            if isinstance(session, Failed):
                return session
            steps = session.session.steps if session is not None else ()
            names = names_in((*options.texts(), *_texts(steps)))
            if not names:
                return {}, session
            found = await self.secrets(request, names)
        except BadSetting as error:
            return Failed(request=request, reason=f"no key: {error.message}")
        if missing := sorted(names - found.keys()):
            return Failed(request=request, reason=f"unknown secret: {missing[0]}")
        return dict(found), session

    async def secrets(self, request: Request, names: frozenset[str]) -> Mapping[str, str]:
        """Those of these secrets that the request's org has; raises BadSetting without a key."""
        return await self._credentials.secrets(request.org_id, names) if self._credentials and request.org_id else {}

    async def _session(self, request: Request) -> OpenedSession | Failed | None:
        name = request.options.session
        if name is None:
            return None
        session = None
        if self._credentials is not None and request.org_id is not None:
            session = await self._credentials.session(request.org_id, name)
        if session is None:
            return Failed(request=request, reason=f"unknown session: {name}")
        if not same_place(session.session.url, request.url):
            return Failed(request=request, reason=f"session of another site: {session.session.url}")
        return session

    async def renewed(
        self, request: Request, stale: OpenedSession, secrets: dict[str, str], sign_in: Callable[[], Awaitable[bytes | Failed]]
    ) -> Failed | None:
        """Sign in, unless somebody else did meanwhile; None: there is a new state."""
        credentials, org_id, name = self._credentials, request.org_id, stale.session.name
        if credentials is None or org_id is None:
            return Failed(request=request, reason=f"unknown session: {name}")
        inputs = fingerprint((msgspec.json.encode(stale.session.steps), msgspec.json.encode(secrets)))
        async with self._signing_in.setdefault((org_id, name), asyncio.Lock()):
            now = await credentials.session(org_id, name)
            if now is None or now.state != stale.state:
                return None
            since, tried, failed = self._refused.get((org_id, name), (0.0, b"", None))
            if failed is not None and tried == inputs and self._clock.monotonic() < since + _REFUSED_FOR:
                return msgspec.structs.replace(failed, request=request)
            made = await sign_in()
            if isinstance(made, Failed):
                self._refused[org_id, name] = (self._clock.monotonic(), inputs, made)
                return msgspec.structs.replace(made, request=request)
            self._refused.pop((org_id, name), None)
            await credentials.keep_session(org_id, name, made)
            return None


def _texts(steps: tuple[Step, ...]) -> tuple[str, ...]:
    return FetchOptions(steps=steps).texts()


def with_secrets(request: Request, secrets: dict[str, str]) -> Request:
    """The request as it is sent; steps keep the names, and are filled in one by one."""
    options = request.options
    fresh = msgspec.structs.replace(
        options,
        headers={name: filled(value, secrets) for name, value in options.headers.items()},
        cookies={name: filled(value, secrets) for name, value in options.cookies.items()},
        body=None if options.body is None else filled(options.body, secrets),
    )
    return msgspec.structs.replace(request, options=fresh)


def without_secrets(answer: Answer, request: Request, secrets: dict[str, str]) -> Answer:
    """The answer to the request as it is stored; a page that repeats a secret shows that there was one."""
    answer = msgspec.structs.replace(answer, request=request)
    if not isinstance(answer, Fetched) or not secrets:
        return answer
    headers = {name: hidden(value, secrets.values()) for name, value in answer.headers.items()}
    body = answer.body
    for secret in secrets.values():
        if secret.encode() in body:
            body = hidden(body.decode(errors="surrogateescape"), secrets.values()).encode(errors="surrogateescape")
            break
    return msgspec.structs.replace(answer, headers=headers, body=body)
