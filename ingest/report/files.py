"""Where reports lie: ``KB_HOME/reports/<run>.html`` and ``.json``, the last of them also as ``latest``."""

import json
import secrets
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from ingest.report.account import Account, RunHistory
from ingest.report.page import page

FOLDER = "reports"
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
    told = json.dumps(asdict(account), ensure_ascii=False, indent=1) + "\n"
    written = {"html": page(account, _former(folder)), "json": told}
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
            told = json.loads(path.read_text(encoding="utf-8"))
            found.append(
                RunHistory(str(told["ended"]), int(told["summary"]["incidents"]), float(told["summary"]["seconds"]))
            )
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
    return found


def _replace(path: Path, text: str) -> None:
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(text, encoding="utf-8", errors="backslashreplace")
    fresh.replace(path)
