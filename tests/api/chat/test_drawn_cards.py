"""The local previews of WeCom and Teams draw what is sent, and no more than its text."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from api.chat.message import AnswerCard
from api.chat.teams import preview as teams_preview
from api.chat.teams.card import card as teams_card
from api.chat.wecom import preview as wecom_preview
from api.chat.wecom.card import card as wecom_card
from index.answer import Verdict
from tests.api.chat.told import KINDS, told

DRAWN: list[Callable[[AnswerCard], str]] = [
    lambda message: wecom_preview.html(wecom_card(message)),
    lambda message: teams_preview.html(teams_card(message)),
]


@pytest.mark.parametrize("drawn", DRAWN, ids=["wecom", "teams"])
@pytest.mark.parametrize(("verdict", "lang"), KINDS)
def test_all_of_a_message_is_drawn(verdict: Verdict, lang: str, drawn: Callable[[AnswerCard], str]) -> None:
    message = told(verdict, lang)
    page = LexborHTMLParser(drawn(message))
    text = page.body.text() if page.body else ""
    for said in (message.headline, message.text, *(other.title for other in message.others)):
        assert said in text
    links = {str(link.attributes["href"]) for link in page.css("a")}
    wanted = {message.write_up, message.opinion if message.best else None, message.best.link if message.best else None}
    assert wanted - {None} <= links


@pytest.mark.parametrize("drawn", DRAWN, ids=["wecom", "teams"])
def test_nothing_of_it_is_markup(drawn: Callable[[AnswerCard], str]) -> None:
    message = told(Verdict.KNOWN, "en")
    assert message.best
    evil = '"><script>alert(1)</script><img src=x onerror=y> [a](javascript:alert(1)) &lt;b&gt;'
    best = replace(
        message.best, title=evil, cause=evil, fix=evil, why=evil, likelihood=evil, link="javascript:alert(1)"
    )
    shown = drawn(replace(message, best=best, headline=evil, notes=(evil,), opinion='https://x.example/"onclick="y'))
    page = LexborHTMLParser(shown)
    names = {name for node in page.css("*") for name in node.attributes}
    assert {node.tag for node in page.css("body *")} <= {"div", "a", "span", "b", "code", "small", "br", "h3", "p"}
    assert names <= {"class", "href", "rel"}
    assert not re.search(r'href="(?!https://)', shown)


@pytest.mark.parametrize("payload", [{}, {"robot": 5, "app": [1, {"msgtype": "template_card"}]}, {"attachments": [{"content": {"body": [{}, 1]}}]}])  # fmt: skip
@pytest.mark.parametrize("draw", [wecom_preview.html, teams_preview.html])
def test_a_payload_of_another_shape_is_drawn_as_far_as_it_goes(
    draw: Callable[[dict[str, Any]], str], payload: dict[str, Any]
) -> None:
    assert isinstance(draw(payload), str)
