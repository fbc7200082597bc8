"""What the words of a heading say: within them, at their beginning, and beyond what the title says anyway."""

import pytest

from kb.article.formats import take_apart
from kb.article.quotes.statements import QuoteTarget, Statements
from kb.article.sections import sections
from kb.article.split.problems import heading

SAID = {
    "a timeout": ("Timeout of the client", "", {"fails"}),
    "a timeout, in Chinese": ("客户端超时", "", {"fails"}),
    "what the title says is nothing": ("Timeout of the client", "The timeout", set()),
    "what the title says, in Chinese": ("客户端超时", "超时", set()),
    "one word of two is new": ("Timeout and leak", "The timeout", {"fails"}),
    "a report is one under any title": ("Login failed", "Login failed", {"fails"}),
    "an exception": ("About NullPointerException", "", {"fails", "specific"}),
    "the exception of the title": ("About NullPointerException", "NullPointerException", set()),
    "a question": ("How can it be reached?", "", {"asks"}),
    "a step": ("Step 3", "", {"walks"}),
    "a step, in Chinese": ("方法一", "", {"walks"}),
    "no step in the middle": ("我的方法", "", set()),
    "what is done": ("Check the disk", "", {"does"}),
    "nothing is done in the middle": ("Now check the disk", "", set()),
}


@pytest.mark.parametrize(("words", "title", "expected"), SAID.values(), ids=SAID)
def test_what_a_heading_says(words: str, title: str, expected: set[str]) -> None:
    found = heading(words, title)

    assert {name for name in ("fails", "specific", "asks", "walks", "does") if getattr(found, name)} == expected


PUT_OFF = {
    "to be added": ("## Fix\n\nTBD.", (False, True)),
    "to be added, in Chinese": ("## 修复\n\n待补充。", (False, True)),
    "stated": ("## Fix\n\nFree the disk.", (True, False)),
    "stated beside": ("## Fix\n\nTBD.\n\n## Fix\n\nFree the disk.", (True, False)),
    "no word of it": ("## Other\n\nFree the disk.", (False, False)),
    "nothing below it": ("## Fix\n\n## Other\n\nFree the disk.", (False, False)),
    "of another problem, before the trace": ("## Fix\n\nFree the disk.\n\n## Other\n\n```\nTRACE\n```", (False, False)),
    "put off behind the trace": ("## Other\n\n```\nTRACE\n```\n\n## Fix\n\nTBD.", (False, True)),
}


@pytest.mark.parametrize(("text", "expected"), PUT_OFF.values(), ids=PUT_OFF)
def test_whether_a_fix_is_stated_or_put_off(text: str, expected: tuple[bool, bool]) -> None:
    parts = sections(take_apart(f"# T\n\nIt stops.\n\n{text}\n", "x.md").blocks, "T")
    document = Statements(parts, lambda _line: False, lambda line: line == "TRACE")

    assert (document.labelled(QuoteTarget.FIX), document.is_postponed(QuoteTarget.FIX)) == expected
    assert (document.labelled(QuoteTarget.CAUSE), document.is_postponed(QuoteTarget.CAUSE)) == (False, False)
