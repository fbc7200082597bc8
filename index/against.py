"""What speaks against a match, in words, from the very numbers that ranked it.

What one side does not show is missing, not disagreement: nothing is said of messages, types or frames that only one side has.
"""

import re
from collections.abc import Iterator

import numpy as np

from index import tokens
from index.answer import Against, AgainstKind
from index.case import QUOTED, MatchCase, short
from index.features import NAMES, values_of
from index.hashing import hash_all
from index.phrases import phrase
from index.places import find_form, lowered
from index.wording import word_weights

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
    told = sorted((one for one in found if one.weight >= _LEAST), key=lambda one: -one.weight)
    return tuple(told[:MOST])


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
    values = dict(zip(NAMES, values_of(case.compared.features), strict=True))
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
    found: list[str] = []
    for at in np.argsort(-weights, kind="stable").tolist():
        if weights[at] < _TELLING:
            break
        place = find_form(title, lower, missing[at])
        if place and lower[slice(*place)] not in case.places.lower:
            found.append(title[slice(*place)])
    return [word for word in found if not any(word in other and word != other for other in found)][:_TITLE_WORDS]
