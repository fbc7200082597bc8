"""Generated beside real, statistic by statistic: ``python -m tests.bench.million.compare``. Prints a Markdown table.

The generated incidents are the first ones of each kind, as many as were learned from, read by the very functions that learned.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from kb.incident import Incident
from tests.bench.million.incidents import incident
from tests.bench.million.learn import texts, traces, usage, words_of
from tests.bench.million.plan import SHARES, STATISTICS, Planner

KINDS = ("reports", "write_ups")
_SHOWN = (0.1, 0.5, 0.9, 0.99)
_MOST = 200_000


def generated(kind: str, count: int) -> list[Incident]:
    """The first incidents of a kind."""
    plans = (plan for plan in Planner().plans(_MOST) if plan.write_up == (kind == "write_ups"))
    return [incident(plan) for plan in islice(plans, count)]


def described(incidents: Sequence[Incident]) -> dict[str, Any]:
    """What would be learned of them."""
    return {"count": len(incidents), **traces(incidents), **texts(incidents)}


def rows(real: Any, made: Any, name: str = "") -> Iterator[tuple[str, str, str]]:
    """(statistic, real, generated), quantiles by a few of their shares."""
    if isinstance(real, dict):
        for key, value in real.items():
            yield from rows(value, made.get(key), f"{name} {key}".strip())
    elif isinstance(real, list) and len(real) == len(SHARES) and not isinstance(real[0], list):
        at = [SHARES.index(share) for share in _SHOWN]
        yield name, *(" / ".join(f"{values[i]:g}" for i in at) for values in (real, made))
    else:
        yield name, str(real), str(made)


def main() -> None:
    """The table."""
    print("| statistic | real | generated |\n|---|---|---|")
    spoken = []
    for kind in KINDS:
        real = STATISTICS[kind]
        incidents = generated(kind, real["count"])
        spoken += incidents
        for row in rows(real, described(incidents), kind):
            print("| " + " | ".join(row) + " |", flush=True)
    words = {language: usage(found) for language, found in words_of(spoken).items()}
    for row in rows(STATISTICS["words"], words, "words"):
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
