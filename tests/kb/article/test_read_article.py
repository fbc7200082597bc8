"""Whole articles against reviewed readings, and laws that hold for any bytes."""

import gzip
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.article import Article, formats, read_article
from kb.record import to_record

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "articles"
ARTICLES = sorted(path for path in GOLDEN.iterdir() if path.suffix != ".reading")


def reading(article: Article) -> str:
    """What was read, in the form of the golden files."""
    lines = [f"title: {article.title}", f"lang: {article.lang}", *(f"note: {note}" for note in article.notes)]
    for one in article.incidents:
        lines += ["", f"incident {one.id}", *([f"title: {one.title}"] if one.title != article.title else [])]
        lines += [f"url: {one.source.url}", f"component: {one.component}"]
        lines += [f"tags: {', '.join(one.tags)}", f"created: {one.created}"]
        for chain in one.chains:
            kinds = " <- ".join(f"{raised.type} ({len(raised.stack.frames)} frames)" for raised in chain.exceptions)
            lines.append(f"chain: {kinds}")
        for name in ("symptom", "root_cause", "distinguish", "fix", "prose"):
            if name != "distinguish" or one.distinguish:
                lines += [f"── {name}", str(getattr(one, name))]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", ARTICLES, ids=lambda path: path.name)
def test_golden_articles(path: Path, golden: Callable[[Path, str], None]):
    golden(path.with_name(path.name + ".reading"), reading(read_article(path.read_bytes(), path.name)))


@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes):
    assert isinstance(read_article(data, "x.md"), Article)


MARKUP = ["# ", "原因：", "**", "```\n", "<p>", "<pre>", "</", "---\n", "> ", "- ", "\n", "\n\n", "a: b\n", "|", "[", "](", "`", "at a.b.C.d(C.java:1)\n", "Caused by: a.B: c\n", "因为", "解决。", "====\n", ".. code::\n", "\x00", "\ud800", "&lt;", "{", "'", "&a *a", "!!! note\n", "    ", '=== "T"\n', ":::tip T\n", "{% highlight %}\n", "{% endhighlight %}\n", "{{< x >}}", "> [!NOTE]\n", "<Tabs>\n", ".. note:: x\n", "::\n", "[source]\n", "|===\n", ".Cause\n", "1\n", "<td>", "<a>", "<div class=comments>", "\xa0"]  # fmt: skip


@given(
    st.lists(st.sampled_from(MARKUP) | st.text(max_size=8), max_size=40).map("".join),
    st.sampled_from(["ipynb", "", *sorted(formats.MARKDOWN | formats.HTML | formats.TEXT)]),
)
def test_any_markup_is_read(text: str, suffix: str):
    """The order of markup is the author's; every format's reader takes any."""
    article = read_article(text.encode("utf-8", "surrogatepass"), f"x.{suffix}")

    assert len({one.id for one in article.incidents}) == len(article.incidents)
    assert all(
        0 <= place.start < place.end and place.line >= 1
        for one in article.incidents
        for places in one.quotes.values()
        for place in places
    )
    assert all(one.id and one.title and one.lang in {"zh", "en", "mixed"} for one in article.incidents)


WORDLESS = {
    "empty": b"",
    "blank": b" \n\t\r\n",
    "zip": b"PK\x03\x04" + bytes(range(256)),
    "gzip": gzip.compress(b"x" * 1000),
    "noise": bytes(range(32)) * 40,
    "marks only": b"---\n\n***\n",
}


@pytest.mark.parametrize("data", WORDLESS.values(), ids=WORDLESS)
def test_a_document_without_words_says_so(data: bytes):
    article = read_article(data, "a/b.md")

    assert article.incidents == ()
    assert article.notes


def hostile(part: int = 1) -> dict[str, str]:
    """About 200 kB of the worst of each markup, or so small a part of it."""
    return {
        "quotes": "> " * (50_000 // part) + "x",
        "lists": "- " * (50_000 // part) + "x",
        "brackets": "[" * (100_000 // part),
        "open links": "[](" * (60_000 // part),
        "stars": "*a_" * (60_000 // part),
        "tags": "<a" * (100_000 // part),
        "divs": "<div>" * (60_000 // part) + "x",
        "open fences": "```\nx\n\n# h\n" * (15_000 // part),
        "headings": "# 原因\n" * (30_000 // part),
        "errors in a table": "|code|cause|\n|-|-|\n" + "".join(f"|{n}|it is full|\n" for n in range(9_000 // part)),
        "failing headings": "# FAQ\n" + "## Start fails\nThe disk is full, so change it.\n" * (5_000 // part),
        "problems": "# FAQ\n"
        + "".join(f"## Start {n} fails\n`x`\n### Cause\nThe disk.\n" for n in range(490))
        + "y " * (90_000 // part),
        "questions": "Q: why does it fail?\nBecause of the disk.\n\n" * (4_500 // part),
        "numbers": "".join(f"{n}. 报错\n" for n in range(1, 15_000 // part)),
        "labels": "原因：\n" * (30_000 // part),
        "one line": "原因是" * (60_000 // part),
        "words": "because " * (30_000 // part),
        "frames": "\tat a.b.c(D.java:1)\n" * (20_000 // part),
        "causes": "Caused by: a.b.CException: x\n" * (10_000 // part),
        "front matter": "---\na: " + "[" * 8_000 + "\n---\nx",
        "aliases": "---\na: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\ntags: [*c,*c]\n---\nx",
        "merge keys": "---\na0: &a0 {k: v}\n"
        + "".join(f"a{n}: &a{n} {{<<: [*a{n - 1},*a{n - 1},*a{n - 1},*a{n - 1}]}}\n" for n in range(1, 25))
        + "---\nx",
        "long number": f"---\ntitle: 0x{'f' * 6_000}\ntags: [0x{'f' * 6_000}]\n0x{'f' * 2_000}: a\n---\nx",
        "code spans": "`<b" * (60_000 // part),
        "underlines": "====\n" * (30_000 // part),
        "tables": "|a|b|\n|-|-|\n" + "|x|y|\n" * (15_000 // part),
        "breaks": "<br>" * (60_000 // part),
        "pre": "<pre>" * (40_000 // part),
        "comments": "<!--" * (50_000 // part),
        "entities": "&lt;" * (60_000 // part),
        "admonitions": "".join(f"{'    ' * (at % 40)}!!! note\n" for at in range(3_000 // part)),
        "tags of generators": "{% highlight %}\n{{< x " * (9_000 // part),
        "containers": ":::tip [" * (25_000 // part),
        "nested comments": "<div class=comments>" * 1_900 + "word <a>link</a> " * (6_000 // part),
        "links": "<div><a>x</a>" * 1_900 + "<ul>" + "<li><a href=x>link</a>" * (5_000 // part),
        "gutters": "<td>1</td>" * (20_000 // part),
        "spans in code": "<pre>" + "<div>1 x</div>" * (12_000 // part),
        "cells": '{"nbformat": 4, "cells": ['
        + '{"cell_type": "markdown", "source": "# a"},' * (4_000 // part)
        + "{}]}",
        "brackets of cells": '{"nbformat": 4, "cells": ' + "[" * (100_000 // part),
        "directives": ".. note::\n" * (20_000 // part),
        "tables of cells": "|===\n" * (30_000 // part),
        "exclamations": "!" * (200_000 // part) + "x",
        "fences in turns": "```a\n\n" * (30_000 // part),
    }


HOSTILE = tuple(hostile(1_000))


MARKUPS = ("md", "html", "txt", *(min(markup.endings) for markup in formats.MARKUPS))
THEIRS = {
    "html": ("tags", "divs", "breaks", "pre", "comments", "entities", "nested comments", "links", "gutters", "spans in code"),
    "txt": ("questions", "numbers", "labels", "one line", "words", "frames", "causes", "problems"),
    "rst": ("underlines", "directives", "admonitions", "tables", "cells", "headings", "front matter"),
    "adoc": ("tables of cells", "exclamations", "brackets of cells", "containers", "stars", "directives"),
}  # fmt: skip
"""What is a markup's own, or looks like it. In Markdown all is tried, since there is HTML in it, and most is written so."""


def test_each_markup_has_hostile_texts_of_its_own():
    unwritten = {
        f"hostile(): write the text {name!r}" for name in {name for row in THEIRS.values() for name in row} - {*HOSTILE}
    }
    endings = [*({ending} for ending in MARKUPS[1:3]), *(markup.endings for markup in formats.MARKUPS)]
    rows = {f"THEIRS: write a row {'|'.join(sorted(those))!r}" for those in endings if not any(map(THEIRS.get, those))}

    assert unwritten | rows == set()


def _in_time(name: str, suffix: str, part: int) -> None:
    text = hostile(part)[name].encode()
    start = time.process_time()
    read_article(text, f"x.{suffix}")

    assert time.process_time() - start < 15 / part  # 6 / part on an idle machine


@pytest.mark.parametrize(
    ("suffix", "name"), [*(("md", name) for name in HOSTILE), *((one, name) for one in THEIRS for name in THEIRS[one])]
)
@pytest.mark.slow
def test_hostile_documents_take_bounded_time(suffix: str, name: str):
    """Of half the size; the slow suite takes all of it, in every reader."""
    _in_time(name, suffix, 2)


@pytest.mark.quality
@pytest.mark.parametrize("suffix", MARKUPS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_documents_take_bounded_time_in_every_reader(suffix: str, name: str):
    _in_time(name, suffix, 1)


_IN_A_GIGABYTE = """
import resource, sys
from kb.article import read_article
read_article(b"<p>It stops.", "x.html")  # what is loaded once
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + (1 << 30), held + (1 << 30)))
for page in sys.stdin.buffer:
    print(*(one.symptom[:17] for one in read_article(page, "x.html").incidents), flush=True)
"""


def test_formatting_that_nobody_closed_takes_no_memory():
    """An HTML parser opens it again after every element that ends: 40 kB of this made 6 million elements, 2.8 GB."""
    tags = ("<b id={}>", '<b a=\'"\' b=">{}">', "<b c='<' id={}>")  # distinct; in quotes; with a bracket
    opened = ("".join(map(tag.format, range(2_500))) for tag in tags)
    pages = [f"<html><p>The disk is full.<p>{one}</p>{'<p>x' * 2_500}\n" for one in opened]
    run = subprocess.run(
        [sys.executable, "-c", _IN_A_GIGABYTE], input="".join(pages).encode(), capture_output=True, check=False
    )

    read = run.stdout.decode().splitlines()
    assert read == ["The disk is full."] * len(tags), f"not {tags[len(read)]}: {run.stderr.decode()}"


def test_a_page_nested_without_end_is_read_as_words():
    """The time of the HTML parser grows with the square of the depth: a megabyte of <div> would take a minute."""
    start = time.process_time()
    article = read_article(("<html>" + "<div>" * 200_000 + "The disk is full.").encode(), "x.html")

    assert time.process_time() - start < 15
    assert [one.symptom for one in article.incidents] == ["The disk is full."]


ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030", "gbk"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_encodings(encoding: str):
    text = "# 账单服务连接池耗尽\n\n导出任务在事务里调用外部接口，连接一直被占用。\n\n## 原因\n\n连接一直被占用，没有归还。\n"
    article = read_article(text.encode(encoding), "x.md")

    assert article.title == "账单服务连接池耗尽"
    assert [one.root_cause for one in article.incidents] == ["连接一直被占用，没有归还。"]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_line_ends_make_no_difference(ending: str):
    text = (GOLDEN / "markdown_en.md").read_text(encoding="utf-8")

    assert read_article(text.encode(), "x.md") == read_article(text.replace("\n", ending).encode(), "x.md")


def test_secrets_do_not_come_through():
    """Neither the texts nor the traces keep a password."""
    text = "# pool\n\nWe set password=hunter2 there.\n\nCause: `jdbc:mysql://root:hunter2@db/x` was wrong.\n\nFix: use password=hunter2 again.\n\n```\na.b.CException: token=hunter2abc\n\tat a.B.c(B.java:1)\n```\n"

    assert "hunter2" not in repr(read_article(text.encode(), "x.md"))


SECRET_HEAD = "title: t password=hunter2\nurl: https://a:hunter2@b/c\nlicence: token=hunter2abc\ncomponent: pwd=hunter2\nversions: [password=hunter2]\ntags: ['password=hunter2']\nduplicate_of: pwd=hunter2\n"
SECRET_BODY = "## Symptom\n\nauth_token=hunter2\n\n## Trace\n\n```\na.B: password=hunter2\n\tat a.b.C.d(C.java:1)\n```\n\n## Root cause\n\npassword='hunter2 x'\n\n## How to tell it apart\n\npwd=hunter2\n\n## Fix\n\n`<password>hunter2</password>`\n\n## Notes\n\npwd=hunter2\n\n## References\n\n- https://a:hunter2@b/\n"


@pytest.mark.parametrize("head", ["id: x-password=hunter2\n", ""], ids=["write-up", "article"])
def test_no_field_keeps_a_secret(head: str):
    """Whatever field it stands in, a secret does not reach the record that is stored."""
    article = read_article(f"---\n{head}{SECRET_HEAD}---\n\n{SECRET_BODY}".encode(), "x.md")

    (one,) = article.incidents
    assert "hunter2" not in repr(article)
    assert "hunter2" not in json.dumps(to_record(one))
    assert one.root_cause == "password='<secret>'"


def test_versions_that_are_stated_hold_a_number():
    """*all* and *see above* name no version; those in the words do then."""
    text = "---\ntitle: t\nversions: {stated}\n---\n\n# t\n\nFlink 1.13.2 dies.\n\n## Cause\n\nThe disk is full.\n"
    stated = {"[all]": ("flink 1.13.2",), "[all, '< 1.14']": ("< 1.14",)}

    for said, expected in stated.items():
        (one,) = read_article(text.format(stated=said).encode(), "x.md").incidents
        assert one.versions == expected


QUOTED = {
    "placeholder": ("md", "Set <value> of <your-host> first.", "Set <value> of <your-host> first."),
    "generic": ("md", "Use List<String> there.", "Use List<String> there."),
    "code span": ("md", "Drop the `<b>` of `kubectl logs <pod>`.", "Drop the `<b>` of `kubectl logs <pod>`."),
    "raw html": ("md", "Free <b>the</b> disk &amp; go.", "Free the disk & go."),
    "a page": ("html", "Run kubectl logs &lt;pod&gt; on &lt;b&gt;.", "Run kubectl logs <pod> on <b>."),
    "plain text": ("txt", "Set <value> to <b>1</b> now.", "Set <value> to <b>1</b> now."),
}


@pytest.mark.parametrize(("suffix", "fix", "expected"), QUOTED.values(), ids=QUOTED)
def test_quotes_are_verbatim(suffix: str, fix: str, expected: str):
    """What looks like a tag and is none stays in the fix; only raw HTML in Markdown is taken off."""
    page = f"<html><body><h1>T</h1><h2>Fix</h2><p>{fix}</p></body></html>"
    texts = {"html": page, "md": f"# T\n\n## Fix\n\n{fix}\n", "txt": f"T of it\n\nFix:\n\n{fix}\n"}
    article = read_article(texts[suffix].encode(), f"x.{suffix}")

    assert [one.fix for one in article.incidents] == [expected]


def test_the_five_seeds(shared_data: Path):
    """Each tells of one problem, with a title, its traces, and a cause or a fix in its own words, or its own section where no sentence clearly states one."""
    for path in sorted((shared_data / "seeds").iterdir()):
        article = read_article(path.read_bytes(), path.name)

        assert len(article.incidents) == 1, path.name
        one = article.incidents[0]
        assert all((one.traces, one.chains, one.symptom)), path.name
        assert one.root_cause or one.fix or one.sections["article"], path.name
        text = path.read_text(encoding="utf-8").replace("\u00a0", " ")
        assert all(line in text for line in f"{one.root_cause or ''}\n{one.fix or ''}".split("\n")), path.name
