"""An answer card, before it takes the form of a platform, and how its texts are cut.

Words are chosen and secrets removed; nothing is escaped yet. Each platform's ``card.py`` is a writer of this one layout.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from index.answer import Verdict

MORE = "…"


def cut(text: str, most: int) -> str:
    """Cut a text to ``most`` characters, ``…`` included."""
    return text if len(text) <= most else _whole(text, most - len(MORE)) + MORE if most > 0 else ""


def cut_bytes(text: str, most: int) -> str:
    """Cut a text to ``most`` bytes of UTF-8, ``…`` included. ``text`` has no lone surrogates."""
    data = text.encode()
    if len(data) <= most:
        return text
    room = most - len(MORE.encode())
    if room < 0:
        return ""
    kept = data[:room].decode("utf-8", "ignore")
    return _whole(text, len(kept)) + MORE


def _whole(text: str, count: int) -> str:
    """The first ``count`` code points, without a character that continues after them (accent, joiner)."""
    while count > 0 and count < len(text) and _goes_on(text, count):
        count -= 1
    return text[:count]


def _goes_on(text: str, place: int) -> bool:
    return unicodedata.combining(text[place]) != 0 or text[place] in "\u200d\ufe0f" or text[place - 1] == "\u200d"


TITLE = 150
"""Most characters of a title."""
PART = 1_200
"""Most characters of a cause or a fix; every platform accepts as many."""
LINES = 12
"""Most lines of what a cause or a fix announces (code, a list): a chat is read on a phone."""
FRAME = 160
"""Most characters of a frame."""
OTHERS = 5
"""Most matches of each list that a card names."""
SIZES = (PART, 500, 200, 60)
"""Lengths of a cause or a fix that are tried until a card fits its platform."""


@dataclass(frozen=True, slots=True)
class AlignedFrames:
    """A frame of the paste and the frame of the incident that agrees with it; equal ones are the same text twice."""

    pasted: str
    known: str

    @property
    def sides(self) -> tuple[str, ...]:
        """Both frames, or one where they are equal."""
        return tuple(dict.fromkeys((self.pasted, self.known)))


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
    """How to tell its cause from others with the same error; Markdown as it was written."""
    article: str = ""
    """The article's own words where no cause or no fix was quoted from it; Markdown."""
    owner: str = ""
    """The team or the person to ask when the fix does not help."""

    @property
    def facts(self) -> str:
        """How likely it is, and its component: ``very likely: 93 % · hdfs``."""
        return " · ".join(filter(None, (self.likelihood, self.component)))

    def parts(self, words: "Words") -> tuple[tuple[str, str], ...]:
        """Return the named texts of a match: always cause and fix, even where they are '', the others only where they have text."""
        every = (
            (words.cause, self.cause, True),
            (words.apart, self.apart, False),
            (words.fix, self.fix, True),
            (words.owner, self.owner, False),
            (words.article, self.article, False),
        )
        return tuple((name, text) for name, text, is_due in every if text or is_due)


@dataclass(frozen=True, slots=True)
class Words:
    """Fixed words in the language of the message. None has a default, since a card without one shows a text without its label."""

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
    apart: str
    article: str
    owner: str
    causes: str
    """Above further causes of the same error."""
    problems: str
    """Above further problems of the same text."""


@dataclass(frozen=True, slots=True)
class AnswerCard:
    """An answer. Buttons are drawn for ``best`` alone: yes, no; the write-up link wherever it is not None."""

    ref: str
    """Unguessable reference of question and answer; buttons carry it."""
    lang: str
    """``zh`` or ``en``: of the question."""
    verdict: Verdict
    headline: str
    """``Known incident``, ``Probably this one; please check``, ``No known incident``."""
    text: str
    """One line under it: what the verdict means."""
    words: Words
    about: str = ""
    """The name of an alert; '' for a question that a person asked."""
    best: CardMatch | None = None
    """None when nothing known fits."""
    others: tuple[CardMatch, ...] = ()
    """Without cause and fix; for ``unknown``: related reading only."""
    notes: tuple[str, ...] = ()
    """Notes on removed secrets, unreadable files, cut texts."""
    write_up: str | None = None
    """Address of the editor with the question in it."""
    opinion: str | None = None
    """Address where a vote can be cast, for platforms whose buttons are links."""
    causes: tuple[CardMatch, ...] = ()
    """Where one error has several causes, those beside ``best``, each with cause and fix."""
    problems: tuple[CardMatch, ...] = ()
    """Further problems in the same text, one line each: ``likelihood`` holds their lines and verdict."""

    @property
    def summary(self) -> str:
        """One line for notifications: the headline, and the title of the best match."""
        return self.headline if self.best is None else f"{self.headline}: {self.best.title}"

    @property
    def lists(self) -> tuple[tuple[str, tuple[CardMatch, ...]], ...]:
        """Matches that a card names in a line each, by the name above them: others, then further problems. None is empty."""
        both = ((self.words.others, self.others), (self.words.problems, self.problems))
        return tuple((name, matches[:OTHERS]) for name, matches in both if matches)

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """Label and address of the buttons that are mere links: the incident's page, and the editor."""
        both = ((self.words.open, self.best.link if self.best else None), (self.words.write_up, self.write_up))
        return tuple((label, address) for label, address in both if address is not None)


Drawn = TypeVar("Drawn")


def first_that_fits(draw: Callable[[int], Drawn], fits: Callable[[Drawn], bool], sizes: Sequence[int] = SIZES) -> Drawn:
    """The card with the longest causes and fixes that fits its platform, else the one with the shortest."""
    for size in sizes[:-1]:
        if fits(drawn := draw(size)):
            return drawn
    return draw(sizes[-1])
