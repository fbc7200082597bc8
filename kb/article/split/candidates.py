"""Which headings of a document are problems of their own: how much each shows, and what stands beside and above it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from kb.article.blocks import LINE, Block, BlockKind
from kb.article.sections import labels_in
from kb.article.split.openings import Node, as_written, outline
from kb.article.split.problems import Heading, collects, heading, is_case, is_numbered, label_of
from kb.article.vocabulary import SectionRole, heading_roles, label_role

_ANSWER = 30
"""Bytes of an answer, as a Chinese character says about as much as three letters: less is a heading over nothing."""
_LINES = 20
"""Lines of a block of code that are looked at for an error."""
_SERIES = 3
"""Headings side by side that make a series."""
_MENDS = frozenset((SectionRole.ROOT_CAUSE, SectionRole.FIX, SectionRole.WORKAROUND))
_STATES = _MENDS | {SectionRole.POSSIBLE_CAUSE}
_TELLS = _MENDS | {SectionRole.SYMPTOM, SectionRole.REPRODUCTION, SectionRole.TRACE, SectionRole.ANALYSIS}
_SHOWS = frozenset((SectionRole.SYMPTOM, SectionRole.TRACE))
_CANDIDATES = frozenset(
    (
        SectionRole.ROOT_CAUSE,
        SectionRole.POSSIBLE_CAUSE,
        SectionRole.ANALYSIS,
        SectionRole.SYMPTOM,
        SectionRole.REPRODUCTION,
    )
)
"""What stands side by side under such a heading are views of one problem."""

Found = list[tuple[Node, int]]
"""Problems, each with where it stops: sections of cause and fix that follow beside it belong to it."""


def problems_among(blocks: Sequence[Block], title: str, traced: Sequence[bool]) -> Found:
    """The headings that are problems, in order; ``traced`` says of each block whether it shows the head of a trace."""
    return _Search(blocks, title, traced).among(outline(blocks), collected=collects(title))


@dataclass(slots=True)
class _NodeFacts:
    """What is known of a node."""

    heading: Heading
    trace: bool
    """A trace stands under it."""
    roles: frozenset[SectionRole]
    """What it and the headings and labels under it announce."""
    answered: bool
    line: bool = False
    """A line that stands for a heading: it must say more."""
    labelled: bool = False
    """Such a line with a label that tells a problem."""
    is_one: bool = False
    """Sections that tell a symptom, a cause, a fix stand right below it."""
    case: bool = False
    """One of several cases, each of which shows its own error and states its own fix."""

    @property
    def states(self) -> bool:
        """A heading or a label under it opens a cause or a fix."""
        return bool(self.roles & _STATES)

    @property
    def is_whole(self) -> bool:
        """A write-up of its own: two of symptom, trace, cause and fix, one of them a cause or a fix."""
        shows = self.trace or bool(self.roles & _SHOWS)
        mends = bool(self.roles & {SectionRole.FIX, SectionRole.WORKAROUND})
        return (
            not self.heading.walks
            and (shows + mends + bool(self.roles & {SectionRole.ROOT_CAUSE, SectionRole.POSSIBLE_CAUSE})) >= 2
        )

    def is_problem(self, *, collected: bool) -> bool:
        """Whether it is a problem of its own; under a title that announces a collection less is required."""
        names_problem = self.heading.fails or self.heading.asks
        if self.heading.walks or (self.heading.does and not (self.trace or names_problem or self.is_one)):
            return False
        if self.heading.asks and not (
            self.heading.fails or self.trace or (collected and self.heading.whys and self.states)
        ):
            return False  # a question about how something works
        if self.is_one or self.is_whole:
            return self.is_one or names_problem or self.labelled or not self.line or collected or not self.trace
        if self.trace:
            return collected or (names_problem and self.answered)
        if self.line:
            explained = self.states and (self.heading.specific or SectionRole.ANALYSIS in self.roles)
            return self.heading.fails and (self.heading.asks or explained)
        return (collected and self.states) or (self.heading.fails and (self.states or self.answered))

    @property
    def is_strong(self) -> bool:
        """Sure without a title that announces a collection."""
        if self.case or not self.is_problem(collected=False):
            return self.case
        if self.trace or self.is_whole or self.is_one:
            return self.states or self.heading.specific
        return self.heading.specific and (self.states or self.heading.asks)


@dataclass(slots=True)
class _Search:
    """The search for problems in one document."""

    blocks: Sequence[Block]
    title: str
    traced: Sequence[bool]
    seen: dict[tuple[int, int], _NodeFacts] = field(default_factory=dict)
    labels: dict[int, frozenset[SectionRole]] = field(default_factory=dict)

    def among(self, node: Node, *, collected: bool) -> Found:
        """The problems under a node."""
        if not node.children or _is_apart(node) or (node.level and _is_one(node)):
            return []
        collected = collected or collects(node.title)
        runs = _runs(node.children)
        symptoms = sum(SectionRole.SYMPTOM in heading_roles(run[0].title) for run in runs)
        form = _form(node.children)
        collected = collected or self._is_series(node, runs) or self._are_answered(runs)
        mended = sum(any(_role(one) in _MENDS for one in run[1:]) for run in runs)
        loose = any(_role(one) in _MENDS for one in node.children) and mended < 2
        direct: Found = []
        inner: Found = []
        for run in runs:
            child, stop = run[0], run[-1].stop if mended >= 2 else run[0].stop
            inside = self.among(child, collected=collected)
            if len(inside) >= 2 or (inside and self._is_empty(child)):
                inner += inside
            elif not loose and self._is_problem(child, stop, symptoms, form, collected=collected):
                direct.append((child, stop))
            else:
                inner += inside
        kept = self._kept(direct, runs, collected=collected)
        return sorted((*kept, *inner), key=lambda one: one[0].first)

    def _is_problem(self, node: Node, stop: int, symptoms: int, form: str, *, collected: bool) -> bool:
        if _is_apart(node):
            return False
        seen = self._seen(node, stop)
        return seen.case or (
            seen.is_problem(collected=collected) and (seen.labelled or node.title == form or not _pure(node, symptoms))
        )

    def _is_series(self, node: Node, runs: list[list[Node]]) -> bool:
        """Whether the headings side by side are a list of failures: most show a trace each, or name a failure each."""
        content = [run[0] for run in runs if not heading_roles(run[0].title) or heading(run[0].title).fails]
        content = [one for one in content if not _is_apart(one)]
        content = [one for one in content if one.level != LINE] or content
        if len(content) < 2:
            return False
        seen = [self._seen(one, one.stop) for one in content]
        numbered = sum(is_numbered(one.title) for one in content) * 2 >= len(content)
        shown = sum(one.trace and (one.heading.fails or numbered) and not one.heading.walks for one in seen)
        named = sum(one.heading.fails and (one.heading.asks or one.heading.specific or one.is_whole) for one in seen)
        mended = sum(any(_role(below) in _MENDS for below in one.children) for one in content)
        most = max(shown, named, mended)
        if most >= _SERIES and 2 * most >= len(seen):
            return True
        failing = sum(one.heading.fails and one.answered for one in seen)
        if failing >= _SERIES and 5 * failing >= 4 * len(seen) and not set(heading_roles(node.title)) & _CANDIDATES:
            return True
        return shown == len(seen) >= 2

    def _are_answered(self, runs: list[list[Node]]) -> bool:
        """Whether each of the headings side by side shows an error of its own and states its cause or fix: whatever they are called, they are no sections of one story."""
        content = [run[0] for run in runs if _role(run[0]) is None and not _is_apart(run[0])]
        content = [one for one in content if not heading_roles(one.title) or self._seen(one, one.stop).heading.fails]
        return len(content) >= 2 and all(self._is_answered(one) for one in content)

    def _is_answered(self, node: Node) -> bool:
        seen = self._seen(node, node.stop)
        return seen.states and not seen.heading.walks and (seen.trace or self._shows_error(node, node.stop))

    def _kept(self, direct: Found, runs: list[list[Node]], *, collected: bool) -> Found:
        """Those of the problems side by side that stand as problems of their own."""
        if collected:
            return direct
        named = [one for one in direct if self._seen(*one).heading.specific]
        strong = [one for one in direct if self._seen(*one).is_strong or (one in named and len(named) >= _SERIES)]
        content = sum(not heading_roles(run[0].title) for run in runs)
        specific = sum(self._seen(*one).heading.specific or self._seen(*one).states for one in direct)
        if len(strong) >= 2 and 2 * len(direct) >= content and 2 * specific >= len(direct):
            return direct
        return strong

    def _is_empty(self, node: Node) -> bool:
        """Whether nothing stands between a heading and the first one below it."""
        return not any(block.text.strip() for block in self.blocks[node.body : node.own])

    def _roles_under(self, node: Node, stop: int) -> frozenset[SectionRole]:
        """The roles of the labels and headings under a heading: not under headings with words of their own."""
        others = (one for one in node.children if _is_apart(one) or not heading_roles(one.title))
        foreign = {at for one in others for at in range(one.first, one.stop)}
        return frozenset().union(*(self._labels(at) for at in range(node.body, stop) if at not in foreign))

    def _labels(self, at: int) -> frozenset[SectionRole]:
        """The roles that labels in a block announce; of a heading the one that all of it announces."""
        known = self.labels.get(at)
        if known is None:
            known = self.labels[at] = labels_in(*as_written(self.blocks[at : at + 1]))
        return known

    def _seen(self, node: Node, stop: int) -> _NodeFacts:
        known = self.seen.get((node.first, stop))
        if known is None:
            known = self.seen[node.first, stop] = self._look(node, stop)
        return known

    def _look(self, node: Node, stop: int) -> _NodeFacts:
        label = label_of(node.title) if node.level == LINE else None
        about = heading(node.title, self.title) if label is None else _as_labelled(heading(label[1], self.title))
        trace = any(self.traced[node.first : stop])
        case = self._is_case(node, stop, trace=trace)
        if about.walks and not case:
            return _NodeFacts(about, trace, frozenset(), answered=False)
        under = self.blocks[node.body : stop]
        own = (SectionRole.SYMPTOM,) if label else heading_roles(node.title)[:1] if not about.asks else ()
        words = 0
        for block in under:
            if block.level == LINE or block.kind not in {BlockKind.CODE, BlockKind.HEADING}:
                words += len(block.text.strip().encode(errors="replace"))
            if words >= _ANSWER:
                break
        return _NodeFacts(
            about,
            trace,
            self._roles_under(node, stop).union(own),
            answered=words >= _ANSWER or (words > 0 and any(block.kind is BlockKind.CODE for block in under)),
            line=node.level == LINE,
            labelled=label is not None,
            is_one=_is_one(node),
            case=case,
        )

    def _is_case(self, node: Node, stop: int, *, trace: bool) -> bool:
        """Whether a heading is one of several cases: *Scenario 1*, with an error of its own and a fix under a heading or a label of its own.

        The ways to mend one problem, and its possible causes, show no error each.
        """
        if not is_case(node.title):
            return False
        roles = self._roles_under(node, stop)
        shows = trace or bool(roles & _SHOWS) or self._shows_error(node, stop)
        return shows and bool(roles & {SectionRole.FIX, SectionRole.WORKAROUND})

    def _shows_error(self, node: Node, stop: int) -> bool:
        """Whether code under a heading shows an error that is no trace."""
        code = (block.text for block in self.blocks[node.body : stop] if block.kind is BlockKind.CODE)
        return any(heading(line).fails for text in code for line in text.split("\n", _LINES)[:_LINES])


def _as_labelled(about: Heading) -> Heading:
    """What words say behind a label that names a problem: however they begin, they are no step and no choice."""
    return replace(about, walks=False, does=False)


def _is_one(node: Node) -> bool:
    """Whether a heading opens one write-up: sections that state a symptom, a cause, a fix stand right below it."""
    titles = (child.title for child in node.children if _role(child) or not heading(child.title).fails)
    roles = [role for title in titles for role in heading_roles(title)[:1] if role in _TELLS]
    return len(set(roles)) >= 2 and len(roles) < 2 * len(set(roles))


def _role(node: Node) -> SectionRole | None:
    """The role that the whole of a heading announces."""
    return None if node.level == LINE else label_role(node.title)


def _is_apart(node: Node) -> bool:
    """Whether a heading opens a section that tells the cause apart from others: the errors it names are other problems' own."""
    return heading_roles(node.title) == (SectionRole.DISTINGUISH,)


def _runs(children: list[Node]) -> list[list[Node]]:
    """Each heading with the sections of cause and fix that follow it, and what tells its cause apart; every section of a report that is made again and again."""
    runs: list[list[Node]] = []
    first = _form(children)
    for child in children:
        is_within = first and runs and runs[0][0].title == first and child.title != first and _role(child) is not None
        if runs and (is_within or _role(child) in _STATES or _is_apart(child)):
            runs[-1].append(child)
        else:
            runs.append([child])
    return runs


def _form(children: list[Node]) -> str:
    """The heading that begins each of several reports of one form, such as *Error message*, *Cause*, *Impact*; '' where the first of the sections does not come again."""
    first = next((one.title for one in children if _role(one) in _SHOWS), "")
    again = [at for at, one in enumerate(children) if one.title == first]
    mended = sum(any(_role(one) in _MENDS for one in children[at:end]) for at, end in pairwise((*again, len(children))))
    return first if 2 <= len(again) == mended else ""


def _pure(node: Node, symptoms: int) -> bool:
    """Whether a heading says nothing but its role, and is not one of several that open a problem each."""
    roles = heading_roles(node.title)
    if not roles or heading(node.title).specific or heading(node.title).asks:
        return False
    return roles[0] is not SectionRole.SYMPTOM or (symptoms < 2 and label_role(node.title) is not None)
