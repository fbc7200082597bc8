"""Operations concepts in Chinese and English: what lets a question in one language meet a text in the other.

The list is data (``rules/glossary.txt``): one line, one concept, ``id = zh, zh | en, en phrase, stem*``; a trailing ``*``
takes any English ending of the last word. The longest term that begins at a place wins; time is linear in the text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

from kb.errors import RulesError

_WORD = re.compile(r"[a-z0-9]+")
_FIRST_HAN = "\u3400"


@dataclass(frozen=True, slots=True)
class Glossary:
    """Terms to concept ids, in the form they are looked up by."""

    han: dict[str, str]
    """Chinese term → concept."""
    begins: dict[str, tuple[str, ...]]
    """First character → the Chinese terms that begin with it, the longest first."""
    words: dict[str, str]
    stems: dict[str, str]
    phrases: dict[str, tuple[tuple[tuple[str, ...], bool, str], ...]]
    """First word → (words, whether the last is a stem, concept), the longest phrase first."""


def concepts(parts: Sequence[str]) -> list[str]:
    """The concepts that a text names, in order, repeats kept. ``parts``: its Chinese runs and its lower-case words."""
    found: list[str] = []
    phrases = _glossary().phrases
    after = 0
    for at, part in enumerate(parts):
        if at < after:
            continue  # inside a phrase
        if part in phrases and (phrase := _phrase_at(parts, at)):
            found.append(phrase[1])
            after = at + phrase[0]
        elif part >= _FIRST_HAN:
            found += _in_run(part)
        elif concept := concept_of(part):
            found.append(concept)
    return found


@lru_cache(maxsize=1 << 15)
def concept_of(word: str) -> str | None:
    """The concept of one word or one whole Chinese term: a listed form, else the longest stem that begins it."""
    glossary = _glossary()
    if word >= _FIRST_HAN:
        return glossary.han.get(word)
    if word in glossary.words:
        return glossary.words[word]
    return next((glossary.stems[word[:end]] for end in range(len(word), 0, -1) if word[:end] in glossary.stems), None)


@lru_cache(maxsize=1 << 14)
def _in_run(run: str) -> tuple[str, ...]:
    """The concepts of a Chinese run."""
    glossary = _glossary()
    found: list[str] = []
    after = 0
    for at, first in enumerate(run):
        if at < after or first not in glossary.begins:
            continue
        for term in glossary.begins[first]:
            if run.startswith(term, at):
                found.append(glossary.han[term])
                after = at + len(term)
                break
    return tuple(found)


def _phrase_at(parts: Sequence[str], at: int) -> tuple[int, str] | None:
    """(how many words, concept) of the longest phrase that begins there."""
    for words, stem, concept in _glossary().phrases[parts[at]]:
        here = parts[at : at + len(words)]
        last = len(here) == len(words) and (here[-1].startswith(words[-1]) if stem else here[-1] == words[-1])
        if last and tuple(here[:-1]) == words[:-1]:
            return len(words), concept
    return None


def read_rules(text: str, name: str) -> Glossary:
    """The glossary of a rules file; RulesError names file and line of what cannot be read."""
    known: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        concept, equals, rest = (piece.strip() for piece in line.partition("="))
        zh, bar, en = (piece.strip() for piece in rest.partition("|"))
        if not (equals and bar and concept and zh and en):
            raise RulesError(f"{name} line {number} is not 'id = zh, zh | en, en': {line[:60]}", cure="mend that line")
        for term in (t.strip().lower() for t in f"{zh},{en}".split(",")):
            if known.setdefault(term.rstrip("*"), concept) != concept:
                problem = f"{name} line {number}: {term} stands for {known[term.rstrip('*')]} already"
                raise RulesError(problem, cure="keep it under one concept")
            known.setdefault(term, concept)
    return _arranged(known)


def _arranged(known: dict[str, str]) -> Glossary:
    han: dict[str, str] = {}
    words: dict[str, str] = {}
    stems: dict[str, str] = {}
    phrases: dict[str, list[tuple[tuple[str, ...], bool, str]]] = {}
    for term, concept in known.items():
        pieces = tuple(_WORD.findall(term))
        stem = term.endswith("*")
        if f"{term}*" in known:
            continue  # the form without the star is only there to find terms that are listed twice
        if not term.isascii():
            han[term] = concept
        elif len(pieces) > 1:
            phrases.setdefault(pieces[0], []).append((pieces, stem, concept))
        else:
            (stems if stem else words)[pieces[0]] = concept
    return Glossary(
        han=han,
        begins={
            first: tuple(sorted((term for term in han if term[0] == first), key=len, reverse=True))
            for first in {term[0] for term in han}
        },
        words=words,
        stems=stems,
        phrases={first: tuple(sorted(found, key=lambda p: -len(p[0]))) for first, found in phrases.items()},
    )


def rules_text() -> str:
    """The bundled glossary as text."""
    return resources.files("index").joinpath("rules/glossary.txt").read_text(encoding="utf-8")


@cache
def _glossary() -> Glossary:
    return read_rules(rules_text(), "index/rules/glossary.txt")


def find_concept(concept: str, text: str, lower: str) -> tuple[int, int] | None:
    """Where a text names a concept first, in any of its forms, also as a part of an identifier: ``timed out``, ``connectionTimedOut``, 超时.

    ``lower`` is the text in lower case, of the same length.
    """
    begins, pattern = _forms_of(concept)
    starts = [at for begin in begins if (at := lower.find(begin)) >= 0]
    # a pattern without fixed beginning is tried at every character: twenty times as slow as to look for words
    found = pattern.search(text, min(starts)) if starts else None
    return found.span() if found else None


@lru_cache(maxsize=1 << 10)
def _forms_of(concept: str) -> tuple[tuple[str, ...], re.Pattern[str]]:
    """How the forms of a concept begin, in lower case, and the pattern of them all."""
    glossary = _glossary()
    han = sorted((term for term, one in glossary.han.items() if one == concept), key=len, reverse=True)
    forms = [(words, stem) for listed in glossary.phrases.values() for words, stem, one in listed if one == concept]
    forms += [((word,), False) for word, one in glossary.words.items() if one == concept]
    forms += [((word,), True) for word, one in glossary.stems.items() if one == concept]
    forms.sort(key=lambda form: -sum(map(len, form[0])))
    begins = dict.fromkeys([*(term.lower() for term in han), *(words[0] for words, _ in forms)])
    pattern = "|".join([*map(re.escape, han), *(_pattern(*form) for form in forms)]) or "(?!)"
    return tuple(begins), re.compile(pattern)


def _pattern(words: Sequence[str], is_stem: bool) -> str:  # noqa: FBT001
    """A word may begin inside an identifier, with a capital, and end where the next capital is."""
    ending = "[a-z]*" if is_stem else ""
    rest = "".join(rf"[\W_]*(?i:{word})" for word in words[1:])
    alone = rf"(?<![A-Za-z0-9])(?i:{words[0]}){rest}{ending}(?![a-z0-9])"
    return rf"{alone}|(?<=[a-z0-9]){words[0].capitalize()}{rest}{ending}(?![a-z0-9])"
