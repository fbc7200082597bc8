"""What an incident is: a problem that was understood once, with its traces, its cause and its fix.

The class `Incident` is the one table of its fields. Whoever writes, reads, scrubs, compares or describes an incident goes by
`fields_of`, so that a new field is one line here, and a place where a reader sees it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cache
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Translation:
    """The words of an incident in another language. Traces, versions and the like are those of the original."""

    title: str
    texts: Mapping[str, str] = field(default_factory=dict)
    """By the name of the field (those that are prose, and ``references``)."""
    translates: str = ""
    """The digest of the original's text that it follows (`kb.translations.text_digest`); '' where nobody has said."""


QUOTED = ("root_cause", "fix")
"""The fields that are quoted from a document."""


def with_announced(stated: str | None, announced: str | None) -> str:
    """A stated text and what it announces below it, as Markdown; '' where nothing is stated."""
    return "\n\n".join(filter(None, (stated, announced))) if stated else ""


class Kind(StrEnum):
    """What a field holds; in the order in which a record has the fields."""

    TEXT = "text"
    """``str | None``."""
    LIST = "list"
    """``tuple[str, ...]``."""
    REPOSTS = "reposts"
    """``tuple[Repost, ...]``."""
    WORDS = "words"
    """``str``, '' where there are none."""
    QUOTES = "quotes"
    """Of some fields where they stand in the document: ``Mapping[str, tuple[QuoteSpan, ...]]``."""
    DOCUMENT = "document"
    """``str``, a whole document as Markdown."""
    MARKDOWN = "markdown"
    """Of some fields a text that belongs to them: ``Mapping[str, str]``."""
    TRANSLATIONS = "translations"
    """By language: ``Mapping[str, Translation]``."""


class Front(StrEnum):
    """Where in the front matter of a write-up a field stands."""

    ABOUT = "about"
    """Above the address of its source."""
    BELOW = "below"
    """Below it."""


@dataclass(frozen=True, slots=True)
class IncidentField:
    """One row of the table of an incident's fields. Every text of it is scrubbed, stored and described, whatever else is said here."""

    name: str
    """Of the attribute, and of the key in a record."""
    kind: Kind
    description: str | None = None
    """For the API's description: of what comes out,"""
    sent: str | None = None
    """of what goes in (None: the same),"""
    drafted: str | None = None
    """and of what is said beside a paste (None: as it goes in)."""
    heading: tuple[str, str] | None = None
    """The section of a write-up that holds it, in English and in Chinese."""
    also: tuple[str, ...] = ()
    """Other headings that are read like it."""
    front: Front | None = None
    """Whether the front matter of a write-up holds it."""
    names: tuple[str, ...] = ()
    """The fields that ``QUOTES``, ``MARKDOWN`` and ``TRANSLATIONS`` speak of."""
    is_id: bool = False
    """The id of an incident."""
    is_line: bool = False
    """One line, or a list of lines; else a text, or a list of texts."""
    is_prose: bool = False
    """Words that a curator writes, and an edit changes as a whole."""
    in_answer: bool = False
    """Sent with each match of an answer."""
    in_draft: bool = False
    """Sent with a first draft of a paste."""
    from_writer: bool = False
    """What somebody may say beside a paste that they want drafted."""
    in_diff: bool = True
    """Whether a difference of two revisions shows it."""


_TRAITS = "incident field"
_EMPTY: Mapping[Kind, Any] = {Kind.TEXT: None, Kind.WORDS: "", Kind.DOCUMENT: "", Kind.LIST: (), Kind.REPOSTS: ()}


def incident_field(kind: Kind, **traits: Any) -> Any:
    """A field of an incident, with what else is to be known of it (`IncidentField`)."""
    empty: Any = {"default": _EMPTY[kind]} if kind in _EMPTY else {"default_factory": dict}
    return field(**empty, metadata={_TRAITS: {"kind": kind, **traits}})


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
    component: str | None = incident_field(
        Kind.TEXT, front=Front.ABOUT, is_line=True, in_answer=True, in_draft=True, from_writer=True
    )
    owner: str | None = incident_field(
        Kind.TEXT,
        description="The team or person to ask when the fix does not help.",
        front=Front.ABOUT,
        is_line=True,
        in_answer=True,
    )
    versions: tuple[str, ...] = incident_field(Kind.LIST, front=Front.ABOUT, is_line=True, in_draft=True)
    symptom: str | None = incident_field(
        Kind.TEXT,
        drafted="What one sees. Markdown.",
        heading=("Symptom", "现象"),
        is_prose=True,
        in_draft=True,
        from_writer=True,
    )
    traces: tuple[str, ...] = incident_field(Kind.LIST, heading=("Trace", "堆栈"), in_draft=True)
    """Every trace of the document as text, in order; ``chains`` is what was read of them."""
    chains: tuple[ExceptionChain, ...] = ()
    root_cause: str | None = incident_field(
        Kind.TEXT,
        drafted="Why it happens. Markdown.",
        heading=("Root cause", "根因"),
        also=(
            *("Root causes", "Cause", "Causes", "Cause analysis", "Root cause analysis"),
            *("根本原因", "原因", "原因分析", "问题原因", "根因分析"),
        ),
        is_prose=True,
        in_answer=True,
        in_draft=True,
        from_writer=True,
    )
    distinguish: str | None = incident_field(
        Kind.TEXT,
        description="How to tell this cause apart from others that show the same error. Markdown.",
        heading=("How to tell it apart", "如何区分"),
        also=(
            *("What it is not", "How to confirm", "How to tell them apart", "Not to be confused with", "Distinguish"),
            *("如何确认", "如何判断", "区别", "不是什么情况", "排除"),
        ),
        is_prose=True,
        in_answer=True,
        in_draft=True,
        from_writer=True,
    )
    """How to tell this cause apart from others that show the same error. Markdown."""
    fix: str | None = incident_field(
        Kind.TEXT,
        drafted="What helps. Markdown.",
        heading=("Fix", "解决"),
        also=(
            *("Fixes", "Resolution", "Solution", "Solutions", "How to fix", "How to fix it"),
            *("解决办法", "解决方法", "解决方案", "修复", "修复方法", "处理方法"),
        ),
        is_prose=True,
        in_answer=True,
        in_draft=True,
        from_writer=True,
    )
    prose: str = incident_field(Kind.WORDS, sent="The rest of its words.", heading=("Notes", "说明"), is_prose=True)
    """The rest of the document's words, for the indexes: no traces, no code."""
    tags: tuple[str, ...] = incident_field(Kind.LIST, front=Front.ABOUT, is_line=True, in_draft=True, from_writer=True)
    codes: tuple[str, ...] = incident_field(
        Kind.LIST, description="Error codes it names.", sent="", front=Front.ABOUT, is_line=True, in_draft=True
    )
    """Error codes it names, as `kb.entities` shows them."""
    created: str | None = incident_field(Kind.TEXT, sent="ISO 8601 date or date-time.", front=Front.BELOW, is_line=True)
    """ISO 8601 date or date-time."""
    duplicate_of: str | None = incident_field(Kind.TEXT, front=Front.BELOW, is_id=True)
    reposts: tuple[Repost, ...] = incident_field(
        Kind.REPOSTS,
        description="Where else it is told; those have this one's id in `duplicate_of`.",
        sent="",
        in_diff=False,
    )
    """Where else it is told; found when a snapshot is built, never read from a record that is taken in."""
    quotes: Mapping[str, tuple[QuoteSpan, ...]] = incident_field(
        Kind.QUOTES,
        description="Where `root_cause` and `fix` stand in the article they are quoted from.",
        sent="",
        names=QUOTED,
        in_diff=False,
    )
    """Where ``root_cause`` and ``fix`` stand in the document, by the name of the field, when they were quoted from one."""
    announced: Mapping[str, str] = incident_field(
        Kind.MARKDOWN,
        description="What stands in the article right behind `root_cause` or `fix` where they end in *as follows:*: code, a list, a table. "
        "By the name of the field; Markdown. What was read from an article has at most 30 lines and 2,000 characters, then `…`.",
        sent="What they announce in the article they are quoted from; goes when they are changed.",
        names=QUOTED,
        in_answer=True,
    )
    """What stands in the document right behind them where they end in *as follows:*, by the same names: code, a list, a table, as short
    Markdown. Shown below them; no words for the indexes."""
    sections: Mapping[str, str] = incident_field(
        Kind.MARKDOWN,
        description="The section of the article that `root_cause` and `fix` stand in, by their names; under `article` the article's own words "
        "where one of them was not found in it. Markdown of at most 40 lines and 2,500 characters, then `…`.",
        sent="The sections they stand in; each goes when its field is changed.",
        names=(*QUOTED, "article"),
        in_answer=True,
    )
    """The section of the document around ``root_cause`` and around ``fix``, by the same names, as short Markdown; under ``article`` the
    document's own words where one of them was not quoted. Shown to readers; no words for the indexes."""
    article: str = incident_field(
        Kind.DOCUMENT,
        description="The article as it was read: code, lists, tables and traces in their order. Markdown of at most 20,000 characters, "
        "then `…`. Left out of answers, and where the incident was not read from an article.",
        sent="The article as it was read. Of an incident that has one it stays as it is, whatever is sent.",
    )
    """The whole document as it was read, or the part of it that tells of this problem, as Markdown: code, lists, tables and traces in their
    order. '' for what was written as a record. Shown on the incident's own page; no words for the indexes, no part of answers."""
    translations: Mapping[str, Translation] = incident_field(
        Kind.TRANSLATIONS,
        description="The same in other languages, by language: title and texts. `translates` is the digest of the original's text that it follows.",
    )
    """The same incident in other languages than ``lang``, by language."""
    extra: Mapping[str, object] = field(default_factory=dict)
    """Keys of the record that mean nothing here, kept for the way back."""


def fields_of(kind: type[Incident]) -> tuple[IncidentField, ...]:
    """The table of the fields of an incident, in the order of the class; without those that identify it (`id` to `status`)."""
    of: Any = kind  # a type checker finds no hash of a class whose values are frozen
    return _table(of)


@cache
def _table(kind: Any) -> tuple[IncidentField, ...]:
    table = [IncidentField(one.name, **one.metadata[_TRAITS]) for one in fields(kind) if _TRAITS in one.metadata]
    prose = (*(one.name for one in table if one.is_prose), "references")
    return tuple(replace(one, names=prose) if one.kind is Kind.TRANSLATIONS else one for one in table)
