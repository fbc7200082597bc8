"""What tells a cause apart from others that show the same error: read from articles, never as their cause or fix."""

import pytest

from kb.article import read_article
from kb.article.vocabulary import SectionRole, heading_roles
from kb.article.writeups.writeup import read_writeup, render, whole
from kb.incident import Incident

TRACE = "java.lang.IllegalStateException: closed\n\tat com.acme.Cart.total(Cart.java:41)\n"
REMARK = "The pool is not exhausted: the cause there is a leak. To fix that, raise the limit."
ARTICLE = f"# Cart down\n\nThe cart is down.\n\n```\n{TRACE}```\n\n## Root cause\n\nThe hook closes the pool too early.\n\n## {{}}\n\n{{}}\n\n## Fix\n\nClose the pool after the drain.\n"
HEADINGS = (
    *("What it is not", "How to confirm", "How to confirm if you're affected", "How to tell it apart", "Distinguish"),
    *("Not to be confused with", "Not to be confused with `PoolExhausted: no connection is left after 30 seconds`"),
    *("How to tell the two causes of this apart from each other", "3. How to distinguish the causes", "Look-alikes"),
    *(
        "如何区分",
        "如何區分不同的原因",
        "如何确认",
        "如何確認",
        "如何判断",
        "如何判斷",
        "区别",
        "區別于其他原因",
        "不是什么情况",
    ),
    *("排除", "排除其他原因", "三、【如何区分】："),
)
OTHERS = {
    "故障排除": (SectionRole.FIX,),
    "How to confirm the fix": (SectionRole.FIX,),
    "如何判断对象可以被回收": (),
    "原因分析与排查": (SectionRole.ANALYSIS, SectionRole.ROOT_CAUSE),
}


def told(text: str, name: str = "x.md") -> Incident:
    (one,) = read_article(text.encode(), name).incidents
    return one


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_section_below_such_a_heading_is_neither_cause_nor_fix(heading: str):
    one = told(ARTICLE.format(heading, REMARK))

    assert one.root_cause == "The hook closes the pool too early."
    assert one.fix == "Close the pool after the drain."
    assert one.distinguish is not None
    assert one.distinguish.endswith(REMARK)
    assert REMARK not in one.prose


@pytest.mark.parametrize("heading", ["What it is not", "How to confirm", "如何区分", "如何确认", "排除"])
def test_it_needs_no_other_section_beside_it(heading: str):
    one = told(
        f"# Cart down\n\nThe cart is down.\n\n```\n{TRACE}```\n\n## {heading}\n\n### Cause\n\n{REMARK}\n\n## Links\n\nSee above.\n"
    )

    assert (one.root_cause, one.distinguish, one.fix) == (None, REMARK, None)


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_section_that_stands_where_cause_and_fix_are_missing_is_none_either(heading: str):
    one = told(f"# Cart down\n\n```\n{TRACE}```\n\n## {heading}\n\n{REMARK}\n\n## Workaround\n\n")

    assert (one.root_cause, one.fix) == (None, None)
    assert REMARK in (one.distinguish or one.prose)


@pytest.mark.parametrize(("heading", "roles"), OTHERS.items(), ids=OTHERS)
def test_other_headings_mean_what_they_did(heading: str, roles: tuple[SectionRole, ...]):
    assert set(roles) == set(heading_roles(heading))


def test_sections_are_joined_in_their_order_with_code_and_without_traces():
    body = f"First.\n\n```sh\ngrep closed app.log\n```\n\n```\n{TRACE}```\n\n- one\n- two"
    text = f"{ARTICLE.format('How to confirm', body)}\n## 不是什么情况\n\n### Cause\n\nReason: the disk.\n"

    assert told(text).distinguish == "First.\n\n```\ngrep closed app.log\n```\n\n- one\n- two\n\nReason: the disk."


def test_a_remark_in_a_line_of_its_own_ends_with_its_paragraph():
    one = told(
        f"# 购物车故障\n\n```\n{TRACE}```\n\n原因：\n\n如何区分：磁盘满时另有告警。\n\n连接池被钩子过早关闭。\n\n解决办法：排空之后再关闭连接池。\n"
    )

    assert (one.root_cause, one.distinguish, one.fix) == (
        "连接池被钩子过早关闭。",
        "磁盘满时另有告警。",
        "排空之后再关闭连接池。",
    )


def test_a_table_of_other_errors_makes_no_incidents():
    table = "| Error | Cause |\n|---|---|\n| PoolExhausted: none left | A leak |\n| ConnectException: refused | The database is down |"

    assert told(ARTICLE.format("What it is not", table)).distinguish == table


def test_a_comparison_beside_no_report_is_prose():
    one = told(
        "# 两种锁\n\n锁有两种，都可能抛出异常。\n\n## 简单锁\n\n一种锁。\n\n## 区别\n\n后者可以中断。\n\n## 用法\n\n见下。\n"
    )

    assert one.distinguish is None
    assert "后者可以中断。" in one.prose


def test_what_is_longer_than_is_kept_stays_in_the_prose():
    lines = [f"- Error number {number} has another cause." for number in range(100)]
    one = told(ARTICLE.format("What it is not", "\n".join(lines)))

    assert one.distinguish is not None
    assert one.distinguish.count("\n- ") == 59
    assert "Error number 99 has another cause." in one.prose
    assert one.root_cause == "The hook closes the pool too early."


def test_a_secret_does_not_come_through_the_cut():
    body = "\n".join(["password=hunter2hunter2", *["word " * 20] * 45, "Password:", "", "```", "hunter2hunter2", "```"])

    assert "hunter2" not in repr(told(ARTICLE.format("How to confirm", body)))


@pytest.mark.parametrize(
    ("lang", "heading", "cause"), [("en", "How to tell it apart", "Root cause"), ("zh", "如何区分", "根因")]
)
def test_a_write_up_has_a_section_of_it_byte_for_byte(lang: str, heading: str, cause: str):
    text = f"---\nid: x-1\ntitle: Cart down\nlang: {lang}\n---\n## {cause}\n\nA leak.\n\n## {heading}\n\nNo leak shows:\n\n```sh\n\\## Fix\n```\n"
    one = read_writeup(text, "x-1")

    assert one is not None
    assert one.distinguish == "No leak shows:\n\n```sh\n## Fix\n```"
    assert render(one) == text == whole(one)


@pytest.mark.parametrize("heading", ["What it is not", "How to confirm", "如何确认", "区别", "排除"])
def test_other_headings_of_a_write_up_are_read_as_the_same_section(heading: str):
    text = f"---\nid: x-1\ntitle: Cart down\nlang: en\n---\n## Root cause\n\nA leak.\n\n## {heading}\n\nOne.\n\n## How to tell it apart\n\nTwo.\n"
    one = read_writeup(text, "x-1.md")

    assert one is not None
    assert (one.root_cause, one.distinguish) == ("A leak.", "One.\n\nTwo.")
    assert read_writeup(render(one), "x-1.md") == one
