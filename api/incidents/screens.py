"""Incidents on a terminal: lists, one whole, revisions, differences, and what a synchronisation did."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from api.incidents.sync import FAILURES, QUIET, Action, FileOutcome, counts
from api.render.console import plain, print_announced, print_article, print_section_of
from api.render.language import DEFAULT, load_strings, locale_language
from api.writing.differences import differences
from kb.article.quotes.passages import ARTICLE
from kb.incident import Incident, fields_of
from kb.record import stored, to_record
from kb.translations import in_language

_MARKS = {"same": ("  ", "dim"), "added": ("+ ", "green"), "removed": ("- ", "red"), "cut": ("…", "dim")}
_SECTIONS = tuple((field.heading, field.name) for field in fields_of(Incident) if field.heading and field.is_prose)
_FACTS = tuple(field.name for field in fields_of(Incident) if field.front)
_MOST = 20
"""Incidents without a file that are named; all are in `--json`."""


def print_list(rows: Iterable[Mapping[str, Any]], console: Console) -> int:
    """A table of incidents; how many there were comes back."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("id", overflow="fold", ratio=3)
    table.add_column("rev", justify="right")
    table.add_column("status")
    table.add_column("title", overflow="fold", ratio=4)
    for row in rows:
        status = row["status"] if not row["merged_into"] else f"merged into {row['merged_into']}"
        table.add_row(*(Text(plain(one)) for one in (row["id"], row["revision"], status, row["title"])))
    console.print(table)
    return table.row_count


def print_incident(record: Mapping[str, Any], console: Console) -> None:
    """All that it says, in the order of a write-up and in the language of the terminal, if it is told in it."""
    lang = locale_language() or DEFAULT
    words = load_strings()[lang]
    record = _in_language(record, lang)
    console.print(Text(plain(record["title"]), style="bold"))
    head = f"{record['id']} · revision {record['revision']} · {record['status']} · {record['lang']}"
    console.print(Text(plain(head), style="cyan"))
    for name in _FACTS:
        if value := record.get(name):
            shown = ", ".join(value) if isinstance(value, list) else value
            console.print(Text(plain(f"{name}: {shown}"), style="dim"))
    console.print(Text(plain(f"source: {record['url']}"), style="dim"), soft_wrap=True)
    for heading, name in _SECTIONS[:1]:
        _print_words(heading[lang == "zh"], record.get(name), console)
    for number, trace in enumerate(record.get("traces", ()), 1):
        console.print(Text(f"\n{words('trace_number', number=number)}", style="bold"))
        console.print(Padding(Text(plain(trace), overflow="fold"), (0, 0, 0, 2)))
    announced, sections = record.get("announced", {}), record.get("sections", {})
    for heading, name in _SECTIONS[1:]:
        _print_words(heading[lang == "zh"], record.get(name), console)
        if name in sections:
            print_section_of(sections[name], console, words)
        elif record.get(name) and name in announced:
            print_announced(announced[name], console)
    if article := record.get("article"):
        print_article(article, console, words)
    elif ARTICLE in sections:
        print_section_of(sections[ARTICLE], console, words)


def _in_language(record: Mapping[str, Any], lang: str) -> Mapping[str, Any]:
    return to_record(in_language(stored(record), lang)) if lang in record.get("translations", {}) else record


def _print_words(heading: str, text: str | None, console: Console) -> None:
    if text:
        console.print(Text(f"\n{heading}", style="bold"))
        console.print(Padding(Markdown(plain(text), hyperlinks=False, code_theme="ansi_dark"), (0, 0, 0, 2)))


def print_history(revisions: Iterable[Mapping[str, Any]], console: Console) -> None:
    """The newest first."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("rev", "status", "by", "when", "note"):
        table.add_column(heading, justify="right" if heading == "rev" else "left", overflow="fold")
    for one in revisions:
        when = (one["at"] or "")[:16].replace("T", " ")
        table.add_row(
            *(Text(plain(x)) for x in (one["revision"], one["status"], one["author"]["name"], when, one["note"]))
        )
    console.print(table)


def print_fields(fields: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print the difference of each field, with marked lines."""
    if not fields:
        console.print("They say the same.")
    for one in fields:
        console.print(Text(plain(f"{one['field']} ({one['change']})"), style="bold"))
        for line in one["lines"]:
            mark, style = _MARKS[line["mark"]]
            console.print(Text(f"  {mark}{plain(line['text'])}", style=style), soft_wrap=True)


def changed_fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the differences of two records in the form of `/diff`."""
    return [
        {
            "field": one.field,
            "change": one.change,
            "lines": [{"mark": line.mark, "text": line.text} for line in one.lines],
        }
        for one in differences(before, after)
    ]


def print_outcomes(outcomes: Sequence[FileOutcome], console: Console, *, dry: bool) -> None:
    """Print a line for each change and for each thing left to do, both sides of each conflict, and the counts."""
    missing = [one for one in outcomes if one.action is Action.NO_FILE]
    for one in outcomes:
        if one.action not in QUIET | {Action.NO_FILE}:
            _print_outcome(one, console)
    for one in missing[:_MOST]:
        _print_outcome(one, console)
    if len(missing) > _MOST:
        console.print(f"… and {len(missing) - _MOST} more incidents of the store without a file")
    summary = ", ".join(f"{count} {name}" for name, count in counts(outcomes).items()) or "nothing to do"
    console.print(Text(f"{'would be: ' if dry else ''}{summary}", style="bold"))


def _print_outcome(one: FileOutcome, console: Console) -> None:
    style = "red" if one.action in FAILURES else "green" if one.revision is not None else ""
    where = " ".join(filter(None, (one.id, f"({one.file})" if one.file else "")))
    number = f" revision {one.revision}" if one.revision is not None else ""
    console.print(Text.assemble((f"{one.action.value:14} ", style), plain(f"{where}{number}")), soft_wrap=True)
    if one.detail:
        console.print(Padding(Text(plain(one.detail), style="dim"), (0, 0, 0, 15)))
    for place in one.problems:
        at = f"{one.file or 'line'}:{place.line}:{place.column}: " if place.line else ""
        console.print(Padding(Text(plain(f"{at}{place.problem}")), (0, 0, 0, 15)))
    base = one.sides.get("base")
    for side in ("store", "file"):
        if base and one.sides.get(side):
            console.print(Text(f"  what the {side} changed since revision {base['revision']}", style="bold"))
            print_fields(changed_fields(base, one.sides[side]), console)
    if one.sides and not base:
        console.print(Text("  from the store to the file", style="bold"))
        print_fields(changed_fields(one.sides["store"], one.sides["file"]), console)
