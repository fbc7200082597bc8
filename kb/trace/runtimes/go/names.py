"""The lasting names of Go packages and functions: without versions, vendor folders, type arguments, wrapper counters."""

import re
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.model import Frame, RaisedException
from kb.trace.rules import names

_INSTALLED = lazy(r"[/\\](?:pkg[/\\]mod|vendor)[/\\]|^vendor[/\\]|@v\d{1,6}\.\d")
# e.g. /usr/lib/go-1.19/src/internal/poll/fd_poll_runtime.go
_STANDARD = lazy(
    r"[/\\](?:go|golang|go-?\d[\w.-]{0,40}|go[\w.-]{0,20}\.linux-amd64|goroot|GOROOT|libexec|toolchain@[\w.-]{1,60})[/\\]src[/\\](?:pkg[/\\])?(?P<package>[a-z][a-z0-9/\\]{0,200}?)[/\\][\w.-]{1,120}$"
)
_MODULE_CACHE = lazy(r"(?:[/\\]pkg[/\\]mod[/\\]|[/\\]vendor[/\\])(?P<path>[^\n]{1,600})$")
_IN_GOPATH = lazy(r"[/\\]src[/\\](?P<path>[\w-]{1,60}\.[\w.-]{1,60}[/\\][^\n]{1,500})$")
_VERSION = lazy(r"@v[\w.+-]{1,80}")
_SLASH_VERSION = lazy(r"\.(v\d{1,3})(?=\.)")
_WRAPPER = lazy(r"(?:\.(?:gowrap|deferwrap)\d{1,6}|[·.]dwrap[·.]\d{1,6})$")
# e.g. walk-range1
_CLOSURE = lazy(
    r"(?:\.func\d{1,6}(?:\.\d{1,6}){0,20}|(?<=\w)\.\d{1,6}(?=$|\.)|-range\d{1,6}|\.gowrap\d{1,6}|\.deferwrap\d{1,6}|-fm)"
)
_ESCAPES = lazy(r"(?:%(?!25)[0-9A-Fa-f]{2}){1,200}")  # a dot in the last part of an import path: yaml%2ev3
_ENDINGS = frozenset(
    {
        "c",
        "cc",
        "conf",
        "cpp",
        "css",
        "go",
        "h",
        "html",
        "java",
        "js",
        "json",
        "log",
        "lua",
        "md",
        "php",
        "py",
        "rb",
        "rs",
        "s",
        "sh",
        "so",
        "toml",
        "ts",
        "txt",
        "xml",
        "yaml",
        "yml",
    }
)
"""What makes ``a/b.c`` a file."""
_INIT = lazy(r"^init\.\d{1,6}")


def split_name(name: str) -> tuple[str | None, str]:
    """Package path and function: ``net/http.(*ServeMux).ServeHTTP`` → ``net/http``, ``(*ServeMux).ServeHTTP``."""
    bracket = name.find("[")
    head = name if bracket < 0 else name[:bracket]
    receiver = head.find("(")
    slash = (head if receiver < 0 else head[:receiver]).rfind("/")
    dot = name.find(".", slash + 1)
    if dot <= 0:
        return None, name
    # gopkg.in/yaml.v2.Unmarshal, as debuggers print it: the version belongs to the package
    version = _SLASH_VERSION.match(name, dot)
    if slash > 0 and version is not None:
        dot = version.end()
    return name[:dot], name[dot + 1 :]


@lru_cache(maxsize=8_192)
def rank_of(module: str | None, function: str) -> int:
    """0 the application, 1 a package of others, 2 the standard library; by the bundled lists."""
    key = f"{_package(module)}.{function}" if module else function
    if key in names("go_platform"):
        return 2
    return 1 if key in names("go_framework") else 0


def is_installed(filename: str | None) -> bool:
    """Whether a file lies in the module cache, in a vendor folder or below the Go root."""
    return bool(filename) and (
        _INSTALLED.search(filename or "") is not None or _STANDARD.search(filename or "") is not None
    )


def package_of(filename: str, function: str) -> str | None:
    """Return the package that a file belongs to, as far as its path tells; for printers that leave the package out."""
    for pattern in (_MODULE_CACHE, _IN_GOPATH):
        found = pattern.search(filename)
        if found is not None:
            folder = found["path"].replace("\\", "/").rpartition("/")[0]
            return _VERSION.sub("", folder.rpartition("/vendor/")[2] or folder) or None
    standard = _STANDARD.search(filename)
    if standard is not None:
        return standard["package"].replace("\\", "/")
    folders = filename.replace("\\", "/").split("/")
    return folders[-2] if len(folders) > 2 and folders[-2] and not function.startswith("main.") else None


def _plain(found: re.Match[str]) -> str:
    return bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace")


def _package(path: str | None) -> str:
    """Return the import path without the folder it is vendored in and without escapes."""
    lasting = _ESCAPES.sub(_plain, path or "")
    at = lasting.rfind("vendor/")
    if at == 0 or (at > 0 and lasting[at - 1] == "/"):
        lasting = lasting[at + 7 :]
    return _VERSION.sub("", lasting) if "@v" in lasting else lasting


def _function(name: str) -> str:
    """Return the function without type arguments and method-value marks; package-level closures under one spelling."""
    if "[" in name:
        kept, depth = [], 0
        for char in name:
            if char == "[":
                depth += 1
            elif char == "]" and depth:
                depth -= 1
            elif not depth:
                kept.append(char)
        name = "".join(kept)
    while name.endswith("-fm"):
        name = name[:-3]
    if name.startswith("glob..func"):  # since Go 1.21 init.func1
        name = "init." + name[6:]
    return name


def normal_frame(frame: Frame) -> Frame:
    """Return the frame under package and function, with the file's base name."""
    module = _package(frame.module) or None
    function = _function(frame.function or "") or None
    filename = (frame.filename or "").replace("\\", "/").rpartition("/")[2] or None
    is_own = frame.in_app and rank_of(module, function or "") == 0
    return Frame(function=function, module=module, filename=filename, in_app=is_own)


def is_machinery(frame: Frame) -> bool:
    """Return what the runtime hides or shows as GOTRACEBACK says: its unexported functions; panics, wrappers, test runners."""
    function = frame.function or ""
    if frame.module == "runtime" and not function[:1].isupper():
        return True
    if _WRAPPER.search(function):
        return True
    plain = function.replace("(*", "").replace(")", "")
    return (f"{frame.module}.{plain}" if frame.module else plain) in names("go_machinery")


def rank(frame: Frame) -> int:
    """0 the application, 1 a package of others, 2 the standard library."""
    return 0 if frame.in_app else max(1, rank_of(frame.module, frame.function or ""))


def loose_key(frame: Frame) -> str:
    """Package and function without the counters of closures, and whether the receiver is a pointer."""
    function = _CLOSURE.sub("", frame.function or "")
    function = _INIT.sub("init", function).replace("(*", "").replace(")", "")
    return f"{frame.module}.{function}" if frame.module else function


# e.g. `Previous write at <hex> by goroutine <int>`
_ACCESS = lazy(r"^(?P<what>[A-Z][a-z]{2,10}(?: [a-z]{3,10}){0,3}) at <hex> by (?:main goroutine|goroutine <int>)$")


def normal_message(exception: RaisedException) -> str | None:
    """Of a race's access only what it was: whose goroutine came first is chance."""
    message = exception.message
    found = _ACCESS.match(message) if message is not None and exception.type == "DATA RACE" else None
    return found["what"] if found is not None else message


def normal_type(name: str) -> str:
    """``panic`` and ``fatal error`` last as they are."""
    return name


def function_name(raw: str) -> str | None:
    """Return the lasting name of a Go function printed alone; None unless a package path or a receiver betrays one."""
    name = raw.strip()
    opens = name.rfind("(")
    if name.endswith(")") and opens > 0 and not name.startswith("(*", opens) and name[opens - 1] != ".":
        name = name[:opens]
    if len(name) > 600 or any(char.isspace() for char in name) or "::" in name or "$" in name:
        return None
    module, function = split_name(name)
    has_path = module is not None and "/" in module and not module.startswith(("/", ".", "@")) and "." in name
    if function in _ENDINGS or (not has_path and ".(*" not in name and not re.search(r"\.func\d", name)):
        return None
    if module is None or not re.fullmatch(r"[\w.~%@+/-]{1,400}", module):
        return None
    return f"{_package(module)}.{_function(function)}"
