"""Answers on a terminal: readable at 80 columns, plain where nobody watches, and nothing a write-up says can steer it."""

import codecs
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from markdown_it import MarkdownIt
from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from api.contract.jsontext import dump
from api.render.language import Strings, load_strings, percent
from kb.article.decode import decode
from kb.article.quotes.announced import CHARACTERS, LINES, shortened
from kb.article.quotes.passages import ARTICLE
from kb.errors import SourceError
from kb.redact import redact

STDIN = "-"
File = Annotated[str, typer.Argument(metavar="[FILE|-]", help="A file, or - for standard input.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output, nothing else.")]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_FILL = re.compile(r" +(?=(?:\x1b\[0?m)?$)")
_THEME = Theme({"markdown.code": "bold cyan", "markdown.code_block": "cyan"})  # no black boxes on a white terminal
_TONE = {"known": "green", "related": "yellow", "unknown": "bright_black"}
_NAME = 100  # characters of a file's name that are repeated: it may be a whole paste
_CURE = "name a readable file, or - to paste; for a text given right here: echo '…' | kb search -"
BLOCK = 512 << 10
"""Bytes of a file that are read whole; of a larger one eight times as many at once."""
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_MANY_ZEROS = 400  # of the first 2,000 bytes
_LONGEST_LINE = 32 << 20
CUT = 3_000
"""Characters of cause and fix shown; the whole is in `--json` and on the page."""
_SECTION_LINES = 24
"""Lines of an article's section shown; likewise. The page shows 15 of them until it is unfolded. Here 15 cut off helpful steps in three of 100 sections that were judged."""
_ARTICLE_LINES = 40
"""Lines of an article shown; likewise."""


def read_input(name: str) -> str:
    """The text of a file or of standard input; SourceError when it cannot be read or holds nothing."""
    return _decoded(b"".join(_pieces(name)), name)


def read_blocks(name: str, least: int = BLOCK) -> Iterator[str]:
    """The same in blocks of whole lines, read as they are asked for: a text of fewer than ``least`` bytes is one.

    Each is decoded on its own; a text of two bytes a character is one block whatever its size.
    """
    held, is_wide, is_first = b"", False, True
    for piece in _pieces(name, least):
        held += piece
        is_wide = is_wide or (is_first and held.startswith(_WIDE)) or (is_first and held[:2_000].count(0) > _MANY_ZEROS)
        cut = held.rfind(b"\n") + 1 if len(held) >= least and not is_wide else 0
        cut = len(held) if not cut and len(held) > _LONGEST_LINE and not is_wide else cut
        if cut:
            yield _decoded(held[:cut], name) if is_first else decode(held[:cut]).text
            held, is_first = held[cut:], False
    if is_first:
        yield _decoded(held, name)
    elif held:
        yield decode(held).text


def _pieces(name: str, size: int = BLOCK) -> Iterator[bytes]:
    try:
        if name == STDIN and sys.stdin.isatty():
            print("Paste the trace, then press Ctrl-D on an empty line.", file=sys.stderr)  # noqa: T201
        with nullcontext(sys.stdin.buffer) if name == STDIN else Path(name).open("rb") as source:
            first, later = size, size * 8
            while piece := source.read(first):
                yield piece
                first = later
    except OSError as error:
        shown = plain(name).partition("\n")[0]
        shown = shown if len(shown) <= _NAME else f"{shown[:_NAME]}…"
        raise SourceError(f"{shown} cannot be read: {error.strerror}", cure=_CURE) from error


def _decoded(data: bytes, name: str) -> str:
    decoded = decode(data)
    if not decoded.text.strip():
        reason = decoded.notes[0] if decoded.notes else "it holds only blanks"
        place = "standard input" if name == STDIN else name
        raise SourceError(
            f"there is nothing to read in {place}: {reason}", cure="give a trace, a log excerpt or a question"
        )
    return decoded.text


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.buffer.write(dump(document, indent=2) + b"\n")
    sys.stdout.buffer.flush()


def print_json_line(document: Any) -> None:
    """One JSON document on one line of standard output, at once."""
    sys.stdout.buffer.write(dump(document) + b"\n")
    sys.stdout.buffer.flush()


def print_json_stream(name: str, items: Iterable[object], rest: Callable[[], Mapping[str, object]]) -> None:
    """One JSON document on standard output, written as it comes: a list called ``name``, then what ``rest`` tells once it is through."""
    out = sys.stdout.buffer
    out.write(b"{\n  " + dump(name) + b": [")
    for number, item in enumerate(items):
        out.write((b",\n    " if number else b"\n    ") + dump(item, indent=2).replace(b"\n", b"\n    "))
        out.flush()
    out.write(b"\n  ]")
    for key, value in rest().items():
        out.write(b",\n  " + dump(key) + b": " + dump(value, indent=2).replace(b"\n", b"\n  "))
    out.write(b"\n}\n")
    out.flush()


def plain(text: object) -> str:
    """Without what would steer a terminal: escape sequences, control and direction characters."""
    return _CONTROL.sub("", str(text).replace("\r\n", "\n")).encode("utf-8", "replace").decode()


def to_terminal() -> Console:
    """Standard output; colour and width come from the terminal, plain text at 80 columns elsewhere."""
    return Console(highlight=False, markup=False, emoji=False, theme=_THEME)


def print_trimmed(shown: RenderableType, console: Console) -> None:
    """Without the blanks that rich fills lines up with: they come along when somebody copies."""
    with console.capture() as captured:
        console.print(shown)
    console.file.writelines(f"{_FILL.sub('', line)}\n" for line in captured.get().splitlines())


def note(text: str) -> None:
    """A line of progress, on standard error."""
    Console(stderr=True, highlight=False, markup=False, emoji=False).print(plain(text), soft_wrap=True)


def words_for(answer: Mapping[str, Any], lang: str | None = None) -> Strings:
    """The words in a language (None: that of the question; whoever mixes them reads Chinese)."""
    return load_strings()[lang or ("zh" if answer["query"]["lang"] in ("zh", "mixed") else "en")]


def banner(answer: Mapping[str, Any], words: Strings) -> Text:
    """What an answer, or one of its problems, amounts to, in words and colour."""
    verdict = str(answer["verdict"])
    headline = answer.get("headline") or words.headline(verdict)  # a service of an older version tells none
    return Text(f"● {plain(headline)}", style=f"bold {_TONE[verdict]}")


def print_answer(
    answer: Mapping[str, Any], console: Console, paste: str = STDIN, text: str = "", lang: str | None = None
) -> None:
    """The verdict, the best match whole, the others in a line each; of several problems the further ones below.

    ``paste`` is where the text came from, ``text`` what was searched for: what counts lines.
    """
    words, problems = words_for(answer, lang), answer.get("problems", ())
    searched = redact(text).text if len(problems) > 1 else ""
    places = [_place(problem, searched, words) for problem in problems]
    if len(problems) > 1:
        _print_contents(problems, places, words, console)
    console.print(banner(answer, words))
    _print_matches(answer, words, console)
    for number, problem in enumerate(problems[1:], 2):
        place = f" · {places[number - 1]}" if places[number - 1] else ""
        console.print(Text(f"\n{words('problem_number', number=number)}{place}", style="bold"))
        console.print(banner(problem, words))
        _print_matches(problem, words, console)
    _print_notes(answer["notes"], words, console)
    if answer["verdict"] == "unknown":
        command = f"kb incidents add --paste {plain(shlex.quote(paste))}"
        console.print(Text(f"\n{words('once_known', command=command)}", style="dim"), soft_wrap=True)
    console.print(Text(f"\nsnapshot {answer['snapshot_id']}, {answer['took_ms']:.0f} ms", style="dim"))


def _print_notes(notes: Sequence[str], words: Strings, console: Console) -> None:
    """Print the notes on a paste in the reader's language, a paragraph each."""
    if notes:
        console.print(Text(f"\n{words('notes')}", style="bold"))
    for line in notes:
        print_trimmed(Padding(Text(plain(words.sentence(line)[0]), style="dim"), (0, 0, 0, 2)), console)


def _place(problem: Mapping[str, Any], text: str, words: Strings) -> str:
    """The lines of a problem; nothing where the text is not at hand."""
    start, end = problem["span"]
    first = text.count("\n", 0, start) + 1
    return words.lines(first, first + text[start:end].rstrip().count("\n")) if text else ""


def _print_contents(
    problems: Sequence[Mapping[str, Any]], places: Sequence[str], words: Strings, console: Console
) -> None:
    """What the text is about, a line each."""
    console.print(Text(f"● {words('problems', count=len(problems))}", style="bold"))
    for number, (problem, place) in enumerate(zip(problems, places, strict=True), 1):
        line = Text(f"  {number}. ").append(place and f"{place} · ", style="dim").append(plain(problem["headline"]))
        if problem["verdict"] == "known" and problem["matches"]:
            line.append(f" · {plain(problem['matches'][0]['incident']['title'])}")
        console.print(line)
    console.print()


def _print_matches(answer: Mapping[str, Any], words: Strings, console: Console) -> None:
    """The matches of an answer or of one of its problems: the best whole, with it all causes of one error."""
    verdict, matches, causes = str(answer["verdict"]), answer["matches"], answer.get("causes", ())
    lead, rest = (matches[:1], matches[1:]) if verdict != "unknown" else ([], matches)
    lead += [match for match in rest if match["incident"]["id"] in causes]
    if causes:
        print_trimmed(Padding(Text(words("verdict_causes_text"), style="dim"), (0, 0, 0, 2)), console)
    for match in lead:
        print_match(match, console, words)
        _print_reasons(match, console, words)
    heading = words("others" if verdict != "unknown" else "nearest")
    _print_rest([match for match in rest if match not in lead], heading, console)


def print_match(match: Mapping[str, Any], console: Console, words: Strings) -> None:
    """What an incident is, its cause and its fix."""
    incident = match["incident"]
    console.print(Text(f"\n{plain(incident['title'])}", style="bold"))
    facts = [words.probability(match["probability"]), plain(incident["component"] or ""), plain(incident["id"])]
    if owner := incident.get("owner"):  # a service of an older version sends none
        facts.append(words("ask_owner", name=plain(owner)))
    print_trimmed(Text(" · ".join(filter(None, facts)), style="cyan"), console)
    announced = incident.get("announced", {})  # a service of an older version tells none
    sections = incident.get("sections", {})  # likewise
    for name in ("root_cause", "fix"):
        _print_section(words(name), incident[name] or words(f"no_{name}" if sections else "not_stated"), console)
        if name in sections:
            print_section_of(sections[name].removeprefix(incident[name] or ""), console, words)
        elif incident[name] and name in announced:
            print_announced(announced[name], console)
        if name == "root_cause" and (apart := incident.get("distinguish")):  # likewise
            _print_section(words("distinguish"), apart, console)
    if ARTICLE in sections:
        print_section_of(sections[ARTICLE], console, words)


def _kind(kind: str, words: Strings) -> str:
    """The kind of a reason in words; its name, where a service of a newer version knows another."""
    return words(f"evidence_{kind}").lower() if f"evidence_{kind}" in words.words else plain(kind)


def _print_reasons(match: Mapping[str, Any], console: Console, words: Strings) -> None:
    """Why it matches, where it is told, and where else."""
    incident = match["incident"]
    if match["evidence"]:
        console.print(Text(f"\n{words('why')}", style="bold"))
        table = Table.grid(padding=(0, 1))
        for item in match["evidence"]:
            table.add_row(
                Text(f"  {_kind(item['kind'], words)}", style="dim"),
                Text(plain(item["summary"]), overflow="fold"),
                f"{item['weight']:+.1f}",
            )
        print_trimmed(table, console)
    if objections := match.get("against"):  # a service of an older version names none
        reasons = "; ".join(plain(item["summary"]) for item in objections)
        print_trimmed(Padding(Text(f"{words('against')}: {reasons}", style="dim"), (0, 0, 0, 2)), console)
    if incident["url"]:
        source = (f"{words('source')}: {plain(incident['url'])}", words.only_in(incident["lang"]))
        console.print(Text("\n" + " · ".join(filter(None, source)), style="dim"), soft_wrap=True)
    for other in match.get("also", ()):  # a service of an older version names none
        console.print(Text(f"also: {plain(other['title'])} · {plain(other['id'])}", style="dim"), soft_wrap=True)


def _print_section(heading: str, text: str, console: Console) -> None:
    """A heading and Markdown below it."""
    console.print(Text(f"\n{heading}", style="bold"))
    shown = plain(text).strip()
    if len(shown) > CUT:
        shown = shown[:CUT].rsplit("\n", 1)[0] + "\n\n… (longer: see --json or the page)"
    print_markdown(shown, console)


def print_announced(text: str, console: Console) -> None:
    """What a cause or a fix announces; as much of it as an article gives, also where somebody wrote more."""
    print_markdown(shortened(text, LINES, CHARACTERS), console)


def print_section_of(text: str, console: Console, words: Strings) -> None:
    """Print the beginning of a section of the article; the page and ``--json`` have all of it."""
    console.print(Text(f"  {words('from_article')}", style="dim"))
    print_markdown(shortened(text, _SECTION_LINES, CHARACTERS), console)


def print_article(text: str, console: Console, words: Strings) -> None:
    """Print the beginning of an article as it was read; likewise."""
    console.print(Text(f"\n{words('as_read')}", style="bold"))
    print_markdown(shortened(text, _ARTICLE_LINES, CUT), console)


_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
"""What stands in angle brackets (``<host>``, ``List<String>``) is text: rich by itself takes it for HTML and drops it."""


def print_markdown(text: str, console: Console) -> None:
    """Markdown, indented a little."""
    shown = Markdown("", hyperlinks=False, code_theme="ansi_dark")
    shown.parsed = _PARSER.parse(plain(text))
    print_trimmed(Padding(shown, (0, 0, 0, 2)), console)


def _print_rest(matches: Sequence[Mapping[str, Any]], heading: str, console: Console) -> None:
    if not matches:
        return
    console.print(Text(f"\n{heading}", style="bold"))
    table = Table.grid(padding=(0, 2))
    for match in matches:
        incident = match["incident"]
        ids = [incident["id"], *(other["id"] for other in match.get("also", ()))]
        title = Text(plain(incident["title"]), overflow="fold").append(f"\n{plain(', also '.join(ids))}", style="dim")
        table.add_row(Text(f"  {percent(match['probability'])}"), title)
    print_trimmed(table, console)
