"""The search engine: snapshots on disk, candidates, ranking, answers."""

from index.answer import Answer, Evidence, EvidenceKind, Match, Query, Verdict
from index.engine import Engine
from index.explain import Explanation

__all__ = ["Answer", "Engine", "Evidence", "EvidenceKind", "Explanation", "Match", "Query", "Verdict"]
