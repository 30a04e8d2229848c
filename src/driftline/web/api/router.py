"""The router of all resources under /api/v1."""

from __future__ import annotations

from typing import Final

from litestar import Router

from driftline.web.api import (
    access,
    accounts,
    changes,
    channels,
    deliveries,
    feeds,
    items,
    previews,
    runs,
    search,
    subscriptions,
    transfer,
    versions,
    watches,
)

PREFIX: Final = "/api/v1"
RESOURCES: Final = (
    watches,
    previews,
    runs,
    changes,
    search,
    items,
    versions,
    feeds,
    access,
    accounts,
    channels,
    subscriptions,
    deliveries,
    transfer,
)


def api_router() -> Router:
    """Everything under /api/v1."""
    return Router(
        PREFIX,
        route_handlers=[
            Router("/", route_handlers=list(resource.ROUTES), tags=[resource.__name__.rpartition(".")[2]])
            for resource in RESOURCES
        ],
    )
