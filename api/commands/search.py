"""Search for one paste: the closest known incidents, their cause and fix, how sure, and why."""

from typing import Annotated, Any

import typer

import index
from api.render.brief import print_brief, print_whole
from api.render.console import STDIN, File, Json, note, print_json, read_input, to_terminal
from api.render.language import terminal_language
from api.settings import ServiceSettings
from index.verdict import Verdict
from kb.client import Client
from kb.client.shapes import Answer
from kb.language import answer_language, detect

app = typer.Typer()

FailOn = Annotated[
    list[Verdict],
    typer.Option("--fail-on", help="Exit with 1 when the verdict is this one; repeat for several. For scripts and CI."),
]


Brief = Annotated[bool, typer.Option("--brief", help="A few lines: verdict, title, cause, first step of the fix.")]


@app.command()
def search(
    file: File = STDIN,
    k: Annotated[int, typer.Option("-k", min=1, max=50, help="Show at most this many incidents.")] = 5,
    fail_on: FailOn = [],  # noqa: B006  typer copies it
    json: Json = False,  # noqa: FBT002
    brief: Brief = False,  # noqa: FBT002
) -> None:
    """Search for one paste: the closest known incidents, their cause and fix, how sure, and why.

    With KB_URL set, ask the running service; without it, open the snapshot in KB_HOME.
    """
    text = read_input(file)
    settings = ServiceSettings.load()
    lang = terminal_language(text)
    answer = ask_service(settings, text, k, lang) if settings.url else ask_engine(settings, text, k, lang)
    if json:
        print_json(answer)
    elif brief:
        print_brief(answer, to_terminal(), lang)
    else:
        print_whole(answer, to_terminal(), file, text, lang)
    if answer["verdict"] in fail_on:
        note(f"kb: the verdict is {answer['verdict']}, and --fail-on asks for exit code 1")
        raise typer.Exit(1)


def ask_engine(settings: ServiceSettings, text: str, k: int, lang: str | None = None) -> Answer:
    """The answer of the snapshot in the home, in a language."""
    engine = index.Engine.open(settings.home, settings.model, settings.store, settings.place)
    engine.activate()
    try:
        return index.answer_to_dict(engine.search(text, k, lang=lang))  # type: ignore[return-value]  # a test holds the shapes to what is written
    finally:
        engine.close()


def ask_service(settings: ServiceSettings, text: str, k: int, lang: str | None = None) -> Answer:
    """The answer of the service at `KB_URL`, in a language. An older one is not told of it where it would answer in it anyway."""
    wanted_lang: Any = None if lang == answer_language(detect(text)) else lang
    with Client(settings.url, settings.key or "") as client:
        return client.search(text, k, lang=wanted_lang)
