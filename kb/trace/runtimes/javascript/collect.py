"""Line by line: errors, their frames, and the dump of properties that Node prints behind them, causes and members in it."""

import re

from kb.patterns import lazy
from kb.trace.model import Frame, RaisedException, Relation
from kb.trace.rules import names
from kb.trace.runtimes.base import MOST_EXCEPTIONS
from kb.trace.runtimes.javascript.frames import frame_of, inner_frame_of
from kb.trace.runtimes.javascript.heads import (
    JavaScriptError,
    JavaScriptHead,
    assembled,
    head_of,
    heads_within,
    indent_of,
    weak_head_of,
)
from kb.translatable import Translatable

_MOST_MESSAGE_LINES = 60
_MOST_NOTES = 20
_LONGEST_VALUE = 200
_DEEPEST_DUMP = 40
_MOST_DUMP_LINES = 1_000_000
_MOST_WITHOUT_FRAMES = 24

# e.g. ... 6 lines matching cause stack trace ...
_ELIDED = lazy(r"[ \t]*+\.{3} (?P<count>\d{1,6}) lines matching cause stack trace \.{3}(?P<tail>[ \t]*+\{?,?)[ \t]*+$")
_REPEATED = lazy(r"[ \t]*+\.{3} collapsed \d{1,9} duplicate lines .{0,120}\.{3}[ \t]*+$")
# e.g. `... 4 more frames`
_DOTS = lazy(
    r"[ \t]*+(?:\.{3,10}|…{1,3}|\[\.{3}\]|(?:at )?\.{3} ?\d{1,6} more(?: frames?)?|\.{3} \(\d{1,6} more\))[ \t]*+$"
)
# e.g. Caused by: x
_CAUSED = lazy(
    r"[ \t]*+(?:(?i:caused by|cause|root cause|inner error|original error|reason)(?:[ \t]*+[\[(#]{0,2}\d{1,3}(?:(?:/| of )\d{1,3})?[\])]{0,2})?|\[(?:cause|error|suppressed|\]))\]?: (?P<rest>\S.*)$",
    re.DOTALL,
)
_CAUSE_ALONE = lazy(r"[ \t]*+(?i:cause|caused by):[ \t]*+$")
# e.g. From previous event:
_SECONDARY = lazy(
    r"[ \t]*+(?:From previous event:|Emitted '[^'\n]{1,80}' event (?:on [^\n]{1,200} instance )?at:|-{8,80}|─{8,80}|Error location:|async stack trace:?|Call Stack:?|=== Async .{0,80}|={4,80})[ \t]*+$",
    re.IGNORECASE,
)
# e.g. > 3 |
_SOURCE = lazy(r"[ \t]*+(?:>[ \t]*+)?\d{0,6}[ \t]*+[|│]|[ \t]*+\^{1,200}[ \t]*+$|[ \t]*+at line \d{1,9}[ \t]*+$")
_COMPONENT = lazy(  # React Native's list of components, put into the message
    r"[ \t]*+(?:This error is located at:|in [\w$.<>()]{1,100} \((?:at|created by) [^\n]{1,300}\))[ \t]*+$"
)
_MOST_SHOWN = 12
_PROPERTY = lazy(r"(?P<key>\[?[A-Za-z_$'\"][\w$ '\"@./-]{0,80}?\]?): (?P<rest>\S.*)$", re.DOTALL)
_SYMBOL_KEY = lazy(r"\[?Symbol\([^)]{1,60}\)\]?: (?P<rest>\S.*)$", re.DOTALL)
_CLOSERS = lazy(r"[}\])]{1,8},?;?$")
_RECORD = lazy(
    r"\[?\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d[ .,]|\[\w{1,20}\] \d|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b|```|~~~|\$ |# "
)
_GROUPS = frozenset({"errors", "aggregateerrors", "suppressederrors", "graphqlerrors", "networkerrors", "clienterrors"})


class Collector:
    """Takes the lines of one trace; ``feed`` says when it is over."""

    def __init__(self, head: JavaScriptHead | None, message: list[str]) -> None:
        self.raised = [JavaScriptError(head, message=message)]
        self.notes: list[str] = []
        self._at = 0  # the error whose lines are read
        self._open: list[tuple[str, int]] = []  # brackets of the dump: what they hold and whose they are
        self._is_secondary = False
        self._dumped = self._shown = 0  # lines of the dump, and of source between frames
        self._is_copied = False  # the frames are a console's, not the engine's own
        self._awaits_cause = self.has_frames = self._is_flat = False
        self.is_dump = False  # of an error for certain, even without frames: it names a further one, or has a code
        if head is not None:
            self._note_code(head)
            if head.opens:
                self._open.append(("properties", 0))

    @property
    def _now(self) -> JavaScriptError:
        return self.raised[self._at]

    @property
    def in_dump(self) -> bool:
        """Whether a bracket is still open."""
        return bool(self._open)

    def feed(self, line: str, following: str | None) -> bool:
        """Take a line; False if it does not belong to the trace. ``following`` is the next line that is not blank."""
        if self._framed(line) or self._left_out(line):
            return True
        if self._open:
            return self._in_dump(line)
        return self._behind_frames(line, following) if self._now.frames else self._in_message(line)

    def _framed(self, line: str) -> bool:
        frame = frame_of(line)
        if frame is not None:
            self._is_copied = False
            self._frame(frame, line)
            return True
        frame = inner_frame_of(line) if not self._open else None
        if frame is not None:
            self._is_copied = self._is_copied or not self._now.frames
            if self._is_copied or "@" not in line or "[native" in line:  # else a console's, which tell who logged
                self._frame(frame, line)
        return frame is not None

    def _left_out(self, line: str) -> bool:
        """Whether the line stands for frames that were not printed."""
        elided = _ELIDED.match(line) if "lines matching" in line else None
        if elided is not None:
            self._now.elided.append((len(self._now.frames), int(elided["count"])))
            self._after(elided["tail"])
            return True
        return _REPEATED.match(line) is not None or (bool(self._now.frames) and _DOTS.match(line) is not None)

    def _frame(self, frame: Frame, line: str) -> None:
        if self._is_secondary:
            return
        self._awaits_cause, self._shown = False, 0
        self.has_frames = True
        self._is_flat = line.startswith("at ")
        now = self._now
        if (
            now.relation is Relation.GROUPED
            and not self._open
            and now.parent is not None
            and indent_of(line) <= now.indent
        ):
            self._at = now.parent  # Deno prints the members first
        self._now.add(frame)
        self._after(line.rstrip()[-8:])

    def _after(self, tail: str) -> None:
        """What the end of a frame's line opens or ends."""
        tail = tail.rstrip()
        if tail.endswith("{"):
            self._push("properties", self._at)
        elif self._open and tail.endswith(","):
            self._at = self._open[-1][1]

    def _push(self, kind: str, owner: int) -> None:
        if len(self._open) < _DEEPEST_DUMP:
            self._open.append((kind, owner))

    def _in_message(self, line: str) -> bool:
        now, text = self._now, line.strip()
        if _COMPONENT.match(line):
            return True
        if _SOURCE.match(line) or _SECONDARY.match(line):
            self._shown += 1  # such a line may name an error itself: each would look at all others below
            return self._shown <= _MOST_MESSAGE_LINES
        if len(now.message) >= _MOST_MESSAGE_LINES or (text and _RECORD.match(text) and not line[:1].isspace()):
            return False
        if text and head_of(line) is not None:
            is_member = line[:1].isspace() and now.head is not None and now.head.type == "AggregateError"
            return is_member and self._new(head_of(line), Relation.GROUPED, self._at, indent_of(line))
        now.message.append(line.rstrip())
        return True

    def _behind_frames(self, line: str, following: str | None) -> bool:
        text = line.strip()
        if not text:
            return following is not None and self._goes_on(following)
        if _SOURCE.match(line) and self._shown < _MOST_SHOWN:
            self._shown += 1
            return True
        if _SECONDARY.match(line) and following is not None and frame_of(following) is not None:
            if not self._is_secondary:
                self.notes.append(Translatable("the frames of earlier events behind the error's own were passed over"))
            self._is_secondary = True
            return True
        return self._linked(line, text)

    def _linked(self, line: str, text: str) -> bool:
        """Take the line that names a cause or a further member; False if it names none."""
        if self._awaits_cause:
            return self._new(weak_head_of(line) or JavaScriptHead("Error", text), Relation.CAUSE, self._at)
        if _CAUSE_ALONE.match(line):
            self._awaits_cause = True
            return True
        caused = _CAUSED.match(line)
        if caused is not None:
            return self._new(weak_head_of(caused["rest"]), Relation.CAUSE, self._at)
        if self._now.relation is not Relation.GROUPED or not line[:1].isspace():
            return False
        return self._new(head_of(line), Relation.GROUPED, self._now.parent, indent_of(line))

    def _goes_on(self, following: str) -> bool:
        """Whether the trace goes on behind a blank line."""
        if (
            _CAUSED.match(following)
            or _CAUSE_ALONE.match(following)
            or self._awaits_cause
            or _SECONDARY.match(following)
        ):
            return True
        return frame_of(following) is not None and (following[:1].isspace() or "@" in following)

    def _new(self, head: JavaScriptHead | None, relation: Relation, parent: int | None, indent: int = 0) -> bool:
        if head is None:
            return False
        if len(self.raised) >= MOST_EXCEPTIONS:
            self._is_secondary = True
            self._note("more errors hang on it than were read")
            return True
        self._is_secondary = self._awaits_cause = False
        self.is_dump = self.is_dump or bool(self._open)
        self.raised.append(JavaScriptError(head, relation, parent, indent=indent))
        self._at = len(self.raised) - 1
        self._note_code(head)
        if head.opens:
            self._push("properties", self._at)
        return True

    def _note_code(self, head: JavaScriptHead) -> None:
        if head.code is not None:
            self._note("{} has code {}", head.type, head.code)

    def _note(self, form: str, *values: str) -> None:
        note = Translatable(form, *(one if len(one) <= _LONGEST_VALUE else one[:_LONGEST_VALUE] for one in values))
        if len(self.notes) < _MOST_NOTES and note not in self.notes:
            self.notes.append(note)

    def _in_dump(self, line: str) -> bool:
        self._dumped += 1
        text = line.strip()
        is_flat = self._is_flat and (_PROPERTY.match(text) or _SYMBOL_KEY.match(text) or text.endswith((",", "{", "[")))
        if self._dumped > (_MOST_DUMP_LINES if self.has_frames or self.is_dump else _MOST_WITHOUT_FRAMES) or (
            text and not is_flat and not line[:1].isspace() and text[0] not in "}])"
        ):
            now = self._now
            if not now.frames and not now.elided and self._at and self._dumped <= _MOST_MESSAGE_LINES:
                now.message.append(text)
                return True
            return False
        if not text:
            return True
        if _CLOSERS.match(text):
            self._close(text.count("}") + text.count("]"))
            return True
        kind, owner = self._open[-1]
        keyed = _PROPERTY.match(text) or _SYMBOL_KEY.match(text)
        if kind == "errors":
            self._member(text, owner)
        elif (
            keyed is not None and kind != "other" and (not self._collects(owner) or text[0] == "[" or text[0].islower())
        ):
            self._property(keyed.groupdict().get("key") or "", keyed["rest"], owner)
            if text.endswith("}") and text.count("}") > text.count("{"):
                self._close(1)
        elif self._collects(owner):
            self._now.message.append(text)
        elif text.endswith(("{", "[", "(")):
            self._push("other", owner)
        return True

    def _collects(self, owner: int) -> bool:
        """Whether an error was named in the dump whose message may still go on."""
        now = self._now
        return self._at != owner and not now.frames and not now.elided and len(now.message) < _MOST_MESSAGE_LINES

    def _close(self, count: int) -> None:
        for _ in range(count):
            if self._open:
                self._at = self._open.pop()[1]
        if self._open:
            self._at = self._open[-1][1]

    def _member(self, text: str, owner: int) -> None:
        head = head_of(text)
        if head is not None:
            self._new(head, Relation.GROUPED, owner)
            return
        if self._collects(owner):
            self._now.message.append(text)
        elif text.endswith(("{", "[")):
            self._push("other", owner)

    def _property(self, key: str, rest: str, owner: int) -> None:
        name = key.strip("[]'\" ").lower()
        self._at = owner
        if name in _GROUPS and rest.startswith("["):
            if rest.rstrip(" ,").endswith("]") and rest.strip(" ,[]"):
                for member in heads_within(rest)[:MOST_EXCEPTIONS]:
                    self._new(member, Relation.GROUPED, owner)
                self._at = owner
            elif rest.rstrip() == "[":
                self._push("errors", owner)
            return
        head = (
            weak_head_of(rest) if name in names("javascript_causes") and not rest.startswith(("'", '"', "`")) else None
        )
        if head is not None:
            is_first = not any(r.parent == owner and r.relation is Relation.CAUSE for r in self.raised)
            if is_first or name in ("cause", "suppressed"):
                relation = Relation.SUPPRESSED if name == "suppressed" else Relation.CAUSE
                self._new(head, relation, owner)
                if rest.lstrip().startswith("[") and not head.opens:
                    self._at = owner
                return
        if rest.rstrip().endswith(("{", "[", "(")):
            self._push("other", owner)
        elif head is None:
            self.is_dump = self.is_dump or key in ("code", "errno", "syscall")
            owner_head = self.raised[owner].head
            whose = owner_head.type if owner_head is not None else Translatable("the error")
            self._note("{} has {}: {}", whose, key, _value(rest))

    def exceptions(self) -> tuple[RaisedException, ...]:
        """Return all errors, the outermost first."""
        return assembled(self.raised, self.notes)


def _value(text: str) -> str:
    text = text.rstrip(", ")
    return text[:-1].rstrip() if text.endswith("}") and text.count("}") > text.count("{") else text
