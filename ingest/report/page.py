"""The account of a run as one HTML page: nothing is loaded from anywhere, and both languages are in it.

Titles, paths and details come from strangers: every one is escaped, and the page's content security policy lets nothing run but
its own script, known by its hash.
"""

import base64
import hashlib
import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache, partial
from importlib.resources import files
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ingest.report.account import Account, RunHistory

FOLDER = "reports"
PACKAGE = "ingest.report"
_KEPT = 50
"""Runs whose reports are kept; a watch makes many."""


def new_run() -> str:
    """A name for a report, not used before; names sort by time."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"


def latest(home: Path) -> Path | None:
    """The page of the last run that did something; None when there is none."""
    path = home / FOLDER / "latest.html"
    return path if path.is_file() else None


def write(account: Account, home: Path) -> Path:
    """Writes the page and the JSON of a run, forgets the oldest; the page's path. Raises OSError."""
    folder = home / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    as_json = json.dumps(asdict(account), ensure_ascii=False, indent=1) + "\n"
    written = {"html": page(account, _former(folder)), "json": as_json}
    for suffix, text in written.items():
        for name in (account.run, "latest"):  # copies: a link would be broken by whoever moves the folder
            _replace(folder / f"{name}.{suffix}", text)
        for old in sorted(folder.glob(f"2*.{suffix}"))[:-_KEPT]:
            old.unlink(missing_ok=True)
    return folder / f"{account.run}.html"


def _former(folder: Path) -> list[RunHistory]:
    """What the reports that are still there say of their runs, oldest first; one that cannot be read is left out."""
    found = []
    for path in sorted(folder.glob("2*.json")):
        try:
            account = json.loads(path.read_text(encoding="utf-8"))
            found.append(
                RunHistory(
                    str(account["ended"]), int(account["summary"]["incidents"]), float(account["summary"]["seconds"])
                )
            )
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
    return found


def _replace(path: Path, text: str) -> None:
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(text, encoding="utf-8", errors="backslashreplace")
    fresh.replace(path)


_UNITS = ("B", "KB", "MB", "GB", "TB")


def page(account: Account, former: Sequence[RunHistory] = ()) -> str:
    """The whole page; ``former`` are the runs before this one, oldest first."""
    summary = account.summary
    runs = [*former, RunHistory(account.ended, summary.incidents, summary.seconds)]
    return environment(PACKAGE).get_template("page.html").render(account=account, summary=summary, runs=runs)


def line(values: Sequence[float]) -> str:
    """The points of an SVG polyline through ``values``, from 0 at the bottom to their greatest at the top of a field of 100 by 100."""
    most, last = max(values, default=0) or 1, max(len(values) - 1, 1)
    return " ".join(f"{100 * at / last:.2f},{100 - 100 * value / most:.2f}" for at, value in enumerate(values))


@cache
def environment(package: str) -> Environment:
    """The templates of a package, with this one's style, script and formats, and the words of its ``words.json`` as ``w``."""
    loader = ChoiceLoader([PackageLoader(package, "."), PackageLoader(PACKAGE, ".")])
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    script = (files(PACKAGE) / "page.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    made.globals |= {"w": partial(words, package), "line": line, "script": Markup(script), "script_hash": digest}  # noqa: S704  our own file
    made.filters |= {"number": _number, "size": _size, "percent": _percent, "seconds": _seconds}
    return made


@cache
def _words(package: str) -> dict[str, dict[str, str]]:
    words_by_lang: dict[str, dict[str, str]] = json.loads((files(package) / "words.json").read_text(encoding="utf-8"))
    return words_by_lang


def words(package: str, key: str, name: str | None = None) -> Markup:
    """A text in both languages, of which the page shows one. With a ``name``, the text for ``key_name``; where there is none, the name."""
    if name is not None:
        key = f"{key}_{re.sub('[^A-Za-z]', '_', name)}"
    parts = ((lang, here.get(key, name)) for lang, here in _words(package).items())
    tags = {"zh": "zh-CN", "en": "en"}
    return Markup("").join(
        Markup('<span lang="{}" class="in-{}">{}</span>').format(tags[lang], lang, text) for lang, text in parts
    )


def _number(value: float) -> str:
    return f"{value:,}"


def _size(value: float) -> str:
    """Bytes in units of 1024, three digits."""
    for unit in _UNITS:
        if value < 1024 or unit == _UNITS[-1]:
            break
        value /= 1024
    return f"{value:.3g} {unit}" if value < 999.5 else f"{value:,.0f} {unit}"


def _percent(part: float, whole: float) -> str:
    """Whole percents; 0 and 100 for none and all alone."""
    if not whole:
        return "–"
    share = 100 * part / whole
    return f"{min(99, max(1, round(share))) if 0 < part < whole else round(share)} %"


def _seconds(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
