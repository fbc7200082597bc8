"""What WeCom is sent: golden payloads, limits in bytes, nobody mentioned."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chat.message import CardMatch, cut, cut_bytes
from api.chat.wecom.card import APP, GROUP, ROBOT, buttons, card, escaped, line, markdown
from index.answer import Verdict
from tests.api.chat.told import BEST, KINDS, told

GOLDEN = Path(__file__).parents[3] / "golden" / "chat" / "wecom"


@pytest.mark.parametrize(("verdict", "lang"), KINDS)
def test_golden_cards(verdict: Verdict, lang: str, golden: Callable[[Path, str], None]) -> None:
    message = told(verdict, lang)
    golden(GOLDEN / f"{verdict}.{lang}.json", json.dumps(card(message), ensure_ascii=False, indent=1) + "\n")


@pytest.mark.parametrize("most", [APP, GROUP, ROBOT])
@pytest.mark.parametrize(("verdict", "lang"), KINDS)
def test_limits_are_bytes(verdict: Verdict, lang: str, most: int) -> None:
    """A Chinese character has three, an emoji four; the longest texts that core may hand over are cut, the links stay."""
    whole = told(verdict, lang)
    if whole.best:
        best = replace(whole.best, cause="因😀" * 600, fix="修" * 1_200, title="题" * 150, frames=whole.best.frames * 9)
        whole = replace(whole, best=best, others=whole.others * 20, notes=("注" * 300,) * 5)
    text = markdown(whole, most)
    assert len(text.encode()) <= most
    assert text.startswith(f"**{whole.headline}**")
    assert whole.write_up is None or f"]({whole.write_up})" in text
    if whole.best:
        assert f"]({whole.opinion})" in text
        assert whole.words.cause in text
        assert whole.words.fix in text


def test_addresses_that_leave_no_room_break_no_limit() -> None:
    message = told(Verdict.KNOWN, "zh")
    assert message.best
    far = replace(
        message,
        best=replace(message.best, link="https://kb.example.org/" + "x" * 1_500),
        opinion="https://kb.example.org/" + "y" * 700,
    )
    assert len(markdown(far, APP).encode()) <= APP


def test_the_shorter_of_cause_and_fix_stays_whole() -> None:
    message = told(Verdict.KNOWN, "zh")
    assert message.best
    long = replace(message.best, cause="因" * 1_200, fix="短")
    text = markdown(replace(message, best=long), APP)
    assert "\n短\n" in text
    assert len(text.encode()) > APP - 40, "what there is of room is used"


MENTIONS = ["<@all>", "<@li>", "<@ALL>", '<at user_id="all">', '<font color="warning">x</font>', "<!channel>", "</font>", "[x](https://e.example)", "![x](https://e.example)", "# a", "  ## a", "> a", "]\u0000(", "]```\n```(", "<```x\n```@all>", "<``````@li>", "```\n#```x\n``` a"]  # fmt: skip


@pytest.mark.parametrize("text", MENTIONS)
def test_what_would_do_something_is_shown_and_does_nothing(text: str) -> None:
    shown = escaped(f"a {text}\n{text}")
    assert not re.search(r"<[@A-Za-z!/]|\]\(|^\s*[#>]", shown, re.MULTILINE)
    assert "@li" in shown or "li" not in text, "it can still be read"


def test_in_a_fence_only_mentions_change_where_there_are_fences() -> None:
    fence = "```xml\n# on the host\n<a>1</a> <@all> x[1](2)\n```"
    robot = escaped(f"# so\n{fence}\n> <b>", has_fences=True)
    assert robot == "＃ so\n```xml\n# on the host\n<a>1</a> ＜@all> x[1] (2)\n```\n＞ ＜b>"
    app = escaped(f"# so\n{fence}\n> <b>")
    assert app == "＃ so\n＃ on the host\n＜a>1＜/a> ＜@all> x[1] (2)\n＞ ＜b>"
    assert escaped("```\n# <a>", has_fences=True) == "```\n＃ ＜a>", "what is not closed is no fence"
    message = told(Verdict.KNOWN, "en")
    assert message.best
    message = replace(message, best=replace(message.best, fix=fence))
    assert "<a>1</a>" in markdown(message, ROBOT)
    assert "<a>" not in markdown(message, GROUP)


def test_code_stays_as_it_is() -> None:
    code = "if (a < b && c > d) { x[1] = `y`; }  # why\n\tat a.b(C.java:1)"
    assert escaped(code) == code


@given(st.text())
def test_any_text_is_made_harmless(text: str) -> None:
    for shown in (escaped(text), line(text)):
        assert not re.search(r"<[@A-Za-z!/]|\]\(", shown)
        shown.encode()
    assert "\n" not in line(text)


@given(st.text(), st.integers(0, 40))
def test_cut_keeps_whole_characters(text: str, most: int) -> None:
    clean = text.encode("utf-8", "replace").decode()
    for shown, size in ((cut(clean, most), len(cut(clean, most))), (cut_bytes(clean, most), len(cut_bytes(clean, most).encode()))):  # fmt: skip
        assert size <= most
        assert shown == clean or clean.startswith(shown.removesuffix("…"))


@pytest.mark.parametrize(("text", "most", "shown"), [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("ae\u0301b", 3, "a…"), ("👩\u200d👩ab", 3, "…"), ("ab", 1, "…"), ("ab", 0, "")])  # fmt: skip
def test_where_a_text_is_cut(text: str, most: int, shown: str) -> None:
    assert cut(text, most) == shown


@pytest.mark.parametrize(("text", "most", "shown"), [("根因", 6, "根因"), ("根因因", 8, "根…"), ("根因", 2, ""), ("😀😀", 7, "😀…")])  # fmt: skip
def test_where_bytes_are_cut(text: str, most: int, shown: str) -> None:
    assert cut_bytes(text, most) == shown


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_fields_of_the_card_are_short(lang: str) -> None:
    message = told(Verdict.KNOWN, lang)
    best = replace(BEST[lang], title="题" * 150, likelihood="很" * 99, why="由" * 999, link=None)
    words = replace(message.words, this_was_it="是" * 40)
    shown = buttons(replace(message, words=words), best)
    assert [len(shown["main_title"]["title"]), len(shown["main_title"]["desc"]), len(shown["sub_title_text"])] == [
        36,
        44,
        160,
    ]
    assert len(shown["button_list"][0]["text"]) == 20
    assert "card_action" not in shown
    assert re.fullmatch(r"[A-Za-z0-9_@-]{1,128}", shown["task_id"])


def test_a_title_is_one_line_without_form() -> None:
    found = CardMatch(0, "a\n# b [c](d) **e** `f`", None, "", "https://kb.example.org/x")
    text = markdown(replace(told(Verdict.KNOWN, "en"), best=found), ROBOT)
    assert "[a # b ［c］(d) ＊＊e＊＊ 'f'](https://kb.example.org/x)" in text
