"""The queue's JSON of questions, answers and button clicks, both ways."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter

from api.chat.compose import reply_language, words_of
from api.chat.message import AnswerCard
from api.chat.platform import ButtonClick, Question
from kb.redact import Redacted, redact
from kb.store.model import ChatMessage as Queued
from kb.store.model import Vote

QUESTION, PRESS = "question", "press"
EVENT = "event"
"""Kind of a message that is no answer: it goes to another program as it is."""
GROUP, QUIET = "group", "quiet"
"""Keys of an alert in the queue: the group it belongs to, and for how many seconds the same incident is not posted to it again."""
CARD = "card"
"""Key of a message to a channel that answers no question: its card, which is posted as it is."""
LONGEST_QUESTION = 1_000_000
"""Most characters of a question that are kept and searched."""
_MESSAGE = TypeAdapter(AnswerCard)


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer as the queue keeps it."""

    message: AnswerCard
    matches: tuple[tuple[str, float], ...] = ()
    """Id and probability of each, in the order of their places."""
    prints: Mapping[str, tuple[str, ...]] | None = None
    """Of the question: see `index.ranking.sightings.fingerprint_digests`."""
    snapshot_id: str = ""

    def to_json(self) -> dict[str, Any]:
        """Encode it."""
        return {
            "message": card_to_json(self.message),
            "matches": self.matches,
            "prints": self.prints or {},
            "snapshot_id": self.snapshot_id,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Answered":
        """Decode it."""
        matches = tuple((str(name), float(probability)) for name, probability in data["matches"])
        prints = {level: tuple(digests) for level, digests in data["prints"].items()}
        return cls(card_from_json(data["message"]), matches, prints, data["snapshot_id"])


def card_to_json(card: AnswerCard) -> dict[str, Any]:
    """Encode a card."""
    encoded: dict[str, Any] = _MESSAGE.dump_python(card, mode="json")
    return encoded


def card_from_json(data: Mapping[str, Any]) -> AnswerCard:
    """Decode a card."""
    return _MESSAGE.validate_python(data)


def answered_at(queued: Queued, platform: str, place: int) -> Answered | None:
    """Return the answer that a click refers to, or None when it has no such match."""
    if queued.platform != platform or queued.answer is None or "matches" not in queued.answer:
        return None
    answered = Answered.from_json(queued.answer)
    return answered if 0 <= place < len(answered.matches) else None


def question_to_json(question: Question, alert: str = "") -> dict[str, Any]:
    """Encode a question: secrets removed, also from file names, with notes on what was removed or cut. ``alert``: the name of an alert."""
    text, notes = cleaned(question.text)
    fields = {name: value for name, value in asdict(question).items() if name != "reply"}
    return {**fields, "text": text, "files": [_named(one) for one in question.files], "notes": notes, "alert": alert}


def _named(file: Mapping[str, Any]) -> dict[str, Any]:
    """A file by what it is fetched by, secrets out of the name that is shown."""
    shown = file.get("name")
    return {**file, "name": redact(shown).text} if isinstance(shown, str) else dict(file)


def cleaned(text: str) -> tuple[str, list[str]]:
    """Return a text cut and without secrets, and notes on both in its language."""
    kept = text[:LONGEST_QUESTION]
    clean = redact(kept)
    t = words_of(reply_language(clean.text))
    notes = [t("chat_cut", kept=f"{LONGEST_QUESTION:,}")] if len(text) > LONGEST_QUESTION else []
    return clean.text, [*notes, *([_redaction_note(clean)] if clean.redactions else [])]


def _redaction_note(clean: Redacted) -> str:
    kinds = ", ".join(sorted({one.kind for one in clean.redactions}))
    return words_of(reply_language(clean.text))("redactions", count=len(clean.redactions), kinds=kinds)


def question_from_json(queued: Queued) -> Question:
    """Decode a question."""
    fields = queued.question
    return Question(fields["id"], fields["text"], fields["who"], fields["target"], tuple(fields["files"]))


def click_to_json(press: ButtonClick) -> dict[str, Any]:
    """Encode a button click."""
    fields = {name: value for name, value in asdict(press).items() if name not in {"reply", "expired", "redrawn"}}
    return {**fields, "vote": int(press.vote)}


def click_from_json(queued: Queued) -> ButtonClick:
    """Decode a button click."""
    return ButtonClick(**{**queued.question, "vote": Vote(queued.question["vote"])})


def click_id(press: ButtonClick) -> str:
    """Return the id of a click in the queue: the same for a redelivery, another for a second press. No question has such an id."""
    return f"vote:{press.id}"
