"""The settings of the service, read once from the environment (`KB_*`) when a program starts."""

import os
from typing import Annotated, Self

from pydantic import Field, ValidationError

from index.settings import HomeSettings
from kb.errors import SettingsError

Port = Annotated[int, Field(ge=0, le=65535)]
Positive = Annotated[int, Field(ge=1)]


class ServiceSettings(HomeSettings):
    """What `kb serve`, `kb up` and `kb search` can be told. `kb settings` lists every name, value and meaning."""

    host: str = Field("127.0.0.1", description="Address the service listens on; the default is this machine only.")
    port: Port = Field(8420, description="Port the service listens on; 0 takes any free one.")
    workers: Positive = Field(1, le=64, description="Processes that answer; they share the snapshot's memory.")
    url: str | None = Field(
        None, description="Address of a running service: `kb search` asks it instead of opening the home."
    )
    max_body_bytes: Positive = Field(32 * 1024 * 1024, description="Largest request body; a larger one gets 413.")
    concurrency: Positive = Field(
        default_factory=lambda: max(2, os.cpu_count() or 1), description="Searches that run at once in one worker."
    )
    queue: int = Field(64, ge=0, description="Searches that may wait in one worker; beyond that, 503 with Retry-After.")
    poll_seconds: float = Field(1.0, gt=0, le=3600, description="How often the service looks for a new snapshot.")

    @classmethod
    def load(cls, **given: object) -> Self:
        """The settings of this process; ``given`` (not None) overrides the environment. SettingsError names the setting."""
        try:
            return cls(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
        except ValidationError as error:
            first = error.errors()[0]
            name = variable(str(first["loc"][0])) if first["loc"] else "the settings"
            problem = f"{name} cannot be {first['input']!r}: {first['msg']}"
            raise SettingsError(
                problem, cure="set it to a value that fits, or unset it; `kb settings` lists them all"
            ) from error


def variable(field: str) -> str:
    """The environment variable of a setting."""
    return f"{ServiceSettings.model_config.get('env_prefix', '')}{field}".upper()
