"""What people paste, made of generated incidents: the same texts at every size of the knowledge base."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.incident import Incident
from tests.bench.million.incidents import incident
from tests.bench.million.plan import SEED, Planner

_LINE = re.compile(r":(\d+)\)$")
_VALUE = re.compile(r"\b\d{3,}\b")
FROM = 10_000
"""Incidents that are asked for stand among the first so many."""
MIX = ("trace", "trace", "trace", "cut", "cut", "new", "new", "english", "chinese", "chinese")
"""Kinds of pastes, by how often they come."""


@dataclass(frozen=True, slots=True)
class Question:
    """A paste, and the incident it is about; None for one that nobody had before."""

    kind: str
    text: str
    expected: str | None


def questions(count: int, seed: int = SEED) -> list[Question]:
    """So many pastes."""
    dice = random.Random(seed)
    plans = list(Planner().plans(FROM))
    fresh = (incident(plan) for plan in Planner(seed + 1).plans(FROM) if plan.traces and len(plan.traces[0][0][2]) > 3)
    traced = (incident(plan) for plan in dice.sample(plans, FROM) if any(len(r[2]) > 3 for t in plan.traces for r in t))
    written = (incident(plan) for plan in dice.sample(plans, FROM) if plan.write_up)
    chinese = (one for one in written if one.lang == "zh")
    reports = (incident(plan) for plan in dice.sample(plans, FROM) if not plan.write_up)
    sources = {"trace": traced, "cut": traced, "new": fresh, "english": reports, "chinese": chinese}
    made = (MIX[at % len(MIX)] for at in range(count))
    return [_question(kind, next(sources[kind]), dice) for kind in made]


def _question(kind: str, about: Incident, dice: random.Random) -> Question:
    if kind in ("english", "chinese"):
        return Question(kind, _asked(about, dice), about.id)
    trace = max(about.traces, key=len)
    lines = list(_mangled(trace.split("\n"), dice))
    if kind == "cut":
        lines = lines[: max(4, int(len(lines) * (0.3 + 0.4 * dice.random())))]
    prefix = f"2026-11-{dice.randint(1, 28):02} 03:1{dice.randint(0, 9)}:07,{dice.randint(100, 999)} ERROR [worker-{dice.randint(1, 40)}] "
    text = prefix + "task failed\n" + "\n".join(lines)
    return Question(kind, text, None if kind == "new" else about.id)


def _mangled(lines: Sequence[str], dice: random.Random) -> Iterator[str]:
    """Another release on another machine: lines have moved, values differ, a frame in fifteen is gone."""
    moved = dice.randint(-9, 30)
    for line in lines:
        if line.startswith("\tat ") and dice.random() < 1 / 15:
            continue
        if line.startswith("\t"):
            yield _LINE.sub(lambda found: f":{max(1, int(found[1]) + moved)})", line)
        else:
            yield _VALUE.sub(lambda _: str(dice.randint(1000, 10**8)), line)


def _asked(about: Incident, dice: random.Random) -> str:
    """Some words of the title and of how the symptom begins, in their order."""
    if about.lang == "zh":
        pieces = [piece for piece in re.split(r"[，。]", about.title + "，" + (about.symptom or "")[:120]) if piece]
        return "，".join(pieces[:4])
    words = (about.title + " " + (about.symptom or "")[:200]).split()
    return " ".join(word for word in words if dice.random() < 0.6)[:200]
