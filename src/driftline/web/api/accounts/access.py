"""The signed-in user: account, password, sessions, and tokens for programs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Request, Response, delete, get, post, put
from litestar.exceptions import PermissionDeniedException
from litestar.params import FromPath, JSONBody
from msgspec import Meta

from driftline.model.access import BrowserSession, Scope, Token
from driftline.store.db.codec import clamped
from driftline.store.session import OrgData
from driftline.web.api.accounts.org import Line, OrgDocument, UserDocument, org_document, user_document
from driftline.web.auth.guards import Needs, viewer
from driftline.web.auth.new_tokens import draft_token
from driftline.web.auth.request_context import Caller
from driftline.web.auth.sign_in import SignIn
from driftline.web.paging import Listed

keyholder = Needs("viewer", "admin")  # about the user: in a browser, or with a token that may create others


class Me(msgspec.Struct, frozen=True, kw_only=True):
    """The signed-in user."""

    user: UserDocument
    org: OrgDocument
    scopes: tuple[Scope, ...]
    csrf: str  # for scripts of a browser's session: the header X-CSRF-Token; empty for tokens


class NewPassword(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new password."""

    new: Annotated[str, Meta(max_length=1024)]
    old: Annotated[str, Meta(max_length=1024)] = ""  # where there was one


class TokenDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A token, without its secret."""

    id: UUID
    user: UUID
    name: str
    prefix: str
    scopes: tuple[Scope, ...]
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None


class NewToken(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A token to create."""

    name: Line
    scopes: Annotated[tuple[Scope, ...], Meta(min_length=1, max_length=5)] = ("read", "write")
    expires_at: Annotated[datetime, Meta(tz=True)] | None = None


class MadeToken(TokenDocument, frozen=True, kw_only=True):
    """A new token with its secret, which is shown only once."""

    token: str | None  # the secret: shown once


class SessionDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The browsers in which you are signed in."""

    id: UUID
    agent: str
    current: bool
    created_at: datetime
    expires_at: datetime


@get("/me", guards=[viewer], summary="Show the signed-in user")
async def show_me(caller: Caller) -> Me:
    """The user, their org, and what the token or session may do."""
    identity = caller.identity
    return Me(
        user=user_document(identity.user),
        org=org_document(identity.org),
        scopes=tuple(sorted(identity.scopes)),
        csrf=identity.csrf,
    )


@put("/me/password", guards=[keyholder], status_code=204, summary="Set your password")
async def set_password(request: Request[Any, Any, Any], caller: Caller, data: JSONBody[NewPassword]) -> None:
    """All other sessions are signed out."""
    user, session = caller.identity.user, caller.identity.session
    if session is None:
        raise PermissionDeniedException(detail="only possible when signed in with a browser")
    auth: SignIn = request.app.state.sign_in
    hashed = await caller.read(lambda stored: stored.sessions.password_of(user.id))
    if hashed is not None:
        await auth.confirm(user, hashed, data.old)
    await auth.set_password(user, data.new, keep=session)


@get("/sessions", guards=[keyholder], summary="List your sessions")
async def list_sessions(caller: Caller) -> Listed[SessionDocument]:
    """The browsers in which you are signed in."""
    at, user_id = caller.now, caller.identity.user.id
    found = await caller.read(lambda data: data.sessions.of(user_id, at=at))
    return Listed(items=tuple(_session_document(one, caller.identity.session) for one in found))


@delete("/sessions/{session_id:uuid}", guards=[keyholder], summary="End a session")
async def end_session(caller: Caller, session_id: FromPath[UUID]) -> None:
    """Only your own sessions."""
    user_id = caller.identity.user.id
    await caller.write(lambda data: data.sessions.end(session_id, user_id=user_id))


@get("/tokens", guards=[keyholder], summary="List tokens")
async def list_tokens(caller: Caller) -> Listed[TokenDocument]:
    """Your own tokens; an owner sees all of the org."""
    user_id = None if caller.identity.role == "owner" else caller.identity.user.id
    found = await caller.read(lambda data: data.tokens.all(user_id=user_id))
    return Listed(items=tuple(TokenDocument(**_token_fields(one)) for one in found))


@post("/tokens", guards=[keyholder], summary="Create a token")
async def add_token(caller: Caller, data: JSONBody[NewToken]) -> Response[MadeToken]:
    """For yourself, with at most your own permissions. The secret is shown only in this answer."""
    if beyond := set(data.scopes) - caller.identity.scopes:
        raise PermissionDeniedException(detail=f"more than this token may do: {', '.join(sorted(beyond))}")
    fresh, secret, secret_hash = draft_token(
        caller.app.ids(),
        caller.identity.user,
        name=data.name,
        scopes=data.scopes,
        at=caller.now,
        expires_at=clamped(data.expires_at) if data.expires_at else None,
    )
    return await caller.create(
        lambda stored: stored.tokens.add(fresh, secret_hash=secret_hash),
        lambda made: MadeToken(**_token_fields(made), token=secret),
        kept=lambda made: MadeToken(**_token_fields(made), token=None),
    )


@delete("/tokens/{token_id:uuid}", guards=[keyholder], summary="Revoke a token")
async def remove_token(caller: Caller, token_id: FromPath[UUID]) -> None:
    """Your own tokens; an owner may revoke any."""

    def remove(data: OrgData) -> None:
        found = data.tokens.get(token_id)
        if caller.identity.role != "owner" and found.user_id != caller.identity.user.id:
            raise PermissionDeniedException(detail="it belongs to another user")
        data.tokens.remove(found.id)

    await caller.write(remove)


def _token_fields(token: Token) -> dict[str, Any]:
    return {
        "id": token.id,
        "user": token.user_id,
        "name": token.name,
        "prefix": token.prefix,
        "scopes": token.scopes,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
        "used_at": token.used_at,
    }


def _session_document(session: BrowserSession, current: BrowserSession | None) -> SessionDocument:
    return SessionDocument(
        id=session.id,
        agent=session.agent,
        current=current is not None and current.id == session.id,
        created_at=session.created_at,
        expires_at=session.expires_at,
    )


ROUTES = (show_me, set_password, list_sessions, end_session, list_tokens, add_token, remove_token)
