"""Reading the JSON of strangers: what is not there, or is of another kind, is empty. Nothing here raises."""

from collections.abc import Mapping
from datetime import datetime

from kb.article.frontmatter import day_of


def at(value: object, *path: str) -> object:
    """What stands under a path of keys; None when it leads nowhere."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def text_at(value: object, *path: str) -> str:
    """The text or number under a path; empty for anything else."""
    found = at(value, *path)
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return ""
    try:
        return str(found)
    except ValueError:  # a number of more digits than Python prints
        return ""


def list_at(value: object, *path: str) -> list[object]:
    """The list under a path; a GraphQL connection (``{"nodes": […]}``) counts as one."""
    found = at(value, *path)
    if isinstance(found, Mapping):
        found = found.get("nodes")
    return list(found) if isinstance(found, list | tuple) else []


def names_at(value: object, *path: str) -> tuple[str, ...]:
    """The texts of a list, or the ``name`` of each of its members, once each."""
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
    """The date under a path, ISO 8601: of any time that begins with one, or is written as trackers and mails write it."""
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
