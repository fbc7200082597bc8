"""The door to incidents: the client of the service, over whichever answers: the one at `KB_URL`, or the home in this process."""

from collections.abc import Iterator
from contextlib import contextmanager

from api import incidents
from api.settings import ServiceSettings
from kb.client import Client, Incidents

HERE = "http://127.0.0.1"


@contextmanager
def open_client(settings: ServiceSettings) -> Iterator[Client]:
    """To the running service when `KB_URL` names one, else to the home, while the block lasts."""
    if settings.url:
        with Client(settings.url, settings.key or "") as client:
            yield client
        return
    with incidents.home_service(settings) as transport, Client(HERE, "", transport=transport) as client:
        client.name = str(settings.home)
        yield client


@contextmanager
def open_door(settings: ServiceSettings) -> Iterator[Incidents]:
    """The same for whoever is after incidents alone."""
    with open_client(settings) as client:
        yield client.incidents
