"""The threads of a dump: a stack that shows what a thread did, and no fault by itself.

A dump prints every thread of a process, and most of them only wait. They have no exception type; their message is a state
(``WAITING on java.lang.Object``, ``select``), which says nothing about what is wrong, unless they are blocked.
"""

from collections.abc import Sequence

from kb.trace import ExceptionChain, RaisedException

_BLOCKED = "BLOCKED"


def is_idle_thread(chain: ExceptionChain) -> bool:
    """Whether the chain is a thread of a dump that raised nothing and is not blocked."""
    return _is_thread(chain) and not (chain.root.message or "").startswith(_BLOCKED)


def message_of(chain: ExceptionChain, exception: RaisedException) -> str | None:
    """The message of an exception of the chain; None for the state of a thread."""
    return None if is_idle_thread(chain) else exception.message


def most_telling(chains: Sequence[ExceptionChain], most: int) -> list[int]:
    """Which ``most`` of the chains to look at: faults and blocked threads first, each kind in the order of the text."""
    order = sorted(range(len(chains)), key=lambda at: is_idle_thread(chains[at]))
    return order[:most]


def leading(chains: Sequence[ExceptionChain]) -> ExceptionChain | None:
    """The chain that a text with these is about: the first fault, else the first thread."""
    order = most_telling(chains, 1)
    return chains[order[0]] if order else None


def _is_thread(chain: ExceptionChain) -> bool:
    return chain.root.type is None and bool(chain.thread)
