"""Where the knowledge base lives and which model reads it: the settings every room shares."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from index.storage.place import FORMS, CandidatePlace
from kb.errors import SettingsError


def _address(text: str) -> str:
    CandidatePlace.of(text)  # ValueError says what is wrong with it
    return text


class HomeSettings(BaseSettings):
    """Read from the environment: ``KB_HOME``, ``KB_MODEL``, ``KB_DATABASE_URL`` and ``KB_CANDIDATES``."""

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

    candidates: Annotated[str, AfterValidator(_address)] | None = Field(
        default=None,
        description=f"where candidates are looked up: {FORMS}; unset: in the snapshot's own index. Needs the extra `milvus`.",
    )
    candidates_token: str | None = Field(
        default=None, description="token of that server, or user:password, where the address has none"
    )
    candidates_fallback: Literal["local"] | None = Field(
        default=None,
        description="`local`: the snapshot's own index answers while that server does not; unset: searches get 503",
    )
    candidates_seconds: float = Field(
        default=2.0, gt=0, le=60, description="how long one look-up there may take, in seconds"
    )

    @classmethod
    def read(cls, **given: Path) -> Self:
        """Read the environment; ``given`` overrides it. SettingsError names what is wrong, without its value: that may hold a password."""
        try:
            return cls(**given)  # type: ignore[arg-type]  # a home alone
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            name = f"KB_{first['loc'][0]}".upper() if first["loc"] else "the settings"
            problem = f"{name} cannot be read: {first['msg'].removeprefix('Value error, ')}"
            raise SettingsError(problem, cure="mend it; docs/settings.md says what it takes") from None

    @property
    def place(self) -> CandidatePlace | None:
        """Where candidates are looked up; None for the snapshot's own index."""
        if not self.candidates:
            return None
        falls_back = self.candidates_fallback == "local"
        return CandidatePlace.of(self.candidates, self.candidates_token, self.candidates_seconds, falls_back=falls_back)

    @property
    def store(self) -> str | Path:
        """What `kb.store.Store.open` is given."""
        return self.database_url or self.home / "store.db"
