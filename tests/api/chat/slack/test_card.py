"""Cards: as they are written down, within every limit, and nothing in them that somebody else wrote does anything."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block

from api.chat.message import PART
from api.chat.slack.card import card
from api.chat.slack.reading import pressed_button
from tests.api.chat.slack.messages import ALL, BEST, KNOWN, PINGS, UNKNOWN, stuffed

GOLDEN = Path(__file__).parents[3] / "golden/chat/slack"


def length(text: str) -> int:
    """In UTF-16: what Slack counts in is not said, and no other count is larger."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def texts(payload: Any) -> list[dict[str, Any]]:
    """Every text object of a payload."""
    if isinstance(payload, list):
        return [one for item in payload for one in texts(item)]
    if not isinstance(payload, dict):
        return []
    own = [payload] if payload.get("type") in {"mrkdwn", "plain_text"} else []
    return own + [one for value in payload.values() for one in texts(value)]


def assert_fits(payload: dict[str, Any]) -> None:
    """The limits of the Block Kit reference, and slack_sdk's opinion of the blocks."""
    assert 0 < length(payload["text"]) <= 300
    assert 0 < len(payload["blocks"]) <= 50
    for block in payload["blocks"]:
        Block.parse(block).validate_json()  # type: ignore[union-attr]
    for one in texts(payload):
        assert 1 <= length(one["text"]) <= 3000
        if one["type"] == "mrkdwn":
            assert one["verbatim"] is True
            assert one["text"].count("```") % 2 == 0
    kinds = {block["type"]: block for block in payload["blocks"]}
    assert length(kinds["header"]["text"]["text"]) <= 150
    assert len(kinds.get("context", {"elements": [1]})["elements"]) in range(1, 11)
    buttons = kinds.get("actions", {"elements": []})["elements"]
    assert len(buttons) <= 25
    assert len({button["action_id"] for button in buttons}) == len(buttons)
    for button in buttons:
        assert length(button["text"]["text"]) <= 75
        assert length(button.get("value", "")) <= 2000
        assert length(button.get("url", "")) <= 3000


@pytest.mark.parametrize("name", list(ALL))
def test_cards_are_as_written_down(name: str, golden: Callable[[Path, str], None]) -> None:
    drawn = card(ALL[name])
    assert_fits(drawn)
    golden(GOLDEN / f"{name}.json", json.dumps(drawn, ensure_ascii=False, indent=2) + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "&",
        "<",
        "\U0001f525",
        "字",
        "```",
        "`",
        "*a* ",
        "- a\n",
        "> a\n",
        "| a | b |\n|--|--|\n",
        "[a](https://a.io/" + "b" * 1100 + ")",
        "1. a\n    1. b\n",
        "# a\n",
        "```\na\n",
        "\n",
        " ",
        PINGS,
        "https://a.io/?a=1&b=2 ",
        "\u200d👨‍👩‍👧",
        "\ufffd",
    ],
)
def test_no_text_breaks_a_limit(text: str) -> None:
    assert_fits(card(stuffed(text)))


@given(st.text(min_size=1, max_size=40))
def test_no_text_at_all_breaks_a_limit(text: str) -> None:
    assert_fits(card(stuffed(text)))


def test_nothing_that_was_written_pings_or_leads_elsewhere() -> None:
    payload = card(stuffed(PINGS))
    written = [payload["text"], *(one["text"] for one in texts(payload) if one["type"] == "mrkdwn")]
    markup = {found for text in written for found in re.findall(r"<[^>]*>", text)}
    assert {found.split("|")[0].rstrip(">") for found in markup} == {
        "<https://incidents.example.org",
        "<https://evil.io%7Cok",
    }
    # The one that was written as an address is a link that shows that address.
    assert {found.partition("|")[2] for found in markup if "evil.io%" in found} == {"https://evil.io|ok>"}


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "https://a.io/" + "x" * 4000, "/incidents/x", "", "https://[::1/x"]
)
def test_an_address_that_cannot_be_followed_is_no_link(url: str) -> None:
    blocks = json.dumps(card(replace(KNOWN, best=replace(BEST, link=url), others=())))
    assert "<javascript" not in blocks
    assert f"<{url}" not in blocks or not url
    assert_fits(card(replace(KNOWN, best=replace(BEST, link=url))))


def test_buttons_name_the_answer_and_the_match() -> None:
    (row,) = (
        block for block in card(replace(KNOWN, best=replace(BEST, place=3)))["blocks"] if block["type"] == "actions"
    )
    votes = [pressed_button(button.get("value", "")) for button in row["elements"]]
    assert [(vote.ref, vote.place, vote.vote.name) for vote in votes if vote] == [
        ("Zk3-r_9", 3, "YES"),
        ("Zk3-r_9", 3, "NO"),
    ]
    assert [button["url"] for button in row["elements"] if "url" in button] == [BEST.link, KNOWN.write_up]


def test_a_star_does_not_end_bold_text() -> None:
    drawn = card(replace(KNOWN, about="a *b* c", best=replace(BEST, title="SELECT * FROM <t>")))
    first, title = (one["text"]["text"] for one in drawn["blocks"][1:3])
    assert first.startswith("*a ∗b∗ c*\n")
    assert title.endswith("|SELECT ∗ FROM &lt;t&gt;>*")


def test_no_vote_without_a_match_and_no_link_without_an_address() -> None:
    assert "vote_" not in json.dumps(card(UNKNOWN))
    assert "write_up" in json.dumps(card(UNKNOWN))
    bare = card(replace(UNKNOWN, write_up=None, others=()))
    assert [block["type"] for block in bare["blocks"]] == ["header", "section"]


def test_a_cut_is_at_a_whole_character_and_shows() -> None:
    (cause,) = (b["text"]["text"] for b in card(replace(KNOWN, best=replace(BEST, cause="&" * PART)))["blocks"] if b["type"] == "section" and "Root cause" in b["text"]["text"])  # fmt: skip
    assert cause.endswith("&amp;…")
    assert 2990 <= length(cause) <= 3000
    assert set(cause.removeprefix("*Root cause*\n").removesuffix("…").split("&amp;")) == {""}
