"""An answer in a few lines: for a terminal that is small, a shell, and the end of a long answer."""

import io
import re
from collections.abc import Iterable, Mapping
from typing import IO, Any

from rich.console import Console
from rich.text import Text

from api.render.console import banner, plain, print_answer, words_for
from api.render.gist import first_sentence, first_step
from api.render.language import Strings

_MARKUP = re.compile(r"\*\*|`")
_MOST = 600
"""Characters of a cause or a step."""
_WIDTH = 100


def print_brief(answer: Mapping[str, Any], console: Console, lang: str | None = None) -> None:
    """Verdict, title, cause and first step, a line each, and where the whole is; of further problems their verdicts."""
    words = words_for(answer, lang)
    console.print(_verdict(answer, words))
    best = _best(answer)
    if best is not None:
        incident = best["incident"]
        for heading, part in (
            ("root_cause", first_sentence(incident["root_cause"])),
            ("fix", first_step(incident["fix"])),
        ):
            text = _shown(part.first) or words("not_stated")
            if part.left_out:
                text += f" ({words('items_left_out', count=part.left_out)})"
            console.print(Text(f"{words(heading)}: {text}"), soft_wrap=True)
        console.print(Text(f"kb incidents show {plain(incident['id'])}", style="dim"), soft_wrap=True)
    for problem in answer.get("problems", ())[1:]:
        console.print(_verdict(problem, words))


def print_whole(answer: Mapping[str, Any], console: Console, paste: str, text: str, lang: str | None = None) -> None:
    """The whole answer; one that scrolls off a terminal says its verdict once more at the end."""
    lines = _LineCounter(console.file)
    if console.is_terminal:
        console.file = lines  # type: ignore[assignment]  # rich writes and flushes
    print_answer(answer, console, paste, text, lang)
    if lines.count >= console.height:
        console.print(_verdict(answer, words_for(answer, lang)))


def plain_answer(answer: Mapping[str, Any], text: str, lang: str | None = None) -> str:
    """Return the whole answer as plain text, for curl and other shells: the verdict first, notes last."""
    out = io.StringIO()
    print_answer(answer, Console(file=out, width=_WIDTH, highlight=False, markup=False, emoji=False), "-", text, lang)
    return out.getvalue()


def _best(answer: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return answer["matches"][0] if answer["matches"] and answer["verdict"] != "unknown" else None


def _verdict(answer: Mapping[str, Any], words: Strings) -> Text:
    """What it amounts to, how sure, and of what incident."""
    line = banner(answer, words)
    if (best := _best(answer)) is not None:
        line.append(f" · {words.probability(best['probability'])}")
        line.append(f" · {plain(best['incident']['title'])}")
    return line


def _shown(markdown: str) -> str:
    """Markdown in one line, without marks around words."""
    lines = (line.strip() for line in plain(markdown).split("\n"))
    text = _MARKUP.sub("", " ".join(line for line in lines if line and not line.startswith("```")))
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"


class _LineCounter:
    """A file that counts the lines written to it."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self.count = 0

    def write(self, text: str) -> int:
        self.count += text.count("\n")
        return self._file.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
