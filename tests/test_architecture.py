"""The law of the house: which room may import which, how large a file may grow, what must be documented."""

import ast
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from tests.structure import (
    LEAST_LINES,
    ROOMS,
    ROOT,
    SOURCES,
    against,
    arrows_within,
    doors,
    has_one_importer,
    importers,
    imports_of,
    lines_of,
    module_of,
    rows,
    tree_of,
)

MAY_IMPORT = {
    "kb": {"kb"},
    "index": {"kb", "index"},
    "ingest": {"kb", "index", "ingest"},
    "api": {"kb", "index", "api"},
}
KB_MAY_IMPORT = {
    "array", "base64", "binascii", "bisect", "codecs", "collections", "contextlib", "contextvars", "csv", "dataclasses", "datetime", "difflib", "enum", "functools", "hashlib", "heapq", "html", "importlib", "itertools",
    "io.BytesIO", "io.StringIO", "json", "math", "operator", "pathlib.PurePosixPath", "re", "tomllib", "typing", "unicodedata", "urllib.parse", "weakref", "zipfile.ZipFile",
    "charset_normalizer", "kb", "mammoth", "markdown_it", "opencc", "pypdf", "re2", "selectolax", "yaml",
}  # fmt: skip
"""Nothing of it opens a file but the lists beside the code, asks the network, the environment or the clock, or is large."""
STORE_MAY_IMPORT = KB_MAY_IMPORT | {
    "alembic",
    "fcntl",
    "pathlib",
    "secrets",
    "sqlalchemy",
    "threading",
    "types",
}
"""The one room of `kb` that has a database and a clock."""
CLIENT_MAY_IMPORT = KB_MAY_IMPORT | {"asyncio", "httpx", "os", "time", "types"}
"""The one room of `kb` that asks the network: the service, for other programs. Nothing else of `kb` imports it."""
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 40


def run_by(name: str, path: Path) -> set[str]:
    """All that an import of a module runs: what it names, and the packages around that, but not those around itself."""
    asked = {".".join(one.split(".")[:end]) for one in imports_of(path) for end in range(1, one.count(".") + 2)}
    return {one for one in asked if one != name and not name.startswith(f"{one}.")}


def test_imports_point_one_way() -> None:
    def upward(path: Path) -> set[str]:
        rooms = set(ROOMS) - MAY_IMPORT[path.relative_to(ROOT).parts[0]]
        return {name for name in imports_of(path) if name.partition(".")[0] in rooms}

    assert against(upward) == {}


def test_kb_is_pure() -> None:
    def impure(path: Path) -> set[str]:
        asked = imports_of(path) - {"io", "pathlib", "zipfile"}  # of them only what is named above
        room = path.relative_to(ROOT).parts[1]
        allowed = {"store": STORE_MAY_IMPORT, "client": CLIENT_MAY_IMPORT}.get(room, KB_MAY_IMPORT)
        unnamed = {name for name in asked if not any(name == one or name.startswith(f"{one}.") for one in allowed)}
        return unnamed | {name for name in asked if name.startswith("kb.client") and room != "client"}

    assert against(impure, [path for path in SOURCES if path.is_relative_to(ROOT / "kb")]) == {}


def test_what_pytest_loads_in_every_run_imports_none_of_the_rooms() -> None:
    """A tested project may have an `api` of its own, and who does not ask for `--kb` pays nothing."""
    assert imports_of(ROOT / "pytest_dejastack.py") == {
        "json",
        "pytest",
        "subprocess",
        "sys",
        "textwrap",
        "typing",
        "typing.Any",
    }


def test_what_runs_in_spark_executors_needs_no_database_and_no_network() -> None:
    rooms = ("kb", "kb.store", "kb.trace", "ingest.transforms", "ingest.match", "index")
    program = (
        "import sys\nfrom importlib import import_module\n"
        f"for name in {rooms}:\n"
        "    import_module(name)\n"
        "    print(name, *sorted({'sqlalchemy', 'alembic', 'psycopg', 'httpx'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert told.stdout.split() == list(rooms)


def test_first_party_imports_stand_at_the_top() -> None:
    """An import inside a function hides a cycle or an arrow that points up."""

    def hidden(path: Path) -> list[int]:
        return [
            node.lineno
            for function in ast.walk(tree_of(path))
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(function)
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ROOMS
        ]

    assert against(hidden) == {}


def without_cycle(arrows: Mapping[str, Collection[str]]) -> None:
    """Assert that no way along the arrows comes back; the message is the way."""
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " → ".join([*trail[trail.index(name) :], name])
        if name not in done:
            for target in sorted(arrows.get(name, ())):
                visit(target, (*trail, name))
            done.add(name)

    for name in sorted(arrows):
        visit(name, ())


def test_no_import_cycle() -> None:
    modules = {module_of(path): path for path in SOURCES}
    without_cycle({name: {m for m in run_by(name, path) if m in modules} for name, path in modules.items()})


@pytest.mark.parametrize("room", ROOMS)
def test_the_rooms_within_a_room_import_one_way(room: str) -> None:
    """`api.pages` imports `api.writing`, say, so nothing in `api.writing` imports a page."""
    arrows = arrows_within(room)
    assert len(arrows) > 5
    without_cycle(arrows)


def test_files_and_functions_stay_small() -> None:
    def long(path: Path) -> dict[str, int]:
        lines = lines_of(path)
        found = {
            node.name: node.end_lineno - node.lineno + 1
            for node in ast.walk(tree_of(path))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and node.end_lineno is not None
            and node.end_lineno - node.lineno + 1 > MAX_FUNCTION_LINES
        }
        return found | ({"the file": lines} if lines > MAX_FILE_LINES else {})

    assert against(long) == {}


NOT_MERGED = ("kb/redact",)
"""A room that still has short files with a single importer. Everywhere else such a file belongs into its importer."""
SETS = {"reader", "names"}, {"routes", "pages"}, {"kb.article.formats", "kb.article.formats.packed"}
"""The two parts of every runtime; one file for each resource, each page and each format that is read, all of them imported by one list."""


def test_a_short_module_has_more_than_one_importer() -> None:
    """Except the members of a set, so that all of them look alike."""

    def confetti(path: Path) -> list[int]:
        is_member = (path.parent.parent.name == "runtimes" and path.stem in SETS[0]) or path.parent.name in SETS[1]
        is_member |= (
            path.is_relative_to(ROOT / "kb/article/formats") and importers().get(module_of(path), set()) <= SETS[2]
        )
        lines = lines_of(path)
        return [lines] if lines < LEAST_LINES and not is_member and has_one_importer(path) else []

    merged = [path for path in SOURCES if not any(path.is_relative_to(ROOT / room) for room in NOT_MERGED)]
    assert len(merged) > 400
    assert f"under {LEAST_LINES} lines" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert against(confetti, merged) == {}, (
        f"put it into its importer: a module has {LEAST_LINES} lines or two importers"
    )


def test_every_command_is_documented() -> None:
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    unnamed = {name for name in project["entry-points"]["kb.commands"] if f"`kb {name}`" not in page}
    assert unnamed == set(), "run `make install`, then `pytest tests/api/test_cli_page.py --update-golden`"


def test_every_setting_is_documented() -> None:
    from api.settings import ServiceSettings

    documented = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    names = {f"KB_{name.upper()}" for name in ServiceSettings.model_fields}
    assert {name for name in names if f"`{name}`" not in documented} == set()


def test_every_route_is_documented() -> None:
    """Also each page: what GET reads outside of `/v1`."""
    from api.app import create_app
    from api.settings import ServiceSettings

    app = create_app(ServiceSettings())
    pages = {path.replace("{incident_id:path}", "{id}") for method, path in doors(app) if method == "GET"}
    pages = {path for path in pages if not path.startswith(("/v1/", "/static"))}
    documented = (ROOT / "docs/http.md").read_text(encoding="utf-8")
    paths = set(app.openapi()["paths"])
    assert paths >= {
        "/v1/search",
        "/v1/search/batch",
        "/v1/parse",
        "/v1/incidents/{incident_id}",
        "/healthz",
        "/readyz",
    }
    unnamed = {path for path in paths if f"`{path}`" not in documented and f" {path}`" not in documented}
    unnamed |= {path for path in pages if not re.search(rf"[` ]{re.escape(path)}`", documented)}
    assert unnamed == set(), "write its line into docs/http.md"


def test_the_top_level_names_are_ours_alone() -> None:
    owners = importlib.metadata.packages_distributions()
    assert {room: set(owners.get(room, ["dejastack"])) for room in ROOMS} == {room: {"dejastack"} for room in ROOMS}


def test_nothing_of_a_private_machine_is_named() -> None:
    """Hosts that everybody has are none: write-ups show what npm, pip and Docker print."""
    public = r"org(?![\w.])|npmjs\.org|yarnpkg\.com|example\."
    private = re.compile(rf"/{'work'}/|(?:https?|file)://(?:pypi|deb|registry)\.(?!{public})")
    assert all(private.search(f"https://{host}/simple") for host in ("pypi.corp.internal", "pypi.org.corp"))
    assert private.search("https://pypi.org/simple") is None
    named_in = [
        str(path.relative_to(ROOT))
        for path in written()
        if (path.suffix in {".py", ".md", ".toml", ".txt"} or path.name == "Makefile" or path.parent.name == ".ci")
        and private.search(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert named_in == []


def written() -> Iterator[Path]:
    """The files of the project, without what is built or installed."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = set(folders) - {".venv", ".kb", ".git", "golden"}
        yield from (Path(folder, file) for file in files)


def test_the_table_of_the_architecture_has_every_measured_row() -> None:
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    labels = [name for name, _ in rows()]
    assert len(labels) > 8
    assert [name for name in labels if f"| {name} |" not in page] == []
