"""Write-ups in a folder and the incidents of the store, brought to say the same; JSON lines in and out."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from api.console import STDIN, Json, note, print_json, read_input, to_terminal
from api.incidents.door import open_door
from api.incidents.files import File, read_folder, read_one, write_file
from api.incidents.lines import give_lines, take_lines
from api.incidents.outcome import Action, FileOutcome, counts, failed
from api.incidents.screens import print_outcomes
from api.incidents.sync import Sync
from api.settings import ServiceSettings
from kb.article.translated import stamped_translation
from kb.article.writeup import as_written
from kb.client import Incidents
from kb.errors import SourceError
from kb.translations import lagging, text_digest

RetireMissing = Annotated[
    bool, typer.Option("--retire-missing", help="Retire the store's incidents that have no file in the folder.")
]
Dry = Annotated[bool, typer.Option("--dry-run", help="Only tell what would be done.")]


def import_command(
    source: Annotated[str, typer.Argument(metavar="DIR|FILE.md|FILE.jsonl|-")],
    retire_missing: RetireMissing = False,  # noqa: FBT002
    dry_run: Dry = False,  # noqa: FBT002
    message: Annotated[str, typer.Option("--note", help="Why, for the history.")] = "",
    json: Json = False,  # noqa: FBT002
) -> None:
    """Save what changed in a folder of write-ups (or in one, or in JSON lines). Nobody's words are overwritten.

    A file that the store has newer words for is kept and told of; `kb incidents export` brings them. Where both changed it is a conflict:
    both sides are shown, nothing is done, and the exit code is 1.
    """
    path = Path(source)
    with open_door(ServiceSettings.load()) as door:
        if source != STDIN and path.is_dir():
            outcomes = list(Sync(door, path, dry=dry_run, note=message).take(retire_missing=retire_missing))
        elif retire_missing:
            raise SourceError(f"{source} is no folder", cure="--retire-missing takes a folder of write-ups")
        elif path.suffix == ".md":
            outcomes = [_one_file(Sync(door, path.parent, dry=dry_run, note=message), path)]
        else:
            lines = read_input(source).split("\n")
            outcomes = list(take_lines(door, lines, dry=dry_run, note=message))
    _print_outcomes(source, outcomes, dry=dry_run, json=json)


def _one_file(sync: Sync, path: Path) -> FileOutcome:
    file = read_one(path)
    if file is None:
        raise SourceError(f"{path} is no write-up", cure="begin it with a front matter; see corpus/README.md")
    if file.writeup is None:
        return FileOutcome(Action.INVALID, None, path, problems=file.problems)
    return sync.take_file(file, file.writeup)


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
        for told in found:
            note(f"{told['id']} ({told['lang']}): {_STATES[bool(told['stamped']), bool(told['follows'])]}")
    if any(not told["stamped"] for told in found):
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
    component: Annotated[str | None, typer.Option(help="Of this component alone.")] = None,
    status: Annotated[str | None, typer.Option(help="Of this status alone.")] = None,
    retired: Annotated[bool, typer.Option("--retired", help="Also new files for those that are retired.")] = False,  # noqa: FBT002
    dry_run: Dry = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """Write the store's incidents as write-ups into a folder, or as JSON lines. A file with changes of its own is kept.

    What was only ingested is at its source, and not written.
    """
    wanted = {key: value for key, value in (("component", component), ("status", status)) if value is not None}
    path = Path(target)
    with open_door(ServiceSettings.load()) as door:
        if target != STDIN and path.suffix != ".jsonl":
            outcomes = list(Sync(door, path, dry=dry_run, wanted=wanted).export(retired=retired))
            _print_outcomes(target, outcomes, dry=dry_run, json=json)
        else:
            _write_lines(door, target, wanted, dry=dry_run, json=json)


def _write_lines(door: Incidents, target: str, wanted: dict[str, Any], *, dry: bool, json: bool) -> None:
    lines = list(give_lines(door, wanted))
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
