"""Names of frames and types, with what is known of them beforehand: common ones carry a mark in their name.

A young knowledge base has too few traces to learn that `java.util.ArrayList.get` or a NullPointerException stands under every
kind of fault. Which frames are the platform's its runtime knows (``p:``); frameworks and types are on a list
(``rules/common.txt``). The mark is bit 62 of the 64-bit name, so that whoever has the name has it, without looking anything up.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import resources

import numpy as np

from index.hashing import Hashes, token_hash
from kb.errors import RulesError

MARK = 1 << 62


@lru_cache(maxsize=1 << 17)
def name_of(token: str) -> int:
    """The 64-bit name of a frame or type token (``f:…``, ``p:…``, ``t:…``, ``r:…``), marked when it is common."""
    plain = token_hash(f"f:{token[2:]}" if token[0] == "p" else token)
    return plain | MARK if is_common(token) else plain & ~MARK


def names_of(tokens: Iterable[str]) -> Hashes:
    """The names of the tokens, in order."""
    return np.fromiter(map(name_of, tokens), dtype=np.uint64)


def is_common(token: str) -> bool:
    """Whether the list has the type (root types like types), or the beginning of the frame, or it is the platform's."""
    if token.startswith("p:"):
        return True
    rules = _rules()
    if token.startswith("f:"):
        return token.startswith(rules.frames)
    return token[2:].rpartition(".")[2] in rules.types


def common_types() -> frozenset[str]:
    """The types on the list, by their last names."""
    return _rules().types


class _Rules:
    """The list, by kind."""

    def __init__(self, text: str) -> None:
        lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
        for line in lines:
            if line[:2] not in ("t:", "f:") or len(line) < 4:
                raise RulesError(f"index/rules/common.txt: {line!r} is neither t:… nor f:…", cure="mend that line")
        self.types = frozenset(line[2:] for line in lines if line[0] == "t")
        self.frames = tuple(line for line in lines if line[0] == "f")


@cache
def _rules() -> _Rules:
    return _Rules(rules_text())


def rules_text() -> str:
    """The bundled list as text."""
    return resources.files("index").joinpath("rules/common.txt").read_text(encoding="utf-8")
