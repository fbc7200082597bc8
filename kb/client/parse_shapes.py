"""The JSON of `/v1/parse` as types: the traces of a text, and what was removed from it."""

from typing import TypedDict

from kb.client.shapes import Offsets, Raised


class ParsedFrame(TypedDict):
    """One call; ``raw`` is its line as it stood in the text, trimmed."""

    module: str | None
    function: str | None
    filename: str | None
    lineno: int | None
    column: int | None
    in_app: bool
    raw: str


class ParsedException(Raised):
    """One exception of a chain; ``parent``: which one it hangs on."""

    wrapped_type: str | None
    relation: str | None
    parent: int | None
    elided: int
    frames: list[ParsedFrame]


class ParsedChain(TypedDict):
    """One trace; its fingerprints by level."""

    runtime: str
    thread: str | None
    head_truncated: bool
    span: Offsets
    notes: list[str]
    exceptions: list[ParsedException]
    fingerprints: dict[str, str]


class Redaction(TypedDict):
    """A removed secret: its kind and place, never its text."""

    kind: str
    start: int
    end: int


class Reading(TypedDict):
    """How a text was read."""

    chains: list[ParsedChain]
    redactions: list[Redaction]
    lang: str
    notes: list[str]
