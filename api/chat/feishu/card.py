"""Draw an answer as a Feishu card, JSON 2.0.

https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-json-v2-structure. The second version, because it alone
has code in Markdown and callbacks beside links on one row of buttons; clients older than 7.20 show a hint to update instead.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from api.chat.message import (
    FRAME,
    OTHERS,
    SIZES,
    TITLE,
    AlignedFrames,
    AnswerCard,
    CardMatch,
    Words,
    cut,
    first_that_fits,
)
from api.contract.jsontext import dump
from index.answer import Verdict
from kb.store.model import Vote

BYTES = 28_000
"""The platform accepts requests of 30 KB."""
COLOURS: Mapping[Verdict, str] = {Verdict.KNOWN: "green", Verdict.RELATED: "orange", Verdict.UNKNOWN: "grey"}
"""Of the header."""
_PAIRS = 4
_NOTES = 4
_LINE = 300

Element = dict[str, Any]


def card(message: AnswerCard, voted: Vote | None = None) -> dict[str, Any]:
    """The card of ``message``: small enough, nothing in it that pings. ``voted``: the button that was pressed last is marked."""
    message = message if voted is None else replace(message, words=_marked(message.words, voted))
    made = first_that_fits(partial(_card, message), lambda drawn: _size(drawn) <= BYTES)
    if _size(made) > BYTES:
        made = _card(replace(message, others=(), causes=(), problems=(), notes=message.notes[:1]), SIZES[-1])
    return made


def _size(drawn: Mapping[str, Any]) -> int:
    """Bytes of the card in a request, where it is JSON within JSON."""
    return len(dump(dump(drawn).decode()))


def _marked(words: Words, voted: Vote) -> Words:
    if voted is Vote.YES:
        return replace(words, this_was_it=f"✓ {words.this_was_it}")
    return replace(words, this_was_not=f"✓ {words.this_was_not}")


def _card(message: AnswerCard, most: int) -> dict[str, Any]:
    """Draw it with at most ``most`` characters in each cause and fix."""
    title: Element = {"title": _plain(cut(message.headline, TITLE)), "template": COLOURS[message.verdict]}
    if message.about:
        title["subtitle"] = _plain(cut(message.about, TITLE))
    if message.best is not None and message.verdict is not Verdict.UNKNOWN:
        likelihood = {"tag": "text_tag", "text": _plain(cut(message.best.likelihood, 30))}
        title["text_tag_list"] = [{**likelihood, "color": COLOURS[message.verdict]}]
    elements = [_markdown(escaped(cut(message.text, _LINE)))]
    if message.best is not None:
        elements += _best(message.best, message, most)
    elements += _causes(message, most)
    for name, matches in message.lists:
        elements += _list(name, matches)
    elements += [_small(cut(note, _LINE)) for note in message.notes[:_NOTES]]
    elements += _buttons(message)
    return {
        "schema": "2.0",
        "config": {"update_multi": True, "width_mode": "fill", "summary": {"content": cut(message.summary, TITLE)}},
        "header": title,
        "body": {"elements": elements},
    }


def _best(best: CardMatch, message: AnswerCard, most: int) -> list[Element]:
    words = message.words
    head = f"**{link(cut(best.title, TITLE), best.link)}**"
    if best.component:
        head += f"\n<font color='grey'>{escaped(cut(best.component, TITLE))}</font>"
    parts = [_markdown(head)]
    parts += _stated(best, words, most)
    if best.why or best.frames:
        parts.append(_markdown(f"**{escaped(words.why)}**" + (f" {escaped(cut(best.why, _LINE))}" if best.why else "")))
    return parts + [_frames(pair) for pair in best.frames[:_PAIRS]]


def _stated(one: CardMatch, words: Words, most: int) -> list[Element]:
    parts = []
    for name, text in one.parts(words):
        content = prose(cut(text, most)) or f"<font color='grey'>{escaped(words.none_stated)}</font>"
        parts.append(_markdown(f"**{escaped(name)}**\n{content}"))
    return parts


def _causes(message: AnswerCard, most: int) -> list[Element]:
    parts: list[Element] = []
    for at, one in enumerate(message.causes[:OTHERS]):
        head = f"**{escaped(message.words.causes)}**\n" if not at else ""
        parts += [{"tag": "hr"}, _markdown(f"{head}**{link(cut(one.title, TITLE), one.link)}**{_facts(one)}")]
        parts += _stated(one, message.words, most)
    return parts


def _frames(pair: AlignedFrames) -> Element:
    """One line for an equal frame; two columns for frames that only agree."""
    return _columns([_column([_small(cut(side, FRAME))], weight=1) for side in pair.sides])


def _list(name: str, matches: Sequence[CardMatch]) -> list[Element]:
    lines = [f"- {link(cut(one.title, TITLE), one.link)}{_facts(one)}" for one in matches]
    return [{"tag": "hr"}, _markdown("\n".join((f"**{escaped(name)}**", *lines)))]


def _facts(one: CardMatch) -> str:
    """How likely a further match is, and its component, behind its title."""
    return f" <font color='grey'>{escaped(cut(one.facts, TITLE))}</font>" if one.facts else ""


def _buttons(message: AnswerCard) -> list[Element]:
    """Yes and no call us back; the others are links. Without any there is no row."""
    words, best, row = message.words, message.best, []
    if best is not None:
        value = {"ref": message.ref, "place": best.place}
        row.append(_button(words.this_was_it, "primary", {"type": "callback", "value": {**value, "vote": "yes"}}))
        row.append(_button(words.this_was_not, "default", {"type": "callback", "value": {**value, "vote": "no"}}))
    for label, address in message.links:
        row.append(_button(label, "default", {"type": "open_url", "default_url": address}))
    return [{"tag": "hr"}, {**_columns([_column([one]) for one in row]), "flex_mode": "flow"}] if row else []


def _button(label: str, kind: str, behaviour: Mapping[str, Any]) -> Element:
    return {"tag": "button", "text": _plain(cut(label, 60)), "type": kind, "behaviors": [dict(behaviour)]}


def _plain(text: str) -> Element:
    return {"tag": "plain_text", "content": text}


def _markdown(text: str) -> Element:
    return {"tag": "markdown", "content": text}


def _small(text: str) -> Element:
    """Text of strangers in one piece, which is not read as Markdown at all."""
    return {"tag": "div", "text": {**_plain(text), "text_size": "notation", "text_color": "grey"}}


def _columns(columns: Sequence[Element]) -> Element:
    return {"tag": "column_set", "columns": list(columns)}


def _column(elements: list[Element], weight: int | None = None) -> Element:
    width: Element = {"width": "auto"} if weight is None else {"width": "weighted", "weight": weight}
    return {"tag": "column", **width, "elements": elements}


_MARKUP = re.compile(r"[&<>*_~`\[\]()!\\$|]|:(?=[A-Za-z_]{1,40}:)|^[ \t]{0,3}(?:[-+=#]|\d{1,9}(?=[.)]))", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[^`\n]*\n(.*?)(?:^[ \t]{0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`([^`\n]{1,300})`|\*\*([^*\s](?:[^*\n]{0,300}[^*\s])?)\*\*")
"""Code and bold in a line: all the markup that is kept, as it is what makes a command readable."""
_ADDRESS = re.compile(r"[\s()<>\[\]\\\"'`|*_~]")
_TAG = re.compile(r"<(?=[/a-zA-Z])")


def escaped(text: str) -> str:
    """``text`` as running text: whatever would be markup, a mention or an emoji is a character reference."""
    return _MARKUP.sub(lambda match: _reference(match[0]), text)


def prose(text: str) -> str:
    """A cause or a fix: code stays code and bold bold, everything else is escaped."""
    pieces: list[str] = []
    at = 0
    for match in _FENCE.finditer(text):
        pieces += (_lines(text[at : match.start()]), _code(match[2]))
        at = match.end()
    return "".join((*pieces, _lines(text[at:]))).strip()


def link(label: str, address: str | None) -> str:
    """``label`` as a link; bare where there is no address of the web."""
    if address is None or not address.startswith(("https://", "http://")):
        return escaped(label)
    return f"[{escaped(' '.join(label.split()))}]({_ADDRESS.sub(lambda match: f'%{ord(match[0]):02X}', address)})"


def _reference(markup: str) -> str:
    """Blanks as they are, then the sign or the first figure as its reference."""
    blanks = len(markup) - len(markup.lstrip(" \t"))
    return f"{markup[:blanks]}&#{ord(markup[blanks])};{markup[blanks + 1 :]}"


def _lines(text: str) -> str:
    """Running text with code and bold in it."""
    pieces: list[str] = []
    at = 0
    for match in _INLINE.finditer(text):
        kept = f"`{_harmless(match[1])}`" if match[1] else f"**{escaped(match[2])}**"
        pieces += (escaped(text[at : match.start()]), kept)
        at = match.end()
    return "".join((*pieces, escaped(text[at:])))


def _harmless(code: str) -> str:
    """Code whose tags are inert: an invisible character follows each ``<``."""
    return _TAG.sub("<\u200b", code)


def _code(text: str) -> str:
    """A block of code."""
    inside = _harmless(text.replace("```", "`\u200b``").rstrip("\n"))
    return f"\n```\n{inside}\n```\n"
