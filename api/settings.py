"""The settings of the service, read once from the environment (`KB_*`) when a program starts."""

import ipaddress
import os
import re
from typing import Annotated, Literal, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_settings import NoDecode

from api.observability.logs import Form, Level
from index.settings import HomeSettings
from kb.errors import SettingsError

_SECRET = re.compile(r"key|secret|token|password", re.IGNORECASE)
_CREDENTIALS = re.compile(r"(?<=://)[^@\s]*(?=@)|(?:(?<=password=)|(?<=token=)|(?<=secret=)|(?<=key=))[^&\s]*")

Port = Annotated[int, Field(ge=0, le=65535)]
Positive = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0, le=3600)]


def _split(value: object) -> object:
    """``a, b`` as it stands in the environment → a tuple."""
    return tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value


def _network(text: str) -> str:
    ipaddress.ip_network(text, strict=False)  # ValueError names it
    return text


def _origin(text: str) -> str:
    parts = urlsplit(text)
    if text != f"{parts.scheme}://{parts.netloc}" or parts.scheme not in {"http", "https"} or not parts.netloc:
        raise ValueError("an origin is scheme and host alone, as https://wiki.example.org; `*` is not taken")
    return text


Networks = Annotated[tuple[Annotated[str, AfterValidator(_network)], ...], NoDecode, BeforeValidator(_split)]


def _host(text: str) -> str:
    name = text.lower().rstrip(".")
    if not re.fullmatch(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,20}", name):
        raise ValueError("a name is told without scheme and port, as kb.example.org; `*` is not taken")
    return name


Hosts = Annotated[tuple[Annotated[str, AfterValidator(_host)], ...], NoDecode, BeforeValidator(_split)]
Origins = Annotated[tuple[Annotated[str, AfterValidator(_origin)], ...], NoDecode, BeforeValidator(_split)]


class ServiceSettings(HomeSettings):
    """What `kb serve`, `kb up` and `kb search` can be told. `kb settings` lists every name, value and meaning."""

    host: str = Field("127.0.0.1", description="Address the service listens on; the default is this machine only.")
    port: Port = Field(8420, description="Port the service listens on; 0 takes any free one.")
    workers: Positive = Field(1, le=64, description="Processes that answer; they share the snapshot's memory.")
    url: str | None = Field(
        None, description="Address of a running service: `kb search` asks it instead of opening the home."
    )
    key: str | None = Field(None, description="An API key: what commands send to the service at `KB_URL`.")
    max_body_bytes: Positive = Field(32 * 1024 * 1024, description="Largest request body; a larger one gets 413.")
    concurrency: Positive = Field(
        default_factory=lambda: max(2, os.cpu_count() or 1), description="Searches that run at once in one worker."
    )
    queue: int = Field(64, ge=0, description="Searches that may wait in one worker; beyond that, 503 with Retry-After.")
    search_seconds: Seconds = Field(10.0, description="A search without an answer by then gets 503.")
    body_seconds: Seconds = Field(30.0, description="A request whose body is not whole by then gets 408.")
    connections: Positive = Field(512, description="Connections one worker keeps open; one more gets 503.")
    rate_per_address: float = Field(
        100.0,
        ge=0,
        description="Requests a second that one address may send to a worker; 0: any. This machine may any.",
    )
    rate_per_key: float = Field(
        100.0, ge=0, description="Requests a second that one API key may send to a worker; 0: any."
    )
    trusted_proxies: Networks = Field(
        (), description="Proxies whose X-Forwarded-For and -Proto are believed: addresses or networks, with commas."
    )
    cors_origins: Origins = Field((), description="Origins whose pages may call the API from a browser, with commas.")
    hosts: Hosts = Field(
        (),
        description="Names that the service is asked by, with commas: `kb.example.org`. Addresses and localhost are taken always. Unset: others are refused only where everybody on this machine may read.",
    )
    reading: Literal["open", "key"] | None = Field(
        None,
        description="Who may read: `open` everybody, `key` who has a key. Unset: everybody on this machine, and no other address is served.",
    )
    session_hours: Annotated[float, Field(gt=0, le=24 * 30)] = Field(
        12.0, description="A login on the page lasts so long."
    )
    oidc_issuer: str | None = Field(
        None,
        description="OpenID Connect provider for logins on the page, by the issuer it calls itself; needs the next two.",
    )
    oidc_client_id: str | None = Field(None, description="What the provider knows this service as.")
    oidc_client_secret: str | None = Field(None, description="The secret that goes with it.")
    oidc_scopes: str = Field(
        "openid profile email", description="What is asked of the provider, with spaces; some have a scope for groups."
    )
    oidc_roles: str = Field(
        "*=reader",
        description="Who gets which role by which claim, with commas: `groups:oncall=curator, groups:sre=admin, *=reader`. The highest holds.",
    )
    drain_seconds: float = Field(
        0.0, ge=0, le=3600, description="After SIGTERM: how long it still takes requests while `/readyz` says no."
    )
    review: Literal["optional", "required"] = Field(
        "optional",
        description="`required`: what a curator saves waits for a reviewer; `optional`: it is searched at once.",
    )
    feedback_text: bool = Field(
        default=False,
        description="Keep the text of a query with feedback on its matches, secrets out; else its fingerprints alone.",
    )
    contact: Annotated[str, Field(max_length=200)] | None = Field(
        None,
        description="Whom readers ask, as a channel or an address: shown where nothing is known, and where a key is needed.",
    )
    share_days: Annotated[int, Field(ge=0, le=365)] = Field(
        30,
        description="Days that a paste is kept, secrets out, when somebody asks for a link to its answer; 0: no links.",
    )
    draft_days: Annotated[int, Field(ge=0, le=365)] = Field(
        30,
        description="Days that the editor's private drafts are kept, secrets out, after their last change, for their writer alone; 0: only the browser keeps what is typed.",
    )
    insight_days: Annotated[int, Field(ge=0, le=730)] = Field(
        90,
        description="Days for which searches are counted for the dashboard: verdicts, times, incidents found, and errors without an answer by type and message, values taken out; 0: nothing is counted.",
    )
    poll_seconds: Seconds = Field(1.0, description="How often the service looks for a new snapshot.")
    log_format: Form = Field("auto", description="`json`, `console`, or `auto`: console on a terminal, else JSON.")
    log_level: Level = Field("info", description="Log lines from here on: debug, info, warning, error.")

    @classmethod
    def load(cls, **given: object) -> Self:
        """The settings of this process; ``given`` (not None) overrides the environment. SettingsError names the setting."""
        return loaded(cls, **given)


Kind = TypeVar("Kind", bound=HomeSettings)


def loaded(kind: type[Kind], **given: object) -> Kind:
    """Settings of any room, of the environment; ``given`` (not None) overrides it. SettingsError names the setting."""
    try:
        return kind(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        name = variable(str(first["loc"][0])) if first["loc"] else "the settings"
        shown = masked(str(first["loc"][0]) if first["loc"] else "", first["input"])
        problem = f"{name} cannot be {shown!r}: {first['msg'].removeprefix('Value error, ')}"
        raise SettingsError(
            problem, cure="set it to a value that fits, or unset it; `kb settings` lists them all"
        ) from None  # its words may hold a secret


def variable(field: str) -> str:
    """The environment variable of a setting."""
    return f"{HomeSettings.model_config.get('env_prefix', '')}{field}".upper()


def masked(name: str, value: object) -> object:
    """The value of a setting as it may be shown."""
    if value is None or isinstance(value, int | float):
        return value
    if not value:
        return ""
    return "********" if _SECRET.search(name) else _CREDENTIALS.sub("********", str(value))
