"""What is said in a chat, before it takes any platform's form. Words are chosen, texts cut and secrets out; nothing is escaped yet."""

import unicodedata
from dataclasses import dataclass

from index.answer import Verdict

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


TITLE = 150
"""Most characters of a title."""
PART = 1_200
"""Most characters of a cause or a fix: every platform takes as much."""
LINES = 12
"""Most lines of what a cause or a fix announces (code, a list): a chat is read on a phone."""
FRAME = 160


@dataclass(frozen=True, slots=True)
class AlignedFrames:
    """A frame of the paste and the frame of the incident that agrees with it; equal ones are the same text twice."""

    pasted: str
    known: str


@dataclass(frozen=True, slots=True)
class CardMatch:
    """One incident of the answer."""

    place: int
    """Which match of the answer, from 0: what a button names."""
    title: str
    component: str | None
    likelihood: str
    """In words: ``very likely``."""
    link: str | None
    """Its page; None while the service does not know its own address."""
    cause: str = ""
    """Plain text or Markdown as it was written; '' when none is stated."""
    fix: str = ""
    frames: tuple[AlignedFrames, ...] = ()
    why: str = ""
    """The strongest piece of evidence in one line."""
    apart: str = ""
    """How to tell its cause from others that show the same error; as it was written."""
    article: str = ""
    """The article's own words where no cause or no fix was quoted from it; likewise."""

    def parts(self, words: "Words") -> tuple[tuple[str, str], ...]:
        """Return what is said of it, each below its name: cause and fix also where they are '', the others where there is something to say."""
        told = (
            (words.cause, self.cause, True),
            (words.apart, self.apart, False),
            (words.fix, self.fix, True),
            (words.article, self.article, False),
        )
        return tuple((name, said) for name, said, is_due in told if said or is_due)


@dataclass(frozen=True, slots=True)
class Words:
    """Fixed words in the language of the message."""

    cause: str
    fix: str
    why: str
    this_was_it: str
    this_was_not: str
    write_up: str
    open: str
    others: str
    """Above the further incidents."""
    none_stated: str
    """In the place of a cause or a fix that the write-up does not state."""
    apart: str = ""
    article: str = ""
    causes: str = ""
    """Above further causes of the same error."""
    problems: str = ""
    """Above further problems of the same text."""


@dataclass(frozen=True, slots=True)
class AnswerCard:
    """An answer. Buttons are drawn for ``best`` alone: yes, no; the write-up link wherever it is not None."""

    ref: str
    """Unguessable name of what was asked and answered; a button carries it."""
    lang: str
    """``zh`` or ``en``: of the question."""
    verdict: Verdict
    headline: str
    """``Known incident``, ``Probably this one; please check``, ``No known incident``."""
    text: str
    """One line under it: what the verdict means."""
    words: Words
    about: str = ""
    """What it is about, where nobody asked: the name of an alert."""
    best: CardMatch | None = None
    """None when nothing known fits."""
    others: tuple[CardMatch, ...] = ()
    """Without cause and fix; for ``unknown``: related reading only."""
    notes: tuple[str, ...] = ()
    """Secrets that were taken out, files that could not be read, texts that were cut."""
    write_up: str | None = None
    """Address of the editor with the question in it."""
    opinion: str | None = None
    """Address where a vote can be cast, for platforms whose buttons are links."""
    causes: tuple[CardMatch, ...] = ()
    """Where one error has several causes, those beside ``best``, each with cause and fix."""
    problems: tuple[CardMatch, ...] = ()
    """What else the text is about, in a line each: ``likelihood`` says where it stands and what the answer to it amounts to."""
