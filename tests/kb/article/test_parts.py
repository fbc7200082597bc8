"""Which documents tell of several problems, and what becomes of each."""

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.article import read_article
from kb.article.formats import take_apart
from kb.article.reading import incidents_of
from kb.incident import Incident


def trace(name: str, at: str = "com.acme.Job.run(Job.java:7)") -> str:
    return f"```\njava.lang.{name}: it broke\n\tat {at}\n\tat com.acme.{name}.go(A.java:3)\n```\n"


def told(text: str, name: str = "x.md") -> tuple[Incident, ...]:
    return read_article(dedent(text).encode(), name).incidents


FAQ = f"""# Common errors

## Disk is full, writes fail

{trace("DiskError")}
**Cause:** the logs were never rotated.

**Solution:** rotate them daily.

## The pool cannot give a connection

{trace("PoolException")}
**Cause:** the export keeps all of them.

**Solution:** move the export out of the transaction.
"""

CODES = """# LEDGER-0410 -- LEDGER-0419

LEDGER-0410: "page of %s is torn"

State: 4XA

错误原因：写入时断电。

解决办法：从日志恢复该页。

LEDGER-0411: "book %s is not open"

State: 4XB

错误原因：账本未打开。

解决办法：先打开账本。
"""
NUMBERED_CODES = """# Answers of the depot

**4301**: No shelf is free for a parcel.

Cause: the parcels of last week were not fetched.

Solution: send them back.

**4302**: The gate does not answer.

Cause: its battery is empty.

Solution: change it.
"""

SEVERAL = {
    "codes with cause and fix": (CODES, 2),
    "bold numbers with cause and fix": (NUMBERED_CODES, 2),
    "sections with a trace, a cause and a fix each": (FAQ, 2),
    "a title that says nothing, sections that are write-ups": (
        (
            "# Notes\n\n## Page does not open\n### Symptom\nBlank.\n### Solution\nSet the base path.\n"
            "## Reload gives 404\n### Symptom\n404.\n### Cause\nNo rewrite rule.\n### Solution\nAdd one.\n"
        ),
        2,
    ),
    "cause and fix beside each error, not below": (
        (
            f"# Notes\n\n## Start fails\n{trace('AError')}\n## Cause\nOld JDK.\n## Solution\nUse JDK 17.\n"
            f"## Stop fails\n{trace('BError')}\n## Cause\nA thread hangs.\n## Solution\nMake it a daemon.\n"
        ),
        2,
    ),
    "questions without headings": (
        (
            "# FAQ\n\n**Q: Why does the agent fail to start?**\n\nThe port is taken. Change it in the settings file.\n\n"
            "**Q: Why is the upload refused?**\n\nThe file is larger than the limit of the proxy in front.\n"
        ),
        2,
    ),
    "numbered lines": (
        f"踩坑集合\n=====\n\n1. 启动失败\n\n{trace('AError')}\n解决方案：升级驱动。\n\n2. 写入超时\n\n{trace('BError')}\n解决方案：调大超时时间。\n",
        2,
    ),
    "questions of one category and one of another": (
        (
            "# TiKV FAQ\n\n## Start\n\n### 启动报错：cluster ID mismatch 怎么办？\n\n本地缓存的集群 ID 和 PD 不一致，清空数据目录后重新启动即可。\n\n"
            "## Run\n\n### 为什么会报 server is busy？\n\n写入太快导致的反压，请检查磁盘并扩容 TiKV 节点。\n"
        ),
        2,
    ),
    "one question each under headings that say that something fails": (
        (
            "# FAQ\n\n## Creating a pod fails\n\n### Q: Why is the job refused?\n\nThe quota of the project is used up. Raise it.\n\n"
            "## Removal fails\n\n### Q: Why is the volume missing?\n\nIt was removed with the claim. Keep the claim.\n"
        ),
        2,
    ),
    "scenarios, each with its error and its fix": (
        (
            "# 连接账本\n\n## 场景一\n\n```\nERROR 1045 (28000): Access denied for user 'app'@'10.0.0.8'\n```\n\n解决方法：重置密码。\n\n"
            "## 场景二\n\n```\nERROR 2003 (HY000): Can't connect to MySQL server on 'db1' (111)\n```\n\n解决方法：放通 3306 端口。\n"
        ),
        2,
    ),
    "cases, each with its error and its fix": (
        (
            '# Pods\n\n### Case 1: image\n\n```\nFailed to pull image "app:1"\n```\n\n**Solution:** log in to the registry.\n\n'
            "### Case 2: volume\n\n```\nmount failed: exit status 32\n```\n\n**Solution:** restart the file server.\n"
        ),
        2,
    ),
    "codes without a colon": (
        (
            "# The gate\n\nGATE-1001 Upstream refused\n\nCause: it is not started.\n\nSolution: start it.\n\n"
            "GATE-1002 Upstream slow\n\nCause: it is slow.\n\nSolution: wait longer for it.\n"
        ),
        2,
    ),
    "reports of one form, one behind the other": (
        (
            "# GATE-7\n\n## Error message\n`The upload was denied by the depot.`\n## Cause\nIts key is old.\n## Impact\nNo parcel is sent.\n"
            "## Recommended action\nRenew the key.\n\n## Error message\n`The upload was denied by the gate.`\n## Cause\nIts rule is old.\n"
            "## Impact\nNo parcel is let in.\n## Recommended action\nRenew the rule.\n"
        ),
        2,
    ),
    "headings that name no failure, each with its error, its cause and its fix": (
        (
            "# Printing at home\n\n## Try it\nIt prints.\n\n## Troubles\n\n### 1. the paper\n\n```\njam: failed to feed page 3\n```\n\n#### Cause\nIt is damp.\n\n"
            "#### Solution\nDry it.\n\n### 2. the ink\n\n```\nerror: cannot read the cartridge\n```\n\n#### Solution\nClean its contacts.\n"
        ),
        2,
    ),
    "each with the trace alone, numbered": (
        f"### 1. YarnError\n{trace('AError')}\n### 2. No buffer\n{trace('BError')}\n### 3. Port\n{trace('CError')}",
        3,
    ),
}

ONE = {
    "codes without answers": CODES.replace("错误原因", "级别").replace("解决办法", "备注"),
    "one code twice in a log": "# The gate is stuck\n\n4302: The gate does not answer.\n\n4302: The gate does not answer.\n\nCause: its battery is empty.\n\nSolution: change it.\n",
    "symptom, cause, fix": f"# Job dies\n\n## Symptom\n{trace('AError')}\n## Cause\nOld JDK.\n## Solution\nUse 17.\n",
    "attempts": (
        f"# FAQ: the job dies\n\n## Attempt 1: delete the cache\nIt fails again:\n{trace('AError')}\n**Solution:** none yet.\n"
        f"## Attempt 2: upgrade\nIt fails otherwise:\n{trace('BError')}\n**Solution:** do both.\n"
    ),
    "two errors of one write-up on a page of problems": (
        f"# Common errors\n\n## Job dies\n### Symptom\nNothing is written.\n### It fails at first\n{trace('AError')}\n**Solution:** see below.\n"
        f"### It fails again\n{trace('BError')}\n**Solution:** use JDK 17.\n### Analysis\nThe JDK is old.\n"
    ),
    "one fix after two errors": (
        f"# Job dies\n\n## Start fails\nThe log says:\n{trace('AError')}\n## Restart fails\nAnd then:\n{trace('BError')}\n"
        "## Solution\nAdd a disk, for it is full.\n"
    ),
    "a fix for each version": (
        f"# Job dies\n\n{trace('AError')}\n## Spark 2.x\n**Solution:** set a.b to 1.\n## Spark 3.x\n**Solution:** set a.c to 2.\n"
    ),
    "cases of one error": (
        f"# The job dies\n\n{trace('AError')}\n## Case 1\nThe data is skewed.\n\n**Solution:** salt the key.\n\n## Case 2\nThe heap is small.\n\n**Solution:** set it to 8 GB.\n"
    ),
    "steps with one fix": (
        f"# The job dies\n\n## Step 1\nStart it:\n{trace('AError')}\n## Step 2\nStart it again:\n{trace('BError')}\n**Solution:** use JDK 17.\n"
    ),
    "possible causes of one error": (
        f"# Connect times out\n\n{trace('AError')}\n## Possible causes\n### The port cannot be reached\nOpen it in the firewall of the host.\n"
        "### The name is not found\nAdd it to the zone of the branch office.\n### The server refused it\nRaise its limit of open connections.\n"
    ),
    "traces of one investigation, the fix at the end": (
        f"# 线上故障\n\n## 第一次报错\n看日志：\n{trace('AError')}\n## 第二次报错\n重启之后：\n{trace('BError')}\n## 原因\n磁盘满了。\n## 解决\n扩容。\n"
    ),
    "chapters about the error of the title": (
        f"# StackOverflowError: cause and cure\n\n## How does StackOverflowError come about?\nRecursion without an end.\n\n{trace('StackOverflowError')}\n"
        "## How to fix StackOverflowError\nGive the recursion an end, or use a loop instead of it.\n"
    ),
    "a guide with one error": (
        f"# Install\n\n## Download\nGet it.\n\n## Start fails\n{trace('AError')}\n**Solution:** set JAVA_HOME.\n\n## Stop\nPress a key.\n"
    ),
    "questions about how things work": (
        "# FAQ\n\n## What does the cache hold?\n\n**Answer:** The pages that were read last.\n\n"
        "## How large is it?\n\n**Answer:** As large as the memory that is left.\n"
    ),
    "commands in bold": f"# Common issues\n\n**vi jaas.conf**\n\n{trace('AError')}\nChange the keytab.\n\n**tail a.log**\n\n{trace('BError')}\nThen restart.\n",
    "an error message and its impact, told once": (
        "# GATE-7\n\n## Error message\n`The upload was denied by the depot.`\n## Impact\nNo parcel is sent.\n## Error log\n`denied: 7`\n"
        "## Cause\nIts key is old.\n## Recommended action\nRenew the key.\n"
    ),
    "the same heading again, and one fix": (
        "# The gate\n\n## Error message\n`The gate is stuck.`\n## Impact\nNo parcel.\n## Error message\n`The gate is stuck again.`\n## Solution\nChange its battery.\n"
    ),
    "two sights of one error, one answered": (
        "# The gate\n\n## the door\n\n```\nfailed to open\n```\n\n## the battery\n\n```\nerror: cannot load\n```\n\n#### Cause\nIt is old.\n\n#### Solution\nChange it.\n"
    ),
    "a list of steps": "# Job cannot start\n\nDo this:\n\n1. Check that the port is not refused.\n2. Stop the failed job.\n3. Start it again.\n",
}


@pytest.mark.parametrize(("text", "count"), SEVERAL.values(), ids=SEVERAL)
def test_a_document_of_several_problems(text: str, count: int):
    assert len(told(text)) == count


def test_a_question_for_the_reason_of_what_names_no_failure_is_a_problem_where_its_answer_mends_it():
    asked = "## Why are lamps dark at noon?\n\nCause: the clock is late.\n\nFix: set the clock.\n\n"
    other = "## Why does the door fail with `E-4711`?\n\nCause: rust.\n\nFix: oil it.\n\n"
    about = "## Why are lamps made of glass?\n\nGlass lets the light through.\n\n"
    article = read_article(f"# FAQ\n\n{asked}{other}{about}".encode(), "faq.md")
    assert [one.root_cause for one in article.incidents] == ["the clock is late.", "rust."]
    assert len(read_article(f"# The house\n\n{asked}{other}".encode(), "house.md").incidents) == 1


def test_what_is_asked_names_the_problem_not_the_category_above_it():
    text, _ = SEVERAL["one question each under headings that say that something fails"]

    assert [one.title for one in told(text)] == ["Why is the job refused? — FAQ", "Why is the volume missing? — FAQ"]


@pytest.mark.parametrize("text", ONE.values(), ids=ONE)
def test_a_document_of_one_problem_stays_whole(text: str):
    assert len(told(text)) == 1


def test_each_problem_has_its_own_trace_cause_and_fix_and_the_page_around_it():
    """Nothing is torn apart, nothing is mixed."""
    text = "---\ntags: [jvm]\nlink: https://example.org/errors\ndate: 2024-05-06\n---\n" + FAQ

    disk, pool = told(text, "wiki/errors.md")

    assert [one.chains[0].exceptions[0].type for one in (disk, pool)] == [
        "java.lang.DiskError",
        "java.lang.PoolException",
    ]
    assert [(one.root_cause, one.fix) for one in (disk, pool)] == [
        ("the logs were never rotated.", "rotate them daily."),
        ("the export keeps all of them.", "move the export out of the transaction."),
    ]
    assert disk.title == "Disk is full, writes fail — Common errors"
    assert disk.source.url == "https://example.org/errors#disk-is-full-writes-fail"
    assert {(one.tags, one.created, one.source.path) for one in (disk, pool)} == {
        (("jvm",), "2024-05-06", "wiki/errors.md")
    }
    assert read_article(text.encode(), "wiki/errors.md").title == "Common errors"


def test_the_introduction_and_the_environment_hold_for_every_problem():
    text = FAQ.replace(
        "# Common errors\n", "# Common errors\n\nSeen on the billing cluster.\n\n## Environment\n\nCDH 6.3.2\n\n"
    )

    assert all("billing cluster" in one.prose and "CDH 6.3.2" in one.prose for one in told(text))


PAGE = FAQ.replace("# Common errors", "# The shop at night", 1)


def test_what_is_left_of_a_page_is_an_incident_where_it_states_one():
    """A question is not lost, a guide is none."""
    words = "The left column shows what waits, the right one what runs. " * 8

    *problems, rest = told(f"{PAGE}## Why does the dashboard show less at night?\n\n{words}")

    assert len(problems) == 2
    assert len(told(f"{PAGE}## How to read the dashboard\n\n{words}")) == 2
    assert rest.title == "The shop at night"
    assert "what waits" in f"{rest.symptom} {rest.prose}"
    assert not any("what waits" in f"{one.symptom} {one.prose}" for one in problems)


@pytest.mark.parametrize(
    ("heading", "count"), [("References", 2), ("可能原因", 2), ("How the pool works", 2), ("Why is the pool small?", 3)]
)
def test_a_section_whose_heading_names_no_failure_is_no_rest_worth_keeping(heading: str, count: int):
    assert len(told(f"{PAGE}\n## {heading}\n\n" + "The pool keeps a few connections open all the time. " * 6)) == count


def test_a_section_that_is_none_but_an_error_message_is_called_after_what_it_says():
    text, _ = SEVERAL["reports of one form, one behind the other"]

    assert [(one.title, one.root_cause, one.fix) for one in told(text)] == [
        ("The upload was denied by the depot. — GATE-7", "Its key is old.", "Renew the key."),
        ("The upload was denied by the gate. — GATE-7", "Its rule is old.", "Renew the rule."),
    ]


def test_a_command_below_the_name_of_a_section_is_no_title():
    report = (
        "## 报错\n\n```\n$ depot send {0}\nerror: cannot send {0}\n```\n\n## 原因\n{0} 坏了。\n\n## 解决\n换 {0}。\n\n"
    )

    assert not any("$" in one.title for one in told("# 仓库\n\n" + report.format("one") + report.format("two")))


def test_a_problem_that_names_the_page_is_not_called_after_it_again():
    page = (
        "# Pool\n\n## Pool fails\n### Symptom\nBlank.\n### Fix\nA.\n## It hangs\n### Symptom\n404.\n### Fix\nAdd one.\n"
    )
    assert [one.title for one in told(page)] == ["Pool fails", "It hangs — Pool"]


def test_a_problem_added_above_changes_no_id():
    more = f"## 1. Export fails\n\n{trace('ExportError')}\n**Solution:** retry.\n\n"
    numbered = FAQ.replace("## Disk", "## 1. Disk").replace("## The", "## 2. The")
    above = numbered.replace("## 1. Disk", more + "## 2. Disk").replace("## 2. The", "## 3. The")

    before, after = ([one.id for one in told(text, "a/errors.md")] for text in (numbered, above))

    assert len(after) == 3
    assert after[1:] == before
    assert before[0].endswith("-disk-is-full-writes-fail")


def test_equal_headings_and_empty_ones_get_ids_of_their_own():
    same = "# FAQ\n\n" + "".join(
        f"## Start fails\n{trace(name)}\n**Solution:** {name}.\n\n" for name in ("AError", "BError")
    )

    assert len({one.id for one in told(same)}) == 2


@pytest.mark.parametrize(
    ("heading", "url"),
    [
        ("Start fails {#section_a1}", "x.md#section_a1"),
        ("启动失败：连接超时", "x.md#启动失败连接超时"),
        ("`NPE` cannot be caught", "x.md#npe-cannot-be-caught"),
    ],
)
def test_the_address_of_a_problem(heading: str, url: str):
    first, _ = told(FAQ.replace("Disk is full, writes fail", heading))

    assert first.source.url == url


def test_a_ticket_is_one_problem_whatever_its_headings_say():
    document = take_apart(FAQ, "x.md")

    assert len(incidents_of(document, "x.md").incidents) == 2
    (one,) = incidents_of(document, "x.md", several=False).incidents
    assert len(one.chains) == 2


def test_a_trace_outside_the_problems_is_kept():
    first, second, rest = told(FAQ.replace("# Common errors\n", f"# Common errors\n\n{trace('CError')}"))

    assert [len(one.chains) for one in (first, second, rest)] == [1, 1, 1]
    assert rest.chains[0].exceptions[0].type == "java.lang.CError"


LINES = [
    "# FAQ\n", "## Start fails\n", "## 为什么超时？\n", "### Cause\n", "### 解决\n", "Q: why?\n", "1. 报错 x\n", "2. Step 1\n", "**Bold error**\n",
    "It broke because of the disk, so change it.\n", trace("AError"), trace("BError"), "> java.lang.CError: x\n", "<h2>Crash</h2><pre>a</pre>\n", "\n", "原因：磁盘\n",
]  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=24).map("\n".join))
def test_no_trace_is_lost_or_told_twice(text: str):
    """However a document is cut: each exception that it shows with frames is in some incident, and in one only."""
    incidents = told(text)

    shown = [name for name in ("AError", "BError") if trace(name) in text]
    held = [{str(e.type).rsplit(".", 1)[-1] for chain in one.chains for e in chain.exceptions} for one in incidents]
    assert len({one.id for one in incidents}) == len(incidents)
    for name in shown:
        wherever = sum(name in types for types in held)
        assert 1 <= wherever <= text.count(trace(name))
