"""An answer as what is said in a chat, in the language of the question. Nothing is escaped yet: that is the platform's."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from api.chat.message import FRAME, LINES, PART, TITLE, Found, Message, Pair, Words
from api.language import Strings, load_strings
from api.paths import page_of
from api.sides import Row, Sides
from api.view import Found as Seen
from index.answer import Match, Verdict
from kb.article.announced import shortened
from kb.language import detect
from kb.redact import redact

OTHERS = 3
"""Further incidents that are named; the page has them all."""
_FRAMES = 2
_FENCE = "```"
_STRINGS = load_strings()


@dataclass(frozen=True, slots=True)
class About:
    """What an answer is about, beside what was found."""

    ref: str
    public_url: str | None
    """Where the page is; None: no links."""
    notes: tuple[str, ...] = ()
    alert: str = ""
    """The name of an alert, where nobody asked."""


def spoken(text: str) -> str:
    """The language to answer a text in: ``zh`` or ``en``. Whoever mixes them reads Chinese."""
    return "en" if detect(text) == "en" else "zh"


def words_of(lang: str) -> Strings:
    """The words of one language."""
    return _STRINGS[lang]


def said(seen: Seen, lang: str, about: About) -> Message:
    """The message that tells an answer."""
    answer, t = seen.answer, words_of(lang)
    is_known = answer.verdict is not Verdict.UNKNOWN and bool(answer.matches)
    near = "verdict_unknown_near" if answer.matches else "verdict_unknown_text"
    rest = answer.matches[1:] if is_known else answer.matches
    places = range(1 if is_known else 0, len(answer.matches))
    return _message(
        about,
        t,
        answer.verdict,
        t(f"verdict_{answer.verdict}"),
        t(f"verdict_{answer.verdict}_text") if is_known else t(near),
        best=_best(answer.matches[0], seen.side, t, about) if is_known else None,
        others=tuple(_other(place, match, t, about) for place, match in zip(places, rest, strict=True))[:OTHERS],
        notes=(*about.notes, *answer.notes),
        write_up=_address(about, f"/write?chat={about.ref}&lang={t.lang}"),
        opinion=_address(about, f"/chat/{about.ref}?lang={t.lang}") if answer.matches else None,
    )


def told(what: str, lang: str, about: About) -> Message:
    """A message without an answer: ``empty``, ``no_snapshot``, ``late``."""
    t = words_of(lang)
    text = t(f"chat_{what}_text")
    opinion = None
    if what == "late":
        opinion = _address(about, f"/chat/{about.ref}?lang={t.lang}")
        text = text if opinion else t("chat_late_text_no_link")
    return _message(about, t, Verdict.UNKNOWN, t(f"chat_{what}"), text, opinion=opinion)


def _message(about: About, t: Strings, verdict: Verdict, headline: str, text: str, **more: object) -> Message:
    words = Words(
        cause=t("root_cause"),
        fix=t("fix"),
        why=t("why"),
        this_was_it=t("vote_yes"),
        this_was_not=t("vote_no"),
        write_up=t("write_it_up"),
        open=t("open_incident"),
        others=t("others") if verdict is Verdict.KNOWN else t("nearest"),
        none_stated=t("not_stated"),
    )
    said = {"notes": about.notes, **more}
    return Message(about.ref, t.lang, verdict, headline, text, words, about=about.alert, **said)  # type: ignore[arg-type]


def _best(match: Match, side: Sides | None, t: Strings, about: About) -> Found:
    incident = match.incident
    strongest = max(match.evidence, key=lambda one: one.weight, default=None)
    return Found(
        place=0,
        title=cut(redact(incident.title).text, TITLE),
        component=incident.component,
        likelihood=t.probability_word(match.probability),
        link=_link(match, t, about),
        cause=_stated(incident.root_cause, incident.announced.get("root_cause")),
        fix=_stated(incident.fix, incident.announced.get("fix")),
        frames=matched(side.rows) if side else (),
        why=cut(strongest.summary, PART) if strongest else "",
    )


def _stated(text: str | None, announced: str | None) -> str:
    """A cause or a fix, and below it a few lines of what it announces: the page has the others."""
    if not text:
        return ""
    below = f"\n\n{shortened(redact(announced).text, LINES, PART // 2)}" if announced else ""
    return cut(redact(text).text, PART - len(below)) + below


def _other(place: int, match: Match, t: Strings, about: About) -> Found:
    title, word = cut(redact(match.incident.title).text, TITLE), t.probability_word(match.probability)
    return Found(place, title, match.incident.component, word, _link(match, t, about))


def matched(rows: Iterable[Row]) -> tuple[Pair, ...]:
    """Two frames that both sides have: of the innermost exception with any, those next to where it was raised."""
    groups: list[list[Pair]] = [[]]
    for row in rows:
        if row.is_exception:
            groups.append([])
        elif row.agreement == "same" and row.ours and row.theirs:
            groups[-1].append(Pair(cut(row.ours, FRAME), cut(row.theirs, FRAME)))
    shared = [group for group in groups if group]
    return tuple(shared[-1][:_FRAMES]) if shared else ()


def _link(match: Match, t: Strings, about: About) -> str | None:
    return _address(about, f"{page_of(match.incident.id)}?lang={t.lang}")


def _address(about: About, path: str) -> str | None:
    return None if about.public_url is None else about.public_url + path


def cut(text: str, most: int) -> str:
    """At most so many characters, the last of them ``…`` where some were left out; a fence that is left open is closed."""
    if len(text) <= most:
        return text
    if _is_open(text[:most]):
        most = max(1, most - len(_FENCE) - 1)
    end = most - 1
    for _ in range(_LONGEST_CHARACTER):
        if end == 0 or not (unicodedata.combining(text[end]) or text[end] in _JOINED or text[end - 1] == "\u200d"):
            break
        end -= 1
    kept = text[:end].rstrip() + "…"
    return f"{kept}\n{_FENCE}" if _is_open(kept) else kept


_JOINED = frozenset("\u200d\ufe0e\ufe0f")
"""What belongs to the character before it."""
_LONGEST_CHARACTER = 20
"""Code points of what is seen as one character: a family of emoji has eleven."""


def _is_open(text: str) -> bool:
    return text.count(_FENCE) % 2 == 1
