"""The pages: paste → answer, one incident, and what went wrong. Server-rendered; nothing needs JavaScript."""

import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, FastAPI, Request
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape
from starlette.datastructures import UploadFile
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api import view
from api.access import Scope, within
from api.language import Strings, choose, load_strings
from api.markdown import Writer, is_web_address
from api.problems import Problem, describe, problem_response
from api.service import TheService
from api.writing.desk import no_such
from index import Engine
from kb.article.decode import decode
from kb.redact import Redacted, redact

K = 5
ECHO_LIMIT = 100_000
"""Longest paste repeated in the box, in characters."""
API_PATHS = ("/v1/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/static/")

_JOINT = re.compile(r"([.$/])(?=\w)")

router = APIRouter(include_in_schema=False)
SEARCHES = [Depends(within(Scope.SEARCH))]


@dataclass(frozen=True, slots=True)
class Switch:
    """The link to the page in the other language."""

    href: str
    html_lang: str


class Pages:
    """Renders the templates, in the reader's language."""

    def __init__(self) -> None:
        self._strings = load_strings()
        self._templates = Environment(
            loader=PackageLoader("api"),
            autoescape=select_autoescape(default=True, default_for_string=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals.update(html=Writer().html, is_link=is_web_address, assets=_assets_version())
        self._templates.filters.update(breakable=breakable, segment=segment)
        self._templates.globals.update(answer=None, side=None, snapshot_id=None)

    def strings(self, request: Request) -> Strings:
        """The words for this reader."""
        return self._strings[choose(request.query_params.get("lang"), request.headers.get("accept-language"))]

    def render(self, request: Request, template: str, **values: object) -> str:
        """One page as HTML."""
        t = self.strings(request)
        other = self._strings["en" if t.lang == "zh" else "zh"]
        query = {"lang": other.lang}
        if request.method == "GET" and (asked := values.get("text")):
            query["text"] = str(asked)  # what the page itself shows, redacted; never the query as it came
        switch = Switch(f"{request.url.path}?{urlencode(query, errors='replace')}", other.html_lang)
        values = {"asks": request.scope.get("caller"), "here": _here(request), **values}
        return self._templates.get_template(template).render(t=t, switch=switch, **values)


def _here(request: Request) -> str:
    """The page that is asked for, to come back to; without what was pasted."""
    return quote(request.url.path, errors="replace") if request.method == "GET" else "/"


def breakable(text: str) -> Markup:
    """``text``, escaped, with places to break a line inside qualified names."""
    return Markup(_JOINT.sub(r"\1<wbr>", str(escape(text))))  # noqa: S704 - escaped just here


def _assets_version() -> str:
    folder = files("api") / "static"
    digest = hashlib.sha256(b"".join((folder / name).read_bytes() for name in ("page.css", "page.js")))
    return digest.hexdigest()[:12]


@router.get("/", dependencies=SEARCHES)
async def home(request: Request, service: TheService) -> Response:
    """The empty page, or the answer to a short ``?text=``."""
    text = request.query_params.get("text", "")
    return await _answer(request, service, text) if text.strip() else _form(request, service)


@router.post("/", dependencies=SEARCHES)
async def paste(request: Request, service: TheService) -> Response:
    """The answer to a pasted text or a chosen file."""
    limit = request.app.state.settings.max_body_bytes
    async with request.form(max_files=1, max_fields=8, max_part_size=limit) as form:
        text, file = form.get("text", ""), form.get("file")
        # Browsers send the lines of a textarea with CRLF, whatever was pasted.
        asked = text.replace("\r\n", "\n") if isinstance(text, str) else ""
        if isinstance(file, UploadFile) and (data := await file.read()):
            asked = "\n".join(filter(str.strip, (asked, _upload(data))))
    if not asked.strip():
        return _form(request, service, empty=True)
    return await _answer(request, service, asked)


def segment(text: str) -> str:
    """A text as one segment of a path: the slash of an id, too, is quoted."""
    return quote(text, safe="", errors="replace")


def _upload(data: bytes) -> str:
    decoded = decode(data)
    if decoded.binary:
        raise Problem(422, "not-text", f"The chosen file is {decoded.notes[0]}. Choose a log or text file.")
    return decoded.text


@router.get("/incidents/{incident_id:path}", dependencies=[Depends(within(Scope.INCIDENTS))])
async def incident(request: Request, incident_id: str, service: TheService) -> Response:
    """One incident, whole."""
    found = await service.ask(lambda engine: engine.incident(incident_id))
    if found is None:
        raise no_such(incident_id)
    pages = the_pages(request)
    snapshot_id = service.live.snapshot_id
    render = lambda: pages.render(request, "incident.html", incident=found, snapshot_id=snapshot_id)  # noqa: E731
    return HTMLResponse(await service.run("render", render))


def the_pages(request: Request) -> Pages:
    """What renders the pages of the app that got the request."""
    pages: Pages = request.app.state.pages
    return pages


def _form(request: Request, service: TheService, *, empty: bool = False) -> Response:
    pages = the_pages(request)
    hint = pages.strings(request)("empty") if empty else None
    html = pages.render(request, "search.html", rows=14, text="", hint=hint, snapshot_id=service.live.snapshot_id)
    return HTMLResponse(html, 422 if empty else 200)


async def _answer(request: Request, service: TheService, text: str) -> Response:
    """Everything on the page speaks of the redacted paste, so that no secret is ever sent back."""
    pages = the_pages(request)

    def work(engine: Engine) -> tuple[Redacted, view.Found]:
        clean = redact(text)
        return clean, view.find(engine, clean.text, K)

    clean, found = await service.ask(work)
    service.gave(found.answer, "page")
    values = _values(pages.strings(request), clean, found)
    html = await service.run("render", lambda: pages.render(request, "search.html", **values))
    return HTMLResponse(html.encode("utf-8", "replace"))


def _values(t: Strings, clean: Redacted, found: view.Found) -> dict[str, object]:
    answer = found.answer
    too_long = len(clean.text) > ECHO_LIMIT
    kinds = ", ".join(sorted({one.kind for one in clean.redactions}))
    return {
        "rows": 6,
        "text": "" if too_long else clean.text,
        "hint": t("large_paste", characters=f"{len(clean.text):,}") if too_long else None,
        "answer": answer,
        "took": f"{answer.took_ms:.0f}" if answer.took_ms >= 10 else f"{answer.took_ms:.1f}",
        "best": answer.matches[0] if answer.matches and answer.verdict != "unknown" else None,
        "others": answer.matches if answer.verdict == "unknown" else answer.matches[1:],
        "redactions": t("redactions", count=len(clean.redactions), kinds=kinds) if clean.redactions else None,
        "side": found.side,
        "paste": found.paste,
    }


def wants_page(request: Request) -> bool:
    """Whether a failure is shown as a page: a browser asked, and not for an address of the API."""
    path = request.url.path
    return "text/html" in request.headers.get("accept", "") and not path.startswith(API_PATHS)


async def failure(request: Request, error: Exception) -> Response:
    """The one answer to every failure: a problem document, or the same facts as a page."""
    if not wants_page(request):
        return problem_response(request, error)
    document, headers = describe(request, error)
    if document.status == 401 and request.method == "GET":
        return RedirectResponse(f"/login?{urlencode({'next': _here(request)})}", 303)
    pages = the_pages(request)
    summary = pages.strings(request).words.get(f"problem_{document.kind}")
    html = pages.render(request, "problem.html", problem=document, summary=summary)
    return HTMLResponse(html, document.status, headers)


def install(app: FastAPI) -> None:
    """Add the pages, and make ``failure`` the app's answer to what goes wrong."""
    app.state.pages = Pages()
    app.state.failure = failure
    app.include_router(router)
