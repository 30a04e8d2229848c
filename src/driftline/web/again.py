"""The same question again: where the database still says what it said, the answer is what it was.

Whatever a list shows is made of the request, of the time, and of what the database says: who asks, the rows, what stands around
them. So when a question comes a second time, its answer is kept for a minute with all that the database said for it. Who asks
the same then, down to the last header, has it asked again; only if every row is as it was is the answer given again, and
nothing has to be decoded, drawn or written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from litestar import Litestar
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from driftline.errors import DriftlineError
from driftline.store.database import Tx
from driftline.store.heard import Heard, listening
from driftline.web.auth import Identity
from driftline.wiring import App

AGAIN: Final = "again"  # what a route says of itself that may be answered so: it shows the database's rows and nothing else
KEPT_FOR: Final = timedelta(minutes=1)  # so much older may "a minute ago" be, until the page's script has looked at the clock
_KEPT_AT_MOST: Final = 64  # answers
_BODY_AT_MOST: Final = 256 * 1024  # bytes
_ROWS_AT_MOST: Final = 256 * 1024  # bytes of what the database said for it
_QUICK: Final = 0.001  # seconds of a database in a file that are not worth another thread
_LONG: Final = 0.005  # seconds: to ask such a thing in vain costs more than is saved


class _Kept(NamedTuple):
    heard: Heard
    until_at: datetime
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


class Again:
    """Around the routes, behind the front."""

    def __init__(self, inner: ASGIApp, app: App, web: Litestar) -> None:
        self._inner = inner
        self._app = app
        self._paths = re.compile("|".join(_patterns(web)))
        self._kept: dict[Any, _Kept | None] = {}  # the oldest first; None: it was asked once

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An answer that still holds, or a new one."""
        if scope["type"] != ScopeType.HTTP or not self._may(scope):
            await self._inner(scope, receive, send)
            return
        asked = (scope["path"], scope["query_string"], tuple([(name, value) for name, value in scope["headers"]]))
        known = asked in self._kept
        kept = self._kept.pop(asked, None)
        if kept is not None and self._app.clock.now() < kept.until_at and await self._holds(kept):
            self._keep(asked, kept)
            await send({"type": "http.response.start", "status": 200, "headers": kept.headers})
            await send({"type": "http.response.body", "body": kept.body, "more_body": False})
        elif known and kept is None:
            self._keep(asked, await self._listened(scope, receive, send))
        else:  # for the first time, or nothing is as it was: to listen takes time, and may be in vain
            self._keep(asked, None)
            await self._inner(scope, receive, send)

    async def _listened(self, scope: HTTPScope, receive: Receive, send: Send) -> _Kept | None:
        """A new answer, to be kept."""
        heard, taken, at = Heard(), _Taken(send), self._app.clock.now()
        mark = listening.set(heard)
        try:
            await self._inner(scope, receive, taken)
        finally:
            listening.reset(mark)
        identity = scope.get("user")
        if not isinstance(identity, Identity) or not taken.whole or not heard.whole:
            return None
        if heard.took > _LONG or heard.weight() > _ROWS_AT_MOST:
            return None
        return _Kept(heard, _until(identity, at), taken.headers, taken.body)

    def _keep(self, asked: Any, kept: _Kept | None) -> None:
        self._kept[asked] = kept
        if len(self._kept) > _KEPT_AT_MOST:
            del self._kept[next(iter(self._kept))]

    def forget(self) -> None:
        """Everything."""
        self._kept.clear()

    def _may(self, scope: HTTPScope) -> bool:
        return scope["method"] == "GET" and self._paths.fullmatch(scope["path"]) is not None

    async def _holds(self, kept: _Kept) -> bool:
        def compare(tx: Tx) -> bool:
            return kept.heard.holds(tx.connection)

        try:
            return await self._app.store.database.read(compare, brief=kept.heard.took < _QUICK)
        except DriftlineError:
            return False  # whoever asks anew is told why


class _Taken:
    """Passes an answer on, and keeps it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._status = 0
        self.headers: tuple[tuple[bytes, bytes], ...] = ()
        self.body = b""
        self.whole = False

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self.headers = tuple([(name, value) for name, value in message.get("headers", ())])
        elif not self.body:
            self.body = message.get("body", b"")
            fits = 0 < len(self.body) <= _BODY_AT_MOST and not message.get("more_body")
            self.whole = fits and self._status == HTTPStatus.OK and not any(name == b"set-cookie" for name, _ in self.headers)
        else:
            self.whole = False
        await self._send(message)


def _until(identity: Identity, at: datetime) -> datetime:
    """A session or a token that ends sooner ends this too."""
    holder = identity.session or identity.token
    ends_at = holder.expires_at if holder is not None else None
    return min(at + KEPT_FOR, ends_at) if ends_at is not None else at + KEPT_FOR


def _patterns(web: Litestar) -> Iterable[str]:
    for route in web.routes:
        handlers = getattr(route, "route_handlers", ())
        if any(handler.opt.get(AGAIN) for handler in handlers):
            yield re.sub(r"\\\{[^}]*\\\}", "[^/]+", re.escape(route.path_format))
