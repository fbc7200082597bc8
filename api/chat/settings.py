"""The settings that all chat platforms share; each platform's own are in its folder."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from index.settings import HomeSettings


def _base(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.query or parts.fragment:
        raise ValueError("an address is what people open, as https://incidents.example.org")
    return text.rstrip("/")


class ChatSettings(HomeSettings):
    """What the chat doors can be told, whichever platform it is."""

    public_url: Annotated[str, AfterValidator(_base)] | None = Field(
        None,
        description="Where people reach the page, as https://incidents.example.org: links in chats lead there; unset: no links.",
    )
    chat_days: int = Field(
        7,
        ge=1,
        le=365,
        description="What was asked in a chat (secrets out) and answered is kept so many days, then forgotten.",
    )
    chat_tries: int = Field(
        10, ge=1, le=30, description="An answer that a chat does not take is tried so often, then it is a dead letter."
    )
