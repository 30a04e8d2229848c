"""Refusals as pages: what is wrong and what to do, in words, with nothing of the request in them unescaped."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException
from litestar.types import ExceptionHandlersMap

from driftline.errors import DriftlineError
from driftline.web.logs import path_shown
from driftline.web.pages.rendering import page, to
from driftline.web.problems import answer, problem_of

log = logging.getLogger(__name__)

_TITLES: Final = {
    403: "That is not for you",
    404: "There is nothing here",
    405: "That cannot be done here",
    409: "Not possible now",
    413: "That is too large",
    429: "Too often",
    503: "The database is away",
}


_TEXTS: Final = {404: "The address is mistyped, or what was here is gone."}  # where the error has no words of its own


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """What a page says of a refusal."""

    title: str
    context: str = ""
    hint: str = ""


def trouble_of(error: DriftlineError) -> Trouble:
    """The error in words."""
    told = ", ".join(f"{name} {value}" for name, value in error.context.items())
    return Trouble(title=error.message[:1].upper() + error.message[1:], context=told[:500], hint=_sentence(error.hint))


def refuse(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """A page for people; whoever is not signed in is led to the door."""
    problem = problem_of(error)
    if problem.status == HTTPStatus.UNAUTHORIZED:
        return to("/sign-in")
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.error("page failed", exc_info=error, extra={"path": path_shown(request.url.path)})
    told = trouble_of(error) if isinstance(error, DriftlineError) else None
    title = _TITLES.get(problem.status) or (told.title if told else problem.title)
    text = f"{told.title}{': ' + told.context if told.context else ''}." if told and title != told.title else ""
    return page(
        request,
        "problem.html",
        status=problem.status,
        title=title,
        text=text or _TEXTS.get(problem.status) or problem.detail,
        hint=_sentence(problem.hint),
    )


def nowhere(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    """An address that leads nowhere: a page with a way back for people, problem details for programs."""
    if request.url.path.startswith("/api/"):
        return answer(request, error)
    return refuse(request, error)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text and not text.endswith(".") else text


NOWHERE: Final[ExceptionHandlersMap] = {NotFoundException: nowhere, MethodNotAllowedException: nowhere}
HANDLERS: Final[ExceptionHandlersMap] = {HTTPException: refuse, DriftlineError: refuse, Exception: refuse}
