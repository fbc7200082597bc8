"""The pages of docs/: decisions are one page each, listed by room; links lead somewhere."""

import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DECISIONS = ROOT / "docs/decisions"
MOST_LINES = 60
HEAD = """# Decisions

One page for each decision, with what it costs. Change the page, the code and its test together. A new page takes the next number; `pytest tests/test_docs.py --update-golden` lists it here.
"""
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)\s#]+)")


def pages() -> list[Path]:
    return sorted(DECISIONS.glob("[0-9]*.md"))


def listed() -> str:
    """All decisions by room."""
    rooms: dict[str, list[str]] = defaultdict(list)
    for path in pages():
        title, room = re.match(r"# (.+)\n\nRoom: \[([\w/]+)\]", path.read_text(encoding="utf-8")).groups()  # type: ignore[union-attr]
        rooms[room].append(f"- [{title}]({path.name})")
    return "\n\n".join([HEAD.strip(), *("\n".join([f"## {room}", "", *lines]) for room, lines in rooms.items())]) + "\n"


def test_every_decision_is_listed_with_its_room(golden: Callable[[Path, str], None]) -> None:
    golden(DECISIONS / "README.md", listed())


def test_a_decision_fits_on_a_page_and_has_its_own_number() -> None:
    assert [path.name for path in pages() if len(path.read_text(encoding="utf-8").splitlines()) > MOST_LINES] == []
    numbers = [path.name[:3] for path in pages()]
    assert sorted(set(numbers)) == numbers


def test_links_of_pages_lead_somewhere() -> None:
    """Of the pages that people read about the code; write-ups and their sources are held by tests of their own."""
    rooms = [path for room in ("docs", "kb", "index", "ingest", "api") for path in (ROOT / room).rglob("*.md")]
    lost = {
        f"{path.relative_to(ROOT)}: {link}"
        for path in [*ROOT.glob("*.md"), *rooms]
        for link in LINK.findall(re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL))
        if not (path.parent / link).exists()
    }
    assert lost == set()


def test_files_that_contributing_names_are_there() -> None:
    """Whoever follows a recipe finds each file; `<name>` and `*` stand for one of their own."""
    named = re.findall(r"`([\w.*<>/-]+/[\w.*<>/-]*)`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len(named) > 20
    assert [name for name in named if not list(ROOT.glob(re.sub(r"<\w+>", "*", name).rstrip("/")))] == []


def test_constants_that_docs_name_are_there() -> None:
    """Each row of the table of docs/ranking.md names constants, and the modules that have them."""
    table = (ROOT / "docs/ranking.md").read_text(encoding="utf-8").partition("## Constants that decide")[2]
    rows = [
        line.split(" | ") for line in table.partition("\n## ")[0].splitlines() if line.startswith("| ") and "`" in line
    ]
    assert len(rows) > 10
    lost = []
    for _, constants, modules, _ in rows:
        text = "".join((ROOT / name).read_text(encoding="utf-8") for name in re.findall(r"`([\w/.]+)`", modules))
        lost += [
            name for name in re.findall(r"`(\w+)`", constants) if not re.search(rf'\b{name}\b"?[^=\n]* ?[=:]', text)
        ]
    assert lost == []
