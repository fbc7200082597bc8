"""A message as an Adaptive Card (adaptivecards.io, 1.4), as Teams takes it: at most 28 KB, and from an outgoing webhook with links alone.

What strangers wrote stands in text runs, which no client reads as Markdown, so there is nothing to escape in it and nothing that links or
mentions. Lines are elements of their own: not every client breaks a line inside of one.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from api.chat.message import PART, AnswerCard, CardMatch, cut

MOST = 27_000
"""Bytes of a card in JSON; Teams takes 28 KB with what it adds itself."""
LINES = 24
"""Most lines of a cause or a fix."""
Element = dict[str, Any]
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_FORM = re.compile(r"`([^`\n]{1,400})`|\*\*([^*\n]{1,400})\*\*")
_FENCE = "```"


def card(message: AnswerCard) -> dict[str, Any]:
    """What is sent: the card, and its first line for those who are notified of it."""
    shown = next((made for made in (_card(message, most) for most in (PART, 500, 200)) if _size(made) <= MOST), None)
    attached = {
        "contentType": "application/vnd.microsoft.card.adaptive",
        "contentUrl": None,
        "content": shown or _card(message, 80),
    }
    return {"type": "message", "summary": _clean(message.headline), "attachments": [attached]}


def _size(shown: Element) -> int:
    return len(json.dumps(shown, ensure_ascii=False).encode())


def _card(message: AnswerCard, most: int) -> Element:
    body = [*_head(message), *_best(message, most), *_causes(message, most)]
    body += _others(message.words.others, message.others)
    body += _others(message.words.problems, message.problems)
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
            yield from (
                _line([_run(cut(frame, 200), is_code=True)]) for frame in dict.fromkeys((pair.pasted, pair.known))
            )


def _stated(one: CardMatch, message: AnswerCard, most: int) -> Iterator[Element]:
    for name, said in one.parts(message.words):
        yield _line([_run(name, is_bold=True)], spacing="Medium")
        yield from _paragraphs(cut(said, most) or message.words.none_stated)


def _causes(message: AnswerCard, most: int) -> Iterator[Element]:
    for at, one in enumerate(message.causes[:5]):
        if not at:
            yield _line([_run(message.words.causes, is_bold=True, size="Large")], spacing="Medium")
        yield _line([*_named(one)], spacing="Medium")
        yield from _stated(one, message, most)


def _others(name: str, found: Iterable[CardMatch]) -> Iterator[Element]:
    for at, one in enumerate(list(found)[:5]):
        if not at:
            yield _line([_run(name, is_bold=True)], spacing="Medium")
        yield _line([*_named(one)])


def _named(found: CardMatch) -> Iterator[Element]:
    title = _run(cut(found.title, 150), is_bold=True)
    if found.link:
        title["selectAction"] = {"type": "Action.OpenUrl", "url": found.link}
    yield title
    yield _run(f" · {cut(found.likelihood, 150)}", is_subtle=True)


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
    for found in _FORM.finditer(line):
        runs += [_run(line[at : found.start()])] if found.start() > at else []
        runs.append(_run(found[1] or found[2], is_code=found[1] is not None, is_bold=found[2] is not None))
        at = found.end()
    return [*runs, *([_run(line[at:])] if at < len(line) else [])]


def _line(runs: Iterable[Element], spacing: str = "Small") -> Element:
    return {"type": "RichTextBlock", "spacing": spacing, "inlines": list(runs)}


def _run(
    said: str, *, is_bold: bool = False, is_code: bool = False, is_subtle: bool = False, size: str = ""
) -> Element:
    run: Element = {"type": "TextRun", "text": _clean(said)}
    if is_bold:
        run["weight"] = "Bolder"
    if is_code:
        run["fontType"] = "Monospace"
    if is_subtle:
        run["isSubtle"] = True
    return {**run, "size": size} if size else run


def _clean(said: str) -> str:
    return _ODD.sub("\ufffd", said.replace("\r\n", "\n"))
