"""The local previews of Feishu and DingTalk draw what is sent, and no more than its text."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from api.chat.dingtalk import preview as dingtalk_preview
from api.chat.dingtalk.card import card as dingtalk_card
from api.chat.dingtalk.settings import DingTalkSettings
from api.chat.feishu import preview as feishu_preview
from api.chat.feishu.card import card as feishu_card
from api.chat.feishu.settings import FeishuSettings
from api.chat.message import AnswerCard
from index.answer import Verdict
from index.settings import HomeSettings
from tests.api.chat.told import KINDS, told

Draw = Callable[[AnswerCard], str]
DRAWN: list[Draw] = [
    lambda message: feishu_preview.html(feishu_card(message)),
    lambda message: dingtalk_preview.html(dingtalk_card(message)),
]
NAMES = ["feishu", "dingtalk"]
TAGS = {"div", "a", "span", "strong", "code", "pre", "small", "br", "h3", "h6", "p", "ul", "li", "hr", "blockquote"}


@pytest.mark.parametrize("drawn", DRAWN, ids=NAMES)
@pytest.mark.parametrize(("verdict", "lang"), KINDS)
def test_all_of_a_message_is_drawn(verdict: Verdict, lang: str, drawn: Draw) -> None:
    message = told(verdict, lang)
    page = LexborHTMLParser(drawn(message))
    text = page.body.text().replace("\u200b", "") if page.body else ""
    said = [message.headline, message.text, *message.notes, *(other.title for other in message.others)]
    if message.best:
        said += [
            message.best.title,
            message.words.this_was_it,
            message.words.this_was_not,
            message.best.frames[0].pasted,
        ]
        said += [message.best.fix.replace("`", "").split()[0] if message.best.fix else message.words.none_stated]
    assert [one for one in said if one not in text] == []
    wanted = {message.write_up, message.best.link if message.best else None} - {None}
    assert wanted <= {str(link.attributes["href"]) for link in page.css("a")}


@pytest.mark.parametrize("drawn", DRAWN, ids=NAMES)
def test_nothing_of_it_is_markup(drawn: Draw) -> None:
    message = told(Verdict.KNOWN, "en")
    assert message.best
    evil = '"><script>alert(1)</script><img src=x onerror=y> [a](javascript:alert(1)) &lt;b&gt; \ue000 ![x](https://e)'
    best = replace(message.best, title=evil, cause=evil, fix=evil, why=evil, likelihood=evil, link="javascript:alert(1)")  # fmt: skip
    shown = drawn(replace(message, best=best, headline=evil, notes=(evil,), opinion='https://x.example/"onclick="y'))
    page = LexborHTMLParser(shown)
    assert {node.tag for node in page.css("body *")} <= TAGS
    assert {name for node in page.css("*") for name in node.attributes} <= {"class", "href", "rel"}
    assert not re.search(r'href="(?!https://)', shown)


ODD = [{}, {"header": 1, "body": {"elements": [1, {"tag": "?"}, {"tag": "column_set", "columns": [1]}]}}, {"msgtype": "actionCard", "actionCard": {"btns": [{"actionURL": "https://[::1"}, 1]}}]  # fmt: skip


@pytest.mark.parametrize("payload", ODD)
@pytest.mark.parametrize("draw", [feishu_preview.html, dingtalk_preview.html], ids=NAMES)
def test_a_payload_of_another_shape_is_drawn_as_far_as_it_goes(draw: Callable[[dict[str, Any]], str], payload: dict[str, Any]) -> None:  # fmt: skip
    assert isinstance(draw(payload), str)


@pytest.mark.parametrize(("name", "settings"), [("feishu", FeishuSettings), ("dingtalk", DingTalkSettings)])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_setup_names_every_setting_and_the_address(name: str, settings: type[HomeSettings], lang: str) -> None:
    text = (files(f"api.chat.{name}") / f"setup.{lang}.md").read_text(encoding="utf-8")
    own = settings.model_fields.keys() - HomeSettings.model_fields.keys()
    assert {f"KB_{field.upper()}" for field in own} - set(re.findall(r"KB_[A-Z_]+", text)) == set()
    assert "{url}" in text


def test_setup_of_feishu_asks_for_the_scopes_that_it_explains() -> None:
    folder = files("api.chat.feishu")
    scopes = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["scopes"]["tenant"]
    for lang in ("en", "zh"):
        text = (folder / f"setup.{lang}.md").read_text(encoding="utf-8")
        assert [scope for scope in scopes if f"`{scope}`" not in text] == []
        assert "{manifest}" in text
