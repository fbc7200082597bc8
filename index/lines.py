"""Line numbers of frames, kept beside the normalised chain, which has none.

The same method at the same line is the same call in the same release: agreement in lines says much. Other lines say little,
for lines move from release to release; so what is made of them only ever adds.
"""

from collections import defaultdict, deque

from index.sketch import LINE_BITS, outwards, own_frames
from kb.trace import ExceptionChain, frame_key
from kb.trace.normalize import lasting_key

MOST = (1 << LINE_BITS) - 1
"""Lines from here on are taken for unknown: they do not fit into what is stored, and a file that long was generated."""


def lines_of(found: ExceptionChain, normalised: ExceptionChain) -> tuple[int, ...]:
    """One line for each own frame of the normalised chain, exceptions in the order of a sketch; 0 where it is not known.

    Normalising drops frames and writes recursion once, so frames are told by their names, each taking the next line of its name.
    """
    waiting: defaultdict[str, deque[int]] = defaultdict(deque)
    for exception in outwards(found):
        for frame in own_frames(exception):
            if frame.lineno is not None:
                waiting[lasting_key(frame, found.runtime)].append(frame.lineno if 0 < frame.lineno < MOST else 0)
    return tuple(
        waiting[key].popleft() if waiting.get(key := frame_key(frame)) else 0
        for exception in outwards(normalised)
        for frame in own_frames(exception)
    )
