"""Whether anybody still waits for a search: asked by the stages that a hostile text can make long."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_gone: ContextVar[Callable[[], bool] | None] = ContextVar("gone", default=None)


@contextmanager
def waiting(is_over: Callable[[], bool]) -> Iterator[None]:
    """Within it, and in this context, a text stops being read soon after ``is_over()`` says that nobody waits."""
    token = _gone.set(is_over)
    try:
        yield
    finally:
        _gone.reset(token)


def is_over() -> bool:
    """Whether nobody waits any more; False where nobody said so."""
    gone = _gone.get()
    return gone is not None and gone()
