"""Serve the API and the page; follows new snapshots without a restart."""

import contextlib
import gc
import logging
import math
import os
import socket
import ssl
import threading
import time
from typing import Annotated

import httpx
import typer
import uvicorn
from uvicorn.supervisors import Multiprocess

from api.access.provider import provider
from api.hooks.routes import check_settings as check_outside
from api.observability import logs
from api.observability.metrics import counted_together
from api.render.console import note
from api.server.connection import SLACK, BoundedConnection
from api.server.exposure import check as check_exposure
from api.settings import ServiceSettings
from kb.errors import SettingsError
from kb.store import Actor, Role, Store

STARTUP_SECONDS = 60
"""A worker that does not answer its parent for so long is replaced. It answers once it has imported its code: with uvicorn's 5 seconds,
a busy machine would replace workers that are starting, for ever."""

_FIRST_START = Actor("start", "first start", Role.ADMIN)

app = typer.Typer()
log = logging.getLogger(__name__)

Host = Annotated[str | None, typer.Option(help="Listen on this address (KB_HOST; default 127.0.0.1).")]
Port = Annotated[
    int | None, typer.Option(min=0, max=65535, help="Listen on this port (KB_PORT; default 8420; 0: any free one).")
]
Workers = Annotated[
    int | None, typer.Option(min=1, max=64, help="Run this many worker processes (KB_WORKERS; default 1).")
]


@app.command()
def serve(host: Host = None, port: Port = None, workers: Workers = None) -> None:
    """Serve the API and the page; follows new snapshots without a restart. Stop it with Ctrl-C."""
    run(ServiceSettings.load(host=host, port=port, workers=workers))


def run(settings: ServiceSettings) -> None:
    """Listen and answer until stopped. SettingsError when the address is taken or not allowed."""
    check_exposure(settings)
    provider(settings)
    check_outside()
    make_first_key(settings)
    logs.set_up(settings.log_format, settings.log_level)
    listener = bind(settings.host, settings.port)
    threading.Thread(target=_announce, args=(address(listener), settings), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt), counted_together(settings.workers):
        if settings.workers == 1:
            gc.disable()  # nothing that is loaded is garbage; `api.server.lifespan` enables it once the service is open
            uvicorn.Server(_config(settings)).run(sockets=[listener])
        else:
            _Workers(_config(settings), sockets=[listener]).run()


def _config(settings: ServiceSettings) -> uvicorn.Config:
    return uvicorn.Config(
        "api.app:app_from_environment",
        factory=True,
        workers=settings.workers,
        http=BoundedConnection,
        ws="none",
        limit_concurrency=settings.connections + SLACK,  # refused by BoundedConnection, which says when to come back
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        # Ours are logged by `api.server.middleware`, without the query: it can hold a pasted text.
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_worker_healthcheck=STARTUP_SECONDS,
        timeout_graceful_shutdown=math.ceil(settings.search_seconds) + 2,
    )


class _Workers(Multiprocess):
    """uvicorn's workers. One that dies is missed at once; once they were told to end, nobody connects any more to a listener that none of them reads."""

    def keep_subprocess_alive(self) -> None:
        for process in self.processes:
            process.child_conn.close()  # the worker has its own; with ours, one that dies while it is asked for a sign is waited for
        super().keep_subprocess_alive()

    def terminate_all(self) -> None:
        super().terminate_all()
        for listener in self.sockets:
            listener.close()


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; SettingsError names the address and the cure."""
    try:
        family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(2048)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        cure = "choose another with --port (0: any free one) and --host, or stop what listens there"
        raise SettingsError(f"cannot listen on {host}:{port}: {reason}", cure=cure) from error
    listener.set_inheritable(True)
    return listener


def address(listener: socket.socket) -> str:
    """The URL at which this machine reaches the listener."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _announce(url: str, settings: ServiceSettings) -> None:
    """Say where it is, once it can answer (or answers that it has no snapshot yet)."""
    start = time.monotonic()
    tell = log.info if logs.writes_json(settings.log_format) else note
    nobody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # it is never asked; the usual one takes 30 ms to make, each time
    while True:
        with contextlib.suppress(httpx.HTTPError):
            ready = httpx.get(f"{url}/readyz", timeout=5.0, verify=nobody, trust_env=False)
            seconds = time.monotonic() - start
            if ready.is_success:
                tell(
                    f"dejastack is ready at {url} (snapshot {ready.json()['snapshot_id']}, started in {seconds:.1f} s)"
                )
            else:
                tell(f"dejastack listens at {url}, with nothing to search yet: {ready.json()['detail']}")
            return
        time.sleep(0.05)


def make_first_key(settings: ServiceSettings) -> None:
    """In a store that never had a key, make one that may everything, and show it: on the terminal, once, and in no log line.

    StoreError when the store cannot be used. To be called before there are workers.
    """
    with Store.open(settings.store) as store:
        made = store.keys.first("first start", actor=_FIRST_START)
    if made is not None:
        key, secret = made
        note(f"The first key, which may do everything ({key.role}); it is not shown again. Writing asks for it:")
        note(f"    {secret}")
        note(
            "Use it as KB_KEY, in `Authorization: Bearer …`, or to log in on the page; `kb keys` makes and revokes others."
        )
