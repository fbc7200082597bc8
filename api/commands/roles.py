"""Learn which sentences state the cause and the fix, and which pieces of documents state no problem."""

from pathlib import Path
from typing import Annotated

import typer

from api.render.console import to_terminal
from index.training.roles.pieces import train_declining
from index.training.roles.program import train as train_roles

app = typer.Typer(
    no_args_is_help=True, help="Learn which sentences state the cause and the fix, and what states no problem."
)


@app.callback()
def roles() -> None:
    """Learn which sentences state the cause and the fix, and what states no problem."""


@app.command()
def train(
    data: Annotated[
        Path, typer.Argument(help="Read this folder with articles/ and gold/.", exists=True, file_okay=False)
    ],
    marks: Annotated[
        Path,
        typer.Option(help="Read marked causes and fixes of some of them from this file.", exists=True, dir_okay=False),
    ] = Path("index/training/roles/marks.tsv"),
    pieces: Annotated[
        Path,
        typer.Option(help="Read what readers saw in pieces of them from this file.", exists=True, dir_okay=False),
    ] = Path("index/training/roles/pieces.tsv"),
    out: Annotated[Path, typer.Option(help="Write the weights into this folder.", exists=True, file_okay=False)] = Path(
        "kb/article/rules"
    ),
) -> None:
    """Fit the weights of sentence roles from headings and marked articles, those of what is declined from labelled pieces, and say how they do on articles that did not teach."""
    console = to_terminal()

    def log(line: str) -> None:
        console.print(line, markup=False, soft_wrap=True)

    train_roles(data, marks, out, log)
    train_declining(data, pieces, out, log)
