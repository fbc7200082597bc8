"""House English (docs/style.md): phrases that nobody can search for or read once do not come back."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {f"{room}/README.md": 120 for room in ("kb", "kb/trace", "kb/store", "ingest", "api", "api/mcp", "api/chat")}
PAGES = {"README.md": 125, "README.zh.md": 125, "CONTRIBUTING.md": 125, "docs/style.md": 60, **ROOMS}
"""The most lines of a page with one reader who has five minutes."""


def rejected() -> list[str]:
    """The phrases that docs/style.md lists under its last heading."""
    listed = (ROOT / "docs/style.md").read_text(encoding="utf-8").partition("\n## Rejected phrases\n")[2]
    return re.findall(r"`([^`\n]+)`", listed)


def test_the_list_is_read_from_the_page() -> None:
    assert len(rejected()) >= 11
    assert {"what is some", "for whoever wants"} <= set(rejected())


def prose() -> list[Path]:
    """The pages and the sources, where docstrings and messages are."""
    pages = [path for path in ROOT.glob("*.md") if path.name != "CHANGELOG.md"]
    rooms = [path for room in ("kb", "index", "ingest", "api", "docs") for path in (ROOT / room).rglob("*")]
    return [*pages, *(path for path in rooms if path.suffix in {".py", ".md", ".json", ".html"} and path.is_file())]


def test_no_rejected_phrase_is_used() -> None:
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, rejected()))})\b", re.IGNORECASE)
    found = {
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in prose()
        if path.name != "style.md"
        for match in pattern.finditer(path.read_text(encoding="utf-8"))
    }
    assert found == set()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_its_reader(page: str) -> None:
    assert len((ROOT / page).read_text(encoding="utf-8").splitlines()) <= PAGES[page]
