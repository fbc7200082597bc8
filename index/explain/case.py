"""One comparison of a query with an incident, and the reasons for and against it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from index.answer import Against, AgainstKind
from index.entry import messages
from index.explain.spans import QuerySpans, Span, find_form, lowered, merged
from index.explain.together import MessagePair, Together
from index.phrases import phrase
from index.ranking.features import ComparedIncident, FeatureReader
from index.ranking.rank import RankModel
from index.ranking.wording import MESSAGE_PRIOR, word_weights
from index.reading import Reading
from index.terms import tokens
from index.terms.glossary import find_concept
from index.terms.hashing import Hashes, hash_all
from index.terms.sketch import own_frames
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
        """The language of every sentence of the answer: the reader's, or the question's where that is not known."""
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
        messages = {self.pair.our_exceptions[one.ours].message or "" for one in self.agreeing}
        return merged([span for message in messages for span in places.get(message, ())])

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
        ours = self.places.worded_messages
        if not ours:
            return Quoted(0, "", 0.0, 0.0)
        names = np.concatenate([words for _, _, words in ours])
        weights, begins = self.places.weights(self.features.words), np.cumsum([0, *(len(one[2]) for one in ours[:-1])])
        places = np.minimum(self.terms.searchsorted(names), max(len(self.terms) - 1, 0))
        has = self.terms[places] == names if len(self.terms) else np.zeros(len(names), np.bool_)
        shares = np.add.reduceat(weights * has, begins)
        totals = np.add.reduceat(weights, begins)
        counted = shares / (totals + MESSAGE_PRIOR)
        best = int(counted.argmax())
        trace, message, _ = ours[best]
        return Quoted(trace, message, float(shares[best] / (totals[best] or 1.0)), float(counted[best]))

    def message_text(self, trace: int, message: str) -> str:
        """A message as the text says it; its template where it is not found again."""
        spans = self.places.messages(trace).get(message, ())
        return short(" ".join(map(self.places.text, spans)) or message)

    def form(self, concept: str) -> str | None:
        """How the incident writes a concept; None where it has it in no form that is known."""
        found = ((text, find_concept(concept, text, lower)) for text, lower in self._texts)
        return next((text[slice(*place)] for text, place in found if place), None)

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
    def _texts(self) -> list[tuple[str, str]]:
        """What the incident says, as it is written and in lower case."""
        own = self.incident
        versions = [in_language(own, lang) for lang in languages(own)]
        head = [text for one in versions for text in (one.title, one.symptom, one.root_cause)]
        rest = [text for one in versions for text in (one.fix, one.prose)]
        texts = (*head, *messages(self.chains), *rest, " ".join(own.tags))
        return [(text, lowered(text)) for text in texts if text]


def short(text: str) -> str:
    """A text in one line of bearable length."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


MOST = 3
"""Objections to one match."""
_LEAST = 0.05
"""What costs less than this, in log-odds, is not worth a line."""
_TITLE_WORDS = 4
_TELLING = 0.15
"""Words of the title that tell less than this (``error``, ``when``, 失败) are nobody's problem."""
_ALIKE = 0.3
"""Messages less alike than this have nothing but words in common."""

_SENTENCE = "text"
"""The runtime of an error line that is nobody's: it may as well be how a person puts it."""
_NAME = re.compile(r"[A-Za-z]\w*[A-Z0-9]\w*", re.ASCII)
"""A word that is written alike in both languages: ``NameNode``, ``OOM``, ``S3A``."""

_FEATURES = {
    AgainstKind.MESSAGE: ("message", "root_message", "quoted"),
    AgainstKind.TYPE: ("root_cause", "everything"),
    AgainstKind.FRAMES: ("root_frames", "root_both"),
    AgainstKind.TITLE: ("title",),
    AgainstKind.WORDS: ("message", "root_message", "root_frames", "rarest", "everything"),
}
"""The features that would be higher without the objection."""


def against(case: MatchCase) -> tuple[Against, ...]:
    """The weightiest objections, each true of what both sides show."""
    if case.compared.features.exact > 0:
        return ()
    found = [Against(kind, summary, _missing(case, kind)) for kind, summary in _differences(case)]
    objections = sorted((one for one in found if one.weight >= _LEAST), key=lambda one: -one.weight)
    return tuple(objections[:MOST])


def _differences(case: MatchCase) -> Iterator[tuple[AgainstKind, str]]:
    if _has_only_words(case):
        yield AgainstKind.WORDS, phrase(case.lang, "against_words")
    elif pair := case.pair:
        is_error = pair.ours.chain.runtime != _SENTENCE
        if is_error and (other := pair.has_other_message) and case.quoted.share < QUOTED:
            ours = case.message_text(pair.trace, pair.our_exceptions[other.ours].message or "")
            theirs = short(pair.their_exceptions[other.theirs].message or "")
            yield AgainstKind.MESSAGE, phrase(case.lang, "against_message", ours=ours, theirs=theirs)
        if pair.has_other_type:
            ours, theirs = (name or "" for name in pair.types)
            yield AgainstKind.TYPE, phrase(case.lang, "against_type", ours=short(ours), theirs=short(theirs))
        count = len(case.their_frames)
        missing = sum(key not in case.our_frames for key in case.their_frames)
        if missing and pair.ours.has_frames:
            several = "against_frames" if missing > 1 else "against_frame"
            name = several if count > 1 else "against_frames_one"
            yield AgainstKind.FRAMES, phrase(case.lang, name, missing=missing, count=count)
    if words := _title_words(case):
        yield AgainstKind.TITLE, phrase(case.lang, "against_title", words=", ".join(words))


def _missing(case: MatchCase, kind: AgainstKind) -> float:
    values = case.compared.features._asdict()
    weights = case.model.weights
    return sum((weights.get(name, 0.0) * max(0.0, 1.0 - values[name]) for name in _FEATURES[kind]), 0.0)


def _has_only_words(case: MatchCase) -> bool:
    """Whether the text shows a trace, and neither frame nor message nor fingerprint of it is the incident's."""
    features, pair = case.compared.features, case.pair
    if (
        all(trace.chain.runtime == _SENTENCE for trace in case.reading.traces)
        or features.root_cause
        or features.loose
        or case.quoted.share >= QUOTED
    ):
        return False
    return pair is None or not (pair.frames or any(one.agrees or one.share >= _ALIKE for one in pair.messages))


def _title_words(case: MatchCase) -> list[str]:
    """Words of the title, as it writes them, that the text has in no form; of a title in the other language only names."""
    reading, title = case.reading, case.incident.title
    is_abroad = {case.incident.lang, reading.lang} == {"zh", "en"}
    units = tokens.units(" ".join(_NAME.findall(title)) if is_abroad else title)
    missing = [word for word, concept in units if not {word, concept} & reading.terms and word[:1].isalpha()]
    weights = word_weights(hash_all(missing), case.features.words)
    lower = lowered(title)
    telling = [missing[at] for at in np.argsort(-weights, kind="stable").tolist() if weights[at] >= _TELLING]
    places = [slice(*place) for word in telling if (place := find_form(title, lower, word))]
    absent = case.places.absent([lower[place] for place in places])
    found = [title[place] for place in places if lower[place] in absent]
    return [word for word in found if not any(word in other and word != other for other in found)][:_TITLE_WORDS]
