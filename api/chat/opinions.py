"""What people in a chat think of an answer: kept as at the other doors, once for each of them, match and vote."""

from datetime import UTC, datetime

from api.access.caller import Caller
from api.chat.asked import Answered, press_of
from api.chat.saying import words_of
from api.writing.desk import Desk
from api.writing.opinions import opinion
from api.writing.shapes import LONGEST_WRITEUP, FeedbackIn
from index import Engine
from kb.store import Actor, Missing, Role, Store
from kb.store.model import Message, Vote


def cast(store: Store, engine: Engine | None, message: Message, until: datetime, *, keeps_text: bool) -> str:
    """Keep the vote of a press, and note in the same transaction that it is kept; what is said to whoever pressed."""
    press, now = press_of(message), datetime.now(UTC)
    voter = f"{message.platform}:{press.who}"
    caller = Caller(Actor(voter, voter, Role.READER), Role.READER, None)
    with store.transaction():
        try:
            asked = store.messages.get(press.ref)
            answered = Answered.from_json(asked.answer or {})
            lang = answered.message.lang
            said = opinion_of(asked if keeps_text else None, answered, press.place, press.vote)
            opinion(
                Desk(store, engine, caller, review=False), answered.matches[press.place][0], said, keeps_text=keeps_text
            )
            thanks = words_of(lang)("vote_thanks")
        except (Missing, KeyError, IndexError):
            thanks = words_of("zh")("chat_gone") + " " + words_of("en")("chat_gone")
        store.messages.begin(
            message, now, (until - now).total_seconds(), answer={"thanks": thanks}, asked=message.asked
        )
    return thanks


def opinion_of(asked: Message | None, answered: Answered, place: int, vote: Vote) -> FeedbackIn:
    """What is said of one match of an answer, with the text of ``asked`` where it is given. IndexError when there is no such match."""
    if place < 0:
        raise IndexError(place)
    _, probability = answered.matches[place]
    text = str(asked.asked.get("text", ""))[:LONGEST_WRITEUP] if asked else ""
    prints = {level: list(digests) for level, digests in (answered.prints or {}).items()}
    told = {"vote": vote.name.lower(), "probability": probability, "snapshot_id": answered.snapshot_id}
    return FeedbackIn.model_validate({**told, "fingerprints": prints, "text": text if text.strip() else None})
