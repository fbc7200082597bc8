"""What an incident is: a problem that was understood once, with its traces, its cause and its fix."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from kb.trace.model import ExceptionChain


class Status(StrEnum):
    """Where a write-up stands in its life."""

    DRAFT = "draft"
    IN_REVIEW = "in_review"
    PUBLISHED = "published"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Source:
    """Where the incident was read from."""

    path: str
    """The document's path relative to the source that was ingested."""
    url: str
    """The address the document states, else ``path``, below the base address of its source where that has one."""
    licence: str | None = None


@dataclass(frozen=True, slots=True)
class Repost:
    """Another incident that tells the same in nearly the same words, from elsewhere."""

    id: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class QuoteSpan:
    """Where a quotation stands in its document."""

    start: int
    """Offsets into the decoded text of the document, or into what a web page shows of it."""
    end: int
    line: int
    """The line it begins on, from 1."""
    heading: str | None = None
    """The heading or label it stands under."""


def with_announced(stated: str | None, announced: str | None) -> str:
    """A stated text and what it announces below it, as Markdown; '' where nothing is stated."""
    return "\n\n".join(filter(None, (stated, announced))) if stated else ""


@dataclass(frozen=True, slots=True)
class Incident:
    """One known problem. Texts are as the author wrote them, secrets scrubbed; None means *not stated*."""

    id: str
    title: str
    lang: str
    """``zh``, ``en`` or ``mixed``."""
    source: Source
    revision: int = 1
    status: Status = Status.PUBLISHED
    component: str | None = None
    versions: tuple[str, ...] = ()
    symptom: str | None = None
    root_cause: str | None = None
    distinguish: str | None = None
    """How to tell this cause apart from others that show the same error. Markdown."""
    fix: str | None = None
    traces: tuple[str, ...] = ()
    """Every trace of the document as text, in order; ``chains`` is what was read of them."""
    chains: tuple[ExceptionChain, ...] = ()
    prose: str = ""
    """The rest of the document's words, for the indexes: no traces, no code."""
    tags: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    """Error codes it names, as `kb.entities` shows them."""
    created: str | None = None
    """ISO 8601 date or date-time."""
    duplicate_of: str | None = None
    reposts: tuple[Repost, ...] = ()
    """Where else it is told; found when a snapshot is built, never read from a record that is taken in."""
    quotes: Mapping[str, tuple[QuoteSpan, ...]] = field(default_factory=dict)
    """Where ``root_cause`` and ``fix`` stand in the document, by the name of the field, when they were quoted from one."""
    announced: Mapping[str, str] = field(default_factory=dict)
    """What stands in the document right behind them where they end in *as follows:*, by the same names: code, a list, a table, as short
    Markdown. Shown below them; no words for the indexes."""
    sections: Mapping[str, str] = field(default_factory=dict)
    """The section of the document around ``root_cause`` and around ``fix``, by the same names, as short Markdown; under ``article`` the
    document's own words where one of them was not quoted. Shown to readers; no words for the indexes."""
    article: str = ""
    """The whole document as it was read, or the part of it that tells of this problem, as Markdown: code, lists, tables and traces in their
    order. '' for what was written as a record. Shown on the incident's own page; no words for the indexes, no part of answers."""
    extra: Mapping[str, object] = field(default_factory=dict)
    """Keys of the record that mean nothing here, kept for the way back."""
