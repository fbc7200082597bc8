"""Draw an answer in WeCom's forms: its dialect of Markdown, and a card with buttons for apps.

Limits: 20,480 bytes of Markdown from a smart robot (document/path/101138), 4,096 into a group (99110), 2,048 from an app (90236), whose
cards take 36 + 44 characters of title and 160 of text; it advises 10 on a button, which suits Chinese.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from api.chat.message import AnswerCard, CardMatch, cut, cut_bytes
from api.chat.wecom.reading import button
from kb.store.model import Vote

ROBOT = 20_480
GROUP = 4_096
APP = 2_048
_BUTTON = 20
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_TAG = re.compile(r"<(?=[A-Za-z@/!])")
_MENTION = re.compile(r"<(?=@)")
_FENCE = "```"
_START = re.compile(r"^([ \t]{0,8})([#>])", re.MULTILINE)
_WIDE = str.maketrans({"[": "［", "]": "］", "`": "'", "*": "＊", "\n": " ", "\t": " "})


def escaped(text: str, *, has_fences: bool = False) -> str:
    """Escape a text so that it holds no mention, link or heading: such characters become their full-width forms, which stay visible.

    ``has_fences``: the client shows code fences, so only mentions are escaped inside them; elsewhere the fences are removed.
    """
    plain = _ODD.sub("\ufffd", text.replace("\r\n", "\n"))
    pieces = (plain if has_fences else _unfenced(plain)).replace("](", "] (").split(_FENCE)
    code = range(1, len(pieces) - 1, 2) if has_fences else ()  # what is opened and closed
    for place, piece in enumerate(pieces):
        pieces[place] = _MENTION.sub("＜", piece) if place in code else _TAG.sub("＜", _START.sub(_wide, piece))
    return _FENCE.join(pieces).strip()


def _unfenced(text: str) -> str:
    """Remove closed fences and the info string of each."""
    pieces = text.split(_FENCE)
    for place in range(1, len(pieces) - 1, 2):
        if "\n" in pieces[place]:
            pieces[place] = pieces[place].partition("\n")[2].rstrip()
    open_one = _FENCE if len(pieces) % 2 == 0 else ""
    return "".join([*pieces[:-1], open_one, pieces[-1]])


def _wide(match: re.Match[str]) -> str:
    return match[1] + ("＃" if match[2] == "#" else "＞")


def line(text: str) -> str:
    """Escape a title or a frame, on one line and without any markup."""
    return escaped(text.translate(_WIDE))


def markdown(message: AnswerCard, most: int, *, is_numbered: bool = False) -> str:
    """Return the whole message in at most ``most`` bytes: the last parts are dropped first, then cause and fix are cut.

    ``is_numbered``: end with a short number, since WeCom hides an app's text that equals an earlier one.
    """
    number = f'<font color="comment">#{sha256(message.ref.encode()).hexdigest()[:6]}</font>' if is_numbered else ""
    head, foot = _head(message), " · ".join(filter(None, (_foot(message), number)))
    room = most - len(f"{head}\n\n{foot}".encode())
    parts = _cause_and_fix(message, room, has_fences=most == ROBOT)
    room -= sum(len(part.encode()) + 2 for part in parts)
    for part in _rest(message):
        size = len(part.encode()) + 2
        if size <= room:
            parts.append(part)
            room -= size
    return cut_bytes("\n\n".join(filter(None, (head, *parts, foot))), most)


def card(message: AnswerCard) -> dict[str, Any]:
    """Both forms of a message: what a smart robot answers, and what an app sends, one after the other."""
    robot = {"msgtype": "markdown", "markdown": {"content": markdown(message, ROBOT)}}
    text = markdown(message, APP, is_numbered=True)
    app: list[dict[str, Any]] = [{"msgtype": "markdown", "markdown": {"content": text}}]
    if message.best:
        app.append({"msgtype": "template_card", "template_card": buttons(message, message.best)})
    return {"robot": robot, "app": app}


def buttons(message: AnswerCard, best: CardMatch) -> dict[str, Any]:
    """The card with the buttons; it is sent after the text, which has no room in it."""
    words = message.words
    votes = ((words.this_was_it, Vote.YES, 1), (words.this_was_not, Vote.NO, 2))
    shown: dict[str, Any] = {
        "card_type": "button_interaction",
        "main_title": {"title": cut(line(best.title), 36), "desc": cut(line(best.likelihood), 44)},
        "sub_title_text": cut(line(best.why or message.headline), 160),
        "task_id": f"{message.ref}-{best.place}",
        "button_list": [
            {"text": cut(text, _BUTTON), "style": style, "key": button(message.ref, best.place, vote)}
            for text, vote, style in votes
        ],
    }
    if best.link:
        shown["card_action"] = {"type": 1, "url": best.link}
    return shown


def _head(message: AnswerCard) -> str:
    lines = [f"**{line(message.headline)}**", escaped(message.text)]
    if message.about:
        lines.insert(0, f"**{cut(line(message.about), 150)}**")
    if best := message.best:
        lines += ["", _titled(best)]
    return "\n".join(lines)


def _named(match: CardMatch) -> str:
    title = cut(line(match.title), 150)
    return f"[{title}]({match.link})" if match.link else f"**{title}**"


def _titled(match: CardMatch) -> str:
    """Its title, how likely it is, and its component."""
    return f"{_named(match)} · {cut(line(match.facts), 150)}" if match.facts else _named(match)


def _cause_and_fix(message: AnswerCard, room: int, *, has_fences: bool) -> list[str]:
    """Both, cut so that they fit: the shorter one keeps what it needs, the longer one gets the rest."""
    if not (best := message.best):
        return []
    words = message.words
    both = ((words.cause, best.cause), (words.fix, best.fix))
    texts = [(name, escaped(stated, has_fences=has_fences) or words.none_stated) for name, stated in both]
    sizes = [len(text.encode()) for _, text in texts]
    room = max(0, room - sum(len(f"**{name}**\n\n\n".encode()) for name, _ in texts))
    shares = [max(room // 2, room - sizes[1]), max(room // 2, room - sizes[0])]
    return [f"**{name}**\n{cut_bytes(text, share)}" for (name, text), share in zip(texts, shares, strict=True)]


def _rest(message: AnswerCard) -> list[str]:
    """Return the optional parts, the most useful first."""
    parts = []
    words = message.words
    if message.best:
        further = [one for one in message.best.parts(words) if one[0] not in (words.cause, words.fix)]
        parts += [f"**{name}**\n{escaped(text)}" for name, text in further]
    for at, one in enumerate(message.causes):
        head = f"**{words.causes}**\n" if not at else ""
        both = ((words.cause, one.cause), (words.apart, one.apart), (words.fix, one.fix))
        lines = [f"{name}: {escaped(text)}" for name, text in both if text]
        parts.append("\n".join((f"{head}{_titled(one)}", *lines)))
    if message.problems:
        parts.append(_listed(words.problems, message.problems))
    if best := message.best:
        frames = [f"`{line(pair.known)}`" for pair in best.frames]
        if why := [*filter(None, (line(best.why),)), *frames]:
            parts.append("\n".join((f"**{message.words.why}**", *why)))
    if message.others:
        parts.append(_listed(words.others, message.others))
    if message.notes:
        parts.append("\n".join(escaped(note) for note in message.notes))
    return parts


def _listed(name: str, matches: Sequence[CardMatch]) -> str:
    return "\n".join((f"**{name}**", *(f"- {_titled(one)}" for one in matches)))


def _foot(message: AnswerCard) -> str:
    words = message.words
    links = []
    if message.best and message.opinion:
        links.append(f"[{words.this_was_it} / {words.this_was_not}]({message.opinion})")
    if message.write_up:
        links.append(f"[{words.write_up}]({message.write_up})")
    return " · ".join(links)
