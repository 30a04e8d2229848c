"""The dashboard: server-rendered pages over the same data, and the same rules, as the API."""

from __future__ import annotations

from collections.abc import Sequence

from litestar import Router
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from driftline.web.pages import adding, boards, changes, deliveries, entrance, items, runs, settings, troubles, watch, watches
from driftline.web.pages.reader import provide_reader
from driftline.wiring import App

_PARTS = (changes, watches, adding, watch, runs, items, boards, deliveries, settings)


def routes(_app: App) -> Sequence[ControllerRouterHandler]:
    """Every page, under one roof; the entrance beside it, since the door's forms share its path."""
    return [
        *entrance.ROUTES,
        Router(
            "/",
            route_handlers=[route for part in _PARTS for route in part.ROUTES],
            exception_handlers=troubles.HANDLERS,
            dependencies={"caller": Provide(provide_reader)},
            include_in_schema=False,
        ),
    ]
