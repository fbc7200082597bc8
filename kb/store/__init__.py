"""The store of curated incidents: every revision, who wrote it, and what of it is searched. SQLite, or PostgreSQL by URL.

Only `Store` needs SQLAlchemy, which is imported when it is first asked for: what runs in Spark executors never does.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from kb.store.errors import Exists, Full, Missing, Refused, Stale, StoreError, Unavailable, Uncertain
from kb.store.model import INGEST, Actor, Author, IncidentChange, Revision, Role

if TYPE_CHECKING:
    from kb.store.examining import examine, is_current, named
    from kb.store.store import Store

__all__ = [
    "INGEST",
    "Actor",
    "Author",
    "Exists",
    "Full",
    "IncidentChange",
    "Missing",
    "Refused",
    "Revision",
    "Role",
    "Stale",
    "Store",
    "StoreError",
    "Unavailable",
    "Uncertain",
    "examine",
    "is_current",
    "named",
]


_LATER = {"Store": "kb.store.store"} | dict.fromkeys(("examine", "is_current", "named"), "kb.store.examining")


def __getattr__(name: str) -> object:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
