"""Draw an answer as an Adaptive Card (adaptivecards.io, 1.4) for Teams: at most 28 KB, and links alone from an outgoing webhook.

Foreign text goes into text runs, which no client reads as Markdown: nothing to escape, no links, no mentions. Each line is an element,
since not every client breaks a line inside of one.
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from api.chat.message import OTHERS, SIZES, AnswerCard, CardMatch, cut, first_that_fits

MOST = 27_000
"""Most bytes of a card in JSON; Teams accepts 28 KB including what it adds."""
_SIZES = (*SIZES[:-1], 80)
"""As everywhere, but for the shortest."""
LINES = 24
"""Most lines of a cause or a fix."""
Element = dict[str, Any]
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_FORM = re.compile(r"`([^`\n]{1,400})`|\*\*([^*\n]{1,400})\*\*")
_FENCE = "```"


def card(message: AnswerCard) -> dict[str, Any]:
    """Return the message: the card, and a line for notifications."""
    shown = first_that_fits(partial(_card, message), lambda drawn: _size(drawn) <= MOST, _SIZES)
    attached = {
        "contentType": "application/vnd.microsoft.card.adaptive",
        "contentUrl": None,
        "content": shown,
    }
    return {"type": "message", "summary": _clean(message.headline), "attachments": [attached]}


def _size(shown: Element) -> int:
    return len(json.dumps(shown, ensure_ascii=False).encode())


def _card(message: AnswerCard, most: int) -> Element:
    body = [*_head(message), *_best(message, most), *_causes(message, most)]
    for name, matches in message.lists:
        body += [_line([_run(name, is_bold=True)], spacing="Medium"), *(_line([*_named(one)]) for one in matches)]
    body += [_line([_run(cut(note, 300), is_subtle=True)]) for note in message.notes[:5]]
    return {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "fallbackText": _clean(f"{message.headline}: {message.text}"),
        "lang": message.lang,
        "msteams": {"width": "Full"},
        "body": body,
        "actions": list(_links(message)),
    }


def _head(message: AnswerCard) -> Iterator[Element]:
    if message.about:
        yield _line([_run(cut(message.about, 150), is_bold=True)])
    yield _line([_run(message.headline, is_bold=True, size="Large")])
    yield _line([_run(message.text, is_subtle=True)])


def _best(message: AnswerCard, most: int) -> Iterator[Element]:
    if not (best := message.best):
        return
    words = message.words
    yield _line([*_named(best)], spacing="Medium")
    yield from _stated(best, message, most)
    if best.why or best.frames:
        yield _line([_run(words.why, is_bold=True)], spacing="Medium")
        yield from (_line([_run(best.why)]) for _ in range(bool(best.why)))
        for pair in best.frames[:2]:
            yield from (_line([_run(cut(frame, 200), is_code=True)]) for frame in pair.sides)


def _stated(one: CardMatch, message: AnswerCard, most: int) -> Iterator[Element]:
    for name, text in one.parts(message.words):
        yield _line([_run(name, is_bold=True)], spacing="Medium")
        yield from _paragraphs(cut(text, most) or message.words.none_stated)


def _causes(message: AnswerCard, most: int) -> Iterator[Element]:
    for at, one in enumerate(message.causes[:OTHERS]):
        if not at:
            yield _line([_run(message.words.causes, is_bold=True, size="Large")], spacing="Medium")
        yield _line([*_named(one)], spacing="Medium")
        yield from _stated(one, message, most)


def _named(match: CardMatch) -> Iterator[Element]:
    title = _run(cut(match.title, 150), is_bold=True)
    if match.link:
        title["selectAction"] = {"type": "Action.OpenUrl", "url": match.link}
    yield title
    if match.facts:
        yield _run(f" · {cut(match.facts, 150)}", is_subtle=True)


def _links(message: AnswerCard) -> Iterator[Element]:
    words, best = message.words, message.best
    names = (
        (words.open, best.link if best else None),
        (f"{words.this_was_it} / {words.this_was_not}", message.opinion),
        (words.write_up, message.write_up),
    )
    for name, url in names:
        if url:
            yield {"type": "Action.OpenUrl", "title": cut(name, 60), "url": url}


def _paragraphs(written: str) -> Iterator[Element]:
    """Lines of a text, its code in a typewriter's letters."""
    is_code, count = False, 0
    for line in _clean(written).splitlines():
        if line.lstrip().startswith(_FENCE):
            is_code = not is_code
            continue
        if line.strip():
            count += 1
            if count > LINES:
                yield _line([_run("…")])
                return
            yield _line([_run(line, is_code=True)] if is_code else _formed(line))


def _formed(line: str) -> list[Element]:
    runs, at = [], 0
    for match in _FORM.finditer(line):
        runs += [_run(line[at : match.start()])] if match.start() > at else []
        runs.append(_run(match[1] or match[2], is_code=match[1] is not None, is_bold=match[2] is not None))
        at = match.end()
    return [*runs, *([_run(line[at:])] if at < len(line) else [])]


def _line(runs: Iterable[Element], spacing: str = "Small") -> Element:
    return {"type": "RichTextBlock", "spacing": spacing, "inlines": list(runs)}


def _run(
    text: str, *, is_bold: bool = False, is_code: bool = False, is_subtle: bool = False, size: str = ""
) -> Element:
    run: Element = {"type": "TextRun", "text": _clean(text)}
    if is_bold:
        run["weight"] = "Bolder"
    if is_code:
        run["fontType"] = "Monospace"
    if is_subtle:
        run["isSubtle"] = True
    return {**run, "size": size} if size else run


def _clean(text: str) -> str:
    return _ODD.sub("\ufffd", text.replace("\r\n", "\n"))
