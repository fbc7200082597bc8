"""A .NET trace while it is being read: ``Exception.ToString`` of an exception holds those of its inner ones.

Head, ``---> `` inner exception with its own frames, the marker that ends it, then the own frames; a group appends its members.
So the exceptions that are not yet ended form a stack, and frames belong to the one on its top.
"""

from dataclasses import dataclass, field

from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.runtimes.dotnet.heads import DotnetHead

MOST_FRAMES = 1_024
MOST_EXCEPTIONS = 100
LONGEST_MESSAGE = 20_000


@dataclass(slots=True)
class DotnetException:
    """An exception while its trace is being read."""

    type: str | None
    message: list[str] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
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
    cut: int = 0
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
        self._push(DotnetException(head.type, message, [], self.open[-1], Relation.CAUSE, has_code=head.has_code))

    def member(self, head: DotnetHead, number: int) -> None:
        """``---> (Inner Exception #1)``: a member of the nearest group."""
        owner = self._owner()
        message = [head.message] if head.message else []
        added = DotnetException(head.type, message, [], owner, Relation.GROUPED, number, head.has_code)
        added.is_copy = number == 0 and self._is_printed(owner, head)
        self._push(added)

    def _owner(self) -> int:
        """The group that a member belongs to; what stands above it on the stack is ended."""
        groups = [at for at in self.open if self.raised[at].is_group]
        owner = groups[-1] if groups else self.open[0]
        self.open = self.open[: self.open.index(owner) + 1]
        return owner

    def _is_printed(self, owner: int, head: DotnetHead) -> bool:
        """Whether the first member stands as the group's cause already: .NET Framework prints it twice."""
        return any(r.parent == owner and r.relation is Relation.CAUSE and r.type == head.type for r in self.raised)

    def end_member(self) -> None:
        """``<---``: the member is printed, its group goes on."""
        while len(self.open) > 1:
            if self.raised[self.open.pop()].number is not None:
                return

    def end_inner(self) -> bool:
        """The marker behind an inner exception; False if none is open."""
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
        """One more call under the current exception."""
        frames = self.current.frames
        if len(frames) < MOST_FRAMES:
            frames.append(frame)
        else:
            self.cut += 1

    def place(self, frame: Frame) -> None:
        """The last frame again, with the place that stood on a line of its own."""
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
        """What was read, as a chain."""
        notes = [*self.notes]
        if self.cut:
            notes.append(f"{self.cut} frames were not kept")
        if self.left_out:
            notes.append(f"{self.left_out} exceptions were not kept")
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
