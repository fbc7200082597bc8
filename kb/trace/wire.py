"""A chain as plain data and back: the shape of ``kb parse --json``, of snapshots and of the HTTP interface."""

from collections.abc import Mapping
from typing import Any

from kb.trace.fingerprint import fingerprints
from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.template import template


def chain_to_dict(chain: ExceptionChain) -> dict[str, Any]:
    """Return the chain as JSON-ready data, lossless; ``template`` and ``fingerprints`` are added for the reader."""
    data = bare_chain(chain)
    for record, exception in zip(data["exceptions"], chain.exceptions, strict=True):
        record["template"] = template(exception.message) if exception.message else None
    return data | {"fingerprints": {level.value: print_.digest for level, print_ in fingerprints(chain).items()}}


def bare_chain(chain: ExceptionChain) -> dict[str, Any]:
    """Return the same with nothing added: what is stored."""
    return {
        "runtime": chain.runtime,
        "thread": chain.thread,
        "head_truncated": chain.head_truncated,
        "span": list(chain.span),
        "notes": list(chain.notes),
        "exceptions": [_exception_to_dict(exception) for exception in chain.exceptions],
    }


def _exception_to_dict(exception: RaisedException) -> dict[str, Any]:
    return {
        "type": exception.type,
        "wrapped_type": exception.wrapped_type,
        "message": exception.message,
        "relation": exception.relation.value if exception.relation is not None else None,
        "parent": exception.parent,
        "elided": exception.elided,
        "frames": [_frame_to_dict(frame) for frame in exception.stack.frames],
    }


def _frame_to_dict(frame: Frame) -> dict[str, Any]:
    return {
        "module": frame.module,
        "function": frame.function,
        "filename": frame.filename,
        "lineno": frame.lineno,
        "column": frame.column,
        "in_app": frame.in_app,
        "raw": frame.raw,
    }


def chain_from_dict(data: Mapping[str, Any]) -> ExceptionChain:
    """Return the chain that ``chain_to_dict`` wrote; what it added is left out. Raises KeyError or ValueError for other data."""
    begin, end = data["span"]
    return ExceptionChain(
        runtime=data["runtime"],
        exceptions=tuple(_exception_from_dict(exception) for exception in data["exceptions"]),
        thread=data["thread"],
        head_truncated=data["head_truncated"],
        span=(begin, end),
        notes=tuple(data["notes"]),
    )


def _exception_from_dict(data: Mapping[str, Any]) -> RaisedException:
    return RaisedException(
        type=data["type"],
        message=data["message"],
        stack=StackTrace(tuple(Frame(**frame) for frame in data["frames"])),
        relation=Relation(data["relation"]) if data["relation"] is not None else None,
        parent=data["parent"],
        elided=data["elided"],
        wrapped_type=data["wrapped_type"],
    )
