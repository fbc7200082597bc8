"""Labelled cases from what readers said of matches: yes, this was it; no, it was not.

Of a query that was kept with its text, a search can be made again. Of one that is only known by its fingerprints, it can be told whether
the confirmed incident still has one of them.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from index.engine import Engine
from index.evaluation.labelled import Labelled
from kb.store import Store
from kb.store.model import NOBODY, Feedback, Vote
from kb.trace import Level, fingerprints

GROUP = "confirmed"
DENIED = "denied"
PAGE = 1_000


@dataclass(frozen=True, slots=True)
class FeedbackCases:
    """What was said, in the form of cases."""

    confirmed: tuple[Labelled, ...]
    """Texts of which some incidents were confirmed; what was denied of the same text must not come first."""
    denied: tuple[Labelled, ...]
    """Texts of which incidents were only denied. What answers them is not known, so they count for nothing but ``near``."""
    printed: tuple[Feedback, ...]
    """Confirmed, without a text."""


def opinions_of(store: Store) -> FeedbackCases:
    """All that was said, about the incidents that stand for those it was said of."""
    right: dict[str, dict[str, None]] = {}
    wrong: dict[str, dict[str, None]] = {}
    printed: list[Feedback] = []
    names: dict[str, str] = {}
    for feedback in _last_words(_all(store)):
        name = names.setdefault(feedback.incident_id, store.redirects.resolve(feedback.incident_id))
        if feedback.text is not None:
            side = right if feedback.vote is Vote.YES else wrong
            side.setdefault(feedback.text, {})[name] = None
        elif feedback.vote is Vote.YES and feedback.prints:
            printed.append(Feedback(name, feedback.vote, feedback.prints, feedback.probability, feedback.snapshot_id))
    confirmed = tuple(_case(text, right[text], wrong.get(text, {}), GROUP) for text in right)
    denied = tuple(_case(text, {}, wrong[text], DENIED) for text in wrong if text not in right)
    return FeedbackCases(confirmed, denied, tuple(printed))


def _last_words(all_of_it: Iterable[Feedback]) -> Iterable[Feedback]:
    """Of one incident under one question each person counts once, with what they said last; what `NOBODY` said counts each time: they are many."""
    last: dict[object, Feedback] = {}
    for number, feedback in enumerate(all_of_it):
        who = number if feedback.by is None or feedback.by.id == NOBODY.id else feedback.by.id
        question = (
            feedback.text if feedback.text is not None else json.dumps(feedback.prints, sort_keys=True, default=list)
        )
        last.pop(key := (who, feedback.incident_id, question), None)
        last[key] = feedback
    return last.values()


def _all(store: Store) -> Iterator[Feedback]:
    after = 0
    while page := store.feedback.listing(after=after, limit=PAGE):
        yield from (feedback for _, feedback in page)
        after = page[-1][0]


def _case(text: str, right: Iterable[str], wrong: Iterable[str], group: str) -> Labelled:
    """What some confirmed and others denied counts as confirmed."""
    ids = tuple(right)
    return Labelled(text, ids, tuple(one for one in wrong if one not in ids), group=group)


def by_fingerprint(printed: Sequence[Feedback], engine: Engine) -> Mapping[str, int]:
    """Of confirmations without a text: how many incidents have a fingerprint of the query at which strictest level; ``none`` of them; ``gone``."""
    held: dict[str, dict[Level, frozenset[str]] | None] = {}
    found: Counter[str] = Counter()
    for feedback in printed:
        if feedback.incident_id not in held:
            held[feedback.incident_id] = _prints(engine, feedback.incident_id)
        has = held[feedback.incident_id]
        found["gone" if has is None else _strictest(feedback.prints, has)] += 1
    return {name: found[name] for name in (*(level.value for level in Level), "none", "gone")}


def _prints(engine: Engine, incident_id: str) -> dict[Level, frozenset[str]] | None:
    incident = engine.incident(incident_id)
    if incident is None:
        return None
    all_of_them = [fingerprints(chain) for chain in incident.chains]
    return {level: frozenset(one[level].digest for one in all_of_them if level in one) for level in Level}


def _strictest(prints: Mapping[str, Sequence[str]], has: Mapping[Level, frozenset[str]]) -> str:
    shares: Callable[[Level], bool] = lambda level: not has[level].isdisjoint(prints.get(level.value, ()))  # noqa: E731
    return next((level.value for level in Level if shares(level)), "none")
