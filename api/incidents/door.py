"""The door to incidents: one client of `/v1/incidents`, whoever answers it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from api.incidents.inside import inside
from api.paths import INCIDENTS, address
from api.settings import ServiceSettings
from kb.errors import KbError

SECONDS = 60.0
PAGE = 200
MARKDOWN = "text/markdown; charset=utf-8"
Record = Mapping[str, Any]
_CURES = {
    401: "set KB_KEY to a key that is in force (`kb keys create` makes one)",
    403: "use a key of the role that it takes",
    404: "`kb incidents list` shows those that there are",
    409: "look at it with `kb incidents show`",
    412: "look at both versions, and save on top of the other",
    422: "mend what is named",
    429: "try again later",
    503: "try again; `kb doctor` says what is wrong with the home",
}


class Declined(KbError):  # noqa: N818 - reads as what is the case
    """What was asked for was not done; ``errors`` are the places that the answer names, ``document`` the whole of it."""

    def __init__(self, status: int, document: Record) -> None:
        detail = str(document.get("detail") or f"the service answered {status}")
        super().__init__(detail.rstrip("."), cure=_CURES.get(status, "see the service's log"))
        self.status = status
        self.errors: tuple[Record, ...] = tuple(document.get("errors") or ())
        self.document = document


class Door:
    """Incidents, read and written by somebody. `Declined` when something is not done, KbError when nobody answers."""

    def __init__(self, client: httpx.Client, name: str) -> None:
        self._client = client
        self.name = name
        """Of the service or of the home, for people."""

    def get(self, incident_id: str) -> Record:
        """The record of an incident as it stands; of a merged one, of the other."""
        return self._ask("GET", address(incident_id))

    def find(self, incident_id: str) -> Record | None:
        """The same; None where there is none."""
        try:
            return self.get(incident_id)
        except Declined as declined:
            if declined.status == httpx.codes.NOT_FOUND:
                return None
            raise

    def revision(self, incident_id: str, number: int) -> Record | None:
        """The record of one revision; None where there is none of that number."""
        try:
            found = self._ask("GET", address(incident_id, f"/history/{number}"))
        except Declined as declined:
            if declined.status == httpx.codes.NOT_FOUND:
                return None
            raise
        return dict(found["incident"])

    def listed(self, **wanted: Any) -> Iterator[Record]:
        """The lines of a list, page by page."""
        params = {key: value for key, value in wanted.items() if value is not None} | {"limit": PAGE}
        while True:
            page = self._ask("GET", INCIDENTS, params=params)
            yield from page["incidents"]
            if page["next"] is None:
                return
            params["cursor"] = page["next"]

    def history(self, incident_id: str) -> Iterator[Record]:
        """The heads of its revisions, the newest first."""
        params: dict[str, Any] = {"limit": PAGE}
        while True:
            page = self._ask("GET", address(incident_id, "/history"), params=params)
            yield from page["revisions"]
            if page["next"] is None:
                return
            params["before"] = page["next"]

    def diff(self, incident_id: str, earlier: int, later: int) -> Record:
        """What two revisions say differently."""
        return self._ask("GET", address(incident_id, "/diff"), params={"from": earlier, "to": later})

    def create(self, said: str | Record, note: str = "") -> Record:
        """A new incident from a write-up or from fields."""
        return self._ask("POST", INCIDENTS, params=_noted(note), **_body(said))

    def replace(self, incident_id: str, said: str | Record, expected: int, note: str = "") -> Record:
        """New words for an incident that is at that revision."""
        return self._ask("PUT", address(incident_id), expected=expected, params=_noted(note), **_body(said))

    def move(self, incident_id: str, status: str, expected: int, note: str = "") -> Record:
        """The same words in another state."""
        body = {"status": status, "note": note}
        return self._ask("POST", address(incident_id, "/status"), expected=expected, json=body)

    def restore(self, incident_id: str, number: int, expected: int) -> Record:
        """The words of an old revision once more."""
        return self._ask("POST", address(incident_id, "/restore"), expected=expected, json={"revision": number})

    def attach(self, incident_id: str, trace: str, note: str = "") -> Record:
        """One trace more."""
        return self._ask("POST", address(incident_id, "/traces"), json={"trace": trace, "note": note})

    def merge(self, incident_id: str, into: str, expected: tuple[int, int], note: str = "") -> Record:
        """Retire one in favour of another."""
        body = {"into": into, "into_revision": expected[1], "note": note}
        return self._ask("POST", address(incident_id, "/merge"), expected=expected[0], json=body)

    def split(self, incident_id: str, note: str = "") -> Record:
        """Take a merge back."""
        return self._ask("POST", address(incident_id, "/split"), json={"note": note})

    def draft(self, text: str) -> str:
        """A write-up to begin with, of a paste."""
        return str(self._ask("POST", f"{INCIDENTS}/draft", json={"text": text})["markdown"])

    def _ask(self, method: str, path: str, *, expected: int | None = None, **options: Any) -> dict[str, Any]:
        headers = {"Accept": "application/json", **options.pop("headers", {})}
        if expected is not None:
            headers["If-Match"] = f'"{expected}"'
        try:
            response = self._client.request(method, path, headers=headers, **options)
            answer = response.json()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            cure = "start it with `kb serve`, or unset KB_URL to work in the home"
            raise KbError(f"no service answers at {self.name}: {error}", cure=cure) from error
        except ValueError as error:
            raise KbError(f"what answers at {self.name} is not dejastack", cure="set KB_URL to its address") from error
        if not response.is_success or not isinstance(answer, dict):
            raise Declined(response.status_code, answer if isinstance(answer, dict) else {})
        return answer


@contextmanager
def open_door(settings: ServiceSettings) -> Iterator[Door]:
    """To the running service when `KB_URL` names one, else to the home, while the block lasts."""
    if settings.url:
        headers = {"Authorization": f"Bearer {settings.key}"} if settings.key else {}
        with httpx.Client(base_url=settings.url.rstrip("/"), headers=headers, timeout=SECONDS) as client:
            yield Door(client, settings.url)
        return
    with inside(settings) as transport, httpx.Client(base_url="http://127.0.0.1", transport=transport) as client:
        yield Door(client, str(settings.home))


def _noted(note: str) -> dict[str, str]:
    return {"note": " ".join(note.split())} if note.strip() else {}


def _body(said: str | Record) -> dict[str, Any]:
    """A write-up travels as Markdown, fields as JSON."""
    if isinstance(said, str):
        return {"content": said.encode("utf-8", "replace"), "headers": {"Content-Type": MARKDOWN}}
    return {"json": dict(said)}
