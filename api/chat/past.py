"""What was asked in a chat, by the name of its answer, as long as it is kept."""

from api.problems import Problem
from api.service import Service
from kb.store import Missing


async def asked_text(service: Service, ref: str) -> str:
    """What was asked under a name, secrets out; Problem 404 when that was forgotten, or never was."""
    try:
        found = await service.at_desk(lambda store, _: store.messages.get(ref))
    except Missing:
        raise gone() from None
    if text := str(found.asked.get("text", "")):
        return text
    raise gone()


def gone() -> Problem:
    """404: nothing, or nothing any more, has that name."""
    return Problem(404, "chat-gone", "That answer is too old, or there never was one.")
