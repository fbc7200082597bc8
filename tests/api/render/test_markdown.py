"""Markdown of strangers becomes harmless HTML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from api.contract.paths import segment
from api.render.markdown import LIMIT, HtmlWriter

# fmt: off
ALLOWED_TAGS = {
    "p", "ul", "ol", "li", "strong", "em", "code", "pre", "a", "blockquote", "table", "thead", "tbody", "tr", "th", "td",
    "h4", "h5", "h6", "hr", "br", "s", "span",
}
# fmt: on
ALLOWED_ATTRIBUTES = {"tabindex", "href", "rel", "title", "start", "class", "style"}


def tree(markdown: str) -> HTMLParser:
    return HTMLParser(f"<main>{HtmlWriter().html(markdown)}</main>")


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](vbscript:x)",
        "[x](/incidents/../settings)",
        "[x](//evil.example/)",
        "<javascript:alert(1)>",
        "![x](https://evil.example/pixel.png)",
        "[a]: javascript:alert(1)\n\n[a]",
        '[x](https://ok.example/ "a\\" onclick=alert(1) \\"")',
        "```html\n</code></pre><script>alert(1)</script>\n```",
        '```x"><script>alert(1)</script>\ny\n```',
    ],
)
def test_nothing_runs_and_nothing_calls_home(hostile: str) -> None:
    html = tree(hostile)
    for node in html.css("main *"):
        assert node.tag in ALLOWED_TAGS
        assert set(node.attributes) <= ALLOWED_ATTRIBUTES
        assert (node.attributes.get("href") or "https://").startswith(("https://", "http://", "mailto:"))


@given(st.text(alphabet=st.sampled_from(list("<>[]()!`*_#|:\"'& \n-ajscriptx/=1.")), max_size=300))
def test_no_text_makes_a_tag_of_its_own(text: str) -> None:
    for node in tree(text).css("main *"):
        assert node.tag in ALLOWED_TAGS
        assert set(node.attributes) <= ALLOWED_ATTRIBUTES


def test_links_leave_without_a_handle_on_this_page() -> None:
    link = tree("[manual](https://example.org/m)").css_first("a")
    assert (link.attributes["href"], link.attributes["rel"], link.text()) == (
        "https://example.org/m",
        "noopener noreferrer nofollow",
        "manual",
    )


def test_headings_stay_below_those_of_the_page() -> None:
    assert [node.tag for node in tree("# a\n\n## b\n\n#### c").css("h1,h2,h3,h4,h5,h6")] == ["h4", "h5", "h6"]


def test_markdown_is_rendered() -> None:
    html = tree("1. use `x`\n2. **now**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert html.css_first("ol li code").text() == "x"
    assert html.css_first("strong").text() == "now"
    assert [cell.text() for cell in html.css("td")] == ["1", "2"]


@pytest.mark.parametrize("piece", ["[", "![", "*a ", "`", "> ", "<a ", "- \n", "[x](", "|a", "_", "&#"])
def test_time_is_bounded(piece: str) -> None:
    """Every such text is rendered, whatever it repeats: `pytest-timeout` is the judge."""
    assert HtmlWriter().html(piece * (5 * LIMIT // len(piece)))


@pytest.mark.parametrize(
    ("text", "quoted", "shown"),
    [
        ("One. Raise the pool. Three.", "Raise the pool.", "<p>One. <mark>Raise the pool.</mark> Three.</p>"),
        ("- a **bold step** here\n- another", "a **bold step** here", "<li><mark>a <strong>bold step</strong> here</mark></li>"),
        ("a **bold step here** b", "step here** b", "<p>a <strong>bold step here</strong> b</p>"),
        ("It is closed.", "nothing of this", "<p>It is closed.</p>"),
        ("a \ue000forged\ue001 mark", "nothing of this", "<p>a forged mark</p>"),
        ("a <script>x</script> pool", "<script>x</script>", "<mark>&lt;script&gt;x&lt;/script&gt;</mark>"),
    ],
)  # fmt: skip
def test_what_was_quoted_is_marked(text: str, quoted: str, shown: str):
    assert shown in HtmlWriter().html(text, quoted)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("`--limits=memory=1Gi --requests=cpu=2`", ["--limits", "--requests"]),
        ("`-XX:MaxMetaspaceSize`", ["-XX:MaxMetaspaceSize"]),
        ("```\nkafka-acls.sh --bootstrap-server b1 \\\n  --add -n\n```", ["--bootstrap-server", "--add", "-n"]),
        ("    kubectl -n prod", ["-n"]),
        ("`a - b`, `kafka-acls.sh`, `2026-11-30`, `<pid> -<x>`, `--" + "long-" * 20 + "one`", []),
    ],
    ids=["inline", "jvm", "fence", "indented", "none"],
)
def test_no_line_breaks_behind_the_dashes_of_an_option(text: str, options: list[str]) -> None:
    """What is copied is what was written."""
    shown, written = tree(text), HTMLParser(MarkdownIt("commonmark").render(text))
    assert [one.text() for one in shown.css("code .option")] == options
    assert [one.text() for one in shown.css("code")] == [one.text() for one in written.css("code")]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("See [the notes](#notes) below.", "<p>See the notes below.</p>\n"),
        (
            "仍然报错；\n也有人改了 `a`\n以后 broker\n还在",
            "<p>仍然报错；也有人改了 <code>a</code>\n以后 broker\n还在</p>\n",
        ),
        ("**粗**\n体，\n*斜*", "<p><strong>粗</strong>\n体，\n<em>斜</em></p>\n"),
        (
            "See [`a.md`](../a.md) and [b](https://b.example).",
            '<p>See <code>a.md</code> and <a href="https://b.example" rel="noopener noreferrer nofollow">b</a>.</p>\n',
        ),
        ("[x](javascript:alert(1))", "<p>x</p>\n"),
        ("![a <plan> & more](img/plan.png) shows it", "<p>a &lt;plan&gt; &amp; more shows it</p>\n"),
        ("![](https://evil.example/pixel.png)", "<p></p>\n"),
        ("`[x](#y)`", "<p><code>[x](#y)</code></p>\n"),
    ],
)
def test_what_leads_nowhere_from_here_is_its_words(text: str, html: str) -> None:
    assert HtmlWriter().html(text) == html


@pytest.mark.parametrize(
    ("text", "quoted", "marked"),
    [
        ("解决方法：增加内存。", "增加内存", ["增加内存"]),
        ("It is on.", "on", []),
        ("- Raise it.\n- Stop.", "Raise it.\nStop.", ["Raise it."]),
    ],
)
def test_short_quotations_are_marked_where_they_are_no_chance(text: str, quoted: str, marked: list[str]) -> None:
    assert [node.text() for node in HTMLParser(HtmlWriter().html(text, quoted)).css("mark")] == marked


IDS = {"kafka-record-too-large", "FLINK-31234", "node_oom", "wiki/größe 1", '"><script>alert(1)</script>'}


def page_of_known(incident_id: str) -> str | None:
    return f"/incidents/{segment(incident_id)}?lang=en" if incident_id in IDS else None


def linked(markdown: str) -> list[tuple[str, str]]:
    """The links to our own pages, each with its words."""
    html = HTMLParser(f"<main>{HtmlWriter().html(markdown, to=page_of_known)}</main>")
    for node in html.css("main *"):
        assert node.tag in ALLOWED_TAGS
        assert set(node.attributes) <= ALLOWED_ATTRIBUTES
        assert (node.attributes.get("href") or "https://").startswith(("https://", "http://", "mailto:", "/incidents/"))
        assert not node.css("a a")
    assert all("rel" not in one.attributes for one in html.css('a[href^="/"]'))
    return [(one.attributes["href"] or "", one.text()) for one in html.css('a[href^="/"]')]


KAFKA = "/incidents/kafka-record-too-large?lang=en"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Related: kafka-record-too-large", "kafka-record-too-large"),
        ("Related: `kafka-record-too-large`, `no-such-id`.", "kafka-record-too-large"),
        ("**kafka-record-too-large**: the record", "kafka-record-too-large"),
        ("见 kafka-record-too-large。", "kafka-record-too-large"),
        ("[the other](../kafka/kafka-record-too-large.md)", "the other"),
        ("[the **other**](kafka-record-too-large.zh.md#fix)", "the other"),
        ("[x](./kafka-record-too-large.md?raw=1)", "x"),
        ("[x][1]\n\n[1]: ../kafka/kafka-record-too-large.md", "x"),
        ("[kafka-record-too-large](gone.md)", "kafka-record-too-large"),
    ],
)
def test_an_id_of_another_incident_is_a_link_to_it(text: str, shown: str) -> None:
    assert linked(text) == [(KAFKA, shown)]


@pytest.mark.parametrize(
    "text",
    [
        "no-such-id, kafka-record-too-largest, x.kafka-record-too-large, kafka-record-too-large-2",
        "/etc/kafka-record-too-large, kafka-record-too-large.conf, kafka-record-too-large@host, a/kafka-record-too-large/b",
        "```\nkafka-record-too-large\n```",
        "    kafka-record-too-large",
        "[kafka-record-too-large](https://example.org/)",
        "<https://example.org/kafka-record-too-large>",
        "[x](../kafka/other.md) [x](kafka-record-too-large) [x](/kafka-record-too-large.md) [x](kafka-record-too-large.exe)",
        "[x](javascript:kafka-record-too-large.md) [x](//evil.example/kafka-record-too-large.md)",
        "[x](javascript:/kafka-record-too-large.md) [x](file:///kafka-record-too-large.md) [x](\\\\evil\\kafka-record-too-large.md)",
        "![x](kafka-record-too-large.md)",
        "[x](.md) [x](..md) [x](#kafka-record-too-large.md)",
    ],
)
def test_what_is_no_id_of_an_incident_stays_text(text: str) -> None:
    assert linked(text) == []


def test_ids_of_any_form_lead_to_their_page_quoted() -> None:
    assert linked("FLINK-31234 and node_oom") == [
        ("/incidents/FLINK-31234?lang=en", "FLINK-31234"),
        ("/incidents/node_oom?lang=en", "node_oom"),
    ]
    assert linked("`wiki/größe 1`") == [("/incidents/wiki%2Fgr%C3%B6%C3%9Fe%201?lang=en", "wiki/größe 1")]
    hostile = '"><script>alert(1)</script>'
    address = f"/incidents/{segment(hostile)}?lang=en"
    assert linked(f"`{hostile}`") == [(address, hostile)]
    assert linked(f"[x](<{hostile}.md>)") == []  # a slash makes it a folder and a file


@pytest.mark.parametrize("quoted", ["Related: kafka-record-too-large", "kafka-record-too-large"])
def test_an_id_in_a_quoted_line_is_marked_and_linked(quoted: str) -> None:
    html = str(HtmlWriter().html("- Related: kafka-record-too-large\n", quoted, to=page_of_known))
    assert html.count("<mark>") == html.count("</mark>") == 1
    assert f'<a href="{KAFKA}">kafka-record-too-large</a>' in html


@given(st.lists(st.sampled_from(["kafka-record-too-large", "[", "](", ".md", ")", "`", "*", "<", ">", '"', " ", "\n", "!", "../", "javascript:", "&quot;", "\\"]), max_size=40))  # fmt: skip
def test_no_text_makes_a_link_elsewhere(pieces: list[str]) -> None:
    for address, _ in linked("".join(pieces)):
        assert address == KAFKA


@pytest.mark.parametrize(
    "piece", ["a-", "a-a ", "kafka-record-too-large ", "a_a-", "[x](a-b.md)", "`a-b`", "-_", "](a.md"]
)
def test_time_of_links_is_bounded(piece: str) -> None:
    """As above: `pytest-timeout` is the judge."""
    assert HtmlWriter().html(piece * (5 * LIMIT // len(piece)), to=page_of_known)
