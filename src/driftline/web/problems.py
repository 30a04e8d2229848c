"""Errors as problem details (RFC 9457), without internal details."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.types import ExceptionHandlersMap

from driftline.core.answers.invalid_value import did_you_mean
from driftline.engine.editing.watch_input import WatchInput
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
from driftline.model.browser.steps import STEPS
from driftline.model.fetch import FetchOptions
from driftline.model.watch import Schedule

log = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"
_WRONG_NAME: Final = re.compile(r"(?:unknown field `|Invalid value ')(?P<name>[^`']*)[`']")
_NUMBERED: Final = re.compile(r"\[\d+\]")
_LONGEST_NAME: Final = 60
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
    hint: str = ""  # the name that was probably meant


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
    message, key = str(extra.get("message", "")), str(extra.get("key", ""))
    return Flaw(message=message, key=key, source=str(extra.get("source", "")), hint=_nearest(message, key))


def _nearest(message: str, key: str) -> str:
    """The right name nearest to a wrong one, where it stands for a field of a watch or for a step."""
    wrong = _WRONG_NAME.search(message)
    place = _NUMBERED.sub("", key).rpartition("fetch")
    if wrong is None or (len(wrong["name"]) > _LONGEST_NAME):
        return ""
    names: Iterable[str] = ()
    match place[1] + place[2]:
        case "fetch":
            names = FetchOptions.__struct_fields__
        case "fetch.steps":
            names = dict.fromkeys(field for step in STEPS.values() for field in (*step.__struct_fields__, "do"))
        case "fetch.steps.do":
            names = STEPS
        case "" if key in ("", "schedule"):
            names = Schedule.__struct_fields__ if key else WatchInput.__struct_fields__
    return did_you_mean(wrong["name"], names) or (f"use one of: {', '.join(names)}" if names is STEPS else "")


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
