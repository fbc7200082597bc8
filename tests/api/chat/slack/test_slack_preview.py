"""The local preview shows all that a card says, and none of it as markup of the page."""

from html import unescape
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from api.chat.slack.card import card
from api.chat.slack.preview import html
from tests.api.chat.slack.messages import ALL, BEST, KNOWN, KNOWN_ZH, PINGS, stuffed

ELEMENTS = {"div", "h3", "a", "span", "b", "i", "s", "code", "pre", "br"}


@pytest.mark.parametrize("name", list(ALL))
def test_all_of_a_card_is_drawn(name: str) -> None:
    message = ALL[name]
    page = LexborHTMLParser(html(card(message)))
    assert page.body is not None
    text = page.body.text()
    best = message.best
    said = (
        message.headline,
        message.text,
        message.about,
        *(one.title for one in message.others),
        best.title if best else "",
    )
    assert [one for one in said if one not in text] == []
    assert {node.tag for node in page.css("body *")} <= ELEMENTS
    links = [link.attributes["href"] for link in page.css("a")]
    assert message.write_up in links
    assert len(page.css(".button")) == len(
        next(b for b in card(message)["blocks"] if b["type"] == "actions")["elements"]
    )


def test_markup_is_drawn_as_slack_draws_it() -> None:
    drawn = html(card(KNOWN))
    for part in (
        f'<b><a href="{BEST.link}" rel="noopener noreferrer">{BEST.title}</a></b>',
        "<b>overloaded</b>",
        "<code>completeFile</code>",
        "<pre>&lt;value&gt;10&lt;/value&gt;</pre>",
        '<a href="https://wiki.example.org/hdfs?a=1&amp;b=2" rel="noopener noreferrer">the guide</a>',
        "Consumer group &lt;orders&gt; &amp; co. rebalances",
    ):
        assert part in drawn
    assert "<i>只有</i>" in html(card(KNOWN_ZH))
    assert "*" not in LexborHTMLParser(drawn).text()


@pytest.mark.parametrize(
    "text",
    [
        '"><script>alert(1)</script><img src=x onerror=y>',
        "[a](javascript:alert(1))",
        '[a](https://a.io/"onclick="b)',
        PINGS,
        "&lt;b&gt;",
        "```<b>```",
        "*_~*_~",
        "\0" * 3,
        "\0" + "0" + "\0",
    ],
)
def test_nothing_that_was_written_is_markup(text: str) -> None:
    drawn = html(card(stuffed(text)))
    page = LexborHTMLParser(drawn)
    assert {node.tag for node in page.css("body *")} <= ELEMENTS
    assert {name for node in page.css("body *") for name in node.attributes} <= {"class", "href", "rel"}
    assert all(str(link.attributes["href"]).startswith("https://") for link in page.css("a"))


def test_a_mention_that_came_through_would_show() -> None:
    block = {"type": "section", "text": {"type": "mrkdwn", "text": "<!channel> <@U1>"}}
    assert unescape(html({"blocks": [block]})).count('<mark class="ping">') == 2


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"blocks": 3},
        {
            "blocks": [
                3,
                {},
                {"type": "section"},
                {"type": ["x"]},
                {"type": "actions", "elements": [{}]},
                {"type": "video"},
            ]
        },
    ],
)
def test_odd_payloads_are_drawn_as_far_as_they_go(payload: dict[str, Any]) -> None:
    assert html(payload).startswith('<div class="card-slack">')
