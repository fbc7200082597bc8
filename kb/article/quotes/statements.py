"""The sentences of an incident, each with what its words tell, and those of them that may state the cause or the fix."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from kb.article.quotes.cues import Cue, cues_in
from kb.article.quotes.wording import Pair, Table, bundled, grams, weighed
from kb.article.sections import Section
from kb.article.sentences import Sentence, sentences
from kb.article.split.problems import heading, is_case
from kb.article.vocabulary import SectionRole, bare
from kb.patterns import lazy

_MOST = 600
"""Sentences of a document that are looked at."""
_NAME = lazy(r"[A-Za-z_][A-Za-z0-9_]{3,}+")
_LONGEST = 400
"""Characters of a line of a trace whose names are looked at."""
_NEVER = frozenset(
    (
        SectionRole.REFERENCE,
        SectionRole.ENVIRONMENT,
        SectionRole.REPRODUCTION,
        SectionRole.DISTINGUISH,
        SectionRole.PREVENTION,
    )
)
"""Sections whose sentences state neither."""
_NOTHING = Cue(0, 0, negated=False)


class QuoteTarget(StrEnum):
    """What is looked for."""

    CAUSE = "cause"
    FIX = "fix"


SECTIONS: Mapping[QuoteTarget, frozenset[SectionRole]] = {
    QuoteTarget.CAUSE: frozenset((SectionRole.ROOT_CAUSE, SectionRole.POSSIBLE_CAUSE)),
    QuoteTarget.FIX: frozenset((SectionRole.FIX, SectionRole.WORKAROUND)),
}
"""The sections that are about it."""


@dataclass(slots=True)
class ScoredSentence:
    """A sentence, its section, and what its words tell."""

    sentence: Sentence
    section: int
    index: int
    """Its position among the sentences of its section, from 0."""
    words_before: int
    """Sentences of words before it in its section."""
    cue: Cue
    leaning: Pair
    """How much its words are those of sections about the cause and about the fix."""
    telling: Pair
    """How much its words are those of sentences that state the cause and the fix."""
    grams: list[str]
    past: bool
    """It stands after the trace of the incident."""
    named: float
    """The share of its names (classes, options, any four Latin letters or more) that the trace says, but for frames of the JVM."""


class Statements:
    """The sections of one incident, whose trace ``is_anchor`` knows the lines of. Sentences are split and weighed when asked for.

    ``table`` holds the weights of n-grams; those that are bundled where none is given.
    """

    def __init__(
        self,
        parts: tuple[Section, ...],
        is_trace: Callable[[str], bool],
        is_anchor: Callable[[str], bool],
        table: Table | None = None,
    ) -> None:
        self.parts = parts
        self._is_trace = is_trace
        self._table = bundled() if table is None else table
        messages: list[str] = []
        self._shown = [_last_trace(part, is_anchor, messages) for part in parts]
        self._names = frozenset(_NAME.findall("\n".join(messages)))
        self.anchor = next((at for at, last in enumerate(self._shown) if last >= 0), None)
        """The section that shows the trace; None where there is none."""
        self._sentences: dict[int, list[ScoredSentence]] = {}
        self._end: int | None = None
        self._views: dict[QuoteTarget, list[ScoredSentence]] = {}
        self._more: dict[QuoteTarget, list[bool]] = {}

    def sentences_of(self, section: int) -> list[ScoredSentence]:
        """The sentences of a section."""
        if section not in self._sentences:
            self._sentences[section] = self._read(section)
        return self._sentences[section]

    def _read(self, section: int) -> list[ScoredSentence]:
        found: list[ScoredSentence] = []
        before = 0
        for index, one in enumerate(sentences(self.parts[section].blocks, self._is_trace)):
            past = self.anchor is not None and (
                section > self.anchor or (section == self.anchor and one.block > self._shown[section])
            )
            words = [] if one.code else grams(text := bare(one.text))
            cue = _NOTHING if one.code else cues_in(text)
            scored = ScoredSentence(
                one, section, index, before, cue, *weighed(words, self._table), words, past, self._named(one)
            )
            found.append(scored)
            before += not one.code
        return found

    def _named(self, sentence: Sentence) -> float:
        if not self._names or sentence.code:
            return 0.0
        names = set(_NAME.findall(sentence.text))
        return len(names & self._names) / len(names) if names else 0.0

    def labelled(self, target: QuoteTarget) -> bool:
        """Whether a section is about the target by its whole heading or label, and says more than *to be added*.

        One before the section with the trace may belong to another problem, and does not count.
        """
        return any(self._answered_sections(target))

    def is_postponed(self, target: QuoteTarget) -> bool:
        """Whether the sections that are about the target by their whole heading or label say no more than *to be added*."""
        return bool(self._answered_sections(target)) and not self.labelled(target)

    def _answered_sections(self, target: QuoteTarget) -> list[bool]:
        """Of each section that is about the target by its whole heading or label, whether it says more than *to be added*."""
        if target not in self._more:
            here = self.anchor or 0
            labelled = (at for at, part in enumerate(self.parts[: self._stop()]) if at >= here and part.labelled)
            about = (at for at in labelled if not SECTIONS[target].isdisjoint(self.parts[at].roles))
            self._more[target] = [
                not all(one.cue.negated for one in inside) for at in about if (inside := self.sentences_of(at))
            ]
        return self._more[target]

    def view(self, target: QuoteTarget) -> list[ScoredSentence]:
        """The sentences that may state the target: of the sections about it where one is labelled so, else of all sections."""
        if target not in self._views:
            self._views[target] = self._seen(SECTIONS[target] if self.labelled(target) else None)
        return self._views[target]

    def case_of(self, section: int) -> str | None:
        """The name of the case (*情况一*, *Case 2*) which a section belongs to, below whatever heading; None where it belongs to none."""
        for at in range(section, -1, -1):
            part = self.parts[at]
            if is_case(part.title):
                return bare(part.title)
            if part.title and not part.roles:
                return None
        return None

    def _stop(self) -> int:
        """The section with which another problem begins: behind the trace, headed by a failure, with a fix of its own where this one has one, too.

        All sections where that is not so: a story comes to its fix at last.
        """
        if self._end is None:
            self._end = len(self.parts)
            here = self.anchor if self.anchor is not None else len(self.parts)
            fixed = [at for at in range(here, len(self.parts)) if SECTIONS[QuoteTarget.FIX] & set(self.parts[at].roles)]
            others = (at for at in range(here + 1, len(self.parts)) if _opens_problem(self.parts[at]))
            other = next(others, len(self.parts))
            if any(at < other for at in fixed) and any(at > other for at in fixed):
                self._end = other
        return self._end

    def _seen(self, within: frozenset[SectionRole] | None) -> list[ScoredSentence]:
        found: list[ScoredSentence] = []
        for at, part in enumerate(self.parts[: self._stop()]):
            if part.roles and part.roles[0] in _NEVER if within is None else not within & set(part.roles):
                continue
            found += self.sentences_of(at)
            if len(found) > _MOST:
                break
        return found[:_MOST]


def _opens_problem(part: Section) -> bool:
    """Whether a section is headed by a failure of its own, not by its role, a way or a step."""
    about = heading(part.title)
    return bool(part.title) and not part.roles and about.specific and not about.walks and not about.again


def _last_trace(part: Section, is_trace: Callable[[str], bool], messages: list[str]) -> int:
    """The last block that shows a line of the trace; -1 for none. Those of its lines that are no frames are added to ``messages``."""
    last = -1
    for at, block in enumerate(part.blocks):
        shown = [line for line in block.text.split("\n") if is_trace(line)]
        if shown:
            last = at
            messages += (line[:_LONGEST] for line in shown if not line.lstrip().startswith("at "))
    return last
