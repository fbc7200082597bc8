"""Name the stages of a search, so that each can be timed. Names only: no text passes here."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

Listener = Callable[[str], AbstractContextManager[object]]
"""Told the name of a stage, gives what is entered before it and left after it. What entering raises ends the search."""

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """One stage: ``parse``, ``embed``, ``candidates``, ``compare``, ``rank`` or ``explain``."""
    listener = _LISTENER.get()
    if listener is None:
        yield
    else:
        with listener(name):
            yield


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """While this lasts, in this context, ``listener`` hears of every stage."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


_gone: ContextVar[Callable[[], bool] | None] = ContextVar("gone", default=None)


def stop_when(is_over: Callable[[], bool]) -> None:
    """From now on, in this context, a text stops being read soon after ``is_over()`` says that nobody waits."""
    _gone.set(is_over)


def is_over() -> bool:
    """Return whether the caller has given up; False where nobody called `stop_when`."""
    gone = _gone.get()
    return gone is not None and gone()
