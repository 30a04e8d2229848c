"""The web application: API, dashboard and operations around one driftline.

The dashboard offers its routes as `driftline.web.pages.routes(app)`. Handlers ask for `caller: Caller` and get the org's data
through it; forms carry `caller.identity.csrf` as the field `_csrf`, scripts send it as the header `X-CSRF-Token`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from ipaddress import ip_address
from urllib.parse import urlsplit

from litestar import Litestar
from litestar.datastructures import State
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from driftline.web import problems
from driftline.web.api import operations
from driftline.web.api.router import api_router
from driftline.web.api.schema import ROUTES as SCHEMA_ROUTES
from driftline.web.auth import sign_in_forms
from driftline.web.auth.guards import refuse_unguarded
from driftline.web.auth.request_context import provide_caller
from driftline.web.auth.sign_in import SignIn
from driftline.web.events import Events
from driftline.web.mcp.http import serve_tools
from driftline.web.metrics import Metrics
from driftline.web.request_limits import LARGE_BODY_AT_MOST, RequestLimits
from driftline.web.security_headers import LOOPBACK_NAMES, SecurityHeaders
from driftline.web.step_recordings import StepRecordings
from driftline.wiring import App


def create_app(
    app: App, *, bound_to: str = "127.0.0.1", pages: bool = True, more: Sequence[ControllerRouterHandler] = ()
) -> Litestar:
    """The complete web application; refuses to start with a route without a guard."""
    metrics = Metrics()
    events, recordings = Events(app.store, app.clock), StepRecordings()
    routes: list[ControllerRouterHandler] = [
        *operations.ROUTES,
        *SCHEMA_ROUTES,
        *sign_in_forms.ROUTES,
        api_router(),
        serve_tools,
        *more,
    ]
    handlers = dict(problems.HANDLERS)
    if pages:
        from driftline.web.pages import routes as pages_of  # noqa: PLC0415 - loads Jinja, which an API alone does not need
        from driftline.web.pages.public.failing import NOT_FOUND  # noqa: PLC0415 - likewise

        routes += pages_of(app)
        handlers |= NOT_FOUND
    web = Litestar(
        route_handlers=routes,
        dependencies={"caller": Provide(provide_caller)},
        exception_handlers=handlers,
        openapi_config=None,
        request_max_body_size=LARGE_BODY_AT_MOST,
        lifespan=[_closing(events, recordings)],
        logging_config=None,
        state=State(
            {
                "driftline": app,
                "loopback": is_loopback(bound_to),
                "metrics": metrics,
                "events": events,
                "recordings": recordings,
                "sign_in": SignIn(app),
                "tool_calls": Counter(),  # of programs, by org
                "stopping": False,
            }
        ),
    )
    refuse_unguarded(web)
    https = app.settings.public_url.startswith("https://")
    web.asgi_handler = SecurityHeaders(
        RequestLimits(web.asgi_handler), hosts=_hosts(app, bound_to), https=https, observe=metrics.answered
    )
    return web


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _hosts(app: App, bound_to: str) -> set[str]:
    """The names under which we may be asked for: what the operator named, and this machine. Anything else is DNS rebinding."""
    public = urlsplit(app.settings.public_url).hostname
    named = {*LOOPBACK_NAMES, *app.settings.web_hosts, *([public] if public else [])}
    if bound_to not in ("0.0.0.0", "::", ""):  # noqa: S104 - compared, not bound
        named.add(f"[{bound_to}]" if ":" in bound_to else bound_to)
    return named


def _closing(events: Events, recordings: StepRecordings) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_web: Litestar) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await events.close()
            await recordings.close()

    return lifespan
