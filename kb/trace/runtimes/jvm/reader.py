"""Reads one JVM trace: the head, its frames, and the exceptions that hang on it."""

from dataclasses import dataclass, field

from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, Frame, Relation
from kb.trace.runtimes.jvm.assemble import Raised, assemble
from kb.trace.runtimes.jvm.crash import read_crash, starts_crash
from kb.trace.runtimes.jvm.frames import LOG_PREFIX, bare_frame_of, frame_of
from kb.trace.runtimes.jvm.headers import Head, elided, is_circular, is_shortened, read_head, read_link, weak_head
from kb.trace.runtimes.jvm.spark import executor_failure
from kb.trace.runtimes.runtime import Reading

MOST_FRAMES = 1_024
"""Frames kept of one exception: what the JVM itself keeps (MaxJavaStackTraceDepth)."""
MOST_EXCEPTIONS = 100
"""Exceptions kept of one chain."""
_MESSAGE_LINES = 60
_LOOK_BACK = 12
_MESSAGE_CHARACTERS = 20_000
_FENCES = ("```", "~~~", "</pre", "</code", "# ", "## ", "### ", "<p>", "{% end")
_DUMP_MARKS = (
    "- locked <",
    "- waiting ",
    "- parking ",
    "java.lang.Thread.State:",
    "Locked ownable",
    "- None",
    "- eliminated",
)


def starts(line: str) -> bool:
    """Whether this line tells of a JVM trace."""
    if frame_of(line) is not None or starts_crash(line):
        return True
    if read_link(line) is not None:
        return True
    head = read_head(line)
    return head is not None and head.is_sure


def read(lines: Lines) -> Reading | None:
    """Reads the trace that line 0 belongs to; looks back for its head where line 0 is a frame."""
    first = lines.get(0) or ""
    if starts_crash(first):
        return read_crash(lines)
    if frame_of(first) is not None:
        return _from_frame(lines)
    link = read_link(first)
    if link is not None:
        state = _State(lines, begin=lines.start(0), head_truncated=True)
        state.hang(link.head, None, None, link.indent)
        return state.finish(state.message(1))
    head = read_head(first)
    if head is None or not head.is_sure:
        return None
    state = _State(lines, begin=lines.start(0))
    state.hang(head, None, None, _indent(first))
    reading = state.finish(state.message(1))
    # behind other text, without frames and outside a log: a sentence that mentions a class
    is_mention = (
        head.is_behind_text and len(state.raised) == 1 and not state.current.frames and not state.current.elided
    )
    return None if is_mention else reading


def _from_frame(lines: Lines) -> Reading | None:
    above = lines.before(_LOOK_BACK)
    if _is_thread_dump(above):
        return Reading(None, _end_of_dump(lines))
    begin, head, message = lines.start(0), None, []
    for start, line in above:
        if frame_of(line) is not None or line.lstrip().startswith(_FENCES):
            break
        head = read_head(line) if len(message) == 0 or ":" in line else None
        if head is None and not message:
            head = weak_head(line)
        if head is not None and ("." in head.type or head.is_sure or not message):
            begin = start
            break
        head = None
        message.append(line)
        if LOG_PREFIX.match(line):
            break
    state = _State(lines, begin=begin, head_truncated=head is None)
    if head is not None:
        state.hang(head, None, None, 0)
        state.current.message.extend(reversed(message))
    else:
        state.hang(Head(type="", message=None), None, None, 0)
    return state.finish(0)


def _is_thread_dump(above: list[tuple[int, str]]) -> bool:
    for _, line in above:
        body = line.strip()
        if body.startswith(_DUMP_MARKS) or (
            body.startswith('"') and ("prio=" in body or "tid=" in body or body.endswith('":'))
        ):
            return True
        if not body or frame_of(line) is None:
            return False
    return False


def _end_of_dump(lines: Lines) -> int:
    at = 0
    while (line := lines.get(at)) is not None:
        body = line.strip()
        if not (body.startswith(_DUMP_MARKS) or body.startswith("- ") or frame_of(line) is not None):
            break
        at += 1
    return at


def _indent(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(8))


@dataclass(slots=True)
class _State:
    """A trace while it is being read."""

    lines: Lines
    begin: int
    head_truncated: bool = False
    raised: list[Raised] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    now: int = 0
    """The exception that frames are being added to."""
    is_repeated: bool = False
    """Whether an exception is printed a second time, as Spark's driver does: its frames are known already."""
    driver: int | None = None
    """The exception that a ``Driver stacktrace:`` belongs to."""
    left_out: int = 0

    @property
    def current(self) -> Raised:
        return self.raised[self.now]

    def hang(self, head: Head, relation: Relation | None, parent: int | None, indent: int) -> None:
        """Starts a further exception; beyond the limit it takes the place of the last one, so that the root stays."""
        outer, inner = executor_failure(head)
        added = Raised(outer, relation, parent, indent, message=[outer.message] if outer.message else [])
        if len(self.raised) >= MOST_EXCEPTIONS:
            added.parent = self.raised[-1].parent
            self.raised[-1] = added
            self.left_out += 1
        else:
            self.raised.append(added)
        if inner is not None and len(self.raised) < MOST_EXCEPTIONS:
            at = len(self.raised) - 1
            self.raised.append(
                Raised(inner, Relation.CAUSE, at, indent, message=[inner.message] if inner.message else [])
            )
            self.driver = at
        self.now = len(self.raised) - 1
        self.is_repeated = False

    def link(self, word: str, head: Head, indent: int) -> None:
        """Hangs an exception where its indentation and its introduction say."""
        if word == "Wrapped by":  # logback %rEx prints the root first: turned round when the trace is complete
            self.hang(head, None, None, indent)
            self.current.wraps_previous = True
            return
        known = [i for i, r in enumerate(self.raised) if r.head.type == head.type and r.head.message == head.message]
        if known and self.now == self.driver:
            self.now, self.is_repeated = known[0], True
            return
        parent = self.now if self.now == self.driver else self._parent(word, indent)
        self.hang(head, Relation.SUPPRESSED if word == "Suppressed" else Relation.CAUSE, parent, indent)

    def _parent(self, word: str, indent: int) -> int:
        last = len(self.raised) - 1
        if word == "Suppressed":
            at = last
            while at > 0 and self.raised[at].indent >= indent:
                at -= 1
            # indentation is lost: it hangs on what was read last
            return at if self.raised[at].indent < indent else last
        at = last
        while at > 0 and (self.raised[at].indent > indent or (indent == 0 and self._is_suppressed(at))):
            at -= 1
        return at

    def _is_suppressed(self, at: int) -> bool:
        return self.raised[at].relation is Relation.SUPPRESSED

    def message(self, at: int) -> int:
        """Reads on from the line behind a head to its first frame; only then do the lines between belong to the message."""
        between: list[str] = []
        blanks, any_blank = 0, False
        explicit = self.current.head.thread is not None or self.current.relation is not None or self.head_truncated
        for number in range(at, at + _MESSAGE_LINES):
            line = self.lines.get(number)
            if line is None or len(line) > _MESSAGE_CHARACTERS:
                return at
            if (
                frame_of(line) is not None
                or elided(line) is not None
                or read_link(line) is not None
                or is_circular(line)
            ):
                self.current.message.extend(between)
                return number
            if not between and bare_frame_of(line) is not None:
                return number
            blanks = 0 if line.strip() else blanks + 1
            any_blank = any_blank or blanks > 0
            if blanks > 2 or line.lstrip().startswith(_FENCES):
                return at
            head = read_head(line)
            if (
                head is not None
                and (head.is_sure or "." in head.type)
                and not (explicit and not any_blank and head.thread is None)
            ):
                return at
            if self._is_new_record(line):
                return at
            if not is_shortened(line):
                between.append(line)
        return at

    @staticmethod
    def _is_new_record(line: str) -> bool:
        found = LOG_PREFIX.match(line)
        return found is not None and sum(c.isdigit() for c in found[0]) >= 6 and ":" in found[0]

    def finish(self, at: int) -> Reading:
        """Reads frames and links to the end of the trace."""
        end = at
        while (line := self.lines.get(at)) is not None:
            frame = frame_of(line) or bare_frame_of(line)
            if frame is not None:
                self._add(frame)
                at += 1
                end = at
                continue
            following = self._other(line, at)
            if following is None:
                break
            if following > at + 1 or line.strip():
                end = following
            at = following
        return Reading(self._chain(end), max(end, 1))

    def _add(self, frame: Frame) -> None:
        frames = self.current.frames
        if self.is_repeated:
            return
        if len(frames) < MOST_FRAMES:
            frames.append(frame)
        else:
            self.current.cut += 1

    def _other(self, line: str, at: int) -> int | None:
        """Where reading goes on behind a line that is no frame; None where the trace ends."""
        if not line.strip():
            return self._behind_gap(at)
        if is_circular(line):
            self.notes.append(f"circular reference: {line.strip()[:200]}")
            return at + 1
        link = read_link(line)
        if link is not None:
            self.link(link.word, link.head, link.indent)
            return self.message(at + 1)
        count = elided(line)
        if count is not None:
            if not self.is_repeated:
                self.current.elided, self.current.is_common = self.current.elided + count[0], count[1]
            return at + 1
        if line.lstrip().startswith("Driver stacktrace") and self.driver is not None:
            self.now = self.driver
            return at + 1
        return self._odd(line, at)

    def _behind_gap(self, at: int) -> int | None:
        """The next line that belongs to the trace, behind blanks and an author's dots; None if there is none near."""
        for number in range(at + 1, at + 7):
            line = self.lines.get(number)
            if line is None:
                return None
            if self._goes_on(line):
                return number
            if line.strip() and not is_shortened(line):
                return None
        return None

    @staticmethod
    def _goes_on(line: str) -> bool:
        return (
            frame_of(line) is not None
            or read_link(line) is not None
            or elided(line) is not None
            or line.lstrip().startswith("Driver stacktrace")
        )

    def _odd(self, line: str, at: int) -> int | None:
        """A line that is neither: a frame broken in two, an author's dots, or the end."""
        following = self.lines.get(at + 1)
        if following is None:
            return None
        body = line.strip()
        joined = frame_of(line.rstrip() + following.strip()) if body.startswith("at ") and len(line) < 1_000 else None
        if joined is not None and frame_of(following) is None:
            self._add(joined)
            return at + 2
        goes_on = frame_of(following) is not None or read_link(following) is not None
        if is_shortened(line):
            following_at = self._behind_gap(at)
            self.current.is_shortened = self.current.is_shortened or bool(self.current.frames)
            return following_at
        head = read_head(line)
        if goes_on and head is None and not self._is_new_record(line) and not body.startswith(_FENCES):
            self.notes.append(f"a line in the middle of the trace was passed over: {body[:120]}")
            return at + 1
        return None

    def _chain(self, end: int) -> ExceptionChain:
        if self.left_out:
            self.notes.append(f"{self.left_out} exceptions before the last one were left out")
        span = (self.begin, max(self.begin, self.lines.end(max(end - 1, 0))))
        return assemble(self.raised, span=span, head_truncated=self.head_truncated, notes=tuple(self.notes))
