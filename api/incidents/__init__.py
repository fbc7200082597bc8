"""Incidents for the command line: of the running service at `KB_URL`, or of the home in this process, by the same routes.

The service over a home is imported when it is first needed: a command that asks the one at `KB_URL` needs no web framework.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from api.settings import ServiceSettings
from kb.client import Client, Incidents

HERE = "http://127.0.0.1"


@contextmanager
def open_client(settings: ServiceSettings) -> Iterator[Client]:
    """Yield a client of the running service when `KB_URL` names one, else of the home."""
    if settings.url:
        with Client(settings.url, settings.key or "") as client:
            yield client
        return
    in_process = import_module("api.incidents.in_process")
    with in_process.home_service(settings) as transport, Client(HERE, "", transport=transport) as client:
        client.name = str(settings.home)
        yield client


@contextmanager
def open_incidents(settings: ServiceSettings) -> Iterator[Incidents]:
    """Yield the incidents of `open_client`."""
    with open_client(settings) as client:
        yield client.incidents
