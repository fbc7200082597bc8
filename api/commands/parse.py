"""Show how a paste is read: traces, frames, templates, fingerprints, redactions."""

from collections.abc import Mapping
from itertools import chain, islice
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from api.render.against import Comparison, FirstDifference, LevelComparison, compare, count_traces, to_dict
from api.render.console import (
    STDIN,
    File,
    Json,
    plain,
    print_json,
    print_json_stream,
    read_blocks,
    read_input,
    to_terminal,
)
from api.render.sides import MOST_ROWS
from api.render.tables import legend, rows_table
from api.settings import ServiceSettings
from index.local_rules import activate_home_rules
from index.reading import LongReading
from index.wire import parse_to_dict
from kb.trace import WITHOUT_TRACE

app = typer.Typer()


SIDES = ("A", "B")


@app.command()
def parse(
    file: File = STDIN,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-", help="Compare the fingerprints with those of this paste, and show why they differ."
        ),
    ] = None,
    json: Json = False,  # noqa: FBT002
) -> None:
    """Show how a paste is read: traces, frames, templates, fingerprints, redactions.

    A file or a pipe of any size is read in bounded memory, and its traces are shown as they are found.
    With --against, two pastes side by side: the first difference, and for each fingerprint whether it is equal and why not.
    """
    if file == against == STDIN:
        raise typer.BadParameter("only one of the two pastes can be standard input", param_hint="--against")
    activate_home_rules(ServiceSettings.load().home)
    if against is not None:
        _compare((file, read_input(file)), (against, read_input(against)), as_json=json)
        return
    blocks = read_blocks(file)
    start = list(islice(blocks, 2))
    if len(start) > 1:
        _show_long(LongReading(chain(start, blocks)), as_json=json)
    elif json:
        print_json(parse_to_dict(start[0]))
    else:
        print_reading(parse_to_dict(start[0]), to_terminal())


def _show_long(reading: LongReading, *, as_json: bool) -> None:
    """A text that is not held whole: each trace as it is found, then what was noticed on the way."""
    if as_json:
        print_json_stream("chains", reading.chains(), reading.rest)
        return
    console = to_terminal()
    for number, trace in enumerate(reading.chains(), 1):
        _print_chain(number, trace, console)
    _print_remarks(reading.rest(), console)


def _compare(ours: tuple[str, str], theirs: tuple[str, str], *, as_json: bool) -> None:
    comparison = compare(ours[1], theirs[1])
    counts = [count_traces(text) for _, text in (ours, theirs)] if comparison is None else []
    if as_json:
        without = {"a": {"traces": counts[0]}, "b": {"traces": counts[1]}, "equal": False} if counts else {}
        print_json(to_dict(comparison) if comparison is not None else without)
        return
    console = to_terminal()
    if comparison is not None:
        print_comparison(comparison, (ours[0], theirs[0]), console)
        return
    for side, (name, _), count in zip(SIDES, (ours, theirs), counts, strict=True):
        console.print(
            Text(f"{side}: {_traces(count)} in {plain(name)}" if count else f"{side}: no trace in {plain(name)}")
        )
    console.print("There is nothing to compare.")


def print_comparison(comparison: Comparison, names: tuple[str, str], console: Console) -> None:
    """Two traces on a terminal: which they are, the verdicts, the first difference, all side by side."""
    for letter, name, side in zip(SIDES, names, (comparison.ours, comparison.theirs), strict=True):
        which = f", trace {side.chosen} of {side.traces} (the pair that agrees best)" if side.traces > 1 else ""
        console.print(Text(f"{letter}: {plain(name)}, line {side.line}{which}", style="bold"))
    console.print()
    for judged in comparison.levels:
        sign, style = ("=", "green") if judged.equal else ("≠", "red")
        console.print(Text(f"{sign} {judged.level.value:<11}", style=style).append(_why(judged), style="none"))
    if comparison.difference is not None:
        _print_difference(comparison.difference, console)
    console.print(Text(f"\nSide by side{legend(console, *SIDES)}", style="bold"))
    console.print(rows_table(comparison.rows[:MOST_ROWS], console, *SIDES))
    if len(comparison.rows) > MOST_ROWS:
        console.print(Text(f"… {len(comparison.rows) - MOST_ROWS} more rows", style="dim"))


def _why(judged: LevelComparison) -> str:
    """The verdict on one level in words."""
    if judged.equal:
        return "equal"
    if judged.ours is None or judged.theirs is None:
        letter, line = ("B", judged.theirs) if judged.ours is None else ("A", judged.ours)
        return f"different: only {letter} has {plain(line)}"
    return f"different: {plain(judged.ours)} / {plain(judged.theirs)}"


def _print_difference(difference: FirstDifference, console: Console) -> None:
    console.print(Text(f"\nFirst difference: {difference.what}", style="bold"))
    texts = (difference.ours, difference.theirs)
    for letter, exception, frame, text in zip(SIDES, difference.exception, difference.frame, texts, strict=True):
        place = ", ".join([f"exception {exception}"] * bool(exception) + [f"frame {frame}"] * bool(frame))
        shown = "(none)" if text is None else plain(text)
        console.print(Padding(Text(f"{letter} {f'({place}) ' if place else ''}{shown}", overflow="fold"), (0, 0, 0, 2)))


def _traces(count: int) -> str:
    return f"{count} trace{'s' * (count > 1)}"


def print_reading(reading: Mapping[str, Any], console: Console) -> None:
    """The reading on a terminal."""
    if not reading["chains"]:
        console.print("No stack trace in this text.")
    for number, trace in enumerate(reading["chains"], 1):
        _print_chain(number, trace, console)
    _print_remarks(reading, console)


def _print_chain(number: int, chain: Mapping[str, Any], console: Console) -> None:
    head = "Message without a trace" if chain["runtime"] in WITHOUT_TRACE else f"Trace {number}: {chain['runtime']}"
    head += f", thread {plain(chain['thread'])}" if chain["thread"] else ""
    head += ", begins in the middle" if chain["head_truncated"] else ""
    console.print(Text(head, style="bold"))
    for raised in chain["exceptions"]:
        _print_exception(raised, console)
    for level, digest in chain["fingerprints"].items():
        console.print(Text(f"  {level:<11}{digest}", style="dim"))


def _print_remarks(reading: Mapping[str, Any], console: Console) -> None:
    kinds = [plain(item["kind"]) for item in reading["redactions"]]
    for line in (*([f"{len(kinds)} redacted: {', '.join(sorted(set(kinds)))}"] if kinds else []), *reading["notes"]):
        console.print(Text(plain(line), style="yellow"))


def _print_exception(raised: dict[str, Any], console: Console) -> None:
    relation = f"{raised['relation']}: " if raised["relation"] else ""
    name = plain(raised["type"] or "") or ("" if raised["template"] else "(cut off)")
    if relation or name:
        console.print(Padding(Text(f"{relation}{name}", style="red"), (0, 0, 0, 2)))
    if raised["template"]:
        console.print(Padding(Text(plain(raised["template"])), (0, 0, 0, 4)))
    for frame in raised["frames"]:
        name = ".".join(filter(None, (frame["module"], frame["function"])))
        place = f" ({frame['filename']}:{frame['lineno']})" if frame["filename"] else ""
        style = "" if frame["in_app"] else "dim"
        console.print(Padding(Text(f"at {plain(name)}{plain(place)}", style=style, overflow="fold"), (0, 0, 0, 4)))
    if raised["elided"]:
        console.print(Padding(Text(f"({raised['elided']} of them elided in the text)", style="dim"), (0, 0, 0, 4)))
