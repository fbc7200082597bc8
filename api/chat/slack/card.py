"""Draw an answer in Block Kit; every field is cut to Slack's limit.

https://docs.slack.dev/reference/block-kit/blocks and .../block-kit/composition-objects/text-object
"""

from typing import Any

from api.chat.message import OTHERS, AnswerCard, CardMatch
from api.chat.slack.mrkdwn import FENCE, STAR, MrkdwnWriter, bold, cut, fitted, length, link, pieces
from api.chat.slack.reading import button_value
from kb.store.model import Vote

HEADER = 150
TEXT = 3_000
"""Most characters of a section and of a part of a context."""
BUTTON = 75
URL = 3_000
FALLBACK = 300
"""Most characters of ``text``, which notifications show; Slack accepts 40,000."""
_NOTES = 5
_WRITER = MrkdwnWriter()
Block = dict[str, Any]


def card(message: AnswerCard) -> dict[str, Any]:
    """``text`` and ``blocks`` of a post."""
    blocks = [_header(message.headline), _section(_opening(message))]
    if message.best is not None:
        blocks += _best(message.best, message)
        for at, one in enumerate(message.causes[:OTHERS]):
            head = bold(message.words.causes, HEADER) + "\n" if not at else ""
            blocks += [_section(f"{head}{_titled(one)}"), *_stated(one, message)]
    blocks += [_actions(row) for row in (_buttons(message),) if row]
    for name, matches in message.lists:
        blocks.append(_section("\n".join([bold(name, HEADER), *(f"• {_titled(one)}" for one in matches)])))
    if message.notes:
        blocks.append(_context([cut(note, TEXT // 10) for note in message.notes[:_NOTES]]))
    return {"text": _fallback(message), "blocks": blocks}


def _opening(message: AnswerCard) -> str:
    about = bold(message.about, HEADER) + "\n" if message.about else ""
    return about + cut(message.text, TEXT - length(about))


def _best(best: CardMatch, message: AnswerCard) -> list[Block]:
    words = message.words
    facts = [cut(best.likelihood, TEXT)]
    if best.component:
        facts.append("`" + cut(best.component.replace("`", "'"), 100) + "`")
    blocks = [_section(f"*{link(best.title.replace('*', STAR), best.link, TEXT - 2)}*"), _context(facts)]
    blocks += _stated(best, message)
    why = _why(best, words.why)
    return [*blocks, _section(why)] if why else blocks


def _stated(one: CardMatch, message: AnswerCard) -> list[Block]:
    return [_section_of(name, text, message.words.none_stated) for name, text in one.parts(message.words)]


def _section_of(name: str, markdown: str, none: str) -> Block:
    head = bold(name, HEADER) + "\n"
    body = _WRITER.pieces(markdown) or ["_", *pieces(none), "_"]
    return _section(head + fitted(body, TEXT - length(head)))


def _why(best: CardMatch, name: str) -> str:
    """The strongest evidence, and frames in common: one line where they are equal, two where they only agree."""
    if not best.why and not best.frames:
        return ""
    text = f"{bold(name, HEADER)} {cut(best.why, 500)}".rstrip()
    if not best.frames:
        return text
    lines = "\n".join("\n≈ ".join(pair.sides) for pair in best.frames)
    return f"{text}\n" + fitted([FENCE, "\n", *pieces(lines), "\n", FENCE], TEXT - length(text) - 1)


def _titled(one: CardMatch) -> str:
    return link(one.title, one.link, 450) + (f" — {cut(one.facts, 100)}" if one.facts else "")


def _buttons(message: AnswerCard) -> list[Block]:
    words, best = message.words, message.best
    row: list[Block] = []
    if best is not None:
        for name, vote, style in ((words.this_was_it, Vote.YES, "primary"), (words.this_was_not, Vote.NO, None)):
            button = _button(name, f"vote_{vote.name.lower()}")
            button["value"] = button_value(message.ref, best.place, vote)
            row.append({**button, "style": style} if style else button)
        row += _opens(words.open, "open", best.link)
    return row + _opens(words.write_up, "write_up", message.write_up)


def _opens(name: str, action: str, url: str | None) -> list[Block]:
    """A button that is a link."""
    return [{**_button(name, action), "url": url}] if url and length(url) <= URL else []


def _button(name: str, action: str) -> Block:
    return {"type": "button", "action_id": action, "text": _plain(name, BUTTON)}


def _fallback(message: AnswerCard) -> str:
    title = message.best.title if message.best is not None else message.text
    colon = "：" if message.lang == "zh" else ": "
    return cut(colon.join(filter(None, [message.about, message.headline, title])), FALLBACK)


def _plain(text: str, limit: int) -> Block:
    """A text in which Slack looks for nothing: no markup, no emoji. Not escaped, then."""
    return {"type": "plain_text", "text": fitted(text, limit) or "…", "emoji": False}


def _mrkdwn(text: str) -> Block:
    return {"type": "mrkdwn", "text": text or "…", "verbatim": True}


def _header(text: str) -> Block:
    return {"type": "header", "text": _plain(text, HEADER)}


def _section(text: str) -> Block:
    return {"type": "section", "text": _mrkdwn(text)}


def _context(texts: list[str]) -> Block:
    return {"type": "context", "elements": [_mrkdwn(text) for text in texts]}


def _actions(buttons: list[Block]) -> Block:
    return {"type": "actions", "elements": buttons}
