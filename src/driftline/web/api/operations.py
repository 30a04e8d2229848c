"""For operators: health, readiness and metrics."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Request, Response, get

from driftline.errors import StoreError
from driftline.web.auth.guards import operator, public
from driftline.web.metrics import MEDIA_TYPE


class Readiness(msgspec.Struct, frozen=True, kw_only=True):
    """Whether requests can be served."""

    ready: bool
    problem: str = ""


@get("/healthz", guards=[public], include_in_schema=False)
async def healthz() -> dict[str, bool]:
    """The process runs."""
    return {"alive": True}


@get("/readyz", guards=[public], include_in_schema=False)
async def readyz(request: Request[Any, Any, Any]) -> Response[Readiness]:
    """The store answers."""
    if request.app.state.stopping:
        return Response(Readiness(ready=False, problem="stopping"), status_code=503)
    try:
        await request.app.state.driftline.store.read(lambda session: session.tx.row("SELECT 1"))
    except StoreError as error:
        return Response(Readiness(ready=False, problem=error.message), status_code=503)
    return Response(Readiness(ready=True))


@get("/metrics", guards=[operator], include_in_schema=False)
async def metrics(request: Request[Any, Any, Any]) -> Response[bytes]:
    """For Prometheus."""
    text = await request.app.state.metrics.text(request.app.state.driftline)
    return Response(text, media_type=MEDIA_TYPE)


ROUTES = (healthz, readyz, metrics)
