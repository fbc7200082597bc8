"""Stack traces: read them from any text, bring them to lasting names, fingerprint and align them."""

from kb.trace.align import Alignment, FramePair, align
from kb.trace.fingerprint import VERSION, fingerprints
from kb.trace.model import (
    WITHOUT_TRACE,
    ExceptionChain,
    Fingerprint,
    Frame,
    Level,
    RaisedException,
    Relation,
    StackTrace,
)
from kb.trace.normalize import frame_key, normalize, normalize_function
from kb.trace.parse import error_lines, parse
from kb.trace.stream import TraceStream, parse_stream
from kb.trace.template import template

__all__ = [
    "VERSION",
    "WITHOUT_TRACE",
    "Alignment",
    "ExceptionChain",
    "Fingerprint",
    "Frame",
    "FramePair",
    "Level",
    "RaisedException",
    "Relation",
    "StackTrace",
    "TraceStream",
    "align",
    "error_lines",
    "fingerprints",
    "frame_key",
    "normalize",
    "normalize_function",
    "parse",
    "parse_stream",
    "template",
]
