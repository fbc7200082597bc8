"""The lasting names of modules, functions and errors of the BEAM: the same whether Elixir or Erlang prints them."""

import re

from kb.patterns import lazy
from kb.trace.model import Frame, RaisedException
from kb.trace.rules import names

_APPLICATIONS = frozenset(
    [
        "elixir",
        "eex",
        "ex_unit",
        "iex",
        "logger",
        "mix",
        "hex",
        "rebar",
        "stdlib",
        "kernel",
        "erts",
        "compiler",
        "crypto",
        "ssl",
        "inets",
        "public_key",
        "sasl",
        "mnesia",
        "asn1",
        "ssh",
        "xmerl",
        "os_mon",
        "runtime_tools",
        "syntax_tools",
        "tools",
        "parsetools",
        "snmp",
        "eunit",
        "common_test",
    ]
)
"""Applications of Elixir and OTP themselves, as a frame names them: ``(stdlib 4.2)``."""
# What the compiler makes of closures and comprehensions: -refund/1-fun-0- · -map/2-lists^map/1-0- · -items/1-lc$^0/1-1-
_COMPILED = lazy(
    r"-(?P<outer>[^\n]{1,150})/(?P<arity>\d{1,3})-(?P<kind>fun|lb?c\$\^|[\w^$]{1,80})(?:\d{0,3}/\d{1,3})?-\d{1,4}-?"
)
# e.g. anonymous fn/1 in Shop.Till.refund/1
_CLOSURE = lazy(r"anonymous fn/\d{1,3} in (?P<module>:?[\w.@]{1,200})\.(?P<name>[^\s.()/]{1,100})/(?P<arity>\d{1,3})$")
# e.g. `lists:nth/2`
_PRINTED = lazy(
    r"(?P<module>:[a-z_][\w@]{0,100}|[A-Z]\w{0,60}(?:\.[A-Z]\w{0,60}){0,14})\.(?P<name>[a-z_][^\s()/]{0,100}/\d{1,3})$"
    r"|(?P<atom>'[^'\n]{1,200}'|[a-z][\w@]{0,100}):(?P<called>'[^'\n]{1,200}'|[a-z][\w@]{0,100})/(?P<arity>\d{1,3})$"
)


def lasting_module(name: str) -> str:
    """Return a module without its syntax: ``:lists`` and ``lists`` are one, ``'Elixir.Shop.Till'`` is ``Shop.Till``."""
    return name.lstrip(":").strip("'\"").removeprefix("Elixir.")


def lasting_function(name: str, arity: int | str | None) -> str:
    """Return name and arity without quotes; a closure is named by the function that it is in, without its counter."""
    bare = name.strip("'\"")
    found = _COMPILED.fullmatch(bare)
    if found is None:
        return bare if arity is None else f"{bare}/{arity}"
    kind = "lc" if found["kind"].startswith(("lc$", "lbc$")) else found["kind"]
    return f"{found['outer']}.{kind}/{found['arity']}"


def is_in_app(module: str | None, application: str | None) -> bool:
    """Whether a call belongs to neither the platform nor a known library."""
    if application in _APPLICATIONS:
        return False
    key = f"{module}."
    return key not in names("beam_platform") and key not in names("beam_framework")


def normal_frame(frame: Frame) -> Frame:
    """Return the frame under module, function and arity; a closure under the function that it is in."""
    module = frame.module
    if module is None and frame.filename is not None:  # a script: (file), (test)
        module = frame.filename.replace("\\", "/").rpartition("/")[2]
    return Frame(frame.function, module, in_app=frame.in_app)


def is_machinery(frame: Frame) -> bool:
    """Whether a frame is how processes are started and scripts are run, which is the same under every fault."""
    return f"{frame.module}.{frame.function}" in names("beam_machinery")


def rank(frame: Frame) -> int:
    """Return 0 for the application, 1 for a library, 2 for Elixir and OTP."""
    if frame.in_app:
        return 0
    return 2 if f"{frame.module}." in names("beam_platform") else 1


def loose_key(frame: Frame) -> str:
    """Return module and function without arity: an argument more is no other fault."""
    name = re.sub(r"/\d{1,3}$", "", frame.function or "?")
    return f"{frame.module}.{name}" if frame.module else name


def normal_type(name: str) -> str:
    """Return the type as it is: both languages keep the names of their errors."""
    return name


_SHOWN = {
    "no match of right hand side value ": "badmatch",
    "no case clause matching ": "case_clause",
    "no try clause matching ": "try_clause",
    "bad function ": "badfun",
    "bad key: ": "badkey",
    "bad map: ": "badmap",
    "no function clause matching ": "function_clause",
    "undefined function ": "undef",
    "no true branch found when evaluating an if expression": "if_clause",
    "an error occurred when evaluating an arithmetic expression": "badarith",
    "bad argument": "badarg",
    "no such process or port": "noproc",
    "a system limit has been reached": "system_limit",
}
"""How Erlang's shell and crash reports word the reasons that the runtime itself raises; https://www.erlang.org/doc/system/errors.html."""
_WITH_VALUE = frozenset({"badmatch", "case_clause", "try_clause", "badfun", "badkey", "badmap"})


def reason_of(message: str) -> str | None:
    """Return the reason behind the words of a shell or a crash report; None for a reason that is printed as it is."""
    return next((reason for words, reason in _SHOWN.items() if message.startswith(words)), None)


def normal_message(exception: RaisedException) -> str | None:
    """Return the reason as a term, whether it was printed as one or in words: ``{badmatch,{error,3}}``."""
    message, reason = exception.message, exception.type
    if message is None or reason not in _SHOWN.values():
        return message
    if reason not in _WITH_VALUE:
        return reason if message == reason or reason_of(message) == reason else message
    words = next((words for words, one in _SHOWN.items() if one == reason and message.startswith(words)), None)
    return f"{{{reason},{message.removeprefix(words)}}}" if words is not None else message


def function_name(raw: str) -> str | None:
    """Return the lasting name of ``:lists.nth/2``, ``lists:nth/2``, ``anonymous fn/1 in Shop.Till.refund/1``."""
    closure = _CLOSURE.match(raw)
    if closure is not None:
        return f"{lasting_module(closure['module'])}.{closure['name']}.fun/{closure['arity']}"
    found = _PRINTED.match(raw)
    if found is None:
        return None
    if found["atom"]:
        return f"{lasting_module(found['atom'])}.{lasting_function(found['called'], found['arity'])}"
    return f"{lasting_module(found['module'])}.{found['name']}"
