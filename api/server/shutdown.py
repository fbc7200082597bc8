"""How a worker ends: first it says that it is not ready, then it takes nothing new, finishes what runs, and is gone in bounded time.

The last two are uvicorn's: it closes the listener, waits for the answers under way, at most ``timeout_graceful_shutdown``, and ends the
process by the signal it got, whatever threads still run.
"""

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
from types import FrameType

import uvicorn

from api.server.service import Service

log = logging.getLogger(__name__)


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
