"""What the JSON doors take: the shapes that requests are checked by."""

from typing import Annotated, Any, Literal

from fastapi import Header
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from api.contract.bodies import mended

TRACE = (
    "java.io.IOException: Unable to close file because the last block does not have enough number of replicas.\n"
    "\tat org.apache.hadoop.hdfs.DFSOutputStream.completeFile(DFSOutputStream.java:2705)\n"
)


def _whole(text: Any) -> Any:
    return mended(text) if isinstance(text, str) else text


def _not_blank(text: Any) -> Any:
    if isinstance(text, str) and (not text or text.isspace()):  # strip() would copy it
        raise ValueError("it is empty: paste a trace, a log excerpt or a question")
    return text


def whole_number(value: Any) -> Any:
    """``5.0`` is an integer in JSON (JSON Schema 2020-12, validation 6.1.1)."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Text = Annotated[
    str,
    BeforeValidator(_not_blank),
    BeforeValidator(_whole),
    Field(json_schema_extra={"minLength": 1, "pattern": r"[^\s\x1c-\x1f]"}),
]
Key = Annotated[str, StringConstraints(max_length=200), BeforeValidator(_whole)]
K = Annotated[int, Field(ge=1, le=50, description="How many incidents at most."), BeforeValidator(whole_number)]


AcceptLanguage = Annotated[str | None, Header(description="The reader's languages; a `lang` that is sent goes before.")]
Lang = Annotated[
    Literal["zh", "en"] | None,
    Field(
        description="The reader's language: reasons, notes and incidents with a translation are told in it. Left out: `Accept-Language` says."
    ),
]


class In(BaseModel):
    """A request: an unknown field is a mistake worth telling, and a number in quotes is a text."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SearchIn(In):
    """One paste."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"text": TRACE, "k": 5}]})

    text: Text = Field(description="A stack trace, a log excerpt or a question, in Chinese or English.")
    k: K = 5
    filters: dict[Key, Key] | None = Field(
        None, description="Only incidents with these values.", examples=[{"component": "flink"}]
    )
    lang: Lang = None
    explain: bool = Field(default=True, description="False leaves `evidence` and `against` of the matches empty.")


class BatchItem(In):
    """One of many pastes."""

    id: Key = Field(description="Comes back with the answer.")
    text: Text


class BatchIn(In):
    """Many pastes."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"items": [{"id": "1", "text": TRACE}], "k": 3}]}
    )

    items: list[BatchItem] = Field(min_length=1, max_length=1000)
    k: K = 5
    lang: Lang = None
    explain: bool = True


class ParseIn(In):
    """A text to read."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"text": TRACE}]})

    text: Text
