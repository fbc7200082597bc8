"""Compose the card that answers a question, in the language of the question. Nothing is escaped yet: each platform does that."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from api.chat.message import FRAME, LINES, PART, TITLE, AlignedFrames, AnswerCard, CardMatch, Words
from api.contract.paths import page_of
from api.render.language import Strings, load_strings
from api.render.sides import AlignedRow, Sides
from api.render.view import AnswerView as Seen
from api.render.view import Placed
from index.answer import Match, Verdict
from kb.article.quotes.announced import MORE, shortened
from kb.article.quotes.passages import ARTICLE
from kb.incident import Incident
from kb.language import detect
from kb.redact import redact

OTHERS = 3
"""Further incidents that are named; the page has them all."""
_FRAMES = 2
_NOWHERE = -1
"""The place of a card entry that is no match of the answer and cannot be voted on."""
_FENCE = "```"
_MARKS = " \t\n.。;；*"
"""Punctuation that remains of the quoted sentence."""
_ITEM = re.compile(r"\s{0,20}+(?:[-*+•]\s|\d{1,3}+(?:[.)]\s|[、）]))\s{0,8}+")
"""The bullet or number of an item."""
_BEFORE = 3
"""Lines of its list that are shown before a quotation."""
_STRINGS = load_strings()


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """What a card needs beside the answer itself."""

    ref: str
    public_url: str | None
    """Where the page is; None: no links."""
    notes: tuple[str, ...] = ()
    alert: str = ""
    """The name of an alert; '' for a question that a person asked."""


def reply_language(text: str) -> str:
    """Return the language to answer a text in: ``zh`` or ``en``. Mixed text is answered in Chinese."""
    return "en" if detect(text) == "en" else "zh"


def words_of(lang: str) -> Strings:
    """Return the strings of one language."""
    return _STRINGS[lang]


def answer_card(seen: Seen, lang: str, about: AnswerContext) -> AnswerCard:
    """Return the card of an answer."""
    answer, t = seen.answer, words_of(lang)
    is_known = answer.verdict is not Verdict.UNKNOWN and bool(answer.matches)
    rest = list(enumerate(answer.matches))[1 if is_known else 0 :]
    also = [(place, match) for place, match in rest if match.incident.id in answer.causes]
    others = [one for one in rest if one not in also]
    message = _message(
        about,
        t,
        answer.verdict,
        t.headline(answer.fine_verdict, len(answer.causes)),
        t.advice(answer.fine_verdict, len(answer.causes), is_near=bool(answer.matches)),
        is_likely=answer.fine_verdict.is_likely,
        best=_best(answer.matches[0], seen.side, t, about) if is_known else None,
        causes=tuple(_cause(place, match, t, about) for place, match in also),
        others=tuple(_other(place, match, t, about) for place, match in others)[:OTHERS],
        problems=tuple(_problem(placed, t, about) for placed in seen.problems[1:]),
        notes=(*about.notes, *answer.notes),
        write_up=_address(about, f"/write?chat={about.ref}&lang={t.lang}"),
        opinion=_address(about, f"/chat/{about.ref}?lang={t.lang}") if answer.matches else None,
    )
    if not (is_known and answer.matches[0].incident.sections):
        return message
    return replace(message, words=replace(message.words, none_stated=t("not_in_article")))


def notice_card(what: str, lang: str, about: AnswerContext) -> AnswerCard:
    """Return a card without an answer: ``empty``, ``no_snapshot`` or ``late``."""
    t = words_of(lang)
    text = t(f"chat_{what}_text")
    opinion = None
    if what == "late":
        opinion = _address(about, f"/chat/{about.ref}?lang={t.lang}")
        text = text if opinion else t("chat_late_text_no_link")
    return _message(about, t, Verdict.UNKNOWN, t(f"chat_{what}"), text, opinion=opinion)


def triage_card(news: Mapping[str, Any], lang: str, public_url: str | None) -> AnswerCard:
    """Return the card of a triage report with new groups. ``news``: the event of `api.hooks.triage_news`, secrets out."""
    t, about = words_of(lang), AnswerContext("", public_url)

    def drafted(group: Mapping[str, Any]) -> CardMatch:
        link = _address(about, f"/write?triage={news['run']}&group={group['id']}&lang={lang}")
        crashes = t("triage_crashes", count=f"{group['crashes']:,}")
        return CardMatch(_NOWHERE, cut(group["headline"], TITLE), None, crashes, link)

    at = news["at"][:16].replace("T", " ")
    card = _message(
        about,
        t,
        Verdict.UNKNOWN,
        t("triage_news", count=f"{news['new_groups']:,}"),
        t("triage_news_text", count=f"{news['new_crashes']:,}", at=at),
        others=tuple(map(drafted, news["groups"][:OTHERS])),
        write_up=_address(about, f"/triage/{news['run']}?show=new&lang={lang}"),
    )
    return replace(card, words=replace(card.words, others=t("triage_largest"), write_up=t("triage_open")))


def review_card(news: Mapping[str, Any], names: str, lang: str, public_url: str | None) -> AnswerCard:
    """Return the card of a request for a review. ``news``: the event of `api.hooks.review_news`, secrets out; ``names``: the reviewers."""
    t, about = words_of(lang), AnswerContext("", public_url)
    status = t(f"status_{news['status']}")
    incident = CardMatch(_NOWHERE, cut(news["title"], TITLE), None, status, _address(about, page_of(news["id"])))
    card = _message(
        about,
        t,
        Verdict.UNKNOWN,
        cut(t("review_news", names=names), TITLE),
        t("review_news_text", name=news["requested_by"]["name"], revision=news["revision"]),
        others=(incident,),
        write_up=news["url"],
    )
    return replace(card, words=replace(card.words, others=t("review_news_of"), write_up=t("review_open")))


def _message(
    about: AnswerContext,
    t: Strings,
    verdict: Verdict,
    headline: str,
    text: str,
    *,
    is_likely: bool = False,
    **more: object,
) -> AnswerCard:
    words = Words(
        cause=t("root_cause"),
        fix=t("fix"),
        why=t("why"),
        this_was_it=t("vote_yes"),
        this_was_not=t("vote_no"),
        write_up=t("write_it_up"),
        open=t("open_incident"),
        others=t("others") if is_likely else t("nearest"),
        none_stated=t("not_stated"),
        apart=t("distinguish"),
        article=t("from_article"),
        owner=t("owner"),
        causes=t("other_causes"),
        problems=t("other_problems"),
    )
    fields = {"notes": about.notes, **more}
    return AnswerCard(about.ref, t.lang, verdict, headline, text, words, about=about.alert, **fields)  # type: ignore[arg-type]


def _best(match: Match, side: Sides | None, t: Strings, about: AnswerContext) -> CardMatch:
    incident = match.incident
    strongest = max(match.evidence, key=lambda one: one.weight, default=None)
    return CardMatch(
        place=0,
        title=_title(incident, t),
        component=incident.component,
        likelihood=t.probability_word(match.probability),
        link=_link(match, t, about),
        cause=_stated(incident, "root_cause", incident.root_cause),
        fix=_stated(incident, "fix", incident.fix),
        apart=_short(incident.distinguish),
        article=shortened(redact(_unquoted(incident)).text, LINES, PART // 2),
        owner=cut(redact(incident.owner or "").text, TITLE),
        frames=matched(side.rows) if side else (),
        why=cut(strongest.summary, PART) if strongest else "",
    )


def _title(incident: Incident, t: Strings) -> str:
    """The title, and behind it in which language alone the incident is told, where that is not the reader's."""
    only = t.only_in(incident.lang)
    return cut(redact(incident.title).text, TITLE - len(only) - 3 if only else TITLE) + (f" ({only})" if only else "")


def _cause(place: int, match: Match, t: Strings, about: AnswerContext) -> CardMatch:
    """Another cause of the same error: shorter than the best match."""
    incident = match.incident
    return replace(
        _other(place, match, t, about),
        cause=_short(incident.root_cause),
        fix=_short(incident.fix),
        apart=_short(incident.distinguish),
    )


def _unquoted(incident: Incident) -> str:
    """The article's own words: what explains the failure where no cause is quoted, else what it says at all."""
    explanation = "" if incident.root_cause else incident.sections.get("root_cause", "")
    return explanation or incident.sections.get(ARTICLE, "")


def _short(text: str | None) -> str:
    return cut(redact(text).text, PART // 3) if text else ""


def _problem(placed: Placed, t: Strings, about: AnswerContext) -> CardMatch:
    """A further problem in one line: the incident, or where none fits how its trace begins."""
    problem = placed.problem
    likelihood = f"{t.lines(placed.first, placed.last)} · {t.headline(problem.fine_verdict, len(problem.causes))}"
    if problem.matches and problem.verdict is not Verdict.UNKNOWN:
        return replace(_other(_NOWHERE, problem.matches[0], t, about), likelihood=likelihood)
    begins = "".join(part.text for part in placed.lines[0].parts) if placed.lines else ""
    return CardMatch(_NOWHERE, cut(redact(begins).text, TITLE), None, likelihood, None)


def _stated(incident: Incident, name: str, text: str | None) -> str:
    """A cause or a fix, followed by a few lines of what it announces, or else of what follows it in its section.

    The page shows the rest.
    """
    if not text:
        return ""
    behind = incident.announced.get(name) or _around(incident.sections.get(name, ""), text.strip())
    below = f"\n\n{shortened(redact(behind).text, LINES, PART // 2)}" if behind else ""
    return cut(redact(text).text, PART - len(below)) + below


def _around(section: str, quoted: str) -> str:
    """The text after a quotation in its section; for a list item, the list from a few items before it."""
    first, last = quoted.partition("\n")[0], quoted.rpartition("\n")[2]
    before, quote, after = section.partition(first)
    above, _, indent = before.rpartition("\n")
    if quote and _ITEM.fullmatch(indent):
        items = above.rpartition("\n\n")[2].split("\n")
        if _ITEM.match(items[-1]):
            kept = items[-_BEFORE:]
            more = f"{MORE}\n\n" if len(kept) < len(items) else ""
            return more + "\n".join((*kept, indent + quote + after))
    return (quote + after).partition(last)[2].lstrip(_MARKS)


def _other(place: int, match: Match, t: Strings, about: AnswerContext) -> CardMatch:
    title, word = _title(match.incident, t), t.probability_word(match.probability)
    return CardMatch(place, title, match.incident.component, word, _link(match, t, about))


def matched(rows: Iterable[AlignedRow]) -> tuple[AlignedFrames, ...]:
    """Return up to two frames in common: of the innermost exception that has any, those nearest the raise."""
    groups: list[list[AlignedFrames]] = [[]]
    for row in rows:
        if row.is_exception:
            groups.append([])
        elif row.agreement == "same" and row.ours and row.theirs:
            groups[-1].append(AlignedFrames(cut(row.ours, FRAME), cut(row.theirs, FRAME)))
    shared = [group for group in groups if group]
    return tuple(shared[-1][:_FRAMES]) if shared else ()


def _link(match: Match, t: Strings, about: AnswerContext) -> str | None:
    return _address(about, f"{page_of(match.incident.id)}?lang={t.lang}")


def _address(about: AnswerContext, path: str) -> str | None:
    return None if about.public_url is None else about.public_url + path


def cut(text: str, most: int) -> str:
    """Cut a text to ``most`` characters, ``…`` included; close a code fence that the cut leaves open."""
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
"""Most code points of one visible character; a family emoji has eleven."""


def _is_open(text: str) -> bool:
    return text.count(_FENCE) % 2 == 1
