"""What stands in several places: each test lists the places of one kind, and its failure names the one that was forgotten.

Run it last after a recipe of CONTRIBUTING.md.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache, partial
from importlib import import_module
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from api.app import create_app
from api.chat.settings import platform_names
from api.settings import ServiceSettings
from ingest.sources.formats import DocumentFormat, format_of
from ingest.sources.recognise import HEAD, Shape, recognise
from kb.article.formats.packed import LIBRARIES
from kb.trace.runtimes import RUNTIMES
from tests.api.chat.test_replays import SIGNED
from tests.api.chat.told import KINDS
from tests.browser.places import ELSEWHERE, PLACES
from tests.kb.article.test_formats import document_of
from tests.kb.trace.places import KNOWN_ENDINGS, forgotten, functions_forgotten
from tests.structure import ROOT, SOURCES, doors, files_run, importers, imports_of, missing, module_of, text_of

PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
GOLDEN = ROOT / "tests/golden"
NO_PAGES = {"/healthz", "/readyz", "/metrics", "/openapi.json"}
"""What programs ask for."""


def modules_with(variable: str, maker: str, *rooms: str) -> set[str]:
    """Return the modules that set a variable at their top to what a class makes: ``router = APIRouter(…)``."""
    line = re.compile(rf"^{variable} = (?:\w+\.)?{maker}\(", re.MULTILINE)
    sources = [path for path in SOURCES if any(path.is_relative_to(ROOT / room) for room in rooms)]
    return {module_of(path) for path in sources if line.search(path.read_text(encoding="utf-8"))}


def test_commands() -> None:
    lines = PROJECT["entry-points"]["kb.commands"].values()
    commands = {f"{module}:app" for module in modules_with("app", "Typer", "api/commands", "ingest")}
    assert commands - set(lines) == set(), 'write its line under [project.entry-points."kb.commands"] of pyproject.toml'
    assert set(lines) - commands == set(), "pyproject.toml names a command that is not there"


@cache
def text_of_tests() -> str:
    """Return the text of all tests, one behind the other."""
    return "\0".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))


@cache
def called() -> set[str]:
    """Return the commands that tests call as ``kb("name", …)``, and the subcommands as ``kb("name", "sub", …)``."""
    calls = re.findall(r'\bkb\w*\(\s*"([\w-]+)"(?:,\s*"([\w-]+)")?', text_of_tests())
    return {name for name, _ in calls} | {f"{name} {sub}" for name, sub in calls}


@pytest.mark.parametrize(("name", "place"), PROJECT["entry-points"]["kb.commands"].items())
def test_a_command_is_called_by_a_test(name: str, place: str) -> None:
    """And each subcommand; what a test calls that imports a command's module, or binds its name, is of this command alone."""
    room, _, module = place.removesuffix(":app").rpartition(".")
    imported = rf"^\s*from {room}(?:\.{module} import|(?= import .*\b{module}\b))"
    own = re.compile(rf'{imported}|\bany_kb\("{name}", \*', re.MULTILINE)
    own_tests = "\0".join(text for text in text_of_tests().split("\0") if own.search(text))
    assert own_tests or name in called(), f"call it in a test, as tests/api/test_command_{name}.py"
    of_page = re.findall(rf"^### `kb {name} ([\w-]+)`", text_of("docs/cli.md"), re.MULTILINE)
    subs = [sub for sub in of_page if f"{name} {sub}" not in called() and not re.search(rf'[(\[]"{sub}"', own_tests)]
    assert subs == [], f'call it in the test of its command: kb("{name}", "{subs[0]}", …)'


def test_entry_points_are_installed() -> None:
    installed = {(one.group, one.name, one.value) for one in distribution("dejastack").entry_points}
    groups = PROJECT["entry-points"] | {"console_scripts": PROJECT["scripts"]}
    written = {(group, name, value) for group, those in groups.items() for name, value in those.items()}
    assert installed == written, "run `make install`: pyproject.toml has changed since"


def test_pages_and_routes() -> None:
    def within(routes: list[Any]) -> Iterator[int]:
        for route in routes:
            if (router := getattr(route, "original_router", None)) is not None:
                yield id(router)
                yield from within(router.routes)

    app: FastAPI = create_app(ServiceSettings())
    included = set(within(app.routes))
    modules = sorted(modules_with("router", "APIRouter", "api"))
    assert len(modules) > 30
    left_out = [module for module in modules if id(import_module(module).router) not in included]
    assert left_out == [], "name it in api/pages/__init__.py (twice) or in ROOMS of api/app.py"


def test_browsers_look_at_every_page() -> None:
    """Of another page the test that looks at it names it; what leads elsewhere shows nothing."""
    found = {path for method, path in doors(create_app(ServiceSettings())) if method == "GET"}
    pages = {path for path in found if not path.startswith(("/v1/", "/static")) and path not in NO_PAGES}
    assert pages - PLACES.keys() - ELSEWHERE.keys() == set(), "write where to look at it into tests/browser/places.py"
    assert PLACES.keys() | ELSEWHERE.keys() == pages, "tests/browser/places.py has a page that is no more"
    templates = [path.read_text(encoding="utf-8") for path in (ROOT / "api/templates").iterdir()]
    tests = [path.read_text(encoding="utf-8") for path in (ROOT / "tests/api").rglob("test_*.py")]
    own = [page for page in PLACES if "{" not in page]
    linked = {page: re.compile(rf"""href="{page}[?"#]|action="{page}[?"]""") for page in own}
    assert [page for page in own if not any(map(linked[page].search, templates))] == [], "no template links to it"
    fetched = {page: re.compile(rf"""get\(\s*f?"{page}["?]""") for page in own}
    assert [page for page in own if not any(map(fetched[page].search, tests))] == [], "ask for it in tests/api/pages"
    for page, test in ELSEWHERE.items():
        assert not test.startswith("tests/") or f"{page.partition('{')[0]}" in text_of(test), f"{test} asks no {page}"


def test_runtimes() -> None:
    folders = {path.parent.name for path in (ROOT / "kb/trace/runtimes").glob("*/__init__.py")}
    assert folders == {runtime.name for runtime in RUNTIMES}, (
        "write its import and its place in RUNTIMES in kb/trace/runtimes/__init__.py"
    )
    complaints = functions_forgotten()
    assert complaints == [], "\n".join(complaints)


def test_no_ending_is_exempt_that_is_known() -> None:
    known = [(place, one) for place, (knows, exempt) in KNOWN_ENDINGS.items() for one in exempt if knows(one)]
    assert known == [], (
        "take it out of KNOWN_ENDINGS if you wrote the ending into that place; "
        "if not, one of your `frame_marks` is too wide: it matches lines that are no frames"
    )


@pytest.mark.parametrize("name", [runtime.name for runtime in RUNTIMES])
def test_places_of_a_runtime(name: str) -> None:
    complaints = forgotten(name)
    assert complaints == [], "\n".join(complaints)


NUMBERS = {14: ("fourteen", "十四"), 15: ("fifteen", "十五"), 16: ("sixteen", "十六"), 17: ("seventeen", "十七")}


def test_the_readmes_count_the_runtimes() -> None:
    english, chinese = NUMBERS[len(RUNTIMES)]
    phrases = {"README.md": f"in {english} runtimes", "README.zh.md": f"{chinese}种运行时"}
    complaints = [f"{page}: write {phrase!r}" for page, phrase in phrases.items() if phrase not in text_of(page)]
    assert complaints == [], "\n".join(complaints)


PUBLISHED = {"slack", "feishu", "dingtalk", "wecom", "teams"}
"""Whose signed call is published; it lies beside the checkout. That of another is a `vector.json` of its own."""


def asks_service(name: str) -> bool:
    """Return whether a test of chats asks a real service as this platform."""
    tests = (path.read_text(encoding="utf-8") for path in (ROOT / "tests/api/chat").rglob("test_*.py"))
    return any("serving(" in text and f"KB_{name.upper()}_" in text for text in tests)


@pytest.mark.parametrize("name", platform_names())
def test_places_of_a_chat_platform(name: str) -> None:
    complaints = missing(
        *(f"api/chat/{name}/{file}" for file in ("card.py", "setup.en.md", "setup.zh.md", "README.md")),
        *(f"tests/golden/chat/{name}/{verdict}.{lang}.json" for verdict, lang in KINDS),
        f"tests/api/chat/{name}/test_*.py",
        *([] if name in PUBLISHED else [f"tests/api/chat/{name}/vector.json"]),
    )
    if name not in SIGNED:
        complaints.append("tests/api/chat/test_replays.py: write its row in SIGNED")
    line = re.compile(rf"`kb chat setup \w+`.*{name}|`kb chat setup {name}`")
    complaints += [
        f"{page}: name it beside `kb chat setup`"
        for page in ("README.md", "README.zh.md")
        if not line.search(text_of(page))
    ]
    if name not in text_of("api/chat/README.md").lower():
        complaints.append("api/chat/README.md: name it")
    if not asks_service(name):
        complaints.append("tests/api/chat: no test asks a real service (`serving`) as this platform")
    package = import_module(f"api.chat.{name}")
    if package.make(package.SETTINGS()) is not None:
        complaints.append(f"api/chat/{name}/__init__.py: `make` gives None where nothing is set")
    assert complaints == [], "\n".join(complaints)


FORMATS = ROOT / "kb/article/formats"
"""Formats are what these two import of their folder; its other modules help them."""
READERS = {
    name: ROOT / f"{name.replace('.', '/')}.py"
    for door in ("__init__.py", "packed.py")
    for one in imports_of(FORMATS / door)
    if (name := ".".join(one.split(".")[:4])).startswith("kb.article.formats.") and name != "kb.article.formats.packed"
}
NAMED = {
    "asciidoc": "AsciiDoc",
    "flavours": "Markdown",
    "linewise": "",
    "mainbody": "",
    "markdown": "Markdown",
    "notebook": "otebook",
    "pageblocks": "",
    "pdf": "PDF",
    "plaintext": "",
    "rows": "",
    "rst": "reStructuredText",
    "webpage": "HTML",
    "word": "Word",
}
"""What both READMEs call what a module of formats reads; nothing where it is part of another."""
DOCUMENTS = sorted(path for path in (GOLDEN / "formats").iterdir() if path.suffix != ".blocks")


def test_document_formats() -> None:
    """Each has a golden file that its module reads, and its row in the table of readers."""
    seen = set[Path]()
    for path in sorted(DOCUMENTS, key=lambda path: path.stat().st_size):
        if not seen.issuperset(READERS.values()):
            seen |= files_run("kb/article/formats", partial(document_of, path))
    assert len(READERS) > 7
    unread = {name for name, path in READERS.items() if path not in seen}
    assert unread == set(), "write a file that it reads into tests/golden/formats"
    unused = {name for path in FORMATS.glob("*.py") if (name := module_of(path)) not in importers()}
    assert unused == set(), "write its row in MARKUPS of kb/article/formats/__init__.py or FORMATS of packed.py"
    table = text_of("kb/README.md").partition("| in `formats/` | reads |")[2]
    assert [name for name in READERS if f"`{name.rpartition('.')[2]}`" not in table] == [], (
        "write its row in kb/README.md"
    )


def test_the_readmes_name_the_formats() -> None:
    names = {name.rpartition(".")[2] for name in READERS}
    assert names - NAMED.keys() == set(), "write here, in README.md and in README.zh.md what it reads"
    lines = [text_of(page).partition("`kb ingest DIR`")[2].partition("\n")[0] for page in ("README.md", "README.zh.md")]
    unnamed = [name for name in names if any(NAMED[name] not in line for line in lines)]
    assert unnamed == [], "write it into README.md and README.zh.md, behind `kb ingest DIR`"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_are_taken_in(path: Path) -> None:
    """`kb ingest` opens them by their names, as one document each."""
    assert format_of(path.name, DocumentFormat.AUTO) is not None, f"{path.suffix} stands in _NO_DOCUMENT of ingest"
    shape = recognise(path.read_bytes()[:HEAD], path.name, DocumentFormat.AUTO)
    assert shape in {Shape.DOCUMENT, Shape.PAGE}, f"ingest/sources/recognise.py takes it for {shape.value}"


def test_libraries_of_documents() -> None:
    def names(lines: list[str]) -> set[str]:
        return {re.split(r"[\[<>=!~]", line)[0] for line in lines}

    extra = names(PROJECT["optional-dependencies"]["documents"])
    assert extra == set(LIBRARIES), (
        "FORMATS of kb/article/formats/packed.py and the extra `documents` of pyproject.toml"
    )
    assert extra <= names(PYPROJECT["dependency-groups"]["dev"]), "the group `dev` of pyproject.toml: tests read them"


def test_exports() -> None:
    """Each shape with many records has a golden export."""
    one_or_packed = {"document", "page", "none", "gzip", "zstd", "bzip2", "xz", "zip", "tar", "lines"}
    files = [path for path in (GOLDEN / "exports").iterdir() if not path.name.endswith(".read.json")]
    read = {recognise(path.read_bytes()[:HEAD], path.name, DocumentFormat.AUTO) for path in files}
    assert set(Shape) - read == set(map(Shape, one_or_packed)), "write one into tests/golden/exports"


def test_modules_of_redaction() -> None:
    """Whoever looks for the place of a rule finds it in the table of CONTRIBUTING.md."""
    table = text_of("CONTRIBUTING.md").partition("| found in | module of `kb/redact/` |")[2].partition("\n\n")[0]
    asked = {name.split(".")[2] for name in imports_of(ROOT / "kb/redact/kinds.py") if name.startswith("kb.redact.")}
    assert {f"{name}.py" for name in asked - {"words"}} - set(re.findall(r"`(\w+\.py)`", table)) == set()
