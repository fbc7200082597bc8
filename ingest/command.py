"""Read articles and records with Spark and publish them as a snapshot."""

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console

from index.settings import HomeSettings
from ingest.pipeline import Options, ingest
from ingest.progress import Report
from ingest.session import LOCAL
from ingest.sources.formats import Format
from ingest.summary import Summary

app = typer.Typer(add_completion=False)


@app.command()
def main(
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Files, folders, or URLs (file, hdfs, s3a …).")
    ],
    master: Annotated[str, typer.Option(help="Where Spark runs: local[N], spark://host:port, yarn, k8s://…")] = LOCAL,
    form: Annotated[Format, typer.Option("--format", help="What the documents are written in.")] = Format.AUTO,
    *,
    full: Annotated[bool, typer.Option("--full", help="Read everything again, changed or not.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON document.")] = False,
) -> None:
    """Read articles and records with Spark and publish them as a snapshot.

    Only what changed since the last run is read. What cannot be used is listed with its reason. The published snapshot answers
    on until the new one is complete.
    """
    settings = HomeSettings()
    options = Options(settings.home, settings.model, master, form, full)
    with Report() as report:
        summary = ingest(sources, options, report)
    if as_json:
        sys.stdout.write(json.dumps(asdict(summary), ensure_ascii=False, indent=1) + "\n")
    else:
        _print(summary)


def _print(summary: Summary) -> None:
    console = Console(highlight=False, soft_wrap=True)
    rate = f", {summary.articles_per_second:,} a second" if summary.articles_per_second else ""
    start = f" ({summary.spark_start_seconds} s of it Spark's start)" if summary.spark_start_seconds else ""
    console.print(f"read        {summary.read:>9,}   ({summary.done_now:,} now, {summary.unchanged:,} unchanged{rate})")
    console.print(f"accepted    {summary.accepted:>9,}")
    console.print(f"rejected    {summary.rejected:>9,}")
    for reason, count in summary.rejected_by_reason.items():
        console.print(f"  {reason:<10}{count:>9,}")
        for example in summary.rejected_examples[reason]:
            console.print(f"    {example}", markup=False)
    if summary.rejected:
        console.print(f"  all of them: {summary.rejected_table}", markup=False)
    console.print(f"removed     {summary.removed:>9,}")
    console.print(f"incidents   {summary.incidents:>9,}   ({summary.duplicates:,} near-duplicates of others)")
    state = "published" if summary.published else "nothing to do, still"
    console.print(f"snapshot    {state} {summary.snapshot} in {summary.seconds} s{start}", markup=False)
    for note in summary.notes:
        console.print(f"note: {note}", markup=False)
