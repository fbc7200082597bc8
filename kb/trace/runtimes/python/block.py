"""The exceptions of one traceback while it is read: takes body after body, prefixes and borders already gone."""

from dataclasses import dataclass, field

from kb.patterns import lazy
from kb.trace.model import Frame, RaisedException, Relation, StackTrace
from kb.trace.page_breaks import broken_at
from kb.trace.runtimes.base import LONGEST_MESSAGE, MOST_EXCEPTIONS, MOST_FRAMES, FrameStack
from kb.trace.runtimes.python.syntax import (
    CAUSE_FOLLOWS,
    CONTEXT_FOLLOWS,
    arrow,
    bare_head,
    django_end,
    frame_of,
    is_traceback,
    notebook_frame,
    pretty_frame,
    raised,
    repeated,
)
from kb.translatable import Translatable

# Source under a frame whose indentation was lost: ``gw.send(x)`` at the margin is spelled as an exception is.

_NAMED = lazy(r"(?:Error|Exception|Warning|Exit|Interrupt|Group|Timeout|Iteration)$")
_CLASS = lazy(r"_?[A-Z]\w*$")
_NUMBERED = lazy(r"\d{1,7}(?:[ \t]|$)|\(\.{3}\)")
_TYPE_BEHIND = lazy(r"(?<=[\s)\]])(?=(?:[a-z_]\w{0,60}+\.){1,12}+[A-Z]\w{0,120}+: )")
_LONGEST = 2_000
_VALUES = frozenset({"None", "True", "False"})


def is_marker(line: str) -> bool:
    """Whether the line only points at the source above it: ``^^^``, or loguru's ``│ └ 70``."""
    body = line.strip(" \t")
    return bool(body) and (not body.strip("^~ \t") or body[0] in "│└")


def is_numbered(body: str) -> bool:
    """Whether a line is one of a notebook's numbered lines of source, or the gap between them."""
    return _NUMBERED.match(body) is not None


def reads_as_source(body: str, following: str | None) -> bool:
    """Whether a line at the margin, right below a frame at the margin, is the frame's source and ends no traceback.

    What follows tells: another frame, a marker under the source, or a line that looks more like an end.
    """
    like = _likeness(body)
    if following is None or not following.strip():
        return like < (2, False)
    if frame_of(following) is not None or is_marker(following):
        return like < (3, False)
    return like < _likeness(following) >= (1, False)


def is_end(body: str) -> bool:
    """Return whether a line looks like one that ends a traceback: an exception by its name."""
    return _likeness(body) >= (3, False)


def behind_source(body: str) -> str | None:
    """Return the end of a traceback that was joined to the source before it: ``raise Declined(x) app.Declined: no``."""
    found = _TYPE_BEHIND.search(body, 0, _LONGEST)
    return body[found.start() :] if found is not None else None


def _likeness(body: str) -> tuple[int, bool]:
    """Return how much a line looks like one that ends a traceback, and whether with a message; below zero where it cannot be."""
    found = raised(body)
    if found is None:
        return -1, False
    name, message = found
    if name in _VALUES or name.endswith(")"):
        return 0, bool(message)
    if _NAMED.search(name):
        return 3, bool(message)
    return (2 if _CLASS.match(name.rpartition(".")[2]) else 1 if "." in name else 0), bool(message)


MOST_NOTES = 20
_SOURCE_LINES = 12
_MOST_AT_MARGIN = 2  # lines at the margin behind which a blank one may still be the trace's
_LOCALS_LINES = 200  # rich prints the values of variables in a box of their own
_QUOTE = ('"""', "'''")  # around the traceback of another process
_RULE = lazy(r"-{20,200}+[ \t]*+$")
# e.g. `SQLSTATE: 38000`, pip's `[end of output]`
_NEW_RECORD = lazy(
    r"[\[(<]?\d{2,4}[-/.:]\d{1,2}[-/.:]\d{1,2}|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b|[$>#] |```|~~~|</?\w|#{1,6} |: |\[\w+ ?\d*\] |Exception ignored in|Stack \(most recent|(?:Current t|T)hread 0x|Process \w+-\d|During task with name|Exception in (?:callback|thread) |Task exception was never|(?:future|handle|task): <|Unhandled exception| SQLSTATE: |\[end of output\]"
)
_FENCE = lazy(r"[ \t]*+(?:`{3}|~{3})[ \t]*+$")
_ERROR_IN_CHINESE = lazy(r"(?:错误|异常|Error|Exception)$")
"""How a class ends whose name is not ASCII; other words are a sentence below a traceback that was cut."""
# e.g. raise app.Declined("no card")
_RAISES = lazy(
    r"raise (?P<type>(?:[A-Za-z_]\w{0,120}+\.){0,12}+_?[A-Z]\w{0,120}+)(?:\(\)?(?:[ur]?(?:'(?P<one>[^'\n%{\\]{1,2000}+)'|\"(?P<two>[^\"\n%{\\]{1,2000}+)\")\))?| from |[ \t]*$)"
)
"""Source that raises an exception; what it says where that is one text without gaps."""


@dataclass(slots=True)
class PythonException:
    """One exception as printed."""

    type: str
    message: str
    frames: list[Frame]
    link: Relation | None = None
    """How it hangs on the exception printed after it."""
    wrapped: str | None = None
    members: list["ExceptionBlock"] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ExceptionBlock(FrameStack):
    """The exceptions printed one after another at one level: the root first."""

    printed: list[PythonException] = field(default_factory=list)
    in_stack: bool = False
    in_message: bool = False
    is_member: bool = False
    is_boxed: bool = False
    source_lines: int = 0
    is_at_margin: bool = False
    """Whether the last frame lost its indentation, as its source will have done."""
    is_in_notebook: bool = False
    source: str = ""
    """The first line of source under the last frame."""
    above: str = ""
    """The last line of a message."""

    def feed(self, body: str, following: str | None) -> bool:
        """Take one line; False if it does not belong to the traceback."""
        if is_traceback(body):
            return self._begin()
        if CAUSE_FOLLOWS in body[:200] or CONTEXT_FOLLOWS in body[:200]:
            return self._link(Relation.CAUSE if CAUSE_FOLLOWS in body[:200] else Relation.CONTEXT)
        if self.in_stack or (self.is_member and not self.printed):
            return self._in_stack(body, following) if self.in_stack else self._raise(body)
        is_end_of_quote = body.startswith(_QUOTE) and self.printed and not body[3:].strip()
        if self.in_message and not is_end_of_quote:
            return self._in_message(body)
        self.in_message = False
        # the name of the worker's traceback is before it: RemoteTraceback: """
        is_introduced = bool(self.printed and self.printed[-1].link) and _is_introduction(body)
        return bool(is_end_of_quote) or not body.strip() or is_introduced

    def _begin(self) -> bool:
        is_second = self.in_stack and not self.frames
        if self.printed and self.printed[-1].link is None:
            return False  # another traceback, that has nothing to do with this one
        self.in_stack, self.in_message, self.source_lines = True, False, 0
        self.frames = []
        return not is_second

    def _link(self, relation: Relation) -> bool:
        self.in_message = False
        if self.printed:
            self.printed[-1].link = relation
        return bool(self.printed)

    def _in_stack(self, body: str, following: str | None) -> bool:
        if not body.strip():
            self.source_lines += 1
            return self.source_lines <= self._most_source_lines()
        cell = notebook_frame(body) if frame_of(body) is None else None
        frame = frame_of(body) or cell or (pretty_frame(body) if self.is_boxed else None)
        if frame is not None:
            self.source_lines, self.source = 0, ""
            self.is_at_margin, self.is_in_notebook = body[:1] not in (" ", "\t"), cell is not None
            self.add(frame)
            return True
        if repeated(body) is not None:
            return True  # direct recursion: one frame stands for all of it
        pointed = arrow(body)
        if pointed is not None and self.frames and self.frames[-1].lineno is None:
            last = self.frames[-1]
            self.frames[-1] = Frame(last.function, last.module, last.filename, pointed, None, last.in_app, last.raw)
        is_source = body[0] in " \t" or pointed is not None or body.startswith(("--", "...", "│", "└"))
        is_source = is_source or (self.is_in_notebook and is_numbered(body))
        self.source = self.source or body.strip()
        if is_source or (self.is_boxed and body[0] in "╭╰│❱"):
            self.source_lines += 1
            return self.source_lines <= self._most_source_lines()
        if self.is_at_margin and self.frames and self.source_lines == 0 and reads_as_source(body, following):
            self.source_lines = 1
            end = behind_source(body) if following is None or not following.strip() else None
            return end is None or self._raise(end)
        return self._raise(body) or self._is_source_at_the_margin(body, following)

    def _most_source_lines(self) -> int:
        return _LOCALS_LINES if self.is_boxed else _SOURCE_LINES

    def _is_source_at_the_margin(self, body: str, following: str | None) -> bool:
        """Whether a line that lost its indentation is source: a frame or the end of the trace follows it."""
        if is_marker(body):
            return bool(self.frames)
        self.source_lines += 1
        if not self.frames or self.source_lines > _SOURCE_LINES or _NEW_RECORD.match(body):
            return False
        if following is None or (not following.strip() and self.source_lines > _MOST_AT_MARGIN):
            return False
        return (
            not following.strip()
            or frame_of(following) is not None
            or raised(following) is not None
            or is_marker(following)
            or repeated(following) is not None
        )

    def add(self, frame: Frame) -> None:
        """Keep one more frame; beyond the limit in the place of the last one, for the raise point is printed last."""
        if len(self.frames) >= MOST_FRAMES:
            self.frames.pop()
            self.lost += 1
        self.frames.append(frame)

    def _raise(self, body: str) -> bool:
        found = django_end(body) or raised(body)
        if found is None:
            return False
        name, message = found
        if (name[:1].islower() and "." not in name) or (not name.isascii() and not _ERROR_IN_CHINESE.search(name)):
            return False
        name, _, wrapped = name.partition("(")
        self.printed.append(
            PythonException(name, message, list(reversed(self.frames)), wrapped=wrapped.rstrip(")") or None)
        )
        self.frames, self.in_stack, self.in_message, self.above = [], False, True, body
        return True

    def cut_off(self) -> None:
        """Take the exception that the last source line raises, where nothing follows it: its type, and its message where that is all written there."""
        found = _RAISES.match(self.source)
        name, message = (found["type"], found["one"] or found["two"] or "") if found is not None else ("", "")
        message = repr(message) if message and name.endswith("KeyError") else message
        self.printed.append(PythonException(name, message, list(reversed(self.frames))))

    def _in_message(self, body: str) -> bool:
        last = self.printed[-1]
        if not body.strip() or _FENCE.match(body):
            self.in_message = False
            return not body.strip()
        if body.startswith("Exception Value:"):
            last.message = body.partition(":")[2].strip()
            return True
        if _NEW_RECORD.match(body) or frame_of(body) is not None or body.lstrip().startswith("at "):
            return False
        between = broken_at(self.above, body) if last.message else None
        self.above = body
        is_of_note = bool(last.notes) and body[0] in " \t"
        is_of_message = between is not None or body[0] in " \t[(" or not last.message or last.message.endswith(":")
        if is_of_message and not is_of_note:
            between = "\n" if between is None else between
            last.message = f"{last.message}{between}{body}".strip()[:LONGEST_MESSAGE]
            return True
        return _take_note(last.notes, body, is_more=is_of_note)


def _take_note(notes: list[str], body: str, *, is_more: bool) -> bool:
    """Keep a line as a note, or with the last one that it goes on with; False for one that begins something else."""
    if is_more:
        notes[-1] = f"{notes[-1]}\n{body.rstrip()}"[:LONGEST_MESSAGE]
        return True
    if len(notes) >= MOST_NOTES or bare_head(body) is not None or _RULE.match(body):
        return False
    notes.append(body.strip())
    return True


def _is_introduction(body: str) -> bool:
    """Return a line between ``… the direct cause …:`` and the traceback: a rule, or the name of a quoted traceback."""
    return _RULE.match(body) is not None or "RemoteTraceback" in body[:200] or body.startswith(_QUOTE)


def emit(
    block: ExceptionBlock, parent: int | None, relation: Relation | None, found: list[RaisedException], notes: list[str]
) -> None:
    """Appends the exceptions of a block, the one printed last (what the user saw) first."""
    for raised_ in reversed(block.printed):
        if len(found) >= MOST_EXCEPTIONS:
            return
        at = len(found)
        link = relation if raised_ is block.printed[-1] else (raised_.link or Relation.CONTEXT)
        found.append(
            RaisedException(
                raised_.type or None,
                raised_.message.removesuffix("```").rstrip() or None,
                StackTrace(tuple(raised_.frames)),
                link,
                parent,
                wrapped_type=raised_.wrapped,
            )
        )
        notes.extend(Translatable("{} is noted: {}", raised_.type, note) for note in raised_.notes)
        for member in raised_.members:
            emit(member, at, Relation.GROUPED, found, notes)
        parent = at
