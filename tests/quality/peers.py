"""The same cases and traces through siggen and sentry-ophio: `python -m tests.quality.peers CASES [--traces FILE.jsonl.gz]`.

Neither reads a pasted text in general, so each gets what its documentation asks for:

* *siggen, its own input*: the text as ``java_stack_trace``, the one form of text that it takes (Java only).
* *siggen, our frames*: what `kb.trace` reads, as printed: for the JVM as ``java_exception`` with the root cause as its first
  value, for other runtimes as the frames of the crashing thread, raise point first.
* *sentry-ophio, our frames*: its enhancement rules decide which frames of the root cause count, oldest first as Sentry has them.
  The rules are our platform and framework lists (``module:java.** -app -group``): the wheel has none of its own. The signature is
  the type and what counts of the application, else all that counts, else the message: the order in which Sentry falls back.

A peer has one signature, so a case of any tier is put to it: ``same`` asks for equal ones that are not empty, ``different`` for unequal ones.
Cases that ask what is read, or for message templates, are nothing that these two offer.
"""

import argparse
import gzip
import json
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from kb.trace import ExceptionChain, RaisedException, fingerprints, parse
from kb.trace.rules import names
from tests.quality.cases import Case, load, run

Signature = Callable[[str], tuple[str, ...]]
"""The signatures of a text, one for each trace found in it; empty where a peer has none."""

COMPARED = ("same", "different")
_FRAMES = 100  # of one stack, more than any of these looks at


@cache
def _siggen() -> Any:
    from siggen.generator import SignatureGenerator

    return SignatureGenerator()


def siggen_on_text(text: str) -> tuple[str, ...]:
    """What siggen says of a Java stack trace as text."""
    return (str(_siggen().generate({"java_stack_trace": text.strip()}).signature),)


def siggen_on_frames(text: str) -> tuple[str, ...]:
    """What siggen says of the traces that we read."""
    return tuple(_siggen_of(chain) for chain in parse(text))


def _siggen_of(chain: ExceptionChain) -> str:
    root = chain.root
    frames = root.stack.frames[:_FRAMES]
    if chain.runtime == "jvm":
        module, _, name = (root.type or "").rpartition(".")
        told = [
            {"module": frame.module or "", "function": frame.function or "", "filename": frame.filename or ""}
            for frame in frames
        ]
        values = [{"stacktrace": {"module": module, "type": name, "frames": told}}]
        return str(_siggen().generate({"java_exception": {"exception": {"values": values}}}).signature)
    told = [
        {
            "module": frame.module,
            "function": f"{frame.module}.{frame.function}" if frame.module and frame.function else frame.function,
            "file": frame.filename,
            "line": frame.lineno,
        }
        for frame in frames
    ]
    crash = {"crashing_thread": 0, "threads": [{"frames": told}], "os": "Linux"}
    signature = str(_siggen().generate(crash).signature)
    return "" if signature.startswith("EMPTY:") else signature


@cache
def _enhancements() -> Any:
    from sentry_ophio.enhancers import Cache, Enhancements

    listed = {
        "jvm_platform": "module",
        "jvm_framework": "module",
        "jvm_machinery": "module",
        "go_platform": "function",
        "go_machinery": "function",
    }
    rules = [
        f"{matched}:{prefix}** -app{' -group' if 'machinery' in name else ''}"
        for name, matched in listed.items()
        for prefix in names(name).prefixes
    ]
    rules += ["path:**/site-packages/** -app", "path:**/lib/python*/** -app", "path:**/node_modules/** -app"]
    rules += ["path:node:* -app", "path:/rustc/** -app", "path:/usr/** -app"]
    return Enhancements.parse("\n".join(rules), Cache(1_000))


def ophio_on_frames(text: str) -> tuple[str, ...]:
    """What Sentry's rules leave of the traces that we read."""
    return tuple(_ophio_of(chain.root, chain.runtime) for chain in parse(text))


def _ophio_of(root: RaisedException, runtime: str) -> str:
    from sentry_ophio.enhancers import Component

    stack = root.stack.frames[:_FRAMES][::-1]
    frames = [
        {
            "category": None,
            "family": b"javascript" if runtime == "javascript" else b"native" if runtime == "native" else b"other",
            "function": _bytes(frame.function),
            "module": _bytes(frame.module),
            "package": None,
            "path": _bytes(frame.filename),
            "in_app": True,
            "orig_in_app": None,
        }
        for frame in stack
    ]
    about = {"ty": _bytes(root.type), "value": _bytes(root.message), "mechanism": None}
    for frame, (category, in_app) in zip(
        frames, _enhancements().apply_modifications_to_frames(frames, about), strict=True
    ):
        frame |= {"category": category, "in_app": in_app}
    components = [Component(contributes=True) for _ in frames]
    _enhancements().assemble_stacktrace_component(frames, about, components)
    counted = [frame for frame, component in zip(frames, components, strict=True) if component.contributes]
    best = [frame for frame in counted if frame["in_app"]] or counted
    keys = [b"%s %s" % (frame["module"] or b"", frame["function"] or frame["path"] or b"") for frame in best]
    return repr((root.type, keys or root.message)) if keys or root.type or root.message else ""


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "replace")


PEERS: Mapping[str, Signature] = {
    "siggen, its own input": siggen_on_text,
    "siggen, our frames": siggen_on_frames,
    "sentry-ophio, our frames": ophio_on_frames,
}


def satisfies(case: Case, signature: Signature) -> bool:
    """Whether a peer's signatures are as a ``same`` or ``different`` case asks."""
    found = [signature(text) for text in case.inputs]
    if not all(found) or not all(all(one) for one in found):
        return False
    if case.kind == "same":
        return len(set(found)) == 1
    return all(a != b for a, b in combinations(found, 2))


def counted(cases: Sequence[Case]) -> dict[str, dict[tuple[str, str], tuple[int, int]]]:
    """For us and each peer, passed and all by runtime and kind; siggen's own input only where it has one."""
    found: dict[str, dict[tuple[str, str], list[bool]]] = {name: defaultdict(list) for name in ("dejastack", *PEERS)}
    for case in cases:
        if case.kind not in COMPARED:
            continue
        for runtime in (case.runtime, "all"):
            found["dejastack"][runtime, case.kind].append(run(case).ok)
            for name, signature in PEERS.items():
                if signature is not siggen_on_text or case.runtime == "jvm":
                    found[name][runtime, case.kind].append(satisfies(case, signature))
    return {name: {key: (sum(ok), len(ok)) for key, ok in rows.items()} for name, rows in found.items()}


def markdown(counts: Mapping[str, Mapping[tuple[str, str], tuple[int, int]]]) -> str:
    """The counts as a table: runtimes down, products across, ``same`` and ``different`` in a cell."""
    runtimes = sorted(
        {runtime for rows in counts.values() for runtime, _ in rows}, key=lambda name: (name == "all", name)
    )
    lines = ["| same / different | " + " | ".join(counts) + " |", "|---" * (len(counts) + 1) + "|"]
    for runtime in runtimes:
        cells = []
        for rows in counts.values():
            told = [f"{rows[key][0]}/{rows[key][1]}" if (key := (runtime, kind)) in rows else "–" for kind in COMPARED]
            cells.append(" ".join(told) if told != ["–", "–"] else "–")
        lines.append(f"| {runtime} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def speeds(traces: Sequence[str]) -> dict[str, float]:
    """Megabytes a second, least time of three runs. For peers on our frames the reading is done before and not counted."""
    megabytes = sum(len(trace.encode("utf-8", "replace")) for trace in traces) / 1e6
    read = [parse(trace) for trace in traces]
    works: dict[str, Callable[[], object]] = {
        "dejastack, parse and fingerprints": lambda: [[*map(fingerprints, parse(trace))] for trace in traces],
        "dejastack, fingerprints of our frames": lambda: [[*map(fingerprints, chains)] for chains in read],
        "siggen, its own input": lambda: [siggen_on_text(trace) for trace in traces],
        "siggen, our frames": lambda: [[*map(_siggen_of, chains)] for chains in read],
        "sentry-ophio, our frames": lambda: [[_ophio_of(c.root, c.runtime) for c in chains] for chains in read],
    }
    return {name: megabytes / min(_seconds(work) for _ in range(3)) for name, work in works.items()}


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def load_traces(path: Path, most: int) -> list[str]:
    """The first traces of a file of JSON lines with a ``trace`` each."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["trace"] for line, _ in zip(lines, range(most), strict=False)]


def main() -> None:
    """Print both tables."""
    asked = argparse.ArgumentParser(
        prog="python -m tests.quality.peers", description=(__doc__ or "").partition("\n")[0]
    )
    asked.add_argument("cases", nargs="+", type=Path)
    asked.add_argument("--traces", type=Path, help="JSON lines with a `trace` each, gzipped")
    asked.add_argument("--most", type=int, default=1_000, help="how many of the traces")
    options = asked.parse_args()
    print(markdown(counted([case for path in options.cases for case in load(path)])))
    if options.traces:
        print("\n| | MB/s |\n|---|---|")
        for name, speed in speeds(load_traces(options.traces, options.most)).items():
            print(f"| {name} | {speed:.1f} |")


if __name__ == "__main__":
    main()
