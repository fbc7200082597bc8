"""What states no problem is named as what it is; what states one stays, whatever else it holds."""

import pytest

from kb.article import read_article

MANUAL = """# Tutorial: the ledger service

## Introduction
The ledger service stores rows.
## Installation
Download the archive and unpack it.
## Prerequisites
Java 17.
## Usage
Start it with `ledger start`.
## Parameters
`--port` sets the port.
## Architecture
Three nodes keep a log. A write that misses the majority times out.
## Limitations
Rows of more than 1 MB are refused.
## Best practices
Keep rows small.
## Summary
You have seen the ledger service.
"""
TUTORIAL = MANUAL.replace("Start it with `ledger start`.", "```\n" + "ledger put --row 1 --value a\n" * 60 + "```")
LINKS = """# Common pages

- [Why is the order service slow?](orders.md#slow-service-answers)
- [How are parcels counted on Mondays?](parcels.md#counted-on-mondays)
- [Where does the error log of the depot go?](depot.md#the-error-log)
- [What is a ledger and who keeps it?](ledger.md#who-keeps-the-ledger)
"""
QUESTION = (
    "# What is the difference between a ledger and a journal?\n\nA ledger keeps accounts, a journal keeps days.\n"
)
BILL = "# 为什么无法将按量付费实例转为包年包月实例？\n\n实例需要满足以下条件：运行中，并且没有未支付的订单。\n"
CHANGES = "# Release notes of ledger 4.2\n\n## New\nRows can be signed.\n\n## Changed\nStart-up is faster.\n"

INCIDENT = """# Orders fail with a timeout

## Symptom
Every order fails after 30 s.
## Cause
The pool has two connections.
## Fix
Raise `pool.size` to 20.
"""
TITLED_TUTORIAL = INCIDENT.replace("# Orders fail with a timeout", "# 实战：订单超时的排查与解决")
POSTMORTEM = """# 2024-03-07 ledger

## Summary
Rows could not be written for an hour.
## Timeline
10:02 the first page.
## Installation
One node was set up by hand.
## Architecture
Three nodes keep a log.
## Lessons learned
A node without a clock must not join.
## Action items
Check clocks.
"""


def reasons(text: str) -> list[str]:
    return sorted(read_article(text.encode(), "page.md").stating_none.values())


@pytest.mark.parametrize(
    ("text", "reason"),
    [(MANUAL, "manual"), (TUTORIAL, "tutorial"), (LINKS, "links"), (QUESTION, "question"), (BILL, "question"), (CHANGES, "changes")],
    ids=["manual", "tutorial", "links", "question", "bill", "changes"],
)  # fmt: skip
def test_what_states_no_problem_is_named(text: str, reason: str) -> None:
    assert reasons(text) == [reason]


NOTES = [
    "# Customers charged twice\n\nThe retry was not idempotent. Add the idempotency key to each call.\n",
    "# Invoice job stuck at 99 %\n\n```\nERROR ledger: lock wait timeout exceeded\n```\n\nSomebody looks into it.\n",
    "# 发票服务启动很慢\n\n原因是启动时读取全部模板。改为按需读取即可。\n",
    "# 会话到期后页面白屏\n\n前端没有处理 401。捕获后跳转到登录页。\n",
    "# Subscription stops after broker failover\n\nThe consumer keeps the old leader. Restart it.\n",
    "# 新功能上线后 CPU 飙高\n\n正则回溯导致。换成 RE2。\n",
    "# Undefined reference to main\n\nThe object file is missing. Link main.o too.\n",
]
"""Short notes of teams whose product is about money, terms or versions."""


@pytest.mark.parametrize(
    "text",
    [INCIDENT, TITLED_TUTORIAL, POSTMORTEM, *NOTES],
    ids=["incident", "tutorial's title", "report", *(note.split("\n")[0] for note in NOTES)],
)
def test_what_states_a_problem_stays(text: str) -> None:
    assert reasons(text) == []


def test_a_short_note_stays_however_it_sounds() -> None:
    """Its score is above the threshold: a note that neither asks, lists nor announces is no manual."""
    note = "# Guide to the till: overview and introduction\n\n## Overview\n\nThis tutorial tells how a till is set up.\n\n## Installation\n\nUnpack it.\n\n## Parameters\n\nIt has a switch.\n"
    assert reasons(note) == []


def test_the_timeline_of_an_incident_outweighs_the_chapters_of_a_manual() -> None:
    assert reasons(f"{MANUAL}## Timeline\n10:02 the first page.\n") == []


def test_front_matter_has_the_last_word() -> None:
    assert reasons(f"---\nincident: true\n---\n{MANUAL}") == []


def test_a_declined_document_is_read_all_the_same() -> None:
    article = read_article(MANUAL.encode(), "page.md")
    assert [one.id for one in article.incidents] == list(article.stating_none)
