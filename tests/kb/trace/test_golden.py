"""Whole traces against reviewed readings: what was parsed, what it is called for ever, what its fingerprints are made of."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kb.trace import ExceptionChain, fingerprints, normalize, parse

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "traces"
FILES = sorted(GOLDEN.glob("*/*.txt"))


def test_there_are_enough_golden_traces() -> None:
    counts = {runtime: len(list((GOLDEN / runtime).glob("*.txt"))) for runtime in ("jvm", "python", "text")}
    assert counts["jvm"] >= 8
    assert counts["python"] >= 6
    assert counts["text"] >= 3


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.stem}" for path in FILES])
def test_reading(path: Path, golden: Callable[[Path, str], None]) -> None:
    text = path.read_text(encoding="utf-8")
    golden(path.with_suffix(".reading"), reading(text))


def reading(text: str) -> str:
    lines: list[str] = []
    for chain in parse(text):
        lines.extend(_chain(chain, text))
    return "\n".join(lines) + "\n" if lines else "no trace\n"


def _chain(chain: ExceptionChain, text: str) -> Iterator[str]:
    first, last = (text[:end].count("\n") + 1 for end in chain.span)
    marks = [f"thread {chain.thread!r}"] if chain.thread else []
    marks += ["head truncated"] if chain.head_truncated else []
    yield f"=== {chain.runtime}, lines {first}-{last}{''.join(', ' + mark for mark in marks)}"
    yield from (f"note: {note}" for note in chain.notes)
    for at, exception in enumerate(chain.exceptions):
        hung = f" ({exception.relation} of {exception.parent})" if exception.relation else ""
        root = " [root]" if exception is chain.root else ""
        wrapped = f" wrapping {exception.wrapped_type}" if exception.wrapped_type else ""
        yield f"{at}{hung}{root} {exception.type}{wrapped}: {exception.message!r}"
        if exception.elided:
            yield f"    elided {exception.elided}"
        for frame in exception.stack.frames:
            place = f"{frame.filename}:{frame.lineno}" if frame.filename else "-"
            yield f"    {'*' if frame.in_app else ' '} {frame.module} {frame.function} {place}"
    yield "--- normalised"
    for at, exception in enumerate(normalize(chain).exceptions):
        yield f"{at} {exception.type}: {exception.message!r}"
        for number, frame in enumerate(exception.stack.frames):
            shared = " (shared)" if number >= len(exception.stack.frames) - exception.elided else ""
            yield f"    {'*' if frame.in_app else ' '} {frame.module}.{frame.function}{shared}"
    for level, print_ in fingerprints(chain).items():
        yield f"--- {level} {print_.digest}"
        yield from (f"    {part}" for part in print_.basis)
