"""`/drafts`: what somebody typed into the editor, kept for them alone while they type, until it is saved or deleted."""

from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from api.access.cookies import read_form
from api.contract.problems import HttpProblem
from api.pages.calls import OF_INCIDENTS, Sending, form_field, number
from api.pages.rendering import redirect_to, shown
from api.pages.writeup import Typed
from api.writing.calls import StoreAccess, Writing
from api.writing.shapes import LONGEST_WRITEUP
from kb.article.writeups.parts import PARTS, with_part
from kb.errors import KbError
from kb.store import Refused, Role
from kb.store.drafts import LONGEST, DraftAt, DraftText, PrivateDraft

router = APIRouter(include_in_schema=False)
_LONGEST_TITLE = 200
_PART = "part."


@router.get("/drafts", dependencies=OF_INCIDENTS)
async def drafts(request: Request, desk: Writing) -> Response:
    """List the caller's drafts, the last changed first."""
    own = await desk.do(lambda at: at.store.drafts.listing(actor=at.actor))
    values = {"drafts": own, "days": desk.settings.draft_days}
    return await shown(request, desk.service, "drafts.html", **values)


@router.post("/drafts", dependencies=OF_INCIDENTS)
async def autosave(request: Request, desk: Sending) -> Response:
    """Keep what the editor holds, as its script sends it. Problem 404 where no drafts are kept, 422 for too long a text."""
    typed = await typed_of(request, desk)
    tab = await form_field(request, "tab", 64)
    name, version = await keep(desk, typed, tab)
    return JSONResponse({"draft": name, "seen": version})


@router.post("/drafts/{ref}/delete", dependencies=OF_INCIDENTS)
async def delete(request: Request, ref: str, desk: Sending) -> Response:
    """Delete a draft of the caller's."""
    await desk.do(lambda at: at.store.drafts.delete(ref, actor=at.actor))
    return redirect_to(request, "/drafts")


async def typed_of(request: Request, desk: StoreAccess) -> Typed:
    """Return what the form of the editor holds, secrets out. What was typed into single fields of it is put into the text."""
    text, note = await form_field(request, "text", LONGEST_WRITEUP), await form_field(request, "note", 2_000)
    sent = [name for name in PARTS if _PART + name in await read_form(request)]
    parts = {name: await form_field(request, _PART + name, LONGEST_WRITEUP) for name in sent}
    known = (
        await form_field(request, "id") or None,
        await number(request, "revision"),
        await form_field(request, "was", 20),
    )
    draft = await form_field(request, "draft"), await number(request, "seen")

    def read() -> Typed:
        whole = text
        for name, value in parts.items():
            whole = with_part(whole, name, value)
        return Typed(whole, " ".join(note.split()), *known, *draft).cleaned()

    return await desk.service.run("parse", read)


async def keep(desk: StoreAccess, typed: Typed, tab: str = "") -> tuple[str, int]:
    """Keep a draft; return its id and version. Problem 404 where no drafts are kept, 422 when it is too long."""
    if not desk.settings.draft_days:
        raise HttpProblem(404, "not-found", "No drafts are kept here (KB_DRAFT_DAYS is 0).")
    title = (await desk.service.run("parse", lambda: typed.parts))["title"][:_LONGEST_TITLE]
    content = DraftText(typed.text, typed.note, title, typed.incident_id or "", typed.revision, typed.was)
    where = DraftAt(typed.draft, typed.seen, tab)
    try:
        return await desk.do(lambda at: at.store.drafts.keep(content, where, actor=at.actor))
    except Refused:
        raise HttpProblem(422, "draft-too-long", f"A draft has at most {LONGEST:,} characters.") from None


async def opened(desk: StoreAccess, ref: str) -> Typed:
    """Return a draft of the caller's, as the editor shows it."""
    draft = await desk.do(lambda at: at.store.drafts.find(ref, actor=at.actor))
    one = draft.content
    return Typed(one.text, one.note, one.incident_id or None, one.revision, one.was, draft.id, draft.version)


async def offered(desk: StoreAccess, typed: Typed) -> Sequence[PrivateDraft]:
    """Return the caller's other drafts of the same incident, or of new ones; none where the store is away."""
    if not desk.settings.draft_days or not desk.caller.may(Role.CURATOR):
        return ()
    try:
        own = await desk.do(lambda at: at.store.drafts.listing(actor=at.actor, incident_id=typed.incident_id or ""))
    except (HttpProblem, KbError):
        return ()
    return [one for one in own if one.id != typed.draft]


async def forget(desk: StoreAccess, typed: Typed) -> None:
    """Delete the draft of what was saved: that it stays is no reason to call the save a failure."""
    if typed.draft:
        try:
            await desk.do(lambda at: at.store.drafts.delete(typed.draft, actor=at.actor))
        except (HttpProblem, KbError):
            return
