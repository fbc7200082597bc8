"""Processes that write to a store: each begins as a copy of one that has imported what they need."""

import multiprocessing
from collections.abc import Callable, Sequence
from multiprocessing.context import ForkServerContext

CONTEXT: ForkServerContext = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["psycopg", "sqlalchemy.dialects.postgresql.psycopg", "tests.kb.store.warm"])


def run(work: Callable[..., None], *each: Sequence[object]) -> list[int | None]:
    """How processes end that do the work all at once, one for each list of arguments; ``work`` gets a barrier too."""
    ready = CONTEXT.Barrier(len(each))
    processes = [CONTEXT.Process(target=work, args=(*arguments, ready)) for arguments in each]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return [process.exitcode for process in processes]
