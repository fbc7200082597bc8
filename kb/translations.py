"""One incident in two languages: what is told in which, which words a reader gets, and which translations lag behind."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kb.incident import Incident, Kind, Translation, fields_of
from kb.record import short_hash


def prose_of(incident: Incident) -> dict[str, str]:
    """The texts of an incident that are translated, by the name of the field; without those that say nothing."""
    names = (one.name for one in fields_of(type(incident)) if one.is_prose)
    return {name: text for name in names if (text := getattr(incident, name))}


def languages(incident: Incident) -> tuple[str, ...]:
    """The languages that an incident is told in, its own first."""
    return (incident.lang, *(lang for lang in incident.translations if lang != incident.lang))


def in_language(incident: Incident, lang: str) -> Incident:
    """The incident as a reader of a language gets it: its words in it, if it has them, and the others as its translation.

    What belongs to quotations of the original (their places, and what stands around them) goes with the original's words.
    """
    there = incident.translations.get(lang)
    if there is None or lang == incident.lang:
        return incident
    own = Translation(incident.title, prose_of(incident))
    names = (one for one in fields_of(type(incident)) if one.is_prose)
    fields: dict[str, Any] = {one.name: there.texts.get(one.name) or getattr(incident, one.name) for one in names}
    quoted = (one.name for one in fields_of(type(incident)) if one.kind in {Kind.QUOTES, Kind.MARKDOWN})
    fields |= {key: {} for key in quoted}
    others = {name: one for name, one in incident.translations.items() if name != lang}
    return replace(
        incident,
        title=there.title,
        lang=lang,
        translations={incident.lang: own, **others},
        **fields,
    )


def text_digest(incident: Incident) -> str:
    """The revision of an incident's text, by which a translation says what it follows: eight hexadecimal digits.

    They begin the SHA-256 of the title and the prose sections in their order, each on a line, blanks and line ends evened out:
    breaking lines elsewhere is no change, and neither are traces, tags and links, which both languages share.
    """
    texts = (incident.title, *prose_of(incident).values())
    return short_hash("\n".join(" ".join(text.split()) for text in texts))


def lagging(incident: Incident) -> Mapping[str, str]:
    """By language, the translations that do not follow the text as it stands, with what they follow; '' for one that was never stamped."""
    now = text_digest(incident)
    return {lang: one.translates for lang, one in incident.translations.items() if one.translates != now}


def stamped(incident: Incident) -> Incident:
    """The incident with all translations said to follow its text as it stands."""
    now = text_digest(incident)
    return replace(
        incident, translations={lang: replace(one, translates=now) for lang, one in incident.translations.items()}
    )
