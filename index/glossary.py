"""Operations concepts in Chinese and English: what lets a question in one language meet a text in the other.

The list is data (``rules/glossary.txt``): one line, one concept, ``id = zh, zh | en, en phrase, stem*``; a trailing ``*``
takes any English ending. Finding them is one pass of re2, linear in the text; the longest term wins.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

import re2

from kb.errors import RulesError


@dataclass(frozen=True, slots=True)
class Glossary:
    """Terms to concept ids; stems (terms that take any ending) apart."""

    terms: dict[str, str]
    stems: dict[str, str]


def concepts(canonical: str) -> list[str]:
    """The concepts named in a text that ``tokens`` made canonical (lower case, parts apart), in order, repeats kept."""
    return [concept for found in _matcher().findall(canonical) if (concept := concept_of(found))]


def read_rules(text: str, name: str) -> Glossary:
    """The glossary of a rules file; RulesError names file and line of what cannot be read."""
    terms: dict[str, str] = {}
    stems: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        concept, equals, rest = line.partition("=")
        zh, bar, en = rest.partition("|")
        if not (equals and bar and concept.strip() and zh.strip() and en.strip()):
            raise RulesError(f"{name} line {number} is not 'id = zh, zh | en, en': {line[:60]}", cure="mend that line")
        for term in (t.strip().lower() for t in f"{zh},{en}".split(",")):
            table = stems if term.endswith("*") else terms
            known = table.setdefault(term.rstrip("*"), concept.strip())
            if known != concept.strip():
                raise RulesError(
                    f"{name} line {number}: {term} stands for {known} already", cure="keep it under one concept"
                )
    return Glossary(terms, stems)


def rules_text() -> str:
    """The bundled glossary as text."""
    return resources.files("index").joinpath("rules/glossary.txt").read_text(encoding="utf-8")


@cache
def _glossary() -> Glossary:
    return read_rules(rules_text(), "index/rules/glossary.txt")


@cache
def _matcher() -> "re2._Regexp":
    glossary = _glossary()
    patterns = [_pattern(t, "") for t in glossary.terms] + [_pattern(s, "[a-z]*") for s in glossary.stems]
    options = re2.Options()
    options.longest_match = True
    options.max_mem = 64 << 20
    return re2.compile("|".join(patterns), options=options)


def _pattern(term: str, ending: str) -> str:
    escaped = re2.escape(term)
    return rf"\b{escaped}{ending}\b" if term.isascii() else escaped


@lru_cache(maxsize=1 << 14)
def concept_of(found: str) -> str | None:
    """The concept of a matched piece: an exact term, else the longest stem that begins it."""
    glossary = _glossary()
    if found in glossary.terms:
        return glossary.terms[found]
    for end in range(len(found), 0, -1):
        if found[:end] in glossary.stems:
            return glossary.stems[found[:end]]
    return None
