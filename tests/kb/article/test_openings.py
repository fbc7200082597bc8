"""Which lines of a document stand for the headings of a list of problems."""

from itertools import product

import pytest

from kb.article import read_article
from kb.article.blocks import Block, BlockKind
from kb.article.split.openings import openings
from kb.incident import Incident

LISTS = {
    "zh": (
        "# {title}\n\n"
        "{label}启动报 java.net.BindException: Address already in use\n原因：端口被占用。\n解决：换一个端口。\n\n"
        "{label}登录后页面一直空白\n原因：用户没有部门。\n解决：给用户设置部门。\n"
    ),
    "en": (
        "# {title}\n\n"
        "{label}The agent dies with java.net.BindException: Address already in use\n\nCause: The port is taken.\n\n"
        "Fix: Take another one.\n\n{label}The page stays blank after the login\n\nCause: The user has no branch.\n\n"
        "Fix: Give the user a branch.\n"
    ),
}
TOLD = {
    "zh": [("端口被占用。", "换一个端口。"), ("用户没有部门。", "给用户设置部门。")],
    "en": [("The port is taken.", "Take another one."), ("The user has no branch.", "Give the user a branch.")],
}
LABELS = {
    "zh": ["问题：", "現象：", "报错：", "【问题】", "【问题】：", "**问题：**", "**问题**：", "- 问题：", "案例一：", "错误 2、", "**现象**\n\n", "1. 问题："],
    "en": ["Problem: ", "**Issue:** ", "ISSUE #1: ", "Error: ", "- Symptom: ", "Problem 1:\n", "**Problem**\n\n"],
}  # fmt: skip
TITLES = {"zh": ["踩坑记录", "周报"], "en": ["Known issues", "Notes of the week"]}
WAYS = [(lang, *one) for lang in LISTS for one in product(LABELS[lang], TITLES[lang], ("x.md", "x.txt"))]


def told(text: str, name: str = "x.md") -> tuple[Incident, ...]:
    return read_article(text.encode(), name).incidents


def mended(text: str, name: str = "x.md") -> list[tuple[str | None, str | None]]:
    return [(one.root_cause, one.fix) for one in told(text, name)]


@pytest.mark.parametrize(("lang", "label", "title", "name"), WAYS)
def test_each_problem_behind_a_label_has_its_own_cause_and_fix(lang: str, label: str, title: str, name: str):
    assert mended(LISTS[lang].format(title=title, label=label), name) == TOLD[lang]


def test_the_label_is_no_part_of_the_title():
    titles = [one.title for one in told(LISTS["zh"].format(title="周报", label="**现象**："))]

    assert titles == ["启动报 java.net.BindException: Address already in use — 周报", "登录后页面一直空白 — 周报"]


def test_a_label_that_machines_write_is_part_of_the_message():
    titles = [one.title for one in told(LISTS["en"].format(title="Notes", label="Error: "))]

    assert titles[1] == "Error: The page stays blank after the login — Notes"


TRACE = "```\njava.lang.{0}Error: it broke\n\tat com.acme.{0}.run({0}.java:7)\n```\n"
SEVERAL = {
    "still there, and each with its fix": (
        (
            "# Errors of the agent\n\nProblem: The port is in use.\n\nFix: stop the other agent.\n\n"
            "Problem: The agent still fails after an upgrade.\n\nFix: delete its cache.\n"
        ),
        ["The port is in use. — Errors of the agent", "The agent still fails after an upgrade. — Errors of the agent"],
    ),
    "what a label tells may begin like a step, and may be shown by a trace": (
        (
            "# 周报\n\n问题：使用新版本时写入变慢\n原因：索引太多。\n解决：删掉旧索引。\n\n"
            f"问题：检查任务的日志里连接池又空了\n{TRACE.format('A')}\n原因：磁盘满了。\n解决：扩容。\n"
        ),
        ["使用新版本时写入变慢 — 周报", "检查任务的日志里连接池又空了 — 周报"],
    ),
    "a message in a code block below the label": (
        (
            "# 周报\n\n**错误1：**\n\n```\nCreating user directory failed\n```\n\n**解决：** 重启服务。\n\n"
            "**错误2：**\n\n```\nNo space left on device\n```\n\n**解决：** 清理日志。\n"
        ),
        ["Creating user directory failed — 周报", "No space left on device — 周报"],
    ),
    "a trace below the label": (
        (
            f"# Weekly\n\nProblem 1:\n\n{TRACE.format('A')}\nSolution: use another port.\n\n"
            f"Problem 2:\n\n{TRACE.format('B')}\nSolution: add a disk.\n"
        ),
        ["java.lang.AError: it broke — Weekly", "java.lang.BError: it broke — Weekly"],
    ),
    "a trace below lines of a log": (
        (
            f"# Weekly\n\nProblem 1:\n\n{TRACE.format('A').replace('java', 'INFO starting' + chr(10) + 'java', 1)}\nSolution: use another port.\n\n"
            "Problem 2: it is slow\n\nSolution: add a disk.\n"
        ),
        ["java.lang.AError: it broke — Weekly", "it is slow — Weekly"],
    ),
    "one of them with words behind the label": (
        "# 周报\n\n错误1：连接不上数据库\n\n解决：见文档。\n\n错误2：\n\n```\nNo space left on device\n```\n\n解决：重启。\n",
        ["连接不上数据库 — 周报", "No space left on device — 周报"],
    ),
    "bold titles above the labels": (
        (
            "# Weekly\n\n**The agent dies at once**\n\nProblem: nothing listens.\n\nSolution: use another port.\n\n"
            "**The page stays blank**\n\nProblem: nothing is shown.\n\nSolution: give the user a branch.\n"
        ),
        ["The agent dies at once — Weekly", "The page stays blank — Weekly"],
    ),
    "steps of a fix are no problems": (
        (
            "# 周报\n\n问题：启动失败\n解决：\n1. 停止服务\n2. 换一个端口\n3. 启动服务\n\n"
            "问题：写入失败\n解决：\n1. 清理日志\n2. 重启服务\n"
        ),
        ["启动失败 — 周报", "写入失败 — 周报"],
    ),
    "a second label in each": (
        "# 周报\n\n问题：启动失败\n现象：日志为空\n解决：换一个端口。\n\n问题：写入失败\n现象：没有文件\n解决：清理日志。\n",
        ["启动失败 — 周报", "写入失败 — 周报"],
    ),
    "a message, its cause and what is recommended, each below its label": (
        (
            "# Parcels\n\nMessage\n`The parcel is too heavy.`\n\nCause\nIts lid is of lead.\n\nRecommendation\nTake one of wood.\n\n"
            "Message\n`The parcel is too wide.`\n\nCause\nIt lies across.\n\nRecommendation\nTurn it.\n"
        ),
        ["The parcel is too heavy. — Parcels", "The parcel is too wide. — Parcels"],
    ),
    "one that came twice, and another": (
        "# 周报\n\n问题：启动失败\n解决：换一个端口。\n\n问题：启动失败\n解决：清理日志。\n\n问题：写入失败\n解决：扩容。\n",
        ["启动失败 — 周报", "启动失败 — 周报", "写入失败 — 周报"],
    ),
}
ONE = {
    "what was still there, and the fix at the end": "# 线上故障复盘\n\n现象：接口超时。\n\n原因：连接池耗尽。\n\n现象：扩容后仍然超时。\n\n原因：慢查询占住了连接。\n\n解决：给 user_id 加索引。\n",
    "a story with two labels and one fix": (
        "# 订单服务挂了\n\n问题：订单服务启动失败。\n\n看了日志。\n\n问题：数据库也连接失败。\n\n原因：磁盘满了。\n\n解决：清理日志。\n"
    ),
    "a story whose first part ends in a cause, whose second ends in a fix": (
        "# 订单服务挂了\n\n现象：订单服务启动失败。\n\n原因：磁盘满了。\n\n现象：清理之后仍然失败。\n\n解决：重启数据库。\n"
    ),
    "in short, then at length": (
        "# The agent dies\n\nProblem: The agent dies at once.\n\nFix: Take another port.\n\nIn the night of May it happened again.\n\n"
        "Problem: The agent dies at once.\n\nFix: Take another port, for the old one is reserved.\n"
    ),
    "messages of a log": (
        "# The agent dies\n\nThe log says:\n\nError: cannot bind\n\nand then:\n\nError: cannot stop\n\nCause: The port is taken.\n\nFix: Take another.\n"
    ),
    "why after why": (
        "# Postmortem\n\nProblem: the service failed.\nCause: out of memory.\n\n"
        "Problem: why was it out of memory?\nCause: the cache has no bound.\n\nFix: bound the cache.\n"
    ),
    "a second try": (
        "# 升级失败\n\n问题：升级后启动失败。\n解决：删除缓存后重启，没有用。\n\n"
        "问题：仍然失败，日志里报类找不到。\n解决：更换 jar 包版本。\n"
    ),
    "messages of people who write to each other": "# The gate is stuck\n\nMessage: it does not open, please help us.\n\nMessage: it works again.\n\nCause: the battery is empty.\n\nFix: change it.\n",
    "one label": "# 周报\n\n问题：启动失败\n原因：磁盘满了。\n解决：清理日志。\n",
    "questions about how things work": "# 周报\n\n问题：什么是分片？\n解决：见文档。\n\n问题：什么是副本？\n解决：见文档。\n",
}


@pytest.mark.parametrize(("text", "titles"), SEVERAL.values(), ids=SEVERAL)
def test_lists_behind_labels(text: str, titles: list[str]):
    assert [one.title for one in told(text)] == titles


@pytest.mark.parametrize("text", ONE.values(), ids=ONE)
def test_a_story_with_labels_stays_whole(text: str):
    assert len(told(text)) == 1


@pytest.mark.parametrize(("count", "found"), [(1, 0), (2, 2), (400, 400), (401, 0)])
def test_a_list_has_at_least_two_problems_and_is_no_data(count: int, found: int):
    text = "".join(f"问题：第 {at} 个\n解决：重启。\n" for at in range(count))

    assert len(openings(text, [Block(BlockKind.PARAGRAPH, text, 0, len(text))])) == found
