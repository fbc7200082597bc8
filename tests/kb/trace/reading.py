"""How tests take a chain from a text."""

from kb.trace import ExceptionChain, Level, fingerprints, parse
from kb.trace.lines import Lines
from kb.trace.runtimes.base import Runtime


def only(text: str, runtime: str | None = None) -> ExceptionChain:
    """The one chain of a text; of this runtime, when one is named."""
    (chain,) = parse(text)
    assert runtime in (None, chain.runtime)
    return chain


def read(runtime: Runtime, text: str) -> ExceptionChain:
    """What the runtime reads from line 0 on."""
    reading = runtime.reader.read(Lines.of(text, 0))
    assert reading is not None
    assert reading.chain is not None
    return reading.chain


def digest(text: str, level: Level) -> str:
    """The fingerprint of the one chain of a text."""
    return fingerprints(only(text))[level].digest
