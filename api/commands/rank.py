"""Learn the ranker's weights from labelled questions."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from api.render.console import to_terminal
from api.settings import ServiceSettings
from index.evaluation.labelled import CasesError
from index.evaluation.opinions import opinions_of
from index.training.gather import Confirmed, Sources
from index.training.rank import train as train_rank
from kb.store import Store

app = typer.Typer(no_args_is_help=True, help="Learn the ranker's weights from labelled questions.")


@app.callback()
def rank() -> None:
    """Learn the ranker's weights from labelled questions."""


@app.command()
def train(
    data: Annotated[
        Path,
        typer.Argument(help="Read this folder with articles/, dedup/ and parallel/.", exists=True, file_okay=False),
    ],
    out: Annotated[Path, typer.Option(help="Write the weights into this file.")] = Path("index/rules/rank.json"),
    corpus: Annotated[Path, typer.Option(help="Read this folder of write-ups.", exists=True)] = Path("corpus"),
    questions: Annotated[
        Path,
        typer.Option(help="Read labelled questions from this file; only the part tune.", exists=True, dir_okay=False),
    ] = Path("tests/quality/bilingual.jsonl"),
    work: Annotated[Path, typer.Option(help="Keep compared questions here; a stopped run resumes from them.")] = Path(
        "artifacts/rank"
    ),
    feedback: Annotated[  # noqa: FBT002
        bool, typer.Option("--feedback", help="Learn from feedback as well: queries that were kept with their text.")
    ] = False,
) -> None:
    """Fit weights, probabilities and thresholds; a stopped run resumes."""
    console = to_terminal()
    sources = replace(Sources.of(data, corpus, questions), feedback=_confirmed() if feedback else None)
    train_rank(sources, work, out, lambda line: console.print(line, markup=False, soft_wrap=True))


def _confirmed() -> Confirmed:
    settings = ServiceSettings.load()
    with Store.open(settings.store) as store:
        cases = opinions_of(store).confirmed
    if not cases:
        cure = "set KB_FEEDBACK_TEXT=true where the service runs, or leave --feedback out"
        raise CasesError(f"no confirmed match in {store.name} was kept with its text", cure=cure)
    return Confirmed(settings.home, settings.store, cases)
