"""What stands around a Ruby backtrace: the head above bare frames, and what tools add to a message."""

import re
from dataclasses import dataclass

from kb.trace.lines import Lines
from kb.trace.runtimes.ruby.syntax import RubyHead, bare_frame, from_frame, prefix_end, typed_head

FROM_REPORT = "Information for cause: "
_LOOK_BACK = 30
_POINTER = re.compile(r"[ \t]*+[\^~][\^~ ]*+$")
_SOURCE = re.compile(r"[ \t]*+(?:>|=>|-->)?[ \t]*+\d{1,6}(?::| \|)(?: |$)")
_FAILURE = re.compile(r"[ \t]*+Failure/Error: ?(?P<source>.*)$")
_JSON_CLASS = re.compile(
    r'"(?:class|error_class|exception_class|exception|type|error_type|klass)"[ \t]*+:[ \t]*+"(?P<type>[A-Z][\w:]{1,200})"'
)
_JSON_MESSAGE = re.compile(
    r'"(?:message|error_message|msg|error)"[ \t]*+:[ \t]*+"(?P<message>(?:[^"\\\n]|\\.){0,2000}+)"'
)
_JSON_LIST = re.compile(r'"[\w.]{0,20}(?:backtrace|stack|stacktrace|trace|stack_trace)"[ \t]*+:[ \t]*+\[')


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
    """The head above line 0, which is a frame; None if it is cut off."""
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
    """The head, if the line is one; what stands below it, nearest the frames first, is its message's."""
    failure = _FAILURE.match(line)
    if failure is not None:
        return _expectation(below, start, failure["source"])
    head = typed_head(line)
    return BareHead(line, start, tuple(reversed(below)), head) if head is not None else None


def _expectation(below: list[str], start: int, source: str) -> BareHead:
    """A failed example of RSpec: no type is printed, what was expected is the message."""
    lines = [line.strip() for line in reversed(below) if not line.lstrip().startswith("#")]
    told = RubyHead(None, lines[0] if lines else source)
    return BareHead(source, start, tuple(lines[1:]), told)


def _listed(lines: Lines) -> BareHead | None:
    """The class and the message beside a backtrace in JSON, above it."""
    kind = message = None
    start = lines.start(0)
    for begin, line in [(start, lines.get(0) or ""), *lines.before(8)]:
        found = _JSON_CLASS.search(line) if kind is None else None
        said = _JSON_MESSAGE.search(line) if message is None else None
        if found is not None or said is not None:
            start = min(start, begin)
        kind = found["type"] if found is not None else kind
        message = said["message"] if said is not None else message
    return BareHead("", start, (), RubyHead(kind, message or "")) if kind is not None else None


def _is_record(line: str) -> bool:
    """Whether a logger begins a record here."""
    return sum(c.isdigit() for c in line[: prefix_end(line)]) >= 6


def tidy(first: str, below: list[str]) -> str:
    """A message without the excerpts that error_highlight and syntax_suggest draw below it."""
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
    return re.sub(r"\n{2,}", "\n", text).strip()[:20_000]
