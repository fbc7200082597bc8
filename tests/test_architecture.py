"""The law of the house: which room may import which, how large a file may grow, what must be documented."""

import ast
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from tests.structure import (
    LEAST_LINES,
    MODULES,
    ROOMS,
    ROOT,
    SOURCES,
    arrows_within,
    doors,
    has_one_importer,
    importers,
    imports_of,
    lines_of,
    module_of,
    riddles_of,
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
    "io.BytesIO", "io.StringIO", "json", "math", "operator", "pathlib.PurePosixPath", "re", "tomllib", "typing", "unicodedata", "urllib.parse", "zipfile.ZipFile",
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


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def against(law: Callable[[Path], Collection[object]], sources: list[Path] = SOURCES) -> dict[str, Collection[object]]:
    """What stands against a law, by file. One test asks all files: a test for each would take five times as long."""
    return {named(path): found for path in sources if (found := law(path))}


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


def test_public_names_say_what_they_are() -> None:
    def bare(path: Path) -> list[str]:
        return [
            node.name
            for node in tree_of(path).body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and not node.name.startswith("_")
            and ast.get_docstring(node) is None
        ]

    assert against(bare) == {}


def _is_number(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Tuple | ast.List):
        return bool(value.elts) and all(map(_is_number, value.elts))
    if isinstance(value, ast.UnaryOp):
        return _is_number(value.operand)
    if isinstance(value, ast.BinOp):
        return _is_number(value.left) and _is_number(value.right)
    return isinstance(value, ast.Constant) and type(value.value) in {int, float}


def _numbers(body: Sequence[ast.stmt]) -> list[tuple[ast.Assign | ast.AnnAssign, ast.stmt | None]]:
    """What sets names to numbers, and what stands below each."""
    return [
        (one, behind)
        for one, behind in pairwise([*body, None])
        if isinstance(one, ast.Assign | ast.AnnAssign) and _is_number(one.value)
    ]


@pytest.mark.parametrize(
    "line",
    [
        *("X = 0.5", "X: float = 0.5", "X: Final = -3", "X = -0.5", "X = +1", "X, Y = 1.2, -0.3"),
        *("X = 1 << 20", "X = 1 / 3", "X = [1, 2]", "X: tuple[float, ...] = (0.5, -1)"),
    ],
)
def test_a_number_is_seen(line: str) -> None:
    assert len(_numbers(ast.parse(line).body)) == 1


@pytest.mark.parametrize("line", ["X: float", "X = True", "X = ()", "X = 'a'", "X = f(1)", "X = Y", "X: int = -Y"])
def test_what_is_no_number_is_none(line: str) -> None:
    assert _numbers(ast.parse(line).body) == []


def test_each_number_of_the_ranking_says_why() -> None:
    """Below it, also where nobody has measured it: then it says so."""

    def bare(path: Path) -> list[str]:
        return [
            ast.unparse(one)
            for one, behind in _numbers(tree_of(path).body)
            if not (isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant))
        ]

    ranking = [path for path in SOURCES if path.is_relative_to(ROOT / "index/ranking")]
    assert against(bare, ranking) == {}


BOUNDS = {
    *("DEEPEST", "PAIRS", "LOOKED_AT", "_LOOKED_AT", "WORDS", "MATCHES", "_CHAINS", "_CAUSE", "_CAUSES"),
    *("_MOST_IN_BLOCKS", "_MOST_GAPS", "_MOST_BLOCKS", "_WEIGHED"),
}
"""Numbers of the ranking that only bound what is looked at, kept or shown."""


def test_each_number_of_the_ranking_that_decides_stands_in_the_table() -> None:
    page = (ROOT / "docs/ranking.md").read_text(encoding="utf-8")
    table = page.partition("## Constants that decide a verdict")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(_?[A-Z][A-Z0-9_]*)`", table))
    ranking = [path for path in SOURCES if path.is_relative_to(ROOT / "index/ranking")]
    assigned = [one for path in ranking for one, _ in _numbers(tree_of(path).body)]
    targets = [to for one in assigned for to in (one.targets if isinstance(one, ast.Assign) else [one.target])]
    numbers = {node.id for to in targets for node in ast.walk(to) if isinstance(node, ast.Name)}
    assert numbers - BOUNDS - named == set(), "write it into the table of docs/ranking.md, or into BOUNDS here"
    assert BOUNDS - numbers == set()


def test_a_public_class_has_a_name_of_its_own() -> None:
    """One word, one meaning (docs/glossary.md). The client mirrors the wire, whose shapes are called as what they carry."""
    rooms: dict[str, list[str]] = defaultdict(list)
    for path in SOURCES:
        if not path.is_relative_to(ROOT / "kb/client"):
            for node in tree_of(path).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    rooms[node.name].append(module_of(path))
    assert len(rooms) > 400
    assert {name: modules for name, modules in rooms.items() if len(modules) > 1} == {}


_SETTERS = {"setattr", "delattr", "setitem", "delitem", "patch", "patch.object", "patch.dict", "patch.multiple"}
"""What sets something elsewhere, by the end of its name: of `monkeypatch`, of `unittest.mock`, and the built-in ones."""


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] in MAY_IMPORT


def _own_names(tree: ast.Module) -> dict[str, str]:
    """What a test calls our modules and what is in them, and where each is."""
    own: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and _is_ours(node.module or ""):
            own |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.Import):
            ours = [one for one in node.names if _is_ours(one.name)]
            own |= {one.asname: one.name for one in ours if one.asname}
            own |= {room: room for room in (one.name.partition(".")[0] for one in ours if not one.asname)}
    return own


def _loops(tree: ast.Module) -> dict[str, list[str]]:
    """By name, the texts that a loop gives it: what an f-string may begin with."""
    return {
        node.target.id: [str(one.value) for one in node.iter.elts if isinstance(one, ast.Constant)]
        for node in ast.walk(tree)
        if isinstance(node, ast.For)
        and isinstance(node.target, ast.Name)
        and isinstance(node.iter, ast.Tuple | ast.List)
    }


def _patches(path: Path) -> set[str]:
    """What a test sets in our modules and classes, by what it calls them."""
    tree = tree_of(path)
    own, loops = _own_names(tree), _loops(tree)

    def is_own(what: ast.expr) -> bool:
        if isinstance(what, ast.Constant):
            return _is_ours(str(what.value))
        if isinstance(what, ast.JoinedStr):
            first = what.values[0]
            name = first.value if isinstance(first, ast.FormattedValue) else first
            return any(map(_is_ours, loops.get(name.id, ()))) if isinstance(name, ast.Name) else is_own(name)
        names = {node.id for node in ast.walk(what) if isinstance(node, ast.Name)} - {"vars"}
        return bool(names) and names <= set(own)

    def is_set(target: ast.expr) -> bool:
        """``holdings.X = 1``, ``Holdings.MOST = 1``, ``index.holdings.x = 1``, and not a field of what a test made."""
        if not isinstance(target, ast.Attribute):
            return False
        first, dot, rest = ast.unparse(target.value).partition(".")
        is_module = f"{own.get(first)}{dot}{rest}" in MODULES
        return is_module or (target.attr.isupper() and is_own(target.value))

    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call)]
    ends = [(ast.unparse(one.func).split("."), one) for one in calls]
    setters = [one for end, one in ends if end[-1] in _SETTERS or ".".join(end[-2:]) in _SETTERS]
    assigned = [target for one in ast.walk(tree) if isinstance(one, ast.Assign) for target in one.targets]
    changed = [one.target for one in ast.walk(tree) if isinstance(one, ast.AugAssign | ast.AnnAssign)]
    removed = [target for one in ast.walk(tree) if isinstance(one, ast.Delete) for target in one.targets]
    patched = [ast.unparse(one.args[0]) for one in setters if one.args and is_own(one.args[0])]
    return {*patched, *(ast.unparse(one) for one in (*assigned, *changed, *removed) if is_set(one))}


PATCHED = {"tests/ingest/test_faults.py": {"f'{place}.datetime'"}}
"""The clock of a whole run: four modules ask for the time of day, and no date a test could wait for is fifty years away."""


def test_no_test_patches_our_code() -> None:
    """Limits are arguments, and clocks are handed in."""
    tests = [path for path in (ROOT / "tests").rglob("*.py") if "quality" not in path.parts]
    assert against(_patches, tests) == PATCHED


@pytest.mark.parametrize(
    "code",
    [
        *("import index.holdings\nmonkeypatch.setattr(index.holdings, 'X', 1)", "import index.holdings as h\nh.x = 1"),
        *("from index import holdings\nholdings.x = 1", "from index import holdings\nholdings.x += 1"),
        *("import index.holdings\nindex.holdings.x = 1", "mock.patch('index.holdings.X')", "@patch('index.holdings.X')\ndef f(): ..."),
        *("from index import holdings\nmock.patch.object(holdings, 'x')", "from index import holdings\ndel holdings.x"),
        *("from index import holdings\nmonkeypatch.setitem(vars(holdings), 'x', 1)", "patch.dict('index.holdings.X', a=1)"),
        *("from index import holdings\nmonkeypatch.delattr(holdings, 'x')", "monkeypatch.delattr('index.holdings.x')"),
        *("monkeypatch.setattr(f'index.{name}.x', 1)", "for p in ('index.a', 'b'):\n    clock.setattr(f'{p}.x', 1)"),
        *("from index.holdings import Holdings\nHoldings.MOST = 1", "from index import holdings\nsetattr(holdings, 'x', 1)"),
    ],
)  # fmt: skip
def test_a_patch_of_our_code_is_seen(code: str, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(code, encoding="utf-8")
    assert len(_patches(tmp_path / "test_it.py")) == 1


@pytest.mark.parametrize(
    "code",
    [
        *("monkeypatch.setattr(sys, 'argv', [])", "monkeypatch.setitem(sys.modules, 'pypdf', None)"),
        *("mock.patch('socket.socket')", "from index import Engine\nengine = Engine()\nengine.x = 1"),
    ],
)
def test_another_s_code_may_be_patched(code: str, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(code, encoding="utf-8")
    assert _patches(tmp_path / "test_it.py") == set()


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
    """Also each page: what is asked with GET outside of `/v1`."""
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


@pytest.mark.parametrize("room", ROOMS)
def test_a_name_is_what_a_thing_is(room: str) -> None:
    """docs/glossary.md has the words: a message, a question, a span that is used; not what was told, said, asked or taken."""
    found = {module_of(path): riddles_of(path) for path in SOURCES if path.is_relative_to(ROOT / room)}
    assert {module: names for module, names in found.items() if names} == {}
