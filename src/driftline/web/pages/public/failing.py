"""Error pages: what is wrong and what to do, with nothing of the request unescaped."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException
from litestar.types import ExceptionHandlersMap

from driftline.errors import DriftlineError, NotFound
from driftline.web.pages.parts.rendering import page, to
from driftline.web.problems import answer, problem_of

log = logging.getLogger(__name__)

_TITLES: Final = {
    403: "Not allowed",
    404: "Page not found",
    405: "Not allowed here",
    409: "Not possible now",
    413: "Too large",
    429: "Too many requests",
    503: "The database cannot be reached",
}


_TEXTS: Final = {404: "Check the address. The page may have been removed."}  # where the error has no words of its own


class ErrorNotice(msgspec.Struct, frozen=True, kw_only=True):
    """The text of an error page."""

    title: str
    context: str = ""
    hint: str = ""


def error_notice(error: DriftlineError) -> ErrorNotice:
    """The error in words."""
    details = ", ".join(str(value) if name == "ref" else f"{name} {value}" for name, value in error.details.items())
    return ErrorNotice(title=error.message[:1].upper() + error.message[1:], context=details[:500], hint=_sentence(error.hint))


def refuse(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """An error page; whoever is not signed in is redirected to the sign-in page."""
    problem = problem_of(error)
    if problem.status == HTTPStatus.UNAUTHORIZED:
        return to("/sign-in")
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.error("page failed", exc_info=error, extra={"path": request.url.path})
    if isinstance(error, NotFound) and "ref" in error.context:  # an address that leads nowhere: no command helps here
        text = f"{error.message[:1].upper()}{error.message[1:]}. It may have been removed, or has expired."
        return page(request, "problem.html", status=problem.status, title=_TITLES[404], text=text, hint="")
    notice = error_notice(error) if isinstance(error, DriftlineError) else None
    title = _TITLES.get(problem.status) or (notice.title if notice else problem.title)
    text = f"{notice.title}{': ' + notice.context if notice.context else ''}." if notice and title != notice.title else ""
    return page(
        request,
        "problem.html",
        status=problem.status,
        title=title,
        text=text or _TEXTS.get(problem.status) or problem.detail,
        hint=_sentence(problem.hint),
    )


def not_found(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    """An unknown address: a page for people, problem details for programs."""
    if request.url.path.startswith("/api/"):
        return answer(request, error)
    return refuse(request, error)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text and not text.endswith((".", "?")) else text


NOT_FOUND: Final[ExceptionHandlersMap] = {NotFoundException: not_found, MethodNotAllowedException: not_found}
HANDLERS: Final[ExceptionHandlersMap] = {HTTPException: refuse, DriftlineError: refuse, Exception: refuse}
