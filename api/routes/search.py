"""`POST /v1/search`, `/v1/search/batch` and `/v1/parse`: the closest known incidents, and what was understood."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Request

from api.access import Scope, needs, within
from api.contract.bodies import BodyRoute, json_only
from api.contract.jsontext import WireResponse
from api.contract.requests import AcceptLanguage, BatchIn, ParseIn, SearchIn
from api.contract.responses import AnswerOut, BatchOut, ParseOut, problems
from api.render.language import preferred
from api.server.service import TheService
from index.answer import Answer, Match
from index.wire import answer_to_dict, parse_to_dict
from kb.store import Role

router = APIRouter(
    prefix="/v1",
    tags=["search"],
    route_class=BodyRoute,
    dependencies=[Depends(needs(Role.READER)), Depends(within(Scope.SEARCH)), Depends(json_only)],
)
FAILURES = problems(400, 401, 403, 408, 413, 415, 422, 429, 503)


@router.post("/search", response_model=AnswerOut, responses=FAILURES, summary="Find the closest known incidents")
async def search(
    request: Request, body: Annotated[SearchIn, Body()], service: TheService, accept_language: AcceptLanguage = None
) -> WireResponse:
    """Paste a stack trace, a log excerpt or a question; get the verdict and the incidents, best first, with reasons.

    They are told in `lang`, else in the language of `Accept-Language`, else in that of the question, as far as there is a translation.
    """
    door, lang = request.scope.get("door", "http"), preferred(body.lang, accept_language)
    answer = await service.search(body.text, body.k, body.filters, door=door, lang=lang)
    return WireResponse(_wire(answer, explain=body.explain))


@router.post("/search/batch", response_model=BatchOut, responses=FAILURES, summary="Answer many pastes in one request")
async def search_batch(
    body: Annotated[BatchIn, Body()], service: TheService, accept_language: AcceptLanguage = None
) -> WireResponse:
    """Every item is answered from the same snapshot. Between two items other requests get their turn."""
    lang = preferred(body.lang, accept_language)
    answers: list[dict[str, object]] = []
    with service.admission.place(), service.live.lease() as engine:
        for item in body.items:
            answer = await service.run("search", lambda text=item.text: engine.search(text, body.k, lang=lang), engine)  # type: ignore[misc]
            service.gave(answer, "http", item.text)
            answers.append({"id": item.id, **_wire(answer, explain=body.explain)})
    return WireResponse({"answers": answers})


@router.post("/parse", response_model=ParseOut, responses=FAILURES, summary="Parse a text: traces and fingerprints")
async def parse(body: Annotated[ParseIn, Body()], service: TheService) -> WireResponse:
    """Every trace in the text with its frames, templates and fingerprints, and what was redacted. Needs no snapshot."""
    with service.admission.place():
        return WireResponse(await service.run("parse", lambda: parse_to_dict(body.text)))


def _wire(answer: Answer, *, explain: bool) -> dict[str, object]:
    if not explain:
        problems = tuple(replace(one, matches=_without_reasons(one.matches)) for one in answer.problems)
        answer = replace(answer, matches=_without_reasons(answer.matches), problems=problems)
    return answer_to_dict(answer)


def _without_reasons(matches: Iterable[Match]) -> tuple[Match, ...]:
    return tuple(replace(match, evidence=(), against=()) for match in matches)
