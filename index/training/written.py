"""Labelled queries that are nearer to what people write than to what programs print: for the ranker, beside `cases`.

Excerpts keep a few frames of a trace between frames of somebody's own. Written questions come from a file of labelled ones, its part
``tune`` only.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from index.evaluation.labelled import Evaluation, Labelled, read_cases
from index.training.cases import TrainingQuery, framed
from index.training.kin import Kin
from index.training.mangle import APPLICATIONS, WRAPPERS, own_frame, versions
from kb.incident import Incident

_MOST_FRAMES = 6


def excerpt(trace: str, chance: random.Random) -> str | None:
    """The root cause with two to six of its first frames above a frame or two of an application; None for a trace not of the JVM.

    One of the frames is perhaps lost, half of the excerpts stand under another wrapper.
    """
    inner = trace[max(trace.rfind("Caused by:"), 0) :].splitlines()
    first = next((at for at, line in enumerate(inner) if line.lstrip().startswith("at ")), None)
    if not first or first > _MOST_FRAMES:
        return None
    frames: list[str] = []
    for line in inner[first : first + chance.randint(2, _MOST_FRAMES)]:
        if not line.lstrip().startswith("at "):
            break
        if not frames or chance.random() > 0.15:
            frames.append(line)
    own = [f"\tat {own_frame(chance.choice(APPLICATIONS), chance)}" for _ in range(chance.randint(1, 2))]
    head = inner[:first]
    if chance.random() < 0.5:
        wrapper, frame = chance.choice(WRAPPERS)
        shown = head[0].removeprefix("Caused by: ").lstrip()
        return versions("\n".join([wrapper, frame, f"Caused by: {shown}", *head[1:], *frames, *own]), chance)
    head[0] = head[0].removeprefix("Caused by: ")
    return versions("\n".join([*head, *frames, *own]), chance)


def excerpt_queries(incidents: Sequence[Incident], seed: int) -> Iterator[TrainingQuery]:
    """An excerpt of a trace of each article, with the article there and with it and its kin left out."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable choice, no secret
    kin = Kin.of(incidents)
    for incident in incidents:
        if not (shown := framed(incident)):
            continue
        trace, chain = chance.choice(shown)
        if (text := excerpt(trace, chance)) is None:
            continue
        same = kin.sharing(incident, chain)
        yield TrainingQuery(text, same, frozenset(), "excerpt")
        yield TrainingQuery(text, frozenset(), same, "excerpt, left out")


def written_queries(path: Path, evaluation: Evaluation) -> Iterator[TrainingQuery]:
    """The part ``tune`` of labelled questions, each with its incidents there and left out, and those that nothing answers."""
    for case in read_cases(path):
        if case.part != "tune":
            continue
        right = evaluation.incidents(case.expected)
        if right:
            yield TrainingQuery(case.text, right, frozenset(), f"written {case.group}")
        yield TrainingQuery(case.text, frozenset(), right, "written, left out")


def feedback_queries(cases: Iterable[Labelled], evaluation: Evaluation) -> Iterator[TrainingQuery]:
    """Texts of which readers confirmed incidents, each with these there and left out; one whose incidents are gone teaches nothing."""
    for case in cases:
        if right := evaluation.incidents(case.expected):
            yield TrainingQuery(case.text, right, frozenset(), "feedback")
            yield TrainingQuery(case.text, frozenset(), right, "feedback, left out")
