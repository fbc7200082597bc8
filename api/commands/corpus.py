"""Check, begin and list folders of write-ups: the bundled ones, or your own."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from api.commands.up import component_counts, corpus_folder, summary
from api.incidents.files import name_of, read_folder, write_writeup
from api.incidents.writeup_checks import TO_WRITE, CheckedWriteup, WriteupMistake, check_writeups, read_writeups
from api.incidents.writeup_searches import copied_sentences, search_own_traces
from api.render.console import STDIN, Json, note, plain, print_json, read_input, to_terminal
from api.settings import ServiceSettings
from api.writing.suggestions import draft
from index.encoder import load_encoder
from index.local_rules import activate_home_rules
from kb.annotate import annotated
from kb.article.writeups.form import empty_translation, render
from kb.article.writeups.writeup import as_written
from kb.errors import SourceError
from kb.incident import Incident, Kind, Source, fields_of
from kb.kinds import LANGUAGES
from kb.translations import languages

app = typer.Typer(no_args_is_help=True, help=__doc__)

TO_TELL = tuple(field.name for field in fields_of(Incident) if field.heading and field.kind is Kind.TEXT)
"""The sections that a skeleton has, beside traces and references."""
Folder = Annotated[
    Path | None, typer.Argument(metavar="[DIR]", help="A folder of write-ups; default: the bundled one.")
]
Paste = Annotated[str, typer.Argument(metavar="[FILE|-]", help="The paste that it is about, or - for standard input.")]


@app.command("check")
def check_command(
    folder: Folder = None,
    bilingual: Annotated[  # noqa: FBT002
        bool, typer.Option("--bilingual", help="Ask for every write-up in both languages, English and Chinese.")
    ] = False,
    beside: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Look for sentences that stand word for word in these texts of others."),
    ] = None,
    json: Json = False,  # noqa: FBT002
) -> None:
    """Say all that is wrong with a folder of write-ups, by file and line. Exit code 1 when anything is.

    Looked at are: the form, links, write-ups that name each other, spelling of components, translations, secrets; whether every trace
    is read as one and finds its own write-up before all others.
    """
    settings = ServiceSettings.load()
    activate_home_rules(settings.home)
    read, found = read_writeups(folder or corpus_folder())
    found += check_writeups(read, bilingual=bilingual)
    found += search_own_traces(read, load_encoder(settings.model))
    skipped = []
    for sources in beside or ():
        if sources.is_dir():
            found += copied_sentences(read, sources)
        else:
            skipped.append(f"{sources} is not there: sentences were not compared with it")
    _tell(read, sorted(found), skipped, json=json)


def _tell(
    read: Sequence[CheckedWriteup], found: Sequence[WriteupMistake], skipped: Sequence[str], *, json: bool
) -> None:
    if json:
        items = [{"file": str(one.path), "line": one.line or None, "problem": one.problem} for one in found]
        print_json({"writeups": len(read), "skipped": skipped, "findings": items})
    else:
        for one in found:
            print(plain(one))  # noqa: T201 - as a compiler does: one line each, for editors and grep
        for reason in skipped:
            note(f"skipped: {reason}")
        result = f"{len(found)} to mend" if found else "nothing to mend"
        note(f"{len(read)} write-ups, {sum(len(one.incident.traces) for one in read)} traces: {result}")
    if found:
        raise typer.Exit(1)


@app.command("new")
def new_command(
    paste: Paste = STDIN,
    folder: Annotated[Path, typer.Option("--into", metavar="DIR", help="The folder of write-ups.")] = Path(),
    name: Annotated[
        str | None, typer.Option("--id", help="Its id: words of the error with hyphens; default: made of the title.")
    ] = None,
) -> None:
    """Write the skeleton of a write-up from a paste, with its translation: what the paste tells is filled in.

    It is a draft, which searches leave out, until its line `status: draft` is taken out.
    """
    activate_home_rules(ServiceSettings.load().home)
    incident = skeleton(read_input(paste), name)
    files = read_folder(folder) if folder.exists() else []
    if any(file.writeup and file.writeup.id == incident.id for file in files):
        raise SourceError(f"{folder} has a write-up {incident.id} already", cure="give another --id, or mend that one")
    other = next(lang for lang in LANGUAGES if lang != incident.lang)
    text = f"{render(incident)}{_filled(empty_translation(incident, other))}"
    path = folder / (incident.component or "other") / name_of(incident.id)
    write_writeup(path, text)
    print(path)  # noqa: T201
    note(f"fill in what says {TO_WRITE}, take out `status: draft`, then: kb corpus check {plain(folder)}")


def skeleton(paste: str, name: str | None = None) -> Incident:
    """What is understood of a paste, and where somebody has to write."""
    found = annotated(draft(paste)[0])
    lang = found.lang if found.lang in LANGUAGES else "en"
    missing: dict[str, Any] = {field: TO_WRITE for field in TO_TELL if not getattr(found, field)}
    incident_id = name or found.id
    return replace(
        found,
        id=incident_id,
        lang=lang,
        source=Source(incident_id, TO_WRITE),
        versions=found.versions or (TO_WRITE,),
        tags=found.tags or (TO_WRITE,),
        created=datetime.now(UTC).date().isoformat(),
        extra={"references": (TO_WRITE,)},
        **missing,
    )


def _filled(translation: str) -> str:
    """A translation with the words that stand where somebody has to write."""
    lines = translation.replace("title: ''\n", f"title: {TO_WRITE}\n").split("\n")
    return "\n".join(f"{line}\n\n{TO_WRITE}" if line.startswith("## ") else line for line in lines)


@app.command("list")
def list_command(folder: Folder = None, json: Json = False) -> None:  # noqa: FBT002
    """List the write-ups of a folder by component: id, languages, title."""
    incidents, counts = read_incidents(folder or corpus_folder()), component_counts(folder or corpus_folder())
    if json:
        rows = [
            {"id": one.id, "component": one.component, "languages": list(languages(one)), "title": one.title}
            for one in incidents
        ]
        print_json({"writeups": len(rows), "components": counts, "items": rows})
        return
    console = to_terminal()
    for component, some in groupby(incidents, key=lambda one: one.component or "(none)"):
        console.print(Text(plain(component), style="bold"))
        for one in some:
            line = Text(f"  {plain(one.id):<44} ").append(f"{' '.join(languages(one)):<5} ", style="dim")
            console.print(line.append(plain(one.title)), soft_wrap=True)
    note(summary(counts))


def read_incidents(folder: Path) -> list[Incident]:
    """The write-ups of a folder that can be read, by component and id."""
    texts = [(file.writeup.text, file.path.stem) for file in read_folder(folder) if file.writeup]
    found = [incident for text, stem in texts if (incident := as_written(text, stem))]
    return sorted(found, key=lambda one: (one.component or "", one.id))
