"""What is counted of answers for the dashboard: noted in memory as they are given, summed up and written a few seconds later, in a thread of its own."""

import bisect
import logging
import re
from collections import Counter, deque
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b

from api.observability.metrics import SECONDS
from index.answer import Answer
from index.terms.sketch import leading
from kb.errors import KbError
from kb.redact import redact
from kb.store import Store
from kb.store.tallies import LONGEST_TEXT, TallyKey, TallyKind, UnansweredQuestion, first_day, today
from kb.trace import ExceptionChain, Level, fingerprints, template

log = logging.getLogger(__name__)

_MOST = 10_000
"""Answers that wait to be summed up; of more, the oldest are not counted."""
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

    def note(self, answer: Answer, door: str, text: str = "") -> None:
        """Count an answer; ``text`` is kept only where `KB_FEEDBACK_TEXT` says so. Costs next to nothing."""
        if not self._days:
            return
        is_unanswered = not answer.fine_verdict.is_likely
        first = tuple(match.incident.id for match in answer.matches[:1])
        self._noted.append(
            _Noted(
                today(),
                f"{door} {answer.verdict.value}",
                bisect.bisect_left(SECONDS, answer.took_ms / 1000),
                () if is_unanswered else tuple(dict.fromkeys((*first, *answer.causes))),
                leading(answer.query.chains) if is_unanswered else None,
                is_unanswered,
                first[0] if is_unanswered and first else "",
                _cut(text) if is_unanswered and self._keeps_text and text else None,
            )
        )

    def write(self, store: Store) -> None:
        """Sum up what was noted since, and write it. Blocks; when the store cannot take it, it is tried again with the next."""
        noted = [self._noted.popleft() for _ in range(len(self._noted))]
        if not noted:
            return
        sums: Counter[TallyKey] = Counter()
        questions: dict[str, UnansweredQuestion] = {}
        for one in noted:
            sums[TallyKey(TallyKind.SEARCH, one.name, one.day, str(one.step))] += 1
            sums.update(TallyKey(TallyKind.FOUND, name, one.day) for name in one.found)
            if one.is_unanswered:
                group = _group(one)
                questions[group.name] = group
                sums[TallyKey(TallyKind.UNANSWERED, group.name, one.day)] += 1
        try:
            store.tallies.add(sums, questions.values())
        except KbError as error:
            log.warning("searches are not counted yet: %s", error)
            self._noted.extendleft(reversed(noted[-(_MOST - len(self._noted)) :]))

    def forget(self, store: Store) -> None:
        """Delete what is older than may be kept."""
        store.tallies.forget(first_day(self._days))


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
