"""Where the knowledge base lives and which model reads it: the settings every room shares."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class HomeSettings(BaseSettings):
    """Read from the environment: ``KB_HOME``, ``KB_MODEL`` and ``KB_DATABASE_URL``."""

    model_config = SettingsConfigDict(env_prefix="KB_", extra="ignore")

    home: Path = Field(default=Path(".kb"), description="folder of the lake, the snapshots and CURRENT")
    model: str | None = Field(
        default=None,
        description="a sentence-transformers model, by path or hub name; unset: the bundled bilingual model",
    )
    database_url: str | None = Field(
        default=None,
        description="where the store of curated incidents is: postgresql://user:password@host/database or "
        "sqlite:////path/to/file; unset: store.db in the home",
    )

    @property
    def store(self) -> str | Path:
        """What `kb.store.Store.open` is given."""
        return self.database_url or self.home / "store.db"
