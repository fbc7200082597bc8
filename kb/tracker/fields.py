"""Read foreign JSON without raising: a value that is missing or has another type is empty."""

from collections.abc import Mapping
from datetime import datetime

from kb.article.writeups.frontmatter import day_of


def at(value: object, *path: str) -> object:
    """Return the value under a path of keys, or None."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def text_at(value: object, *path: str) -> str:
    """Return the string or number under a path, or ''."""
    found = at(value, *path)
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return ""
    try:
        return str(found)
    except ValueError:  # a number of more digits than Python prints
        return ""


def list_at(value: object, *path: str) -> list[object]:
    """Return the list under a path; a GraphQL connection (``{"nodes": […]}``) counts as one."""
    found = at(value, *path)
    if isinstance(found, Mapping):
        found = found.get("nodes")
    return list(found) if isinstance(found, list | tuple) else []


def names_at(value: object, *path: str) -> tuple[str, ...]:
    """Return the strings of a list, or the ``name`` of each member, without repeats."""
    every = (one if isinstance(one, str) else text_at(one, "name") for one in list_at(value, *path))
    return tuple(dict.fromkeys(one.strip() for one in every if one.strip()))


_WRITTEN = (
    "%a, %d %b %Y %H:%M:%S %z",  # RSS, mail
    "%d %b %Y %H:%M:%S %z",
    "%d/%b/%y %I:%M %p",  # Jira's CSV, as it comes
    "%d/%b/%y %H:%M",
    "%d/%b/%Y %H:%M",
)


def day_at(value: object, *path: str) -> str:
    """Return the date under a path in ISO 8601, from ISO times and from the forms of trackers and mails."""
    written = " ".join(text_at(value, *path)[:60].split())
    if day := day_of(written):
        return day
    bare = written.partition(" (")[0]  # mails add the zone's name
    for form in _WRITTEN:
        try:
            return datetime.strptime(bare, form).date().isoformat()  # noqa: DTZ007  the day as it was written there
        except ValueError:
            continue
    return ""
