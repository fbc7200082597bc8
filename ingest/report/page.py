"""The account of a run as one HTML page: nothing is loaded from anywhere, and both languages are in it.

Titles, paths and details come from strangers: every one is escaped, and the page's content security policy lets nothing run but
its own script, known by its hash.
"""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ingest.report.account import Account, RunHistory

_UNITS = ("B", "KB", "MB", "GB", "TB")


def page(account: Account, former: Sequence[RunHistory] = ()) -> str:
    """The whole page; ``former`` are the runs before this one, oldest first."""
    summary = account.summary
    runs = [*former, RunHistory(account.ended, summary.incidents, summary.seconds)]
    return _environment().get_template("page.html").render(account=account, summary=summary, runs=runs)


def line(values: Sequence[float]) -> str:
    """The points of an SVG polyline through ``values``, from 0 at the bottom to their greatest at the top of a field of 100 by 100."""
    most, last = max(values, default=0) or 1, max(len(values) - 1, 1)
    return " ".join(f"{100 * at / last:.2f},{100 - 100 * value / most:.2f}" for at, value in enumerate(values))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("ingest.report", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    script = (files("ingest.report") / "page.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment.globals |= {"w": words, "line": line, "script": Markup(script), "script_hash": digest}  # noqa: S704  our own file
    environment.filters |= {"number": _number, "size": _size, "percent": _percent, "seconds": _seconds}
    return environment


@cache
def _words() -> dict[str, dict[str, str]]:
    told: dict[str, dict[str, str]] = json.loads((files("ingest.report") / "words.json").read_text(encoding="utf-8"))
    return told


def words(key: str, name: str | None = None) -> Markup:
    """A text in both languages, of which the page shows one. With a ``name``, the text for ``key_name``; where there is none, the name."""
    if name is not None:
        key = f"{key}_{re.sub('[^A-Za-z]', '_', name)}"
    parts = ((lang, told.get(key, name)) for lang, told in _words().items())
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
