"""Train the bundled bilingual model, or measure models on the evaluation set."""

from pathlib import Path
from typing import Annotated

import typer

from api.render.console import Json, print_json, to_terminal
from index.encoder import BUNDLED
from index.training.model.material import read_corpus
from index.training.model.measure import table
from index.training.model.program import report
from index.training.model.program import train as train_model
from index.training.model.train import Recipe

app = typer.Typer(
    no_args_is_help=True, help="Train the bundled bilingual model, or measure models on the evaluation set."
)

Data = Annotated[
    Path,
    typer.Argument(
        help="Read this folder with parallel/, articles/ and dedup/.",
        exists=True,
        file_okay=False,
        show_default="the bundled model",
    ),
]


@app.command()
def train(
    data: Data,
    out: Annotated[
        Path, typer.Option(help="Write the model into this folder.", show_default="the bundled model")
    ] = BUNDLED,
    work: Annotated[
        Path, typer.Option(help="Keep tokenizer and checkpoints here; a stopped run resumes from them.")
    ] = Path("artifacts/model"),
    steps: Annotated[int, typer.Option(min=1, help="Train on this many batches.")] = Recipe().steps,
    seed: Annotated[int, typer.Option(help="Seed all randomness with this.")] = Recipe().seed,
) -> None:
    """Train a model from sentence pairs, articles and bug reports; a stopped run resumes."""
    console = to_terminal()
    train_model(data, work, out, Recipe(steps=steps, seed=seed), console.print)


@app.command()
def measure(
    data: Data,
    model: Annotated[
        Path,
        typer.Option(
            help="Measure the static model in this folder.",
            exists=True,
            file_okay=False,
            show_default="the bundled model",
        ),
    ] = BUNDLED,
    beside: Annotated[
        list[str] | None, typer.Option(help="Measure another model as well, by folder or hub name.")
    ] = None,
    tune: Annotated[bool, typer.Option("--tune", help="Use the part for tuning, not the one for reporting.")] = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """hit@1/3/10 of a model on what was not trained on, beside BM25, hashing and other models."""
    console = to_terminal()
    corpus = read_corpus(data, Recipe().seed, lambda _: None)
    suites = corpus.tune_suites() if tune else corpus.test_suites()
    figures = report(suites, model, beside or [], lambda _: None)
    if json:
        print_json(figures)
        return
    console.print(table(figures), markup=False, soft_wrap=True)
