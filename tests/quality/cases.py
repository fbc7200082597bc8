"""Runs normalisation cases against `kb.trace`: `python -m tests.quality.cases FILE... [--failed]`.

A line of a file is one case: ``id, runtime, kind, inputs, expect, source``.

``parse``         the exceptions, frames and facts of ``expect`` are found in what the inputs are read as
``parameterize``  each input has the expected template
``same``          at ``expect.tier`` all inputs have equal fingerprints, one for each trace
``different``     at ``expect.tier`` every two inputs have different ones

A case that raises has failed. What should not pass stands in ``pinned.jsonl`` beside this file: ``id, desired, actual, reason``.
Exit status 1 when a case failed that is not pinned.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from kb.trace import (
    ExceptionChain,
    Frame,
    Level,
    RaisedException,
    fingerprints,
    normalize_function,
    parse,
    template,
)

PINNED = Path(__file__).with_name("pinned.jsonl")
KINDS = ("parse", "parameterize", "same", "different")
_SHOWN = 4_000
_FRAME_KEYS = {"class", "method", "function", "file", "line", "in_app"}


@dataclass(frozen=True, slots=True)
class Case:
    """One row of a file."""

    id: str
    runtime: str
    kind: str
    inputs: tuple[str, ...]
    expect: Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case; ``actual`` says in words what was found instead, for the reader."""

    case: Case
    ok: bool
    actual: str


def load(path: Path) -> list[Case]:
    """The cases of a file."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [Case(row["id"], row["runtime"], row["kind"], tuple(row["inputs"]), row["expect"]) for row in rows]


def pinned(path: Path = PINNED) -> dict[str, dict[str, str]]:
    """The rows that should not pass, by id; each with ``desired``, ``actual`` and ``reason``."""
    return {row["id"]: row for line in path.read_text(encoding="utf-8").splitlines() if (row := json.loads(line))}


def run(case: Case) -> Outcome:
    """The case, judged."""
    try:
        return Outcome(case, *_JUDGES[case.kind](case))
    except Exception as error:  # noqa: BLE001  a case that raises has failed, and the others are still run
        return Outcome(case, ok=False, actual=f"raised {type(error).__name__}: {error}")


def _parse(case: Case) -> tuple[bool, str]:
    expect, source = case.expect, case.inputs[0]
    if "function" in expect and not expect.keys() & {"exceptions", "frames", "threads"}:
        name = normalize_function(source)
        return name == expect["function"], str(name)
    chains = [chain for text in case.inputs for chain in parse(text)]
    raised = [exception for chain in chains for exception in chain.exceptions]
    frames = [frame for exception in raised for frame in exception.stack.frames]
    checks: dict[str, Callable[[Any], bool]] = {
        "exceptions": lambda wanted: all(any(_is_exception(one, found) for found in raised) for one in wanted),
        "root_cause": lambda wanted: any(chain.root.type == wanted for chain in chains),
        "frames": lambda wanted: _has_frames(wanted, frames),
        "exceptions_count": lambda wanted: any(len(chain.exceptions) == wanted for chain in chains),
        "message_template": lambda wanted: wanted in {template(source), *(template(e.message or "") for e in raised)},
        "type": lambda wanted: any(exception.type == wanted for exception in raised),
        "head_truncated": lambda wanted: any(chain.head_truncated == wanted for chain in chains),
        "thread": lambda wanted: any(chain.thread == wanted for chain in chains),
    }
    missed = [name for name, check in checks.items() if name in expect and not check(expect[name])]
    shown = "\n".join(_shown(chain) for chain in chains) or "no trace"
    return not missed, f"not as expected: {', '.join(missed)}\n{shown}"


def _is_exception(wanted: Mapping[str, Any], found: RaisedException) -> bool:
    message = (found.message or "").strip()
    facts = {
        "type": found.type,
        "wrapped_type": found.wrapped_type,
        "message": message,
        "message_template": template(message),
    }
    if any(wanted.get(name) is not None and wanted[name] != fact for name, fact in facts.items()):
        return False
    frames = found.stack.frames
    return wanted.get("frames_count", len(frames)) == len(frames) and _has_frames(wanted.get("frames", ()), frames)


def _has_frames(wanted: Iterable[Mapping[str, Any]], found: Sequence[Frame]) -> bool:
    return all(any(_is_frame(one, frame) for frame in found) for one in wanted if one.keys() & _FRAME_KEYS)


def _is_frame(wanted: Mapping[str, Any], found: Frame) -> bool:
    module, function = found.module or "", found.function or ""
    if (name := wanted.get("class")) is not None and name != module and not module.endswith("/" + name):
        return False
    if "function" in wanted and wanted["function"] is None and function:
        return False
    if wanted.get("function") is not None:
        qualified = f"{module}.{function}" if module else function
        if wanted["function"] not in (function, qualified):
            return False
    if wanted.get("method") not in (None, found.function):
        return False
    if wanted.get("file") is not None and _base(wanted["file"]) != _base(found.filename or ""):
        return False
    in_app = bool(wanted.get("in_app", found.in_app))
    return wanted.get("line", found.lineno) == found.lineno and in_app == found.in_app


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _shown(chain: ExceptionChain) -> str:
    lines = [f"{chain.runtime}{', head truncated' if chain.head_truncated else ''}, thread {chain.thread}"]
    for at, exception in enumerate(chain.exceptions):
        wrapped = f" wrapping {exception.wrapped_type}" if exception.wrapped_type else ""
        root = " [root]" if exception is chain.root else ""
        lines.append(f"  {at} {exception.type}{wrapped}{root}: {exception.message!r}")
        for frame in exception.stack.frames:
            mark = "*" if frame.in_app else " "
            lines.append(f"    {mark} {frame.module} | {frame.function} | {frame.filename}:{frame.lineno}")
    return "\n".join(lines)


def _parameterize(case: Case) -> tuple[bool, str]:
    found = [template(text) for text in case.inputs]
    return found == case.expect, json.dumps(found, ensure_ascii=False, indent=1)


def _same(case: Case) -> tuple[bool, str]:
    prints, shown = _prints(case)
    return all(prints) and len(set(prints)) == 1, shown


def _different(case: Case) -> tuple[bool, str]:
    prints, shown = _prints(case)
    return all(prints) and all(a != b for a, b in combinations(prints, 2)), shown


def _prints(case: Case) -> tuple[list[tuple[str, ...]], str]:
    """For each input the digests of its traces at the tier, and their bases to read."""
    level = Level(case.expect["tier"])
    found = [[fingerprints(chain)[level] for chain in parse(text)] for text in case.inputs]
    shown = "\n--\n".join("\n".join("\n".join(one.basis) for one in prints) or "no trace" for prints in found)
    return [tuple(one.digest for one in prints) for prints in found], shown


_JUDGES: dict[str, Callable[[Case], tuple[bool, str]]] = {
    "parse": _parse,
    "parameterize": _parameterize,
    "same": _same,
    "different": _different,
}


def table(outcomes: Sequence[Outcome]) -> str:
    """Passed of all, by runtime and kind."""
    counts: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for outcome in outcomes:
        for runtime in (outcome.case.runtime, "all"):
            counts[runtime, outcome.case.kind].append(outcome.ok)
            counts[runtime, "all"].append(outcome.ok)
    runtimes = [*sorted({outcome.case.runtime for outcome in outcomes}), "all"]
    lines = [f"{'':14}" + "".join(f"{kind:>14}" for kind in (*KINDS, "all"))]
    for runtime in runtimes:
        cells = [counts.get((runtime, kind), []) for kind in (*KINDS, "all")]
        told = [f"{sum(cell)}/{len(cell)}" if cell else "" for cell in cells]
        lines.append(f"{runtime:14}" + "".join(f"{cell:>14}" for cell in told))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the files and print what passed; the exit status."""
    asked = argparse.ArgumentParser(
        prog="python -m tests.quality.cases", description=(__doc__ or "").partition("\n")[0]
    )
    asked.add_argument("files", nargs="+", type=Path, metavar="FILE", help="JSON lines of cases")
    asked.add_argument("--failed", action="store_true", help="list what failed, expected and actual")
    options = asked.parse_args(arguments)
    outcomes = [run(case) for path in options.files for case in load(path)]
    failed = [outcome for outcome in outcomes if not outcome.ok]
    known = pinned()
    if options.failed:
        for outcome in failed:
            _print_failed(outcome, known.get(outcome.case.id))
    print(table(outcomes))
    new = [outcome.case.id for outcome in failed if outcome.case.id not in known]
    print(f"failed: {', '.join(new) or 'none'}; pinned: {len(failed) - len(new)}")
    if risen := [outcome.case.id for outcome in outcomes if outcome.ok and outcome.case.id in known]:
        print(f"pinned but passing: {', '.join(risen)}")
    return 1 if new else 0


def _print_failed(outcome: Outcome, pin: Mapping[str, str] | None) -> None:
    case = outcome.case
    print(f"=== {case.id} {case.runtime} {case.kind}{' (pinned: ' + pin['reason'] + ')' if pin else ''}")
    for text in case.inputs:
        print(f"--- input\n{text[:_SHOWN]}")
    print(f"--- expected\n{json.dumps(case.expect, ensure_ascii=False, indent=1)[:_SHOWN]}")
    print(f"--- actual\n{outcome.actual[:_SHOWN]}\n")


if __name__ == "__main__":
    sys.exit(main())
