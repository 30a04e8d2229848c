"""The OpenAPI document: what the code says, served and exported."""

from __future__ import annotations

from typing import Final

from litestar import Router
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme

from driftline.web.auth import public

VERSION: Final = "1"


def openapi_config() -> OpenAPIConfig:
    """The document without any page that would load scripts from elsewhere."""
    return OpenAPIConfig(
        title="driftline",
        version=VERSION,
        description="Watches web sources and tells people, and programs, what really changed.",
        security=[{"token": []}],
        components=Components(
            security_schemes={"token": SecurityScheme(type="http", scheme="bearer", description="`driftline token add`")}
        ),
        openapi_router=Router("/api/v1/schema", route_handlers=[], guards=[public], include_in_schema=False),
        render_plugins=[JsonRenderPlugin()],
    )
