"""Settings of the chat: those that all platforms share, how operators write addresses, and which platforms there are.

A platform is a package `api.chat.<name>`; nothing else names it. It defines

* ``SETTINGS``: the class of its settings, a `HomeSettings`,
* ``make(settings) -> Platform | None``: the platform; None while it is not set up.
"""

import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from api.chat.platform import Platform
from api.settings import loaded
from index.settings import HomeSettings


def _base(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.query or parts.fragment:
        raise ValueError("an address is what people open, as https://incidents.example.org")
    return text.rstrip("/")


class ChatSettings(HomeSettings):
    """The settings that all platforms share."""

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


LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def origin(url: str) -> str:
    """Return scheme, host and port of a URL. ValueError for anything more, and for plain http to another machine."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise ValueError("secrets travel over https alone, but to this machine")
    if not parts.hostname or parts.username or parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError("it is scheme and host alone, such as https://open.example.com")
    return f"{parts.scheme}://{parts.netloc}"


Places = Mapping[str, str]
"""Name → address or key."""


def named_places(checked: Callable[[str], str]) -> Callable[[object], object]:
    """Return a parser of ``ops=ADDRESS, db=ADDRESS``. ``checked`` raises ValueError for a bad address."""

    def read(value: object) -> object:
        if not isinstance(value, str):
            return value
        places: dict[str, str] = {}
        for part in filter(None, map(str.strip, value.split(","))):
            name, sign, place = part.partition("=")
            if not sign or not name.strip():
                raise ValueError("names with addresses are expected, with commas: `ops=…, db=…`")
            places[name.strip()] = checked(place.strip())
        return places

    return read


def platform_names() -> tuple[str, ...]:
    """Return the names of all platforms, as in their URLs."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]) if module.ispkg))


def _package(name: str) -> ModuleType:
    """Import the package of a platform."""
    return import_module(f"api.chat.{name}")


def settings_classes() -> list[type[HomeSettings]]:
    """Return the settings classes of all platforms."""
    return [_package(name).SETTINGS for name in platform_names()]


def platforms_from_environment() -> Mapping[str, Platform]:
    """Return the platforms that are set up, by name. SettingsError when a setting is wrong."""
    made = {name: _package(name).make(loaded(_package(name).SETTINGS)) for name in platform_names()}
    return {name: platform for name, platform in made.items() if platform is not None}
