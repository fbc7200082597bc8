"""Markdown of write-ups in Slack's markup."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chat.slack.mrkdwn import MrkdwnWriter, code_pieces, cut, fitted, length, link, pieces

WRITER = MrkdwnWriter()


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("plain", "plain"),
        ("a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"),
        ("&lt; &amp;lt;", "&lt; &amp;lt;"),
        ("one\ntwo\n\nthree", "one\ntwo\n\nthree"),
        ("a **bold** and *slanted* and ~~gone~~.", "a *bold* and _slanted_ and ~gone~."),
        ("(**bold**), **x**", "(*bold*), *x*"),
        ("把**重试**调大", "把重试调大"),
        ("**原因**：磁盘", "原因：磁盘"),
        ("**原因** 磁盘", "*原因* 磁盘"),
        ("in**side**word", "insideword"),
        ("***both***", "_*both*_"),
        ("x***both***y", "xbothy"),
        ("**two\nlines**", "two\nlines"),
        ("`a < b` and `` c`d ``", "`a &lt; b` and `c'd`"),
        ("- a\n- b\n    - c\n- d", "• a\n• b\n    • c\n• d"),
        ("3. a\n4. b\n   - c", "3. a\n4. b\n    • c"),
        ("- a\n\n  more\n- b\n\nafter", "• a\nmore\n• b\n\nafter"),
        ("```java\nint a;\n\n\nb < c;\n```", "```\nint a;\n\n\nb &lt; c;\n```"),
        ("    indented", "```\nindented\n```"),
        ("~~~\na ``` b\n~~~", "```\na ''' b\n```"),
        ("not a ``` fence", "not a ''' fence"),
        ("> a\n> b\n\nc", ">a\n>b\n\nc"),
        ("> - a\n> - b", ">• a\n>• b"),
        ("# Head * x\n\ntext", "*Head ∗ x*\ntext"),
        ("a\n\n---\n\nb", "a\n\n———\nb"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a | b\n1 | 2"),
        ("[the page](https://a.io/x?b=1&c=2)", "<https://a.io/x?b=1&amp;c=2|the page>"),
        ("[**a** > `b`](https://a.io)", "<https://a.io|a &gt; b>"),
        ("[x](<https://a.io/b|c> 'title')", "<https://a.io/b%7Cc|x>"),
        ("<https://a.io/x>", "<https://a.io/x>"),
        ("see https://a.io/x?b=1&c=2.", "see <https://a.io/x?b=1&amp;c=2>."),
        ("https://a.io/x_y_z, **https://a.io/y**", "<https://a.io/x_y_z>, *<https://a.io/y>*"),
        ("见 https://a.io/x。好", "见 <https://a.io/x>。好"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("[x](/incidents/1)", "[x](/incidents/1)"),
        ("![a picture](https://a.io/x.png)", "!<https://a.io/x.png|a picture>"),
        ("<b>raw</b> <!-- c -->", "&lt;b&gt;raw&lt;/b&gt; &lt;!-- c --&gt;"),
        ("<!channel> <@U1> <#C1>", "&lt;!channel&gt; &lt;@U1&gt; &lt;#C1&gt;"),
        ("[<!channel>](https://a.io)", "<https://a.io|&lt;!channel&gt;>"),
        ("[x](https://a.io/<!channel>)", "<https://a.io/%3C!channel%3E|x>"),
        ("a  \nb\\\nc", "a\nb\nc"),
        ("\n\n  \n", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_markdown(markdown: str, expected: str) -> None:
    assert WRITER.text(markdown, 3000) == expected


@given(st.text(alphabet="ab *_~`<>&[]()!#-\n|1.:/h字\U0001f525", max_size=150), st.integers(10, 120))
def test_any_text_fits_the_limit_and_leaves_no_markup_open(markdown: str, limit: int) -> None:
    text = WRITER.text(markdown, limit)
    assert length(text) <= limit
    assert text.count("```") % 2 == 0
    assert "<!" not in text
    assert "<@" not in text
    assert "<#" not in text


@pytest.mark.parametrize(
    "markdown",
    [
        "*" * 20_000,
        "**a" * 7000,
        "**a** " * 4000,
        "[" * 20_000,
        "> " * 10_000,
        "- " * 10_000,
        "`" * 20_000,
        "https://" * 2500,
        "<" * 20_000,
        "|a" * 10_000 + "\n" + "|-" * 10_000,
        "***a** b* " * 2000,
    ],
)
def test_hostile_markdown_takes_no_time(markdown: str) -> None:
    assert length(WRITER.text(markdown, 3000)) <= 3000


@pytest.mark.parametrize(
    ("parts", "limit", "expected"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        (["a", "&amp;", "b"], 7, "a&amp;b"),
        (["a", "&amp;", "b"], 6, "a…"),
        (["&amp;"], 4, "…"),
        (["\U0001f525"] * 3, 6, "\U0001f525" * 3),
        (["\U0001f525"] * 3, 5, "\U0001f525" * 2 + "…"),
        (code_pieces("abcdef"), 14, "```\nabcdef\n```"),
        (code_pieces("abcdef"), 13, "```\nabcd…\n```"),
        (["a", *code_pieces("bcdef")], 5, "a…"),
        ([*code_pieces("a"), "b", "c"], 10, "```\na\n```…"),
        ("", 0, ""),
    ],
)
def test_cutting(parts: list[str], limit: int, expected: str) -> None:
    assert fitted(parts, limit) == expected
    assert length(expected) <= max(limit, 1)


@given(st.text(max_size=60), st.integers(1, 80))
def test_a_cut_text_is_the_beginning_of_the_whole_one(text: str, limit: int) -> None:
    whole = "".join(pieces(text))
    short = cut(text, limit)
    assert length(short) <= limit
    assert short == whole if length(whole) <= limit else whole.startswith(short.removesuffix("…"))


@pytest.mark.parametrize(
    ("text", "url", "expected"),
    [
        ("a\nb", "https://a.io", "<https://a.io|a b>"),
        ("x" * 60, "https://a.io", "<https://a.io|" + "x" * 34 + "…>"),
        ("a", None, "a"),
        ("a", "https://a.io/" + "b" * 30, "a"),
        ("a", "ftp://a.io", "a"),
        ("a", "https://a.io/ b", "<https://a.io/%20b|a>"),
        ("a", "https://a.io/|b", "<https://a.io/%7Cb|a>"),
        ("<x>", "https://a.io/>", "<https://a.io/%3E|&lt;x&gt;>"),
    ],
)
def test_links(text: str, url: str | None, expected: str) -> None:
    assert link(text, url, 50) == expected
