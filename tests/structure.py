"""What the law of the house holds and `docs/architecture.md` shows in a table: modules, their lines and imports, pages.

`python -m tests.structure` prints the rows of that table as they are now.
"""

import ast
import gc
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from functools import cache
from pathlib import Path
from statistics import median
from types import FrameType

from fastapi import FastAPI
from starlette.routing import BaseRoute

from kb.article import read_article

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("kb", "index", "ingest", "api")
SOURCES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
LEAST_LINES = 60
"""A shorter module with a single importer belongs into it."""
ARTICLES = ROOT / "tests/golden/articles"
_NOT_OURS = {".venv", ".kb", ".git", ".pytest_cache", "golden"}


def text_of(path: str) -> str:
    """Return the text of a file of the project."""
    return (ROOT / path).read_text(encoding="utf-8")


def missing(*paths: str) -> list[str]:
    """Return what to write for the paths that match no file; a star stands for any name."""
    return [f"write {path}" for path in paths if not any(ROOT.glob(path))]


def module_of(path: Path) -> str:
    """Return the name a file is imported by."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path) for path in SOURCES}


@cache
def tree_of(path: Path) -> ast.Module:
    """Return a file's syntax tree. The collector rests: it would go through all trees again and again, for more time than parsing takes."""
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        gc.enable()


@cache
def imports_of(path: Path) -> frozenset[str]:
    """Return absolute names of everything a file imports; of `from package import module` the module alone."""
    package = module_of(path) if path.name == "__init__.py" else module_of(path).rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base]).rstrip(".")
            names = {f"{base}.{alias.name}" for alias in node.names}
            found.update(names if names <= MODULES else {base, *names})
    return frozenset(found)


@cache
def importers() -> dict[str, frozenset[str]]:
    """Return the modules that import each name or something of it."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in SOURCES:
        for name in imports_of(path):
            found[name].add(module_of(path))
            found[name.rpartition(".")[0]].add(module_of(path))
    return {name: frozenset(modules) for name, modules in found.items()}


def has_one_importer(path: Path) -> bool:
    """Return whether a single module imports this one."""
    return path.name != "__init__.py" and len(importers().get(module_of(path), ())) == 1


def lines_of(path: Path) -> int:
    """Return the number of lines."""
    return len(path.read_text(encoding="utf-8").splitlines())


def part_of(module: str) -> str:
    """Return the sub-room or loose file of a room that a module belongs to: `api.pages` of `api.pages.answer`."""
    return ".".join(module.split(".")[:2])


def arrows_within(room: str) -> dict[str, set[str]]:
    """Return what each part of a room imports of the other parts."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in SOURCES:
        here = part_of(module_of(path))
        if here.startswith(f"{room}."):
            found[here] |= {part_of(name) for name in imports_of(path) if name.startswith(f"{room}.")} - {here}
    return found


def files_run(room: str, work: Callable[[], object]) -> set[Path]:
    """Return the files of a room in which a function runs while the work is done."""
    within, seen = str(ROOT / room), set[str]()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(within) and frame.f_code.co_name != "<module>":
            seen.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(before)
    return {Path(name) for name in seen}


def files_of_an_article(path: Path) -> int:
    """Return in how many files of `kb/article` a function runs while this article is read."""
    return len(files_run("kb/article", lambda: read_article(path.read_bytes(), path.name)))


def doors(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Yield the method and the path of every route of an app."""

    def within(routes: list[BaseRoute]) -> Iterator[tuple[str, str]]:
        for route in routes:
            if inner := getattr(route, "original_router", None):
                yield from within(inner.routes)
            else:
                for method in (getattr(route, "methods", None) or {"GET"}) - {"HEAD"}:
                    yield method, route.path  # type: ignore[attr-defined]

    return within(app.routes)


_RIDDLES = {"told", "said", "asked", "taken"}
"""Words that say how somebody got a thing and not what it is."""


def riddles_of(path: Path) -> list[str]:
    """Return the names in a file, each as often as it stands there, that have such a word."""
    names: list[str] = []
    for node in ast.walk(tree_of(path)):
        for field in ("id", "arg", "attr", "name"):
            name = getattr(node, field, None)
            if isinstance(name, str) and _RIDDLES & set(name.lower().split("_")):
                names.append(name)
    return names


def against(law: Callable[[Path], Collection[object]], sources: list[Path] = SOURCES) -> dict[str, Collection[object]]:
    """Return what stands against a law, by file. One test looks at all files: a test for each would take five times as long."""
    return {str(path.relative_to(ROOT)): found for path in sources if (found := law(path))}


def rows() -> Iterator[tuple[str, str]]:
    """Yield the rows of the table that code alone can tell, with their figures."""
    lines = {path: lines_of(path) for path in SOURCES}
    single = [path for path in SOURCES if has_one_importer(path)]
    of_rooms = [sum(lines[path] for path in SOURCES if path.is_relative_to(ROOT / room)) for room in ROOMS]
    loose = [len(list((ROOT / room).glob("*.py"))) for room in ("index", "api")]
    arrows = [sum(map(len, arrows_within(room).values())) for room in ("index", "api")]
    articles = [path for path in ARTICLES.iterdir() if path.suffix != ".reading"]
    pages = [path for path in ROOT.rglob("*.md") if not _NOT_OURS & set(path.relative_to(ROOT).parts[:-1])]
    words = {path: len(path.read_text(encoding="utf-8").split()) for path in pages}
    readmes = sum(count for path, count in words.items() if path.name == "README.md")
    yield "modules", str(len(SOURCES))
    yield f"lines: {', '.join(ROOMS)}", ", ".join(f"{count:,}" for count in of_rooms)
    yield "median module, lines", f"{median(lines.values()):.0f}"
    yield (
        f"modules with a single importer, of these under {LEAST_LINES} lines",
        f"{len(single)}, {sum(lines[path] < LEAST_LINES for path in single)}",
    )
    yield "loose files in `index`, `api`", ", ".join(map(str, loose))
    yield (
        "arrows between parts of `index`, of `api` (a part is a sub-room or a loose file)",
        ", ".join(map(str, arrows)),
    )
    yield (
        f"files of `kb/article` that an article passes (median of {len(articles)})",
        f"{median(map(files_of_an_article, articles)):.0f}",
    )
    yield "uses of names with told, said, asked or taken in them", f"{sum(map(len, map(riddles_of, SOURCES))):,}"
    yield (
        "words of Markdown, without write-ups",
        f"{sum(words[path] for path in pages if path.name == 'README.md' or not path.is_relative_to(ROOT / 'corpus')):,}",
    )
    yield "of these in READMEs", f"{readmes:,}"


if __name__ == "__main__":
    for name, figure in rows():
        print(f"| {name} | {figure} |")
