"""The router of all resources under /api/v1."""

from __future__ import annotations

from typing import Final

from litestar import Router

from driftline.web.api.accounts import access, org, vault
from driftline.web.api.delivery import channels, deliveries, subscriptions
from driftline.web.api.results import changes, feeds, items, runs, search, versions
from driftline.web.api.watching import conditions, previews, tags, transfer, watches

PREFIX: Final = "/api/v1"
RESOURCES: Final = (
    watches,
    conditions,
    tags,
    previews,
    runs,
    changes,
    search,
    items,
    versions,
    feeds,
    access,
    org,
    vault,
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
