"""Show what is understood of a paste: traces, frames, templates, fingerprints, redactions."""

from typing import Any

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from api.console import STDIN, File, Json, plain, print_json, read_input, to_terminal
from index.wire import parse_to_dict

app = typer.Typer()


@app.command()
def parse(file: File = STDIN, json: Json = False) -> None:  # noqa: FBT002
    """Show what is understood of a paste: traces, frames, templates, fingerprints, redactions."""
    reading = parse_to_dict(read_input(file))
    if json:
        print_json(reading)
    else:
        print_reading(reading, to_terminal())


def print_reading(reading: dict[str, Any], console: Console) -> None:
    """The reading on a terminal."""
    if not reading["chains"]:
        console.print("No stack trace in this text.")
    for number, chain in enumerate(reading["chains"], 1):
        head = "Message without a trace" if chain["runtime"] == "text" else f"Trace {number}: {chain['runtime']}"
        head += f", thread {plain(chain['thread'])}" if chain["thread"] else ""
        head += ", begins in the middle" if chain["head_truncated"] else ""
        console.print(Text(head, style="bold"))
        for raised in chain["exceptions"]:
            _print_exception(raised, console)
        for level, digest in chain["fingerprints"].items():
            console.print(Text(f"  {level:<11}{digest}", style="dim"))
    kinds = [plain(item["kind"]) for item in reading["redactions"]]
    for line in (*([f"{len(kinds)} redacted: {', '.join(sorted(set(kinds)))}"] if kinds else []), *reading["notes"]):
        console.print(Text(plain(line), style="yellow"))


def _print_exception(raised: dict[str, Any], console: Console) -> None:
    relation = f"{raised['relation']}: " if raised["relation"] else ""
    console.print(Padding(Text(f"{relation}{plain(raised['type'] or '(cut off)')}", style="red"), (0, 0, 0, 2)))
    if raised["template"]:
        console.print(Padding(Text(plain(raised["template"])), (0, 0, 0, 4)))
    for frame in raised["frames"]:
        name = ".".join(filter(None, (frame["module"], frame["function"])))
        place = f" ({frame['filename']}:{frame['lineno']})" if frame["filename"] else ""
        style = "" if frame["in_app"] else "dim"
        console.print(Padding(Text(f"at {plain(name)}{plain(place)}", style=style, overflow="fold"), (0, 0, 0, 4)))
    if raised["elided"]:
        console.print(Padding(Text(f"({raised['elided']} of them elided in the text)", style="dim"), (0, 0, 0, 4)))
