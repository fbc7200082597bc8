"""Ask the routes of the service on behalf of an agent's tool: one request each; a refusal becomes an error with its cure."""

from collections.abc import Mapping
from typing import Any

import httpx

from api.contract.jsontext import dump
from api.contract.problems import TYPE_PREFIX, HttpProblem
from api.mcp.json_rpc import without_lone_surrogates
from kb.client import Declined, Unreachable
from kb.client.protocol import answer_of

LARGEST = 4_000_000
"""Most bytes of an answer: a larger one is of no use to a model."""
_CURES = {
    401: "give this server a key that is in force: `Authorization: Bearer …` at /mcp, KB_KEY for `kb mcp`",
    403: "use a key of the role or the scope that is named",
    404: "take an id from search_incidents or from the list of resources",
    409: "get_incident shows what is there; another title makes another incident",
    413: "send the part around the error",
    422: "mend the argument that is named, and call again",
}
_LATER = frozenset((408, 429, 503))
_NAMED = frozenset((404, 409))


class Routes:
    """The routes on behalf of one caller. `Declined` when a route refuses, another KbError when no service of ours answers."""

    def __init__(self, client: httpx.AsyncClient, name: str) -> None:
        self._client = client
        self._name = name

    async def ask(self, method: str, path: str, *, body: object = None, params: Mapping[str, Any] | None = None) -> Any:
        """Call a route with a JSON body; return its JSON."""
        content = None if body is None else _body(body)
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        return self._answer(await self._sent(method, path, headers=headers, content=content, params=params))

    async def read(self, path: str, media: str) -> str:
        """Return the text of a route."""
        response = await self._sent("GET", path, headers={"Accept": media})
        if not response.is_success:
            self._answer(response)
        return response.content.decode("utf-8", "replace")

    async def _sent(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The response with texts that any JSON can carry, if it is not too large."""
        try:
            response = await self._client.request(method, path, **options)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(self._name, type(error).__name__) from error
        if len(response.content) > LARGEST:
            detail = f"What there is to say has {len(response.content):,} bytes; {LARGEST:,} are the most."
            raise declined(HttpProblem(413, "answer-too-large", detail))
        headers = {name: response.headers[name] for name in ("Retry-After",) if name in response.headers}
        return httpx.Response(response.status_code, headers=headers, content=without_lone_surrogates(response.content))

    def _answer(self, response: httpx.Response) -> dict[str, Any]:
        try:
            return answer_of(response, self._name)
        except Declined as error:
            raise _with_cure(error) from None


def declined(problem: HttpProblem) -> Declined:
    """Return a problem that was found before any route was called, in the form of a refusal by a route."""
    document = {"type": TYPE_PREFIX + problem.kind, "status": problem.status_code, "detail": problem.detail}
    errors = {"errors": list(problem.errors)} if problem.errors else {}
    return _with_cure(Declined(problem.status_code, document | errors))


def _with_cure(error: Declined) -> Declined:
    """Give a refusal the cure that an agent can apply."""
    wait = "try again later" if error.retry_after is None else f"try again in {error.retry_after:g} s"
    if error.status in _NAMED:
        error.problem = error.problem.partition(" — ")[0]  # a route's own cure is for people who write requests
    error.cure = _CURES.get(error.status, wait if error.status in _LATER else "see the service's log")
    return error


def _body(document: object) -> bytes:
    """Encode the body. Problem 422 for what JSON cannot express."""
    try:
        return dump(document)
    except (ValueError, RecursionError):  # NaN, a number of too many digits, too many levels
        detail = "The arguments hold a number or a depth that JSON cannot carry."
        raise HttpProblem(422, "invalid-request", detail) from None
