"""What is counted of answers for the dashboard: noted in memory as they are given, summed up and written a few seconds later, in a thread of its own."""

import bisect
import logging
import re
from collections import Counter, OrderedDict, deque
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b
from time import monotonic

from api.observability.metrics import SECONDS
from index.answer import Answer
from index.terms.sketch import leading
from kb.errors import KbError
from kb.redact import redact
from kb.store import Store
from kb.store.tallies import LONGEST_TEXT, MOST_QUESTIONS, TallyKey, TallyKind, UnansweredQuestion, first_day, today
from kb.trace import ExceptionChain, Level, fingerprints, template

log = logging.getLogger(__name__)

_MOST = 10_000
"""Answers that wait to be summed up; of more, the oldest are not counted."""
_MOST_TEXT = 5_000_000
"""Characters of texts that wait; of more, the question is counted without its text."""
_TIDY_GROUPS = 500
"""Groups of questions that one worker writes before what is beyond the bounds is deleted: a flood of errors waits for no clock."""
_AGAIN_SECONDS = 300.0
"""For so long the same text of the same caller is the same search: a page that is loaded again."""
_QUOTED = re.compile(r"""(?<!\w)(?:"[^"\n]{1,300}"|'[^'\n]{1,300}'|“[^”\n]{1,300}”|‘[^’\n]{1,300}’)(?!\w)""")
"""``order of "Ann"``: a template keeps what is quoted, which may be anybody's name."""
WORDS = "words"
"""The group of all questions without a trace."""


@dataclass(frozen=True, slots=True)
class _Noted:
    day: date
    name: str
    """Door and verdict."""
    step: int
    found: tuple[str, ...]
    chain: ExceptionChain | None
    """Of a question without an answer."""
    is_unanswered: bool
    nearest: str
    text: str | None


class SearchTally:
    """Counts the answers of one worker."""

    def __init__(self, days: int, *, keeps_text: bool) -> None:
        self._days = days
        self._keeps_text = keeps_text
        self._noted: deque[_Noted] = deque(maxlen=_MOST)
        self._room = _MOST_TEXT
        self._written: set[str] = set()
        """Groups of questions that were written since the last tidying."""
        self._recent: OrderedDict[int, float] = OrderedDict()

    def note(self, answer: Answer, door: str, text: str = "", *, by: str | None = None) -> None:
        """Count an answer; ``text`` is kept only where `KB_FEEDBACK_TEXT` says so. Costs next to nothing.

        ``by``: whose page it is. The same text of theirs counts once in a few minutes, for each worker. None at doors where what comes
        again has happened again: an alert that fires twice, a script that ran twice.
        """
        if not self._days or (by is not None and self._is_again(by, text)):
            return
        is_unanswered = not answer.fine_verdict.is_likely
        first = tuple(match.incident.id for match in answer.matches[:1])
        self._noted.append(
            _Noted(
                today(),
                f"{door} {answer.fine_verdict.value}",
                bisect.bisect_left(SECONDS, answer.took_ms / 1000),
                () if is_unanswered else tuple(dict.fromkeys((*first, *answer.causes))),
                leading(answer.query.chains) if is_unanswered else None,
                is_unanswered,
                first[0] if is_unanswered and first else "",
                self._kept(text) if is_unanswered and self._keeps_text and text else None,
            )
        )

    def _is_again(self, by: str, text: str) -> bool:
        """Return whether the same caller searched the same text a moment ago. Remembers hashes, no more of them than answers that may wait."""
        now, number = monotonic(), hash((by, len(text), text[:LONGEST_TEXT]))
        while self._recent and next(iter(self._recent.values())) <= now - _AGAIN_SECONDS:
            self._recent.popitem(last=False)
        if number in self._recent:
            return True
        if len(self._recent) >= _MOST:
            self._recent.popitem(last=False)
        self._recent[number] = now
        return False

    def _kept(self, text: str) -> str | None:
        text = _cut(text)
        if len(text) > self._room:
            return None
        self._room -= len(text)
        return text

    def write(self, store: Store) -> None:
        """Sum up what was noted since, and write it. Blocks; when the store cannot take it, it is tried again with the next."""
        noted = [self._noted.popleft() for _ in range(len(self._noted))]
        if not noted:
            return
        sums: Counter[TallyKey] = Counter()
        unanswered: Counter[TallyKey] = Counter()
        questions: dict[str, UnansweredQuestion] = {}
        for one in noted:
            sums[TallyKey(TallyKind.SEARCH, one.name, one.day, str(one.step))] += 1
            sums.update(TallyKey(TallyKind.FOUND, name, one.day, one.name) for name in one.found)
            if one.is_unanswered:
                group = _group(one)
                questions[group.name] = group
                unanswered[TallyKey(TallyKind.UNANSWERED, group.name, one.day, one.name)] += 1
        most = dict(unanswered.most_common(MOST_QUESTIONS))
        names = {key.name for key in most}
        try:
            store.tallies.add({**sums, **most}, [questions[name] for name in names])
        except KbError as error:
            log.warning("searches are not counted yet: %s", error)
            self._noted.extendleft(reversed(noted[-(_MOST - len(self._noted)) :]))
            return
        self._room = _MOST_TEXT
        self._written |= names
        if len(self._written) >= _TIDY_GROUPS:
            with suppress(KbError):  # a busy store is tidied with the next
                self.forget(store)

    def forget(self, store: Store) -> None:
        """Delete what is older than may be kept, and what is beyond the bounds."""
        store.tallies.forget(first_day(self._days))
        self._written.clear()


def _cut(text: str) -> str:
    """The first lines, whole: half a secret is none that a rule knows."""
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT].rpartition("\n")[0]


def _group(one: _Noted) -> UnansweredQuestion:
    """The group that a question belongs to: all with the fingerprint of its root cause, quoted words left out; those without a trace are one."""
    chain = one.chain
    if chain is None or chain.runtime == "text" or not chain.exceptions:
        return UnansweredQuestion(WORDS, "text", "", "", one.nearest, one.text)
    basis = _QUOTED.sub("<quoted>", "\n".join(fingerprints(chain)[Level.ROOT_CAUSE].basis))
    digest = blake2b(basis.encode("utf-8", "replace"), digest_size=16).hexdigest()
    root = chain.root
    message = redact(root.message.splitlines()[0]).text if root.message else ""
    return UnansweredQuestion(
        digest, chain.runtime, root.type or "", _QUOTED.sub("<quoted>", template(message)), one.nearest, one.text
    )
