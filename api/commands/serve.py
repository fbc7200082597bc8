"""Serve the API and the page; follows new snapshots without a restart."""

import contextlib
import os
import socket
import threading
import time
from typing import Annotated

import httpx
import typer
import uvicorn
from uvicorn.supervisors import Multiprocess

from api.console import note
from api.settings import ServiceSettings
from kb.errors import SettingsError

app = typer.Typer()

Host = Annotated[str | None, typer.Option(help="Address to listen on (KB_HOST; default 127.0.0.1).")]
Port = Annotated[int | None, typer.Option(min=0, max=65535, help="Port (KB_PORT; default 8420; 0: any free one).")]
Workers = Annotated[int | None, typer.Option(min=1, max=64, help="Processes that answer (KB_WORKERS; default 1).")]


@app.command()
def serve(host: Host = None, port: Port = None, workers: Workers = None) -> None:
    """Serve the API and the page; follows new snapshots without a restart. Stop it with Ctrl-C."""
    run(ServiceSettings.load(host=host, port=port, workers=workers))


def run(settings: ServiceSettings) -> None:
    """Listen and answer until told to stop. SettingsError when the address cannot be had."""
    listener = bind(settings.host, settings.port)
    config = uvicorn.Config(
        "api.app:app_from_environment",
        factory=True,
        workers=settings.workers,
        # Ours are logged by `api.middleware`, without the query: it can hold a pasted text.
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=10,
    )
    url = address(listener)
    threading.Thread(target=_announce, args=(url,), daemon=True).start()
    server = uvicorn.Server(config)
    with contextlib.suppress(KeyboardInterrupt):
        if settings.workers == 1:
            server.run(sockets=[listener])
        else:
            Multiprocess(config, sockets=[listener]).run()


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


def _announce(url: str) -> None:
    """Say where it is, once it can answer (or answers that it has no snapshot yet)."""
    start = time.monotonic()
    while True:
        with contextlib.suppress(httpx.HTTPError):
            ready = httpx.get(f"{url}/readyz", timeout=5.0)
            seconds = time.monotonic() - start
            if ready.is_success:
                note(
                    f"dejastack is ready at {url} (snapshot {ready.json()['snapshot_id']}, started in {seconds:.1f} s)"
                )
            else:
                note(f"dejastack listens at {url}, with nothing to search yet: {ready.json()['detail']}")
            return
        time.sleep(0.05)
