"""The lasting names of .NET types and methods: without instantiations, counters and the suffixes of proxies."""

import re
from functools import lru_cache

from kb.trace.model import Frame, RaisedException
from kb.trace.rules import names
from kb.trace.runtimes.dotnet.mangled import demangled
from kb.trace.runtimes.dotnet.messages import framework_message

_LAMBDA = "<lambda>"
_MOST_PASSES = 6
_DIGITS = re.compile(r"\d+")

# (what, pattern, replacement), in this order. Each leaves a name that it does not match again.
_TYPE: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("generic arguments", re.compile(r"\[[^\[\]\n]{0,600}\]"), ""),
    ("generic arity", re.compile(r"[`']\d{1,2}(?!\w)"), ""),
    ("nested types of Mono", re.compile(r"(?<=\w)[+/](?=[\w<])"), "."),
    ("Castle proxies", re.compile(r"^(Castle\.Proxies\.[\w.]{1,300}?Proxy)_\d{1,6}(?=$|\.)"), r"\1"),
    ("Entity Framework proxies", re.compile(r"(DynamicProxies\.\w{1,200}?)_[0-9A-F]{32,64}$"), r"\1"),
    (
        "proxies of DispatchProxy and LinFu",
        re.compile(r"^((?:\w{1,60}\.){0,6}(?:generatedProxy|ProxyBuilder|DispatchProxy))_\d{1,6}"),
        r"\1",
    ),
    ("scripts", re.compile(r"^(Submission|UserQuery|ScriptHost)#\d{1,6}"), r"\1"),
    ("compiled pages", re.compile(r"^(ASP\.\w{1,200}_(?:as[pcmh]x|cshtml|vbhtml|master))_[0-9a-f]{8}$"), r"\1"),
    ("XML serialisers", re.compile(r"(GeneratedAssembly\.[A-Za-z]{1,80}?)\d{1,6}$"), r"\1"),
    ("anonymous types", re.compile(r"<>f__AnonymousType\w{1,16}"), "<anonymous>"),
)
_METHOD: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("generic arguments", re.compile(r"\[[^\[\]\n]{0,600}\]"), ""),
    ("generic arity", re.compile(r"[`']\d{1,2}(?!\w)"), ""),
    ("explicit interfaces", re.compile(r"<[^<>\n]{0,300}>(?=\.)"), ""),
    ("compiled expressions", re.compile(r"^lambda_method\d{1,9}$"), "lambda_method"),
    ("Dapper's readers", re.compile(r"^(Deserialize|ParamInfo)[0-9a-fA-F-]{32,36}$"), r"\1"),
    ("page controls", re.compile(r"^(__(?:Render|BuildControl)_{0,2}(?:control)?)\d{1,6}$"), r"\1"),
    ("XML serialisers", re.compile(r"^(Read|Write)\d{1,6}(?=_)"), r"\1"),
    ("regular expressions", re.compile(r"^((?:Go|FindFirstChar|TryFind|Scan)?)\d{1,9}$"), r"\1"),
)


@lru_cache(maxsize=16_384)
def normal_class(name: str) -> str:
    """The type under its lasting name."""
    return _replaced(name, _TYPE)


@lru_cache(maxsize=16_384)
def normal_method(name: str) -> str:
    """The method under its lasting name."""
    return _replaced(name, _METHOD) or name


def _replaced(name: str, table: tuple[tuple[str, re.Pattern[str], str], ...]) -> str:
    if name.isalpha():
        return name
    for _ in range(_MOST_PASSES):  # brackets within brackets; the bound keeps it linear
        before = name
        for _, pattern, into in table:
            name = pattern.sub(into, name)
        if name == before:
            break
    return name


@lru_cache(maxsize=16_384)
def type_rank(type_: str) -> int:
    """0 a type of the application, 1 of a framework or package, 2 of the platform; by the bundled lists."""
    name = f"{type_}."
    if name in names("dotnet_framework"):
        return 1
    return 2 if name in names("dotnet_platform") else 0


def call(printed: str) -> tuple[str | None, str, bool]:
    """Type, method, and whether it is the application's, of a name as it stands in a trace."""
    method = demangled(printed)
    return method.type, method.name, _rank(method.type, method.name) == 0


def _rank(module: str | None, function: str | None) -> int:
    if module:
        return type_rank(module)
    return 2 if (function or "") in names("dotnet_platform") else 0


def normal_frame(frame: Frame) -> Frame:
    """The frame under type and method, a lambda marked as such; the file by its name only, for reading."""
    module, function = frame.module, frame.function
    if module is None and function is not None and ":" in function:  # Unity: Acme.Player:Update
        module, _, function = function.rpartition(":")
    if module == "DynamicClass":  # what owns the methods that a program compiles; older runtimes print none
        module = None
    if frame.raw and function and _LAMBDA not in function and _is_lambda(frame.raw):
        function = f"{function}.{_LAMBDA}"
    module = normal_class(module) if module else None
    function = normal_method(function) if function else None
    filename = re.split(r"[/\\]", frame.filename)[-1] or None if frame.filename else None
    return Frame(function=function, module=module, filename=filename, in_app=_rank(module, function) == 0)


_RAW_LAMBDA = re.compile(
    r">[bm]__[0-9a-fA-F_]{1,16}(?:\[|>| ?\()|@\d{1,6}(?:-\d{1,6})?(?:`\d)?\.|\)\+\([^()\n]{0,300}\) ?=>"
)


def _is_lambda(raw: str) -> bool:
    return _RAW_LAMBDA.search(raw[:2_000].replace("&gt;", ">")) is not None


def is_machinery(frame: Frame) -> bool:
    """Awaiting, rethrowing, reflection, thread bases, proxies: the same under every fault."""
    if frame.function is not None and frame.module is None and frame.function.startswith("(wrapper"):
        return True
    return f"{frame.module}.{frame.function}" in names("dotnet_machinery")


def rank(frame: Frame) -> int:
    """How telling the frame is: its type decides."""
    return _rank(frame.module, frame.function)


def loose_key(frame: Frame) -> str:
    """Type and method, a lambda under the method it is in."""
    function = (frame.function or "").removesuffix(f".{_LAMBDA}")
    return f"{frame.module}.{function}" if frame.module else function or str(frame.filename)


def normal_type(name: str) -> str:
    """The lasting name of an exception type: nested types by dots, without the arguments of generic ones."""
    return normal_class(name)


def function_name(raw: str) -> str | None:
    """``Acme.A.<Main>g__Helper|0_0(Int32 n)`` → ``Acme.A.Main.Helper``; None for a name no .NET compiler made up."""
    printed = raw.strip().partition("(")[0].strip()
    if not (printed and len(printed) <= 1_000 and _MADE_UP.search(printed)) or re.search(r"\s|::", printed):
        return None
    module, function, _ = call(printed)
    module, function = normal_class(module) if module else None, normal_method(function)
    return f"{module}.{function}" if module else function


_MADE_UP = re.compile(
    r"<[^\n]{0,300}>(?:[bdgm]__|d\.|c__|\$)|^lambda_method\d|`\d|VB\$StateMachine|\.\.c?ctor$|<>c[._]"
)


def is_diagnostic(exception: RaisedException) -> bool:  # noqa: ARG001
    """.NET hangs no mere markers on exceptions."""
    return False


def normal_message(exception: RaisedException) -> str | None:
    """The message in English where the framework words it, nothing where the type says as much."""
    return framework_message(exception.type, exception.message)
