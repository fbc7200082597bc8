"""Synchronise a folder of write-ups with the store; import and export JSON lines."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from api.incidents import open_incidents
from api.incidents.files import File, read_folder, read_one, write_file
from api.incidents.json_lines import export_lines, import_lines
from api.incidents.screens import print_outcomes
from api.incidents.sync import Action, FileOutcome, Sync, counts, failed
from api.render.console import STDIN, Json, note, print_json, read_input, to_terminal
from api.settings import ServiceSettings
from kb.article.writeups.translated import stamped_translation
from kb.article.writeups.writeup import as_written
from kb.client import Incidents
from kb.errors import SourceError
from kb.translations import lagging, text_digest

RetireMissing = Annotated[
    bool, typer.Option("--retire-missing", help="Retire the store's incidents that have no file in the folder.")
]
Dry = Annotated[bool, typer.Option("--dry-run", help="Change nothing, only show what would change.")]


def import_command(
    source: Annotated[str, typer.Argument(metavar="DIR|FILE.md|FILE.jsonl|-")],
    retire_missing: RetireMissing = False,  # noqa: FBT002
    dry_run: Dry = False,  # noqa: FBT002
    message: Annotated[str, typer.Option("--note", help="Add this note to the history.")] = "",
    json: Json = False,  # noqa: FBT002
) -> None:
    """Save the changes in a folder of write-ups (or in one file, or in JSON lines). No edits are overwritten.

    A file that is older than the store is kept and reported; `kb incidents export` updates it. A change on both sides is a conflict:
    both sides are shown, nothing is saved, and the exit code is 1.
    """
    path = Path(source)
    with open_incidents(ServiceSettings.load()) as incidents:
        if source != STDIN and path.is_dir():
            outcomes = list(
                Sync(incidents, path, dry=dry_run, note=message).import_folder(retire_missing=retire_missing)
            )
        elif retire_missing:
            raise SourceError(f"{source} is no folder", cure="--retire-missing takes a folder of write-ups")
        elif path.suffix == ".md":
            outcomes = [_one_file(Sync(incidents, path.parent, dry=dry_run, note=message), path)]
        else:
            lines = read_input(source).split("\n")
            outcomes = list(import_lines(incidents, lines, dry=dry_run, note=message))
    _print_outcomes(source, outcomes, dry=dry_run, json=json)


def _one_file(sync: Sync, path: Path) -> FileOutcome:
    file = read_one(path)
    if file is None:
        raise SourceError(f"{path} is no write-up", cure="begin it with a front matter; see corpus/README.md")
    if file.writeup is None:
        return FileOutcome(Action.INVALID, None, path, problems=file.problems)
    return sync.import_file(file, file.writeup)


def stamp_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of write-ups.")],
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Whose translations were brought up to date.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Only tell; exit with 1 if one lags.")] = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """Say in translations which text of the original they follow, and tell which lag behind it.

    A translation that follows none yet is stamped. One that follows an older text is only told of, until its ID is given.
    """
    read = [(file, as_written(file.writeup.text, file.path.name)) for file in read_folder(folder) if file.writeup]
    late = [(file, one, lang, old) for file, one in read if one for lang, old in lagging(one).items()]
    found = []
    for file, one, lang, old in late:
        stamps = not check and (not old or one.id in (ids or ()))
        if stamps:
            _stamp(file, lang, text_digest(one))
        found.append({"id": one.id, "lang": lang, "follows": old, "stamped": stamps})
    if json:
        print_json({"translations": sum(len(one.translations) for _, one in read if one), "late": found})
    else:
        for outcome in found:
            note(f"{outcome['id']} ({outcome['lang']}): {_STATES[bool(outcome['stamped']), bool(outcome['follows'])]}")
    if any(not outcome["stamped"] for outcome in found):
        raise typer.Exit(1)


_STATES = {
    (True, False): "stamped",
    (True, True): "stamped anew",
    (False, False): "follows no text yet",
    (False, True): "follows an older text: bring it up to date, then give its id",
}


def _stamp(file: File, lang: str, digest: str) -> None:
    """Write the digest into the front matter of one translation; nothing else of it is touched."""
    path = file.path.with_name(f"{file.path.stem}.{lang}.md")
    write_file(path, stamped_translation(path.read_text(encoding="utf-8"), digest))


def export_command(
    target: Annotated[str, typer.Argument(metavar="DIR|FILE.jsonl|-")],
    component: Annotated[str | None, typer.Option(help="Export only this component.")] = None,
    status: Annotated[str | None, typer.Option(help="Export only this status.")] = None,
    retired: Annotated[bool, typer.Option("--retired", help="Write new files for retired incidents as well.")] = False,  # noqa: FBT002
    dry_run: Dry = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """Write the store's incidents as write-ups into a folder, or as JSON lines. A file with local changes is kept.

    Incidents that were only ingested stay at their source and are not written.
    """
    wanted = {key: value for key, value in (("component", component), ("status", status)) if value is not None}
    path = Path(target)
    with open_incidents(ServiceSettings.load()) as incidents:
        if target != STDIN and path.suffix != ".jsonl":
            outcomes = list(Sync(incidents, path, dry=dry_run, wanted=wanted).export_folder(retired=retired))
            _print_outcomes(target, outcomes, dry=dry_run, json=json)
        else:
            _write_lines(incidents, target, wanted, dry=dry_run, json=json)


def _write_lines(incidents: Incidents, target: str, wanted: dict[str, Any], *, dry: bool, json: bool) -> None:
    lines = list(export_lines(incidents, wanted))
    if target == STDIN:
        sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
        return
    if not dry:
        write_file(Path(target), "".join(f"{line}\n" for line in lines))
    if json:
        print_json({"file": target, "incidents": len(lines), "dry_run": dry})
    else:
        note(f"{len(lines)} incidents {'would go' if dry else 'are'} in {target}")


def _print_outcomes(place: str, outcomes: Sequence[FileOutcome], *, dry: bool, json: bool) -> None:
    if json:
        items = [one.to_dict() for one in outcomes if one.action is not Action.UNCHANGED]
        print_json({"place": place, "dry_run": dry, "counts": counts(outcomes), "items": items})
    else:
        print_outcomes(outcomes, to_terminal(), dry=dry)
    if failed(outcomes):
        raise typer.Exit(1)
