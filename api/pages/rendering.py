"""Templates filled in, in the reader's language."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from urllib.parse import quote, urlencode

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.access import Caller
from api.contract.paths import page_of, segment
from api.contract.problems import HttpProblem
from api.pages.browsing import BrowsePage
from api.pages.insight import Insight
from api.pages.start import StartPage
from api.render.gist import first_sentence, first_step
from api.render.language import UNLIKELY, Strings, choose, load_strings
from api.render.markdown import HtmlWriter, is_web_address
from api.server.service import Service
from index import Engine
from kb.errors import KbError
from kb.store import Role

PART_HEADER = "x-page-part"
"""With the value ``main``, the script of a page asks for what changes of it: the same template without head and scripts."""
_MOST_LOOKED_UP = 300
"""Names that look like ids and are looked up for one page; more become no links. One that exists takes 0.25 ms."""
_REF = re.compile(r"[\w-]{8,64}", re.ASCII)
_JOINT = re.compile(r"([.$/])(?=\w)")


@dataclass(frozen=True, slots=True)
class Switch:
    """The link to the page in the other language."""

    href: str
    html_lang: str


class Pages:
    """Renders the templates, in the reader's language."""

    def __init__(self) -> None:
        self._strings = load_strings()
        self._writer = HtmlWriter()
        self.start = StartPage()
        self.insight = Insight()
        self.browse = BrowsePage(self.insight)
        self._templates = Environment(
            loader=PackageLoader("api"),
            autoescape=select_autoescape(default=True, default_for_string=True),
            undefined=StrictUndefined,
            auto_reload=False,  # else each page asks the disk whether one of its templates has changed
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals.update(is_link=is_web_address, assets=_assets_version(), unlikely_below=UNLIKELY)
        self._templates.filters.update(
            breakable=breakable, size=file_size, segment=segment, first_sentence=first_sentence, first_step=first_step
        )
        self._templates.globals.update(waiting=0, answer=None, columns=None, snapshot_id=None, resent=None)
        self._templates.globals.update(
            prints=None, thanked=None, denied=False, votes=None, keeps_text=False, markdown=None, link=None
        )
        self._templates.globals.update(
            shared=None, share_days=0, is_too_long=False, promise="keeps_nothing", contact=None
        )

    def strings(self, request: Request) -> Strings:
        """The words for this reader."""
        return self._strings[choose(request.query_params.get("lang"), request.headers.get("accept-language"))]

    def render(self, request: Request, template: str, **values: object) -> str:
        """One page as HTML. ``kept``: what its address says beside the language."""
        t = self.strings(request)
        other = self._strings["en" if t.lang == "zh" else "zh"]
        query = {**_mapping(values.pop("kept", None)), "lang": other.lang}
        if request.method == "GET" and (typed := values.get("text")) and not values.get("shared"):
            query["q"] = str(typed)  # what the page itself shows, redacted; never the query as it came
        switch = Switch(f"{_path(request)}?{urlencode(query, errors='replace')}", other.html_lang)
        caller: Caller | None = request.scope.get("caller")
        values = {"asks": caller, "here": current_address(request), "csrf": caller.token if caller else None, **values}
        values["layout"] = "part.html" if is_part(request) else "base.html"
        values.setdefault("curates", caller is not None and caller.may(Role.CURATOR))
        with request.app.state.service.live.lease_if_any() as engine:
            values["html"] = partial(self._writer.html, to=_pages_of(engine, t.lang))
            return self._templates.get_template(template).render(t=t, switch=switch, **values)


def _pages_of(engine: Engine | None, lang: str) -> Callable[[str], str | None]:
    """Return what gives the address of an incident that readers see, by its id; each id is looked up once, and so many at most."""
    known: dict[str, str | None] = {}

    def page(incident_id: str) -> str | None:
        if incident_id not in known and engine and len(known) < _MOST_LOOKED_UP:
            found = engine.incident(incident_id) is not None
            known[incident_id] = f"{page_of(incident_id)}?lang={lang}" if found else None
        return known.get(incident_id)

    return page


def _mapping(value: object) -> Mapping[str, str]:
    return value if isinstance(value, Mapping) else {}


def _path(request: Request) -> str:
    """The path as it was sent: an id's slash stays quoted."""
    raw: bytes | None = request.scope.get("raw_path")
    path = raw.partition(b"?")[0].decode("latin-1") if raw else quote(request.url.path, errors="replace")
    return quote(path, safe="/%")


def current_address(request: Request) -> str:
    """The page that is asked for, to come back to; without what was pasted, but with the name of what was asked in a chat."""
    if request.method != "GET":
        return "/"
    ref = request.query_params.get("chat", "")
    return f"{_path(request)}?chat={ref}" if _REF.fullmatch(ref) else _path(request)


def paged(request: Request, rows: int, total: int | None = None) -> int:
    """Return the number of the page that the address names, from 1; with a ``total`` at most the last one of so many rows."""
    given = request.query_params.get("page", "1")
    here = max(1, int(given)) if given.isascii() and given.isdecimal() and len(given) < 8 else 1
    return here if total is None else min(here, max(1, -(-total // rows)))


def beside(here: int, rows: int, total: int) -> dict[str, str]:
    """Return the pages before and behind a page, by their ``rel``."""
    last = max(1, -(-total // rows))
    return {name: str(at) for name, at in (("prev", here - 1), ("next", here + 1)) if 1 <= at <= last}


def is_part(request: Request) -> bool:
    """Return whether the script of a page asks for what changes of it."""
    return request.headers.get(PART_HEADER) == "main"


def the_pages(request: Request) -> Pages:
    """What renders the pages of the app that got the request."""
    pages: Pages = request.app.state.pages
    return pages


async def shown(
    request: Request, service: Service, template: str, status: int = 200, /, **values: object
) -> HTMLResponse:
    """A page, rendered in a thread."""
    values.setdefault("waiting", await _waiting(request, service))
    html = await service.run("render", lambda: the_pages(request).render(request, template, **values))
    return HTMLResponse(html.encode("utf-8", "replace"), status)


async def shown_beside(
    request: Request, service: Service, template: str, status: int = 200, /, **values: object
) -> HTMLResponse:
    """Render a page in a thread of the store, so that it comes while all search threads are busy: for pages with words that somebody typed."""
    values.setdefault("waiting", await _waiting(request, service))
    html = await service.look_up(lambda: the_pages(request).render(request, template, **values))
    return HTMLResponse(html.encode("utf-8", "replace"), status)


async def _waiting(request: Request, service: Service) -> int:
    """Return how many reviews wait for whoever is logged in, as the header shows it; 0 where nobody can tell: it holds up no page."""
    caller: Caller | None = request.scope.get("caller")
    if caller is None or caller.via != "session" or caller.actor is None or not caller.may(Role.CURATOR):
        return 0
    actor_id, reviews = caller.actor.id, service.store.reviews
    try:
        return await service.look_up(lambda: reviews.waiting_count(reviewer=actor_id))
    except (HttpProblem, KbError):
        return 0


def redirect_to(request: Request, path: str, **query: str) -> Response:
    """On to another page, after something was done; ``path`` begins here and is quoted."""
    parameters = {**query, "lang": the_pages(request).strings(request).lang}
    return RedirectResponse(f"{path}?{urlencode(parameters, errors='replace')}", 303)


def breakable(text: str) -> Markup:
    """``text``, escaped, with places to break a line inside qualified names."""
    return Markup(_JOINT.sub(r"\1<wbr>", str(escape(text))))  # noqa: S704 - escaped just here


def file_size(count: int) -> str:
    """Return ``32 MB`` for a bound in bytes: whole units, rounded down, so that what is smaller is taken."""
    return f"{count >> 20} MB" if count >> 20 else f"{count >> 10} kB"


def _assets_version() -> str:
    folder = files("api") / "static"
    files_there = sorted((one for one in folder.iterdir() if one.is_file()), key=lambda one: one.name)
    return hashlib.sha256(b"".join(one.read_bytes() for one in files_there)).hexdigest()[:12]
