"""How many files a reader has to open to follow a text through ``parse``."""

import sys
from pathlib import Path
from types import FrameType

from kb.trace import parse
from kb.trace.runtimes.jvm.frames import FRAMES

TRACE = Path(__file__).resolve().parents[2] / "golden/traces/jvm/chained.txt"


def test_a_plain_trace_passes_few_files() -> None:
    """All code that runs, the readers that decline included; 18 before the files were merged."""
    text = TRACE.read_text(encoding="utf-8")
    FRAMES.clear()  # an earlier test may have read these lines, and cleared what reading them fills
    parse(text)  # what is made once: automata, lists, ranks of names
    FRAMES.clear()
    files: set[str] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and "/kb/trace/" in (name := frame.f_code.co_filename):
            files.add(name.partition("/kb/trace/")[2])

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        parse(text)
    finally:
        sys.setprofile(before)
    assert len(files) <= 14, "\n".join(sorted(files))
