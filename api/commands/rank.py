"""Learn the ranker's weights from labelled questions."""

from pathlib import Path
from typing import Annotated

import typer

from api.console import to_terminal
from index.training.gather import Sources
from index.training.rank import train as train_rank

app = typer.Typer(no_args_is_help=True, help="Learn the ranker's weights from labelled questions.")


@app.callback()
def rank() -> None:
    """Learn the ranker's weights from labelled questions."""


@app.command()
def train(
    data: Annotated[
        Path, typer.Argument(help="folder with articles/, dedup/ and parallel/", exists=True, file_okay=False)
    ],
    out: Annotated[Path, typer.Option(help="file that gets the weights")] = Path("index/rules/rank.json"),
    corpus: Annotated[Path, typer.Option(help="folder of write-ups", exists=True)] = Path("corpus"),
    questions: Annotated[
        Path, typer.Option(help="labelled questions; the part tune is read", exists=True, dir_okay=False)
    ] = Path("tests/quality/bilingual.jsonl"),
    work: Annotated[
        Path, typer.Option(help="the questions as they were compared; a run goes on from what lies here")
    ] = Path("artifacts/rank"),
) -> None:
    """Fit weights, probabilities and thresholds; a stopped run goes on where it was."""
    console = to_terminal()
    sources = Sources.of(data, corpus, questions)
    train_rank(sources, work, out, lambda line: console.print(line, markup=False, soft_wrap=True))
