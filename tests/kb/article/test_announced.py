"""What stands right behind a quotation that announces it."""

from time import process_time

import pytest

from kb.article import read_article
from kb.article.quotes.announced import CHARACTERS, LINES, MORE, shortened
from kb.incident import Incident

XML = "<dependency>\n  <a>1</a>\n  <b>2</b>\n  <c>3</c>\n  <d>4</d>\n  <e>5</e>\n</dependency>"
BLOCK = f"```xml\n{XML}\n```"
SHOWN = f"```\n{XML}\n```"
ADD = "Add the following dependency to pom.xml:"
STEPS = "To fix this, follow these steps:"
TRACE = "a.b.OuterException: o\n\tat a.b.C.d(C.java:1)\n\tat a.b.C.e(C.java:2)\n"


def read(text: str, name: str = "x.md") -> Incident:
    (one,) = read_article(text.encode(), name).incidents
    return one


def of_fix(text: str) -> Incident:
    return read(f"# T\n\nIt stops.\n\n## Fix\n\n{text}\n")


BEHIND = {
    "code": (f"{ADD}\n\n{BLOCK}\n\nThen build.", SHOWN),
    "code, announced in Chinese": (f"在 pom.xml 中添加以下依赖：\n\n{BLOCK}", SHOWN),
    "code, announced without a colon": (f"在 pom.xml 中添加如下依赖。\n\n{BLOCK}", SHOWN),
    "two blocks of it": (f"{ADD}\n\n{BLOCK}\n\n{BLOCK}", f"{SHOWN}\n\n{SHOWN}"),
    "code that holds a fence": (f"{ADD}\n\n````\n```\n{XML}\n```\n````", f"````\n```\n{XML}\n```\n````"),
    "code under a name": (f"{ADD}\n\nMaven:\n\n{BLOCK}", f"Maven:\n\n{SHOWN}"),
    "a line that is nothing but code": (f"{ADD}\n\n`a.b=c`\n\nThen build.", "`a.b=c`"),
    "such a line in the same paragraph": ("Open the command line on that machine as root and run the following command there:\n`rm -rf logs`.", "`rm -rf logs`."),
    "no words in the same paragraph": ("Open the command line on that machine as root and run the command of the manual:\nThen go home.", None),
    "items": (f"{STEPS}\n\n* Stop it.\n* Free\n  the disk.\n\nGo home.", "* Stop it.\n* Free\n  the disk."),
    "numbered items": (f"{STEPS}\n\n3. Stop it.\n4. Free it.", "3. Stop it.\n4. Free it."),
    "items in items": (f"{STEPS}\n\n- Stop it.\n  - Not hard.\n- Free it.", "- Stop it.\n  - Not hard.\n- Free it."),
    "items below a tab": (f"{STEPS}\n\n- Stop it.\n\t- Not hard.\n- Free it.", "- Stop it.\n    - Not hard.\n- Free it."),
    "items before a trace": (f"{STEPS}\n\n- Stop it.\n- Free it until you see:\n\n```\n{TRACE}```\n\n- Go home.", "- Stop it.\n- Free it until you see:"),
    "more paragraphs of an item": (f"{STEPS}\n\n1. Stop it.\n\n   Not hard.\n\n2. Free it.", "1. Stop it.\n\n   Not hard.\n2. Free it."),
    "items with code": (
        f"{STEPS}\n\n1. Stop it.\n\n```\nstop\n```\n\n2. Free it.\n\n```\nfree\n```\n\n```\nother\n```",
        "1. Stop it.\n\n```\nstop\n```\n\n2. Free it.\n\n```\nfree\n```\n\n\n```\nother\n```",
    ),
    "code after a list, without a word of it": (f"{STEPS}\n\n- Stop it.\n- Free it.\n\n{BLOCK}", "- Stop it.\n- Free it."),
    "indented code of the last item": (f"{STEPS}\n\n1. Stop it.\n\n   ```\n   stop\n   ```\n\nGo home.", "1. Stop it.\n\n```\nstop\n```"),
    "code that the last item announces": (f"{STEPS}\n\n- Stop it.\n- Run this:\n\n```\nrun\n```", "- Stop it.\n- Run this:\n\n```\nrun\n```"),
    "items behind the code of an item": (
        f"{STEPS}\n\n1. Stop it.\n\n   ```\n   stop\n   ```\n\n   - Not hard.\n2. Free it.",
        "1. Stop it.\n\n```\nstop\n```\n\n- Not hard.\n2. Free it.",
    ),
    "items that Markdown does not know": (f"{STEPS}\n\n1、Stop it.\n\n2、Free it.", "1、Stop it.\n2、Free it."),
    "items in a quoted passage": (f"> {STEPS}\n>\n> 3. Stop it.\n> 4. Free it.", "3. Stop it.\n4. Free it."),
    "no paragraphs of an item": (f"* {STEPS}\n\n    It is not hard.\n\n    Nor is it easy.", None),
    "no items without a colon": ("To fix this, do the following.\n\n- Stop it.\n- Free it.", None),
    "no code below a whole sentence": (f"{ADD}\n\nIt has to be the one for the version of the server that you have there:\n\n{BLOCK}", None),
    "code without the trace below it": (f"{ADD}\n\n{BLOCK}\n\n```\n{TRACE}```", SHOWN),
    "code of an item": (f"1. {ADD}\n\n   {BLOCK.replace(chr(10), chr(10) + '   ')}\n\n2. Go home.", SHOWN),
    "items below an item": (f"- {STEPS}\n  - Stop it.\n  - Free it.\n- Go home.", "- Stop it.\n- Free it."),
    "no items beside an item": (f"- {STEPS}\n- Stop it.\n- Free it.", None),
    "no pictures": (f"{STEPS}\n\n- ![](a.png)\n- Stop it.", "- Stop it."),
    "a table": (f"{STEPS}\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\nThen build.", "| a | b |\n|---|--:|\n| 1 | 2 |"),
    "a quoted passage": (f"{ADD}\n\n> Free it.\n> Now.\n\nThen build.", "> Free it.\n> Now."),
    "no words": (f"{ADD}\n\nThe one with a version.\n\n{BLOCK}", None),
    "no trace": (f"Repeat until you see this:\n\n```\n{TRACE}```", None),
    "nothing behind a heading": (f"{ADD}\n\n### Maven\n\n{BLOCK}", None),
    "nothing that was not announced": (f"Add the dependency to pom.xml.\n\n{BLOCK}", None),
    "no version below another": (f"Upgrade all brokers that are of version v1.30以下。\n\n{BLOCK}", None),
    "short code, which is quoted": ("Set this:\n\n```\na.b=c\n```", None),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), BEHIND.values(), ids=BEHIND)
def test_what_is_announced(text: str, expected: str | None) -> None:
    one = of_fix(text)

    assert one.announced.get("fix") == expected


FORMATS = {
    "page": ("x.html", f"<html><body><article><h2>Fix</h2><p>{STEPS}</p><ul><li>Stop it.</li><li>Free it.</li></ul></article></body></html>", "- Stop it.\n- Free it."),
    "code of a page": ("x.html", f"<html><body><article><h2>Fix</h2><p>{ADD}</p><pre>{XML.replace('<', '&lt;')}</pre></article></body></html>", SHOWN),
    "no cells of a page, whose rows are not known": ("x.html", f"<html><body><article><h2>Fix</h2><p>{STEPS}</p><table><tr><td>a</td><td>b</td></tr></table></article></body></html>", None),
    "rst": ("x.rst", f"T\n=\n\nFix\n---\n\n{STEPS}\n\n- Stop it.\n\n  **sudo stop**\n\n- Free it.\n", "- Stop it.\n\n  **sudo stop**\n- Free it."),
    "a table of rst": ("x.rst", f"T\n=\n\nFix\n---\n\n{STEPS}\n\n+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n+---+---+\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
    "asciidoc": ("x.adoc", f"= T\n\n== Fix\n\n{ADD}\n\n[source,xml]\n----\n{XML}\n----\n", SHOWN),
    "plain text": ("x.txt", f"T\n\nFix:\n\n{STEPS}\n\n1、Stop it.\n2、Free it.\n", "1、Stop it.\n2、Free it."),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), FORMATS.values(), ids=FORMATS)
def test_in_every_format(name: str, text: str, expected: str | None) -> None:
    assert read(text, name).announced.get("fix") == expected


def test_cause_and_fix_stay_as_they_are_quoted_and_no_word_is_indexed_twice() -> None:
    one = of_fix(f"{ADD}\n\n{BLOCK}")

    assert one.fix == ADD
    assert "dependency>" not in one.prose


def test_what_both_announce_stands_with_the_fix() -> None:
    said = "The client fails because the dependency is missing in pom.xml, add it to fix this:"
    one = read(f"# T\n\nIt stops.\n\n{said}\n\n{BLOCK}\n")

    assert (one.root_cause, one.fix) == (
        "The client fails because the dependency is missing in pom.xml",
        "add it to fix this:",
    )
    assert one.announced == {"fix": SHOWN}


def told_of(incident: Incident) -> str:
    """Everything of an incident that shows its fix."""
    return "\n".join([incident.fix or "", *incident.announced.values(), *incident.sections.values()])


def test_secrets_are_taken_out_before_it_is_cut() -> None:
    key = "\n".join(
        ("-----BEGIN PRIVATE KEY-----", *["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"] * 40, "-----END PRIVATE KEY-----")
    )
    one = of_fix(f"{ADD}\n\n```\na: 1\n{key}\npassword=hunter2\n```")

    assert "<secret>" in told_of(one)  # what is left of the code is short enough to be quoted with its sentence
    assert "MIIE" not in told_of(one)
    assert "hunter2" not in told_of(one)
    token = "ghp_" + "a1B2" * 9
    endless = f"{'x' * (CHARACTERS - 20)} {token}\n" + "x\n" * 9
    shown = of_fix(f"{ADD}\n\n```\n{endless}```").announced["fix"]
    assert "ghp_" not in shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("把管理控制台的登录名改为 admin，然后修改密码为：\n\n```\nhunter2-Zx91\n```", "```\n<secret>\n```"),
        (f"{ADD}\n\nPassword:\n\n```\nhunter2-Zx91\n```", "Password:\n\n```\n<secret>\n```"),
        (f"{ADD}\n\n```\n{XML}\npassword:\n  hunter2-Zx91\nuser:\n  root\n```", f"```\n{XML}\npassword:\n  <secret>\nuser:\n  root\n```"),
        (f"{STEPS}\n\n- Password:\n  hunter2-Zx91\n- Stop it.", "- Password:\n  <secret>\n- Stop it."),
        (f"{ADD}\n\n```\n{XML}\ntoken:\n  ttl: 3600\n```", f"```\n{XML}\ntoken:\n  ttl: 3600\n```"),
    ],
)  # fmt: skip
def test_a_secret_is_one_where_only_the_line_above_says_so(text: str, expected: str) -> None:
    assert of_fix(text).announced["fix"] == expected


def test_no_half_of_a_secret_is_left_where_looking_ends() -> None:
    """What stands before it shrinks to little when secrets are taken out, so that the end of what is looked at is shown."""
    key = ("-----BEGIN PRIVATE KEY-----", *["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" * 2] * 280, "-----END PRIVATE KEY-----")
    token = "ghp_" + "a1B2" * 9
    for blanks in range(1, 40, 9):
        code = "\n".join((*key, "word " * 200))
        code += " " * (20_000 - len(code) - blanks) + token
        shown = told_of(of_fix(f"{ADD}\n\n```\n{code}\n```"))
        assert "<secret>" in shown
        assert "MIIE" not in shown
        assert "ghp_" not in shown


def test_it_is_bounded() -> None:
    code = "\n".join(f"line {number}" for number in range(100))
    shown = of_fix(f"{ADD}\n\n```\n{code}\n```").announced["fix"]

    assert shown.split("\n")[:3] == ["```", "line 0", "line 1"]
    assert shown.endswith("line 29\n```\n\n…")
    endless = "\n".join(["x" * 9_000] * 7)
    assert len(of_fix(f"{ADD}\n\n```\n{endless}\n```").announced["fix"]) < CHARACTERS + 20


@pytest.mark.parametrize("line", ["-" * 18_000 + "x", "- " * 200_000 + "x"])
def test_a_long_line_in_a_table_takes_no_longer(line: str) -> None:
    began = process_time()
    one = read(f"= T\n\n== Fix\n\n{STEPS}\n\n|===\n|{line}\n| 1 | 2 |\n|===\n", "x.adoc")
    assert len(one.announced.get("fix", "")) < CHARACTERS + 20
    assert process_time() - began < 0.6


SHORTENED = {
    "short": ("a\nb", 2, 10, "a\nb"),
    "lines": ("a\nb\nc", 2, 10, "a\nb\n\n…"),
    "characters": ("aa\nbbbb", 9, 5, "aa\n\n…"),
    "what is no line": ("```\na\n```\n\nb", 2, 99, "```\na\n```\n\nb"),
    "in a fence": ("```\na\nb\n```", 1, 99, "```\na\n```\n\n…"),
    "at the end of a fence": ("```\na\n```\nb", 1, 99, "```\na\n```\n\n…"),
    "before what stands in a fence": ("a\n\n```\nb\n```", 1, 99, "a\n\n…"),
    "one endless line": ("aaaa", 9, 2, "aa\n\n…"),
    "one endless line of code": ("```\naaaaaaaa\n```", 9, 9, "```\na\n```\n\n…"),
    "code in a language": ("```yaml\na\nb\n```", 1, 99, "```yaml\na\n```\n\n…"),
    "code between tildes": ("~~~\n```\na\nb\n~~~", 1, 99, "~~~\n```\na\n~~~\n\n…"),
    "code that nobody closed": ("```\na", 9, 99, "```\na\n```"),
    "no fence that is as long as a text": ("`" * 9 + "\na\n" + "`" * 9, 9, 12, "…"),
    "a fence in a longer one": ("````\n```\na\nb\n````", 1, 99, "````\n```\na\n````\n\n…"),
}


@pytest.mark.parametrize(("markdown", "lines", "characters", "expected"), SHORTENED.values(), ids=SHORTENED)
def test_shortened(markdown: str, lines: int, characters: int, expected: str) -> None:
    shown = shortened(markdown, lines, characters)
    assert shown == expected
    assert len(shown.removesuffix(f"\n\n{MORE}")) <= characters
    assert LINES * 60 < CHARACTERS
