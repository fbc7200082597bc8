"""Where the knowledge base lives and which model reads it: the settings every room shares."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class HomeSettings(BaseSettings):
    """Read from the environment: ``KB_HOME`` and ``KB_MODEL``."""

    model_config = SettingsConfigDict(env_prefix="KB_", extra="ignore")

    home: Path = Field(default=Path(".kb"), description="folder of the lake, the snapshots and CURRENT")
    model: str | None = Field(
        default=None,
        description="a sentence-transformers model, by path or hub name; unset: the bundled bilingual model",
    )
