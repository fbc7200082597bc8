"""The lines of Elixir and Erlang: frames of both, heads of both, and stacks that are printed as Erlang terms."""

import re
from dataclasses import dataclass

from kb.patterns import lazy
from kb.trace.lines import is_prefix
from kb.trace.model import Frame
from kb.trace.runtimes.beam.names import is_in_app, lasting_function, lasting_module

LONGEST_LINE = 8_000
"""A longer line is no frame and no head."""
_MOST_ARGUMENTS = 4_000  # characters of arguments in which commas are counted

_ATOM = r"(?:'[^'\n]{1,200}'|[a-z][\w@]{0,100})"
# (shop 1.4.0) lib/till.ex:9: Shop.Till.charge/1 · (elixir) lib/enum.ex:99: Enum.map/2 · test/till_test.exs:6: (test) · (stdlib 4.2) :maps.get(:a, %{})
_ELIXIR = lazy(
    r"[ \t]*+(?:\((?P<app>[a-z]\w{0,60})(?: \d[\w.+-]{0,40})?\) )?"
    r"(?:(?P<file>[^\s:()][^:\n]{0,300}?\.[a-z]{2,5}):(?P<line>\d{1,7}): )?(?P<call>\S.*)$"
)
# Shop.Till.charge/1 · :lists.nth(6, []) · :erlang.*(3, nil) · Enum."-map/2-lists^map/1-0-"/2 · anonymous fn/1 in Shop.Till.refund/1
_CALL = lazy(
    r"(?P<closure>(?:anonymous fn/\d{1,3} in ){0,4})(?P<module>:[a-z_][\w@]{0,100}|:\"[^\"\n]{1,200}\"|[A-Z]\w{0,60}(?:\.[A-Z]\w{0,60}){0,14})"
    r"\.(?P<name>\"(?:[^\"\\\n]|\\.){1,200}\"|[a-z_]\w{0,100}[?!]?|[^\w\s\"(]{1,4})(?:/(?P<arity>\d{1,3})|\((?P<arguments>.*)\))$"
)
_SCRIPT = lazy(r"\((?:file|test|module|describe|\w{1,30} block)\)$")
#   in function  till:pay/1 (till.erl, line 8) · in call from init:start_em/1 · in operator  div/2
_ERLANG = lazy(
    rf"[ \t]*+in (?:function|call from|operator)[ \t]{{1,3}}(?:(?P<module>{_ATOM}):)?(?P<name>{_ATOM}|[^\w\s]{{1,4}})/(?P<arity>\d{{1,3}})"
    r"(?:[ \t]\((?P<file>[^()\n]{1,300}?), line (?P<line>\d{1,7})\))?[ \t]*$"
)
# no function clause matching lists:nth(6,[]) (lists.erl, line 198) · undefined function lists:foo/1
_CALLED = lazy(
    rf"(?P<module>{_ATOM}):(?P<name>{_ATOM})(?:/(?P<arity>\d{{1,3}})|\((?P<arguments>[^\n]{{0,4000}}?)\))"
    r"(?:[ \t]\((?P<file>[^()\n]{1,300}), line (?P<line>\d{1,7})\))?[ \t]*$"
)


def elixir_frame(line: str) -> Frame | None:
    """Return the frame on a line that names an application or a file."""
    found = _ELIXIR.match(line) if len(line) <= LONGEST_LINE else None
    if found is None or not (found["app"] or found["file"]):
        return None
    lineno = int(found["line"]) if found["line"] else None
    call = found["call"].rstrip()
    if _SCRIPT.match(call):
        return Frame(call, None, found["file"], lineno, raw=line.strip())
    return _called(_CALL.match(call), line, found["app"], found["file"], lineno)


def bare_frame(line: str) -> Frame | None:
    """Return the frame on a line that is a call and nothing else (``:erlang.*(3, nil)``): only to be called below a head."""
    return _called(_CALL.match(line.strip()), line, None, None, None) if line[:4] == "    " else None


def _called(
    call: re.Match[str] | None, line: str, app: str | None, file: str | None, lineno: int | None
) -> Frame | None:
    if call is None:
        return None
    name = f"{call['name']}.fun" if call["closure"] else call["name"]
    function = lasting_function(name, call["arity"] or arity_of(call["arguments"]))
    module = lasting_module(call["module"])
    return Frame(function, module, file, lineno, in_app=is_in_app(module, app), raw=line.strip())


def erlang_frame(line: str) -> Frame | None:
    """Return the frame on a line of a crash report or a shell."""
    found = _ERLANG.match(line) if len(line) <= LONGEST_LINE else None
    return _erlang(found, line) if found is not None else None


def called_in(message: str) -> Frame | None:
    """Return the call that an error's first line names itself, which is then not printed as a frame again."""
    if not message.startswith(("no function clause matching ", "undefined function ")):
        return None
    found = _CALLED.match(message.removeprefix("no function clause matching ").removeprefix("undefined function "))
    return _erlang(found, message) if found is not None else None


def _erlang(found: re.Match[str], line: str) -> Frame:
    module = lasting_module(found["module"] or "erlang")
    groups = found.groupdict()
    function = lasting_function(found["name"], groups["arity"] or arity_of(groups.get("arguments")))
    lineno = int(found["line"]) if found["line"] else None
    return Frame(function, module, found["file"], lineno, in_app=is_in_app(module, None), raw=line.strip())


def arity_of(arguments: str | None) -> int | None:
    """Return how many arguments a printed list holds, brackets and strings passed over; None for one too long to be counted."""
    if arguments is None or len(arguments) > _MOST_ARGUMENTS:
        return None
    if not arguments.strip():
        return 0
    depth, count = 0, 1
    for token in _TOKEN.finditer(arguments):
        if token[0] in _OPENING:
            depth += 1
        elif token[0] in _CLOSING:
            depth -= 1
        elif token[0] == "," and not depth:
            count += 1
    return count


@dataclass(frozen=True, slots=True)
class ElixirHead:
    """``** (ArgumentError) total must be positive``, and what is before it."""

    type: str
    message: str
    indent: int
    before: str


# 15:28:47.302 [error] ** (ArgumentError) no such item · ** (EXIT from #PID<0.96.0>) an exception was raised:
_HEAD = lazy(
    r"(?P<before>[^\n]{0,400}?)\*\* \((?P<type>[A-Z]\w{0,60}(?:\.[A-Z]\w{0,60}){0,14}|exit|throw|stop|EXIT from #PID<[\d.]{1,20}>)\)(?: (?P<message>.*))?$"
)


def elixir_head(line: str) -> ElixirHead | None:
    """Return the head of an exception on a line."""
    found = _HEAD.match(line) if "** (" in line[:420] and len(line) <= LONGEST_LINE else None
    if found is None:
        return None
    indent = len(line) - len(line.lstrip(" ")) if not found["before"].strip() else 0
    return ElixirHead(found["type"].partition(" ")[0], (found["message"] or "").rstrip(), indent, found["before"])


@dataclass(frozen=True, slots=True)
class ErlangHead:
    """``exception error: bad argument``, and where it begins on its line."""

    kind: str
    message: str
    begin: int


# e.g. ** exception error: bad argument
_ERLANG_HEAD = lazy(r"(?P<before>[^\n]{0,400}?)(?P<head>exception (?P<kind>error|exit|throw): )(?P<message>\S.*)$")
_MARKED = ("**", "escript:", "exited:")
"""What the shell, ``escript`` and supervisors put before the head."""


def erlang_head(line: str) -> ErlangHead | None:
    """Return the head of an exception as Erlang's shell and reports print it."""
    found = _ERLANG_HEAD.match(line) if len(line) <= LONGEST_LINE else None
    if found is None or not (found["before"].rstrip().endswith(_MARKED) or is_prefix(found["before"])):
        return None
    return ErlangHead(found["kind"], found["message"].rstrip(), found.start("head"))


@dataclass(frozen=True, slots=True)
class TermStack:
    """A stack printed as a term, with the reason before it: ``{badarg,[{till,pay,1,[{file,"till.erl"},{line,8}]}]}``."""

    reason: str
    """Empty for a stack without one: a client's."""
    frames: tuple[Frame, ...]
    begin: int
    """Where in the text the term begins."""
    end: int
    """Where it ends; the end of the text for one that is cut off."""


_TOKEN = lazy(r"\"(?:[^\"\\]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'|<<|>>|[\[\]{}(),]")
_OPENING, _CLOSING = frozenset("[{("), frozenset("]})")
# e.g. `[{till,pay,1,[{file,"till.erl"},{line,8}]}`
_STACK = lazy(rf"\[\s{{0,80}}(?=\{{{_ATOM},\s{{0,80}}{_ATOM},\s{{0,80}}(?:\d{{1,3}},|\[))")
# e.g. {gen_server,handle_msg,6,
_ENTRY = lazy(
    rf"\s{{0,80}}\{{(?P<module>{_ATOM}),\s{{0,80}}(?P<name>{_ATOM}),\s{{0,80}}(?:(?P<arity>\d{{1,3}}),|(?=\[))"
)
_FILE = lazy(r"\{file,\s{0,80}\"(?P<file>[^\"\n]{1,300})\"\}")
_LINE = lazy(r"\{line,\s{0,80}(?P<line>\d{1,7})\}")
_MOST_ENTRIES = 256


def term_stack(text: str) -> TermStack | None:
    """Return the first stack in a text that is printed as a list of calls; None where there is none."""
    found = _STACK.search(text)
    if found is None:
        return None
    frames, at = _entries(text, found.end())
    if not frames:
        return None
    begin = _opening(text, found.start())
    reason = text[begin + 1 : found.start()].strip(" \t\n,") if begin is not None else ""
    start = begin if begin is not None else found.start()
    return TermStack(" ".join(reason.split()), tuple(frames), start, closing_of(text, start) or max(at, found.end()))


def _entries(text: str, at: int) -> tuple[list[Frame], int]:
    """Return the calls from ``at`` on, and where they end."""
    frames: list[Frame] = []
    while len(frames) < _MOST_ENTRIES and (entry := _ENTRY.match(text, at)) is not None:
        end, arity = entry.end(), entry["arity"]
        if arity is None:
            closing = closing_of(text, end)
            if closing is None:
                break
            arity, end = str(arity_of(text[end + 1 : closing - 1]) or 0), closing
        stop = closing_of(text, entry.start() + entry[0].index("{"))
        place = text[end : stop if stop is not None else end + 400]
        file, line = _FILE.search(place), _LINE.search(place)
        module = lasting_module(entry["module"])
        frames.append(
            Frame(
                lasting_function(entry["name"], arity),
                module,
                file["file"] if file is not None else None,
                int(line["line"]) if line is not None else None,
                in_app=is_in_app(module, None),
                raw=" ".join(text[entry.start() : stop].split()),
            )
        )
        if stop is None:
            return frames, len(text)
        at = stop + 1 if text[stop : stop + 1] == "," else stop
    return frames, at


def closing_of(text: str, at: int) -> int | None:
    """Return the place behind the bracket that closes the one at ``at``; None where the text ends before."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        if token[0] in _OPENING:
            depth += 1
        elif token[0] in _CLOSING:
            depth -= 1
            if depth == 0:
                return token.end()
    return None


def _opening(text: str, at: int) -> int | None:
    """Return the innermost bracket that is open at a place."""
    opened: list[int] = []
    for token in _TOKEN.finditer(text, 0, at):
        if token[0] in _OPENING:
            opened.append(token.start())
        elif token[0] in _CLOSING and opened:
            opened.pop()
    return opened[-1] if opened else None
