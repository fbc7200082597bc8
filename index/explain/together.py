"""What a trace of a text and a trace of an incident have in common: the very messages and frames that were counted."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from index.ranking.compare import INCIDENT_ONLY, MESSAGE_PRIOR, QUERY_ONLY, SHARPNESS
from index.ranking.features import ComparedIncident, FeatureReader
from index.reading import QueryTrace, Reading
from index.terms.frequencies import Frequencies
from index.terms.sketch import ChainSketch, outwards, own_frames, shown_type, simple_name
from kb.trace import ExceptionChain, RaisedException, frame_key

AGREE = 0.95
"""Messages whose words agree to this share say the same: see index/README.md, "Reasons"."""
DIFFER = 0.5
"""Below this share two messages say something else."""


@dataclass(frozen=True, slots=True)
class MessagePair:
    """A message of each side, by their places in the two chains, the root cause first."""

    ours: int
    theirs: int
    overlap: float
    """What the feature ``message`` holds of the best pair."""
    share: float
    """The same without the prior: 1 for messages of the same words, however little these tell."""
    is_same: bool
    """Whether they are one template."""

    @property
    def agrees(self) -> bool:
        """Whether they say the same."""
        return self.is_same or self.share >= AGREE


@dataclass(frozen=True, slots=True)
class SharedFrame:
    """A frame of both: its lasting key, and where the incident has it (exception and frame)."""

    key: str
    exception: int
    frame: int


@dataclass(frozen=True)
class Together:
    """The pair of traces that agreed best."""

    trace: int
    chain: int
    ours: QueryTrace
    theirs: ExceptionChain
    sketch: ChainSketch
    """Of theirs."""
    words: Frequencies

    @classmethod
    def of(
        cls, reading: Reading, found: ComparedIncident, chains: Sequence[ExceptionChain], features: FeatureReader
    ) -> "Together | None":
        """The pair of a comparison; None where words are all that was compared."""
        if found.trace is None or found.incident_chain is None:
            return None
        ours, theirs = reading.traces[found.trace], chains[found.incident_chain]
        numbers = features.chains(found.row)[found.incident_chain]
        return cls(found.trace, found.incident_chain, ours, theirs, numbers, features.words)

    @cached_property
    def our_exceptions(self) -> list[RaisedException]:
        """The root cause first, as in the sketch."""
        return outwards(self.ours.normalised)

    @cached_property
    def their_exceptions(self) -> list[RaisedException]:
        """The root cause first, as in the sketch."""
        return outwards(self.theirs)

    @cached_property
    def messages(self) -> list[MessagePair]:
        """Every message of the one side with every one of the other, the best agreement first."""
        pairs = [
            self._pair(i, j)
            for i, one in enumerate(self.ours.sketch)
            for j, other in enumerate(self.sketch)
            if one.message and other.message
        ]
        return sorted(pairs, key=lambda pair: (-pair.agrees, -pair.overlap, pair.ours, pair.theirs))

    @cached_property
    def frames(self) -> list[SharedFrame]:
        """The distinct frames of both, those of the incident's root cause first, from its raise point on."""
        ours = {frame for exception in self.ours.sketch for frame in exception.frames}
        found: dict[int, SharedFrame] = {}
        places = {id(exception): at for at, exception in enumerate(self.theirs.exceptions)}
        for exception, numbers in zip(self.their_exceptions, self.sketch, strict=True):
            for at, (frame, name) in enumerate(zip(own_frames(exception), numbers.frames, strict=True)):
                if name in ours and name not in found:
                    found[name] = SharedFrame(frame_key(frame), places[id(exception)], at)
        return list(found.values())

    @property
    def types(self) -> tuple[str | None, str | None]:
        """The types of the two root causes."""
        return shown_type(self.ours.normalised.root), shown_type(self.theirs.root)

    @property
    def has_other_type(self) -> bool:
        """Whether both name the type of a root cause, and neither type stands anywhere in the other trace."""
        one, other = self.types
        mine, theirs = _types(self.our_exceptions), _types(self.their_exceptions)
        return bool(one and other) and simple_name(one or "") not in theirs and simple_name(other or "") not in mine

    @property
    def has_other_message(self) -> MessagePair | None:
        """The two root messages, where neither is like any message of the other trace; None where one side shows none."""
        root = next((pair for pair in self.messages if pair.ours == pair.theirs == 0), None)
        met = any((pair.is_same or pair.share >= DIFFER) and 0 in (pair.ours, pair.theirs) for pair in self.messages)
        return None if met else root

    def _pair(self, i: int, j: int) -> MessagePair:
        ours, theirs = set(self.ours.sketch[i].message), set(self.sketch[j].message)
        shared = self._weight_of(ours & theirs)
        rest = QUERY_ONLY * self._weight_of(ours - theirs) + INCIDENT_ONLY * self._weight_of(theirs - ours)
        one, other = self.our_exceptions[i].message, self.their_exceptions[j].message
        return MessagePair(
            ours=i,
            theirs=j,
            overlap=shared / (shared + rest + MESSAGE_PRIOR),
            share=shared / (shared + rest) if shared else 0.0,
            is_same=one == other,
        )

    def _weight_of(self, words: set[int]) -> float:
        return math.fsum(self._weights[word] for word in words)

    @cached_property
    def _weights(self) -> dict[int, float]:
        """What each word of both sides' messages tells."""
        words = list({word for e in (*self.ours.sketch, *self.sketch) for word in e.message})
        names = np.array(words, dtype=np.uint64)
        return dict(zip(words, (self.words.rarity(names) ** SHARPNESS).tolist(), strict=True))


def _types(exceptions: Sequence[RaisedException]) -> set[str]:
    return {simple_name(name) for e in exceptions for name in (e.type, e.wrapped_type) if name}
