"""Reads one Lua traceback, and the messages that stand without one."""

from dataclasses import dataclass, field

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX, Lines
from kb.trace.model import ExceptionChain, Frame, RaisedException, StackTrace
from kb.trace.runtimes.base import LONGEST_MESSAGE, FrameStack, TraceReading, not_kept
from kb.trace.runtimes.lua.names import is_installed
from kb.translatable import Translatable

# The lines of a Lua traceback, from 5.1 to 5.4, LuaJIT, OpenResty, Redis, Neovim and game engines.

LONGEST_LINE = 4_000

# A chunk as luaO_chunkid prints it: a path, cut in front with three dots where it is long, or [string "its first line"]
_CHUNK = (
    r"(?:\[(?:string|love|builtin|C\]\[string) ?\"[^\n]{0,200}?\"\]|\[builtin[#:\w]{1,40}\]|\[C\]|\(command line\)|stdin|=?\?|=?[a-z_]{3,30}_by_lua(?:_block|_file)?\([^()\n]{1,200}\)"
    r"|@?user_script|@?[^\s:\[\]'\"<>(),;=][^:\n'\"<>(),;=]{0,300}?(?:\.(?:lua|luac|moon|fnl|tl|wlua|p8|t|lp|ljbc|nse|telescript)|(?<=/)\w{1,80})|(?:[A-Za-z]:)[\\/][^:\n'\"<>]{1,300}?\.lua)"
)
_KIND = r"(?:function|local|upvalue|method|field|global|metamethod|hook|for iterator|constant)"
# e.g. x.lua:3: in function 'f', client: 10.0.0.1, server: x
_FRAME = lazy(
    rf"[ \t]*+(?:\[\d{{1,4}}\] )?(?P<chunk>{_CHUNK}):(?:(?P<line>\d{{1,9}}):)? (?:in (?:{_KIND} )?(?:(?P<quote>['\"`‘])(?P<name>[^'\"’\n]{{1,200}}+)['\"’]|(?P<anonymous><[^<>\n]{{1,300}}+>)|(?P<main>main chunk)|(?P<what>\?))|(?P<unknown>\?)|at (?P<address>0x[0-9a-f]{{1,16}}))"
    r"(?: \(.{0,80}\))?(?P<rest>[ \t]*+$|[,;] .*$)"
)
_TAIL = lazy(r"[ \t]*+(?:\(\.\.\.tail calls\.\.\.\)|\(tail call\): \?)[ \t]*+$")
# e.g. ...    (skipping 99 levels)
_SKIPPED = lazy(r"[ \t]*+\.\.\.(?:[ \t]*+\(skipping (?P<count>\d{1,9}) levels\))?[ \t]*+$")
_POSITION = lazy(rf"(?P<chunk>{_CHUNK}):(?P<line>\d{{1,9}}): ")
# e.g. `lua: x`
_STARTS = lazy(
    r"(?:^|[\s/\\\]:])(?P<program>(?:lua|luajit|lua-?5\.[0-5]|luajit-2\.[\d.a-z-]{1,20}|texlua|resty|tarantool|wlua|lua\.exe|luajit\.exe)): (?=\S)"
)
# e.g. lua entry thread aborted: runtime error:
_OPENRESTY = lazy(
    r"(?:lua (?:entry|user) thread aborted|failed to run [a-z_]{3,40}\*?|failed to load (?:external|inlined) Lua (?:file|code)[^\n:]{0,300}|lua (?:coroutine|handler) aborted|[a-z_]{3,30}_by_lua(?:_block|_file)?\*? (?:aborted|failed)): (?:(?:runtime|syntax|unknown) error: |memory allocation error: |error in error handling: )?"
)
# e.g. (error) ERR Error running script (call to f_6b1b): @user_script:3: user_script:3: boom
_REDIS = lazy(
    r"Error (?:running|compiling) script \((?:call to|new function)[^)\n]{0,100}\): (?:@?user_script:\d{1,9}: )?|(?<=ERR )(?=user_script:\d)"
)
# e.g. Error executing vim.schedule lua callback: ...a/x.lua:3: boom
_NEOVIM = lazy(
    r"(?:E51\d\d: )?Error (?:executing|while calling|in) (?:lua|Lua|vim\.\w{1,40} lua)(?: (?:callback|chunk|function))?:? "
)
_REDIS_TAIL = lazy(r" script: [0-9a-f]{8,40}, on @?user_script:\d{1,9}\.?$")
_REQUEST = lazy(r",? (?:while \w[\w ]{1,80}, )?(?:client|context|server): [^\n]{0,4000}$")
# e.g. Traceback
_TRACEBACK = lazy(r"[ \t]*+(?:[^\n]{0,200}[: ])?(?:stack traceback|Stack traceback|traceback|Traceback):?[ \t]*+$")


@dataclass(frozen=True, slots=True)
class LuaHead:
    """The line that says what happened."""

    message: str
    begin: int
    """Where on the line the head begins."""
    is_sure: bool
    """Whether only Lua prints it."""
    place: Frame | None


def frame_of(line: str) -> Frame | None:
    """Return the frame on a traceback's line; None for any other."""
    if len(line) > LONGEST_LINE or ": " not in line:
        return None
    found = _FRAME.match(line)
    if found is None:
        return None
    chunk = found["chunk"].removeprefix("@")
    function = found["name"] or found["anonymous"] or found["main"]
    return Frame(
        function,
        None,
        chunk,
        int(found["line"]) if found["line"] else None,
        None,
        not is_installed(chunk),
        line.strip(),
    )


def is_tail_call(line: str) -> bool:
    """``(...tail calls...)``: frames that the language gave up."""
    return "tail call" in line and len(line) < 200 and _TAIL.match(line) is not None


def skipped(line: str) -> str | None:
    r"""``...\t(skipping 24 levels)``; the number, or an empty text where the interpreter prints none."""
    found = _SKIPPED.match(line) if "..." in line and len(line) < 200 else None
    return (found["count"] or "") if found is not None else None


def is_traceback(line: str) -> bool:
    """``stack traceback:`` with whatever a log put before it."""
    return (
        "raceback" in line
        and "(most recent" not in line
        and len(line) < LONGEST_LINE
        and _TRACEBACK.match(line) is not None
    )


def is_coroutine(line: str) -> bool:
    """``coroutine 0:``, which OpenResty prints above the frames of each."""
    body = line.strip()
    return body.startswith("coroutine ") and body.endswith(":") and body[10:-1].isdigit()


def head_of(line: str) -> LuaHead | None:
    """``lua: x.lua:3: boom``, OpenResty's, Redis' and Neovim's; else a line that begins at a place in a chunk."""
    line = line[:LONGEST_LINE]
    for pattern in (_OPENRESTY, _REDIS, _NEOVIM):
        found = pattern.search(line) if "rror" in line or "ERR" in line or "lua" in line else None
        if found is not None:
            message, place = message_of(line[found.end() :], line)
            return LuaHead(message, found.start(), is_sure=place is not None or pattern is not _NEOVIM, place=place)
    found = _STARTS.search(line) if "lua" in line or "resty: " in line or "tarantool: " in line else None
    if found is not None and found.start("program") < 200:
        message, place = message_of(line[found.end() :], line)
        return LuaHead(message, found.start("program"), is_sure=place is not None, place=place)
    return None


def message_of(text: str, raw: str = "") -> tuple[str, Frame | None]:
    """Return a message without the places before it, and the innermost of them: where it was raised."""
    place = None
    text = _REQUEST.sub("", text).strip()
    for _ in range(8):  # each error() that raises it anew puts one more in front
        found = _POSITION.match(text)
        if found is None:
            break
        chunk = found["chunk"].removeprefix("@")
        place = Frame(None, None, chunk, int(found["line"]), None, not is_installed(chunk), raw.strip())
        text = text[found.end() :]
    return _REDIS_TAIL.sub("", text).strip(), place


def position_in(line: str) -> int | None:
    """Return where on the line a place in a file of Lua begins that a message follows."""
    at = line.find(".lua:", 0, LONGEST_LINE)
    at = line.find('"]:', 0, LONGEST_LINE) if at < 0 else at
    if at < 0:
        return None
    for begin in _beginnings(line, at):
        if _POSITION.match(line, begin):
            return begin
    return None


def _beginnings(line: str, at: int) -> tuple[int, ...]:
    blank = line.rfind(" ", 0, at) + 1
    bracket = line.rfind("[", 0, at)
    return (bracket, blank, len(line) - len(line.lstrip())) if bracket >= 0 else (blank, len(line) - len(line.lstrip()))


_LONGEST_MESSAGE = 60


def starts(line: str) -> bool:
    """Whether this line shows a Lua traceback."""
    if "raceback" in line and is_traceback(line):
        return True
    if (" in " in line or "]: ?" in line or "tail call" in line) and frame_of(line) is not None:
        return True
    head = head_of(line)
    return head is not None and _is_log(line[: head.begin])


def read(lines: Lines) -> TraceReading | None:
    """Read the traceback that line 0 belongs to."""
    first = lines.get(0) or ""
    if is_traceback(first):
        return _below(lines, 1)
    if frame_of(first) is not None:
        return _headless(lines)
    head = head_of(first)
    return _from_head(lines, head) if head is not None and _is_log(first[: head.begin]) else None


def named_in(line: str) -> RaisedException | None:
    """Return a line that is a message of a Lua program."""
    head = head_of(line)
    if head is None or not head.is_sure or not _is_log(line[: head.begin]):
        return None
    return _raised(head.message, head.place, [])


def _raised(message: str, place: Frame | None, frames: list[Frame]) -> RaisedException:
    """Return the error; the place in front of its message is its only frame where no traceback was printed."""
    stack = tuple(frames) or ((place,) if place is not None else ())
    return RaisedException(None, message[:LONGEST_MESSAGE] or None, StackTrace(stack))


def _is_log(prefix: str) -> bool:
    body = prefix.strip()
    if not body or body.endswith(("/", "\\")):  # /usr/bin/lua:
        return True
    found = LOG_PREFIX.match(prefix[:400])
    rest = prefix[found.end() :].strip() if found is not None else body
    return not rest or rest.endswith(":") or rest.startswith(("[kong]", "(error)", "redis", "ERR"))


@dataclass(slots=True)
class _Stack(FrameStack):
    notes: list[str] = field(default_factory=list)
    end: int = 0


def _stack(lines: Lines, at: int) -> _Stack:
    """Return the frames from a line on; of several coroutines the first, which raised it, and those that resumed it below."""
    stack, blanks = _Stack(end=at), 0
    while (line := lines.get(at)) is not None:
        found = frame_of(line)
        levels = skipped(line)
        if found is not None:
            blanks = 0
            stack.add(found)
        elif is_tail_call(line) or is_coroutine(line):
            blanks = 0
        elif levels is not None and stack.frames:
            stack.notes.append(Translatable("the interpreter left {} levels out", levels or "some"))
        elif not line.strip() and not blanks and not stack.frames:
            blanks += 1
        else:
            break
        at += 1
        if line.strip():
            stack.end = at
    stack.notes.extend(not_kept(stack.lost))
    return stack


def _from_head(lines: Lines, head: LuaHead) -> TraceReading | None:
    """Return the head, its further lines, and the traceback if there is one."""
    begin = lines.start(0) + head.begin
    parts: list[str] = []
    for at in range(1, _LONGEST_MESSAGE):
        line = lines.get(at)
        if line is None or head_of(line) is not None:
            break
        if is_traceback(line):
            stack = _stack(lines, at + 1)
            if not stack.frames:
                break
            message = "\n".join([head.message, *parts])
            raised = _raised(message, head.place, stack.frames)
            span = (begin, lines.end(stack.end - 1))
            return TraceReading(ExceptionChain("lua", (raised,), span=span, notes=tuple(stack.notes)), stack.end)
        parts.append(line.rstrip())
    if not head.is_sure:
        return None
    raised = _raised(head.message, head.place, [])
    return TraceReading(ExceptionChain("lua", (raised,), span=(begin, lines.end(0))), 1)


def _below(lines: Lines, at: int) -> TraceReading | None:
    """Return a traceback whose head is no telling line: some program's own words, then a place and the message."""
    stack = _stack(lines, at)
    if not stack.frames:
        return None
    begin, message = lines.start(0), ""
    parts: list[str] = []
    for start, line in lines.before(_LONGEST_MESSAGE // 4):
        if not line.strip():
            if parts or start < begin - 400:
                break
            continue
        if frame_of(line) is not None or line.lstrip().startswith(("```", "~~~")):
            break
        parts.insert(0, line.strip())
        place = position_in(line)
        head = head_of(line)
        prefix = LOG_PREFIX.match(line[:400])
        if head is not None or place is not None:
            begin = start
            first = head.message if head is not None else message_of(line[place or 0 :])[0]
            message = "\n".join([first, *parts[1:]])
            break
        if len(parts) == 1:  # the nearest line is the message, unless a place is found further up
            begin = start
            message = line[prefix.end() :].strip() if prefix is not None else line.strip()
    raised = _raised(message, None, stack.frames)
    span = (begin, lines.end(stack.end - 1))
    chain = ExceptionChain("lua", (raised,), None, head_truncated=not message, span=span, notes=tuple(stack.notes))
    return TraceReading(chain, stack.end)


def _headless(lines: Lines) -> TraceReading | None:
    """Frames whose head is cut off. One alone counts only if it is a function's: ``x.lua:3: in function 'f'``."""
    stack = _stack(lines, 0)
    if not stack.frames:
        return None
    span = (lines.start(0), lines.end(stack.end - 1))
    raised = RaisedException(None, None, StackTrace(tuple(stack.frames)))
    return TraceReading(
        ExceptionChain("lua", (raised,), None, head_truncated=True, span=span, notes=tuple(stack.notes)), stack.end
    )
