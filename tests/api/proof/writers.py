"""Curators who write at once over HTTP, and remember what they were told."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

SHARED = "shared"
_AGAIN = 0.05


@dataclass
class Told:
    """What one curator knows of what they sent: every text was sent once, and has a title of its own."""

    acknowledged: dict[str, tuple[str, int]] = field(default_factory=dict)
    """By title: incident and revision."""
    refused: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)
    """The connection ended before the answer: saved, or not."""


class Writer(threading.Thread):
    """Adds incidents, changes its own, and changes one that all others change too, until it is told to stop."""

    def __init__(self, url: str, key: str, name: str) -> None:
        super().__init__(daemon=True)
        self.told = Told()
        self._url, self._name = f"{url}/v1/incidents", name
        self._headers = {"Authorization": f"Bearer {key}"}
        self._ends = threading.Event()

    def end(self) -> None:
        """Stop, and wait for the last answer."""
        self._ends.set()
        self.join()

    def run(self) -> None:
        """Write on; a connection that ends is made anew."""
        number = 0
        with httpx.Client(headers=self._headers, timeout=60) as client:
            while not self._ends.is_set():
                number += 1
                title = f"{self._name} {number}"
                try:
                    match number % 3:
                        case 0:
                            self._create(client, title, f"{self._name}-{number}")
                        case 1:
                            self._change(client, title, SHARED)
                        case _:
                            self._change(client, title, self._name)
                except httpx.TransportError:
                    self._ends.wait(_AGAIN)

    def _create(self, client: httpx.Client, title: str, incident_id: str) -> None:
        self._note(title, lambda: client.post(self._url, json={"id": incident_id, "title": title}))

    def _change(self, client: httpx.Client, title: str, incident_id: str) -> None:
        """Change an incident as it stands; where there is none yet, add it."""
        found = client.get(f"{self._url}/{incident_id}")
        if found.status_code == httpx.codes.NOT_FOUND:
            self._create(client, title, incident_id)
        elif found.is_success:
            headers = {"If-Match": found.headers["etag"]}
            place, record = f"{self._url}/{incident_id}", {"title": title}
            self._note(title, lambda: client.put(place, headers=headers, json=record))

    def _note(self, title: str, send: Callable[[], httpx.Response]) -> None:
        try:
            answer = send()
        except httpx.ConnectError:
            self.told.refused.add(title)  # nobody was there to read it
            raise
        except httpx.TransportError:
            self.told.unsure.add(title)
            raise
        if answer.is_success:
            saved = answer.json()
            assert saved["incident"]["title"] == title
            self.told.acknowledged[title] = (saved["id"], saved["revision"])
        elif answer.status_code in (httpx.codes.CONFLICT, httpx.codes.PRECONDITION_FAILED):
            self.told.refused.add(title)
        else:
            assert answer.status_code == httpx.codes.SERVICE_UNAVAILABLE, answer.text
            self.told.unsure.add(title)
