"""Which incidents tell of one problem: guessed from what they share, and as somebody read it (`kin.tsv`); articles carry no label that says so."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from index.terms import tokens
from index.terms.sketch import shown_type
from kb.incident import Incident
from kb.trace import ExceptionChain, Level, fingerprints, template

_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[a-z0-9][\w.:-]+\Z")
_COMMON, _RARE = 300, 20
"""Incidents with a word in their title: one that more have than the first number tells nothing, one that fewer have than the second much."""


@dataclass(frozen=True, slots=True)
class Kin:
    """Which incidents tell of one problem, as far as copies and quotations show: a label that is better than none."""

    by_print: Mapping[str, frozenset[str]]
    by_error: Mapping[str, frozenset[str]]
    by_title: Mapping[str, frozenset[str]]
    by_code: Mapping[str, frozenset[str]]
    """Of types that a database or a kernel numbers: ``ORA-01555``."""
    by_document: Mapping[str, frozenset[str]]
    """By the path they were read from: the problems of one page answer for each other, for what is asked about is the article."""
    by_label: Mapping[str, frozenset[str]]
    """Of an incident those that `kin.tsv` calls the same."""

    @classmethod
    def of(cls, incidents: Sequence[Incident]) -> "Kin":
        """Incidents with the root fingerprint, the root type and message words, or half of the title words in common."""
        prints: defaultdict[str, set[str]] = defaultdict(set)
        codes: defaultdict[str, set[str]] = defaultdict(set)
        errors: defaultdict[str, set[str]] = defaultdict(set)
        documents: defaultdict[str, set[str]] = defaultdict(set)
        for incident in incidents:
            documents[incident.source.path].add(incident.id)
            for chain in incident.chains:
                prints[_print(chain)].add(incident.id)
                codes[shown_type(chain.root) or ""].add(incident.id)
                for error in _errors(chain):
                    errors[error].add(incident.id)
        titles, labels = _alike_titles(incidents), _labelled()
        here = {one: labels[one].intersection(titles) for one in titles.keys() & labels.keys()}
        return cls(_frozen(prints), _frozen(errors), titles, _frozen(codes), _frozen(documents), here)

    def naming(self, code: str) -> frozenset[str]:
        """The incidents with that code, where it has a number."""
        return self.by_code.get(code, frozenset()) if any(c.isdigit() for c in code) else frozenset()

    def sharing(self, incident: Incident, chain: ExceptionChain) -> frozenset[str]:
        """The incidents that have the chain's problem."""
        found = self.by_title[incident.id] | self.by_print.get(_print(chain), frozenset())
        for error in _errors(chain):
            found |= self.by_error.get(error, frozenset())
        return self._with_labelled(found) | self.by_document[incident.source.path]

    def titled(self, incident: Incident) -> frozenset[str]:
        """The incidents that have the problem of its title."""
        return self._with_labelled(self.by_title[incident.id]) | self.by_document[incident.source.path]

    def _with_labelled(self, found: frozenset[str]) -> frozenset[str]:
        return found.union(*(self.by_label.get(one, frozenset()) for one in found))


@cache
def _labelled() -> Mapping[str, frozenset[str]]:
    """Of each id in `kin.tsv` those that tell of the same problem."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for one, other, judged in labels():
        if judged == "same":
            found[one].add(other)
            found[other].add(one)
    return _frozen(found)


def labels() -> list[tuple[str, str, str]]:
    """The rows of `kin.tsv`: a write-up, another incident that shows the same error, and whether its cause is the ``same`` or an ``other``."""
    text = resources.files("index.training").joinpath("kin.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return [(one, other, judged) for one, other, judged in rows]


def _print(chain: ExceptionChain) -> str:
    return fingerprints(chain)[Level.ROOT_CAUSE].digest


def _errors(chain: ExceptionChain) -> list[str]:
    """Root type with the beginning and with the end of the message's words: quotations differ in blanks and values."""
    message_words = list(
        dict.fromkeys(w for w in tokens.words(template(chain.root.message or "")) if not w.startswith("c:"))
    )
    if len(message_words) < 3:
        return []
    name = (shown_type(chain.root) or "").rpartition(".")[2]
    return [" ".join([name, *message_words[:6]]), " ".join([name, *message_words[-6:]])]


def _alike_titles(incidents: Sequence[Incident]) -> dict[str, frozenset[str]]:
    """Per incident those whose title has half of the words in common, and translations: see `_translated`."""
    titles = {incident.id: _Title.of(incident.title) for incident in incidents}
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for incident_id, title in titles.items():
        for word in title.words:
            owners[word].add(incident_id)
    alike: dict[str, frozenset[str]] = {}
    for incident_id, title in titles.items():
        near = Counter(other for word in title.words if len(owners[word]) < _COMMON for other in owners[word])
        near_ones = {o for o, n in near.items() if 2 * n >= len(title.words | titles[o].words)}
        abroad = (o for o in near if titles[o].is_chinese != title.is_chinese)
        pairs = ((o, (title, titles[o]) if title.is_chinese else (titles[o], title)) for o in abroad)
        near_ones |= {o for o, (zh, en) in pairs if _translated(zh, en, owners)}
        alike[incident_id] = frozenset(near_ones) | {incident_id}
    return alike


@dataclass(frozen=True, slots=True)
class _Title:
    words: frozenset[str]
    """Identifiers whole and in parts, concepts beside them."""
    names: frozenset[str]
    """Its Latin words, an identifier as one."""
    is_chinese: bool

    @classmethod
    def of(cls, title: str) -> "_Title":
        words = frozenset(tokens.words(title))
        names = frozenset(word for word, _ in tokens.units(title) if _LATIN.match(word) and not word.startswith("c:"))
        return cls(words, names, any(_HAN.search(word) for word in words))


def _translated(chinese: _Title, english: _Title, owners: Mapping[str, set[str]]) -> bool:
    """Whether titles in two languages are one, as far as what nobody translates and what the glossary knows show.

    Both have two names (commands, words of messages) at least, a rare one among them; and of all names of the Chinese one, their parts
    and its concepts three of five stand in the English one.
    """
    shared = chinese.names & english.words
    latin = {word for word in chinese.words if _LATIN.match(word)}
    is_rare = any(len(owners[name]) < _RARE for name in shared)
    return len(shared) >= 2 and is_rare and 5 * len(latin & english.words) >= 3 * len(latin)


def _frozen(owners: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {key: frozenset(ids) for key, ids in owners.items()}
