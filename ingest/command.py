"""Read articles and records with Spark and publish them as a snapshot."""

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from index.settings import HomeSettings
from index.storage.milvus import pymilvus
from ingest.addresses import read_base
from ingest.pipeline import ingest, preview
from ingest.printed import print_preview, print_run, print_summary
from ingest.progress import StageProgress
from ingest.session import LOCAL, read_conf
from ingest.sources.formats import DocumentFormat
from ingest.summary import Preview, Summary
from ingest.survey import Options
from ingest.watch import stopped_by_signals, watch

app = typer.Typer(add_completion=False)
Form = Annotated[DocumentFormat, typer.Option("--format", help="What the documents are written in.")]
FollowLinks = Annotated[
    bool, typer.Option("--follow-links", help="Follow symbolic links that lead out of a source, too.")
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        metavar="URL",
        help="Where the documents of SOURCE are served, for links to them; kept for later runs, '' takes it away.",
    ),
]
KeepAll = Annotated[
    bool | None,
    typer.Option(
        "--keep-all/--no-keep-all",
        help="Take documents of SOURCE that state no problem, too (manuals, menus, release notes, tutorials); kept for later runs.",
        show_default=False,
    ),
]
Watched = Annotated[bool, typer.Option("--watch", help="Go on until stopped: take up changes within seconds.")]


@app.command()
def main(  # noqa: PLR0913  one for each option
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Files, folders, or URLs (file, hdfs, s3a …).")
    ],
    master: Annotated[str, typer.Option(help="Where Spark runs: local[N], spark://host:port, yarn, k8s://…")] = LOCAL,
    conf: Annotated[
        list[str], typer.Option(metavar="NAME=VALUE", help="A setting of Spark; may be given several times.")
    ] = [],  # noqa: B006  typer copies it
    form: Form = DocumentFormat.AUTO,
    *,
    full: Annotated[bool, typer.Option("--full", help="Read everything again, changed or not.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")] = False,
    follow_links: FollowLinks = False,
    watched: Watched = False,
    base_url: BaseUrl = None,
    keep_all: KeepAll = None,
    every: Annotated[float, typer.Option(min=0.2, help="Seconds between two looks of --watch.")] = 2.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summary as one JSON document; with --watch a line for each run.")
    ] = False,
) -> None:
    """Read articles and records with Spark and publish them as a snapshot.

    Only what changed since the last run is read. What cannot be used is listed with its reason. The published snapshot answers
    on until the new one is complete.
    """
    settings = HomeSettings.read()
    if settings.place:
        pymilvus()  # that the client is missing is to be known before hours of Spark, not after
    base = None if base_url is None else read_base(base_url)
    how = (master, form, full, read_conf(conf), follow_links)
    options = Options(settings.home, settings.model, *how, settings.store, base, keep_all, settings.place)
    if watched and dry_run:
        raise typer.BadParameter("--watch and --dry-run: one of the two")
    if watched:
        _watch(sources, options, every, as_json=as_json)
        return
    with StageProgress() as progress:
        result = preview(sources, options, progress) if dry_run else ingest(sources, options, progress)
    _print(result, as_json=as_json)


def _print(result: Preview | Summary, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(asdict(result), ensure_ascii=False, indent=1) + "\n")
    elif isinstance(result, Preview):
        print_preview(result)
    else:
        print_summary(result)


def _watch(sources: list[str], options: Options, every: float, *, as_json: bool) -> None:
    def on_run(summary: Summary) -> None:
        if as_json:
            sys.stdout.write(json.dumps(asdict(summary)) + "\n")
            sys.stdout.flush()
        else:
            print_run(summary)

    sys.stderr.write(f"watching {len(sources)} sources, every {every:g} s; Ctrl+C or SIGTERM ends it\n")
    with stopped_by_signals() as stop:
        watch(sources, options, every, on_run, stop)
