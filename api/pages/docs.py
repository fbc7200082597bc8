"""`/docs`: the API description, to read and to try: a page made of `/openapi.json`. Nothing is loaded from elsewhere."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.routing import BaseRoute

from api.access import Scope, needed_by
from api.access.entrance import is_open
from api.pages.rendering import shown
from api.server.service import TheService
from kb.store import Role
from kb.translatable import Translatable

router = APIRouter(include_in_schema=False)
Door = tuple[str, str]
"""Method and path of a route."""
_REF = "#/components/schemas/"
_METHODS = ("get", "post", "put", "delete")
_TAGS = ("search", "incidents", "writing", "revisions", "merges", "reviews", "feedback", "triage", "chat", "operations")
"""The order of the groups; any other comes behind."""


@dataclass(frozen=True, slots=True)
class DocumentedField:
    """A parameter, or a field of a body."""

    name: str
    place: str
    """``path``, ``query``, ``header`` or ``body``."""
    type: str
    is_required: bool
    description: str


@dataclass(frozen=True, slots=True)
class DocumentedRoute:
    """A route as the page shows it."""

    id: str
    method: str
    path: str
    summary: Translatable
    description: str
    fields: tuple[DocumentedField, ...]
    media: tuple[str, ...]
    """Of the body; none where there is no body."""
    example: str
    """A body to begin with."""
    responses: tuple[tuple[str, Translatable, str], ...]
    """Status, meaning, shape."""
    role: Role | None
    """What a caller must at least be; None: the route asks nobody who they are."""
    scope: Scope | None
    """What a key that is limited must be limited to."""


@router.get("/docs")
async def docs(request: Request, service: TheService) -> Response:
    """Show every route by group; with scripts each can be tried."""
    groups = await service.look_up(lambda: _groups(request.app))
    origin, takes_key = str(request.base_url).rstrip("/"), request.app.state.settings.reading == "key"
    return await shown(request, service, "docs.html", origin=origin, groups=groups, takes_key=takes_key)


@lru_cache(1)
def _groups(app: FastAPI) -> Mapping[str, tuple[DocumentedRoute, ...]]:
    """Return the routes of an app by their tag. There is one app in a process, and its routes stay."""
    document = app.openapi()
    needs = dict(_needs(app.routes))
    found: dict[str, list[DocumentedRoute]] = {tag: [] for tag in _TAGS}
    for path, operations in document["paths"].items():
        for method in _METHODS:
            if one := operations.get(method):
                found.setdefault(one["tags"][0], []).append(_route(document, method, path, one, needs))
    return {tag: tuple(routes) for tag, routes in found.items() if routes}


def _needs(routes: Iterable[BaseRoute]) -> Iterator[tuple[Door, tuple[Role | None, Scope | None]]]:
    """Yield each route with the role and the scope that it needs: by its own dependencies, and at the entrance of the service."""
    for route in routes:
        if isinstance(route, APIRoute):
            role, scope = needed_by(route.dependant)
            role = role or (None if is_open(route.path) else Role.READER)
            yield from (((method, route.path_format), (role, scope)) for method in route.methods or ())
        else:
            yield from _needs(getattr(getattr(route, "original_router", None), "routes", ()))


def _route(
    document: Mapping[str, Any], method: str, path: str, one: Mapping[str, Any], needs: Mapping[Door, Any]
) -> DocumentedRoute:
    content = one.get("requestBody", {}).get("content", {})
    body = _resolved(document, content.get("application/json", {}).get("schema", {}))
    parameters = tuple(
        DocumentedField(
            item["name"], item["in"], _type(item["schema"]), bool(item.get("required")), item.get("description", "")
        )
        for item in one.get("parameters", ())
    )
    example = next(iter(body.get("examples", ())), None)
    responses = tuple(
        (status, Translatable(item["description"]), _shape(item))
        for status, item in sorted(one["responses"].items())
        if status.startswith("2") or status in {"404", "409", "412", "428"}
    )
    return DocumentedRoute(
        one["operationId"],
        method.upper(),
        path,
        Translatable(one["summary"]),
        one.get("description", ""),
        (*parameters, *_of_body(body)),
        tuple(content),
        json.dumps(example, ensure_ascii=False, indent=1) if example else _skeleton(body),
        responses,
        *needs[method.upper(), path],
    )


def _of_body(schema: Mapping[str, Any]) -> Iterator[DocumentedField]:
    required = schema.get("required", ())
    for name, one in schema.get("properties", {}).items():
        yield DocumentedField(name, "body", _type(one), name in required, one.get("description", ""))


def _resolved(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    name = schema.get("$ref", "").removeprefix(_REF)
    found: Mapping[str, Any] = document["components"]["schemas"][name] if name else schema
    return found


def _type(schema: Mapping[str, Any]) -> str:
    """A schema in a few words: ``string``, ``list of string``, ``"zh" or "en"``."""
    if ref := schema.get("$ref"):
        return str(ref).removeprefix(_REF)
    if values := schema.get("enum"):
        return " or ".join(f'"{one}"' for one in values)
    if several := schema.get("anyOf"):
        return " or ".join(dict.fromkeys(_type(one) for one in several if one.get("type") != "null"))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "any"))


def _shape(response: Mapping[str, Any]) -> str:
    for media, one in response.get("content", {}).items():
        return _type(one.get("schema", {})) if media.endswith("json") else str(media)
    return ""


def _skeleton(body: Mapping[str, Any]) -> str:
    """The required fields of a body, empty; '' where there are none."""
    known = {"string": "", "integer": 1, "boolean": True, "array": [], "number": 0.5}
    fields = body.get("properties", {})
    made = {name: known.get(fields[name].get("type", ""), "") for name in body.get("required", ()) if name in fields}
    return json.dumps(made, indent=1) if made else ""
