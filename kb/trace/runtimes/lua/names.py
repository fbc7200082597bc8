"""The lasting names of Lua chunks and functions: without where they are installed, and however a version names them."""

import re
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.model import Frame, RaisedException
from kb.trace.rules import names

# e.g. /usr/share/lua/5.1/resty/http.lua
_INSTALLED = lazy(
    r"^.{0,600}?[/\\](?:share[/\\]luajit?-?[\d.\w-]{0,20}|share[/\\]lua|share[/\\]nvim[/\\]runtime[/\\]lua|lib[/\\]luarocks[/\\]rocks[\w.-]{0,12}|lualib|luarocks[/\\]share[/\\]lua|lua_modules[/\\]share[/\\]lua)(?:[/\\]5\.\d)?[/\\](?P<path>[^\n]{1,400})$"
)
_SOURCES = lazy(r"^.{0,600}/(?:lua|src|scripts?)/(?P<path>[^\n]{1,400})$")
_EXTENSION = lazy(r"\.(?:lua|luac|moon|fnl|tl|wlua)$")
_STRING = lazy(r"^\[(?P<kind>string|love) ?\"(?P<name>[^\n]{0,200})\"\]$")
_FILE = lazy(r"^[\w@./\\ -]{1,200}$")
_SHARED = frozenset(
    {
        "init",
        "main",
        "util",
        "utils",
        "core",
        "base",
        "common",
        "handler",
        "schema",
        "config",
        "index",
        "api",
        "app",
        "conf",
    }
)
_PHASE = lazy(r"^=?(?P<name>[a-z_]{3,30}_by_lua)(?:_block|_file)?\(")
_BUILT_IN = lazy(r"^\[(?:builtin[^\]]{0,40}|C)\]$")


@lru_cache(maxsize=8_192)
def place(chunk: str | None) -> tuple[str | None, int]:
    """Return the module a chunk is, and its rank: 0 the application, 1 installed for all, 2 the interpreter."""
    if not chunk or chunk in ("?", "=?"):
        return None, 2
    if _BUILT_IN.match(chunk):
        return "[C]", 2
    phase = _PHASE.match(chunk)  # the line of the server's settings is not its identity
    if phase is not None:
        return phase["name"], 0
    quoted = _STRING.match(chunk)
    if quoted is not None:
        name = quoted["name"].strip().removesuffix("...").strip()
        is_file = _FILE.match(name) is not None and ("." in name or "/" in name) and " " not in name
        return (_module(name) if is_file else "[string]"), 1 if quoted["kind"] == "love" else 0
    installed = _INSTALLED.match(chunk)
    if installed is not None:
        return _dotted(installed["path"]), 1
    return _module(chunk), 0


def is_installed(chunk: str) -> bool:
    """Whether a chunk is no file of the application."""
    return place(chunk)[1] > 0


def _module(path: str) -> str:
    """Return a relative path whole; of an absolute one what is below a folder of sources, else the file's own name.

    Long names are cut in front, so what folders was before is not sure.
    """
    plain = path.replace("\\", "/").removeprefix("./")
    below = _SOURCES.match(plain)
    if below is not None:
        return _dotted(below["path"])
    parts = [part for part in plain.split("/") if part not in ("", ".", "..")]
    if not parts:
        return path
    if not plain.startswith(("/", "...")) and plain[1:2] != ":" and len(parts) <= 6:
        return _dotted("/".join(parts))
    is_shared = _EXTENSION.sub("", parts[-1]) in _SHARED and len(parts) > 1 and not parts[-2].startswith("...")
    return _dotted("/".join(parts[-2:] if is_shared else parts[-1:]))


def _dotted(path: str) -> str:
    return _EXTENSION.sub("", path.replace("\\", "/")).replace("/", ".")


def _function(name: str | None) -> str | None:
    """Return the function's own name: 5.1 says ``rep`` where 5.4 says ``string.rep``; a function without name lost its line."""
    if not name:
        return None
    if name.startswith("<"):
        return "<anonymous>"
    return re.split(r"[.:]", name)[-1] or name


def normal_frame(frame: Frame) -> Frame:
    """Return the frame under module and function."""
    if not frame.raw and frame.module is not None:  # normalised already: the path is gone
        return frame
    module, rank_ = place(frame.filename)
    function = _function(frame.function)
    if module == "[C]" and function is None:
        function = "?"
    return Frame(function, module or frame.module, _file(frame.filename), in_app=rank_ == 0 and frame.in_app)


def _file(chunk: str | None) -> str | None:
    if chunk is None or _BUILT_IN.match(chunk) or _STRING.match(chunk):
        return None
    return chunk.replace("\\", "/").rpartition("/")[2]


def is_machinery(frame: Frame) -> bool:
    """How an error is raised, caught and looked up, and what calls the first chunk."""
    if frame.module == "[C]" and frame.function == "?":  # what called the first chunk
        return True
    module = "C" if frame.module == "[C]" else frame.module
    return f"{module}.{frame.function}" in names("lua_machinery")


def rank(frame: Frame) -> int:
    """0 the application, 1 what is installed for all, 2 functions of C."""
    if frame.in_app:
        return 0
    return 2 if frame.module in ("[C]", None) else 1


def loose_key(frame: Frame) -> str:
    """Module and function."""
    return f"{frame.module}.{frame.function}" if frame.function else str(frame.module)


# e.g. attempt to call field 'setup' (a nil value)
_OLD_WORDS = lazy(
    r"(?P<act>attempt to [a-z ]{2,40}?) (?P<kind>local|global|field|upvalue|method|constant) (?P<name>'[^'\n]{0,200}'|<quoted>) \((?P<what>an? [a-z]{2,20} value)\)"
)


def normal_message(exception: RaisedException) -> str | None:
    """Return the interpreter's words as 5.3 and later have them: ``attempt to index a nil value (field 'x')``."""
    message = exception.message
    if message is None or "attempt to " not in message:
        return message
    return _OLD_WORDS.sub(lambda found: f"{found['act']} {found['what']} ({found['kind']} {found['name']})", message)


def normal_type(name: str) -> str:
    """Lua's errors have no type."""
    return name


def function_name(raw: str) -> str | None:  # noqa: ARG001
    """None: a Lua function printed alone looks like any name."""
    return None
