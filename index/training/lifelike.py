"""Queries made of an incident's own trace as people really show it: cut, quoted, between frames and lines of their own.

Each comes with the incident there and left out. They teach what altered whole traces cannot: that what a paste does not show is missing,
and no disagreement.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from index.training.cases import TrainingQuery
from index.training.kin import Kin
from index.training.mangle import APPLICATIONS, own_frame
from kb.incident import Incident
from kb.trace import ExceptionChain, parse

GROUP = "lifelike"
_FIRST, _LAST = 6, 4
_SENTENCES = (
    "Since this morning our job stops with {error}. Has anybody seen it?",
    "after the upgrade we get `{error}` and the pod restarts",
    "升级之后一直报 {error}，重启也没有用，请问怎么解决？",
    "线上突然出现“{error}”，之前是好的",
)
_LOG = (
    "2026-03-14 09:12:{second:02} INFO  [main] {word}: started in {number} ms",
    "2026-03-14 09:12:{second:02} INFO  [worker-{number}] {word}: 128 records written",
    "2026-03-14 09:12:{second:02} DEBUG [http-{number}] {word}: GET /health 200",
)


def error_line(chain: ExceptionChain) -> str:
    """The root cause as one line."""
    root = chain.root
    first = next(iter((root.message or "").splitlines()), "")
    return ": ".join(filter(None, (root.type, first)))


def with_own_frames(trace: str, chain: ExceptionChain, chance: random.Random) -> str:  # noqa: ARG001 - one shape for all
    """The error line above two frames of somebody's application."""
    frames = [f"\tat {own_frame(chance.choice(APPLICATIONS), chance)}" for _ in range(2)]
    return "\n".join([error_line(chain), *frames])


def first_lines(trace: str, chain: ExceptionChain, chance: random.Random) -> str:  # noqa: ARG001
    """How it begins."""
    return "\n".join(trace.splitlines()[: chance.randint(3, _FIRST)])


def last_lines(trace: str, chain: ExceptionChain, chance: random.Random) -> str:  # noqa: ARG001
    """How it ends."""
    return "\n".join(trace.splitlines()[-chance.randint(3, _LAST + 2) :])


def in_a_sentence(trace: str, chain: ExceptionChain, chance: random.Random) -> str:  # noqa: ARG001 - one shape for all
    """The error line, quoted by somebody who asks."""
    return chance.choice(_SENTENCES).format(error=error_line(chain))


def in_a_log(trace: str, chain: ExceptionChain, chance: random.Random) -> str:  # noqa: ARG001 - one shape for all
    """The error line between lines of a log that has nothing to do with it."""
    lines = [
        chance.choice(_LOG).format(second=second, number=chance.randint(1, 999), word=chance.choice(APPLICATIONS))
        for second in range(chance.randint(4, 12))
    ]
    at = chance.randint(1, len(lines))
    error = f"2026-03-14 09:12:{at:02} ERROR [main] {error_line(chain)}"
    return "\n".join([*lines[:at], error, *lines[at:]])


SHOWN: Mapping[str, Callable[[str, ExceptionChain, random.Random], str]] = {
    "own frames": with_own_frames,
    "first lines": first_lines,
    "last lines": last_lines,
    "sentence": in_a_sentence,
    "log": in_a_log,
}


def lifelike_queries(incidents: Sequence[Incident], seed: int, kinds: int = 1) -> Iterator[TrainingQuery]:
    """So many kinds of each incident's traces, one trace each, with the incident and its kin there and left out."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable choice, no secret
    kin = Kin.of(incidents)
    for incident in incidents:
        read = [(trace, chain) for trace in incident.traces for chain in parse(trace)[:1] if error_line(chain)]
        if not read:
            continue
        trace, chain = chance.choice(read)
        same = kin.sharing(incident, chain)
        for kind in chance.sample(sorted(SHOWN), kinds):
            text = SHOWN[kind](trace, chain, chance)
            yield TrainingQuery(text, same, frozenset(), f"{GROUP}, {kind}")
            yield TrainingQuery(text, frozenset(), same, f"{GROUP}, {kind}, left out")
