"""The sentences of an incident, each with what its words tell, and those of them that may state the cause or the fix."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from kb.article.sections import Section
from kb.article.sentences import Sentence, sentences
from kb.article.vocabulary import Cue, Role, bare, cues_in
from kb.article.wording import bundled, grams, leaning

_MOST = 600
"""Sentences of a document that are looked at."""
_NEVER = frozenset((Role.REFERENCE, Role.ENVIRONMENT))
"""Sections whose sentences state neither."""
_NOTHING = Cue(0, 0, negated=False)


class Target(StrEnum):
    """What is looked for."""

    CAUSE = "cause"
    FIX = "fix"


SECTIONS: Mapping[Target, frozenset[Role]] = {
    Target.CAUSE: frozenset((Role.ROOT_CAUSE, Role.POSSIBLE_CAUSE)),
    Target.FIX: frozenset((Role.FIX, Role.WORKAROUND)),
}
"""The sections that are about it."""


@dataclass(slots=True)
class Told:
    """A sentence, its section, and what its words tell."""

    sentence: Sentence
    section: int
    index: int
    """The how-manieth sentence of its section it is, from 0."""
    words_before: int
    """Sentences of words before it in its section."""
    cue: Cue
    leaning: tuple[float, float]
    grams: list[str]
    past: bool
    """It stands after the trace of the incident."""


class Statements:
    """The sections of one incident, whose trace ``is_anchor`` knows the lines of. Sentences are split and weighed when asked for."""

    def __init__(
        self, parts: tuple[Section, ...], is_trace: Callable[[str], bool], is_anchor: Callable[[str], bool]
    ) -> None:
        self.parts = parts
        self._is_trace = is_trace
        self._shown = [_last_trace(part, is_anchor) for part in parts]
        self.anchor = next((at for at, last in enumerate(self._shown) if last >= 0), None)
        """The section that shows the trace; None where there is none."""
        self._told: dict[int, list[Told]] = {}
        self._views: dict[Target, list[Told]] = {}

    def told(self, section: int) -> list[Told]:
        """The sentences of a section."""
        if section not in self._told:
            self._told[section] = self._read(section)
        return self._told[section]

    def _read(self, section: int) -> list[Told]:
        table = bundled()
        found: list[Told] = []
        before = 0
        for index, one in enumerate(sentences(self.parts[section].blocks, self._is_trace)):
            past = self.anchor is not None and (
                section > self.anchor or (section == self.anchor and one.block > self._shown[section])
            )
            words = [] if one.code else grams(text := bare(one.text))
            cue = _NOTHING if one.code else cues_in(text)
            found.append(Told(one, section, index, before, cue, leaning(words, table), words, past))
            before += not one.code
        return found

    def labelled(self, target: Target) -> bool:
        """Whether a section is about the target by its whole heading or label, and says more than *to be added*.

        One before the section with the trace may belong to another problem, and does not count.
        """
        here = self.anchor or 0
        return any(
            part.labelled and SECTIONS[target] & set(part.roles) and not all(one.cue.negated for one in self.told(at))
            for at, part in enumerate(self.parts)
            if at >= here
        )

    def view(self, target: Target) -> list[Told]:
        """The sentences that may state the target: of the sections about it where one is labelled so, else of all sections."""
        if target not in self._views:
            self._views[target] = self._seen(SECTIONS[target] if self.labelled(target) else None)
        return self._views[target]

    def _seen(self, within: frozenset[Role] | None) -> list[Told]:
        found: list[Told] = []
        for at, part in enumerate(self.parts):
            if part.roles and part.roles[0] in _NEVER if within is None else not within & set(part.roles):
                continue
            found += self.told(at)
            if len(found) > _MOST:
                break
        return found[:_MOST]


def _last_trace(part: Section, is_trace: Callable[[str], bool]) -> int:
    """The last block that shows a line of the trace; -1 for none."""
    shows = (at for at, block in enumerate(part.blocks) if any(map(is_trace, block.text.split("\n"))))
    return max(shows, default=-1)
