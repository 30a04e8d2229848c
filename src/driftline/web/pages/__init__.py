"""The dashboard: server-rendered pages over the same data, and the same rules, as the API."""

from __future__ import annotations

from collections.abc import Sequence

from litestar import Router
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from driftline.web.pages import deliveries, settings, vault
from driftline.web.pages.notifying import channel_templates, subscriptions, transfer
from driftline.web.pages.parts.reader import provide_reader
from driftline.web.pages.public import failing, sign_in
from driftline.web.pages.results import bookings, changes, items, pictures, recent, runs, search, versions
from driftline.web.pages.watching import add_watch, edit_watch, picker, recorder, tags, watch, watches
from driftline.wiring import App

_WATCHES = (watches, tags, add_watch, watch, edit_watch, picker, recorder)
_RESULTS = (recent, changes, pictures, search, runs, items, versions, bookings)
_NOTIFYING = (subscriptions, transfer, channel_templates)
_PARTS = (*_RESULTS, *_WATCHES, *_NOTIFYING, deliveries, settings, vault)


def routes(_app: App) -> Sequence[ControllerRouterHandler]:
    """The routes of every page, and of the sign-in forms, which share a path."""
    return [
        *sign_in.ROUTES,
        Router(
            "/",
            route_handlers=[route for part in _PARTS for route in part.ROUTES],
            exception_handlers=failing.HANDLERS,
            dependencies={"caller": Provide(provide_reader)},
            include_in_schema=False,
        ),
    ]
