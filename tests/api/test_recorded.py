"""The terminal session that the documentation shows is what the commands print: it is recorded anew here and compared."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from tests.api.fixtures import home  # noqa: F401
from tests.api.knowledge import HDFS_TRACE, KAFKA_TRACE, UNKNOWN_TRACE
from tests.api.terminal import kb_on, terminal

SESSION = Path(__file__).parents[1] / "golden" / "terminal" / "session.svg"
LINE = "2026-03-01 03:12:{n:02} INFO  org.example.Service - request {n} took 12 ms\n"
_FONT = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)  # they would be fetched from elsewhere
_LENGTH = re.compile(r'textLength="[\d.]+"([^>]*>)([^<]*)<')  # rich counts characters, and Chinese takes two cells
_CELL = 12.2
_CHANGING = (
    (re.compile(r"\d\d:\d\d:\d\d"), "03:12:07"),
    (re.compile(r"snapshot \w+, \d+ ms"), "snapshot 8f3c2a91d07be645, 4 ms"),
)


def test_the_recorded_session_is_what_is_shown(tmp_path: Path, home: Path, golden: Callable[[Path, str], None]) -> None:  # noqa: F811
    lines = "".join(LINE.format(n=n) for n in range(50))
    (tmp_path / "trace.txt").write_text(HDFS_TRACE)
    (tmp_path / "app.log").write_text(lines + KAFKA_TRACE + lines + UNKNOWN_TRACE + lines + KAFKA_TRACE * 3)
    shown = []
    for command, *arguments in (
        ("kb search trace.txt", "search", str(tmp_path / "trace.txt")),
        ("kubectl logs -f deploy/shop | kb watch - --unknown", "watch", "-", "--unknown"),
    ):
        stdin = tmp_path / "app.log" if "watch" in arguments else None
        with terminal(*kb_on(*arguments), columns=90, home=home, stdin=stdin) as screen:
            assert screen.ended() == 0, screen.text
        shown.append(f"\x1b[1;32m$\x1b[0m \x1b[1m{command}\x1b[0m\n{screen.raw.strip()}\n")
    text = "\n".join(shown)
    for pattern, settled in _CHANGING:
        text = pattern.sub(settled, text)
    with (tmp_path / "nowhere").open("w") as nowhere:
        console = Console(record=True, width=90, file=nowhere, force_terminal=True, color_system="truecolor")
        console.print(Text.from_ansi(text))
        svg = console.export_svg(title="kb", code_format=_FONT.sub("", CONSOLE_SVG_FORMAT), unique_id="kb")
    svg = _LENGTH.sub(lambda found: f'textLength="{cell_len(unescape(found[2])) * _CELL:g}"{found[1]}{found[2]}<', svg)
    svg = "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"
    assert len(svg) < 60_000
    golden(SESSION, svg)
