"""Questions that came before: what their words ask is known, who asks and what the answer is are found out each time.

The framework finds the route of a list's address and reads and checks its parameters; for a list of a few rows that takes
longer than the rows do. It says the same of the same address every time, so it is asked once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from typing import Any, Final, NamedTuple, TypeVar

from litestar import Request, Response
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Guard, Receive, Scope, Send

from driftline.web.caller import Calling, Pace, encoded

T = TypeVar("T")

_AT_MOST: Final = 512  # questions
_LONGEST: Final = 512  # bytes of one
_HTML: Final = b"text/html; charset=utf-8"
_JSON: Final = b"application/json"


class _Question(NamedTuple):
    fn: Callable[..., Awaitable[Any]]
    guards: Sequence[Guard]
    handler: Any
    caller: type[Calling]
    pace: Pace
    given: dict[str, Any]  # its parameters, read and checked
    with_request: bool


class Questions:
    """Around the framework: it gets what is new, and everything that is not answered with a plain success."""

    def __init__(self, framework: ASGIApp) -> None:
        self._framework = framework
        self._known: dict[tuple[str, bytes], _Question] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is known."""
        asked = scope["type"] == ScopeType.HTTP and scope["method"] == "GET"
        question = self._known.get((scope["path"], scope["query_string"])) if asked else None
        answer = None if question is None else await _answered(question, Request(scope, receive, send))
        if answer is None:
            await self._framework(scope, receive, send)
            return
        media_type, body = answer
        headers = [(b"content-type", media_type), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})

    def note(self, request: Request[Any, Any, Any], fn: Callable[..., Awaitable[Any]], given: dict[str, Any]) -> None:
        """What the framework made of a question."""
        scope = request.scope
        asked = (scope["path"], scope["query_string"])
        if len(asked[0]) + len(asked[1]) > _LONGEST:
            return
        if len(self._known) >= _AT_MOST:
            del self._known[next(iter(self._known))]
        handler = scope["route_handler"]
        said = {name: value for name, value in given.items() if name not in ("request", "caller")}
        caller = type(given["caller"])
        self._known[asked] = _Question(fn, handler.resolve_guards(), handler, caller, Pace(), said, "request" in given)


async def _answered(question: _Question, request: Request[Any, Any, Any]) -> tuple[bytes, bytes] | None:
    try:
        for guard in question.guards:
            await guard(request, question.handler)  # type: ignore[misc]  # ours are asynchronous
        more = {"request": request} if question.with_request else {}
        answer = await question.fn(**question.given, **more, caller=question.caller(request, question.pace))
    except Exception:  # noqa: BLE001 - the framework comes to the same, and tells it
        return None
    if not isinstance(answer, Response):
        return _JSON, encoded(answer)
    return (_HTML, answer.content.encode()) if answer.status_code == 200 else None


def listing(fn: Callable[..., Awaitable[T]]) -> Callable[..., Awaitable[T]]:
    """A handler whose questions are noted: it reads, is asked often, and takes nothing from the request but its address."""

    @wraps(fn)
    async def noted(**given: Any) -> T:
        request = given["caller"].request
        request.app.state.questions.note(request, fn, given)
        return await fn(**given)

    return noted
