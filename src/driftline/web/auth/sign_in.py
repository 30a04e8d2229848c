"""Signing in and out: passwords, one-time links, and the cookie that a browser keeps."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from litestar import Request
from litestar.datastructures import Cookie
from litestar.exceptions import NotAuthorizedException, TooManyRequestsException

from driftline.errors import UsageError
from driftline.model.access import BrowserSession
from driftline.model.account import User
from driftline.store.accounts import sessions
from driftline.store.session import Session
from driftline.web.auth.attempt_limits import Attempts
from driftline.web.auth.guards import SESSION_COOKIE, VISITOR_COOKIE, Identity
from driftline.web.auth.request_context import Calling
from driftline.web.auth.secrets import new_secret, stored
from driftline.wiring import App

SESSION_FOR: Final = timedelta(days=30)
LINK_FOR: Final = timedelta(hours=1)
ATTEMPTS: Final = 10  # at one account from one address
ATTEMPTS_AT: Final = 50  # at one account from all addresses
ATTEMPTS_FROM: Final = 100  # from one address at any accounts: many people may share one behind an unknown proxy
ATTEMPTS_AFTER: Final = 3  # at one account from such an address: others there can still sign in, even after a typo
ATTEMPTS_WITHIN: Final = 900.0  # seconds
SHORTEST_PASSWORD: Final = 10
LONGEST_PASSWORD: Final = 1024
_AGENT_AT_MOST: Final = 200
_HASHED_AT_ONCE: Final = 2  # concurrent hashes; each takes 64 MiB

hasher: Final = PasswordHasher()  # argon2id, RFC 9106's second choice of parameters


class SignIn:
    """Signs users in and out. One per web application: it counts attempts."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._at_account_from = Attempts(ATTEMPTS, ATTEMPTS_WITHIN, app.clock.monotonic)
        self._at_account = Attempts(ATTEMPTS_AT, ATTEMPTS_WITHIN, app.clock.monotonic)
        self._from_address = Attempts(ATTEMPTS_FROM, ATTEMPTS_WITHIN, app.clock.monotonic)
        self._hashing = asyncio.Semaphore(_HASHED_AT_ONCE)
        self._hashing_for_busy = asyncio.Semaphore(
            _HASHED_AT_ONCE - 1
        )  # used by addresses with too many attempts, so that one hash slot stays free
        self._nobody = ""  # a hash of no password: an unknown address takes as long as a wrong password

    async def by_password(self, email: str, password: str, *, address: str) -> User:
        """The user with this address and password; too many attempts must wait, but never those of others."""
        email = email.strip().lower() if len(email) <= 320 else ""
        pair = f"{address} {email}"
        wait_for = self._from_address.wait_for(address)
        if wait_for > 0 and self._at_account_from.count(pair) >= ATTEMPTS_AFTER:
            raise _too_many(wait_for)
        _take(self._at_account_from, pair)
        _take(self._at_account, email)
        async with self._hashing_for_busy if wait_for > 0 else nullcontext():
            user = await self._holder(email, password)
        if user is None:
            raise NotAuthorizedException(detail="wrong address or password")
        if wait_for == 0:
            self._from_address.undo(address)
        self._at_account_from.reset(pair)
        self._at_account.reset(email)
        return user

    async def _holder(self, email: str, password: str) -> User | None:
        """The user with this address and password; takes as long if the address is unknown."""
        if len(password) > LONGEST_PASSWORD:
            return None
        found = await self._app.store.read(lambda session: sessions.candidates(session.tx, email))
        for user, hashed in found:
            if await self._verified(hashed, password):
                return user
        if not found:
            await self._verified(await self._hash_of_nobody(), password)
        return None

    async def by_link(self, secret: str) -> User:
        """The user of a link, which works once. Links cannot be guessed, so attempts are not counted."""
        at = self._app.clock.now()
        user = await self._app.store.write(lambda session: sessions.take_link(session.tx, stored(secret), at=at))
        if user is None:
            raise NotAuthorizedException(detail="the link was already used, or it has expired")
        return user

    async def confirm(self, user: User, hashed: str, password: str) -> None:
        """Check the password of a signed-in user; only their own attempts count."""
        key = f"signed in {user.id}"
        _take(self._at_account_from, key)
        if len(password) > LONGEST_PASSWORD or not await self._verified(hashed, password):
            raise NotAuthorizedException(detail="the current password is wrong")
        self._at_account_from.reset(key)

    async def begin(self, user: User, request: Request[Any, Any, Any]) -> list[Cookie]:
        """Start a new session; a session in the request's cookie ends. Returns the cookies to set."""
        at, secret = self._app.clock.now(), new_secret()
        old = request.cookies.get(SESSION_COOKIE, "")
        session = BrowserSession(
            id=self._app.ids(),
            org_id=user.org_id,
            user_id=user.id,
            agent=request.headers.get("user-agent", "")[:_AGENT_AT_MOST],
            created_at=at,
            expires_at=at + SESSION_FOR,
        )

        def start(store: Session) -> None:
            before = sessions.signed_in(store.tx, stored(old), at=at) if old else None
            if before is not None:
                store.org(before[0].org_id).sessions.end(before[0].id, user_id=before[0].user_id)
            store.org(user.org_id).sessions.add(session, secret_hash=stored(secret))

        await self._app.store.write(start)
        return [
            self._cookie(SESSION_COOKIE, secret, for_=int(SESSION_FOR.total_seconds())),
            self._cookie(VISITOR_COOKIE, "", for_=0),
        ]

    async def end(self, identity: Identity) -> list[Cookie]:
        """Sign out everywhere. Returns the cookies to set."""
        user = identity.user
        await self._app.store.write(lambda store: store.org(user.org_id).sessions.end_all(user.id))
        return [self._cookie(SESSION_COOKIE, "", for_=0)]

    async def set_password(self, user: User, password: str, *, keep: BrowserSession | None = None) -> None:
        """Set the password; other sessions end."""
        if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
            raise UsageError("invalid password", hint=f"use {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
        async with self._hashing:
            hashed = await asyncio.to_thread(hasher.hash, password)
        at = self._app.clock.now()
        but = keep.id if keep else None
        await self._app.store.write(
            lambda store: store.org(user.org_id).sessions.set_password(user.id, hashed, at=at, except_id=but)
        )

    def visitor(self, request: Request[Any, Any, Any]) -> tuple[str, list[Cookie]]:
        """The secret behind a sign-in form's CSRF token, and the cookie to set if there was none."""
        known = request.cookies.get(VISITOR_COOKIE, "")
        if known:
            return known, []
        secret = new_secret()
        return secret, [self._cookie(VISITOR_COOKIE, secret, for_=3600)]

    def _cookie(self, name: str, value: str, *, for_: int) -> Cookie:
        secure = self._app.settings.public_url.startswith("https://")
        return Cookie(key=name, value=value, max_age=for_, path="/", httponly=True, secure=secure, samesite="lax")

    async def _hash_of_nobody(self) -> str:
        async with self._hashing:
            if not self._nobody:
                self._nobody = await asyncio.to_thread(hasher.hash, new_secret())
        return self._nobody

    async def _verified(self, hashed: str, password: str) -> bool:
        async with self._hashing:
            try:
                return await asyncio.to_thread(hasher.verify, hashed, password)
            except (VerificationError, InvalidHashError):
                return False


def _take(attempts: Attempts, key: str) -> None:
    """Count one more attempt, or raise if it is too many."""
    wait_for = attempts.wait_for(key)
    if wait_for > 0:
        raise _too_many(wait_for)


def _too_many(wait_for: float) -> TooManyRequestsException:
    headers = {"Retry-After": str(int(wait_for) + 1)}
    return TooManyRequestsException(detail="too many attempts. Wait a few minutes", headers=headers)


def new_link(app: App, user: User) -> str:
    """The secret of a link that signs a user in once."""
    secret, expires_at = new_secret(), app.clock.now() + LINK_FOR
    app.write(lambda data: data.sessions.add_link(user.id, stored(secret), expires_at=expires_at))
    return secret


async def invitation(caller: Calling, user_id: UUID) -> str:
    """The secret of the link that signs an invited user in once."""
    secret, expires_at = new_secret(), caller.now + LINK_FOR
    await caller.write(lambda data: data.sessions.add_link(user_id, stored(secret), expires_at=expires_at))
    return secret
