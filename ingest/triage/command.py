"""Triage crash reports in bulk: which are known incidents, and which groups are new."""

import shutil
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from rich.console import Console

from index.settings import HomeSettings
from index.storage.snapshot import current
from index.triage_reports import (
    DRAFTS,
    FOLDER,
    MOST_FILES,
    MOST_NAMES,
    REPORT,
    SHOWN,
    SUMMARY,
    TriageReport,
    UnknownGroup,
    as_json,
    prints_version,
)
from index.verdict import FineVerdict
from ingest.printed import plain
from ingest.report.page import environment, new_run
from ingest.session import LOCAL, read_conf, spark_session
from ingest.sources.remote import escaped
from ingest.spark import Knowledge
from ingest.triage.crashes import CrashFiles, find_files, read_crashes, with_copies
from ingest.triage.fetching import WebCopies
from ingest.triage.file_states import local_states, name_of, spark_state
from ingest.triage.groups import answered, clusters, grouped
from ingest.triage.incremental import (
    NightlyPlan,
    fresh_folder,
    last_states,
    note_files,
    noted_files,
    put_aside,
    since_last,
    tidied,
)
from ingest.triage.report import earlier, fill
from kb.article.writeups.form import render
from kb.errors import SourceError
from kb.incident import Incident, Source, Status
from kb.trace import VERSION, parse

app = typer.Typer(add_completion=False)
SparkStart = Callable[[], AbstractContextManager[SparkSession]]

_ON_PAGE = 200
"""Incidents and groups that the page shows; the JSON has all."""
_ON_TERMINAL = 10
_TITLE = 120
_COPIES = "copies"

Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        help="A folder for the report, which must not be there yet; in KB_HOME/triage if not given.",
    ),
]
Since = Annotated[
    bool,
    typer.Option(
        "--since-last",
        help="Read what no earlier report has read; a file that changed is read again, and its report replaced.",
    ),
]
Links = Annotated[bool, typer.Option("--follow-links", help="Follow symbolic links that lead out of a source, too.")]


@app.command()
def main(  # noqa: PLR0913  one for each option
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            help="Crash reports: JSON lines, Parquet, folders of them or of logs; URLs of JSON lines or Parquet (http, https, and what Spark reads).",
        ),
    ],
    output: Output = None,
    master: Annotated[str, typer.Option(help="Where Spark runs: local[N], spark://host:port, yarn, k8s://…")] = LOCAL,
    conf: Annotated[
        list[str], typer.Option(metavar="NAME=VALUE", help="A setting of Spark; may be given several times.")
    ] = [],  # noqa: B006  typer copies it
    *,
    since: Since = False,
    follow_links: Links = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the report as a JSON document; each, where there are several.")
    ] = False,
) -> None:
    """Triage crash reports in bulk: which are known incidents, and which groups are new.

    Equal crashes are answered once. Crashes that nobody knows are grouped by their root cause; a group that no earlier run saw is
    new. The folder gets report.html, report.json, crashes.parquet and a draft write-up for each unknown group.
    """
    if since and output is not None:
        raise SourceError("--since-last goes by the reports in KB_HOME/triage", cure="leave --output out")
    settings, files = HomeSettings.read(), find_files(sources, follow_links=follow_links)
    spark = partial(spark_session, settings.home.resolve(), master, read_conf(conf))
    with tidied(settings.home) as is_alone, WebCopies(settings.home / FOLDER) as web:
        plans = _nightly(files, settings.home, spark, web) if since else [NightlyPlan(files)]
        if not plans:
            sys.stdout.write("null\n" if as_json else "nothing to read: earlier reports have read all of it\n")
        for plan in plans:
            name = new_run()
            folder = settings.home / FOLDER / name if output is None else output
            run = TriageRun(name, tuple(map(name_of, sources)), plan, folder, is_nightly=since, is_alone=is_alone)
            report = triage(run, settings, spark, web)
            put_aside(settings.home)
            sys.stdout.write(report.to_json()) if as_json else _print(report, run.folder)


@dataclass(frozen=True, slots=True)
class TriageRun:
    """What is triaged, and the folder where the report goes."""

    name: str
    sources: tuple[str, ...]
    plan: NightlyPlan
    folder: Path
    is_nightly: bool = False
    """Files of which none can be read make an empty report, so that they do not end every night."""
    is_alone: bool = False
    """No other run writes to this home: a half-written report is of one that was killed."""


def _nightly(files: CrashFiles, home: Path, spark: SparkStart, web: WebCopies) -> list[NightlyPlan]:
    """Return what came since the last report, and what changed."""
    put_aside(home)
    noted = noted_files(home / FOLDER)
    last = last_states(noted)
    now = local_states(files) | {name_of(url): web.state(url, last.get(name_of(url))) for url in files.web}
    if files.read_by_spark:
        with spark() as session:
            now |= {name_of(url): spark_state(session, url) for url in files.read_by_spark}
    plans = since_last(files, noted, now)
    for name in [name for plan in plans for name in plan.doubled]:
        note = f"{name} has changed; the report that has read it stays, for another of its files is gone, or a URL not given: both count its crashes"
        sys.stderr.write(f"{note}\n")
    return plans


def triage(run: TriageRun, settings: HomeSettings, spark: SparkStart, web: WebCopies) -> TriageReport:
    """Triage crash reports; the folder appears when it is whole. On a cluster its workers must see it at the same path, as they must the home.

    Raises `SourceError` for sources that cannot be read, `SnapshotError` where there is no knowledge base, `SparkError` for a failed job.
    """
    if run.folder.exists():
        raise SourceError(f"{run.folder} is there already", cure="give a folder that is not there yet")
    started = time.monotonic()
    # What is missing is reported before Spark starts.
    knowledge = Knowledge.of(settings.home, settings.model, settings.store)
    home, files = settings.home.resolve(), run.plan.files
    # The state of a file is taken before it is read: what is written to it meanwhile is read the next time.
    read = local_states(files) | {name_of(url): web.fetch(url) for url in files.web}
    fresh = fresh_folder(run.folder)
    if fresh.exists():
        if not run.is_alone:
            raise SourceError(
                f"another run is writing to {run.folder}", cure="wait for it to end, or give another folder"
            )
        shutil.rmtree(fresh)
    fresh.mkdir(parents=True, mode=0o700)
    try:
        with spark() as session:
            read |= {name_of(url): spark_state(session, url) for url in files.read_by_spark}
            note_files(fresh, read)
            report = TriageReport(run.name, list(run.sources), current(home).id, replaces=list(run.plan.replaces))
            report.prints = prints_version(VERSION, knowledge.rules.digest)
            here = with_copies(session, replace(files, copies=web.places), fresh / _COPIES)
            _read(session, here, knowledge, fresh, report, may_be_empty=run.is_nightly)
        report.seconds = round(time.monotonic() - started, 1)
        _write(report, fresh)
        fresh.rename(run.folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return report


def _read(
    session: SparkSession,
    files: CrashFiles,
    knowledge: Knowledge,
    folder: Path,
    report: TriageReport,
    *,
    may_be_empty: bool,
) -> None:
    """Read, group and answer the crashes, and fill the report. What is read is kept in the folder meanwhile, so that it is read once."""
    read, groups, output = (f"file://{folder.resolve()}/{name}.parquet" for name in ("read", "groups", "crashes"))
    try:
        read_crashes(session, files, knowledge.rules).write.parquet(read)
    except AnalysisException as error:
        raise SourceError(
            f"a source cannot be read: {str(error).splitlines()[0]}", cure="give files of crash reports that are there"
        ) from error
    crashes = session.read.parquet(escaped(read))
    _tell_unread(crashes, report, may_be_empty=may_be_empty)
    answered(grouped(crashes), knowledge).write.parquet(groups)
    answers = session.read.parquet(escaped(groups))
    report.crashes, report.unread, report.without_error = crashes.agg(
        f.count_if("is_report"),
        f.count_if(~f.col("is_report")),
        f.count_if(f.col("is_report") & f.col("exact").isNull()),
    ).collect()[0]
    # Texts are fetched for what is shown alone: a million distinct traces would not fit the driver.
    rows = answers.select("*", "answer.*").drop("answer", "basis", "text").toArrow().to_pylist()
    report.distinct = len(rows)
    fill(report, rows, clusters(answers), earlier(Path(knowledge.home) / FOLDER, knowledge.rules, report.replaces))
    first = {group.exact: group for group in report.unknown[:SHOWN]}
    for row in answers.where(f.col("exact").isin(list(first))).select("exact", "text").toArrow().to_pylist():
        first[row["exact"]].text = row["text"]
    named = answers.select("exact", "root_cause", f.col("answer.fine_verdict").alias("verdict"), "answer.incident")
    found = crashes.where("is_report").select("at", "version", "host", "exact").join(named, "exact", "left")
    found.write.parquet(output)
    for scratch in (read, groups):
        shutil.rmtree(scratch.removeprefix("file://"))
    shutil.rmtree(folder / _COPIES, ignore_errors=True)


def _tell_unread(crashes: DataFrame, report: TriageReport, *, may_be_empty: bool) -> None:
    """Put into the report which files were not read to their end, and print the first. Raises `SourceError` where no file holds a report, unless there may be none."""
    notes = crashes.where(~f.col("is_report") & f.col("text").isNotNull()).select("text").distinct()
    report.unread_files = first = [row.text for row in notes.orderBy("text").limit(MOST_FILES).collect()]
    report.unread_file_count = notes.count() if len(first) == MOST_FILES else len(first)
    if first and not may_be_empty and crashes.where("is_report").isEmpty():
        raise SourceError(first[0], cure="give files of crash reports")
    for note in first[:_ON_TERMINAL]:
        sys.stderr.write(f"{plain(note)}\n")


def _write(report: TriageReport, folder: Path) -> None:
    page = environment("ingest.triage").get_template("page.html").render(report=report, most=_ON_PAGE, exact=MOST_NAMES)
    (folder / "report.html").write_text(page, encoding="utf-8", errors="backslashreplace")
    for name, text in ((REPORT, report.to_json()), (SUMMARY, as_json(report.summary()))):
        (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")
    drafts = folder / DRAFTS
    drafts.mkdir()
    for group in report.unknown[:SHOWN]:
        (drafts / f"{group.id}.md").write_text(render(draft(group)), encoding="utf-8", errors="backslashreplace")


def draft(group: UnknownGroup) -> Incident:
    """Return a write-up of an unknown group to begin with: its title, how often it occurred, and its trace. Cause and fix are left to write."""
    title = group.headline.strip(": \n").partition("\n")[0]
    seen = _counted(group.crashes, "crash", "crashes") + (f" from {group.first} to {group.last}" if group.first else "")
    where = f" in {', '.join(group.versions)}" if group.versions else ""
    return Incident(
        id=group.draft_id,
        title=title[:_TITLE],
        lang="en",
        source=Source("kb triage", "kb triage"),
        status=Status.DRAFT,
        symptom=f"{seen}{where}.",
        traces=(group.text,),
        chains=tuple(parse(group.text)),
        created=datetime.now(UTC).date().isoformat(),
    )


def _print(report: TriageReport, folder: Path) -> None:
    console = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
    console.print(f"crashes     {report.crashes:>9,}   ({report.distinct:,} distinct)")
    for verdict in (FineVerdict.KNOWN, FineVerdict.PROBABLE):
        found = report.with_verdict(verdict)
        explained = sum(one.crashes for one in found)
        console.print(f"{verdict:<12}{explained:>9,}   by {_counted(len(found), 'incident')}")
        for one in found[:_ON_TERMINAL]:
            console.print(f"  {one.crashes:>9,}   {plain(one.title)}  [{one.incident}]")
    unknown = sum(one.crashes for one in report.unknown)
    fresh = sum(bool(one.is_new) for one in report.unknown)
    console.print(
        f"unknown     {unknown:>9,}   in {_counted(len(report.unknown), 'group')}"
        + (f", {fresh:,} of them new" if fresh else "")
    )
    for group in report.unknown[:_ON_TERMINAL]:
        mark = "new " if group.is_new else ""
        console.print(f"  {group.crashes:>9,}   {mark}{plain(group.headline)[:_TITLE]}")
    if report.without_error:
        console.print(f"no error    {report.without_error:>9,}")
    if report.unread:
        console.print(
            f"unread      {report.unread:>9,}   not JSON, without a text, too long, or a file that could not be read"
        )
    if report.replaces:
        console.print(f"replaces    {', '.join(report.replaces)}")
    console.print(f"report      {folder / 'report.html'}   ({report.seconds} s)")


def _counted(count: int, noun: str, nouns: str = "") -> str:
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"
