"""Versions of the code that made what is in the lake, so that a change redoes exactly what depends on it.

A version is a hash over the sources and rule files of the modules that a stage runs, found by following imports. A number
in the code would say less: it is forgotten by the one who changes a rule three modules away.
"""

import ast
import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import ingest
from kb.article.formats.packed import LIBRARIES

_ROOT = Path(ingest.__file__).resolve().parent.parent
_OURS = ("kb", "index", "ingest")


@cache
def code_version(module: str) -> str:
    """16 hex digits over everything of ours that ``module`` imports, itself included, and the data files beside it."""
    digest = hashlib.sha256()
    seen: set[str] = set()
    waiting = [module]
    folders: set[Path] = set()
    while waiting:
        name = waiting.pop()
        file = _file(name)
        if name in seen or file is None:
            continue
        seen.add(name)
        if not name.startswith("ingest"):
            folders.add(file.parent)
        waiting.extend(_imports(file))
    data = {
        f for folder in folders for f in folder.rglob("*") if f.is_file() and f.suffix not in {".py", ".pyc", ".md"}
    }
    for file in sorted(data | {found for name in seen if (found := _file(name))}):
        digest.update(str(file.relative_to(_ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def extras() -> str:
    """The libraries of the extra ``documents`` that are installed: with another set of them other documents can be read."""
    return "+".join(name for name in LIBRARIES if find_spec(name) is not None)


def _file(module: str) -> Path | None:
    """The source of one of our modules; None for everybody else's."""
    parts = module.split(".")
    if parts[0] not in _OURS:
        return None
    plain = _ROOT.joinpath(*parts)
    for file in (plain.with_suffix(".py"), plain / "__init__.py"):
        if file.is_file():
            return file
    return None


@cache
def _imports(file: Path) -> tuple[str, ...]:
    """The modules that a file imports, ours and others'."""
    found: list[str] = []
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            found.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            # ``from package import module`` runs that module; what else the package re-exports matters to others.
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.append(inner if _file(inner) else node.module)
    return tuple(found)
