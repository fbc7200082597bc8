"""Measure the current snapshot on labelled questions: how often the right incident comes first, what is called known."""

import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from api.console import Json, note, plain, print_json, to_terminal
from api.settings import ServiceSettings
from index import Engine
from index.evaluation.labelled import (
    CasesError,
    Evaluation,
    Labelled,
    Outcome,
    Scores,
    by_group,
    confusion,
    read_cases,
    scores,
)
from index.evaluation.opinions import Opinions, by_fingerprint, opinions_of
from kb.store import Store

app = typer.Typer()

_NAMED = 5  # missing ids that are named; how many there are is always told


@app.command()
def evaluate(
    file: Annotated[
        Path | None, typer.Argument(metavar="CASES.jsonl", help='JSON lines, each with "text" and "expected".')
    ] = None,
    part: Annotated[str, typer.Option(help="Only the cases of this part, say tune or test.")] = "",
    from_feedback: Annotated[  # noqa: FBT002
        bool, typer.Option("--from-feedback", help="What readers confirmed and denied, instead of a file.")
    ] = False,
    json: Json = False,  # noqa: FBT002
) -> None:
    """Measure the current snapshot on labelled questions.

    Each line holds a "text" and the list of ids "expected" to answer it, empty where nothing known does; "group" and "lang" make the rows of the table.

    With --from-feedback the cases are the queries that were kept with their text (KB_FEEDBACK_TEXT); of the others it is told whether the
    confirmed incident still has a fingerprint of the query.

    The snapshot in KB_HOME is asked, not a running service.
    """
    settings = ServiceSettings.load()
    said = _feedback(settings, file, part) if from_feedback else None
    cases = _of_file(file, part) if said is None else list(said.confirmed)
    engine = Engine.open(settings.home, settings.model, settings.store)
    started = time.perf_counter()
    try:
        evaluation = Evaluation(engine)
        missing = evaluation.missing(cases)
        outcomes = [evaluation.outcome(case) for case in _shown(cases)]
        more = {} if said is None else {"feedback": _told(said, evaluation, engine)}
    finally:
        engine.close()
    note(f"{len(cases)} cases in {time.perf_counter() - started:.1f} s, snapshot {engine.snapshot_id}")
    if missing:
        named = ", ".join(missing[:_NAMED]) + (", …" if len(missing) > _NAMED else "")
        note(f"{len(missing)} expected ids are not in this snapshot and count as not found: {named}")
    if json:
        print_json({"snapshot_id": engine.snapshot_id, **to_dict(outcomes), "missing": missing, **more})
    else:
        print_outcomes(outcomes, to_terminal())
        _print_feedback(more.get("feedback"), to_terminal())


def _of_file(file: Path | None, part: str) -> list[Labelled]:
    if file is None:
        raise CasesError("no cases are named", cure="name a file of JSON lines, or use --from-feedback")
    cases = [case for case in read_cases(file) if part in ("", case.part)]
    if not cases:
        raise CasesError(
            f"{file} has no case of the part {part!r}", cure="leave --part out, or name a part of the file"
        )
    return cases


def _feedback(settings: ServiceSettings, file: Path | None, part: str) -> Opinions:
    if file is not None or part:
        raise CasesError("--from-feedback takes no file and no part", cure="leave one of them out")
    with Store.open(settings.store) as store:
        said = opinions_of(store)
    if not (said.confirmed or said.denied or said.printed):
        raise CasesError("nobody has said anything of a match yet", cure="feedback comes from the page and the API")
    return said


def _told(said: Opinions, evaluation: Evaluation, engine: Engine) -> dict[str, Any]:
    """What the figures of confirmed texts leave out."""
    first = sum(evaluation.outcome(case).near_first for case in said.denied)
    return {
        "texts": len(said.confirmed),
        "denied": {"texts": len(said.denied), "first": first},
        "fingerprints": dict(by_fingerprint(said.printed, engine)),
    }


def _print_feedback(told: Any, console: Console) -> None:
    if told is None:
        return
    denied, prints = told["denied"], told["fingerprints"]
    console.print(f"Texts whose match was only denied ({denied['texts']}): it still comes first in {denied['first']}.")
    shared = ", ".join(f"{count} {name}" for name, count in prints.items())
    console.print(f"Confirmed without a text ({sum(prints.values())}), by the strictest fingerprint shared: {shared}.")


def _shown(cases: Sequence[Labelled]) -> Iterable[Labelled]:
    """The cases, with a bar on a terminal while they are put."""
    bar = Console(stderr=True)
    return track(cases, "Searching", console=bar, disable=not sys.stderr.isatty(), transient=True)


def to_dict(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """All figures as one JSON document."""
    told = confusion(outcomes)
    return {
        **_figures(scores(outcomes)),
        "confusion": {
            "answerable": {"known_right": told.known_right, "known_wrong": told.known_wrong, "cases": told.answerable},
            "absent": {"known": told.known_absent, "cases": told.absent},
            "false_known": round(told.false_known, 4),
            "coverage": round(told.coverage, 4),
        },
        "groups": {name: _figures(found) for name, found in by_group(outcomes).items()},
    }


def _figures(found: Scores) -> dict[str, Any]:
    hits = {f"hit@{depth}": round(share, 4) for depth, share in found.hits.items()}
    verdicts = {verdict.value: count for verdict, count in found.verdicts.items()}
    shares = {"mrr": round(found.mrr, 4), "near_first": round(found.near_first, 4)}
    return {"cases": found.cases, "absent": found.absent, **hits, **shares, "verdicts": verdicts}


def print_outcomes(outcomes: Sequence[Outcome], console: Console) -> None:
    """A row for each group and language, one for all, and what was called known."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("group", "cases", "hit@1", "hit@3", "hit@5", "MRR", "known", "related", "unknown"):
        table.add_column(heading, justify="left" if heading == "group" else "right")
    for name, found in {**by_group(outcomes), "all": scores(outcomes)}.items():
        measured = found.cases > found.absent
        shares = [*found.hits.values(), found.mrr]
        table.add_row(
            Text(plain(name), style="bold" if name == "all" else ""),
            str(found.cases),
            *(f"{share:.2f}" if measured else "–" for share in shares),
            *(str(count) for count in found.verdicts.values()),
        )
    console.print(table)
    told = confusion(outcomes)
    console.print(
        f"With an answer ({told.answerable}): {told.known_right} called known and right, {told.known_wrong} known but wrong."
    )
    console.print(f"Without one ({told.absent}): {told.known_absent} called known ({told.false_known:.1%}).")
