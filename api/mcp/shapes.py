"""What the tools take and give that no route takes and gives in just that shape."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.incoming import In
from api.schemas import Out
from api.writing.answers import DraftOut
from api.writing.shapes import DraftIn, Id


class GetIn(In):
    """Which incident is asked for."""

    id: Annotated[Id, Field(description="As search_incidents gives it.")]


class DraftAndSaveIn(DraftIn):
    """A paste that a write-up is to begin with, what is known of it already, and whether it is to be kept."""

    model_config = ConfigDict(extra="forbid", strict=True)

    save: bool = Field(
        default=False, description="Keep it as a draft, which curators see and no search finds. Takes the role curator."
    )


class SavedAs(Out):
    """Where the draft is."""

    id: str
    revision: int
    status: Literal["draft"]


class DraftAndSavedOut(DraftOut):
    """A write-up to begin with."""

    saved: SavedAs | None = Field(description="null: nothing was saved.")


def schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a shape, without the names and examples that only people read: agents read it with every conversation."""
    found = _bare(model.model_json_schema())
    found.pop("examples", None)
    return dict(found)


def _bare(schema: Any) -> Any:
    """A schema without the titles that pydantic makes of names; a property that is called ``title`` is no text."""
    if isinstance(schema, dict):
        return {key: _bare(value) for key, value in schema.items() if not (key == "title" and isinstance(value, str))}
    return [_bare(one) for one in schema] if isinstance(schema, list) else schema
