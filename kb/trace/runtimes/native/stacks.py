"""The stacks of one report, and which of them is the fault's."""

from dataclasses import dataclass, field

from kb.trace.model import Frame
from kb.trace.runtimes.native.names import is_machinery, normal_frame
from kb.trace.runtimes.native.printed import SIGNAL_HANDLER
from kb.trace.runtimes.native.titles import Title


@dataclass(slots=True)
class NativeStack:
    """The frames under one title."""

    title: Title | None
    is_secondary: bool
    frames: list[Frame] = field(default_factory=list)
    last: int = -1
    cut: int = 0


def chosen(stacks: list[NativeStack]) -> NativeStack | None:
    """The stack of the fault: where an exception was thrown, where the report says crashed, where a signal came in."""
    own = [stack for stack in stacks if not stack.is_secondary and stack.frames]
    if not own:
        return next((stack for stack in stacks if stack.frames), None)
    for wanted in ("is_first_choice", "crashed"):
        found = next((s for s in own if s.title is not None and getattr(s.title, wanted)), None)
        if found is not None:
            return found
    if len(own) > 1 and all(stack.title is not None for stack in own):
        signalled = next((s for s in own if any(f.function == SIGNAL_HANDLER for f in s.frames[:12])), None)
        aborted = next((s for s in own if is_machinery(normal_frame(s.frames[0])) and _aborts(s)), None)
        first = next((s for s in own if s.title is not None and s.title.thread == "1"), None)
        return signalled or aborted or first or own[0]
    return own[0]


def _aborts(stack: NativeStack) -> bool:
    return any((frame.function or "") in ("abort", "__GI_abort", "raise", "__GI_raise") for frame in stack.frames[:6])
