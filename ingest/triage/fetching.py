"""Crash reports behind http and https: each fetched once a run, and not at all where its server says that it is what a report has read."""

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httpx

from ingest.triage.file_states import FileState, name_of
from kb.errors import SourceError

_SECONDS = 60.0
"""Of silence, until a server counts as gone."""
_BLOCK = 1 << 20
_AGAIN = 3
"""Times that a connection is tried."""
FETCHED = ".fetched-"
"""What the names of folders of copies begin with."""
_NAME = 80
_VALIDATORS = {"If-None-Match": "etag", "If-Modified-Since": "modified"}


class WebCopies:
    """Copies of what is behind URLs, in a folder of their own below another; gone when the block ends."""

    def __init__(self, below: Path) -> None:
        self._below = below
        self._folder: Path | None = None
        self.places: dict[str, str] = {}
        """URL → path of its copy."""
        self._states: dict[str, FileState] = {}

    def __enter__(self) -> Self:
        self._http = httpx.Client(
            timeout=_SECONDS,
            follow_redirects=True,
            transport=httpx.HTTPTransport(retries=_AGAIN),
            headers={"Accept-Encoding": "identity"},  # a name that ends in .gz says how it is packed
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._http.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def state(self, url: str, noted: FileState | None = None) -> FileState:
        """Return the state of what is there now. It is fetched but where its server says that it is what was ``noted``.

        Raises `SourceError` where it cannot be fetched.
        """
        if (state := self._states.get(url)) is None:
            state = self._states[url] = self._fetched(url, noted)
        return state

    def fetch(self, url: str) -> FileState:
        """Have a copy of it; return the state of the copy."""
        if url not in self.places:
            self._states[url] = self._fetched(url, None)
        return self._states[url]

    def _fetched(self, url: str, noted: FileState | None) -> FileState:
        known = {} if noted is None else {name: getattr(noted, field) for name, field in _VALIDATORS.items()}
        headers = {name: value for name, value in known.items() if value}
        try:
            with self._http.stream("GET", url, headers=headers) as answer:
                if noted is not None and headers and answer.status_code == httpx.codes.NOT_MODIFIED:
                    return noted
                if not answer.is_success:
                    raise _lost(url, f"the answer is HTTP {answer.status_code}")
                return self._copied(url, answer)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _lost(url, str(error) or type(error).__name__) from None

    def _copied(self, url: str, answer: httpx.Response) -> FileState:
        if self._folder is None:
            self._below.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._folder = Path(mkdtemp(prefix=FETCHED, dir=self._below.resolve()))
        name = Path(urlsplit(url).path.rstrip("/")).name[-_NAME:]  # it is named in the report where it cannot be read
        copy = self._folder / f"{len(self.places)}-{name}"
        digest, size = hashlib.sha256(), 0
        with copy.open("wb") as file:
            for block in answer.iter_raw(_BLOCK):
                digest.update(block)
                size += file.write(block)
        self.places[url] = str(copy)
        validators: Mapping[str, str] = answer.headers
        return FileState(
            size, f"sha256:{digest.hexdigest()}", validators.get("etag", ""), validators.get("last-modified", "")
        )


def _lost(url: str, why: str) -> SourceError:
    return SourceError(f"{name_of(url)} cannot be fetched: {why}", cure="give a URL that this machine can open")
