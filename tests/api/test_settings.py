"""Settings come from KB_*, are listed whole, and say what is wrong with a bad one."""

import ast
import json
from collections.abc import Iterator, Mapping
from functools import cache

import pytest
from pydantic import Field

from api.chat.settings import ChatSettings, settings_classes
from api.commands.settings import listing
from api.hooks.settings import HookSettings
from api.settings import ServiceSettings, masked, variable
from index.settings import HomeSettings
from kb.errors import SettingsError
from tests.structure import SOURCES, tree_of


def test_every_setting_is_listed_with_its_meaning() -> None:
    rows = {row["name"]: row for row in listing(ServiceSettings())}
    assert {"KB_HOME", "KB_MODEL", "KB_HOST", "KB_PORT", "KB_WORKERS", "KB_URL", "KB_MAX_BODY_BYTES"} <= set(rows)
    assert set(rows) == {variable(name) for name in ServiceSettings.model_fields}
    assert [name for name, row in rows.items() if not row["help"]] == []


EVERY = [HomeSettings, ServiceSettings, ChatSettings, *settings_classes(), HookSettings]
BY_NAME = {kind.__name__: kind for kind in EVERY}
Owners = frozenset[type[HomeSettings]]
"""The classes that something may be of."""
NONE: Owners = frozenset()
SCOPES = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
Scope = Mapping[str, Owners]


def classes_in(node: ast.AST | None) -> Owners:
    """Return the settings classes that an annotation or a call names: `HookSettings | None`, `loaded(HookSettings)`."""
    names = (one.id for one in ast.walk(node) if isinstance(one, ast.Name)) if node else ()
    return frozenset(BY_NAME[name] for name in names if name in BY_NAME)


@cache
def fields() -> Mapping[str, Owners]:
    """Return the settings that fields of our classes hold, by name: `settings: ServiceSettings` below a class."""
    found: dict[str, Owners] = {}
    for node in (one for path in SOURCES for one in ast.walk(tree_of(path)) if isinstance(one, ast.ClassDef)):
        for field in node.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                found[field.target.id] = found.get(field.target.id, NONE) | classes_in(field.annotation)
    return found


def owners(value: ast.expr, scope: Scope) -> Owners:
    """Return of which settings classes a value may be: a name, what a call returns, a field, `app.state.settings`."""
    match value:
        case ast.Name(name):
            return scope.get(name, NONE)
        case ast.Call(ast.Attribute(kind, "load" | "read")) | ast.Call(ast.Name("loaded"), [kind]):
            return classes_in(kind) if isinstance(kind, ast.Name) else NONE
        case ast.Attribute(ast.Attribute(attr="state"), "settings"):
            return frozenset({ServiceSettings})
        case ast.Attribute(_, name):
            return fields().get(name, NONE)
    return NONE


def within(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in a scope, without what stands in the scopes below it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, SCOPES):
            yield from within(child)


def scope_of(node: ast.AST, outer: Scope) -> Scope:
    """Return what the names in a class, a function or a module are, of those that are settings."""
    scope = dict(outer)
    if isinstance(node, ast.ClassDef) and node.name in BY_NAME:
        scope["self"] = frozenset({BY_NAME[node.name]})
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        scope |= {one.arg: classes_in(one.annotation) for one in every if one.arg != "self"}
    for one in within(node):
        match one:
            case ast.AnnAssign(ast.Name(name), annotation):
                scope[name] = classes_in(annotation)
            case ast.Assign([ast.Name(name)], value):
                scope[name] = owners(value, scope)
            case ast.Assign([ast.Tuple(names)], ast.Tuple(values)):
                pairs = zip(names, values, strict=True)
                scope |= {to.id: owners(value, scope) for to, value in pairs if isinstance(to, ast.Name)}
    return scope


def reads(node: ast.AST, scope: Scope) -> Iterator[tuple[type[HomeSettings], str]]:
    """Yield each attribute that is read of a settings object, with the class of that object."""
    for child in ast.iter_child_nodes(node):
        yield from reads(child, scope_of(child, scope) if isinstance(child, SCOPES) else scope)
        if isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Load):
            yield from ((kind, child.attr) for kind in owners(child.value, scope))


@cache
def all_reads() -> frozenset[tuple[type[HomeSettings], str]]:
    return frozenset(one for path in SOURCES for one in reads(tree_of(path), scope_of(tree_of(path), {})))


def unread(kind: type[HomeSettings]) -> list[str]:
    """Return the settings that a class declares and nothing of ours reads of it, or of a class that inherits it."""
    read = {name for owner, name in all_reads() if issubclass(owner, kind)}
    return [name for name in kind.model_fields if name in kind.__annotations__ and name not in read]


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_every_setting_has_a_meaning_and_a_reader(kind: type[HomeSettings]) -> None:
    assert [name for name, field in kind.model_fields.items() if not field.description] == [], "give it a description"
    assert unread(kind) == [], "nobody reads it"


def test_an_attribute_of_another_object_reads_no_setting() -> None:
    """`limit`, `text` and `cause` are read of other objects all over the sources; `home` is one of the class above."""

    class Unused(ServiceSettings):
        limit: int = Field(1, description="Nothing reads it.")
        text: str = Field("", description="Nothing reads it.")
        cause: str = Field("", description="Nothing reads it.")

    attributes = {one.attr for path in SOURCES for one in ast.walk(tree_of(path)) if isinstance(one, ast.Attribute)}
    assert {"limit", "text", "cause"} <= attributes
    assert unread(Unused) == ["limit", "text", "cause"]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def f(settings: ServiceSettings) -> None:\n    return settings.port", {"port"}),
        ("def f(settings: object) -> None:\n    return settings.port", set()),
        ("class A:\n    def f(self):\n        return self.port", set()),
        ("port = ServiceSettings.load().port", {"port"}),
        ("def f():\n    settings, x = ServiceSettings.load(port=1), 2\n    return settings.port + x.host", {"port"}),
        ("def f(app):\n    return app.state.settings.port + app.state.port + app.host", {"port"}),
        ("def f(settings: ServiceSettings):\n    settings.port = 1", set()),
        ("def f(settings: ServiceSettings): ...\ndef g(settings):\n    return settings.port", set()),
    ],
)
def test_a_read_is_known_by_what_it_is_read_of(source: str, found: set[str]) -> None:
    tree = ast.parse(source)
    assert {name for kind, name in reads(tree, scope_of(tree, {})) if kind is ServiceSettings} - {"load"} == found


def test_the_environment_is_read_and_a_given_value_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_PORT", "7001")
    monkeypatch.setenv("KB_HOST", "::1")
    settings = ServiceSettings.load(port=7002, host=None)
    assert (settings.port, settings.host) == (7002, "::1")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KB_PORT", "99999"),
        ("KB_PORT", "http"),
        ("KB_WORKERS", "0"),
        ("KB_MAX_BODY_BYTES", "1GB"),
        ("KB_POLL_SECONDS", "0"),
    ],
)
def test_a_bad_value_is_named_with_the_cure(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as raised:
        ServiceSettings.load()
    assert name in raised.value.problem
    assert repr(value) in raised.value.problem
    assert "kb settings" in raised.value.cure


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("api_key", "sk-123", "********"),
        ("database_url", "postgresql://kb:hunter2@db/kb", "postgresql://********@db/kb"),
        (
            "database_url",
            "postgresql:///kb?user=kb&password=hunter2&host=db",
            "postgresql:///kb?user=kb&password=********&host=db",
        ),
        ("candidates", "milvus://ann:hunter2/a#b?c@host/x", "milvus://********@host/x"),
        ("url", "http://127.0.0.1:8420", "http://127.0.0.1:8420"),
        (
            "robot_webhook",
            "https://oapi.example/send?access_token=abc&x=1",
            "https://oapi.example/send?access_token=********&x=1",
        ),
        ("teams_tokens", (), ""),
        ("teams_tokens", ("abc",), "********"),
        ("workers", 2, 2),
        ("model", None, None),
    ],
)
def test_secrets_are_masked(name: str, value: object, expected: object) -> None:
    assert masked(name, value) == expected


def test_the_listing_is_json() -> None:
    assert json.loads(json.dumps(listing(ServiceSettings())))
