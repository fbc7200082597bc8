"""Custom rules: list what is in force, check files, try new ones over a snapshot."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from api.render.console import Json, note, plain, print_json, to_terminal
from api.render.sides import rows_of_lines
from api.render.tables import legend, rows_table
from api.settings import ServiceSettings
from index.local_rules import FOLDER, read_candidate, read_folder, read_house
from index.rules_trial import Effect, FingerprintChange, RegroupedTraces, Trial, try_rules
from kb.errors import RulesError
from kb.trace.custom import FILES, CustomRules

app = typer.Typer(no_args_is_help=True, help=__doc__)

SIDES = ("now", "then")
Bases = tuple[tuple[str, ...], ...]
IN_USE = ("snapshot", "current")
"""Words for the snapshot in use, beside its id."""


@app.command("list")
def list_command(json: Json = False) -> None:  # noqa: FBT002
    """List the rules of the home, as they are read."""
    home = ServiceSettings.load().home
    rules = read_house(home)
    entries = _entries(rules)
    if json:
        print_json({"folder": str(home / FOLDER), "digest": rules.digest, **entries})
        return
    console = to_terminal()
    if not any(entries.values()):
        console.print(f"There are no rules in {plain(home / FOLDER)}. The files that there may be: {', '.join(FILES)}.")
        return
    for name, found in entries.items():
        if found:
            console.print(Text(f"{name}.txt", style="bold"))
            for entry in found:
                console.print(Padding(Text(plain(entry), overflow="fold"), (0, 0, 0, 2)))
    console.print(Text(f"digest {_digests(rules)}", style="dim"))


@app.command("check")
def check_command(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER|FILE]", help="Check these rules; default: the rules of the home.")
    ] = None,
) -> None:
    """Read rules and say all that is wrong, by file and line. Exit code 1 when anything is."""
    home = ServiceSettings.load().home
    rules = read_house(home) if folder is None else read_candidate(folder, home)
    counts = ", ".join(f"{len(found)} {name}" for name, found in _entries(rules).items() if found) or "none"
    note(f"the rules can be used: {counts} (digest {_digests(rules)})")


@app.command("try")
def try_command(
    rules: Annotated[
        Path, typer.Argument(help="Try this folder of rules, or one file in the place of its namesake in the home.")
    ],
    over: Annotated[
        str, typer.Option(metavar="SNAPSHOT", help="Compare with this snapshot, by id; `snapshot` is the one in use.")
    ] = IN_USE[0],
    show: Annotated[int, typer.Option(min=0, max=1000, help="Show this many examples and groups of each kind.")] = 5,
    json: Json = False,  # noqa: FBT002
) -> None:
    """Show which incidents and fingerprints rules would change, before they are adopted. Changes nothing."""
    home = ServiceSettings.load().home
    if not rules.exists():
        raise RulesError(f"there is no {rules}", cure="name a folder of rules, or one file of rules")
    candidate = read_candidate(rules, home) if rules.is_file() else read_folder(rules)
    with _bar() as progress:
        trial = try_rules(home, candidate, None if over in IN_USE else over, show=show, progress=progress)
    if json:
        print_json(to_dict(trial))
    else:
        print_trial(trial, to_terminal())
    if set(candidate.redact) != set(read_house(home).redact):
        note(
            "redact.txt: shown is what it changes in traces. What else it hides: once it is adopted, `kb scrub --dry-run` counts it in the store."
        )


def to_dict(trial: Trial) -> dict[str, Any]:
    """The trial as one JSON document."""
    return {
        "snapshot_id": trial.snapshot_id,
        "rules": {"now": trial.rules_now, "tried": trial.rules_tried},
        "incidents": {"all": trial.incidents, "changed": trial.incidents_changed},
        "traces": trial.traces,
        "levels": {
            level.value: {
                "changed": effect.changed,
                "distinct": {"before": effect.distinct_before, "after": effect.distinct_after},
                "merging": effect.merging,
                "splitting": effect.splitting,
            }
            for level, effect in trial.effects.items()
        },
        "examples": [
            {
                "incident": change.incident_id,
                "title": change.title,
                "trace": change.trace,
                "bases": {level.value: {"before": a, "after": b} for level, (a, b) in change.bases.items()},
            }
            for change in trial.examples
        ],
        "merges": [_group(group) for group in trial.merges],
        "splits": [_group(group) for group in trial.splits],
    }


def _group(group: RegroupedTraces) -> dict[str, Any]:
    return {
        "level": group.level.value,
        "traces": group.traces,
        "incidents": group.incidents,
        "before": group.before,
        "after": group.after,
    }


def print_trial(trial: Trial, console: Console) -> None:
    """The trial on a terminal."""
    summary = f"{trial.incidents_changed:,} of {trial.incidents:,} incidents would change ({trial.traces:,} traces)"
    console.print(Text(summary, style="bold"))
    console.print(_effects(trial))
    if trial.examples:
        console.print(Text(f"Examples{legend(console, *SIDES)}", style="bold"))
    for change in trial.examples:
        _print_change(change, console)
    for groups, heading in ((trial.merges, "would come together"), (trial.splits, "would come apart")):
        for group in groups:
            _print_group(group, heading, console)
    if trial.incidents_changed:
        console.print(f"\nTo adopt: put the files into KB_HOME/{FOLDER}, then run `kb ingest` again.")


def _effects(trial: Trial) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("level", "changed", "distinct", "then", "merging", "splitting"):
        table.add_column(heading, justify="left" if heading == "level" else "right")
    for level, effect in trial.effects.items():
        table.add_row(level.value, *(f"{count:,}" for count in _numbers(effect)))
    return table


def _numbers(effect: Effect) -> tuple[int, ...]:
    return effect.changed, effect.distinct_before, effect.distinct_after, effect.merging, effect.splitting


def _print_change(change: FingerprintChange, console: Console) -> None:
    console.print(Text(f"\n{plain(change.title)}", style="bold"))
    console.print(Text(f"{plain(change.incident_id)}, trace {change.trace}", style="cyan"))
    for level, (before, after) in change.bases.items():
        console.print(Text(f"  {level.value}", style="dim"))
        _print_bases((before,), (after,), console)


def _print_group(group: RegroupedTraces, heading: str, console: Console) -> None:
    named = ", ".join(plain(name) for name in group.incidents)
    console.print(Text(f"\n{group.traces} traces {heading} at {group.level.value}", style="bold"))
    console.print(Text(f"{named}{' …' if group.traces > len(group.incidents) else ''}", style="cyan"))
    _print_bases(group.before, group.after, console)


def _print_bases(before: Bases, after: Bases, console: Console) -> None:
    """The bases now and then side by side, several of one side one below the other."""
    sides = [tuple(line for basis in bases for line in basis) for bases in (before, after)]
    console.print(Padding(rows_table(tuple(rows_of_lines(*sides)), console, *SIDES), (0, 0, 0, 2)))


def _entries(rules: CustomRules) -> dict[str, list[str]]:
    """Return the rules in the form of their files."""
    return {
        "in_app": [name if own else f"!{name}" for name, own in rules.in_app],
        "wrappers": list(rules.wrappers),
        "noise": list(rules.noise),
        "messages": [f"{placeholder} {pattern}" for placeholder, pattern in rules.messages],
        "components": [str(one) for one in rules.components],
        "codes": [str(one) for one in rules.codes],
        "redact": [str(one) for one in rules.redact],
    }


def _digests(rules: CustomRules) -> str:
    """That of the rules for traces, then that of those for reading documents, as far as there are any."""
    return "-".join(filter(None, (rules.digest, rules.reading_digest))) or "empty"


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar on a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("trying"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("trying", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
