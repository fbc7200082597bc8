"""What DingTalk is sent: golden cards in both forms, limits, text that is shown as it was written and pings nobody."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from api.chat.dingtalk.card import Card, card, composed, escaped, for_api, for_webhook, link, prose
from index.answer import Verdict
from tests.api.chat.told import KINDS, told

GOLDEN = Path(__file__).parents[3] / "golden" / "chat" / "dingtalk"


@pytest.mark.parametrize(("verdict", "lang"), KINDS)
def test_golden_cards(verdict: Verdict, lang: str, golden: Callable[[Path, str], None]) -> None:
    made = composed(told(verdict, lang))
    shown = {"webhook": for_webhook(made), "api": for_api(made)}
    golden(GOLDEN / f"{verdict}.{lang}.json", json.dumps(shown, ensure_ascii=False, indent=1) + "\n")


def test_votes_are_links_with_the_vote_in_them() -> None:
    rows = card(told(Verdict.KNOWN, "zh"))["actionCard"]["btns"]
    leads = [parse_qs(urlsplit(row["actionURL"]).query) for row in rows]
    assert [(row["title"], lead["url"], lead["pc_slide"]) for row, lead in zip(rows, leads, strict=True)] == [
        ("就是它", ["https://kb.example.org/chat/r3f_Abc-123?place=0&vote=yes"], ["false"]),
        ("不是它", ["https://kb.example.org/chat/r3f_Abc-123?place=0&vote=no"], ["false"]),
        ("打开", ["https://kb.example.org/incidents/hdfs-replicas"], ["false"]),
    ]


def test_an_address_with_a_query_keeps_it() -> None:
    message = replace(told(Verdict.KNOWN, "zh"), opinion="https://kb.example.org/chat/r?lang=zh")
    assert composed(message).buttons[0][1] == "https://kb.example.org/chat/r?lang=zh&place=0&vote=yes"


def test_without_links_it_is_markdown() -> None:
    message = told(Verdict.KNOWN, "en")
    assert message.best
    made = composed(replace(message, opinion=None, write_up=None, best=replace(message.best, link=None)))
    assert for_webhook(made)["msgtype"] == "markdown"
    assert for_api(made)["msgKey"] == "sampleMarkdown"


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_api_has_a_template_for_each_number_of_buttons(count: int) -> None:
    made = Card("t", "x", tuple((f"b{number}", f"https://kb/{number}") for number in range(count)))
    filled = json.loads(for_api(made)["msgParam"])
    assert for_api(made)["msgKey"] == ("sampleActionCard" if count == 1 else f"sampleActionCard{count}")
    assert sum("URL" in name for name in filled) == count


@pytest.mark.parametrize(("verdict", "lang"), KINDS)
def test_nobody_is_mentioned(verdict: Verdict, lang: str) -> None:
    made: Any = card(told(verdict, lang))
    assert made["at"] == {"isAtAll": False, "atMobiles": [], "atUserIds": []}
    shown = json.dumps(made, ensure_ascii=False)
    assert not re.search("@(?!\u200b)", shown)
    assert ("@" in shown) == (verdict is not Verdict.UNKNOWN)


@pytest.mark.parametrize("filler", ["因", "<", "😀", "@", "_", "\n", "a\n"])
@pytest.mark.parametrize(("verdict", "lang"), KINDS)
def test_cards_are_small_enough(verdict: Verdict, lang: str, filler: str) -> None:
    whole = replace(told(verdict, lang), headline=filler * 400, text=filler * 4_000)
    if whole.best:
        best = replace(whole.best, cause=filler * 5_000, fix=filler * 5_000, title=filler * 900, why=filler * 9_000, frames=whole.best.frames * 9)  # fmt: skip
        whole = replace(whole, best=best, others=tuple(replace(one, title=filler * 400) for one in whole.others * 20), notes=(filler * 3_000,) * 9)  # fmt: skip
    made = composed(whole)
    assert len(for_api(made)["msgParam"].encode()) <= 15_000
    assert len(json.dumps(for_webhook(made), ensure_ascii=False).encode()) <= 20_000
    assert len(made.buttons) == len(composed(told(verdict, lang)).buttons)


def test_a_cause_of_usual_length_is_whole() -> None:
    message = told(Verdict.KNOWN, "zh")
    assert message.best
    text = composed(replace(message, best=replace(message.best, cause="因" * 1_200, fix="修" * 1_200))).text
    assert "因" * 1_200 in text
    assert "修" * 1_200 in text


HOSTILE = ["@manager7675", "@所有人 @all", "<at id=all></at>", "<font color='red'>x</font>", "<script>", "[x](https://e.example)", "![x](https://e.example/x.png)", "**b**", "__init__", "_b_", "a _b_ c", "~~b~~", "`b`", "# b", "  ## b", "> b", "a\\*b", "&lt;b&gt;", "a & b", "| a |", "***", "snake_case_name"]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_what_would_do_something_is_shown_and_does_nothing(text: str) -> None:
    shown = MarkdownIt("gfm-like", {"linkify": False}).render(escaped(text))
    assert unescape(shown).replace("\u200b", "") == f"<p>{text.strip()}</p>\n"


def test_names_of_code_stay_as_they_are() -> None:
    assert escaped("com.acme.my_pkg.snake_case(Shop.java:7)") == "com.acme.my_pkg.snake_case(Shop.java:7)"


@pytest.mark.parametrize("text", ["a\n---", "a\n===", "a\n- - -", "a\n  --- "])
def test_no_line_under_text_makes_a_heading(text: str) -> None:
    assert "<h" not in MarkdownIt().render(escaped(text))


def test_each_line_is_a_line() -> None:
    assert escaped("a\nb\r\n\nc") == "a  \nb  \n\u200b  \nc"


@given(st.text(alphabet="<>@ab _*`~#[]()!&;\\-=|\n ", max_size=60))
def test_nothing_is_marked_up(text: str) -> None:
    shown = MarkdownIt("gfm-like", {"linkify": False}).disable(["list", "code"]).render(escaped(text))
    assert set(re.findall("<([a-z0-9]+)", shown)) <= {"p", "br"}
    assert not re.search("@(?!\u200b)", shown)


def test_bold_is_kept_and_fences_go() -> None:
    made = prose("Set **a @b** so:\n```yaml\nretries:\n  most: *10*\n```\nthen ** no **.")
    assert (
        made == "Set **a @\u200bb** so:  \nretries:  \n\u00a0\u00a0most: &#42;10&#42;  \nthen &#42;&#42; no &#42;&#42;."
    )


@given(st.text(alphabet="<>@ab *`~#[]()!\n", max_size=60))
def test_no_more_than_bold_is_marked_up(text: str) -> None:
    shown = MarkdownIt("gfm-like", {"linkify": False}).disable(["list", "code"]).render(prose(text))
    assert set(re.findall("<([a-z0-9]+)", shown)) <= {"p", "br", "strong"}
    assert not re.search("@(?!\u200b)", shown)


def test_links_lead_to_the_web_alone() -> None:
    assert link("a]b", "https://kb.example.org/x(1)@y") == "[a&#93;b](https://kb.example.org/x%281%29%40y)"
    assert link("a", "javascript:alert(1)") == "a"
    assert link("a", None) == "a"
