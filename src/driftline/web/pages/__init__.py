"""The dashboard: server-rendered pages over the same data, and the same rules, as the API."""

from __future__ import annotations

from collections.abc import Sequence

from litestar import Router
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from driftline.web.pages import (
    add_watch,
    bookings,
    changes,
    deliveries,
    edit_watch,
    failing,
    items,
    runs,
    search,
    settings,
    sign_in,
    versions,
    watch,
    watches,
)
from driftline.web.pages.parts.reader import provide_reader
from driftline.wiring import App

_PARTS = (changes, search, watches, add_watch, watch, edit_watch, runs, items, versions, bookings, deliveries, settings)


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
