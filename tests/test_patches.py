"""No test patches our own code: limits are arguments, and clocks are handed in."""

import ast
from pathlib import Path

import pytest

from tests.structure import MODULES, ROOMS, ROOT, against, tree_of

_SETTERS = {"setattr", "delattr", "setitem", "delitem", "patch", "patch.object", "patch.dict", "patch.multiple"}
"""What sets something elsewhere, by the end of its name: of `monkeypatch`, of `unittest.mock`, and the built-in ones."""


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] in ROOMS


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
