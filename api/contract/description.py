"""What `/openapi.json` says beyond the routes themselves: who may ask, what follows from an answer, the shapes named in passing."""

from typing import Any

from fastapi.security import APIKeyCookie, HTTPBearer
from pydantic import BaseModel

from api.contract.responses import ForbiddenOut, ProblemOut, problems

BEARER = HTTPBearer(
    scheme_name="bearer", auto_error=False, description="An API key: `kb keys create --role curator` makes one."
)
SESSION = APIKeyCookie(
    name="kb_session",
    scheme_name="session",
    auto_error=False,
    description="A login on the page (behind TLS `__Host-kb_session`). What changes something also carries `X-CSRF-Token`.",
)
"""The two ways of being somebody. `api.access.entrance` reads them; here they are only told."""
_ANYBODY: list[dict[str, list[str]]] = [{}, {"bearer": []}, {"session": []}]
"""Nobody in particular, too: unless `KB_READING` is `key`."""
_ID = {"incident_id": "$response.body#/id"}
_OF_REVISION = _ID | {"header.If-Match": "$response.header.ETag"}
LINKS: dict[str, Any] = {
    **{
        name: {"operationId": name, "parameters": _ID} for name in ("incident", "revisions", "attach", "merges", "vote")
    },
    **{name: {"operationId": name, "parameters": _OF_REVISION} for name in ("replace", "retire", "move", "restore")},
    "revision": {"operationId": "revision", "parameters": _ID | {"number": "$response.body#/revision"}},
    "comments": {"operationId": "comments", "parameters": _ID},
    "comment": {"operationId": "comment", "parameters": _ID},
    "reviewers": {"operationId": "reviewers", "parameters": _ID},
}
"""What can be done with an incident that was saved, by the names of the operations."""


def complete(document: dict[str, Any], *models: type[BaseModel]) -> dict[str, Any]:
    """The OpenAPI document with the schemas that are referred to by name (of problems, and of ``models``), and with who may ask."""
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    every: tuple[type[BaseModel], ...] = (ProblemOut, ForbiddenOut, *models)
    for model in every:
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(schema.pop("$defs", {}), **{model.__name__: schema})
    for operations in document["paths"].values():
        for operation in operations.values():
            operation["responses"] |= {str(status): response for status, response in problems(421).items()}
            if "401" in operation["responses"]:
                operation.setdefault("security", _ANYBODY)
    return document
