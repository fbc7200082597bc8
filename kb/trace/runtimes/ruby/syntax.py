"""The lines of a Ruby backtrace: frames, heads, and what loggers and test runners make of them."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX, Lines, holds_time
from kb.trace.model import Frame
from kb.trace.runtimes.base import LONGEST_MESSAGE
from kb.trace.runtimes.ruby.names import label_function, place

LONGEST = 4_000
"""A longer line is no frame."""
REVERSED = lazy(r"[ \t]*+(?:\S{1,60}[ \t]++)?Traceback[ \t]++\(most recent call last\):")
"""Colours were blanked out: there may be any number of blanks."""

_TYPE = r"(?:[A-Z]\w{0,120}+(?:::[A-Z]\w{0,120}+){0,12}+|#<Class:0x[0-9a-f]{1,16}>(?:::[A-Z]\w{0,120}+){0,4})"
_SPECIAL = r"<internal:[\w/.-]{1,100}+>|\(eval at [^()\n]{1,400}:\d{1,9}\)|\((?:eval|irb|pry|erb|IRB)[^()\n]{0,60}\)|-e"
_DRIVE = r"(?:(?:file|jar|uri:classloader|jar:file):|[A-Za-z]:(?=[/\\]))?"
# gem (1.2) lib/x.rb as Rails prints it; a path; ends before :line
_FILE = rf"(?P<file>{_SPECIAL}|(?:[\w.-]{{1,80}}+ \([\w.-]{{1,40}}+\) )?{_DRIVE}[^\s:\"'`|()<>]{{1,500}}+(?::(?!\d)[^\s:\"'`|()<>]{{1,300}}+){{0,3}}+)"
_FILE_WITH_BLANKS = (
    rf"(?P<file>{_SPECIAL}|{_DRIVE}[^\s:\"'`|][^:\"'`|\n]{{0,500}}+(?::(?!\d)[^\s:\"'`|()<>]{{1,300}}+){{0,3}}+)"
)
_LABEL = r":in (?:[`'‘“´]|&#39;|&quot;)(?P<label>(?:[^'’”`\n&]|&[lg]t;){1,400}+)(?:['’”`]|&#39;)"
# A frame anywhere on a line: it begins a word, and its file has no blanks
_ANYWHERE = lazy(rf"(?<![^\s\"'\[(|>,#]){_FILE}:(?P<line>\d{{1,9}}+){_LABEL}(?P<rest>: ?|(?=[\s\"',\])|<\\]|$))")
# e.g. 1: from a.rb:4:in `f'
_FROM = lazy(rf"(?:(?P<number>\d{{1,7}}): |- )?from {_FILE_WITH_BLANKS}:(?P<line>\d{{1,9}}+)(?:{_LABEL})?[\s\"',\\]*+$")
_FROM_AT = lazy(r"(?:(?<=[\s:>|\]])|^)(?:\d{1,7}: |- )?from (?=\S)")
# e.g. `a.rb:9`
_UNLABELLED = lazy(
    r"[\s#\"'*-]*+(?P<file>[^\s:\"'`|()<>]{1,500}\.(?:rb|erb|rake|ru|haml|slim|feature|gemspec)|-e|\(eval\)):(?P<line>\d{1,9}+)[\s\"',]*+$"
)
# e.g. /b.rb:3: syntax error, z
_UNLABELLED_HEAD = lazy(
    r"(?P<file>[^\s:\"'`|()<>]{1,500}\.(?:rb|erb|rake|ru)|-e|\(eval\)):(?P<line>\d{1,9}+): (?P<message>\S.{0,2000})$"
)
# e.g. f at a.rb:3
_JRUBY = lazy(
    r"[ \t]++(?:from )?(?P<label>[^\s()]{1,200}) at (?P<file>[^\s:()]{1,500}(?:\.rb|\.erb|\.java|\.ru)|-e|\(eval\)):(?P<line>\d{1,9}+)[ \t]*+$"
)
# e.g. `E, [2024-05-01T10:00:00.000000 #12] ERROR -- : boom`
_OWN_PREFIX = lazy(r"[ \t]*+(?:[DIWEFAU], (?=\[)|(?:[a-z_]{1,40}+=[^\s=]{1,200}+[ \t]++){1,16}+)")
_MAYBE_TYPE = lazy(r"(?<![\w:.])[A-Z]\w{1,120}+(?:::[A-Z]\w{0,120}+){0,12}+(?=: | \()")
_MOST_MAYBE = 12
_ROUNDS = 4
_LISTED = lazy(r'"\w{0,20}(?:backtrace|stack|trace)\w{0,20}"[ \t]*+:[ \t]*+\["$')
_LEVELS = lazy(r"[ \t]*+\.{3} (?P<count>\d{1,9}) levels\.{3}[ \t]*+$")
_ENDS_WITH_TYPE = lazy(rf"[ \t]*+\([ \t]*+(?P<type>{_TYPE})[ \t]*+\)[ \t]*+$")
# e.g. A::BError (x):
_RAILS = lazy(rf"(?:Information for(?: cause)?: |Caused by: )?(?P<type>{_TYPE}) \((?P<message>.*)$", re.DOTALL)
_TYPED = lazy(rf"(?:Caused by: )?(?P<type>{_TYPE})(?:: (?P<message>.*)|:?[ \t]*+$)", re.DOTALL)
# e.g. Interrupt
_NAMED = lazy(r"::|(?:Error|Exception|Interrupt|Failure|Timeout|NotFound|Exit|Invalid|Missing|Denied)$")
# e.g. #<Thread:0x00007f@importer a.rb:2 run> terminated with exception (report_on_exception is true):
_THREAD = lazy(r"#<Thread:0x[0-9a-f]{1,16}(?:@(?P<name>[^\s>]{1,80}))? ?[^>\n]{0,300}> terminated with exception")

HINTS = ("\\n", "' from ", "’ from ", ") from ", '",')
"""Literals of which one is on every line that holds a break."""
BREAK = lazy(
    r"(?:\\{1,2}r)?\\{1,2}n(?:\\{1,2}t)?(?=from |[^\s:\"'`|()<>\\]{1,300}:\d{1,9}:in )|\\{1,2}n\\{1,2}t|"
    r"(?<=[)'’])[ \t]++(?=from [^\s:\"'`]{1,300}:\d{1,9}:in [`'])|(?<=['’][\"']),[ \t]*+(?=[\"'])"
)
"""Between the lines of a backtrace on one line: escaped breaks, ``from``, the elements of an array."""


@dataclass(frozen=True, slots=True)
class RubyHead:
    """What a head line says. ``frame`` is the raise point where the line names it."""

    type: str | None
    message: str
    frame: Frame | None = None


def _frame(found: re.Match[str], line: str) -> Frame:
    label = found["label"]
    function = label_function(label.replace("&lt;", "<").replace("&gt;", ">")) if label else None
    module, rank = place(found["file"].strip())
    return Frame(function, module, found["file"].strip(), int(found["line"]), None, rank == 0, line.strip())


def _is_lead(line: str, end: int) -> bool:
    """Whether only decoration or a logger's prefix is before this place."""
    before = line[:end].strip(" \t#\"'[(>|*-,\\")
    return not before or prefix_end(line, end) >= end or _LISTED.search(line[:end]) is not None


def prefix_end(line: str, most: int = LONGEST) -> int:
    """Return where a logger's prefix ends: the usual tokens, the ``E, `` of Ruby's own logger, ``tid=1`` of Sidekiq."""
    at = 0
    for _ in range(_ROUNDS):
        known = LOG_PREFIX.match(line, at)
        at, begun = known.end() if known is not None else at, at
        own = _OWN_PREFIX.match(line, at)
        at = own.end() if own is not None else at
        if at in (begun, most) or at > most:
            break
    return at


@lru_cache(maxsize=8_192)
def from_frame(line: str) -> tuple[Frame, int | None] | None:
    """Return the frame on a ``from`` line, with its number where it has one (reversed backtraces)."""
    if "from " not in line or len(line) > LONGEST:
        return None
    begins = _FROM_AT.search(line)
    found = _FROM.match(line, begins.start()) if begins is not None else None
    if begins is None or found is None or not _is_lead(line, begins.start()):
        return None
    return _frame(found, line), int(found["number"]) if found["number"] else None


@lru_cache(maxsize=8_192)
def bare_frame(line: str) -> Frame | None:
    """Return a frame without ``from``: logs of Rails, RSpec, minitest, arrays in JSON."""
    if ":in " not in line or len(line) > LONGEST:
        return None
    found = _ANYWHERE.search(line)
    if found is None or found["rest"] or not _is_lead(line, found.start()):
        return None
    if line[found.end() :].strip(" \t\"',]})|\\"):
        return None
    return _frame(found, line)


def loose_frame(line: str) -> Frame | None:
    """Also frames that only count inside a trace: without a label, or as JRuby's old backtraces print them."""
    frame = bare_frame(line)
    if frame is None and len(line) <= LONGEST:
        found = _UNLABELLED.match(line) or _JRUBY.match(line)
        frame = _frame_of_part(found, line) if found is not None else None
    return frame


def _frame_of_part(found: re.Match[str], line: str) -> Frame:
    parts = found.groupdict()
    module, rank = place(parts["file"])
    label = parts.get("label")
    function = label_function(label) if label else None
    return Frame(function, module, parts["file"], int(parts["line"]), None, rank == 0, line.strip())


def jruby_frame(line: str) -> Frame | None:
    """Return a line ``method at file.rb:3`` of JRuby's own format."""
    found = _JRUBY.match(line) if " at " in line and len(line) <= LONGEST else None
    return _frame_of_part(found, line) if found is not None else None


@lru_cache(maxsize=8_192)
def place_head(line: str) -> RubyHead | None:
    """Return a head that names its raise point: ``file:3:in `f': message (Type)``."""
    if len(line) > 20_000:
        return None
    found = _ANYWHERE.search(line) if ":in " in line[:LONGEST] else None
    if found is not None:
        before = line[: found.start()]
        if not found["rest"] or not _is_lead(line, found.start()) or "from " in before[-12:]:
            return None
        return _with_type(line[found.end() :].strip(), _frame(found, line[: found.end()].rstrip(": ")))
    return _labelless(line)


def _labelless(line: str) -> RubyHead | None:
    """Return the head of a syntax error, which is in no method."""
    if ".rb:" not in line and "-e:" not in line and "(eval)" not in line and ".erb:" not in line:
        return None
    found = _UNLABELLED_HEAD.match(line)
    if found is None:
        return None
    head = _with_type(found["message"], _frame_of_part(found, line[: found.start("message")].rstrip(": ")))
    if found["message"].startswith("syntax error"):
        return RubyHead(head.type or "SyntaxError", head.message, head.frame)
    return head if head.type is not None else None


def _with_type(rest: str, frame: Frame | None) -> RubyHead:
    ends = _ENDS_WITH_TYPE.search(rest[-400:])
    if ends is not None:
        message = rest[: len(rest[:-400]) + ends.start()] if len(rest) > 400 else rest[: ends.start()]
        return RubyHead(ends["type"], message.strip(), frame)
    if rest == "unhandled exception":  # what Ruby prints for `raise ""`
        return RubyHead("RuntimeError", rest, frame)
    if re.fullmatch(_TYPE, rest) and "<" not in rest:  # an exception without message: Interrupt
        return RubyHead(rest, "", frame)
    return RubyHead(None, rest, frame)


def ends_with_type(line: str) -> tuple[str, str] | None:
    """Message and type of a line ``message (Type)``."""
    head = _with_type(line.rstrip(), None)
    return (head.message, head.type) if head.type is not None and line.rstrip().endswith(")") else None


def typed_head(line: str) -> RubyHead | None:
    """Return a head without raise point: ``Type (message):``, ``Type: message``, ``message (Type)``, behind any log prefix."""
    if len(line) > 20_000:
        return None
    body = line.strip(" \t#\"'*")
    end = prefix_end(body)
    # the prefix may have eaten the type, too, as if it were a logger
    maybe = islice(_MAYBE_TYPE.finditer(body, 0, end + 300), _MOST_MAYBE)
    eaten = [found.start() for found in maybe if found.start() <= end]
    for at in dict.fromkeys((0, *eaten, end)):
        rails = _RAILS.match(body, at)
        if rails is not None and _NAMED.search(rails["type"]):
            message = rails["message"].rstrip()
            return RubyHead(rails["type"], message.removesuffix(":").removesuffix(")"))
        typed = _TYPED.match(body, at)
        if typed is not None and _NAMED.search(typed["type"]) and typed["type"] != "Error":
            return RubyHead(typed["type"], (typed["message"] or "").strip())
    ending = ends_with_type(body[end:])
    if ending is not None and _NAMED.search(ending[1]) and '="' not in ending[0]:  # no field of a log: error="m (Type)"
        return RubyHead(ending[1], ending[0])
    return None


def levels(line: str) -> int | None:
    """Return the count of `` ... 10067 levels...``."""
    found = _LEVELS.match(line) if "levels..." in line[:100] else None
    return int(found["count"]) if found is not None else None


def thread_of(line: str) -> str | None:
    """Return the name of a thread that ``terminated with exception``; the empty text if it has none."""
    found = _THREAD.search(line) if "terminated with exception" in line[:600] else None
    return (found["name"] or "") if found is not None else None


# What is around a Ruby backtrace: the head above bare frames, and what tools add to a message.

FROM_REPORT = "Information for cause: "
_LOOK_BACK = 30
_POINTER = lazy(r"[ \t]*+[\^~][\^~ ]*+$")
_SOURCE = lazy(r"[ \t]*+(?:>|=>|-->)?[ \t]*+\d{1,6}(?::| \|)(?: |$)")
_FAILURE = lazy(r"[ \t]*+Failure/Error: ?(?P<source>.*)$")
# e.g. "class": "Shop::OutOfStock",
_JSON_CLASS = lazy(
    r'"(?:class|error_class|exception_class|exception|type|error_type|klass)"[ \t]*+:[ \t]*+"(?P<type>[A-Z][\w:]{1,200})"'
)
# e.g. "message": "nothing left of C-9",
_JSON_MESSAGE = lazy(r'"(?:message|error_message|msg|error)"[ \t]*+:[ \t]*+"(?P<message>(?:[^"\\\n]|\\.){0,2000}+)"')
# e.g. "backtrace": [
_JSON_LIST = lazy(r'"[\w.]{0,20}(?:backtrace|stack|stacktrace|trace|stack_trace)"[ \t]*+:[ \t]*+\[')


@dataclass(frozen=True, slots=True)
class BareHead:
    """The head of bare frames."""

    line: str
    start: int | None = None
    """Where in the text it begins; None for the line that was given."""
    below: tuple[str, ...] = ()
    """The lines between it and the frames."""
    matched_head: RubyHead | None = None

    @property
    def head(self) -> RubyHead | None:
        """What the head says."""
        return self.matched_head or typed_head(self.line)


def above(lines: Lines) -> BareHead | None:
    """Return the head above line 0, which is a frame; None if it is cut off."""
    below: list[str] = []
    listed = _JSON_LIST.search(lines.get(0) or "") is not None
    found = _listed(lines) if listed else None
    for start, line in lines.before(_LOOK_BACK) if found is None else ():
        is_empty = not line.strip() or (_is_record(line) and prefix_end(line) >= len(line.rstrip()))
        if is_empty or _SOURCE.match(line):
            continue
        if _JSON_LIST.search(line):
            found = _listed(lines)
        if found is not None or bare_frame(line) is not None or from_frame(line) is not None:
            break
        found = _bare_head(line, start, below)
        if found is not None or (_is_record(line) and below):
            break
        below.append(line.rstrip().removesuffix("):"))
    return found


def _bare_head(line: str, start: int, below: list[str]) -> BareHead | None:
    """Return the head, if the line is one; what is below it, nearest the frames first, is its message's."""
    failure = _FAILURE.match(line)
    if failure is not None:
        return _expectation(below, start, failure["source"])
    head = typed_head(line)
    return BareHead(line, start, tuple(reversed(below)), head) if head is not None else None


def _expectation(below: list[str], start: int, source: str) -> BareHead:
    """Return a failed example of RSpec: no type is printed, what was expected is the message."""
    lines = [line.strip() for line in reversed(below) if not line.lstrip().startswith("#")]
    head = RubyHead(None, lines[0] if lines else source)
    return BareHead(source, start, tuple(lines[1:]), head)


def _listed(lines: Lines) -> BareHead | None:
    """Return the class and the message beside a backtrace in JSON, above it."""
    kind = message = None
    start = lines.start(0)
    for begin, line in [(start, lines.get(0) or ""), *lines.before(8)]:
        found = _JSON_CLASS.search(line) if kind is None else None
        quoted = _JSON_MESSAGE.search(line) if message is None else None
        if found is not None or quoted is not None:
            start = min(start, begin)
        kind = found["type"] if found is not None else kind
        message = quoted["message"] if quoted is not None else message
    return BareHead("", start, (), RubyHead(kind, message or "")) if kind is not None else None


def _is_record(line: str) -> bool:
    """Whether a logger begins a record here."""
    return holds_time(line[: prefix_end(line)])


def tidy(first: str, below: list[str]) -> str:
    """Return a message without the excerpts that error_highlight and syntax_suggest draw below it."""
    kept: list[str] = []
    for line in below:
        if _POINTER.match(line):
            if kept:
                kept.pop()
            continue
        if _SOURCE.match(line):
            continue
        if kept and kept[-1].startswith("Did you mean?") and line[:2].isspace():
            kept[-1] += f", {line.strip()}"
            continue
        kept.append(line.strip() if line[:4].isspace() else line.rstrip())
    text = "\n".join([first, *kept]) if first else "\n".join(kept)
    return re.sub(r"\n{2,}", "\n", text).strip()[:LONGEST_MESSAGE]
