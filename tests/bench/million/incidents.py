"""Plans to incidents: chains as objects, their traces as text, titles and texts around them."""

from functools import lru_cache

import numpy as np

from kb.incident import Incident, Source
from kb.trace import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from tests.bench.million.names import frame_of, invented, package, type_of
from tests.bench.million.plan import SEED, STATISTICS, Plan, Raised, Trace, quantile
from tests.bench.million.words import text

_VARIABLE = 0.14
"""Of the words of a message that are another value each time."""


def incident(plan: Plan) -> Incident:
    """The incident of a plan."""
    rng = np.random.default_rng((SEED, plan.number))
    learned = STATISTICS["write_ups" if plan.write_up else "reports"]
    language = "zh" if plan.write_up and rng.random() < learned["chinese"] else "en"

    def part(name: str) -> str:
        return text(rng, language, quantile(learned[f"{name}_words"], rng.random()), plan.topic)

    written = [printed(trace, rng) for trace in plan.traces]
    name = f"inc-{plan.number:07d}"
    return Incident(
        id=name,
        title=_title(plan, part("title")),
        lang=language,
        source=Source(path=name, url=f"https://tracker.example/{name}"),
        component=package(plan.topic).rpartition(".")[2] if plan.topic >= 0 else invented(-plan.topic % 997),
        symptom=part("symptom") or None,
        root_cause=part("cause") or None,
        fix=part("fix") or None,
        traces=tuple(dict.fromkeys(trace for trace, _ in written)),
        chains=tuple(dict(written).values()),
        prose=part("prose"),
    )


def _title(plan: Plan, words: str) -> str:
    """People name the exception they saw in every other title."""
    words = words.rstrip(".。") or "crash"
    named = plan.traces and plan.traces[0][-1][0] >= 0 and plan.number % 2
    return f"{type_of(plan.traces[0][-1][0]).rpartition('.')[2]}: {words}" if named else words


def printed(trace: Trace, rng: np.random.Generator) -> tuple[str, ExceptionChain]:
    """The trace as the JVM prints it, and as the parser reads that."""
    lines: list[str] = []
    exceptions: list[RaisedException] = []
    above: tuple[Frame, ...] = ()
    for at, raised in enumerate(trace):
        made, above = _exception(raised, above, at, rng)
        exceptions.append(made)
        lines += _print(made, at)
    whole = "\n".join(lines)
    truncated = exceptions[0].type is None
    return whole, ExceptionChain("jvm", tuple(exceptions), head_truncated=truncated, span=(0, len(whole)))


def _exception(
    raised: Raised, above: tuple[Frame, ...], at: int, rng: np.random.Generator
) -> tuple[RaisedException, tuple[Frame, ...]]:
    kind, message, own, shared = raised
    frames = tuple(map(_frame, own)) + (above[len(above) - shared :] if shared else ())
    made = RaisedException(
        type=None if kind < 0 else type_of(kind),
        message=None if message < 0 else _message(message, rng),
        stack=StackTrace(frames),
        relation=Relation.CAUSE if at else None,
        parent=at - 1 if at else None,
        elided=shared,
    )
    return made, frames


@lru_cache(maxsize=1 << 18)
def _frame(number: int) -> Frame:
    module, function, filename, line = frame_of(number)
    platform = module.startswith(("java.", "javax.", "sun."))
    return Frame(
        function, module, filename, lineno=line, in_app=not platform, raw=f"at {module}.{function}({filename}:{line})"
    )


def _message(number: int, rng: np.random.Generator) -> str:
    """The words of a message are the same each time, its values are not."""
    fixed = np.random.default_rng((SEED, 1, number))
    count = quantile(STATISTICS["reports"]["message_words"], fixed.random())
    words = text(fixed, "en", count, number).rstrip(".").replace(". ", " ").split(" ")
    for at in np.flatnonzero(fixed.random(len(words)) < _VARIABLE):
        value = int(rng.integers(1 << 30))
        words[at] = (
            str(value),
            f"/data/{invented(value % 5000)}/part-{value}",
            f"0x{value:08x}",
            f"10.0.{value % 255}.{value % 251}:{value % 60000}",
        )[at % 4]
    return " ".join(words)


def _print(made: RaisedException, at: int) -> list[str]:
    head = (
        []
        if made.type is None
        else [f"{'Caused by: ' if at else ''}{made.type}{f': {made.message}' if made.message else ''}"]
    )
    own = made.stack.frames[: len(made.stack.frames) - made.elided]
    more = [f"\t... {made.elided} more"] if made.elided else []
    return head + [f"\t{frame.raw}" for frame in own] + more
