"""Votes on answers of a chat, and the question behind an answer. Votes are stored as feedback like those of the page.

Each person counts once for an incident (`kb.store.feedback`).
"""

from datetime import UTC, datetime

from api.access.caller import Caller
from api.chat.compose import words_of
from api.chat.queue_codec import PRESS, Answered, answered_at, click_from_json
from api.problems import HttpProblem
from api.service import Service
from api.writing.feedback import record_feedback
from api.writing.incident_service import IncidentService
from api.writing.shapes import LONGEST_WRITEUP, FeedbackIn
from index import Engine
from kb.store import Actor, Missing, Refused, Role, Store
from kb.store.model import NOBODY, ChatMessage, Vote


def record_vote(store: Store, engine: Engine | None, message: ChatMessage, hold: float, *, keeps_text: bool) -> str:
    """Keep the vote of a press that is held, and note in the same transaction that it is kept; what is said to whoever pressed.

    Refused, and nothing is kept, when somebody else holds it by now: they keep it.
    """
    press = click_from_json(message)
    voter = f"{message.platform}:{press.who}"
    desk = IncidentService(store, engine, Caller(Actor(voter, voter, Role.READER), Role.READER, None), review=False)
    with store.transaction():
        try:
            asked = store.messages.get(press.ref)
            answered = _at(asked, message.platform, press.place)
            thanks = _kept(desk, asked, answered, (press.place, press.vote), keeps_text=keeps_text)
        except Missing:
            thanks = " / ".join(words_of(lang)("chat_gone") for lang in ("zh", "en"))
        answer = {"thanks": thanks}
        if not store.messages.begin(message, datetime.now(UTC), hold, answer=answer, asked=message.question):
            raise Refused("another worker is at this press by now", cure="nothing: it keeps the vote")
    return thanks


def vote(desk: IncidentService, asked: ChatMessage, place: int, said: Vote, *, keeps_text: bool) -> None:
    """Keep a vote of the page; of nobody in particular the same once. Missing when there is no such match any more."""
    now, answered = datetime.now(UTC), _at(asked, asked.platform, place)
    with desk.store.transaction():
        if desk.caller.actor is None:  # whoever they are, they count as one
            name = f"vote:{asked.ref}:{place}:{int(said)}:page:{NOBODY.id}"
            taken = desk.store.messages.take(asked.platform, name, PRESS, {}, now, hold=1)
            if taken is None:
                return
            desk.store.messages.done(taken.ref, now, asked={})
        _kept(desk, asked, answered, (place, said), keeps_text=keeps_text)


def _at(asked: ChatMessage, platform: str, place: int) -> Answered:
    """The answer that a press on that platform means. Missing when it has no such match."""
    answered = answered_at(asked, platform, place)
    if answered is None:
        raise Missing("that answer has no such match", cure="ask again")
    return answered


def _kept(
    desk: IncidentService, asked: ChatMessage, answered: Answered, opined: tuple[int, Vote], *, keeps_text: bool
) -> str:
    """A word of thanks for an opinion (which match, and what of it) that is kept. Missing when there is no incident for it any more."""
    place, said = opined
    incident_id, probability = answered.matches[place]
    text = str(asked.question.get("text", ""))[:LONGEST_WRITEUP] if keeps_text else ""
    told = {
        "vote": said.name.lower(),
        "probability": probability,
        "snapshot_id": answered.snapshot_id,
        "fingerprints": {level: list(digests) for level, digests in (answered.prints or {}).items()},
        "text": text if text.strip() else None,
    }
    record_feedback(desk, incident_id, FeedbackIn.model_validate(told), keeps_text=keeps_text)
    return words_of(answered.message.lang)("vote_thanks")


async def question_text(service: Service, ref: str) -> str:
    """What was asked under a name, secrets out; Problem 404 when that was forgotten, or never was."""
    try:
        found = await service.in_store(lambda store, _: store.messages.get(ref))
    except Missing:
        raise not_found() from None
    if text := str(found.question.get("text", "")):
        return text
    raise not_found()


def not_found() -> HttpProblem:
    """404: nothing, or nothing any more, has that name."""
    return HttpProblem(404, "chat-gone", "That answer is too old, or there never was one.")
