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
GROUP, QUIET = "group", "quiet"
"""Of an alert, which is a question that nobody asked: what it belongs to, and for how many seconds one incident is told of it once."""
LONGEST_QUESTION = 1_000_000
"""Characters of a question that are kept and searched."""
_MESSAGE = TypeAdapter(AnswerCard)


@dataclass(frozen=True, slots=True)
class Answered:
    """What was answered, as it is kept."""

    message: AnswerCard
    matches: tuple[tuple[str, float], ...] = ()
    """Id and probability of each, in the order of their places."""
    prints: Mapping[str, tuple[str, ...]] | None = None
    """Of the question: see `index.live.sightings.fingerprint_digests`."""
    snapshot_id: str = ""

    def to_json(self) -> dict[str, Any]:
        """For the queue."""
        return {
            "message": _MESSAGE.dump_python(self.message, mode="json"),
            "matches": self.matches,
            "prints": self.prints or {},
            "snapshot_id": self.snapshot_id,
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> "Answered":
        """As the queue has it."""
        matches = tuple((str(name), float(probability)) for name, probability in told["matches"])
        prints = {level: tuple(digests) for level, digests in told["prints"].items()}
        return cls(_MESSAGE.validate_python(told["message"]), matches, prints, told["snapshot_id"])


def answered_at(asked: Queued, platform: str, place: int) -> Answered | None:
    """The answer that holds the match which a press on that platform means; None when there is none."""
    if asked.platform != platform or asked.answer is None or "matches" not in asked.answer:
        return None
    answered = Answered.from_json(asked.answer)
    return answered if 0 <= place < len(answered.matches) else None


def question_to_json(asked: Question, alert: str = "") -> dict[str, Any]:
    """A question for the queue: secrets out, of the names of its files too, and notes on what was taken out or cut. ``alert``: the name of an alert, where nobody asked."""
    text, notes = cleaned(asked.text)
    told = {name: value for name, value in asdict(asked).items() if name != "reply"}
    return {**told, "text": text, "files": [_named(one) for one in asked.files], "notes": notes, "alert": alert}


def _named(file: Mapping[str, Any]) -> dict[str, Any]:
    """A file by what it is fetched by, secrets out of the name that is shown."""
    shown = file.get("name")
    return {**file, "name": redact(shown).text} if isinstance(shown, str) else dict(file)


def cleaned(text: str) -> tuple[str, list[str]]:
    """A text with its secrets out, cut, and what is to be said of that in its language."""
    kept = text[:LONGEST_QUESTION]
    clean = redact(kept)
    t = words_of(reply_language(clean.text))
    notes = [t("chat_cut", kept=f"{LONGEST_QUESTION:,}")] if len(text) > LONGEST_QUESTION else []
    return clean.text, [*notes, *([_redaction_note(clean)] if clean.redactions else [])]


def _redaction_note(clean: Redacted) -> str:
    kinds = ", ".join(sorted({one.kind for one in clean.redactions}))
    return words_of(reply_language(clean.text))("redactions", count=len(clean.redactions), kinds=kinds)


def question_from_json(queued: Queued) -> Question:
    """The question that is in the queue."""
    told = queued.question
    return Question(told["id"], told["text"], told["who"], told["target"], tuple(told["files"]))


def click_to_json(press: ButtonClick) -> dict[str, Any]:
    """A press for the queue."""
    told = {name: value for name, value in asdict(press).items() if name not in {"reply", "expired", "redrawn"}}
    return {**told, "vote": int(press.vote)}


def click_from_json(queued: Queued) -> ButtonClick:
    """The press that is in the queue."""
    return ButtonClick(**{**queued.question, "vote": Vote(queued.question["vote"])})


def click_id(press: ButtonClick) -> str:
    """The name of a press in the queue: delivered again it is the same, pressed again it is another. Questions have none like it."""
    return f"vote:{press.id}"
