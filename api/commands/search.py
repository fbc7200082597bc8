"""Search for one paste: the closest known incidents, their cause and fix, how sure, and why."""

from typing import Annotated

import typer

import index
from api.console import STDIN, File, Json, note, print_answer, print_json, read_input, to_terminal
from api.settings import ServiceSettings
from index.verdict import Verdict
from kb.client import Client
from kb.client.shapes import Answer

app = typer.Typer()

FailOn = Annotated[
    list[Verdict],
    typer.Option("--fail-on", help="Exit with 1 when the verdict is this one; repeat for several. For scripts and CI."),
]


@app.command()
def search(
    file: File = STDIN,
    k: Annotated[int, typer.Option("-k", min=1, max=50, help="Show at most this many incidents.")] = 5,
    fail_on: FailOn = [],  # noqa: B006  typer copies it
    json: Json = False,  # noqa: FBT002
) -> None:
    """Search for one paste: the closest known incidents, their cause and fix, how sure, and why.

    With KB_URL set, ask the running service; without it, open the snapshot in KB_HOME.
    """
    text = read_input(file)
    settings = ServiceSettings.load()
    answer = ask_service(settings, text, k) if settings.url else ask_engine(settings, text, k)
    if json:
        print_json(answer)
    else:
        print_answer(answer, to_terminal(), file, text)
    if answer["verdict"] in fail_on:
        note(f"kb: the verdict is {answer['verdict']}, and --fail-on asks for exit code 1")
        raise typer.Exit(1)


def ask_engine(settings: ServiceSettings, text: str, k: int) -> Answer:
    """The answer of the snapshot in the home."""
    engine = index.Engine.open(settings.home, settings.model, settings.store)
    try:
        return index.answer_to_dict(engine.search(text, k))  # type: ignore[return-value]  # a test holds the shapes to what is written
    finally:
        engine.close()


def ask_service(settings: ServiceSettings, text: str, k: int) -> Answer:
    """The answer of the service at `KB_URL`."""
    with Client(settings.url, settings.key or "") as client:
        return client.search(text, k)
