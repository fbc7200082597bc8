"""Texts cut to what a platform takes, at a whole character."""

import unicodedata

MORE = "…"


def cut(text: str, most: int) -> str:
    """At most so many characters, the last a ``…`` where something is missing."""
    return text if len(text) <= most else _whole(text, most - len(MORE)) + MORE if most > 0 else ""


def cut_bytes(text: str, most: int) -> str:
    """At most so many bytes of UTF-8, likewise. ``text`` has no lone surrogates."""
    data = text.encode()
    if len(data) <= most:
        return text
    room = most - len(MORE.encode())
    if room < 0:
        return ""
    kept = data[:room].decode("utf-8", "ignore")
    return _whole(text, len(kept)) + MORE


def _whole(text: str, count: int) -> str:
    """The first ``count`` characters, less a last one that goes on after them (an accent, a joined sign)."""
    while count > 0 and count < len(text) and _goes_on(text, count):
        count -= 1
    return text[:count]


def _goes_on(text: str, place: int) -> bool:
    return unicodedata.combining(text[place]) != 0 or text[place] in "\u200d\ufe0f" or text[place - 1] == "\u200d"
