"""Two forms of their own: ASP.NET's error page (the innermost exception first, in brackets) and PowerShell's errors."""

import re
from dataclasses import dataclass, field

from kb.patterns import lazy
from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.runtimes.base import LONGEST_MESSAGE, MOST_EXCEPTIONS, MOST_FRAMES, FrameStack, TraceReading, not_kept
from kb.trace.runtimes.dotnet.frames import bare_frame_of, frame_of
from kb.trace.runtimes.dotnet.heads import TYPE, DotnetHead, head_of, plain_head

# A .NET trace while it is being read: ``Exception.ToString`` of an exception holds those of its inner ones.
#
# Head, ``---> `` inner exception with its own frames, the marker that ends it, then the own frames; a group appends its members.
# So the exceptions that are not yet ended form a stack, and frames belong to the one on its top.


@dataclass(slots=True)
class DotnetException(FrameStack):
    """An exception while its trace is being read."""

    type: str | None
    message: list[str] = field(default_factory=list)
    parent: int | None = None
    relation: Relation | None = None
    number: int | None = None
    """Of a member of a group, as printed."""
    has_code: bool = False
    is_copy: bool = False
    """Whether it was printed before, with all that hangs on it."""

    @property
    def is_group(self) -> bool:
        return (self.type or "").endswith(("AggregateException", "CompositionException"))


@dataclass(slots=True)
class OpenExceptions:
    """The exceptions read so far."""

    raised: list[DotnetException] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left_out: int = 0

    @property
    def current(self) -> DotnetException:
        """The exception that frames are added to."""
        return self.raised[self.open[-1]]

    def begin(self, type_: str | None, message: str | None, *, has_code: bool = False) -> None:
        """The exception that the user saw."""
        self._push(DotnetException(type_, [message] if message else [], has_code=has_code))

    def inner(self, head: DotnetHead) -> None:
        """``---> Type: message``: the cause of the one that is open."""
        message = [head.message] if head.message else []
        self._push(DotnetException(head.type, message, self.open[-1], Relation.CAUSE, has_code=head.has_code))

    def member(self, head: DotnetHead, number: int) -> None:
        """``---> (Inner Exception #1)``: a member of the nearest group."""
        owner = self._owner()
        message = [head.message] if head.message else []
        added = DotnetException(head.type, message, owner, Relation.GROUPED, number, head.has_code)
        added.is_copy = number == 0 and self._is_printed(owner, head)
        self._push(added)

    def _owner(self) -> int:
        """Return the group that a member belongs to; what is above it on the stack is ended."""
        groups = [at for at in self.open if self.raised[at].is_group]
        owner = groups[-1] if groups else self.open[0]
        self.open = self.open[: self.open.index(owner) + 1]
        return owner

    def _is_printed(self, owner: int, head: DotnetHead) -> bool:
        """Whether the first member is as the group's cause already: .NET Framework prints it twice."""
        return any(r.parent == owner and r.relation is Relation.CAUSE and r.type == head.type for r in self.raised)

    def end_member(self) -> None:
        """``<---``: the member is printed, its group goes on."""
        while len(self.open) > 1:
            if self.raised[self.open.pop()].number is not None:
                return

    def end_inner(self) -> bool:
        """Return the marker behind an inner exception; False if none is open."""
        if len(self.open) <= 1:
            return False
        self.open.pop()
        if len(self.open) > 1 and self.current.has_code:
            self.open.pop()  # the marker is of the one further out
        return True

    def wrap(self, head: DotnetHead) -> None:
        """Unity's ``Rethrow as``: a new outermost exception, the ones so far are its cause."""
        if len(self.raised) >= MOST_EXCEPTIONS:
            self.left_out += 1
            return
        self.raised[0].relation = Relation.CAUSE
        for r in self.raised:
            r.parent = 0 if r.parent is None else r.parent + 1
        self.raised.insert(0, DotnetException(head.type, [head.message] if head.message else []))
        self.open = [0]

    def add(self, frame: Frame) -> None:
        """Add a call to the current exception."""
        self.current.add(frame)

    def place(self, frame: Frame) -> None:
        """The last frame again, with the place that was on a line apart."""
        if self.current.frames:
            self.current.frames[-1] = frame

    def _push(self, added: DotnetException) -> None:
        if len(self.raised) >= MOST_EXCEPTIONS:  # the last stays, so that the root does
            added.parent, added.relation = self.raised[-1].parent, self.raised[-1].relation
            self.raised[-1] = added
            self.left_out += 1
            return
        self.raised.append(added)
        self.open.append(len(self.raised) - 1)

    def chain(self, span: tuple[int, int], *, head_truncated: bool) -> ExceptionChain:
        """Return what was read, as a chain."""
        notes = [*self.notes, *not_kept(sum(raised.lost for raised in self.raised))]
        notes.extend(not_kept(self.left_out, "{} exceptions were not kept"))
        self._without_copies()
        self._group()
        self._coded()
        exceptions = tuple(
            RaisedException(
                r.type or None,
                "\n".join(r.message).strip()[:LONGEST_MESSAGE] or None,
                StackTrace(tuple(r.frames)),
                r.relation,
                r.parent,
            )
            for r in self.raised
        )
        return ExceptionChain("dotnet", exceptions, None, head_truncated, span, tuple(notes))

    def _coded(self) -> None:
        """``SqlException (0x80131904): m ---> Win32Exception``: the inner one was never thrown, the stack is the outer's."""
        for r in self.raised:
            outer = self.raised[r.parent] if r.parent is not None else None
            if outer is None or not outer.has_code or outer.frames or r.relation is not Relation.CAUSE:
                continue
            if (r.type or "").endswith("Win32Exception"):
                outer.frames, r.frames = r.frames, []

    def _without_copies(self) -> None:
        gone: set[int] = set()
        for at, r in enumerate(self.raised):
            if r.is_copy or r.parent in gone:
                gone.add(at)
        if not gone:
            return
        kept = [at for at in range(len(self.raised)) if at not in gone]
        moved = {old: new for new, old in enumerate(kept)}
        self.raised = [self.raised[at] for at in kept]
        for r in self.raised:
            r.parent = moved[r.parent] if r.parent is not None else None

    def _group(self) -> None:
        """A group of several: all are members. A group of one, as ``Task.Wait`` throws it: the one is its cause."""
        for at, r in enumerate(self.raised):
            if not r.is_group:
                continue
            members = [m for m in self.raised if m.parent == at]
            for m in members:
                m.relation = Relation.GROUPED if len(members) > 1 else Relation.CAUSE


_LOOK_AHEAD = 60
_MOST_BETWEEN = 8
_MESSAGE_LINES = 12
_POWERSHELL_LINES = 16
# [SqlException (0x80131904): message]; the message may go over several lines
_BRACKET = lazy(
    rf"[ \t]*+\[(?P<head>{TYPE}(?: \((?:0x[0-9A-Fa-f]{{1,16}}|-?\d{{1,10}})\))?(?:[:：][^\n]*)?)$", re.DOTALL
)
# e.g. [SqlException (0x80131904): gone]
_THROWN = lazy(
    r"[ \t]*+\[[\w.+`]{0,200}(?:Exception|Error|Fault)(?:`\d)?(?: \((?:0x[0-9A-Fa-f]{1,16}|-?\d{1,10})\))?(?:[:：]|\])"
)
# e.g. Exception Details: System.Data.SqlClient.SqlException: gone
_DETAILS = lazy(
    r"[ \t]*+(?:Exception Details|异常详细信息|例外狀況詳細資訊|例外の詳細|예외 정보|Ausnahmedetails|Détails de l'exception|Detalles de la excepción"
    r"|Сведения об исключении|Dettagli eccezione|Detalhes da Exceção)[ \t]*[:：]"
)
_PAGE_END = lazy(r"[ \t]*+(?:-{20,}|Version Information:|版本信息[:：]|版本資訊[:：]|バージョン情報[:：])")

# e.g. At line:1 char:1
_AT = lazy(
    r"(?:^|[ \t])(?:At (?:line:|[^\n]{1,300}?:)\d{1,7} char:[ \t]?\d|(?:所在位置|位于) (?:行:|[^\n]{1,300}?[:：])[ \t]?\d{1,7} 字符[:：])"
)
# e.g. + CategoryInfo          : SecurityError: (:) []，PSSecurityException
_CATEGORY = lazy(r"\+?[ \t]*CategoryInfo[ \t]*[:：][ \t]*(?P<category>\w{1,60})[ \t]*[:：](?P<rest>.*)$", re.DOTALL)
_ERROR_ID = lazy(r"FullyQualifiedErrorId[ \t]*[:：][ \t]*(?P<id>[^\s,]{1,200})")
_LAST_TYPE = lazy(r"(?P<type>(?:[A-Z][\w.]{0,200})?Exception)[ \t]*$")
_CMDLET = lazy(r"^(?P<cmdlet>[\w.\\:-]{1,120}) : (?P<message>.+)$", re.DOTALL)


def starts_page(line: str) -> bool:
    """Whether this line is a head in brackets, as ASP.NET's error page prints them."""
    return "[" in line and _THROWN.match(line[:1_000]) is not None


def ends_page(line: str) -> bool:
    """Whether the page's last line is here."""
    return _PAGE_END.match(line) is not None


def read_page(lines: Lines) -> TraceReading | None:
    """Read all bracketed exceptions from line 0 on; the last one printed is the outermost."""
    return _read_page(lines, 0, None)


def page_behind(lines: Lines) -> TraceReading | None:
    """Return the page whose ``Exception Details: System.X: message`` is on line 0, with the stack some lines below."""
    line = lines.get(0) or ""
    details = _DETAILS.match(line)
    head = head_of(line) if details is not None else None
    if head is None:
        return None
    for at in range(1, _LOOK_AHEAD):
        below = lines.get(at)
        if below is None or ends_page(below):
            break
        if starts_page(below):
            return _read_page(lines, at, head)
    return None


def _read_page(lines: Lines, at: int, details: DotnetHead | None) -> TraceReading | None:
    blocks: list[tuple[DotnetHead, list[Frame]]] = []
    first = end = at
    between = 0
    while (line := lines.get(at)) is not None and len(blocks) < MOST_EXCEPTIONS:
        if starts_page(line):
            head, at = _bracketed(lines, at)
            if head is None:
                break
            blocks.append((head, []))
            end, between = at, 0
            continue
        frame = (frame_of(line) or bare_frame_of(line)) if blocks else None
        if frame is not None:
            if len(blocks[-1][1]) < MOST_FRAMES:
                blocks[-1][1].append(frame)
            end, between = at + 1, 0
        elif line.strip() or between >= _MOST_BETWEEN:
            break
        else:
            between += 1
        at += 1
    if not any(frames for _, frames in blocks):
        return None
    begin = lines.start(0 if details is not None else first)
    span = (begin, lines.end(end - 1))
    return TraceReading(ExceptionChain("dotnet", _outermost_first(blocks, details), span=span), max(end, 1))


def _bracketed(lines: Lines, at: int) -> tuple[DotnetHead | None, int]:
    """Return the head of one block and the line behind it; its message may go over several lines, up to the bracket."""
    parts: list[str] = []
    for number in range(at, at + _MESSAGE_LINES):
        line = lines.get(number)
        if line is None or (number > at and starts_page(line)):
            break
        parts.append(line.rstrip())
        if line.rstrip().endswith("]"):
            found = _BRACKET.match(parts[0] if len(parts) > 1 else parts[0].removesuffix("]"))
            text = "\n".join(parts).strip().removeprefix("[").removesuffix("]")
            return (plain_head(text) if found is not None else None), number + 1
    return None, at


def _outermost_first(
    blocks: list[tuple[DotnetHead, list[Frame]]], details: DotnetHead | None
) -> tuple[RaisedException, ...]:
    found = []
    for at, (head, frames) in enumerate(reversed(blocks)):
        type_ = head.type
        if details is not None and details.type.rpartition(".")[2] == type_:  # the brackets hold the last part only
            type_ = details.type
        relation, parent = (Relation.CAUSE, at - 1) if at else (None, None)
        found.append(RaisedException(type_, head.message, StackTrace(tuple(frames)), relation, parent))
    return tuple(found)


def starts_powershell(line: str) -> bool:
    """Whether this line is of a PowerShell error."""
    return ("CategoryInfo" in line or "FullyQualifiedErrorId" in line or "char:" in line or "字符" in line) and (
        _AT.search(line[:1_000]) is not None or _CATEGORY.search(line[:4_000]) is not None
    )


def read_powershell(lines: Lines) -> TraceReading | None:
    """Read an error record: ``cmdlet : message``, ``At line:1 char:1``, the code, CategoryInfo, FullyQualifiedErrorId."""
    text: list[str] = []
    at = 0
    while at < _POWERSHELL_LINES and (line := lines.get(at)) is not None:
        if at and (
            not line.strip() or _AT.search(line[:1_000]) or ("CategoryInfo" in line and "CategoryInfo" in text[-1])
        ):
            break
        text.append(line.rstrip())
        at += 1
        if "FullyQualifiedErrorId" in line:
            at += _goes_over(lines.get(at))
            break
    whole = "\n".join(text)
    category = _CATEGORY.search(re.sub(r"\n[ \t]+(?!\\?\+|[ \t])", "", whole))
    error_id = _ERROR_ID.search(whole)
    if category is None or error_id is None:
        return None
    begin, message = _powershell_message(lines)
    type_ = _LAST_TYPE.search(category["rest"].partition("\n")[0].partition("+ FullyQualified")[0].rstrip("\\ "))
    raised = RaisedException(type_["type"] if type_ is not None else category["category"], message)
    note = f"PowerShell: {category['category']}, {error_id['id']}"
    chain = ExceptionChain("dotnet", (raised,), span=(begin, lines.end(at - 1)), notes=(note,))
    return TraceReading(chain, at)


def _goes_over(following: str | None) -> int:
    """1 if the error's id, which a console broke, goes on on the next line."""
    return int(following is not None and re.match(r" {2,4}\w[\w.,]{0,200}$", following.rstrip()) is not None)


def _powershell_message(lines: Lines) -> tuple[int, str | None]:
    """Return what is above ``At line:1 char:1``: the message, behind the name of the command where there is one."""
    first = lines.get(0) or ""
    found = _AT.search(first[:1_000])
    begin = lines.start(0)
    if found is not None and first[: found.start()].strip():  # all on one line
        text = first[: found.start()].strip()
    else:
        above: list[str] = []
        for start, line in lines.before(_MESSAGE_LINES):
            if not line.strip() or line.lstrip().startswith(("PS ", "+ ", "```", "> ")):
                break
            above.append(line.rstrip())
            begin = start
            if _CMDLET.match(line):
                break
        text = "\n".join(reversed(above)).strip()
    command = _CMDLET.match(text)
    return begin, (command["message"] if command is not None else text) or None
