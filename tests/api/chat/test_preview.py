"""`/dev/cards`: every platform's cards in both languages, all escaped; not there unless it was asked for."""

import re
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.chat.platforms import names
from api.chat.preview import drawn, examples
from api.chat.room import Chats
from api.chat.settings import ChatSettings
from api.settings import ServiceSettings
from tests.api.fixtures import HERE, LOCAL

TAG = re.compile(r"</?([a-zA-Z!][\w-]*)")
DRAWN = re.compile(r"a|b|br|blockquote|code|div|em|h[1-6]|hr|i|li|ol|p|pre|s|small|span|strong|ul")


def test_every_platform_draws_every_example_in_both_languages() -> None:
    found = {(one.platform, one.lang, one.name) for one in drawn()}
    assert found == {(name, lang, one) for name in names() for lang in ("en", "zh") for one in examples(lang)}


@pytest.mark.parametrize("name", names())
def test_a_card_is_escaped_and_says_what_it_is_about(name: str) -> None:
    cards = [one for one in drawn() if one.platform == name]
    assert cards
    for card in cards:
        html = str(card.html)
        assert [tag for tag in TAG.findall(html) if not DRAWN.fullmatch(tag.lower())] == []
        assert not re.search(r"<[^>]*\son\w+=", html)
        assert examples(card.lang)[card.name].headline in unescape(re.sub(r"<[^>]*>", "", html))


def test_the_evidence_is_in_the_language_of_the_card() -> None:
    why = {lang: best.why for lang in ("en", "zh") if (best := examples(lang)["known"].best)}
    assert why["zh"].startswith("有 2 个栈帧相同，最上面的是 org.apache.hadoop.hdfs.DFSOutputStream.completeFile")
    assert why["en"].startswith("2 frames in common, the topmost: org.apache.hadoop")


@pytest.mark.parametrize(("shows", "status"), [(True, 200), (False, 404)])
def test_the_page_is_there_where_it_was_asked_for(tmp_path: Path, *, shows: bool, status: int) -> None:
    app = create_app(ServiceSettings(home=tmp_path), Chats(ChatSettings(dev_pages=shows), {}))
    with TestClient(app, client=HERE, base_url=LOCAL) as client:
        page = client.get("/dev/cards?lang=zh")
        assert page.status_code == status
        assert page.text.count("<figure") == (len(drawn()) if shows else 0)
        assert "/static/cards.css" in page.text or not shows
        assert client.get("/static/cards.css").status_code == 200
