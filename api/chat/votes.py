"""Votes on answers of a chat, and the question behind an answer. Votes are stored as feedback like those of the page.

Each person counts once for an incident (`kb.store.feedback`).
"""

from datetime import UTC, datetime

from api.access.caller import Caller
from api.chat.compose import words_of
from api.chat.queue_codec import PRESS, Answered, answered_at, click_from_json
from api.writing.feedback import record_feedback
from api.writing.incident_service import IncidentService
from api.writing.shapes import LONGEST_WRITEUP, FeedbackIn
from index import Engine
from kb.store import Actor, Missing, Refused, Role, Store
from kb.store.model import NOBODY, ChatMessage, Vote


def record_vote(store: Store, engine: Engine | None, message: ChatMessage, hold: float, *, keeps_text: bool) -> str:
    """Store the vote of a click, marked as stored in the same transaction; return the thanks.

    Refused, with nothing stored, when another worker holds the click by now: that one stores it.
    """
    press = click_from_json(message)
    voter = f"{message.platform}:{press.who}"
    service = IncidentService(store, engine, Caller(Actor(voter, voter, Role.READER), Role.READER, None), review=False)
    with store.transaction():
        try:
            question = store.messages.get(press.ref)
            answered = _at(question, message.platform, press.place)
            thanks = _kept(service, question, answered, (press.place, press.vote), keeps_text=keeps_text)
        except Missing:
            thanks = " / ".join(words_of(lang)("chat_gone") for lang in ("zh", "en"))
        answer = {"thanks": thanks}
        if not store.messages.begin(message, datetime.now(UTC), hold, answer=answer, question=message.question):
            raise Refused("another worker is at this press by now", cure="nothing: it keeps the vote")
    return thanks


def vote(service: IncidentService, question: ChatMessage, place: int, opinion: Vote, *, keeps_text: bool) -> None:
    """Store a vote of the page; anonymous visitors together count once. Missing when the match is gone."""
    now, answered = datetime.now(UTC), _at(question, question.platform, place)
    with service.store.transaction():
        if service.caller.actor is None:  # whoever they are, they count as one
            name = f"vote:{question.ref}:{place}:{int(opinion)}:page:{NOBODY.id}"
            queued = service.store.messages.take(question.platform, name, PRESS, {}, now, hold=1)
            if queued is None:
                return
            service.store.messages.done(queued.ref, now, question={})
        _kept(service, question, answered, (place, opinion), keeps_text=keeps_text)


def _at(question: ChatMessage, platform: str, place: int) -> Answered:
    """Return the answer that a click refers to. Missing when it has no such match."""
    answered = answered_at(question, platform, place)
    if answered is None:
        raise Missing("that answer has no such match", cure="ask again")
    return answered


def _kept(
    service: IncidentService, question: ChatMessage, answered: Answered, opined: tuple[int, Vote], *, keeps_text: bool
) -> str:
    """Store an opinion (match and vote); return the thanks. Missing when the incident is gone."""
    place, opinion = opined
    incident_id, probability = answered.matches[place]
    text = str(question.question.get("text", ""))[:LONGEST_WRITEUP] if keeps_text else ""
    feedback = {
        "vote": opinion.name.lower(),
        "probability": probability,
        "snapshot_id": answered.snapshot_id,
        "fingerprints": {level: list(digests) for level, digests in (answered.prints or {}).items()},
        "text": text if text.strip() else None,
    }
    record_feedback(service, incident_id, FeedbackIn.model_validate(feedback), keeps_text=keeps_text)
    return words_of(answered.message.lang)("vote_thanks")
