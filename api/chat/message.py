"""What is said in a chat, before it takes any platform's form. Words are chosen, texts cut and secrets out; nothing is escaped yet."""

from dataclasses import dataclass

from index.answer import Verdict

TITLE = 150
"""Most characters of a title."""
PART = 1_200
"""Most characters of a cause or a fix: every platform takes as much."""
LINES = 12
"""Most lines of what a cause or a fix announces (code, a list): a chat is read on a phone."""
FRAME = 160


@dataclass(frozen=True, slots=True)
class Pair:
    """A frame of the paste and the frame of the incident that agrees with it; equal ones are the same text twice."""

    asked: str
    known: str


@dataclass(frozen=True, slots=True)
class Found:
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
    frames: tuple[Pair, ...] = ()
    why: str = ""
    """The strongest piece of evidence in one line."""


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


@dataclass(frozen=True, slots=True)
class Message:
    """An answer. Buttons are drawn for ``best`` alone: yes, no; the write-up link wherever it is not None."""

    ref: str
    """Unguessable name of what was asked and answered; a button carries it."""
    lang: str
    """``zh`` or ``en``: of the question."""
    verdict: Verdict
    headline: str
    """``Known incident``, ``No known incident``."""
    text: str
    """One line under it: what the verdict means."""
    words: Words
    about: str = ""
    """What it is about, where nobody asked: the name of an alert."""
    best: Found | None = None
    """None when nothing known fits."""
    others: tuple[Found, ...] = ()
    """Without cause and fix; for ``unknown``: related reading only."""
    notes: tuple[str, ...] = ()
    """Secrets that were taken out, files that could not be read, texts that were cut."""
    write_up: str | None = None
    """Address of the editor with the question in it."""
    opinion: str | None = None
    """Address where a vote can be cast, for platforms whose buttons are links."""
