"""Answer many pastes at once, here or on a Spark cluster."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated, BinaryIO, TextIO

import pyarrow as pa
import typer
from pyspark import Broadcast

from index import Engine
from index.settings import HomeSettings
from index.wire import answer_to_dict
from ingest.session import Conf, read_conf, spark_session
from ingest.spark import Knowledge
from kb.errors import SourceError

app = typer.Typer(add_completion=False)

Answered = tuple[str, bool]
"""One line of output, and whether it is an answer (else it says what was wrong with the query)."""

_TOGETHER = 20_000  # queries sent to Spark at once: what the driver holds
_TASKS_PER_CORE = 4


@app.command()
def main(
    queries: Annotated[Path, typer.Argument(help='JSON lines of {"id", "text"}.')],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where the answers go; stdout if not given.")
    ] = None,
    master: Annotated[str | None, typer.Option(help="Answer on Spark: local[N], spark://host:port, yarn …")] = None,
    conf: Annotated[
        list[str], typer.Option(metavar="NAME=VALUE", help="A setting of Spark; may be given several times.")
    ] = [],  # noqa: B006  typer copies it
) -> None:
    """Answer many pastes at once, here or on a Spark cluster.

    Writes {"id", ...answer} for each line, in order; {"id", "error"} for a line that is no query, and then exits with 1.
    """
    settings, spark = HomeSettings.read(), read_conf(conf)
    with _lines_of(queries) as lines:
        answers = _on_spark(lines, settings, master, spark) if master else _here(lines, settings)
        wrong = _write(answers, output)
    if wrong:
        sys.stderr.write(f'{wrong} lines were no query; each has an "error" in the output\n')
        raise typer.Exit(1)


@contextmanager
def _lines_of(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}", cure="give a file of JSON lines") from error


def _here(lines: Iterable[bytes], settings: HomeSettings) -> Iterator[Answered]:
    """Answers one by one in this process."""
    engine = Engine.open(settings.home, settings.model, settings.store)
    try:
        for line in lines:
            if line.strip():
                yield answered(line, engine)
    finally:
        engine.close()


def answered(line: bytes, engine: Engine) -> Answered:
    """The answer to one line, or what is wrong with it."""
    name: object = None
    try:
        query = json.loads(line)
        name = query["id"]
        text = query["text"]
    except RecursionError:
        return _dump({"id": name, "error": "nested too deeply"}), False
    except (ValueError, KeyError, TypeError):
        text = None
    if not isinstance(text, str):
        return _dump({"id": name, "error": 'a query is a JSON object with "id" and "text"'}), False
    return _dump({"id": name, **answer_to_dict(engine.search(text))}), True


def _dump(value: object) -> str:
    # ASCII: a lone surrogate in a pasted text is legal JSON only as an escape.
    return json.dumps(value)


def _on_spark(lines: Iterable[bytes], settings: HomeSettings, master: str, conf: Conf) -> Iterator[Answered]:
    """The same answers from Spark.

    The executors open the snapshot, which they must see at the same path; what was saved since is carried to them, so that all of
    them answer from the same moment, and none needs the store.
    """
    knowledge = Knowledge.of(
        settings.home, settings.model, settings.store
    )  # what is missing is said before Spark starts
    present = (line for line in lines if line.strip())
    with spark_session(settings.home.resolve(), master, conf) as session:
        carried = session.sparkContext.broadcast(knowledge)
        while some := list(islice(present, _TOGETHER)):
            table = pa.table({"at": pa.array(range(len(some)), pa.int64()), "line": pa.array(some, pa.binary())})
            tasks = min(len(some), _TASKS_PER_CORE * session.sparkContext.defaultParallelism)
            frame = session.createDataFrame(table).repartition(tasks, "at")
            answers = frame.mapInArrow(_answering(carried), "at long, answer string, ok boolean")
            for row in answers.toArrow().sort_by("at").to_pylist():
                yield row["answer"], row["ok"]


def _answering(knowledge: Broadcast[Knowledge]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def batches(incoming: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in incoming:
            engine = knowledge.value.engine()
            pairs = [answered(line, engine) for line in batch["line"].to_pylist()]
            answers = [text for text, _ in pairs]
            yield pa.record_batch({"at": batch["at"], "answer": answers, "ok": [ok for _, ok in pairs]})

    return batches


def _write(lines: Iterator[Answered], output: Path | None) -> int:
    """Writes the lines; how many were no answer. A file appears when it is whole; a device or a pipe is written to, never replaced."""
    if output is None:
        return _copy(lines, sys.stdout)
    is_file = output.is_file() or not output.exists()
    # what a link leads to is written, and the link stays; `/dev/stdout` may lead to a pipe, which has no path
    output = output.resolve() if is_file else output
    fresh = output.with_name(f".{output.name}.{os.getpid()}") if is_file else output
    try:
        with fresh.open("w", encoding="ascii") as file:
            wrong = _copy(lines, file)
        if is_file:
            fresh.replace(output)
    except OSError as error:
        raise SourceError(
            f"{output} cannot be written: {error.strerror}", cure="give a file in a folder you may write to"
        ) from error
    finally:
        if is_file:
            fresh.unlink(missing_ok=True)
    return wrong


def _copy(lines: Iterator[Answered], file: TextIO) -> int:
    wrong = 0
    for text, ok in lines:
        file.write(text + "\n")
        wrong += not ok
    return wrong
