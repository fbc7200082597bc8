"""Whether what was read of a paste agrees with a reader's label.

Names are compared without their packages; a message agrees from an F1 of words of `_SAME` on.
"""

import re
from collections.abc import Iterator, Sequence

from kb.trace import ExceptionChain, RaisedException
from tests.quality.readings import Problem, overlap

_SAME = 0.8


def _simple(name: str) -> str:
    return re.split(r"[.:\\/$]", name)[-1].lower()


def _is_named(found: str | None, label: str) -> bool:
    """Whether a type is the label's: the same class, or a name that holds the label's code (``MySQL 1273``)."""
    return found is not None and (
        _simple(found) == _simple(label) or label.lower() in re.findall(r"[\w.-]+", found.lower())
    )


def _causes(chain: ExceptionChain) -> Iterator[RaisedException]:
    at: int | None = 0
    while at is not None:
        yield chain.exceptions[at]
        at = next((n for n, one in enumerate(chain.exceptions) if one.parent == at and one.relation == "cause"), None)


def _types(chain: ExceptionChain, text: str) -> list[str]:
    """The printed types from the outermost exception to its root; names that we give where none is printed are left out."""
    names = [name for one in _causes(chain) for name in (one.type, one.wrapped_type) if name]
    return [name for name in names if re.split(r"[.:\\/$ ]", name)[-1] in text]


def _is_unnamed(chain: ExceptionChain, text: str) -> bool:
    """Whether the root has no type, or one that is ours: ``panic``, ``SQLSTATE 42883`` of a message whose code is not printed."""
    name = [one.type for one in _causes(chain)][-1]
    return name is None or name == "panic" or name not in text


def is_type(chains: Sequence[ExceptionChain], label: str) -> bool:
    """Whether the root of any chain has the label's type."""
    return any(_is_named(chain.root.type, label) or _is_named(chain.root.wrapped_type, label) for chain in chains)


def is_message(chains: Sequence[ExceptionChain], label: str) -> bool:
    """Whether the root of any chain says what the label does, with its first line or all of it."""
    messages = [chain.root.message or "" for chain in chains]
    return any(overlap(part, label) >= _SAME for one in messages for part in (one, one.strip().partition("\n")[0]))


def is_chain(chains: Sequence[ExceptionChain], problem: Problem, text: str) -> bool:
    """Whether a chain has the label's types in their order; for a label without types one that names none."""
    if not problem.types:
        return any(_is_unnamed(chain, text) for chain in chains)
    found = [_types(chain, text) for chain in chains]
    return any(len(names) == len(problem.types) and all(map(_is_named, names, problem.types)) for names in found)
