"""Set up chat platforms, show their state, and retry or drop messages that could not be answered."""

import os
from functools import partial
from typing import Annotated, Any, Literal

import typer
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from api.chat import dead_letters as letters
from api.chat.setting_up import UNKNOWN, metrics, steps, waiting
from api.chat.settings import ChatSettings, _package, platform_names
from api.commands.keys import CONSOLE
from api.render.console import Json, note, plain, print_json, to_terminal
from api.settings import ServiceSettings, loaded
from kb.errors import KbError, SettingsError
from kb.store import Store
from kb.store.model import MessageState

app = typer.Typer(
    no_args_is_help=True,
    help="Set up chat platforms, show their state, and retry or drop messages that could not be answered.",
)
Ref = Annotated[str | None, typer.Argument(metavar="[REF]", help="The reference in `kb chat dead`.")]
All = Annotated[bool, typer.Option("--all", help="Select all of them.")]
Language = Annotated[
    Literal["en", "zh"] | None, typer.Option("--lang", help="Print in en or zh; default: the language of the terminal.")
]

Wait = Annotated[bool, typer.Option(help="Wait for the platform's first call, and report whether it was verified.")]


@app.command()
def setup(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(platform_names())}.")],
    lang: Language = None,
    wait: Wait = True,  # noqa: FBT002
    seconds: Annotated[int, typer.Option(min=1, help="Wait this many seconds.")] = 900,
) -> None:
    """The exact steps, manifest and address for a platform; then waits for its first call, and checks it. Exit code 1 when none came."""
    public = loaded(ChatSettings).public_url
    text = steps(name, public, lang or _terminals())
    console = to_terminal()
    if console.is_terminal:
        console.print(Markdown(plain(text)))
    else:
        typer.echo(text)
    if public is None:
        note(f"KB_PUBLIC_URL is not set: {UNKNOWN} stands for where the platform reaches this service.")
    if not wait:
        return
    settings = ServiceSettings.load()
    url = (settings.url or f"http://127.0.0.1:{settings.port}").rstrip("/")
    note(f"Waiting for {name} to call (Ctrl-C ends this; `--no-wait` spares it) …")
    for line, is_end in waiting(name, url, partial(metrics, url, settings.key), seconds):
        note(line)
        if is_end:
            return
    raise SettingsError(
        f"no call of {name} came within {seconds} s", cure="see that the platform reaches this service from outside"
    )


@app.command()
def status(json: Json = False) -> None:  # noqa: FBT002
    """Each platform: whether it is set up here, and how many of its messages wait, were answered, were given up."""
    with _store() as store:
        counts = store.messages.counts()
    rows = [_platform(name, counts) for name in platform_names()]
    if json:
        print_json(rows)
        return
    table = Table(box=None, pad_edge=False)
    for head in ("platform", "set up", "waiting", "answered", "given up"):
        table.add_column(head)
    for row in rows:
        cells = (row["name"], row["problem"] or ("yes" if row["set_up"] else "no"))
        table.add_row(*(Text(plain(str(cell))) for cell in (*cells, row["waiting"], row["done"], row["dead"])))
    to_terminal().print(table)


@app.command()
def dead(json: Json = False) -> None:  # noqa: FBT002
    """List messages that could not be answered, oldest first, and why."""
    with _store() as store:
        dead = [letters.to_json(one) for one in store.messages.listing()]
    if json:
        print_json(dead)
        return
    if not dead:
        note("Nothing: every question was answered.")
        return
    screen = to_terminal()
    for one in dead:
        head = f"{one['ref']}  {one['platform']}  {str(one['received_at'])[:19]}  {one['tries']} tries"
        screen.print(Text(plain(head), style="bold"))
        screen.print(Padding(Text(plain(str(one["why"]))), (0, 0, 0, 2)))


@app.command()
def retry(ref: Ref = None, every: All = False, json: Json = False) -> None:  # noqa: FBT002
    """Have one that was given up tried again by the running service, or all of them."""
    _settle(ref, "again", every=every, json=json)


@app.command()
def drop(ref: Ref = None, every: All = False, json: Json = False) -> None:  # noqa: FBT002
    """Drop one dead letter, or all of them; its question is deleted."""
    _settle(ref, "drop", every=every, json=json)


def _settle(ref: str | None, do: Literal["again", "drop"], *, every: bool, json: bool) -> None:
    if (ref is None) is not every:
        raise SettingsError("say which", cure="name one REF of `kb chat dead`, or say --all")
    with _store() as store:
        refs = [ref] if ref else [one.ref for one in store.messages.listing(limit=100_000)]
        settled = [letters.to_json(letters.resolve(store, one, do, CONSOLE)) for one in refs]
    if json:
        print_json(settled)
    else:
        note(f"{len(settled)} {'will be tried again' if do == 'again' else 'dropped'}.")


def _platform(name: str, counts: dict[tuple[str, MessageState], int]) -> dict[str, Any]:
    try:
        is_set_up, problem = _package(name).make(loaded(_package(name).SETTINGS)) is not None, None
    except KbError as error:
        is_set_up, problem = False, str(error)
    states = {state: counts.get((name, state), 0) for state in MessageState}
    return {
        "name": name,
        "set_up": is_set_up,
        "problem": problem,
        "waiting": states[MessageState.WAITING] + states[MessageState.HELD],
        "done": states[MessageState.DONE],
        "dead": states[MessageState.DEAD],
    }


def _terminals() -> Literal["en", "zh"]:
    locale = next(filter(None, (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return "zh" if locale.lower().startswith("zh") else "en"


def _store() -> Store:
    return Store.open(ServiceSettings.load().store)
