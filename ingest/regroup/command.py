"""Tell which incidents and crash groups move when fingerprints change."""

import json
import shutil
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from index.settings import HomeSettings
from index.storage.snapshot import check_files, current
from ingest.printed import plain
from ingest.regroup.job import Moves, RegroupReport, compare
from ingest.report.page import new_run
from ingest.session import LOCAL, Conf, read_conf, spark_session
from kb.errors import SourceError

app = typer.Typer(add_completion=False)

FOLDER = "regroup"
_NAMED = 5
"""Members of a group that are printed."""


@app.command()
def main(
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="A folder for the report, which must not be there yet; in KB_HOME/regroup if not given.",
        ),
    ] = None,
    show: Annotated[int, typer.Option(min=0, max=1000, help="Print this many of the largest groups that move.")] = 10,
    master: Annotated[str, typer.Option(help="Where Spark runs: local[N], spark://host:port, yarn, k8s://…")] = LOCAL,
    conf: Annotated[
        list[str], typer.Option(metavar="NAME=VALUE", help="A setting of Spark; may be given several times.")
    ] = [],  # noqa: B006  typer copies it
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON document.")] = False,
) -> None:
    """Tell which incidents and crash groups move when fingerprints change: after an upgrade, or with other rules in the home.

    The fingerprints that the snapshot and the triage reports hold are compared with those that this version and these rules give.
    Nothing is changed: `kb ingest` builds the snapshot anew. The folder gets report.json and moves.parquet.
    """
    home, spark = HomeSettings.read().home, read_conf(conf)
    folder = home / FOLDER / new_run() if output is None else output
    if folder.exists():
        raise SourceError(f"{folder} is there already", cure="give a folder that is not there yet")
    report = regroup(home, folder, master, spark, show)
    if as_json:
        sys.stdout.write(_document(report))
    else:
        _print(report, folder)


def regroup(home: Path, folder: Path, master: str, conf: Conf, show: int) -> RegroupReport:
    """Compare, and write the report; the folder appears when it is whole. Raises `SnapshotError` where the home has no snapshot that can be read."""
    started = time.monotonic()
    info = current(home)
    check_files(info)
    fresh = folder.with_name(f".{folder.name}.new")
    fresh.mkdir(parents=True, mode=0o700)
    try:
        with spark_session(home.resolve(), master, conf) as session:
            report = compare(session, home, info, fresh, show)
        shutil.rmtree(fresh / "prints.parquet")
        report.seconds = round(time.monotonic() - started, 1)
        (fresh / "report.json").write_text(_document(report), encoding="utf-8")
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return report


def _document(report: RegroupReport) -> str:
    return json.dumps(asdict(report), ensure_ascii=False, indent=1) + "\n"


def _print(report: RegroupReport, folder: Path) -> None:
    console = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
    before, after = report.versions
    counts = f"{report.incidents:,} incidents, {report.crash_groups:,} crash groups"
    console.print(f"fingerprints {before} → {after}: {counts}")
    if report.without_text:
        console.print(f"{report.without_text:,} crash groups keep no whole trace and are not compared")
    if report.other_reports:
        console.print(
            f"{report.other_reports:,} triage reports have other fingerprints than the snapshot and are left out"
        )
    console.print(_table(report.moves))
    for one in report.examples:
        members = one["members"]
        assert isinstance(members, list)
        named = ", ".join(map(plain, members[:_NAMED])) + (" …" if len(members) > _NAMED else "")
        console.print(f"{one['change']} at {one['level']}, {len(members):,}: {named}")
    console.print(f"report {folder / 'report.json'}   ({report.seconds} s)")


def _table(moves: list[Moves]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("level")
    for heading in ("groups then", "now", "together", "apart", "incidents", "crash groups"):
        table.add_column(heading, justify="right")
    for one in moves:
        figures = (one.before, one.after, one.together, one.apart, one.incidents, one.crash_groups)
        table.add_row(one.level, *(f"{figure:,}" for figure in figures))
    return table
