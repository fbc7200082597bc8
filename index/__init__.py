"""The search engine: snapshots on disk, candidates, ranking, answers.

What is named here is imported when it is first asked for: whoever only needs the settings, or asks a service, loads no index.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from index.answer import Answer, Evidence, EvidenceKind, Match, Query
    from index.engine import Engine
    from index.explain.evidence import Explanation
    from index.verdict import Verdict
    from index.wire import answer_to_dict

_LATER = {
    "Answer": "index.answer",
    "Engine": "index.engine",
    "Evidence": "index.answer",
    "EvidenceKind": "index.answer",
    "Explanation": "index.explain.evidence",
    "Match": "index.answer",
    "Query": "index.answer",
    "Verdict": "index.verdict",
    "answer_to_dict": "index.wire",
}
__all__ = ["Answer", "Engine", "Evidence", "EvidenceKind", "Explanation", "Match", "Query", "Verdict", "answer_to_dict"]


def __getattr__(name: str) -> object:
    if (module := _LATER.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)
