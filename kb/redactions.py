"""Which secrets `kb.record.scrub` takes out of a record, for whoever wrote it: kinds and fields, never the secrets."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kb.record import DEEPEST, PROBE, judged
from kb.redact import redact


@dataclass(frozen=True, slots=True)
class RedactionCount:
    """So many secrets of one kind that stood in one field."""

    kind: str
    field: str
    """JSON pointer into the record: ``/traces/0``."""
    count: int


def redaction_counts(record: Mapping[str, object]) -> tuple[RedactionCount, ...]:
    """The secrets of a record as it was written, in the order of its fields."""
    found = Counter(_counted(record, "", ""))
    return tuple(RedactionCount(kind, field, count) for (kind, field), count in found.items())


def _counted(value: object, key: str, field: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    if depth > DEEPEST or value is None or isinstance(value, bool):
        return
    if isinstance(value, Mapping):
        names = judged(value, key)
        for name, inner in value.items():
            hidden = redact(str(name))  # a key may be a secret, too
            yield from ((one.kind, field) for one in hidden.redactions)
            below = hidden.text.replace("~", "~0").replace("/", "~1")
            yield from _counted(inner, names.get(str(name), str(name)), f"{field}/{below}", depth + 1)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _counted(inner, key, f"{field}/{number}", depth + 1)
    elif kind := _named(key, value):
        yield kind, field
    elif isinstance(value, str):
        yield from ((one.kind, field) for one in redact(value).redactions)


def _named(key: str, value: object) -> str | None:
    """The kind of secret that stands under ``password`` and the like, whatever it looks like."""
    if isinstance(value, str):
        value = PROBE if value.strip() else ""
    found = redact(f'"{key}": "{value!s}"').redactions if value != "" else ()
    return found[0].kind if found else None
