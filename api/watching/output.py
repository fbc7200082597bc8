"""Print what a watch finds: for people on a terminal, or as one JSON document a line."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from api.render.console import banner, note, plain, print_json_line, print_match, print_trimmed, words_for
from api.render.language import percent
from api.watching.counts import Event, WatchCounts

_SHOWN = 300
"""Characters of a message."""


class WatchOutput(Protocol):
    """Prints the events of a watch."""

    def event(self, event: Event) -> None:
        """Something was seen."""

    def notice(self, text: str) -> None:
        """Something about the watch itself."""

    def summary(self, counts: WatchCounts, unasked: int) -> None:
        """All in all."""


class TerminalOutput:
    """Prints for people."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def event(self, event: Event) -> None:
        """An incident whole at first, later a line; a trace that is unknown as its exceptions."""
        console, title = self._console, ""
        head = Text().append(f"{_clock(event.at)} {plain(event.source)} ", style="dim")
        if event.kind == "again" and event.match is not None:
            title = plain(event.match["incident"]["title"])
            head.append(f"{event.count:,} times since {_clock(event.first)}: ").append(title, style="bold")
            console.print(head, soft_wrap=True)
            return
        assert event.answer is not None
        words = words_for(event.answer)
        console.print(head.append_text(banner(event.answer, words)), soft_wrap=True)
        if event.match is not None:
            print_match(event.match, console, words)
        elif event.answer is not None:
            _print_unknown(event, console)
        console.print()

    def notice(self, text: str) -> None:
        """On standard error."""
        note(f"{_clock(datetime.now().astimezone())} {text}")

    def summary(self, counts: WatchCounts, unasked: int) -> None:
        """The incidents, how often each, and what there was besides."""
        console = self._console
        if console.is_terminal:
            console.file.write("\r")  # over ^C
        table = Table.grid(padding=(0, 2))
        table.add_column(justify="right")
        for seen in counts.most_seen():
            name = Text(plain(seen.match["incident"]["title"]), overflow="fold").append(
                f"\n{plain(seen.match['incident']['id'])}", style="dim"
            )
            name.append(
                "" if seen.verdict == "known" else f" (not certain: {percent(seen.match['probability'])})", style="dim"
            )
            table.add_row(f"{seen.count:,} ×", f"{_clock(seen.first)}–{_clock(seen.last)}", name)
        console.print(Text(_headline(counts), style="bold"))
        if table.row_count:
            _indented(table, console)
        for line in losses(counts, unasked):
            console.print(Text(line, style="yellow"))


class JsonOutput:
    """Prints one JSON document a line; ``event`` is its kind."""

    def event(self, event: Event) -> None:
        """``known``, ``related``, ``again`` or ``unknown``."""
        document: dict[str, Any] = {
            "event": event.kind,
            "at": _moment(event.at),
            "source": event.source,
            "count": event.count,
            "first": _moment(event.first),
            "trace": event.trace.digest,
        }
        if event.match is not None:
            document |= {"incident": event.match["incident"], "probability": event.match["probability"]}
        if event.answer is not None:
            document |= {
                "text": event.trace.text,
                "headline": event.answer.get("headline", ""),
                "query": event.answer["query"],
                "snapshot_id": event.answer["snapshot_id"],
            }
            document |= (
                {"nearest": [_nearest(one) for one in event.answer["matches"]]} if event.kind == "unknown" else {}
            )
        print_json_line(document)

    def notice(self, text: str) -> None:
        """Standard output has documents alone."""
        note(text)

    def summary(self, counts: WatchCounts, unasked: int) -> None:
        """``summary``."""
        incidents = [
            {
                "id": seen.match["incident"]["id"],
                "title": seen.match["incident"]["title"],
                "verdict": seen.verdict,
                "count": seen.count,
                "first": _moment(seen.first),
                "last": _moment(seen.last),
            }
            for seen in counts.most_seen()
        ]
        rest = {
            "unknown": counts.unknown,
            "unasked": unasked,
            "dropped": counts.dropped,
            "unanswerable": counts.unanswerable,
        }
        print_json_line({"event": "summary", "incidents": incidents, **rest})


def losses(counts: WatchCounts, unasked: int) -> list[str]:
    """Return lines about traces that got no answer."""
    lost = (
        (counts.dropped, "dropped while nobody answered"),
        (unasked, "not asked about any more"),
        (counts.unanswerable, "that the service did not take"),
    )
    return [f"{count:,} trace{'s' * (count > 1)} {what}" for count, what in lost if count]


def _headline(counts: WatchCounts) -> str:
    known = sum(1 for _ in counts.most_seen())
    incidents = f"{known or 'no'} known incident{'s' * (known != 1)}"
    return f"{incidents}; {counts.unknown or 'no'} other trace{'s' * (counts.unknown != 1)}"


def _print_unknown(event: Event, console: Console) -> None:
    """Print its exceptions from the outermost to the innermost, and the nearest incident."""
    assert event.answer is not None
    for at, raised in enumerate(event.answer["query"]["exceptions"]):
        line = plain(": ".join(filter(None, (raised["type"], raised["message"])))).partition("\n")[0]
        line = line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
        _indented(Text(line, style="red" if not at else "", overflow="fold"), console)
    _indented(Text(plain(event.trace.place or "").strip(), overflow="fold"), console)
    for match in event.answer["matches"][:1]:
        words = f"nearest: {percent(match['probability'])} {plain(match['incident']['title'])} · {plain(match['incident']['id'])}"
        _indented(Text(words, style="dim"), console)


def _indented(shown: RenderableType, console: Console) -> None:
    print_trimmed(Padding(shown, (0, 0, 0, 2)), console)


def _nearest(match: Mapping[str, Any]) -> dict[str, Any]:
    incident = match["incident"]
    return {"id": incident["id"], "title": incident["title"], "probability": match["probability"]}


def _clock(at: datetime) -> str:
    """The time of day here; the day, too, where it is not today."""
    local = at.astimezone()
    is_today = local.date() == datetime.now().astimezone().date()
    return f"{local:%H:%M:%S}" if is_today else f"{local:%m-%d %H:%M:%S}"


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
