"""Measure the current snapshot on labelled questions: how often the right incident comes first, what is called known."""

import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from api.commands.eval_tables import drawn, print_outcomes, to_dict
from api.render.console import Json, note, print_json, to_terminal
from api.settings import ServiceSettings
from index import Engine
from index.evaluation.labelled import CaseOutcome, CasesError, Evaluation, Labelled, read_cases
from index.evaluation.opinions import FeedbackCases, by_fingerprint, opinions_of
from kb.errors import KbError
from kb.store import Store
from kb.trace.in_force import adopted

app = typer.Typer()

_File = Annotated[
    Path | None, typer.Argument(metavar="CASES.jsonl", help='JSON lines, each with "text" and "expected".')
]
_FromFeedback = Annotated[
    bool, typer.Option("--from-feedback", help="Use what readers confirmed and denied instead of a file.")
]
_Curve = Annotated[
    Path | None, typer.Option(metavar="FILE.svg", help="Draw precision against coverage into this file.")
]
_NAMED = 5  # missing ids that are named; how many there are is always told


@app.command()
def evaluate(
    file: _File = None,
    part: Annotated[str, typer.Option(help="Use only the cases of this part, such as tune or test.")] = "",
    from_feedback: _FromFeedback = False,  # noqa: FBT002
    curve: _Curve = None,
    json: Json = False,  # noqa: FBT002
) -> None:
    """Measure the current snapshot on labelled questions.

    Each line holds a "text" and the list of ids "expected" to answer it, empty where nothing known does; "group" and "lang" make the rows of the table.
    "kind" names a kind of question of your own; without it the kind is worked out from the text: trace, log, message, chat or words.

    The curve shows for every threshold how much is called known and how much of it is right. How to label fifty questions: docs/measure.md.

    With --from-feedback the cases are the queries that were kept with their text (KB_FEEDBACK_TEXT); for the others it reports whether the
    confirmed incident still shares a fingerprint with the query.

    It searches the snapshot in KB_HOME, not a running service.
    """
    settings = ServiceSettings.load()
    feedback = _feedback(settings, file, part) if from_feedback else None
    cases = _of_file(file, part) if feedback is None else list(feedback.confirmed)
    engine = Engine.open(settings.home, settings.model, settings.store, settings.place)
    started = time.perf_counter()
    try:
        evaluation = Evaluation(engine)
        missing = evaluation.missing(cases)
        outcomes = [evaluation.outcome(case) for case in _shown(cases)]
        more = {} if feedback is None else {"feedback": _feedback_figures(feedback, evaluation, engine)}
    finally:
        engine.close()
    note(f"{len(cases)} cases in {time.perf_counter() - started:.1f} s, snapshot {engine.snapshot_id}")
    _note_missing(missing)
    if json:
        print_json({"snapshot_id": engine.snapshot_id, **to_dict(outcomes), "missing": missing, **more})
    else:
        print_outcomes(outcomes, to_terminal())
        _print_feedback(more.get("feedback"), to_terminal())
    if curve is not None:
        _draw(outcomes, curve)


def _note_missing(missing: Sequence[str]) -> None:
    if missing:
        named = ", ".join(missing[:_NAMED]) + (", …" if len(missing) > _NAMED else "")
        note(f"{len(missing)} expected ids are not in this snapshot and count as not found: {named}")


def _draw(outcomes: Sequence[CaseOutcome], path: Path) -> None:
    try:
        path.write_text(drawn(outcomes), encoding="utf-8")
    except OSError as error:
        raise KbError(
            f"{path} cannot be written: {error.strerror}", cure="name a file in a folder that is there"
        ) from error


def _of_file(file: Path | None, part: str) -> list[Labelled]:
    if file is None:
        raise CasesError("no cases are named", cure="name a file of JSON lines, or use --from-feedback")
    cases = [case for case in read_cases(file) if part in ("", case.part)]
    if not cases:
        raise CasesError(
            f"{file} has no case of the part {part!r}", cure="leave --part out, or name a part of the file"
        )
    return cases


def _feedback(settings: ServiceSettings, file: Path | None, part: str) -> FeedbackCases:
    if file is not None or part:
        raise CasesError("--from-feedback takes no file and no part", cure="leave one of them out")
    with Store.open(settings.store) as store:
        cases = opinions_of(store)
    if not (cases.confirmed or cases.denied or cases.printed):
        raise CasesError("nobody has said anything of a match yet", cure="feedback comes from the page and the API")
    return cases


def _feedback_figures(cases: FeedbackCases, evaluation: Evaluation, engine: Engine) -> dict[str, Any]:
    """What the figures of confirmed texts leave out."""
    first = sum(evaluation.outcome(case).near_first for case in cases.denied)
    with adopted(engine.rules):
        shared = dict(by_fingerprint(cases.printed, engine))
    return {
        "texts": len(cases.confirmed),
        "denied": {"texts": len(cases.denied), "first": first},
        "fingerprints": shared,
    }


def _print_feedback(figures: Any, console: Console) -> None:
    if figures is None:
        return
    denied, prints = figures["denied"], figures["fingerprints"]
    console.print(f"Texts whose match was only denied ({denied['texts']}): it still comes first in {denied['first']}.")
    shared = ", ".join(f"{count} {name}" for name, count in prints.items())
    console.print(f"Confirmed without a text ({sum(prints.values())}), by the strictest fingerprint shared: {shared}.")


def _shown(cases: Sequence[Labelled]) -> Iterable[Labelled]:
    """The cases, with a bar on a terminal while they are put."""
    bar = Console(stderr=True)
    return track(cases, "Searching", console=bar, disable=not sys.stderr.isatty(), transient=True)
