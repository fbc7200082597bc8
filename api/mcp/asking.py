"""The routes of the service as an agent's tools ask them, whoever answers: one request each, and what was declined as an error with its cure."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from api.incidents.door import Declined
from api.jsontext import dump
from api.mcp.bodies import whole
from api.problems import TYPE_PREFIX, Problem
from kb.errors import KbError

SECONDS = 60.0
LARGEST = 4_000_000
"""Bytes of an answer: what is larger is of no use to a model, and would be copied several times on its way."""
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
    """The routes, asked by somebody. `Declined` when something is not done, KbError when nobody answers."""

    def __init__(self, client: httpx.AsyncClient, name: str) -> None:
        self._client = client
        self._name = name

    async def ask(self, method: str, path: str, *, said: object = None, params: Mapping[str, Any] | None = None) -> Any:
        """What a route answers, in JSON; ``said`` is the body."""
        response = await self._send(method, path, "application/json", said, params)
        try:
            return json.loads(whole(response.content))
        except ValueError as error:
            raise self._stranger() from error

    async def read(self, path: str, media: str) -> str:
        """A text that a route answers."""
        response = await self._send("GET", path, media, None, None)
        return response.content.decode("utf-8", "replace")

    async def _send(
        self, method: str, path: str, accept: str, said: object, params: Mapping[str, Any] | None
    ) -> httpx.Response:
        headers = {"Accept": accept, "Content-Type": "application/json"}
        content = None if said is None else _body(said)
        try:
            response = await self._client.request(method, path, headers=headers, content=content, params=params)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            cure = "start it with `kb serve`, or unset KB_URL to search the home"
            raise KbError(f"no service answers at {self._name}: {type(error).__name__}", cure=cure) from error
        if not response.is_success:
            raise self._declined(response)
        if len(response.content) > LARGEST:
            detail = f"What there is to say has {len(response.content):,} bytes; {LARGEST:,} are the most."
            raise declined(Problem(413, "answer-too-large", detail))
        return response

    def _declined(self, response: httpx.Response) -> KbError:
        try:
            document = json.loads(whole(response.content))
        except ValueError:
            document = None
        if not isinstance(document, dict) or "detail" not in document:
            return self._stranger()
        return _with_cure(Declined(response.status_code, document), response.headers.get("retry-after", ""))

    def _stranger(self) -> KbError:
        return KbError(f"what answers at {self._name} is not dejastack", cure="set KB_URL to its address")


def declined(problem: Problem) -> Declined:
    """A problem that was found before a route was asked, as if one had told it."""
    document = {"type": TYPE_PREFIX + problem.kind, "status": problem.status_code, "detail": problem.detail}
    errors = {"errors": list(problem.errors)} if problem.errors else {}
    return _with_cure(Declined(problem.status_code, document | errors))


def _with_cure(error: Declined, seconds: str = "") -> Declined:
    """The same, with what an agent can do about it; ``seconds``: as the service says when to come back."""
    wait = f"try again in {seconds} s" if seconds.isdecimal() else "try again later"
    if error.status in _NAMED:
        error.problem = error.problem.partition(" — ")[0]  # a route's own cure is for people who write requests
    error.cure = _CURES.get(error.status, wait if error.status in _LATER else "see the service's log")
    return error


def _body(said: object) -> bytes:
    """What was said, in JSON; Problem 422 when JSON has no way to say it."""
    try:
        return dump(said)
    except (ValueError, RecursionError):  # NaN, a number of too many digits, too many levels
        detail = "The arguments hold a number or a depth that JSON cannot carry."
        raise Problem(422, "invalid-request", detail) from None
