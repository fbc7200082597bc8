"""Send requests to a platform: which failures are worth a retry, and which addresses are the platform's own."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx
from anyio import move_on_after, to_thread

from api.chat.payload import Json, text
from api.chat.platform import Fetched, PermanentError, RetryableError
from kb.article.decode import decode

_SECONDS = 10.0
"""Timeout of a request whose client has none."""
_FILE_SECONDS = 60.0
"""Timeout of a whole file."""
LONGEST_WAIT = 3600.0
ANSWER = 512 * 1024
"""Most bytes that are read of an answer: platforms' have some KB, and whoever takes webhooks may send without end."""
FILE = 4 * 1024 * 1024
"""Most bytes that are read of a file."""
FILES = 5
"""Most files of a question that are read."""
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""The request never left."""
_NOT_ACCEPTED = frozenset({429, 503})
"""Too many, or none there now: nothing was done. Any other 5xx may come after it was done, from the platform or from a gateway."""


class AccessToken:
    """The token of an app, kept in this process until shortly before it ends; one task at a time renews it.

    ``renew`` asks the platform: it returns a token and its lifetime in seconds. ``early``: seconds before its end at which a token is
    no longer used; ``shortest``: seconds for which one is used in any case.
    """

    def __init__(
        self, renew: Callable[[httpx.AsyncClient], Awaitable[tuple[str, int]]], early: int, shortest: int = 60
    ) -> None:
        self._renew = renew
        self._early, self._shortest = early, shortest
        self._token = ""
        self._ends = 0.0
        self._renewing = asyncio.Lock()

    async def get(self, client: httpx.AsyncClient) -> str:
        """Return a token that is valid as far as its lifetime says. RetryableError or PermanentError as `request`."""
        async with self._renewing:
            if time.monotonic() >= self._ends:
                self._token, seconds = await self._renew(client)
                self._ends = time.monotonic() + max(self._shortest, seconds - self._early)
        return self._token

    def drop(self) -> None:
        """Renew the token next time: the platform refused it."""
        self._ends = 0.0


async def request(
    client: httpx.AsyncClient, method: str, url: str, *, is_repeatable: bool, **parts: Any
) -> httpx.Response:
    """Send a request; return the platform's answer, 2xx or 4xx. Of its body are read `ANSWER` bytes, and what comes within the timeout of the client.

    ``is_repeatable``: sending it twice does no harm. Anything else that may have arrived is not sent again.
    """
    try:
        answer = await _answered(client, method, url, **parts)
    except _NOT_SENT as error:
        raise RetryableError(f"the platform cannot be reached ({type(error).__name__})") from None
    except httpx.HTTPError as error:
        if is_repeatable:
            raise RetryableError(f"no answer from the platform ({type(error).__name__})", may_be_there=True) from None
        raise PermanentError("it may have been posted: the platform took it and did not answer") from None
    except httpx.InvalidURL:
        raise PermanentError("the address is none") from None
    if answer.status_code == 429 or answer.status_code >= 500:
        may_be_there = answer.status_code not in _NOT_ACCEPTED
        if may_be_there and not is_repeatable:
            raise PermanentError(f"it may have been posted: the answer was {answer.status_code}")
        wait = wait_of(answer, time.time())
        raise RetryableError(f"the platform answered {answer.status_code}", wait, may_be_there=may_be_there)
    if 300 <= answer.status_code < 400:
        raise PermanentError("the platform answered with another address, which is not followed")
    return answer


async def _answered(client: httpx.AsyncClient, method: str, url: str, **parts: Any) -> httpx.Response:
    """Return an answer whose body is cut where it is long or slow."""
    body, seconds = bytearray(), client.timeout.read or _SECONDS
    try:
        async with (
            asyncio.timeout(2 * seconds),  # httpx bounds each piece, not all of them
            client.stream(method, url, timeout=seconds, follow_redirects=False, **parts) as answer,
        ):
            with move_on_after(seconds):
                async for piece in answer.aiter_bytes():
                    body += piece
                    if len(body) >= ANSWER:
                        break
    except TimeoutError:
        raise httpx.ReadTimeout("the head of the answer did not come") from None
    headers = [one for one in answer.headers.multi_items() if one[0] not in {"content-encoding", "content-length"}]
    return httpx.Response(answer.status_code, headers=headers, content=bytes(body[:ANSWER]), request=answer.request)


class FileRefusedError(PermanentError):
    """The platform refuses a file; ``data`` and ``answer`` hold its response."""

    def __init__(self, data: bytes, answer: httpx.Response) -> None:
        super().__init__(f"the file is not given out ({answer.status_code})")
        self.data = data
        self.answer = answer


async def download(
    client: httpx.AsyncClient, url: str, headers: Mapping[str, str] | None = None
) -> tuple[bytes, httpx.Response]:
    """The first ``FILE`` bytes of a file, and the head of the answer."""
    data = bytearray()
    try:
        async with (
            asyncio.timeout(_FILE_SECONDS),
            client.stream("GET", url, follow_redirects=False, headers=headers) as answer,
        ):
            if answer.status_code == 429 or answer.status_code >= 500:
                raise RetryableError(
                    f"the file is not given out now ({answer.status_code})", wait_of(answer, time.time())
                )
            async for piece in answer.aiter_bytes():
                data += piece
                if len(data) >= FILE:
                    break
    except (httpx.HTTPError, TimeoutError) as error:
        raise RetryableError(f"the file did not come ({type(error).__name__})") from None
    except httpx.InvalidURL:
        raise PermanentError("the address of the file is none") from None
    if answer.status_code != 200:
        raise FileRefusedError(bytes(data[:FILE]), answer)
    return bytes(data[:FILE]), answer


async def read_files(
    wanted: Sequence[Json], get: Callable[[Json], Awaitable[bytes | None]], quoted: Sequence[str] = ()
) -> Fetched:
    """Return the ``quoted`` texts and those of files; ``get`` brings the first ``FILE`` bytes of one, None where it cannot be fetched.

    Each file has a ``name``. What is no text counts as unread, as does every file beyond ``FILES``. The last line of a file that
    was cut is left out: it is broken.
    """
    texts = list(quoted)
    unread, cut = [text(one, "name") for one in wanted[FILES:]], []
    for one in wanted[:FILES]:
        data = await get(one)
        decoded = await to_thread.run_sync(decode, data) if data else None
        if data is None or decoded is None or decoded.binary:
            unread.append(text(one, "name"))
            continue
        is_whole = len(data) < FILE
        texts.append(decoded.text if is_whole else decoded.text.rpartition("\n")[0])
        cut += [] if is_whole else [text(one, "name")]
    return Fetched("\n\n".join(filter(None, texts)), tuple(unread), tuple(cut))


def wait_of(answer: httpx.Response, now: float) -> float | None:
    """Return the seconds of Retry-After (RFC 9110, 10.2.3), or of Feishu's own header; at most an hour."""
    stated = answer.headers.get("retry-after", answer.headers.get("x-ogw-ratelimit-reset", "")).strip()
    if stated.isascii() and stated.isdecimal() and len(stated) < 10:
        return min(float(stated), LONGEST_WAIT)
    try:
        return min(max(0.0, parsedate_to_datetime(stated).timestamp() - now), LONGEST_WAIT)
    except (ValueError, TypeError, OverflowError):
        return None


def is_within(url: str, origin: str, suffixes: Collection[str] = ()) -> bool:
    """Whether an address from outside is at ``origin`` (scheme, host, port), or by https at a host under one of ``suffixes``."""
    try:
        parts, ours = urlsplit(url), urlsplit(origin)
        host, port = parts.hostname or "", parts.port
        same = (parts.scheme, host, port) == (ours.scheme, ours.hostname, ours.port)
    except ValueError:
        return False
    if parts.username is not None or parts.password is not None or any(sign in url for sign in "\\ \t\r\n"):
        return False
    return same or (parts.scheme == "https" and port in {None, 443} and host.endswith(tuple(suffixes)))
