"""What Feishu is sent: golden cards, limits, text that is shown as it was written and pings nobody."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from api.chat.feishu.card import COLOURS, card, escaped, link, prose
from api.chat.message import AnswerCard
from index.answer import Verdict
from kb.store.model import Vote
from tests.api.chat.told import KINDS, told

GOLDEN = Path(__file__).parents[3] / "golden" / "chat" / "feishu"


@pytest.mark.parametrize(("verdict", "lang"), KINDS)
def test_golden_cards(verdict: Verdict, lang: str, golden: Callable[[Path, str], None]) -> None:
    made = card(told(verdict, lang))
    golden(GOLDEN / f"{verdict}.{lang}.json", json.dumps(made, ensure_ascii=False, indent=1) + "\n")


def elements(part: Any, tag: str) -> Iterator[dict[str, Any]]:
    """Every element of a kind, wherever it lies."""
    if isinstance(part, dict):
        if part.get("tag") == tag:
            yield part
        for inner in part.values():
            yield from elements(inner, tag)
    elif isinstance(part, list):
        for inner in part:
            yield from elements(inner, tag)


def markdown_of(message: AnswerCard) -> str:
    return "\n".join(one["content"] for one in elements(card(message), "markdown"))


@pytest.mark.parametrize("verdict", Verdict)
def test_the_header_has_the_colour_of_the_verdict(verdict: Verdict) -> None:
    assert card(told(verdict, "zh"))["header"]["template"] == COLOURS[verdict]
    assert len(set(COLOURS.values())) == len(Verdict)


def test_buttons_carry_the_answer_the_match_and_the_vote() -> None:
    buttons = list(elements(card(told(Verdict.KNOWN, "zh")), "button"))
    assert [(one["text"]["content"], one["behaviors"]) for one in buttons] == [
        ("就是它", [{"type": "callback", "value": {"ref": "r3f_Abc-123", "place": 0, "vote": "yes"}}]),
        ("不是它", [{"type": "callback", "value": {"ref": "r3f_Abc-123", "place": 0, "vote": "no"}}]),
        ("打开", [{"type": "open_url", "default_url": "https://kb.example.org/incidents/hdfs-replicas"}]),
    ]


@pytest.mark.parametrize(("vote", "labels"), [(Vote.YES, ["✓ 就是它", "不是它"]), (Vote.NO, ["就是它", "✓ 不是它"])])
def test_after_a_vote_its_button_is_marked_and_nothing_else_changes(vote: Vote, labels: list[str]) -> None:
    message = told(Verdict.KNOWN, "zh")
    made = card(message, vote)
    assert [one["text"]["content"] for one in elements(made, "button")][:2] == labels
    assert json.loads(json.dumps(made).replace(json.dumps("✓ ").strip('"'), "")) == card(message)


def test_nothing_known_has_a_button_to_write_it_up_alone() -> None:
    buttons = list(elements(card(told(Verdict.UNKNOWN, "en")), "button"))
    assert [one["text"]["content"] for one in buttons] == ["Write it up"]


def test_without_links_and_matches_there_are_no_buttons() -> None:
    made = card(replace(told(Verdict.UNKNOWN, "en"), write_up=None))
    assert not list(elements(made, "button"))


def test_an_unprompted_message_names_its_subject() -> None:
    made = card(replace(told(Verdict.KNOWN, "en"), about="FlinkJobFailed"))
    assert made["header"]["subtitle"]["content"] == "FlinkJobFailed"
    assert "subtitle" not in card(told(Verdict.KNOWN, "en"))["header"]


@pytest.mark.parametrize("filler", ["因", "<", "😀", "`", "\n", '"', "\\", "\x01", "**<**"])
@pytest.mark.parametrize(("verdict", "lang"), KINDS)
def test_cards_are_small_enough(verdict: Verdict, lang: str, filler: str) -> None:
    whole = told(verdict, lang)
    if whole.best:
        pairs = tuple(replace(one, pasted=filler * 400, known=filler * 399) for one in whole.best.frames * 9)
        best = replace(whole.best, cause=filler * 5_000, fix=filler * 5_000, title=filler * 900, why=filler * 9_000, frames=pairs)  # fmt: skip
        whole = replace(whole, best=best)
    others = tuple(replace(one, title=filler * 400, link=f"https://x/{'y' * 300}") for one in whole.others * 20)
    full = replace(whole, others=others, notes=(filler * 3_000,) * 9, headline=filler * 400, text=filler * 4_000, about=filler * 300)  # fmt: skip
    made = card(full)
    body = {"msg_type": "interactive", "content": json.dumps(made, ensure_ascii=False), "uuid": "u" * 50}
    assert len(json.dumps(body, ensure_ascii=False).encode()) <= 30_000
    assert whole.write_up is None or whole.write_up in json.dumps(made)
    if whole.best:
        assert len(list(elements(made, "button"))) >= 3


def test_a_cause_of_usual_length_is_whole() -> None:
    message = told(Verdict.KNOWN, "zh")
    assert message.best
    text = markdown_of(replace(message, best=replace(message.best, cause="因" * 1_200, fix="修" * 1_200)))
    assert "因" * 1_200 in text
    assert "修" * 1_200 in text


HOSTILE = ["<at id=all></at>", '<at user_id="all"></at>', "<at email=a@b.c></at>", "<person id='ou_1'></person>", "<font color='red'>x</font>", "<link url='https://e'>x</link>", "<raw>", "</font>", "[x](https://e.example)", "![x](img_v2_1)", "**b**", "_b_", "~~b~~", "`b`", "# b", "   ## b", "> b", "- b", "+ b", "1. b", "12) b", "---", "===", ":OK:", "$x", "\\*b", "&lt;at id=all&gt;", "| a | b |", "a & b"]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_what_would_do_something_is_shown_and_does_nothing(text: str) -> None:
    """CommonMark, of which theirs is a part, shows just the characters; their own tags begin with a sign that is not there."""
    made = escaped(text)
    assert "<" not in made
    assert unescape(made) == text
    shown = MarkdownIt("gfm-like", {"linkify": False}).render(made)
    assert shown.replace("&quot;", '"') == f"<p>{escape(text.strip(), quote=False)}</p>\n"


@given(st.text(alphabet="<>@at id=al/*_`~#[]()!&;\\-+1. \n:", max_size=60))
def test_escaped_text_is_the_text(text: str) -> None:
    made = escaped(text)
    assert unescape(made) == unescape(text.replace("&", "&amp;"))
    assert not re.search(r"[<>*`~\[\]]", made)


def test_what_would_be_an_emoji_is_none() -> None:
    assert escaped(":OK: Shop.java:7: std::vector") == "&#58;OK: Shop.java:7: std::vector"


def test_code_stays_code_and_holds_no_tag() -> None:
    made = prose("Set it:\n```yaml\nretries: 10 # <at id=all></at>\n```\nthen *restart*.")
    assert made == "Set it:\n\n```\nretries: 10 # <\u200bat id=all><\u200b/at>\n```\n\nthen &#42;restart&#42;."


def test_code_and_bold_in_a_line_are_kept() -> None:
    made = prose("Set `a_b < <at id=all>` to **1*0**, **never < 2** and ** not bold ** or `open.")
    assert made == (
        "Set `a_b < <\u200bat id=all>` to &#42;&#42;1&#42;0&#42;&#42;, **never &#60; 2** and &#42;&#42; not bold &#42;&#42; or &#96;open."
    )


@pytest.mark.parametrize(
    "text", ["```\na", "```\n", "~~~\na\n~~~", "```\na\n```\n```\nb\n```", "a\n```", "````\n```\n````"]
)
def test_code_blocks_are_closed(text: str) -> None:
    """As many marks as make whole blocks, none of them inside."""
    made = prose(text)
    assert made.count("```") % 2 == 0
    assert made.count("```") <= 4


@given(st.text(alphabet="`~ab\n <at", max_size=80))
def test_no_tag_comes_out_of_prose(text: str) -> None:
    assert not re.search(r"<(?=[/a-z])", prose(text))


def test_links_lead_to_the_web_alone() -> None:
    assert link("a]b", "https://kb.example.org/x(1) y") == "[a&#93;b](https://kb.example.org/x%281%29%20y)"
    assert link("a", "javascript:alert(1)") == "a"
    assert link("a", None) == "a"
