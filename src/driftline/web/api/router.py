"""All resources under one roof."""

from __future__ import annotations

from typing import Final

from litestar import Router
from litestar.datastructures import ResponseHeader
from litestar.openapi.datastructures import ResponseSpec

from driftline.web.api import watches
from driftline.web.problems import Problem

PREFIX: Final = "/api/v1"
_REFUSALS: Final = {
    400: "the request cannot be understood",
    401: "nobody knows who asks",
    403: "understood, and not for you",
    404: "no such thing in this org",
    405: "no such verb here",
    409: "understood, and not possible now",
    413: "too large",
    415: "not a type that is read here",
    422: "the words are off; nothing was written",
    429: "too often",
    503: "the store is away; try again",
}


def api_router() -> Router:
    """Everything under /api/v1."""
    return Router(
        PREFIX,
        route_handlers=[*watches.ROUTES],
    )
