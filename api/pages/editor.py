"""Write-ups written: `/write`, and `/incidents/{id}/edit`. Whatever happens to a save, what was typed stays in the box."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.access import key_needed
from api.contract.paths import IncidentRoute, page_of
from api.contract.problems import HttpProblem, describe
from api.pages.answer import pasted
from api.pages.calls import OF_INCIDENTS, AnyDesk, explained, form_field, form_fields, refusal
from api.pages.drafts import forget, keep, offered, opened, typed_of
from api.pages.rendering import is_part, redirect_to, shown, shown_beside, the_pages
from api.pages.writeup import EMPTY, EMPTY_IN_CHINESE, Typed, WriteupPreview, known_like, preview, traces_of
from api.writing.calls import StoreAccess, Writing, chat_question, reports_of
from api.writing.differences import FieldConflict, conflicts, merged, with_theirs
from api.writing.incident_input import Written, merged_over
from api.writing.incident_service import IncidentService, SavedChange
from api.writing.shapes import LONGEST_WRITEUP
from api.writing.suggestions import draft, draft_of_group
from kb.article.writeups.form import empty_translation
from kb.article.writeups.translated import split_parts
from kb.article.writeups.writeup import render
from kb.errors import KbError
from kb.incident import Incident, Status, fields_of
from kb.kinds import LANGUAGES
from kb.record import stored, to_record
from kb.store import Missing, Revision, Role
from kb.translations import languages, stamped

router = APIRouter(include_in_schema=False, route_class=IncidentRoute)
SAVES = {
    "draft": Status.DRAFT,
    "review": Status.IN_REVIEW,
    "publish": Status.PUBLISHED,
    "retired": Status.RETIRED,
}
"""What the buttons save as; the last is there for what is retired."""
FORM = (
    "title",
    "traces",
    "symptom",
    "root_cause",
    "fix",
    "distinguish",
    "component",
    "versions",
    "tags",
    "owner",
    "prose",
)
"""The fields of the form in the order in which somebody knows them: what is there at once, what was found out, where it applies."""
_LINES = frozenset(("title", *(field.name for field in fields_of(Incident) if field.is_line)))
"""Those that are typed into one line."""
_ATTACH = "attach "
"""Before the id of an incident: the button that adds the trace to it."""
_HISTORY = 200
"""Revisions among which it is looked up who changed the status."""
_NONE = 0
"""No incident is at it: whoever does not say what they saw replaces nothing."""


@dataclass(frozen=True, slots=True)
class Failed:
    """Why nothing was saved."""

    status: int
    detail: str
    kind: str
    members: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StaleView:
    """That somebody else has saved while this was written."""

    author: str
    revision: int
    text: str
    """What stands there now, as a write-up."""
    conflicts: tuple[FieldConflict, ...]
    """What both changed in the same lines, otherwise; in the box stands the writer's."""
    merged: str | None
    """The write-up with both changes; None where they changed nothing that was not changed here, too."""
    typed: str
    """As it was sent."""
    merged_fields: tuple[str, ...]
    """The fields that were merged by themselves: they alone changed them, or other lines of them."""
    was: str
    """The status that the writer began with; empty: not known."""


@dataclass(frozen=True, slots=True)
class StatusChange:
    """That somebody changed the status while this was written."""

    status: Status
    revision: int
    """The last one."""
    author: str
    note: str


@router.get("/write", dependencies=OF_INCIDENTS)
async def new(request: Request, desk: Writing) -> Response:
    """Open an empty write-up, a draft, or one that begins with a question or a group of crashes."""
    if ref := request.query_params.get("draft"):
        return await _editor(request, desk, await opened(desk, ref))
    if ref := request.query_params.get("chat"):
        return await _drafted(request, desk, await chat_question(desk.service, ref))
    if name := request.query_params.get("question"):
        question = await desk.do(lambda at: at.store.tallies.question(name))
        return await _drafted(
            request, desk, question.text or ": ".join(filter(None, (question.type, question.template)))
        )
    if run := request.query_params.get("triage"):
        return await _of_crashes(request, desk, run, request.query_params.get("group", ""))
    chinese = the_pages(request).strings(request).lang == "zh"
    return await _editor(request, desk, Typed(EMPTY_IN_CHINESE if chinese else EMPTY))


async def _of_crashes(request: Request, desk: StoreAccess, run: str, group: str) -> Response:
    """Open the draft of a group of crashes that nobody has written up; of a group without one, what it shows."""
    reports = reports_of(request)
    found, drafted = await desk.do(lambda _: (reports.group(run, group), reports.draft(run, group)))
    _, text, hidden = await desk.service.run("parse", lambda: draft_of_group(found, drafted))
    typed = Typed(text, redactions=tuple(one.kind for one in hidden))
    return await _editor(request, desk, typed, is_begun=True)


@router.get("/incidents/{incident_id:path}/edit", dependencies=OF_INCIDENTS)
async def edit(request: Request, incident_id: str, desk: Writing) -> Response:
    """The write-up of an incident."""
    found = (await desk.do(lambda at: at.look(incident_id))).incident
    if found.id != incident_id:
        return redirect_to(request, page_of(found.id, "/edit"))
    wanted = request.query_params.get("translate", "")
    text = await desk.service.run("render", lambda: _with_translation(found, wanted))
    typed = Typed(text, "", found.id, found.revision, found.status.value).cleaned()
    return await _editor(request, desk, typed)


def _with_translation(found: Incident, lang: str) -> str:
    """The write-up, and an empty translation into a language that it lacks."""
    return render(found) + (empty_translation(found, lang) if lang in {*LANGUAGES} - {*languages(found)} else "")


@router.post("/write", dependencies=OF_INCIDENTS)
async def typed_in(request: Request, desk: AnyDesk) -> Response:
    """What was typed: looked at, or saved. One door for all write-ups, so that nothing is lost where reading takes a login."""
    does = await form_field(request, "do")
    if does.split(" ")[0] == "paste":
        return await _begun(request, desk, does)
    attaches = does.partition(_ATTACH)[2]
    changes = does in SAVES or does == "keep" or bool(attaches)
    typed = await typed_of(request, desk)
    refused = await refusal(request, desk.caller, Role.CURATOR if changes else Role.READER)
    if refused and (changes or not desk.caller.may(Role.READER)):
        return await _editor(request, desk, typed, failed=_failed(request, refused))
    if does == "keep":
        return await _kept(request, desk, typed)
    if attaches:
        return await _attached(request, desk, typed, attaches)
    found = await desk.service.run("parse", lambda: preview(typed))
    if found.written and (pointers := await form_fields(request, "theirs")):
        typed = await _with_theirs(desk, typed, found.written, pointers)
        found = await desk.service.run("parse", lambda: preview(typed))
    if found.written and await form_field(request, "current") == "yes":
        found = replace(found, written=replace(found.written, incident=stamped(found.written.incident)))
    if found.written is None or does not in SAVES:
        return await _editor(request, desk, typed, await _over(desk, typed.incident_id, found))
    return await _saved(request, desk, typed, replace(found, written=replace(found.written, status=SAVES[does])))


async def _with_theirs(desk: StoreAccess, typed: Typed, written: Written, pointers: Sequence[str]) -> Typed:
    """What was typed, with the text of the others in the fields in which the writer prefers it; as it was where a newer revision stands there."""
    try:
        theirs = (await desk.do(lambda at: at.look(str(typed.incident_id)))).incident
    except (HttpProblem, KbError):  # the save says why
        return typed
    if (theirs.id, theirs.revision) != (typed.incident_id, typed.revision):
        return typed
    yours = to_record(merged_over(theirs, written))
    text = render(stored(with_theirs(to_record(theirs), yours, frozenset(pointers))))
    return replace(typed, text=text)


async def _over(desk: StoreAccess, incident_id: str | None, found: WriteupPreview) -> WriteupPreview:
    """What would stand there once it is saved: also what the writer of Markdown does not say, such as the code behind a quoted fix."""
    written = found.written
    if written is None or incident_id is None:
        return found
    try:
        before = (await desk.do(lambda at: at.look(incident_id))).incident
    except (HttpProblem, KbError):  # none that the caller may see, or the store is away
        return found
    return (
        replace(found, written=replace(written, incident=merged_over(before, written)))
        if before.id == incident_id
        else found
    )


async def _begun(request: Request, desk: StoreAccess, does: str) -> Response:
    """A write-up to begin with, of a paste or of some of its lines (``paste 5 8``). Nothing is changed by it, so anybody's form will do."""
    if not desk.caller.may(Role.READER):
        raise key_needed()
    text = await pasted(request)
    first, last = (
        int(one) if one.isascii() and one.isdecimal() and len(one) < 10 else 0 for one in f"{does}  ".split(" ")[1:3]
    )
    some = "\n".join(text.split("\n")[max(0, first - 1) : last])
    return await _drafted(request, desk, some if some.strip() else text)


async def _drafted(request: Request, desk: StoreAccess, paste: str) -> Response:
    def begin() -> Typed:
        clean = Typed(paste[:LONGEST_WRITEUP].replace("\0", "")).cleaned()
        return replace(clean, text=draft(clean.text)[1] or EMPTY)

    return await _editor(request, desk, await desk.service.run("parse", begin), is_begun=True)


async def _saved(request: Request, desk: StoreAccess, typed: Typed, found: WriteupPreview) -> Response:
    written, name = found.written, typed.incident_id
    assert written is not None
    try:
        await _need_consent(request, desk, typed, written.status)
        saved: SavedChange = await desk.save(
            lambda at: at.replace(name, written, typed.revision or _NONE) if name else at.create(written)
        )
    except (HttpProblem, KbError) as error:
        return await _editor(request, desk, typed, found, failed=_failed(request, error))
    await forget(desk, typed)
    hidden = {"taken": str(len(typed.redactions))} if typed.redactions else {}
    return redirect_to(request, page_of(saved.revision.incident_id), saved=saved.revision.status.value, **hidden)


async def _kept(request: Request, desk: StoreAccess, typed: Typed) -> Response:
    """What is typed becomes a private draft with an address, as the script does it while somebody types."""
    try:
        name, _ = await keep(desk, typed)
    except (HttpProblem, KbError) as error:
        return await _editor(request, desk, typed, failed=_failed(request, error))
    return redirect_to(request, "/write", draft=name)


async def _attached(request: Request, desk: StoreAccess, typed: Typed, incident_id: str) -> Response:
    """The traces of what is typed are added to an incident that is known. All that was typed is a draft before, and stays one."""
    traces = await desk.service.run("parse", lambda: traces_of(typed))

    def attach(at: IncidentService) -> SavedChange:
        if not traces:
            raise HttpProblem(422, "no-trace", "There is no trace in it that could be added.")
        return [at.attach(incident_id, one, "") for one in traces][-1]

    try:
        name, version = await keep(desk, typed)
        typed = replace(typed, draft=name, seen=version)
        saved = await desk.save(attach)
    except (HttpProblem, KbError) as error:
        found = await desk.service.run("parse", lambda: preview(typed))
        return await _editor(request, desk, typed, found, failed=_failed(request, error))
    return redirect_to(request, page_of(incident_id), attached=saved.revision.status.value)


def _failed(request: Request, error: HttpProblem | KbError) -> Failed:
    document, _ = describe(request, error)
    problem = error if isinstance(error, HttpProblem) else HttpProblem(document.status, document.kind, document.detail)
    return Failed(document.status, explained(request, problem), document.kind, document.members)


async def _editor(
    request: Request,
    desk: StoreAccess,
    typed: Typed,
    found: WriteupPreview | None = None,
    *,
    failed: Failed | None = None,
    is_begun: bool = False,
) -> Response:
    values: dict[str, object] = {"typed": typed, "seen": found, "failed": failed, "is_begun": is_begun, "stale": None}
    values["is_unsearched"] = False
    # A preview of what is half typed is no failure: of an error status the browser would write a line into its console.
    is_wrong = bool(found and found.wrong) and not is_part(request)
    status = failed.status if failed else 422 if is_wrong else 200
    if failed and failed.kind == "stale" and found and found.written:
        stale = await _stale(desk, typed, found.written, failed.members["current"])
        typed = replace(typed, text=stale.merged or typed.text, revision=stale.revision, was=typed.was or stale.was)
        if stale.merged:
            found = await _over(desk, typed.incident_id, await desk.service.run("parse", lambda: preview(typed)))
        values |= {"stale": stale, "typed": typed, "seen": found}
    is_busy = status == 503
    values["moved"] = None if is_busy else await _visible_status_change(desk, typed)
    known = None
    if found and not is_busy:
        try:
            known = await known_like(desk.service, typed, the_pages(request).strings(request).lang)
        except HttpProblem:
            values["is_unsearched"] = True
    saves = [name for name in SAVES if _may_save(desk, typed, values["moved"], SAVES[name])]
    values["has_translations"] = len(split_parts(typed.text)) > 1
    values["drafts"] = () if found or failed else await offered(desk, typed)
    values["keeps"] = bool(desk.settings.draft_days) and desk.caller.may(Role.CURATOR)
    values |= {"form_order": FORM, "form_lines": _LINES}
    values |= {"known": known, "saves": saves, "resent": "writeup", "kinds": sorted(set(typed.redactions))}
    return await (shown_beside if is_busy else shown)(request, desk.service, "editor.html", status, **values)


async def _stale(desk: StoreAccess, typed: Typed, written: Written, current: Mapping[str, Any]) -> StaleView:
    """What stands there now beside what was typed: what does not overlap is merged, what does is shown."""
    record, name = current["incident"], str(typed.incident_id)

    def before(at: IncidentService) -> Revision | None:
        try:
            return at.store.incidents.revision(name, typed.revision)
        except Missing:
            return None

    base = await desk.do(before)

    def compared() -> StaleView:
        theirs = stored(record)
        yours = to_record(replace(merged_over(theirs, written), status=theirs.status))
        both = None if base is None else merged(base.record, record, yours)
        return StaleView(
            current["author"]["name"],
            theirs.revision,
            render(theirs),
            conflicts(record, yours, both.overlaps if both else None, base.record if base else None),
            render(stored(both.record)) if both and both.merged_fields else None,
            typed.text,
            both.merged_fields if both else (),
            was=base.status.value if base else "",
        )

    return await desk.service.run("diff", compared)


async def _status_change(desk: StoreAccess, typed: Typed) -> StatusChange | None:
    """Who changed the status since the writer began, and why. Of a form that does not say what it was, only a retirement is returned."""
    name = typed.incident_id
    if name is None or not desk.caller.may(Role.CURATOR):
        return None
    revisions = await desk.do(lambda at: at.store.incidents.history(name, limit=_HISTORY))
    if not revisions:
        return None
    last = revisions[0]
    if last.status.value == typed.was or not (typed.was or last.status is Status.RETIRED):
        return None
    by = [*takewhile(lambda one: one.status is last.status, revisions)][-1]
    return StatusChange(last.status, last.number, by.author.name, by.note)


async def _need_consent(request: Request, desk: StoreAccess, typed: Typed, status: Status | None) -> None:
    """Raise a problem where a save would undo a change of status that the page has shown, unless the writer confirms it."""
    moved = await _status_change(desk, typed)
    if moved is None or moved.status is status or moved.revision != typed.revision:  # of another revision: it is stale
        return
    if await form_field(request, "change_status") != "yes":
        raise HttpProblem(409, "status-changed", "The status was changed while this was written.")


async def _visible_status_change(desk: StoreAccess, typed: Typed) -> StatusChange | None:
    try:
        return await _status_change(desk, typed)
    except (HttpProblem, KbError):  # none that the caller may see, or the store is away
        return None


def _may_save(desk: StoreAccess, typed: Typed, moved: object, status: Status) -> bool:
    """Whether there is a button for it."""
    if status is Status.RETIRED:
        now = moved.status.value if isinstance(moved, StatusChange) else typed.was
        return now == status.value
    return status is not Status.PUBLISHED or _may_publish(desk)


def _may_publish(desk: StoreAccess) -> bool:
    is_strict = desk.settings.review == "required"
    return not desk.caller.may(Role.CURATOR) or desk.caller.may(Role.REVIEWER if is_strict else Role.CURATOR)
