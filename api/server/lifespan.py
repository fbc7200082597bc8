"""How a worker starts, follows what changes, and ends: first it says that it is not ready, then it takes nothing new, finishes what runs, and is gone in bounded time.

The last two are uvicorn's: it closes the listener, waits for the answers under way, at most ``timeout_graceful_shutdown``, and ends the
process by the signal it got, whatever threads still run.
"""

import asyncio
import ctypes
import gc
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from types import FrameType

import anyio
import uvicorn
from anyio import to_thread
from fastapi import FastAPI

from api.observability import tracing
from api.server.service import Service
from api.settings import ServiceSettings
from index.storage.restoring import keep_private
from kb.errors import KbError
from kb.patterns import compile_all

log = logging.getLogger(__name__)

FOLLOW_SECONDS = 0.2
"""How often each worker looks whether another has saved something."""
WARM_SECONDS = 1.0
"""How long a worker answers before it loads the rest: the first page does not share the processor with that."""
COUNT_SECONDS = 5.0
"""How often what was counted of answers is written: off the way of requests, one short transaction."""
TIDY_SECONDS = 600.0
"""How often what has expired is deleted; it is shown no more in any case."""
LARGE_BLOCK = 1_000_000
"""Bytes from which on a block of memory is the system's own."""
_MMAP_THRESHOLD = -3
"""M_MMAP_THRESHOLD in malloc.h."""


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open the store and the engine, then follow both until the worker ends; finish what chat has begun."""
    service: Service = app.state.service
    settings: ServiceSettings = app.state.settings
    drain_first(service, settings.drain_seconds)
    _give_large_blocks_back()
    await to_thread.run_sync(_close_to_others, settings)
    await to_thread.run_sync(service.open_store, settings.store)
    await to_thread.run_sync(_refresh, service)
    gc.enable()  # `api.commands.serve` disabled it
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_warm, service)
        tasks.start_soon(_watch, service, settings.poll_seconds)
        tasks.start_soon(service.keep_following, FOLLOW_SECONDS)
        tasks.start_soon(_keep_tidy, service, timedelta(days=settings.draft_days))
        tasks.start_soon(_keep_counting, service)
        tasks.start_soon(app.state.chat.worker.keep_working)
        if app.state.hooks.news is not None:
            tasks.start_soon(app.state.hooks.news.keep_looking)
        tasks.start_soon(app.state.mcp.keep_open)
        yield
        await app.state.chat.worker.finish()
        tasks.cancel_scope.cancel()
    await to_thread.run_sync(service.tally.write, service.store)
    app.state.maps.close()
    service.admission.close()
    service.close()
    await to_thread.run_sync(tracing.flush)


def _give_large_blocks_back() -> None:
    """Let the memory of a large body go back to the system as soon as it is freed.

    After the first large block, glibc takes others of its size from its heap, where smaller ones keep them from being given back
    (mallopt(3), M_MMAP_THRESHOLD). A paste of 30 MB took 4.3 times its size with that, and takes 3.6 times without it.
    """
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, LARGE_BLOCK)


def _close_to_others(settings: ServiceSettings) -> None:
    """What cannot be closed is served all the same."""
    try:
        keep_private(settings.home)
    except OSError as error:
        log.warning("other users of this machine may read the home: %s", error.strerror)


async def _warm(service: Service) -> None:
    await anyio.sleep(WARM_SECONDS)
    await to_thread.run_sync(_warm_and_freeze, service)


async def _watch(service: Service, poll_seconds: float) -> None:
    while True:
        await anyio.sleep(poll_seconds)
        if await to_thread.run_sync(_refresh, service):
            await to_thread.run_sync(_collect_the_old)
            await to_thread.run_sync(_warm_and_freeze, service)


def _warm_and_freeze(service: Service) -> None:
    """Load what is loaded lazily, and leave all of it out of the collector's rounds.

    A full round looks at 260,000 objects of code and of 100,000 incidents, and meanwhile every thread waits: 0.25 s (2026-11-30, a busy machine).
    """
    service.live.warm()
    compile_all()
    gc.freeze()


def _collect_the_old() -> None:
    """Free what the engine of the last snapshot left behind: it was frozen with the rest."""
    gc.unfreeze()
    gc.collect()


async def _keep_tidy(service: Service, draft_lasts: timedelta) -> None:
    def tidy() -> None:
        with suppress(KbError):  # a busy store is tidied the next time
            service.store.links.forget()
            service.store.drafts.forget(draft_lasts)
            service.tally.forget(service.store)

    while True:
        await to_thread.run_sync(tidy)
        await anyio.sleep(TIDY_SECONDS)


async def _keep_counting(service: Service) -> None:
    while True:
        await anyio.sleep(COUNT_SECONDS)
        await to_thread.run_sync(service.tally.write, service.store)


def _refresh(service: Service) -> bool:
    is_another = service.live.refresh()
    service.count()
    return is_another


def drain_first(service: Service, seconds: float) -> None:
    """On SIGTERM be unready for ``seconds`` and answer on, then end as uvicorn does. A second signal ends at once.

    Does nothing where no uvicorn waits for the signal, as in tests that call the app.
    """
    ends = signal.getsignal(signal.SIGTERM)
    if not callable(ends) or not isinstance(getattr(ends, "__self__", None), uvicorn.Server):
        return

    loop = asyncio.get_running_loop()

    def stop(number: int, frame: FrameType | None) -> None:
        if service.is_stopping or not seconds:
            service.is_stopping = True
            ends(number, frame)
            return
        service.is_stopping = True
        log.info("stopping: not ready any more, taking requests for another %g s", seconds)
        loop.call_soon_threadsafe(loop.call_later, seconds, lambda: ends(number, frame))

    signal.signal(signal.SIGTERM, stop)


def end_with_parent() -> None:
    """In a worker of several: end as at SIGTERM once the process that started it is gone, even when that was killed.

    Workers left alone would hold the address and answer on, replaced by nobody, stopped by nobody.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        log.warning("the parent process is gone: stopping")
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()
