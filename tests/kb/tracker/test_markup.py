"""Wiki markup, Atlassian documents, storage format → blocks."""

from collections.abc import Callable

import pytest

from kb.article.blocks import Block, BlockKind, plain
from kb.tracker.confluence import storage
from kb.tracker.jira import adf
from kb.tracker.wiki import wiki


def shown(blocks: tuple[Block, ...]) -> list[tuple[str, str]]:
    return [(block.kind.value, block.text) for block in blocks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo\n\nthree", [("paragraph", "one\ntwo"), ("paragraph", "three")]),
        ("h2. Root cause\nThe pool.", [("heading", "Root cause"), ("paragraph", "The pool.")]),
        ("* a\n** b\n# c\n- d", [("item", "a"), ("item", "b"), ("item", "c"), ("item", "d")]),
        ("bq. said so", [("quote", "said so")]),
        ("{quote}said\n\nso{quote}not", [("quote", "said"), ("quote", "so"), ("paragraph", "not")]),
        ("see {code:java|title=A.java}\nint x;\n{code} there", [("paragraph", "see "), ("code", "int x;"), ("paragraph", " there")]),
        ("{noformat}\nh1. no {code} here\n{noformat}", [("code", "h1. no {code} here")]),
        ("{code}\nnobody closed", [("code", "nobody closed")]),
        ("{panel}in a {color:red}red{color} panel{panel}", [("paragraph", "in a red panel")]),
        ("So:\n{panel:bgColor=#eee|title=Fix}\nClose it.\n{panel}\n", [("paragraph", "So:"), ("paragraph", "Fix"), ("paragraph", "Close it.")]),
        ("{panel:title=解决方案|borderStyle=dashed}关闭它。{panel}", [("paragraph", "解决方案"), ("paragraph", "关闭它。")]),
        ("{panel:titleBGColor=#eee}Close it.{panel}", [("paragraph", "Close it.")]),
        ("||a||b||\n|1|2|", [("table", "a"), ("table", "b"), ("table", "1"), ("table", "2")]),
            ("|[a|http://x.y]|{{b|c}} \\| d|", [("table", "[a](http://x.y)"), ("table", "`b|c` | d")]),
        ("call {{close()}} of [~ann] at [the page|http://x.y/z|smart-link] [http://x.y]", [("paragraph", "call `close()` of ann at [the page](http://x.y/z) http://x.y")]),
        ("!screen.png|thumbnail! look!", [("paragraph", "  look!")]),
        ("a\r\nb\\\\c \\{x}", [("paragraph", "a\nb c {x}")]),
        ("----\nbelow", [("paragraph", "below")]),
        ("", []),
    ],
)  # fmt: skip
def test_wiki(text: str, expected: list[tuple[str, str]]):
    assert shown(wiki(text)) == expected


def test_offsets_count_in_the_blocks_as_they_are_laid_out():
    blocks = wiki("h1. A\nb\n{code}c{code}")
    text = "\n\n".join(block.text for block in blocks)
    assert [text[block.start : block.end] for block in blocks] == ["A", "b", "c"]
    assert [block.level for block in blocks] == [1, 0, 0]


def node(kind: str, *content: object, **more: object) -> dict[str, object]:
    return {"type": kind, "content": list(content), **more}


def text(words: str, *marks: str) -> dict[str, object]:
    return {"type": "text", "text": words, "marks": [{"type": mark} for mark in marks]}


def test_atlassian_documents():
    document = node(
        "doc",
        node("heading", text("Fix"), attrs={"level": 3}),
        node(
            "paragraph",
            text("Set "),
            text("idle", "code"),
            {"type": "hardBreak"},
            {"type": "mention", "attrs": {"text": "@ann"}},
        ),
        node("bulletList", node("listItem", node("paragraph", text("one")), node("codeBlock", text("x = 1")))),
        node("panel", node("paragraph", text("mind"))),
        node("blockquote", node("paragraph", text("said"))),
        node("table", node("tableRow", node("tableCell", node("paragraph", text("a"))), node("tableCell", text("b")))),
        {"type": "mediaSingle", "content": [{"type": "media"}]},
        "nonsense",
        node("paragraph", {"type": "inlineCard", "attrs": {"url": "http://x.y"}}, 7, None),
    )
    assert shown(adf(document)) == [
        ("heading", "Fix"),
        ("paragraph", "Set `idle`\n@ann"),
        ("item", "one"),
        ("code", "x = 1"),
        ("paragraph", "mind"),
        ("quote", "said"),
        ("table", "a"),
        ("table", "b"),
        ("paragraph", "http://x.y"),
    ]
    assert adf(None) == adf({"type": "doc"}) == ()


def test_an_endless_document_ends():
    deep = text("x")
    for _ in range(500):
        deep = node("panel", deep)
    assert adf(deep) == ()


STORAGE = """<h1>Cause</h1><p>See <ac:link><ri:user ri:userkey="a"/></ac:link> and <ac:link><ac:plain-text-link-body><![CDATA[<this> page]]></ac:plain-text-link-body></ac:link></p>
<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">bash</ac:parameter><ac:plain-text-body>
<![CDATA[if a < b && c; then]]></ac:plain-text-body></ac:structured-macro>
<ac:structured-macro ac:name="info"><ac:rich-text-body><p>Mind the gap</p></ac:rich-text-body></ac:structured-macro>"""


def test_storage_format():
    assert [(block.kind, plain(block.text).strip()) for block in storage(STORAGE).blocks] == [
        (BlockKind.HEADING, "Cause"),
        (BlockKind.PARAGRAPH, "See and <this> page"),
        (BlockKind.CODE, "if a < b && c; then"),
        (BlockKind.PARAGRAPH, "Mind the gap"),
    ]


TASKS = """<p>Fix:</p><ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-uuid>027e</ac:task-uuid><ac:task-status>complete</ac:task-status>
<ac:task-body><span class="placeholder-inline-tasks">Close the pool</span></ac:task-body></ac:task>
<ac:task><ac:task-id>2</ac:task-id><ac:task-status>incomplete</ac:task-status><ac:task-body>Restart it</ac:task-body></ac:task></ac:task-list>"""


def test_tasks_are_items():
    assert shown(storage(TASKS).blocks) == [("paragraph", "Fix:"), ("item", "Close the pool"), ("item", "Restart it")]


@pytest.mark.parametrize(
    ("macro", "expected"),
    [
        ('"panel" ac:schema-version="1"><ac:parameter ac:name="title">Fix</ac:parameter>', ["Fix", "Close it."]),
        ('"info"><ac:parameter ac:name="icon">false</ac:parameter><ac:parameter ac:name="title">Fix</ac:parameter>', ["Fix", "Close it."]),
        ('"expand"><ac:parameter ac:name="title">解决 &amp; 预防</ac:parameter>', ["解决 & 预防", "Close it."]),
        ('"tip"><ac:parameter ac:name="icon">false</ac:parameter>', ["Close it."]),
        ('"toc"><ac:parameter ac:name="title">Fix</ac:parameter>', ["Close it."]),
    ],
)  # fmt: skip
def test_titles_of_macros(macro: str, expected: list[str]):
    page = f"<p>So:</p><ac:structured-macro ac:name={macro}<ac:rich-text-body><p>Close it.</p></ac:rich-text-body></ac:structured-macro>"
    assert [block.text for block in storage(page).blocks] == ["So:", *expected]


@pytest.mark.parametrize("read", [wiki, storage])
@pytest.mark.parametrize(
    "unit",
    ["{code}", "{quote}", "{color:", "[a|", "[~", "{{", "!a", "h1. ", "* ", "|a", "\\", "<![CDATA[", "<ac:parameter>", "<ac:parameter ", "<ac:plain-text-body>", "<ri:page ", "{panel:title=a}", "{panel:title=", "<ac:task>", "<ac:task-id>a", '<ac:structured-macro ac:name="info">', '<ac:structured-macro ac:name="info"><ac:parameter a>b</ac:parameter>', 'ac:name="info"', '<ac:structured-macro ac:name="info"' + "<ac:parameter a>b</ac:parameter>" * 30],
)  # fmt: skip
def test_time_grows_with_the_text(read: Callable[[str], object], unit: str, takes_linear_time: Callable[..., None]):
    takes_linear_time(lambda size: read(unit * (size // len(unit))))
