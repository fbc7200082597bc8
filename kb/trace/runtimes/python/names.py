"""The lasting names of Python modules and functions: without where the interpreter or the program is installed."""

from dataclasses import replace

from kb.patterns import lazy
from kb.trace.model import Frame, RaisedException
from kb.trace.rules import names

# What is before the importable path: .../lib/python3.9/site-packages/, ...\Lib\site-packages\, .../pyspark.zip/
_INSTALLED = lazy(
    r"^.{0,800}[/\\](?:site-packages|dist-packages|[\w.-]{1,80}\.(?:zip|egg|whl|pyz))[/\\](?:[\w.-]{1,80}\.egg[/\\])?(?P<path>[^\n]+)$"
)
# e.g. /usr/lib/python3.12/threading.py
_STANDARD = lazy(
    r"^(?:.{0,800}[/\\])?(?:[Ll]ib(?:64)?[/\\]python\d(?:\.\d{1,2})?t?|[Pp]ython\d{0,4}[\w.-]{0,20}[/\\][Ll]ib|Frameworks[/\\].{0,200}[/\\]lib)[/\\](?P<path>[^\n]+)$"
)
_FROZEN = lazy(r"^<frozen (?P<name>[\w.]{1,120})>$")
# e.g. <string>
_CELL = lazy(
    r"^(?:<(?:ipython-input|command|stdin|string|console|input|doctest)[^>]{0,200}>|.{0,200}[/\\]ipykernel_\d+[/\\]\d+\.py|Cell In ?\[\d+\])$"
)
# What generates code numbers its files: attrs, decorator, SymPy, torch.fx
_GENERATED = lazy(r"^(<[^<>\n]{1,200}?)(?:[-. #]\d{1,9})*+(>)(?:[. ][\w ]{0,40})?$")
_COUNTER = lazy(r"(?<=[A-Za-z])_\d{1,6}$")
_EXTENSION = lazy(r"\.(?:pyc?|pyx|pxd|pxi|so|pyw)$")
_COMPILED = (".pyx", ".pxd", ".pxi")
# e.g. NameError: name 'sys' is not defined. Did you forget to import 'sys'?
_SUGGESTION = lazy(r"(?:\. |; )?(?:Did you mean|Did you forget to import|did you mean)[^\n]{0,300}\?$")
_MEMBERS = lazy(r" \((?:<int>|\d{1,9}) sub-exceptions?\)$")
_QUALIFIED_CALL = lazy(r"^(?:[\w<>]{1,80}\.){1,12}+(?=\w{1,80}\(\) (?:missing|got|takes) )")
_INLINED = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>"})
"""Comprehensions have had no frame of their own since Python 3.12 (PEP 709)."""
_SHARED_NAMES = frozenset(
    {"__init__", "__main__", "main", "utils", "base", "core", "app", "models", "views", "index", "run"}
)


def place(filename: str | None) -> tuple[str | None, str | None, int]:
    """Module, lasting file name and rank (0 application, 1 package, 2 standard library) of a file."""
    if not filename:
        return None, None, 0
    frozen = _FROZEN.match(filename)
    if frozen is not None:
        return frozen["name"], f"<frozen {frozen['name']}>", 2
    if _CELL.match(filename):
        return "<cell>", "<cell>", 0
    generated = _GENERATED.match(filename)
    if generated is not None:
        filename = generated[1] + generated[2]
        return filename, filename, 0
    installed = _INSTALLED.match(filename)
    standard = _STANDARD.match(filename) if installed is None else None
    found = installed or standard
    if found is not None:
        path = found["path"].replace("\\", "/")
        return _dotted(path), path, 1 if installed is not None else 2
    path = filename.replace("\\", "/")
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    stem = _EXTENSION.sub("", parts[-1]) if parts else path
    # the directory of a program is not its identity, unless the file's own name says nothing
    kept = parts[-2:] if stem in _SHARED_NAMES and len(parts) > 1 else parts[-1:]
    return _dotted("/".join(kept)), "/".join(kept), 0


def _dotted(path: str) -> str:
    module = _EXTENSION.sub("", path).replace("/", ".")
    return module.removesuffix(".__init__")


def normal_frame(frame: Frame) -> Frame:
    """Return the frame under module and function; the file below its installation only."""
    if frame.function is not None and (frame.filename or "").endswith(_COMPILED):
        frame = replace(frame, function=_compiled_function(frame.function))
    if frame.function is not None and _is_generated(frame.filename or ""):
        frame = replace(frame, function=_COUNTER.sub("", frame.function))
    module, filename, rank_ = place(frame.filename)
    if not frame.raw and frame.module is not None:  # already normalised: the full path is gone
        return Frame(function=frame.function, module=frame.module, filename=frame.filename, in_app=frame.in_app)
    return Frame(function=frame.function, module=module or frame.module, filename=filename, in_app=rank_ == 0)


def _is_generated(filename: str) -> bool:
    return filename[:1] == "<" and not _CELL.match(filename) and _GENERATED.match(filename) is not None


def _compiled_function(name: str) -> str:
    """Cython prints a function under its module and class, and a generator without brackets; CPython does not."""
    last = name.rpartition(".")[2]
    return f"<{last}>" if last in ("genexpr", "lambda", "listcomp") else last


def is_machinery(frame: Frame) -> bool:
    """Return the import system, thread and process bases, runners, comprehension frames."""
    if frame.function in _INLINED or (frame.filename or "").startswith("<frozen importlib"):
        return True
    return f"{frame.module}.{frame.function}" in names("python_machinery")


def rank(frame: Frame) -> int:
    """0 the application, else 1: a normalised frame knows only whether it is the application's. A generator is known by who runs it."""
    return 0 if frame.in_app and frame.function != "<genexpr>" else 1


def loose_key(frame: Frame) -> str:
    """Module and function; the module alone for its own code."""
    return f"{frame.module}.{frame.function}" if frame.function else str(frame.module)


def normal_type(name: str) -> str:
    """Return the exception class without the modules that every program shares."""
    for prefix in ("__main__.", "builtins.", "exceptions."):
        name = name.removeprefix(prefix)
    return name


def is_diagnostic(exception: RaisedException) -> bool:
    """Python hangs no mere markers on exceptions."""
    return exception.type is None and not exception.stack.frames and exception.parent is not None


def normal_message(exception: RaisedException) -> str | None:
    """Return the message without what newer interpreters add to the same error: suggestions, classes, counts of members."""
    message = exception.message
    if not message:
        return message
    if message.endswith("?"):
        message = _SUGGESTION.sub("", message)
    if (exception.type or "").endswith("Group"):
        message = _MEMBERS.sub("", message)
    elif exception.type == "TypeError":
        message = _QUALIFIED_CALL.sub("", message)
    return message or None


def function_name(raw: str) -> str | None:  # noqa: ARG001
    """None: a Python function printed alone looks like any name, and lasts as it is."""
    return None
