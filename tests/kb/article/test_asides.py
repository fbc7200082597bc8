"""What stands beside an article, what is set off within it, and what is written around all of it."""

import pytest

from kb.article import read_article
from kb.article.formats import take_apart

WORDS = "<p>Since the update the service answers every request with an error, and nothing is written to the log of the gateway.</p>"
SAID = "<p>Set the timeout of the gateway to 30 seconds.</p>"


def said(aside: str) -> bool:
    page = f"<html><body><main><h1>502 from the gateway</h1>{WORDS}{aside.format(SAID)}{WORDS}</main></body></html>"
    return "30 seconds" in take_apart(page, "a.html").text


@pytest.mark.parametrize(
    "aside",
    [
        '<aside aria-label="Solution" class="starlight-aside starlight-aside--tip"><p class="starlight-aside__title" aria-hidden="true">Solution</p>{}</aside>',
        '<aside class="admonition note"><p class="admonition-title">Note</p>{}</aside>',
        '<aside class="callout">{}</aside>',
        '<aside class="isWarning">{}</aside>',
        '<aside class="box" aria-label="解决方案">{}</aside>',
        '<aside class="box" aria-label="注意！">{}</aside>',
        '<aside class="box" aria-label="Root cause">{}</aside>',
    ],
)
def test_a_note_to_the_reader_stays(aside: str):
    assert said(aside)


@pytest.mark.parametrize(
    "word",
    [
        "admonition",
        "callout",
        "note",
        "tip",
        "hint",
        "important",
        "warning",
        "caution",
        "danger",
        "attention",
        "solution",
        "workaround",
        "注意",
        "警告",
        "重要",
    ],
)
def test_words_of_notes(word: str):
    assert said(f'<aside class="starlight-aside--{word}">{{}}</aside>')


@pytest.mark.parametrize(
    "aside",
    [
        "<aside>{}</aside>",
        '<aside class="sidebar">{}</aside>',
        '<aside class="sidebar-note">{}</aside>',
        '<aside class="sponsor tip">{}</aside>',
        '<aside class="quote" data-username="ann">{}</aside>',
        '<aside class="footnotes" role="doc-footnote">{}</aside>',
        '<aside class="author-info" aria-label="About the author">{}</aside>',
        '<aside class="tooltips multiple">{}</aside>',
        '<aside class="related-notes">{}</aside>',
        '<aside class="note" hidden>{}</aside>',
        '<aside class="note" role="complementary">{}</aside>',
        '<aside aria-label="相关文章">{}</aside>',
    ],
)
def test_what_stands_beside_the_article_goes(aside: str):
    assert not said(aside)


def test_the_title_of_a_note_is_a_label():
    page = (
        f"<html><body><main><h1>502 from the gateway</h1>{WORDS}<aside aria-label=Solution class='starlight-aside starlight-aside--tip'>"
        f"<p class='starlight-aside__title' aria-hidden=true><svg><path d=M0/></svg>Solution</p><section>{SAID}</section></aside></main></body></html>"
    )
    document = take_apart(page, "a.html")
    [incident] = read_article(page.encode(), "a.html").incidents

    assert [block.text for block in document.blocks][2:] == [
        "Solution",
        "Set the timeout of the gateway to 30 seconds.",
    ]
    assert incident.fix == "Set the timeout of the gateway to 30 seconds."


@pytest.mark.parametrize("inner", ["<div>{}</div>", '<div class="postBody">{}</div>', "{}"])
def test_a_page_within_a_form_is_a_page(inner: str):
    script = f"<script>var state = '{'x' * 5_000}';</script>"
    page = f"<html><body>{script}<form id=aspnetForm method=post><input type=hidden name=__VIEWSTATE value=x><h1>502</h1>{inner.format(WORDS + SAID)}</form></body></html>"
    assert "30 seconds" in take_apart(page, "a.html").text


def test_a_form_within_a_page_goes():
    assert not said("<form><label>Was this helpful?</label>{}<button>Send</button></form>")
