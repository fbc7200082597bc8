"""Paste → answer."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urlencode

from anyio import to_thread
from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from api.access import Caller, Scope, within
from api.access.cookies import field, read_form
from api.access.refusals import from_elsewhere
from api.contract.bodies import narrowed_utf8, read_body
from api.contract.paths import page_of
from api.contract.problems import HttpProblem
from api.pages.columns import columns_of_match
from api.pages.rendering import the_pages
from api.render import view
from api.render.brief import plain_answer
from api.render.language import UNLIKELY, Strings, preferred
from api.server.service import Service, TheService
from api.settings import ServiceSettings
from index import Answer, Engine, Match
from index.ranking.sightings import fingerprint_digests
from index.reading import Reading, redaction_notes
from index.wire import answer_to_dict
from kb.article.decode import decode
from kb.incident import Incident
from kb.store import Role
from kb.store.links import LONGEST
from kb.store.model import Votes

K = 5
ECHO_LIMIT = LONGEST
"""Longest paste repeated in the box, in characters; what is repeated can be shared."""
LONGEST_QUESTION = 200
"""Characters of a question of one line that stands in the address of its answer."""

_LONGEST_NAME = 80
A_LOG = 60
"""Lines from which on a paste is a log: where its trace stands in it is shown unfolded."""
_TITLE = str.maketrans({"[": "\\[", "]": "\\]", "\n": " "})

router = APIRouter(include_in_schema=False)
SEARCHES = [Depends(within(Scope.SEARCH))]


@router.get("/", dependencies=SEARCHES)
async def home(request: Request, service: TheService) -> Response:
    """The empty page, or the answer to a short ``?q=`` (``?text=``: the name of the field in the form)."""
    text = request.query_params.get("q", "") or request.query_params.get("text", "")
    return await answered(request, service, text) if text.strip() else await _form(request, service)


@router.post("/", dependencies=SEARCHES)
async def paste(request: Request, service: TheService) -> Response:
    """The answer to a pasted text or a chosen file; to plain text, as `curl` sends it, in plain text. Problem 403 where the browser says that a page of another site sent it.

    `Origin` is not looked at: behind a proxy that changes the name, it differs for pages of ours, and a search changes nothing.
    """
    if request.headers.get("sec-fetch-site") == "cross-site":
        raise from_elsewhere()
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() == "text/plain":
        return await _in_plain_text(request, service)
    question = await pasted(request)
    return (
        await answered(request, service, question)
        if question and not question.isspace()
        else await _form(request, service, empty=True)
    )


async def _in_plain_text(request: Request, service: Service) -> Response:
    """What `kb search` prints. Problem 422 for a body that is no text, or holds none."""
    text = await to_thread.run_sync(_uploaded, [await read_body(request)])
    if not text or text.isspace():  # strip() would copy it
        raise HttpProblem(422, "invalid-request", "The body is empty: send a trace, a log excerpt or a question.")
    lang = preferred(request.query_params.get("lang"), request.headers.get("accept-language"))
    answer = await service.search(text, K, None, door="http", lang=lang)
    shown = await service.run("render", lambda: plain_answer(answer_to_dict(answer), text, lang))
    return PlainTextResponse(shown.encode("utf-8", "replace"))


async def pasted(request: Request) -> str:
    """What the form of the page holds: a text, a file, or both. Problem 422 when the file is no text."""
    form = await read_form(request)
    file = form.get("file")
    held = [await file.read()] if isinstance(file, UploadFile) else []
    await form.close()
    typed = field(form, "text")
    # nobody keeps a long text twice while its line ends are changed
    request.scope["form"] = FormData([(name, value) for name, value in form.multi_items() if name != "text"])
    del form
    # Browsers send the lines of a textarea with CRLF, whatever was pasted.
    typed = typed.replace("\r\n", "\n")
    if not any(held):
        return typed
    texts = (typed, await to_thread.run_sync(_uploaded, held))
    return "\n".join(text for text in texts if text and not text.isspace())  # strip() would copy it


def _uploaded(held: list[bytes]) -> str:
    """The text of the bytes, which are taken out of ``held``: once they are narrowed nobody keeps them."""
    decoded = decode(narrowed_utf8(held.pop()))
    if decoded.binary:
        raise HttpProblem(422, "not-text", f"This file is {decoded.notes[0]}. Choose a log or text file.")
    return decoded.text


async def _form(request: Request, service: Service, *, empty: bool = False) -> Response:
    """The empty page. It shows what is known where a snapshot is open and the engine is not busy; the form comes in any case."""
    pages, known = the_pages(request), None
    if service.live.snapshot_id:
        with suppress(HttpProblem):
            known = await service.ask(pages.start.of)
    hint = pages.strings(request)("empty") if empty else None
    values = {"rows": 10, "text": "", "hint": hint, "snapshot_id": service.live.snapshot_id, "known": known}
    values |= _of_the_form(request.app.state.settings)
    return HTMLResponse(pages.render(request, "search.html", **values), 422 if empty else 200)


def _of_the_form(settings: ServiceSettings) -> dict[str, object]:
    """What the sentences beside the box say: what this service keeps of a paste, and how large one may be."""
    counts = "counts" if settings.insight_days else "nothing"
    promise = "texts" if settings.insight_days and settings.feedback_text else counts
    kept = {"keeps_text": settings.feedback_text, "share_days": settings.share_days, "promise": f"keeps_{promise}"}
    return {**kept, "largest": settings.max_body_bytes, "contact": settings.contact}


async def answered(
    request: Request,
    service: Service,
    text: str,
    thanked: str | None = None,
    *,
    denied: bool = False,
    **more: object,
) -> Response:
    """Everything on the page speaks of the redacted paste, so that no secret is ever sent back. ``thanked``: for an opinion of which match; ``denied``: it was not this; ``more``: further values of the template."""
    pages = the_pages(request)
    caller: Caller = request.scope["caller"]

    lang = pages.strings(request).lang

    def work(engine: Engine) -> tuple[Reading, view.AnswerView, str]:
        reading, found = view.find(engine, text, K, lang)
        return reading, found, _prints(reading, found)

    reading, found, prints = await service.ask(work)
    by = (caller.actor.id if caller.actor else caller.address) or ""
    is_another_look = thanked is not None or "shared" in more  # an answer somebody voted on, or sent a link to
    service.gave(found.answer, "page", reading.text, by=by, is_another_look=is_another_look)
    values = _values(pages.strings(request), reading, found)
    votes = await _votes(service, found) if caller.may(Role.CURATOR) else None
    values |= {"prints": prints, "thanked": thanked, "denied": denied, "votes": votes}
    values |= {**_of_the_form(request.app.state.settings), **more}
    html = await service.run("render", lambda: pages.render(request, "search.html", **values))
    return HTMLResponse(html.encode("utf-8", "replace"))


def _prints(reading: Reading, found: view.AnswerView) -> str:
    """What a vote is kept with, as JSON: the fingerprints of the text, or of several problems a list of those of each. '' where there is no match."""
    problems = found.answer.problems if found.problems else ()
    if not found.answer.matches and not any(one.matches for one in problems):
        return ""
    if not problems:
        return json.dumps(fingerprint_digests(reading))
    return json.dumps([one.prints for one in problems])


async def _votes(service: Service, found: view.AnswerView) -> Mapping[str, Votes]:
    each = [found.answer.matches, *(one.matches for one in found.answer.problems)]
    ids = {match.incident.id for matches in each for match in matches}
    return await service.in_store(lambda store, _: store.feedback.votes(sorted(ids)))


def _link(t: Strings, reading: Reading) -> str | None:
    """The address that answers a short question again; None of what is long, or held a secret."""
    text = reading.text.strip()
    if reading.redactions or "\n" in text or len(text) > LONGEST_QUESTION:
        return None
    return "/?" + urlencode({"q": text, "lang": t.lang}, errors="replace")


def _beside(answer: Answer) -> list[Match]:
    """The matches that are not answers: neither the first nor another cause of the same error."""
    return [match for match in answer.matches[1:] if match.incident.id not in answer.causes]


def _values(t: Strings, reading: Reading, found: view.AnswerView) -> dict[str, object]:
    secrets = redaction_notes(reading.redactions, t.lang)  # the page says it in its own language
    answer = replace(found.answer, notes=tuple(note for note in found.answer.notes if note not in secrets))
    too_long = len(reading.text) > ECHO_LIMIT
    kinds = ", ".join(sorted({one.kind for one in reading.redactions}))
    best = answer.matches[0] if answer.matches and answer.verdict != "unknown" else None
    others = answer.matches if answer.verdict == "unknown" else _beside(answer)
    return {
        "rows": 6,
        "text": "" if too_long else reading.text,
        "hint": t("large_paste", characters=f"{len(reading.text):,}") if too_long else None,
        "answer": answer,
        "took": f"{answer.took_ms:.0f}" if answer.took_ms >= 10 else f"{answer.took_ms:.1f}",
        "headline": t.headline(answer.fine_verdict, len(answer.causes)),
        "advice": t.advice(answer.fine_verdict, len(answer.causes), is_near=bool(answer.matches)),
        "best": best,
        "causes": [match for match in answer.matches[1:] if match.incident.id in answer.causes],
        "others": [match for match in others if match.probability >= UNLIKELY],
        "unlikely": [match for match in others if match.probability < UNLIKELY],
        "problems": found.problems,
        "redactions": t("redactions", count=len(reading.redactions), kinds=kinds) if kinds else None,
        "markdown": _as_markdown(t, t.headline(answer.fine_verdict, len(answer.causes)), best) if best else None,
        "columns": columns_of_match(reading, best) if best else None,
        "paste": found.paste,
        "is_too_long": too_long,
        "is_log": reading.text.count("\n") >= A_LOG,
        "link": _link(t, reading),
        "root": _root(reading),
    }


def _root(reading: Reading) -> str:
    """The name of the innermost error without its package, by which a list is searched; '' where there is none."""
    name = reading.traces[0].chain.root.type if reading.traces else None
    return re.split(r"[.:$/\\]", name)[-1][:_LONGEST_NAME] if name else ""


def _as_markdown(t: Strings, headline: str, match: Match) -> str:
    """An answer for a ticket or a chat: verdict, title with a link that begins at this service (``/incidents/…``), cause, and the whole fix."""
    incident = match.incident
    title = f"[{incident.title.translate(_TITLE)}]({page_of(incident.id)})"
    parts = [f"**{headline}** · {t.probability(match.probability)}", title]
    parts += [
        f"**{t(field)}**\n\n{_stated(incident, field)}" for field in ("root_cause", "fix") if getattr(incident, field)
    ]
    return "\n\n".join(parts) + "\n"


def _stated(incident: Incident, field: str) -> str:
    """What the write-up states, with what it announces."""
    return "\n\n".join(filter(None, (getattr(incident, field), incident.announced.get(field))))
