"""Reading articles: the bytes of a document in any format → the incidents a reader finds in it.

What is named here is imported when it is first asked for: whoever only decodes a paste needs no reader of documents.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.article.article import Article, read_article

__all__ = ["Article", "read_article"]


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module("kb.article.article"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
