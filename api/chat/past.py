"""What was asked in a chat, by the name of its answer, as long as it is kept."""

from api.problems import HttpProblem
from api.service import Service
from kb.store import Missing


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
