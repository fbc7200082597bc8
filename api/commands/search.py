"""Search for one paste: the closest known incidents, their cause and fix, how sure, and why."""

from typing import Annotated, Any

import httpx
import typer

from api.console import STDIN, File, Json, print_answer, print_json, read_input, to_terminal
from api.settings import ServiceSettings
from index import Engine
from index.wire import answer_to_dict
from kb.errors import KbError

app = typer.Typer()

SECONDS = 60.0


class ServiceError(KbError):
    """The service named by KB_URL did not answer, or answered with a problem."""


@app.command()
def search(
    file: File = STDIN,
    k: Annotated[int, typer.Option("-k", min=1, max=50, help="How many incidents at most.")] = 5,
    json: Json = False,  # noqa: FBT002
) -> None:
    """Search for one paste: the closest known incidents, their cause and fix, how sure, and why.

    With KB_URL set the running service is asked; without it the snapshot in KB_HOME is opened here.
    """
    text = read_input(file)
    settings = ServiceSettings.load()
    answer = ask_service(settings.url, text, k, settings.key) if settings.url else ask_engine(settings, text, k)
    if json:
        print_json(answer)
    else:
        print_answer(answer, to_terminal())


def ask_engine(settings: ServiceSettings, text: str, k: int) -> dict[str, Any]:
    """The answer of the snapshot in the home."""
    engine = Engine.open(settings.home, settings.model, settings.store)
    try:
        return answer_to_dict(engine.search(text, k))
    finally:
        engine.close()


def ask_service(url: str, text: str, k: int, key: str | None = None) -> dict[str, Any]:
    """The answer of a running service, asked with a key where there is one; ServiceError with the cure when it gives none."""
    address = f"{url.rstrip('/')}/v1/search"
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    body = {"text": text.encode("utf-8", "replace").decode(), "k": k}
    try:
        response = httpx.post(address, json=body, headers=headers, timeout=SECONDS)
        answer = response.json()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        cure = "start it with `kb serve`, or unset KB_URL to search here"
        raise ServiceError(f"no service answers at {url}: {error}", cure=cure) from error
    except ValueError as error:
        raise ServiceError(f"what answers at {url} is not dejastack", cure="set KB_URL to its address") from error
    if response.status_code != httpx.codes.OK:
        detail = answer.get("detail", "") if isinstance(answer, dict) else ""
        cure = "set KB_KEY to a key that may search" if response.status_code in {401, 403} else "see the service's log"
        raise ServiceError(f"{url} answered {response.status_code}: {detail}", cure=cure)
    return dict(answer)
