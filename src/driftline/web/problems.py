"""Errors as problem details (RFC 9457), without internal details."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.types import ExceptionHandlersMap

from driftline.errors import (
    Ambiguous,
    BadSetting,
    Busy,
    DriftlineError,
    NoSecretKey,
    NotFound,
    Refused,
    StoreUnavailable,
    UsageError,
)

log = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"
_STATUSES: Final[tuple[tuple[type[DriftlineError], int], ...]] = (
    (NotFound, 404),
    (Ambiguous, 409),
    (Refused, 409),
    (Busy, 429),
    (NoSecretKey, 409),  # everything else works without one, and whoever asks has to know
    (BadSetting, 500),
    (UsageError, 422),
    (StoreUnavailable, 503),
    (DriftlineError, 500),
)


class Flaw(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One error in a request."""

    message: str
    key: str = ""
    source: str = ""


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An error, with a hint on what to do."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = ""
    hint: str = ""
    context: dict[str, str] = {}
    errors: tuple[Flaw, ...] = ()


def status_of(error: DriftlineError) -> int:
    """The HTTP status of an error."""
    return next(status for kind, status in _STATUSES if isinstance(error, kind))


def problem_of(error: Exception) -> Problem:
    """The problem of an exception; an unexpected one reveals nothing."""
    match error:
        case DriftlineError():
            status = status_of(error)
            if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                return _plain(status)
            return Problem(
                title=error.message,
                status=status,
                hint=error.hint,
                context={name: str(value) for name, value in error.context.items()},
            )
        case HTTPException() if error.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
            flaws = error.extra if isinstance(error.extra, list) else []
            return Problem(
                title=HTTPStatus(error.status_code).phrase,
                status=error.status_code,
                detail=error.detail,
                errors=tuple(_flaw(one) for one in flaws),
            )
        case HTTPException():
            return _plain(error.status_code)
        case RecursionError():  # from the decoder: deeply nested brackets
            return Problem(title="Bad Request", status=400, detail="the body is nested too deeply")
        case UnicodeDecodeError():  # from the decoder
            return Problem(title="Bad Request", status=400, detail="the body is not UTF-8")
        case _:
            return _plain(HTTPStatus.INTERNAL_SERVER_ERROR)


def _plain(status: int) -> Problem:
    return Problem(title=HTTPStatus(status).phrase, status=status)


def _flaw(extra: Any) -> Flaw:
    if not isinstance(extra, dict):
        return Flaw(message=str(extra))
    return Flaw(message=str(extra.get("message", "")), key=str(extra.get("key", "")), source=str(extra.get("source", "")))


def answer(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    """The response to an exception."""
    problem = problem_of(error)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.error("request failed", exc_info=error, extra={"method": request.method, "path": request.url.path})
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    if problem.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="driftline"'
    return Response(problem, status_code=problem.status, media_type=MEDIA_TYPE, headers=headers)


HANDLERS: Final[ExceptionHandlersMap] = {HTTPException: answer, DriftlineError: answer, Exception: answer}
