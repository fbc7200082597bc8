"""What tells whether a sentence states the cause or the fix: the features of the role models (`kb.article.quotes.stated`)."""

from bisect import bisect_right
from math import log1p

from kb.article.blocks import BlockKind
from kb.article.quotes.statements import SECTIONS, QuoteTarget, ScoredSentence, Statements
from kb.article.quotes.wording import grams
from kb.article.vocabulary import SectionRole, bare

_OTHER = {QuoteTarget.CAUSE: QuoteTarget.FIX, QuoteTarget.FIX: QuoteTarget.CAUSE}
LONG = 40
"""Sentences from which on a document is long."""
_SECOND = frozenset((SectionRole.POSSIBLE_CAUSE, SectionRole.WORKAROUND))
_OF_FIX = frozenset(("mended", "screen", "ahead", "else", "more", "version", "note", "then"))
"""Kinds of phrase that tell the sentences of an instruction apart; they tell nothing of a cause."""

Row = tuple[str, dict[str, float]]
"""The state of a sentence (``in`` a section about the target, ``out`` of it, or ``none``: there is none) and its features."""


def rows(document: Statements, title: str, target: QuoteTarget) -> list[Row]:
    """The features of every sentence of `Statements.view`. Weights of a feature differ by state."""
    view = document.view(target)
    about = [not SECTIONS[target].isdisjoint(part.roles) for part in document.parts]
    exists = any(about[one.section] for one in view)
    context = _Context(document, view, target, frozenset(grams(bare(title))))
    found: list[Row] = []
    for at, one in enumerate(view):
        state = "in" if about[one.section] else "out" if exists else "none"
        features = context.place(at)
        if one.sentence.code:
            context.code(at, features)
        else:
            context.words(at, features)
            context.around(at, features)
        if state == "in":
            context.inside(one, features)
        found.append((state, features))
    return found


def absence(document: Statements, target: QuoteTarget) -> dict[str, float]:
    """The features of the answer that nothing is stated."""
    parts, view = document.parts, document.view(target)
    shown = [parts[section] for section in {one.section for one in view}]
    about = [part for part in shown if SECTIONS[target] & set(part.roles)]
    other = SECTIONS[_OTHER[target]]
    found: dict[str, float] = {"absent": 1.0, "absent log": log1p(len(view)) / 4}
    marks = {
        "absent section": bool(about),
        "absent labelled": any(part.labelled for part in about),
        "absent other": any(other & set(part.roles) for part in parts),
        "absent long": len(view) > LONG,
        "absent no trace": document.anchor is None,
    }
    return found | {name: 1.0 for name, holds in marks.items() if holds}


def _step(value: int, limits: tuple[int, ...]) -> int:
    return bisect_right(limits, value)


_SIZES = (5, 10, 20, 40, 80)
_AFTER = (1, 2, 4, 8, 16)
_LINES = (2, 6, 15)
_KIND = {kind: f"kind {kind.value}" for kind in BlockKind}
_BEGIN = tuple(f"from begin {number}" for number in range(4))
_END = tuple(f"from end {number}" for number in range(4))


_IN_BLOCK = {
    (True, True): "whole block",
    (True, False): "begins block",
    (False, True): "ends block",
    (False, False): "in block",
}


def _lists(view: list[ScoredSentence]) -> dict[int, tuple[int, int]]:
    """Return, by sentence, the position of its list item (from 0) and the number of items. Code between items does not end a list."""
    found: dict[int, tuple[int, int]] = {}
    run: list[int] = []
    blocks: dict[int, int] = {}
    for at, one in enumerate(view):
        if run and (one.section != view[run[0]].section or not (one.sentence.item or one.sentence.code)):
            found |= {to: (blocks[view[to].sentence.block], len(blocks)) for to in run}
            run, blocks = [], {}
        if one.sentence.item:
            run.append(at)
            blocks.setdefault(one.sentence.block, len(blocks))
    return found | {to: (blocks[view[to].sentence.block], len(blocks)) for to in run}


class _Context:
    """What is looked up for every sentence of a view."""

    def __init__(
        self, document: Statements, view: list[ScoredSentence], target: QuoteTarget, title: frozenset[str]
    ) -> None:
        self.document = document
        self.view = view
        self.own = target is QuoteTarget.FIX
        self.title = title
        self.long = len(view) > LONG
        self.first_past = next((at for at, one in enumerate(view) if one.past), len(view))
        self.best_of: dict[int, float] = {}
        for one in view:
            if not one.sentence.code:
                self.best_of[one.section] = max(self.best_of.get(one.section, -99.0), one.leaning[self.own])
        self.best = max(self.best_of.values(), default=0.0)
        self.last = {one.section: at for at, one in enumerate(view)}
        ordered = [at for at in self.last if not SECTIONS[target].isdisjoint(document.parts[at].roles)]
        self.of_section: dict[int, dict[str, float]] = {}
        self.lists: dict[int, tuple[int, int]] = {}
        labelled = [at for at in ordered if document.parts[at].labelled] or ordered
        self.first = labelled[0] if labelled else None
        self.first_after = next((at for at in ordered if at >= (document.anchor or 0)), self.first)

    def place(self, at: int) -> dict[str, float]:
        """What holds of words and code: the section, the kind, the place."""
        one, document = self.view[at], self.document
        if one.section not in self.of_section:
            self.of_section[one.section] = self._section(one.section)
        features = self.of_section[one.section].copy()
        features[_KIND[one.sentence.kind]] = 1.0
        features["place"] = at / len(self.view)
        features[_BEGIN[min(one.index, 3)]] = 1.0
        features[_END[min(self.last[one.section] - at, 3)]] = 1.0
        if document.anchor is not None:
            features["past" if one.past else "before"] = 1.0
            if one.past:
                features[f"sections {min(one.section - document.anchor, 4)}"] = 1.0
        return features

    def _section(self, at: int) -> dict[str, float]:
        """What holds of every sentence of a section."""
        roles = [part.roles[0].value if part.roles else "None" for part in self.document.parts[max(at - 1, 0) : at + 2]]
        own = min(at, 1)
        features = {
            f"role {roles[own]}": 1.0,
            f"role above {roles[0] if at else 'begin'}": 1.0,
            f"role below {roles[own + 1] if own + 1 < len(roles) else 'end'}": 1.0,
        }
        if len(self.document.parts[at].roles) > 1:
            features["roles"] = 1.0
        if self.long:
            features["long"] = 1.0
        return features

    def words(self, at: int, features: dict[str, float]) -> None:
        """What the words of a sentence tell."""
        one = self.view[at]
        sentence, cue = one.sentence, one.cue
        mine, other = one.leaning[self.own], one.leaning[not self.own]
        own_cue, other_cue = (cue.fix, cue.cause) if self.own else (cue.cause, cue.fix)
        features[f"cue {own_cue}"] = 1.0
        features[f"other {other_cue}"] = 1.0
        features[f"size {_step(sentence.words, _SIZES)}"] = 1.0
        features["telling"] = one.telling[self.own]
        features["lean"] = mine / 3
        features["lean up"] = max(mine, -2.0) / 3
        features["lean other"] = other / 3
        features["lean best"] = (mine - self.best) / 3
        if mine == self.best:
            features["best"] = 1.0
        if mine == self.best_of[one.section]:
            features["best here"] = 1.0
        for mark in cue.marks:
            if self.own or mark not in _OF_FIX:
                features[f"mark {mark}"] = 1.0
        if cue.negated:
            features["not"] = 1.0
        if sentence.end in {"?", "？"}:
            features["asks"] = 1.0
        if one.past:
            features[f"after {_step(at - self.first_past, _AFTER)}"] = 1.0
        if one.named:
            features["named"] = 1.0
            features["share named"] = one.named
        if self.title:
            features["title"] = len(self.title.intersection(one.grams)) / len(one.grams)

    def around(self, at: int, features: dict[str, float]) -> None:
        """What stands before and after it in its section."""
        view = self.view
        one = view[at]
        before = view[at - 1] if at and view[at - 1].section == one.section else None
        after = view[at + 1] if at + 1 < len(view) and view[at + 1].section == one.section else None
        item = one.sentence.item
        begins = before is None or before.sentence.block != one.sentence.block
        ends = after is None or after.sentence.block != one.sentence.block
        features[_IN_BLOCK[begins, ends]] = 1.0
        if item:
            features["begins item" if begins else "later in item"] = 1.0
            self.listed(at, features)
        if one.sentence.opens:
            features["opens"] = 1.0
            if after is not None:
                features[f"opens {after.sentence.kind.value}"] = 1.0
        if before is not None:
            if before.sentence.code:
                features["after code"] = 1.0
            else:
                features["before leans"] = before.leaning[self.own] / 3
                if before.sentence.opens:
                    features["opened"] = 1.0
                if item and "choice" in before.cue.marks:
                    features["chosen"] = 1.0
        if item and (before is None or not before.sentence.item):
            features["first item"] = 1.0
        if after is not None and not after.sentence.code:
            features["next leans"] = after.leaning[self.own] / 3
            features["next other"] = after.leaning[not self.own] / 3

    def listed(self, at: int, features: dict[str, float]) -> None:
        """Which item of how many it stands in."""
        if not self.lists:
            self.lists = _lists(self.view)
        index, count = self.lists[at]
        features[f"items {min(count, 4)}"] = 1.0
        features["item share"] = index / count
        if index == count - 1 > 0:
            features["last item"] = 1.0

    def code(self, at: int, features: dict[str, float]) -> None:
        """The features of a block of code."""
        view = self.view
        one = view[at]
        features[f"lines {_step(one.sentence.lines, _LINES)}"] = 1.0
        if at and view[at - 1].section == one.section and view[at - 1].sentence.opens:
            features["opened code"] = 1.0
        if one.section not in self.best_of:
            features["only code"] = 1.0

    def inside(self, one: ScoredSentence, features: dict[str, float]) -> None:
        """Where it stands in a section about the target, and which of these sections that is."""
        part = self.document.parts[one.section]
        count = len(self.document.sentences_of(one.section))
        features[f"words {min(one.words_before, 4)}"] = 1.0
        features[f"index {min(one.index, 4)}"] = 1.0
        features["part"] = one.index / count
        if part.labelled:
            features["labelled"] = 1.0
        if part.roles[0] in _SECOND:
            features["second"] = 1.0
        if one.section == self.first:
            features["first"] = 1.0
        if one.section == self.first_after:
            features["first after"] = 1.0
        if count == 1:
            features["only"] = 1.0
