"""The dashboard: server-rendered pages over the same data, and the same rules, as the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from litestar import Request, Router
from litestar.types import ControllerRouterHandler

from driftline.web.auth import Identity
from driftline.web.pages import adding, boards, changes, deliveries, entrance, items, runs, settings, troubles, watch, watches
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
            before_request=_note_dead_letters,
            include_in_schema=False,
        ),
    ]


async def _note_dead_letters(request: Request[Any, Any, Any]) -> None:
    """How many letters wait for a person: every page says so beside their place."""
    identity = request.scope.get("user")
    if isinstance(identity, Identity) and request.method == "GET":
        org_id = identity.org.id
        store = request.app.state.driftline.store
        request.state.dead_letters = await store.read(lambda session: session.org(org_id).deliveries.dead())
