"""Guide the setup of a platform: its instructions with addresses filled in, and the wait for the first verified call."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files

import httpx

from api.chat.settings import platform_names
from kb.errors import SettingsError

PATH = "/v1/chat/{name}"
UNKNOWN = "https://YOUR-ADDRESS"
"""Placeholder while KB_PUBLIC_URL is not set."""
_SAMPLE = re.compile(r"(kb_chat_\w+)\{([^}]*)\} ([0-9.e+]+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')
_HINTS = {
    "signature": "the secret that is set here is not the one that the platform signs with",
    "key": "the token or key in the call is not the one that is set here",
    "too-old": "the clocks differ: this machine's or the platform's is wrong by minutes",
    "replayed": "the same call came twice",
    "unreadable": "the call is none of the platform's forms: is it the right address?",
    "not-set-up": "a setting is missing for this kind of call",
}


def steps(name: str, public_url: str | None, lang: str) -> str:
    """Return the instructions as Markdown. SettingsError when there is no such platform."""
    if name not in platform_names():
        cure = f"one of {', '.join(platform_names())}"
        raise SettingsError(f"there is no chat platform {name[:40]!r}", cure=cure)
    folder = files(f"api.chat.{name}")
    address = (public_url or UNKNOWN) + PATH.format(name=name)
    text = (folder / f"setup.{lang}.md").read_text(encoding="utf-8")
    manifests = [one for one in folder.iterdir() if one.name.startswith("manifest.")]
    if manifests:
        text = text.replace("{manifest}", manifests[0].read_text(encoding="utf-8").rstrip())
    return text.replace("{url}", address).replace("{base}", public_url or UNKNOWN)


@dataclass(frozen=True, slots=True)
class Counted:
    """The counters of one platform."""

    is_set_up: bool
    received: float
    refused: dict[str, float]


def counted(metrics: str, name: str) -> Counted:
    """Read the counters of a platform from the text of `/metrics`."""
    received, refused, is_set_up = 0.0, {}, False
    for metric, labels, value in _SAMPLE.findall(metrics):
        tags = dict(_LABEL.findall(labels))
        if tags.get("platform") != name:
            continue
        if metric == "kb_chat_received_total":
            received += float(value)
        elif metric == "kb_chat_refused_total":
            refused[tags.get("reason", "")] = float(value)
        elif metric == "kb_chat_platforms":
            is_set_up = is_set_up or float(value) > 0
    return Counted(is_set_up, received, refused)


def waiting(
    name: str, where: str, look: Callable[[], str], seconds: float, pause: Callable[[float], None] = time.sleep
) -> Iterator[tuple[str, bool]]:
    """Wait for the next verified call; yield lines to print, each with whether it is the last. Ends after ``seconds`` at the latest.

    ``look`` returns the text of `/metrics` of the service at ``where``.
    """
    end, last_line = time.monotonic() + seconds, ""
    before: Counted | None = None
    while time.monotonic() < end:
        try:
            now: Counted | None = counted(look(), name)
        except httpx.HTTPError as error:
            now, line = None, f"No service answers at {where} ({type(error).__name__}): start it with `kb serve`."
        else:
            line = _missing(where, name) if now and not now.is_set_up else ""
        if line and line != last_line:
            yield line, False
        last_line = line
        if now and not before and now.received:
            yield (
                f"Since the service began {now.received:.0f} calls of {name} were verified; this waits for one more.",
                False,
            )
        if now and before:
            if now.received > before.received:
                yield f"A call of {name} came and was verified.", True
                return
            for reason, count in now.refused.items():
                if count > before.refused.get(reason, 0):
                    yield _hint(reason), False
        before = now
        pause(1.0)


def _missing(url: str, name: str) -> str:
    return f"The service at {url} does not have {name} set up: set what is named above, and start it again."


def _hint(reason: str) -> str:
    return f"A call came and was refused ({reason}): {_HINTS.get(reason, 'see the README')}."


def metrics(url: str, key: str | None) -> str:
    """Return the text of `/metrics`. SettingsError when the key may not read it."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    response = httpx.get(f"{url}/metrics", headers=headers, timeout=5.0)
    if response.status_code in {401, 403}:
        problem = f"the counters at {url} are for administrators"
        raise SettingsError(problem, cure="set KB_KEY to the key of one, or run this on the machine of the service")
    return response.raise_for_status().text
