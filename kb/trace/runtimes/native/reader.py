"""Reads one native fault: its message, the stack of the thread that died, and what is around them."""

import re
from dataclasses import replace

from kb.patterns import lazy
from kb.trace.lines import Lines, Prefixed
from kb.trace.model import ExceptionChain, Frame, RaisedException, StackTrace
from kb.trace.runtimes.base import TraceReading, not_kept
from kb.trace.runtimes.native.demangle import demangled
from kb.trace.runtimes.native.frames import frame_of, prefix_of
from kb.trace.runtimes.native.heads import (
    NativeHead,
    NativeStack,
    Title,
    TitleKind,
    access_of,
    chosen,
    head_of,
    kind_of,
    title_of,
)
from kb.trace.runtimes.native.signature import Printed, file_of, function_of, signature
from kb.translatable import Translatable

# A text of one line that is a native function or fault: somebody pasted the one name that a tool showed.

_LONGEST = 1_000
# Words that are before the name of a C++ function: specifiers, built-in types, and one type of one's own
_TYPE = r"(?:(?:static|virtual|inline|explicit|constexpr|const|volatile|extern|friend|typename|struct|class|enum|unsigned|signed|long|short|int|void|bool|char|wchar_t|char(?:8|16|32)_t|double|float|auto|size_t|u?int(?:8|16|32|64)_t|decltype\(auto\)|__cdecl|__stdcall|__thiscall|__fastcall|public:|private:|protected:)[*& ]{1,4})"
# e.g. std::__invoke<main(int, char**)::<lambda()> >
_OWN_TYPE = lazy(r"(?:[A-Za-z_]\w{0,60}::){0,6}[A-Za-z_]\w{0,60}(?:<.*>)?(?:::\w{1,60})?[ ]?[*&]{0,2}[ ]")
_SPECIFIERS = lazy(rf"{_TYPE}{{0,8}}")
_NAME = lazy(r"(?:[A-Za-z_~$(<{`]|'lambda)")
# e.g. -[Foo bar:]
_OBJECTIVE_C = lazy(r"[-+]\[[A-Za-z_]\w{0,200}(?:\([\w ]{0,100}\))? [\w:]{1,300}\](?:_block_invoke(?:_\d{1,5})?)?$")
# e.g. `const [clone .cold.1]`
_BEHIND = lazy(r"(?:[ ]?(?:const|volatile|&&?|noexcept|\[clone [^\[\]]{1,80}\]|\[with [^\n]{1,400}\]))*$")


def named_in(line: str) -> RaisedException | None:
    """Return the function or fault that the line is; None for a sentence."""
    line = line.strip()
    if len(line) > _LONGEST:
        return None
    head = head_of(line)
    is_databases = head is not None and head.is_report and (head.type or "").startswith(("DB::", "Poco::"))
    if head is not None and head.type is not None and not is_databases:
        return RaisedException(head.type, head.message)
    printed = frame_of(line)
    if printed is not None:
        return RaisedException(None, None, StackTrace((printed.frame,)))
    if not is_function(line):
        return None
    return RaisedException(None, None, StackTrace((Frame(function_of(line) or line, raw=line),)))


def is_function(line: str) -> bool:
    """Whether the whole line is one C++ or Objective-C function, mangled or in full."""
    if " " not in line and demangled(line) is not None:
        return True
    if _OBJECTIVE_C.match(line):
        return True
    if "::" not in line or "::h" in line or "{{" in line:
        return False
    found = signature(line)
    if found is None or "::" not in found.name or found.is_plain:
        return False
    begin = line.find(found.printed)
    before, behind = line[:begin], line[begin + len(found.printed) :]
    if not _is_type(before) or not _NAME.match(found.printed):
        return False
    if behind[:1] == "(":
        closing = behind.rfind(")")
        behind = behind[closing + 1 :] if closing > 0 else "x"
    return (
        _BEHIND.match(behind) is not None
        and re.fullmatch(r"[\w:~$<>=!+\-*/%^&|,\[\]()\"' .{}#]+", found.name) is not None
    )


def _is_type(text: str) -> bool:
    rest = text[_SPECIFIERS.match(text).end() :] if text else ""  # type: ignore[union-attr]
    if not rest:
        return True
    return _OWN_TYPE.fullmatch(rest) is not None


_MOST_STACKS = 2_000
_MOST_TITLES = 3  # one after another, without a frame below
_MOST_HEADS = 50
_MOST_WRAPPED = 8
_LONGEST_WRAPPED = 2_000
_FAR = 120  # lines of registers and the like between a report's head and its stack
_NEAR = 25  # lines that a debugger or a program prints between a fault and its stack
_LAST_WORDS = 7  # lines between a trace of any runtime and the shell's word that the process aborted
_STRANGE = 4  # lines of other programs in the midst of a stack
_FAULTS = frozenset({"SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS"})
_BARE = lazy(r"#\d{1,5}:?[ \t]+[^\s()/]{1,300}(?: ?\([^()]{0,200}\))?$")
# e.g. #1  0x00007f1234 in main (argc=1)
_CUT = lazy(r"[ \t]*+#\d{1,5}[ \t]++(?:0x[0-9a-f]{1,16} in )?[A-Za-z_~:<>]{1,300}+ ?\(\w{1,100}+=")
_PROCESS = lazy(r"^==\d{1,9}==[ ]*")
_PIECE = lazy(r"(?<=\S)[ \t]{1,40}(?=#\d{1,4}[ \t]{1,4}(?:0x[0-9a-f]{3,16} |pc ))")


def starts(line: str) -> bool:
    """Whether a native trace can begin at this line, or be recognised by it."""
    return (
        head_of(line) is not None
        or prefix_of(line) is not None
        or title_of(line) is not None
        or _is_cut(line)
        or _is_joined(line)
    )


def read(lines: Lines) -> TraceReading | None:
    """Read the fault that line 0 belongs to."""
    first = lines.get(0) or ""
    prefix = None if head_of(first) is not None else prefix_of(first)
    return _Reader(lines, prefix).run()


def _is_cut(line: str) -> bool:
    """Whether a terminal broke this line in the arguments of a frame."""
    return _CUT.match(line[:_LONGEST_WRAPPED]) is not None and line.count("(") > line.count(")")


def _is_joined(line: str) -> bool:
    """Whether more than one numbered frame is on this line."""
    return " #" in line and _PIECE.search(line[:_LONGEST_WRAPPED]) is not None


class _Reader:
    """One pass over the lines of a report."""

    def __init__(self, lines: Lines, prefix: str | None) -> None:
        self._lines = lines
        self._view: Prefixed = Prefixed(lines, prefix or "")
        self._knows_prefix = prefix is not None
        self._heads: list[NativeHead] = []
        self._stacks: list[NativeStack] = []
        self._stack: NativeStack | None = None
        self._title: Title | None = None
        self._secondary: str | None = None
        self._passed: list[str] = []
        self._access: str | None = None
        self._end = 0
        self._gap = 0
        self._strange = 0
        self._untitled = 0

    def run(self) -> TraceReading | None:
        at = 0
        while (line := self._view.get(at)) is not None:
            used = self._feed(at, line)
            if used == 0:
                break
            at += used
        return self._reading()

    def _feed(self, at: int, line: str) -> int:
        """Take a line; how many were read, 0 if the trace ends before it."""
        if not self._knows_prefix and (prefix := prefix_of(line)) is not None:
            self._view, self._knows_prefix = Prefixed(self._lines, prefix), True
            line = self._view.get(at) or ""
        printed, used = self._printed(at, line)
        if printed:
            if not all([self._frame(each) for each in printed]):  # noqa: C419 - each must be fed
                return 0
            self._took(at + used)
            return used
        head = head_of(line)
        if head is not None:
            if not self._head(head):
                return 0
            self._took(at + 1)
            return 1
        return 1 if self._other(at, line) else 0

    def _took(self, end: int) -> None:
        self._end, self._gap, self._strange = end, 0, 0

    def _printed(self, at: int, line: str) -> tuple[list[Printed], int]:
        """Return the frames on a line, put together where a terminal broke one; several where a page joined them."""
        body = line.strip()
        if not body or len(body) > 1_000_000:
            return [], 1
        if " #" in body and len(pieces := _PIECE.split(body)) > 1:
            return [found for piece in pieces if (found := frame_of(piece)) is not None], 1
        if body[0] == "#" and body[1:2].isdigit():
            used = 1
            while used < _MOST_WRAPPED and self._is_broken(body) and len(body) < _LONGEST_WRAPPED:
                following = self._view.get(at + used)
                if following is None or not following.strip() or following[0] not in " \t" or frame_of(following):
                    break
                body, used = f"{body} {following.strip()}", used + 1
            following = self._view.get(at + used) or ""
            if (
                following[:1] in " \t"
                and following.lstrip().startswith(("at ", "from "))
                and body.endswith(")")
                and kind_of(following) is not TitleKind.FOREIGN
            ):
                body, used = f"{body} {following.strip()}", used + 1
            found = frame_of(body)
            if found is not None:
                return [found], used
        found = frame_of(line)
        return ([found] if found is not None else []), 1

    def _is_broken(self, body: str) -> bool:
        return "(" in body and body.count("(") > body.count(")") and "operator" not in body

    def _frame(self, printed: Printed) -> bool:
        stack = self._stack
        number = printed.number
        if stack is None or 0 <= number < stack.last:
            if stack is not None and self._title is None and self._secondary is None and not self._in_report():
                return False  # a second trace right behind the first
            stack = self._stack = NativeStack(self._title, self._secondary is not None)
            if self._secondary is not None:
                self._passed.append(self._secondary)
            if len(self._stacks) < _MOST_STACKS:
                self._stacks.append(stack)
            self._title = self._secondary = None
        stack.last = number
        self._untitled = 0
        stack.add(printed.frame)
        return True

    def _in_report(self) -> bool:
        return any(head.is_report for head in self._heads) or any(stack.title for stack in self._stacks)

    def _head(self, head: NativeHead) -> bool:
        if self._stacks and head in self._heads:  # lldb says it once more above the whole stack
            self._stacks.clear()
            self._stack = None
            return True
        if self._stacks and head.weight:
            # what follows a stack is the next fault, unless it is the shell's last word on this one
            return (head.weight == 1 or head.type == "NSException") and self._gap <= 1
        self._heads.append(head)
        return len(self._heads) <= _MOST_HEADS

    def _other(self, at: int, line: str) -> bool:
        kind = kind_of(line)
        self._gap += 1
        if self._access is None and not self._stacks:
            self._access = access_of(line)
            if self._access is not None:
                self._took(at + 1)
                return True
        if kind is TitleKind.FOREIGN:
            return False
        if kind is TitleKind.TITLE or kind is TitleKind.SECONDARY:
            return self._titled(at, line, kind)
        if kind is TitleKind.END:
            if "SUMMARY" in line[:60] or "ABORTING" in line[:60]:
                self._end = at + 1
            return "Shadow" not in line and "ABORTING" not in line and not self._stacks
        if self._stack is not None and self._stack.frames and kind is TitleKind.OTHER:
            self._strange += 1
            return self._strange <= (_FAR if self._in_report() and self._secondary else _STRANGE)
        return self._gap <= (_FAR if self._in_report() or not self._heads else _NEAR)

    def _titled(self, at: int, line: str, kind: TitleKind) -> bool:
        if kind is TitleKind.SECONDARY:
            if self._stacks or not line.strip().startswith(("Direct", "Indirect")):
                self._secondary = _PROCESS.sub("", line.strip())[:120].rstrip(":") if self._stacks else None
                self._stack = None if self._stacks else self._stack
            return bool(self._heads or self._stacks)
        title = title_of(line)
        if not self._heads and not self._stacks and self._end and title is not None and at > 0 and self._title is None:
            return False
        self._untitled += 1
        if self._untitled > _MOST_TITLES:
            return False
        self._title, self._stack = title, None
        self._gap = 0
        if at == 0:
            self._end = 1
        return True

    def _reading(self) -> TraceReading | None:
        stack = chosen(self._stacks)
        head = self._telling_head()
        if stack is None and (head is None or not self._is_telling(head)):
            return None
        if stack is not None and head is None and not self._is_enough(stack):
            return None
        frames = tuple(stack.frames) if stack is not None else ()
        if not frames and head is not None and (head.place or head.function):
            frames = (self._named_place(head),)
        message = head.message if head is not None else None
        exception = RaisedException(head.type if head is not None else None, message, StackTrace(frames))
        thread = stack.title.thread if stack is not None and stack.title is not None else None
        span = (self._lines.start(0), max(self._lines.start(0), self._lines.end(max(self._end, 1) - 1)))
        is_truncated = not self._heads and stack is not None and self._begins_late(stack)
        chain = ExceptionChain("native", (exception,), thread, is_truncated, span, self._notes(stack))
        return TraceReading(chain, max(self._end, 1))

    def _begins_late(self, stack: NativeStack) -> bool:
        found = re.search(r"#(\d{1,5})", stack.frames[0].raw)
        return found is not None and int(found[1]) > 0

    def _named_place(self, head: NativeHead) -> Frame:
        filename, line, column = file_of(head.place)
        return Frame(head.function, None, filename, line, column)

    def _telling_head(self) -> NativeHead | None:
        """Return the most telling of the heads, with the words that the others add."""
        named = [head for head in self._heads if head.type is not None]
        if not named:
            return None
        best = max(named, key=lambda head: head.weight)
        added = next((h.message for h in self._heads if h.type is None and h.message), None)
        message = added or best.message or self._access
        return replace(best, message=message)

    def _is_telling(self, head: NativeHead) -> bool:
        """Whether a head without a stack is a separate fault."""
        if head.weight == 1 and self._is_last_word(head):
            return False
        if head.is_report and (head.type or "").startswith(("DB::", "Poco::")):
            return False  # a database's error, not its crash
        return head.weight == 3 or (head.type or "") in _FAULTS or (head.type or "").startswith("EXC")

    def _is_last_word(self, head: NativeHead) -> bool:
        """Whether a shell says how the process ended whose trace is above: right above, or a little if it aborted.

        To abort is what most runtimes do behind an exception that nobody caught; a segmentation fault is news.
        """
        count = _LAST_WORDS if head.type == "SIGABRT" else 1
        above = self._lines.before(count)
        return len(above) < count and (above[-1][0] if above else self._lines.start(0)) > 0

    def _is_enough(self, stack: NativeStack) -> bool:
        """Whether frames without any word of a fault are a stack: two of them, or one that can be nothing else."""
        first = stack.frames[0].raw
        if not _BARE.match(first):
            return True
        return len(stack.frames) > 1

    def _notes(self, stack: NativeStack | None) -> tuple[str, ...]:
        notes: list[str] = []
        if stack is not None:
            notes.extend(not_kept(stack.lost, "{} more frames of the trace were not kept"))
        others = [s for s in self._stacks if s is not stack and not s.is_secondary]
        notes.extend(Translatable("a further stack was passed over: {}", text) for text in self._passed[:20])
        if others:
            notes.append(Translatable("the stacks of {} other threads were passed over", len(others)))
        return tuple(notes)
