"""Signing in and out: passwords, one-time links, and the cookie that a browser keeps."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any, Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from litestar import Request
from litestar.datastructures import Cookie
from litestar.exceptions import NotAuthorizedException, TooManyRequestsException

from driftline.errors import UsageError
from driftline.model.access import BrowserSession
from driftline.model.account import User
from driftline.store import sessions
from driftline.store.session import Session
from driftline.web.auth import SESSION_COOKIE, VISITOR_COOKIE, Identity
from driftline.web.limits import Attempts
from driftline.web.secrets import new_secret, stored
from driftline.wiring import App

SESSION_FOR: Final = timedelta(days=30)
LINK_FOR: Final = timedelta(hours=1)
ATTEMPTS: Final = 10  # at one account
ATTEMPTS_FROM: Final = 100  # from one address, which many people may share, at any accounts
ATTEMPTS_WITHIN: Final = 900.0  # seconds
SHORTEST_PASSWORD: Final = 10
LONGEST_PASSWORD: Final = 1024
_AGENT_AT_MOST: Final = 200
_HASHED_AT_ONCE: Final = 2  # each takes 64 MiB for a moment

hasher: Final = PasswordHasher()  # argon2id, RFC 9106's second choice of parameters


class SignIn:
    """The door for people. One a web application: it counts attempts."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._at_account = Attempts(ATTEMPTS, ATTEMPTS_WITHIN, app.clock.monotonic)
        self._from_address = Attempts(ATTEMPTS_FROM, ATTEMPTS_WITHIN, app.clock.monotonic)
        self._hashing = asyncio.Semaphore(_HASHED_AT_ONCE)
        self._nobody = ""  # a hash that no password has: an unknown address takes as long as a wrong password

    async def by_password(self, email: str, password: str, *, address: str) -> User:
        """Whoever has this address and this password; too many attempts have to wait."""
        email = email.strip().lower() if len(email) <= 320 else ""
        _take(self._from_address, address)
        _take(self._at_account, email)
        if len(password) <= LONGEST_PASSWORD:
            found = await self._app.store.read(lambda session: sessions.candidates(session.tx, email))
            for user, hashed in found:
                if await self._verified(hashed, password):
                    self._from_address.forgive(address)
                    self._at_account.forgive(email)
                    return user
            if not found:
                await self._verified(await self._hash_of_nobody(), password)
        raise NotAuthorizedException(detail="address or password is wrong")

    async def by_link(self, secret: str) -> User:
        """Whoever the link was made for; it works once. Nobody guesses one, so attempts are not counted."""
        at = self._app.clock.now()
        user = await self._app.store.write(lambda session: sessions.take_link(session.tx, stored(secret), at=at))
        if user is None:
            raise NotAuthorizedException(detail="the link was used, or is too old")
        return user

    async def confirm(self, user: User, hashed: str, password: str) -> None:
        """That somebody who is signed in knows their password; only their own attempts count."""
        key = f"signed in {user.id}"
        _take(self._at_account, key)
        if len(password) > LONGEST_PASSWORD or not await self._verified(hashed, password):
            raise NotAuthorizedException(detail="the old password is wrong")
        self._at_account.forgive(key)

    async def begin(self, user: User, request: Request[Any, Any, Any]) -> list[Cookie]:
        """A new session, whatever cookie came along: the old one is void. Gives the cookies to set."""
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
        """Sign out, everywhere. Gives the cookies to set."""
        user = identity.user
        await self._app.store.write(lambda store: store.org(user.org_id).sessions.end_all(user.id))
        return [self._cookie(SESSION_COOKIE, "", for_=0)]

    async def set_password(self, user: User, password: str, *, keep: BrowserSession | None = None) -> None:
        """From now on; other sessions end."""
        if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
            raise UsageError("password does not fit", hint=f"use {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
        async with self._hashing:
            hashed = await asyncio.to_thread(hasher.hash, password)
        at = self._app.clock.now()
        but = keep.id if keep else None
        await self._app.store.write(lambda store: store.org(user.org_id).sessions.set_password(user.id, hashed, at=at, but=but))

    def visitor(self, request: Request[Any, Any, Any]) -> tuple[str, list[Cookie]]:
        """The secret that a sign-in form's CSRF token is made of, and the cookie to set where there was none."""
        known = request.cookies.get(VISITOR_COOKIE, "")
        if known:
            return known, []
        secret = new_secret()
        return secret, [self._cookie(VISITOR_COOKIE, secret, for_=3600)]

    def _cookie(self, name: str, value: str, *, for_: int) -> Cookie:
        secure = self._app.settings.public_url.startswith("https://")
        return Cookie(key=name, value=value, max_age=for_, path="/", httponly=True, secure=secure, samesite="lax")

    async def _hash_of_nobody(self) -> str:
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
    """One more attempt, if it is not one too many."""
    wait_for = attempts.wait_for(key)
    if wait_for > 0:
        headers = {"Retry-After": str(int(wait_for) + 1)}
        raise TooManyRequestsException(detail="too many attempts; wait a while", headers=headers)


def new_link(app: App, user: User) -> str:
    """The secret of a link that signs a user in once."""
    secret = new_secret()
    expires_at = app.clock.now() + LINK_FOR
    app.write(lambda data: data.sessions.add_link(user.id, stored(secret), expires_at=expires_at))
    return secret
