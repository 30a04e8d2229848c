"""The OpenAPI document, generated from the routes and msgspec's schemas, so that it matches what is accepted and returned."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any, Final, get_args, get_origin
from uuid import UUID

import msgspec
from litestar import Litestar, Request, Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.response import ServerSentEvent, Stream
from litestar.routes import HTTPRoute
from litestar.typing import FieldDefinition

from driftline.web.auth.guards import Guard, Needs, guards_of, public
from driftline.web.auth.request_context import KEY_HEADER
from driftline.web.problems import MEDIA_TYPE, Problem

PREFIX: Final = "/api/v1"
VERSION: Final = "1"
_REF: Final = "#/components/schemas/{name}"
_NOT_PARAMETERS: Final = frozenset({"caller", "request", "data"})  # arguments that are no request parameters
_PATH: Final = re.compile(r"{(\w+):(\w+)}")
_BOUNDS: Final = {"ge": "minimum", "le": "maximum", "max_length": "maxLength", "min_length": "minLength"}


@get(f"{PREFIX}/openapi.json", guards=[public], include_in_schema=False)
async def openapi_json(request: Request[Any, Any, Any]) -> Response[bytes]:
    """What this API can do."""
    state = request.app.state
    if "openapi" not in state:
        state.openapi = document(request.app)
    return Response(state.openapi, media_type="application/json")


def document(web: Litestar) -> bytes:
    """The whole document, always in the same order."""
    operations = sorted(_operations(web), key=lambda found: (found[0], found[1]))
    names = {_type_key(one): one for _, _, handler in operations for one in _types(handler)} | {_type_key(Problem): Problem}
    kinds = [names[key] for key in sorted(names)]
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_REF)
    schema_of = {_type_key(kind): schema for kind, schema in zip(kinds, schemas, strict=True)}
    paths: dict[str, dict[str, Any]] = {}
    for path, verb, handler in operations:
        paths.setdefault(path, {})[verb] = _operation(handler, schema_of)
    whole = {
        "openapi": "3.1.0",
        "info": {
            "title": "driftline",
            "version": VERSION,
            "description": "Watch web pages, shops, booking pages and sitemaps, and get notified of real changes.",
        },
        "servers": [{"url": PREFIX}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "made by `driftline token add`"}},
        },
    }
    return msgspec.json.format(msgspec.json.encode(whole), indent=1) + b"\n"


def _operations(web: Litestar) -> Iterator[tuple[str, str, HTTPRouteHandler]]:
    for route in web.routes:
        if isinstance(route, HTTPRoute) and route.path.startswith(f"{PREFIX}/"):
            for handler in route.route_handlers:
                if handler.resolve_include_in_schema():
                    path = _PATH.sub(r"{\1}", route.path.removeprefix(PREFIX))
                    yield from ((path, verb.lower(), handler) for verb in handler.http_methods)


def _types(handler: HTTPRouteHandler) -> Iterator[Any]:
    fields = handler.parsed_fn_signature.parameters
    yield from (field.annotation for field in _parameters(handler))
    if "data" in fields:
        yield fields["data"].raw
    shown = _shown(handler)
    if shown is not None:
        yield shown


def _shown(handler: HTTPRouteHandler) -> Any:
    """The type that is returned as JSON; None if there is none."""
    kind = handler.parsed_fn_signature.return_type.annotation
    if get_origin(kind) is Response:
        kind = get_args(kind)[0]
    return None if kind in (None, type(None), Stream, ServerSentEvent, str, bytes) else kind


def _parameters(handler: HTTPRouteHandler) -> Iterator[FieldDefinition]:
    return (field for name, field in handler.parsed_fn_signature.parameters.items() if name not in _NOT_PARAMETERS)


def _operation(handler: HTTPRouteHandler, schema_of: dict[Any, Any]) -> dict[str, Any]:
    fields = handler.parsed_fn_signature.parameters
    parameters = [_parameter(handler, field, schema_of) for field in _parameters(handler)]
    status = handler.status_code
    if status == 201:
        parameters.append(
            {
                "name": KEY_HEADER,
                "in": "header",
                "description": "the same request again with the same key makes nothing twice",
                "schema": {"type": "string", "minLength": 1, "maxLength": 255},
            }
        )
    operation: dict[str, Any] = {
        "operationId": handler.handler_name,
        "summary": handler.summary,
        "description": inspect.getdoc(handler.fn),
        "tags": sorted(handler.resolve_tags()),
        "parameters": parameters,
        "responses": {
            str(status): _answer(handler, schema_of),
            "default": {
                "description": "refused; says why",
                "content": {MEDIA_TYPE: {"schema": schema_of[_type_key(Problem)]}},
            },
        },
    }
    if "data" in fields:
        body = {"application/json": {"schema": schema_of[_type_key(fields["data"].raw)]}}
        operation["requestBody"] = {"required": True, "content": body}
    elif "body" in handler.opt:
        operation["requestBody"] = handler.opt["body"]
    if who := _who(handler):
        operation["x-needs"] = who
    else:
        operation["security"] = []
    return operation


def _answer(handler: HTTPRouteHandler, schema_of: dict[Any, Any]) -> dict[str, Any]:
    shown = _shown(handler)
    content: dict[str, Any] = {}
    if shown is not None:
        content["application/json"] = {"schema": schema_of[_type_key(shown)]}
    elif handler.status_code != 204:
        content[str(handler.media_type)] = {"schema": {"type": "string"}}
    content |= {media: {"schema": {"type": "string"}} for media in handler.opt.get("also", ())}
    return {"description": "done", **({"content": content} if content else {})}


def _parameter(handler: HTTPRouteHandler, field: FieldDefinition, schema_of: dict[Any, Any]) -> dict[str, Any]:
    kwarg: Any = field.kwarg_definition
    schema = dict(schema_of[_type_key(field.annotation)])
    bounds = {ours: getattr(kwarg, theirs) for theirs, ours in _BOUNDS.items() if getattr(kwarg, theirs, None) is not None}
    if bounds and "anyOf" in schema:  # optional ones: the bounds apply to the value, not to null
        schema["anyOf"] = [one | bounds if one != {"type": "null"} else one for one in schema["anyOf"]]
    else:
        schema |= bounds
    in_path = any(f"{{{field.name}:" in path for path in handler.paths)
    found = {
        "name": getattr(kwarg, "name", None) or field.name,
        "in": "path" if in_path else "query",
        "required": in_path,
        "schema": _without_null(schema),
    }
    if described := getattr(kwarg, "description", None):
        found["description"] = described
    return found


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without null: a query leaves a parameter out instead."""
    kept = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if "anyOf" not in schema:
        return schema
    rest = {name: value for name, value in schema.items() if name not in ("anyOf", "default")}
    return rest | (kept[0] if len(kept) == 1 else {"anyOf": kept})


def _who(handler: HTTPRouteHandler) -> str:
    needs = [guard for guard in guards_of(handler) if isinstance(guard, Guard)]
    found = next((guard for guard in needs if isinstance(guard, Needs)), None)
    return f"{found.role}, {' or '.join(found.scopes)}" if found else ""


def _type_key(kind: Any) -> str:
    """A hashable key for a type."""
    return "uuid" if kind is UUID else repr(kind)


ROUTES = (openapi_json,)
