"""What must hold for every text, as one function for fuzzing; `tests/kb/trace/test_laws.py` asks the same of Hypothesis."""

import time
import traceback
from collections.abc import Callable
from typing import TypeVar

from kb.redact import redact
from kb.trace import ExceptionChain, fingerprints, normalize, parse, parse_stream, template
from kb.trace.runtimes.base import MOST_EXCEPTIONS
from kb.trace.stream import StreamLimits
from kb.trace.wire import chain_from_dict, chain_to_dict

T = TypeVar("T")

SECONDS_A_KILOBYTE = 0.01
SECONDS_AT_LEAST = 0.25
MOST_TIMES = 10
"""Times its text that the messages of a chain hold together: one that quotes its causes is kept whole beside them (eight in Java)."""
_SMALL = StreamLimits(block=4_000)
"""Blocks that a short text fills several of."""
_BLOCK = 997  # characters handed to the stream at once: no line ends there


class BrokenLawError(AssertionError):
    """A text breaks a law."""

    def __init__(self, law: str, place: str, why: str) -> None:
        super().__init__(why)
        self.law = law
        """``raises``, ``span``, ``chain``, ``normal``, ``prints``, ``template``, ``redact``, ``secret``, ``wire``, ``stream`` or ``time``."""
        self.place = place
        """Where in the code it raised, else the law again: findings of one place tell the same."""


def check(text: str, patience: float = 1) -> None:
    """BrokenLawError for the first law that the text breaks. ``patience`` times as much time as usual may be taken."""
    start = time.process_time()
    chains = _unbroken("parse", lambda: parse(text))
    for chain in chains:
        check_chain(chain, len(text))
        _check_names(chain)
    taken = time.process_time() - start
    allowed = patience * (SECONDS_AT_LEAST + SECONDS_A_KILOBYTE * len(text) / 1000)
    _holds("time", taken < allowed, f"{taken:.2f} s for {len(text)} characters, {allowed:.2f} s allowed")
    piece = text[:4_000]
    filled = _unbroken("template", lambda: template(piece))
    again = _unbroken("template", lambda: template(filled))
    _holds("template", again == filled, f"{filled!r} became {again!r}")
    hidden = _unbroken("redact", lambda: redact(text)).text
    twice = _unbroken("redact", lambda: redact(hidden)).text
    _holds("redact", twice == hidden, "hiding secrets twice hides more")
    blocks = [text[at : at + _BLOCK] for at in range(0, len(text), _BLOCK)]
    streamed = _unbroken("stream", lambda: tuple(parse_stream(blocks, _SMALL)))
    _holds("stream", streamed == chains, f"whole: {_told(chains)}; streamed: {_told(streamed)}")


def check_hidden(text: str, secret: str) -> None:
    """BrokenLawError where a secret that the text holds stands in what is kept of it: the redacted text, or the traces read of that."""
    hidden = _unbroken("redact", lambda: redact(text)).text
    _holds("secret", secret not in hidden, f"the redacted text shows it: {_around(hidden, secret)}")
    chains = _unbroken("parse", lambda: parse(hidden))
    _holds("secret", secret not in repr(chains), f"a trace shows it: {_around(repr(chains), secret)}")
    told = _unbroken("wire", lambda: repr([chain_to_dict(chain) for chain in chains]))
    _holds("secret", secret not in told, f"the wire shows it: {_around(told, secret)}")
    _holds("redact", redact(hidden).text == hidden, "hiding secrets twice hides more")


def _around(text: str, secret: str) -> str:
    at = text.find(secret)
    return repr(text[max(at - 60, 0) : at + 60])


def check_chain(chain: ExceptionChain, length: int) -> None:
    """BrokenLawError where a chain that was read from a text of that length is none, or holds more than its text can say."""
    begin, end = chain.span
    _holds("span", 0 <= begin <= end <= length, f"{chain.span} of {length} characters")
    _holds("chain", bool(chain.exceptions) and chain.root in chain.exceptions, "without a root")
    _holds("chain", len(chain.exceptions) <= MOST_EXCEPTIONS, f"{len(chain.exceptions)} exceptions")
    held = sum(len(exception.message or "") for exception in chain.exceptions)
    _holds("chain", held <= MOST_TIMES * length, f"messages of {held} characters in a text of {length}")
    for at, exception in enumerate(chain.exceptions):
        first = at == 0
        hung = exception.parent is not None and exception.parent < at
        _holds("chain", (exception.parent is None) == first and (first or hung), f"parent of {at}: {exception.parent}")
        _holds("chain", (exception.relation is None) == first, f"relation of {at}: {exception.relation}")


def _check_names(chain: ExceptionChain) -> None:
    once = _unbroken("normal", lambda: normalize(chain))
    twice = _unbroken("normal", lambda: normalize(once))
    _holds("normal", twice == once, f"{_first_change(once, twice)}", chain.runtime)
    prints = _unbroken("prints", lambda: fingerprints(chain))
    _holds(
        "prints", all(p.basis and all(p.basis) and p.digest for p in prints.values()), "an empty basis", chain.runtime
    )
    _holds("prints", fingerprints(once) == prints, "normalising moves a fingerprint", chain.runtime)
    _holds("prints", fingerprints(chain) == prints, "asking twice moves a fingerprint", chain.runtime)
    wired = _unbroken("wire", lambda: chain_from_dict(chain_to_dict(chain)))
    _holds("wire", wired == chain, "the wire loses something", chain.runtime)


def _unbroken(law: str, work: Callable[[], T]) -> T:
    try:
        return work()
    except Exception as error:  # noqa: BLE001  whatever is raised breaks the law
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "/kb/" in frame.filename] or frames
        place = f"{ours[-1].filename.rpartition('/kb/')[2]}:{ours[-1].name}:{type(error).__name__}"
        raise BrokenLawError("raises", place, f"{law}\n{traceback.format_exc()}") from None


def _holds(law: str, truth: bool, why: str, where: str = "") -> None:  # noqa: FBT001
    if not truth:
        raise BrokenLawError(law, f"{law} {where}".strip(), why)


def _told(chains: tuple[ExceptionChain, ...]) -> str:
    return ", ".join(f"{chain.runtime} {chain.span} {chain.root.type}" for chain in chains)


def _first_change(once: ExceptionChain, twice: ExceptionChain) -> str:
    pairs = zip(once.exceptions, twice.exceptions, strict=False)
    return next((f"{a!r}\nbecame\n{b!r}" for a, b in pairs if a != b), f"{len(once.exceptions)} exceptions before")
