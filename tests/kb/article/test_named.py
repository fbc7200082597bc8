"""Problems that the markup names: summaries, terms, titles of boxes, bold lines; and what it names that is no problem."""

import pytest

from kb.article import read_article
from kb.article.blocks import LINE
from kb.article.formats import take_apart
from kb.incident import Incident

PROBLEMS = [
    ("Error 1045: Access denied for root", "Wrong password.", "Reset it with mysqladmin."),
    ("Error 2002: Cannot connect to the server", "The server is not running.", "Start it with systemctl."),
]
PAGE = "<html><body><h1>{{title}}</h1>{}</body></html>"
WAYS = {
    "box of MkDocs": ("x.md", "# {title}\n\n{all}", '??? question "{0}"\n\n    Cause: {1}\n\n    Fix: {2}\n\n'),
    "open box of MkDocs": ("x.md", "# {title}\n\n{all}", '!!! bug "{0}"\n    Cause: {1}\n\n    Fix: {2}\n\n'),
    "box of Docusaurus": ("x.md", "# {title}\n\n{all}", ":::danger {0}\n\nCause: {1}\n\nFix: {2}\n\n:::\n\n"),
    "box of VuePress": ("x.md", "# {title}\n\n{all}", "::: details {0}\nCause: {1}\n\nFix: {2}\n:::\n\n"),
    "callout": ("x.md", "# {title}\n\n{all}", "> [!bug]- {0}\n> Cause: {1}\n>\n> Fix: {2}\n\n"),
    "summary in Markdown": ("x.md", "# {title}\n\n{all}", "<details>\n<summary>{0}</summary>\n\n**Cause:** {1}\n\n**Fix:** {2}\n\n</details>\n\n"),
    "bold summary in Markdown": ("x.md", "# {title}\n\n{all}", "<details><summary><b>{0}</b></summary>\n\n原因：{1}\n\n解决：{2}\n\n</details>\n\n"),
    "raw HTML in Markdown": ("x.md", "# {title}\n\n{all}", "<details><summary>{0}</summary>\n<p>Cause: {1}</p>\n<p>Fix: {2}</p>\n</details>\n\n"),
    "bold item": ("x.md", "# {title}\n\n{all}", "- **{0}**\n\n  原因：{1}\n\n  解决：{2}\n\n"),
    "bold item over items": ("x.md", "# {title}\n\n{all}", "* **{0}**\n  - Cause: {1}\n  - Fix: {2}\n"),
    "summary": ("x.html", PAGE.format("{all}"), "<details><summary>{0}</summary><p>Cause: {1}</p><p>Fix: {2}</p></details>"),
    "term": ("x.html", PAGE.format("<dl>{all}</dl>"), "<dt>{0}</dt><dd><p>Cause: {1}</p><p>Fix: {2}</p></dd>"),
    "term in a paragraph": ("x.html", PAGE.format("<dl>{all}</dl>"), "<dt><p>{0}</p></dt><dd>原因：{1}<br>解决：{2}</dd>"),
    "bold paragraph": ("x.html", PAGE.format("{all}"), "<p>\n<strong>{0}</strong> </p><p>Cause: {1}</p><p>Fix: {2}</p>"),
    "bold paragraph, wrapped": ("x.html", PAGE.format("{all}"), "<p><span><b>{0}</b></span></p><p>Cause: {1}</p><p>Fix: {2}</p>"),
    "bold paragraph, its labels too": (
        "x.html",
        PAGE.format("{all}"),
        "<p><b>{0}</b></p><p><b>原因分析</b></p><p>{1}</p><p><b>解决方案</b></p><p>{2}</p>",
    ),
    "bold item of a page": ("x.html", PAGE.format("<ul>{all}</ul>"), "<li><b>{0}</b><p>Cause: {1}</p><p>Fix: {2}</p></li>"),
    "question and answer": ("x.adoc", "= {title}\n\n[qanda]\n{all}", "{0}::\n  Cause: {1}\n+\nFix: {2}\n"),
    "term of AsciiDoc": ("x.adoc", "= {title}\n\n{all}", "{0}::\n\nCause: {1}\n\nFix: {2}\n\n"),
    "bold line of AsciiDoc": ("x.adoc", "= {title}\n\n{all}", "*{0}*\n\nCause: {1}\n\nFix: {2}\n\n"),
    "definition": ("x.rst", "{title}\n==================\n\n{all}", "{0}\n  Cause: {1}\n\n  Fix: {2}\n\n"),
    "box of Sphinx": ("x.rst", "{title}\n==================\n\n{all}", ".. dropdown:: {0}\n\n   原因：{1}\n\n   解决：{2}\n\n"),
}  # fmt: skip


def told(text: str, name: str) -> tuple[Incident, ...]:
    return read_article(text.encode(), name).incidents


@pytest.mark.parametrize("title", ["FAQ: common errors", "周报"])
@pytest.mark.parametrize(("name", "page", "one"), WAYS.values(), ids=WAYS)
def test_each_problem_that_the_markup_names(name: str, page: str, one: str, title: str):
    found = told(page.format(title=title, all="".join(one.format(*problem) for problem in PROBLEMS)), name)

    named = [(one.title.removesuffix(f" — {title}"), one.root_cause, one.fix) for one in found]
    expected = [(words.removeprefix("Error 1045: ").removeprefix("Error 2002: "), *more) for words, *more in PROBLEMS]
    assert [(words.split(": ", 1)[-1], *more) for words, *more in named] == expected


def trace(name: str) -> str:
    return f"java.lang.{name}Error: it broke\n\tat com.acme.{name}.run(A.java:7)\n\tat com.acme.X.go(A.java:3)"


LOG = "<details>\n<summary>{}</summary>\n\n```\n{}\n```\n\n</details>\n\n"
ONE = {
    "logs to unfold": ("x.md", f"# FAQ: the job dies\n\n{LOG.format('Full error log of node one', trace('A'))}After a restart it fails again.\n\n{LOG.format('Full error log of node two', trace('B'))}The reason was the disk, which was full. We added another disk.\n"),
    "logs to unfold, a label behind them": ("x.md", f"# 任务失败\n\n{LOG.format('点击查看完整报错日志', trace('A'))}重启后又失败了。\n\n{LOG.format('展开第二次报错的堆栈', trace('B'))}原因：磁盘满了。\n\n解决：扩容。\n"),
    "a log with the cause, a log with the fix": ("x.html", PAGE.format("<details><summary>Log of the failed job</summary><pre>x = 1</pre></details><p>Cause: disk full.</p><details><summary>Log of the corrected job</summary><pre>y = 1</pre></details><p>Fix: add one.</p>")),
    "boxes of a story": ("x.md", f'# FAQ: the cluster fails\n\n??? info "Details of the failed node"\n\n    It says:\n\n    ```\n    {trace("A")}\n    ```\n\n??? info "Details of the network error"\n\n    A cable was broken, says:\n\n    ```\n    {trace("B")}\n    ```\n\nCause: no disk.\n\nFix: add one.\n'),
    "options": ("x.html", PAGE.format("<p>Set one of these:</p><dl><dt>agent.port when it is missing</dt><dd>The port is 8080.</dd><dt>agent.retry on failed jobs</dt><dd>How often it is tried.</dd></dl>")),
    "options of reStructuredText": ("x.rst", "{title}\n==================\n\nagent port when it is missing\n  The port is 8080.\n\nagent retry on failed jobs\n  How often it is tried.\n"),
    "fields of one report": ("x.html", PAGE.format("<dl><dt>What we saw</dt><dd>The cart failed.</dd><dt>Root cause</dt><dd>The disk was full.</dd><dt>Resolution</dt><dd>A disk was added.</dd></dl>")),
    "checks in bold": ("x.md", f"# The job dies\n\n```\n{trace('A')}\n```\n\n- **Check the failed disk first**\n\n  See that it is not full.\n\n- **Check that the port is not refused**\n\n  Fix: open it.\n"),
    "causes in bold": ("x.html", PAGE.format("<p>Possible causes:</p><ul><li><strong>The disk is not found</strong><p>Solution: mount it.</p></li><li><strong>The port is refused</strong><p>Solution: open it.</p></li></ul>")),
    "bold words in a sentence": ("x.html", PAGE.format("<p>It says <b>the disk is not found</b></p><p>Cause: none.</p><p>Fix: mount it.</p><p><b>the port is refused</b> it says</p><p>Cause: closed.</p><p>Fix: open it.</p>")),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), ONE.values(), ids=ONE)
def test_what_the_markup_names_is_not_always_a_problem(name: str, text: str):
    assert len(told(text.replace("{title}", "The agent dies"), name)) == 1


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_questions_that_are_unfolded_need_no_labels(lang: str):
    asked = {
        "en": ("Why does the agent fail to start?", "The port is taken, so give it another one."),
        "zh": ("为什么启动失败？", "端口被别的进程占用了，换一个端口。"),
    }
    words, answer = asked[lang]
    one = "<details><summary>{}</summary><p>{}</p></details>"
    page = PAGE.replace("{{title}}", "FAQ").format(one.format(words, answer) + one.format(f"1. {words}", answer))

    assert len(told(page, "x.html")) == 2


@pytest.mark.parametrize("name", ["x.html", "x.md"])
def test_a_name_of_what_stands_below_is_a_paragraph_to_everybody_else(name: str):
    blocks = take_apart("<dl><dt>The disk is full</dt><dd>Add one.</dd></dl>", name).blocks

    assert [(one.kind.value, one.text, one.level) for one in blocks] == [
        ("paragraph", "The disk is full", LINE),
        ("paragraph", "Add one.", 0),
    ]


def test_a_term_of_two_lines_is_one_name():
    one = "<dt>The disk of {} is full<br>or cannot be written</dt><dd>Cause: logs.<br>Fix: none.</dd>"

    assert len(told(PAGE.replace("{{title}}", "FAQ").format(f"<dl>{one.format(1)}{one.format(2)}</dl>"), "x.html")) == 2


def test_terms_in_one_piece_of_raw_html_have_no_place_of_their_own():
    """They stay whole, and what else the page lists is told apart."""
    problem = "## The disk of {0} is full\n\n**Cause:** logs of {0}.\n\n**Solution:** rotate them.\n\n"
    terms = "".join(f"<dt>The port {at} is taken</dt><dd>Cause: {at}.</dd>" for at in (1, 2))

    assert len(told(f"# FAQ\n\n{problem.format(1)}{problem.format(2)}<dl>{terms}</dl>\n", "x.md")) == 2


@pytest.mark.parametrize(
    ("name", "text", "levels"),
    [
        ("x.html", "<h2><b>The disk is full</b></h2><p>Add one.</p>", [2, 0]),
        ("x.html", "<table><tr><td><b>The disk is full</b></td></tr></table>", [1]),
        ("x.html", "<p>It says <b>the disk is full</b></p><p><b>the disk is full</b> it says</p>", [0, 0]),
        ("x.rst", "The disk is full\n  Add one.\n", [LINE, 0]),
        ("x.rst", "- The disk is full\n  and slow.\n", [0]),
        ("x.rst", "The disk is full\n  .. note:: Add one.\n", [0, 0]),
        ("x.rst", "The disk is full::\n  ls\n", [0]),
        ("x.rst", f"{'The disk ' * 30}is full\n  Add one.\n", [0]),
        ("x.adoc", "The disk is full::\nAdd one.\n", [LINE, 0]),
        ("x.adoc", "Add one.\nThe disk is full::\nAdd one.\n", [0, LINE, 0]),
        ("x.adoc", "*The disk is full*\n\n*The disk* is *full*\n", [LINE, 0]),
    ],
)
def test_what_names_what_stands_below(name: str, text: str, levels: list[int]):
    assert [one.level for one in take_apart(text, name).blocks] == levels
