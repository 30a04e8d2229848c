"""Who sends a request, and what they may do. Every route names its guard; one without a guard does not start.

- `viewer`, `editor`, `owner`: somebody of the org, by session or by a token with the scope; where something changes, a browser
  also brings a CSRF token and our own Origin
- `public`: anybody, for reading only
- `visitor`: nobody yet, as at the sign-in; CSRF token and Origin all the same
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from litestar import Litestar, Request
from litestar.connection import ASGIConnection
from litestar.exceptions import NotAuthorizedException, PermissionDeniedException
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.routes import HTTPRoute

from driftline.errors import DriftlineError
from driftline.model.access import SCOPES, BrowserSession, Scope, Token
from driftline.model.account import Org, Role, User
from driftline.store.accounts import sessions, tokens
from driftline.store.session import DEFAULT_ORG, Session
from driftline.web.auth.secrets import csrf_token, same, stored
from driftline.web.security_headers import LOOPBACK_NAMES, first_header, requested_host
from driftline.wiring import App

SESSION_COOKIE: Final = "driftline_session"
VISITOR_COOKIE: Final = "driftline_visitor"  # before there is a session: what a sign-in form's CSRF token belongs to
CSRF_HEADER: Final = "x-csrf-token"
CSRF_FIELD: Final = "_csrf"
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_RANKS: Final[Mapping[Role, int]] = {"viewer": 0, "editor": 1, "owner": 2}
_LOOPBACK_HOSTS: Final = frozenset(name.strip("[]") for name in LOOPBACK_NAMES)
_PASSED_ON: Final = frozenset(
    (b"forwarded", b"via", b"x-real-ip", *(b"x-forwarded-" + what for what in (b"for", b"host", b"proto", b"port", b"server")))
)  # headers of proxies
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")

Connection = ASGIConnection[Any, Any, Any, Any]


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """The sender of a request: a user, their org, and what they may do."""

    user: User
    org: Org
    scopes: frozenset[Scope]
    session: BrowserSession | None = None  # exactly one of session and token is set
    token: Token | None = None
    csrf: str = ""  # the CSRF token of this session's forms

    @property
    def role(self) -> Role:
        """Their role in the org."""
        return self.user.role

    def may(self, role: Role, *scopes: Scope) -> bool:
        """Whether they have at least this role, and one of these scopes."""
        return _RANKS[self.role] >= _RANKS[role] and not self.scopes.isdisjoint(scopes)


class Guard(ABC):
    """The condition under which a route is accessible."""

    unsafe_allowed = True  # may be used on routes that change something

    @abstractmethod
    async def __call__(self, connection: Connection, _handler: BaseRouteHandler) -> None:
        """Return, or raise."""


class Needs(Guard):
    """Requires a user with a role, and for a token also a scope."""

    def __init__(self, role: Role, *scopes: Scope) -> None:
        self.role = role
        self.scopes = scopes

    async def __call__(self, connection: Connection, _handler: BaseRouteHandler) -> None:
        """Identify the sender, then check role and scope."""
        identity = await identified(connection)
        if identity is None:
            raise NotAuthorizedException(detail="sign in, or send a token: Authorization: Bearer dl_...")
        if not self.admits(identity):
            raise PermissionDeniedException(detail=f"needs the role {self.role} and the scope {' or '.join(self.scopes)}")
        if identity.session is not None and connection.scope.get("method") not in SAFE_METHODS:
            await check_form(connection, identity.csrf)
        connection.scope["user"] = identity

    def admits(self, identity: Identity) -> bool:
        """Whether they have the role and a scope."""
        return identity.may(self.role, *self.scopes)


class Public(Guard):
    """Open to everybody, for reading."""

    unsafe_allowed = False

    async def __call__(self, connection: Connection, _handler: BaseRouteHandler) -> None:
        """Always allowed."""


class Visitor(Guard):
    """Open to everybody with a form that was served by us."""

    async def __call__(self, connection: Connection, _handler: BaseRouteHandler) -> None:
        """The visitor's cookie and the form's token must match."""
        if connection.scope.get("method") not in SAFE_METHODS:
            secret = connection.cookies.get(VISITOR_COOKIE, "")
            await check_form(connection, csrf_token(secret) if secret else "")


class Operator(Needs):
    """The operator: anybody on this machine while it listens on loopback only, else an owner of the operator's own org."""

    async def __call__(self, connection: Connection, handler: BaseRouteHandler) -> None:
        """Only the operator: the route concerns all orgs."""
        if _from_this_machine(connection):
            return
        await super().__call__(connection, handler)
        if connection.scope["user"].org.id != DEFAULT_ORG:
            raise PermissionDeniedException(detail="only for the operator")


public: Final = Public()
visitor: Final = Visitor()
viewer: Final = Needs("viewer", "read")
editor: Final = Needs("editor", "write")
pusher: Final = Needs("editor", "push", "write")
owner: Final = Needs("owner", "admin")
operator: Final = Operator("owner", "read", "admin")


async def identified(connection: Connection) -> Identity | None:
    """The user of the token or session; an invalid token is nobody, whatever the cookie says."""
    app: App = connection.app.state.driftline
    given = first_header(connection.scope, b"authorization")
    if given is not None:
        scheme, _, secret = given.partition(" ")
        if scheme.lower() != "bearer":
            return None
        return await by_token(app, secret.strip())
    cookie = connection.cookies.get(SESSION_COOKIE)
    if not cookie:
        return None
    hashed, at = stored(cookie), app.clock.now()

    def find(store: Session) -> Identity | None:
        found = sessions.signed_in(store.tx, hashed, at=at)
        if found is None:
            return None
        session, user, org = found
        return Identity(user=user, org=org, scopes=frozenset(SCOPES), session=session, csrf=csrf_token(cookie))

    return await app.store.read(find)


async def by_token(app: App, secret: str) -> Identity | None:
    """The holder of a token."""
    at = app.clock.now()
    hashed = stored(secret)

    def find(store: Session) -> Identity | None:
        found = tokens.holder(store.tx, hashed, at=at)
        if found is None:
            return None
        token, user, org = found
        return Identity(user=user, org=org, scopes=frozenset(token.scopes), token=token)

    identity = await app.store.read(find)
    if identity is not None and identity.token is not None and tokens.worth_noting(identity.token, at=at):
        token = identity.token
        await app.store.write(lambda store: store.org(token.org_id).tokens.note_use(token, at=at))
    return identity


def _from_this_machine(connection: Connection) -> bool:
    """Whether only this machine can have sent it: neither settings nor headers tell of a proxy, which passes on strangers."""
    settings = connection.app.state.driftline.settings
    public = urlsplit(settings.public_url).hostname
    behind_proxy = bool(settings.web_proxies or settings.web_hosts or (public and public not in _LOOPBACK_HOSTS))
    passed_on = any(name in _PASSED_ON for name, _ in connection.scope["headers"])
    named = requested_host(connection.scope) in LOOPBACK_NAMES
    return bool(connection.app.state.loopback) and named and not behind_proxy and not passed_on


async def check_form(connection: Connection, expected: str) -> None:
    """Check that an unsafe browser request comes from our own page: Origin and CSRF token."""
    if not same_origin(connection):
        raise PermissionDeniedException(detail="the request comes from another site")
    given = connection.headers.get(CSRF_HEADER, "")
    if not given and isinstance(connection, Request) and connection.content_type[0] in _FORMS:
        field = (await connection.form()).get(CSRF_FIELD, "")
        given = field if isinstance(field, str) else ""
    if not expected or not same(given, expected):
        raise PermissionDeniedException(detail="the form has expired. Load the page again")


def same_origin(connection: Connection) -> bool:
    """Whether the Origin header matches the requested host or the public address."""
    origin = connection.headers.get("origin")
    if not origin:
        return False
    parts = urlsplit(origin)
    if parts.scheme not in ("http", "https"):
        return False
    public = urlsplit(connection.app.state.driftline.settings.public_url)
    host = connection.headers.get("host", "")
    ours = bool(public.netloc) and (parts.scheme, parts.netloc) == (public.scheme, public.netloc)
    return ours or parts.netloc == host


def refuse_unguarded(web: Litestar) -> None:
    """Refuse to start if a route has no guard, or a route that changes something is public."""
    for route in web.routes:
        if not isinstance(route, HTTPRoute):
            raise DriftlineError("a route of this kind cannot be guarded", path=route.path)
        for handler in route.route_handlers:
            if handler.http_methods == {"OPTIONS"}:
                continue  # made by the framework; only lists the methods
            guards = [guard for guard in guards_of(handler) if isinstance(guard, Guard)]
            if not guards:
                raise DriftlineError("route without a guard", path=route.path, hint="give it guards=[...] of web.auth")
            if handler.http_methods - SAFE_METHODS and not all(guard.unsafe_allowed for guard in guards):
                raise DriftlineError("route that changes something is public", path=route.path, hint="use `visitor`")


def guards_of(handler: HTTPRouteHandler) -> Iterable[object]:
    """The guards of a handler, or of its router or controller."""
    for layer in handler.ownership_layers:
        yield from layer.guards or ()
