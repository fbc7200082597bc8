"""The cause in one sentence and the first step of the fix, cut without losing a word."""

from dataclasses import astuple

import pytest

from api.render.gist import Part, first_sentence, first_step
from api.render.markdown import HtmlWriter

LONG = "the pool is empty and nobody gives back " * 9 + "it"
SENTENCES = [
    ("The pool is empty. Nobody gives back.", "The pool is empty.", "Nobody gives back."),
    ("One line goes\non here. Then more.", "One line goes on here.", "Then more."),
    ("连接池已满，\n没有归还。第二句。", "连接池已满，没有归还。", "第二句。"),
    ("It fails in `a.B. C` always. More.", "It fails in `a.B. C` always.", "More."),
    ("It waits **long. Very** long. More.", "It waits **long. Very** long.", "More."),
    ("It fails (see A. Or B) at once. More.", "It fails (see A. Or B) at once.", "More."),
    ("The limit is one of:\n\n- a\n- b", "The limit is one of:\n\n- a\n- b", ""),
    ("It has limits. One of:\n\n- a", "It has limits.", "One of:\n\n- a"),
    ("可能的原因：\n\n1. 磁盘满\n2. 没有权限\n\n其余。", "可能的原因：\n\n1. 磁盘满\n2. 没有权限", "其余。"),
    ("- first\n- second\n\nMore.", "- first\n- second", "More."),
    (f"- {LONG}\n- second", f"- {LONG}", "- second"),
    (f"One of:\n\n- {LONG}\n- second", f"One of:\n\n- {LONG}", "- second"),
    ("See [it][1]. More.\n\n[1]: https://example.org", "See [it][1]. More.\n\n[1]: https://example.org", ""),
    ("Only this", "Only this", ""),
    ("", "", ""),
]
STEPS = [
    ("1. Stop it,\n   now.\n2. Start it.\n\nVerify.", "1. Stop it,\n   now.", "2. Start it.\n\nVerify."),
    ("- one\n- two", "- one", "- two"),
    ("Set it:\n\n```\na: 1\n```\n\nRestart.", "Set it:\n\n```\na: 1\n```", "Restart."),
    ("先执行：\n\n1. 停\n2. 启", "先执行：\n\n1. 停", "2. 启"),
    ("Raise the limit. Then restart.", "Raise the limit. Then restart.", ""),
    ("1. Outer\n   - inner\n2. Next", "1. Outer\n   - inner", "2. Next"),
    (
        "Raise it. " + "And look at all of the others. " * 12,
        "Raise it.",
        ("And look at all of the others. " * 12).strip(),
    ),
]


@pytest.mark.parametrize(("text", "first", "rest"), SENTENCES)
def test_a_cause_in_one_sentence(text: str, first: str, rest: str) -> None:
    assert astuple(first_sentence(text))[:2] == (first, rest)


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        (f"1. {LONG}\n2. b\n   - inner\n3. c\n\nMore.", 2),
        (f"One of:\n\n- {LONG}\n- b\n- c\n- d", 3),
        ("- a\n- b\n\nMore.", 0),
        ("It is full. See:\n\n- a\n- b", 0),
        ("It is full.\n\n- a\n- b", 0),
        (f"- {LONG}\n- b\n\n[x]: https://example.org", 0),
    ],
)
def test_items_that_are_left_out_are_counted(text: str, left_out: int) -> None:
    assert first_sentence(text).left_out == left_out


@pytest.mark.parametrize(("text", "first", "rest"), STEPS)
def test_the_first_step_of_a_fix(text: str, first: str, rest: str) -> None:
    assert first_step(text) == Part(first, rest)


def test_later_steps_keep_their_numbers() -> None:
    assert '<ol start="2">' in HtmlWriter().html(first_step("1. a\n2. b\n3. c").rest)


@pytest.mark.parametrize("text", ["(" * 20_000, "- " * 10_000, "`. A" * 5_000, "> " * 10_000, "a. B" * 5_000])
def test_a_hostile_text_is_cut_in_bounded_time(text: str) -> None:
    assert first_sentence(text).first or first_step(text).first
