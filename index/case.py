"""One comparison with all that is said of it: what its reasons, and what speaks against it, are made from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from index.entry import messages
from index.features import ComparedIncident, FeatureReader
from index.glossary import pattern_of
from index.hashing import Hashes
from index.places import QuerySpans, Span, merged
from index.rank import RankModel
from index.reading import Reading
from index.sketch import own_frames
from index.together import MessagePair, Together
from index.wording import MESSAGE_PRIOR
from kb.incident import Incident
from kb.language import answer_language
from kb.trace import ExceptionChain, frame_key
from kb.translations import in_language, languages

LONGEST = 140
"""Characters of a message that are quoted."""
QUOTED = 0.6
"""A write-up with this share of a message's words speaks of that message."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A message of the text, and how much of what it says an incident's words have."""

    trace: int
    message: str
    """As it is compared."""
    share: float
    counted: float
    """The feature ``quoted``: the share with a prior."""


@dataclass(frozen=True)
class MatchCase:
    """A text, an incident, and the numbers between them."""

    places: QuerySpans
    compared: ComparedIncident
    model: RankModel
    incident: Incident
    chains: Sequence[ExceptionChain]
    """The incident's, normalised."""
    terms: Hashes
    """The names of the incident's words, ascending."""
    features: FeatureReader
    reader: str | None = None
    """The language of the reader."""

    @property
    def reading(self) -> Reading:
        """The text."""
        return self.places.reading

    @property
    def lang(self) -> str:
        """The language of the reader, in which everything is said; of the question, where it is not known."""
        return self.reader or answer_language(self.reading.lang)

    @cached_property
    def pair(self) -> Together | None:
        """The traces that agreed best."""
        return Together.of(self.reading, self.compared, self.chains, self.features)

    @cached_property
    def agreeing(self) -> list[MessagePair]:
        """The messages that agree, the best first."""
        return [pair for pair in self.pair.messages if pair.agrees] if self.pair else []

    @cached_property
    def message_spans(self) -> tuple[Span, ...]:
        """The lines of the messages that agree."""
        if self.pair is None:
            return ()
        places = self.places.messages(self.pair.trace)
        said = {self.pair.our_exceptions[one.ours].message or "" for one in self.agreeing}
        return merged([span for message in said for span in places.get(message, ())])

    @cached_property
    def frame_spans(self) -> tuple[Span, ...]:
        """The lines of the frames that both have."""
        if self.pair is None:
            return ()
        places = self.places.frames(self.pair.trace)
        return merged([span for frame in self.pair.frames for span in places.get(frame.key, ())])

    @cached_property
    def quoted(self) -> "Quoted":
        """The message of the text of which the incident's words have most."""
        said = self.places.worded_messages
        if not said:
            return Quoted(0, "", 0.0, 0.0)
        names = np.concatenate([words for _, _, words in said])
        weights, begins = self.places.weights(self.features.words), np.cumsum([0, *(len(one[2]) for one in said[:-1])])
        places = np.minimum(self.terms.searchsorted(names), max(len(self.terms) - 1, 0))
        has = self.terms[places] == names if len(self.terms) else np.zeros(len(names), np.bool_)
        told = np.add.reduceat(weights * has, begins)
        all_told = np.add.reduceat(weights, begins)
        counted = told / (all_told + MESSAGE_PRIOR)
        best = int(counted.argmax())
        trace, message, _ = said[best]
        return Quoted(trace, message, float(told[best] / (all_told[best] or 1.0)), float(counted[best]))

    def message_text(self, trace: int, message: str) -> str:
        """A message as the text says it; its template where it is not found again."""
        spans = self.places.messages(trace).get(message, ())
        return short(" ".join(map(self.places.text, spans)) or message)

    def form(self, concept: str) -> str | None:
        """How the incident writes a concept; None where it has it in no form that is known."""
        wanted = pattern_of(concept)
        return next((found[0] for text in self._texts if (found := wanted.search(text))), None)

    @cached_property
    def our_frames(self) -> set[str]:
        """The keys of all frames of the text."""
        exceptions = (e for trace in self.reading.traces for e in trace.normalised.exceptions)
        return {frame_key(frame) for exception in exceptions for frame in exception.stack.frames}

    @cached_property
    def their_frames(self) -> list[str]:
        """The distinct keys of the frames of the trace that was compared."""
        exceptions = self.pair.theirs.exceptions if self.pair else ()
        return list(dict.fromkeys(frame_key(frame) for e in exceptions for frame in own_frames(e)))

    @cached_property
    def _texts(self) -> list[str]:
        own = self.incident
        told = [in_language(own, lang) for lang in languages(own)]
        head = [text for one in told for text in (one.title, one.symptom, one.root_cause)]
        rest = [text for one in told for text in (one.fix, one.prose)]
        return [text for text in (*head, *messages(self.chains), *rest, " ".join(own.tags)) if text]


def short(text: str) -> str:
    """A text in one line of bearable length."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
