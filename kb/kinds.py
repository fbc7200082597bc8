"""What is done with a field of each kind: read of a record, scrubbed, written, and judged where a write-up keeps it as JSON.

A kind has no way not to be scrubbed: a field of `kb.incident.Incident` that is forgotten here has no kind.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any, TypeGuard, cast

from kb.errors import KbError
from kb.incident import IncidentField, Kind, QuoteSpan, Repost, Translation
from kb.redact import redact

_NUMBERS = ("start", "end", "line")
_LARGEST = 2**31


class RecordError(KbError):
    """A record that is not an incident: names the field."""

    def __init__(self, field: str, problem: str, *, cure: str) -> None:
        super().__init__(f"field {field!r} {problem}", cure=cure)
        self.field = field


@dataclass(frozen=True, slots=True)
class Handling:
    """What one kind of field can do. ``field`` is the row of the table."""

    read: Callable[[Any, IncidentField], Any]
    """The value of a record's value that somebody sent, scrubbed; None: nothing is there. Raises `RecordError`."""
    restore: Callable[[Any, IncidentField], Any]
    """The same of what `kb.record.to_record` wrote: not scrubbed again; None: nothing, or of no use."""
    scrub: Callable[[Any], Any]
    write: Callable[[Any], Any]
    """The value as JSON."""
    fits: Callable[[Any, IncidentField], bool]
    """Whether a value of JSON can be restored without loss."""


def clean(text: str | None) -> str | None:
    """A text without secrets."""
    return None if text is None else redact(text).text


def read_text(value: object, field: str) -> str | None:
    """A text of a record, scrubbed; None where it is blank. Raises `RecordError`."""
    if value is None:
        return None
    if field == "created" and isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str):
        raise RecordError(field, f"is {kind_of(value)}, not text", cure="write it as a string")
    return redact(value).text if value.strip() else None


def read_texts(value: object, field: str) -> tuple[str, ...]:
    """The texts of a list, or a single text, scrubbed. Raises `RecordError`."""
    if value is None:
        return ()
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise RecordError(field, f"is {kind_of(value)}, not a list of texts", cure="write it as a list of strings")
    return tuple(redact(one).text for one in value if one.strip())


def kind_of(value: object) -> str:
    """What a value of JSON is, in words."""
    return {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}.get(
        type(value), type(value).__name__
    )


def is_text(value: Any) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)


def is_full(value: Any) -> bool:
    """Whether a value is a text that says something."""
    return isinstance(value, str) and bool(value.strip())


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _restored_text(value: Any, _: IncidentField) -> str | None:
    return value if isinstance(value, str) else None


def _read_quotes(value: Any, field: IncidentField) -> dict[str, tuple[QuoteSpan, ...]]:
    """The places of quotations: ``{"fix": [{"start": 3, "end": 9, "line": 1, "heading": "Fix"}]}``."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RecordError(field.name, f"is {kind_of(value)}, not an object", cure="leave it out")
    found: dict[str, tuple[QuoteSpan, ...]] = {}
    for name, places in value.items():
        if name not in field.names or not isinstance(places, list | tuple):
            raise RecordError(field.name, "is no list of places by `root_cause` and `fix`", cure="leave it out")
        found[name] = tuple(_place(one, field.name) for one in places)
    return found


def _place(value: object, field: str) -> QuoteSpan:
    if isinstance(value, dict):
        start, end, line, heading = (value.get(key) for key in (*_NUMBERS, "heading"))
        if all(type(one) is int and one >= 0 for one in (start, end, line)) and isinstance(heading, str | None):
            return QuoteSpan(cast("int", start), cast("int", end), cast("int", line), clean(heading))
    raise RecordError(field, "holds something that is no place", cure="give `start`, `end`, `line` and `heading`")


def _fits_quotes(value: Any, field: IncidentField) -> bool:
    return isinstance(value, dict) and all(
        name in field.names and isinstance(places, list) and all(map(_is_place, places))
        for name, places in value.items()
    )


def _is_place(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() <= {*_NUMBERS, "heading"}
        and all(type(value.get(key)) is int and 0 <= value[key] < _LARGEST for key in _NUMBERS)
        and isinstance(value.get("heading"), str | None)
    )


def _scrubbed_quotes(quotes: Mapping[str, tuple[QuoteSpan, ...]]) -> dict[str, tuple[QuoteSpan, ...]]:
    return {
        name: tuple(replace(place, heading=clean(place.heading)) for place in places) for name, places in quotes.items()
    }


def _read_markdown(value: Any, field: IncidentField) -> dict[str, str]:
    """Markdown by the name of what it belongs to: ``{"fix": "```xml …"}``."""
    if value is None:
        return {}
    if not _is_markdown(value, field):
        names = " and ".join(f"`{name}`" for name in sorted(field.names, reverse=True))
        raise RecordError(field.name, f"is no object of texts by {names}", cure="leave it out")
    return {name: redact(text).text for name, text in value.items() if text.strip()}


def _is_markdown(value: object, field: IncidentField) -> TypeGuard[dict[str, str]]:
    return isinstance(value, dict) and all(
        name in field.names and isinstance(text, str) for name, text in value.items()
    )


def _is_repost(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"id", "title", "url"}
        and all(isinstance(one, str) for one in value.values())
    )


LANGUAGES = ("zh", "en")
"""What an incident can be translated into."""
_HEAD = ("title", "translates")


def _read_translations(value: Any, field: IncidentField) -> dict[str, Translation]:
    """Translations by language: ``{"zh": {"title": "…", "fix": "…", "translates": "1a2b3c4d"}}``."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise RecordError(field.name, f"is {kind_of(value)}, not an object", cure='write {"zh": {"title": …}}')
    return {lang: _read_translation(lang, translation, field) for lang, translation in value.items()}


def _read_translation(lang: object, value: object, field: IncidentField) -> Translation:
    if lang not in LANGUAGES or not isinstance(value, Mapping):
        raise RecordError(field.name, "is no object of translations by language", cure='use "zh" or "en"')
    if not value.keys() <= {*_HEAD, *field.names}:
        known = ", ".join((*_HEAD, *field.names))
        raise RecordError(field.name, "holds something that is not translated", cure=f"a translation has {known}")
    title = read_text(value.get("title"), field.name)
    if title is None:
        raise RecordError(field.name, "holds one without a title", cure="give each translation a `title`")
    texts = {name: read_text(value.get(name), field.name) for name in field.names}
    follows = read_text(value.get("translates"), field.name) or ""
    return Translation(title, {name: text for name, text in texts.items() if text}, follows)


def _restored_translations(value: Any, field: IncidentField) -> dict[str, Translation]:
    return {
        lang: Translation(
            translation["title"],
            {name: translation[name] for name in field.names if name in translation},
            translation.get("translates", ""),
        )
        for lang, translation in (value or {}).items()
    }


def _scrubbed_translations(translations: Mapping[str, Translation]) -> dict[str, Translation]:
    return {
        lang: Translation(
            redact(one.title).text,
            {name: redact(text).text for name, text in one.texts.items()},
            redact(one.translates).text,
        )
        for lang, one in translations.items()
    }


def _written_translations(translations: Mapping[str, Translation]) -> dict[str, dict[str, str]] | None:
    return {
        lang: {"title": one.title, **({"translates": one.translates} if one.translates else {}), **one.texts}
        for lang, one in translations.items()
    } or None


def _fits_translations(value: Any, field: IncidentField) -> bool:
    return isinstance(value, dict) and all(
        lang in LANGUAGES
        and isinstance(translation, dict)
        and is_full(translation.get("title"))
        and translation.keys() <= {*_HEAD, *field.names}
        and all(map(is_full, translation.values()))
        for lang, translation in value.items()
    )


HANDLING: Mapping[Kind, Handling] = {
    Kind.TEXT: Handling(
        read=lambda value, field: read_text(value, field.name),
        restore=_restored_text,
        scrub=clean,
        write=lambda text: text,
        fits=lambda value, _: is_text(value),
    ),
    Kind.WORDS: Handling(
        read=lambda value, field: read_text(value, field.name),
        restore=_restored_text,
        scrub=clean,
        write=lambda text: text or None,
        fits=lambda value, _: is_text(value),
    ),
    Kind.LIST: Handling(
        read=lambda value, field: read_texts(value, field.name),
        restore=lambda value, _: tuple(value or ()),
        scrub=lambda texts: tuple(redact(one).text for one in texts),
        write=lambda texts: list(texts) or None,
        fits=lambda value, _: _are_texts(value),
    ),
    Kind.REPOSTS: Handling(
        read=lambda _, __: None,  # found when a snapshot is built, and not the writer's to change
        restore=lambda value, _: tuple(Repost(**one) for one in value or ()),
        scrub=lambda some: tuple(Repost(*(redact(text).text for text in (one.id, one.title, one.url))) for one in some),
        write=lambda some: [asdict(one) for one in some] or None,
        fits=lambda value, _: isinstance(value, list) and all(map(_is_repost, value)),
    ),
    Kind.QUOTES: Handling(
        read=_read_quotes,
        restore=_read_quotes,
        scrub=_scrubbed_quotes,
        write=lambda quotes: {name: [asdict(one) for one in places] for name, places in quotes.items()} or None,
        fits=_fits_quotes,
    ),
    Kind.MARKDOWN: Handling(
        read=_read_markdown,
        restore=lambda value, field: dict(value) if _is_markdown(value, field) else {},  # of an older version
        scrub=lambda texts: {name: redact(text).text for name, text in texts.items()},
        write=lambda texts: dict(texts) or None,
        fits=lambda value, field: _is_markdown(value, field) and all(map(is_full, value.values())),
    ),
    Kind.TRANSLATIONS: Handling(
        read=_read_translations,
        restore=_restored_translations,
        scrub=_scrubbed_translations,
        write=_written_translations,
        fits=_fits_translations,
    ),
}
HANDLING = {**HANDLING, Kind.DOCUMENT: HANDLING[Kind.WORDS]}


def handling(field: IncidentField) -> Handling:
    """What can be done with a field."""
    return HANDLING[field.kind]
