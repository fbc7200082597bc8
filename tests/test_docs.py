"""The pages of docs/: decisions are one page each, listed by room; links lead somewhere."""

import fnmatch
import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DECISIONS = ROOT / "docs/decisions"
MOST_LINES = 60
HEAD = """# Decisions

One page for each decision, with what it costs. Change the page, the code and its test together. A new page takes the next number; `pytest tests/test_docs.py --update-golden` lists it here.
"""
PAGES = [
    *ROOT.glob("*.md"),
    *(path for room in ("docs", "kb", "index", "ingest", "api") for path in (ROOT / room).rglob("*.md")),
]
EXAMPLES = {"pay.py"}
"""Names of no file of ours."""
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
    lost = {
        f"{path.relative_to(ROOT)}: {link}"
        for path in PAGES
        for link in LINK.findall(re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL))
        if not (path.parent / link).exists()
    }
    assert lost == set()


def test_files_that_contributing_names_are_there() -> None:
    """Whoever follows a recipe finds each file; `<name>` and `*` stand for one of their own."""
    named = re.findall(r"`([\w.*<>/-]+/[\w.*<>/-]*)`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len(named) > 20
    assert [name for name in named if not list(ROOT.glob(re.sub(r"<\w+>", "*", name).rstrip("/")))] == []


def test_constants_that_docs_name_have_these_values() -> None:
    """Each row of the table of docs/ranking.md names constants with their values, and the modules that have them."""
    table = (ROOT / "docs/ranking.md").read_text(encoding="utf-8").partition("## Constants that decide")[2]
    rows = [
        line.split(" | ") for line in table.partition("\n## ")[0].splitlines() if line.startswith("| ") and "`" in line
    ]
    assert len(rows) > 10
    stale = []
    for _, constants, modules, _ in rows:
        have = [constants_of(name) for name in re.findall(r"`([\w/.]+)`", modules)]
        stale += [
            f"{name} is {values}, not {stated}"
            for name, stated in re.findall(r"`(\w+)`([\d., ]*)", constants)
            if (values := [numbers_of(one[name]) for one in have if name in one]) != [numbers_read(stated)]
        ]
    assert stale == [], "change the table of docs/ranking.md, and the reason below each constant"


def constants_of(file: str) -> Mapping[str, object]:
    """What a module or a file of rules holds, by name."""
    path = ROOT / file
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]
    return vars(import_module(file.removesuffix(".py").replace("/", ".")))


def numbers_of(value: object) -> list[float]:
    """The number that a constant is, or the numbers that it holds."""
    return [float(one) for one in (value.values() if isinstance(value, Mapping) else [value])]  # type: ignore[arg-type]


def numbers_read(text: str) -> list[float]:
    """``1, .8, 4,000`` as numbers."""
    return [float(one.replace(",", "")) for one in text.strip(" ,").split(", ") if one]


def test_modules_that_pages_name_are_there() -> None:
    """`<name>`, `*` and X stand for one of their own."""
    rooms = ("kb", "index", "ingest", "api", "tests", "tools")
    paths = [*ROOT.glob("*.py"), *(path for room in rooms for path in (ROOT / room).rglob("*.py"))]
    files = [f"/{path.relative_to(ROOT)}" for path in paths]
    assert len(files) > 1_000
    lost = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in [*PAGES, *(ROOT / "tests").rglob("README.md")]
        for name in re.findall(r"`([\w./<>*-]+\.py)`", path.read_text(encoding="utf-8"))
        if name not in EXAMPLES and not fnmatch.filter(files, re.sub(r"<\w+>|\bX\b|\*|(?<=_)X", "*", f"*/{name}"))
    }
    assert lost == set(), "it is called otherwise now"


def test_tests_that_pages_name_are_there() -> None:
    """`test_x.py::test_y`; a name that ends in `*` or is cut by `…` stands for those that begin so."""
    tests: dict[str, str] = defaultdict(str)
    for path in (ROOT / "tests").rglob("test_*.py"):
        tests[path.name] += path.read_text(encoding="utf-8")
    named = {
        (str(path.relative_to(ROOT)), file, test)
        for path in PAGES
        for file, test in re.findall(r"(test_\w+\.py)::(test_\w+)", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    assert {one for one in named if f"def {one[2]}" not in tests[one[1]]} == set()
