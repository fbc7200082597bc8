"""Steps keep their numbers, and code stays code, in what is quoted and in the section around it."""

import pytest

from kb.article import read_article
from kb.article.formats import take_apart
from kb.article.quotes.quote import Quote
from kb.article.sentences import sentences
from kb.incident import Incident

PROBLEM = "## Error: cannot open ledger {}\n\n### Cause\n\nDisk {} is full.\n\n### Solution\n\nDo this:\n\n{}\n\n"


def only(text: str, name: str = "a.md") -> Incident:
    (found,) = read_article(text.encode(), name).incidents
    return found


def of_two(steps: str) -> Incident:
    """The first problem of a page that lists two."""
    page = "# Common errors\n\n" + PROBLEM.format(1, 1, steps) + PROBLEM.format(2, 2, "Add a disk.")
    first, _ = read_article(page.encode(), "a.md").incidents
    return first


STEPS = {
    "tight": ("1. Stop the ledger.\n2. Delete all of its old logs.\n3. Start it.", "1. Stop the ledger.\n2. Delete all of its old logs.\n3. Start it."),
    "loose": ("1. Stop the ledger.\n\n2. Delete all of its old logs.", "1. Stop the ledger.\n2. Delete all of its old logs."),
    "in an item": ("- Now:\n  1. Stop the ledger.\n  2. Delete all of its old logs.", "- Now:\n  1. Stop the ledger.\n  2. Delete all of its old logs."),
    "with words of its own": ("1. Stop the ledger.\n\n   It takes a minute.\n2. Delete all of its old logs.", "1. Stop the ledger.\n\n   It takes a minute.\n2. Delete all of its old logs."),
    "with items": ("1. Stop the ledger.\n   - Now.\n2. Delete all of its old logs.", "1. Stop the ledger.\n   - Now.\n2. Delete all of its old logs."),
}  # fmt: skip


@pytest.mark.parametrize(("steps", "shown"), STEPS.values(), ids=STEPS)
def test_the_steps_of_one_problem_of_several_keep_their_numbers(steps: str, shown: str) -> None:
    """Each of them might have been the heading of a problem."""
    assert of_two(steps).sections["fix"].endswith(shown)


RST = """Ledger stops
============

Cause
-----

The disk is full.

Procedure
---------

#. Look at the disk of the ledger.

   -  If it is full, go to 3.
   -  If not, go to :ref:`4 <step_4>`.

#. Stop the ledger.
3. .. _step_3:

   Delete all old logs of the ledger.

#. .. _step_4:

   Start the ledger.

          It takes a minute.
#. .. _step_5:
"""


def test_a_list_that_counts_itself_is_numbered() -> None:
    """Of reStructuredText; the words of a step stand below its link target."""
    section = only(RST, "a.rst").sections["fix"]
    assert section == (
        "1. Look at the disk of the ledger.\n   -  If it is full, go to 3.\n   -  If not, go to 4.\n2. Stop the ledger.\n"
        "3. Delete all old logs of the ledger.\n4. Start the ledger.\n\n      It takes a minute."
    ).replace("-  ", "- ")


def test_another_list_begins_at_one() -> None:
    lists = "#. Stop the ledger of the bank.\n#. Start it.\n\nOr do this, which takes longer:\n\n#. Add a disk to the machine.\n#. Start it.\n"
    section = only(f"Ledger stops\n============\n\nSolution\n--------\n\n{lists}", "a.rst").sections["fix"]
    assert section.endswith(
        "2. Start it.\n\nOr do this, which takes longer:\n\n1. Add a disk to the machine.\n2. Start it."
    )


def of_fix(text: str) -> str | None:
    return only(f"# T\n\nIt stops.\n\n## Fix\n\n{text}\n").fix


def test_an_item_of_nothing_but_a_target_and_items_has_no_words() -> None:
    text = "Ledger stops\n============\n\nSolution\n--------\n\nDo one of these to free the disk of the ledger:\n\n#. .. _a:\n\n   - Delete old logs.\n   - Add a disk.\n\n#. .. _b:\n\n   .. code-block::\n\n      free\n"
    section = only(text, "a.rst").sections["fix"]
    assert section.endswith("- Delete old logs.\n- Add a disk.\n\n```\n      free\n```")


def test_numbers_that_markdown_does_not_know_stay_apart() -> None:
    section = of_two("1、Stop the ledger.\n\n2、Delete all of its old logs.\n\n3、Start it.").sections["fix"]
    assert section.endswith("1、Stop the ledger.\n\n2、Delete all of its old logs.\n\n3、Start it.")


@pytest.mark.parametrize(
    "text",
    ["Look:\n\n```\nledger\n```\n\nRepair it.", "1. Look:\n\n```\nledger\n```\n\n2. Repair it."],
    ids=["words", "items"],
)
def test_what_stands_behind_quoted_code_stands_apart(text: str) -> None:
    quote = Quote(tuple(sentences(take_apart(text, "a.md").blocks, lambda _line: False)), None)
    assert quote.listed(text) == text


QUOTED = {
    "code": ("Run this command:\n\n```\n# all of them\nledger repair\n```", "Run this command:\n\n```\n# all of them\nledger repair\n```"),
    "code that holds a fence": ("````\n```\nledger\n```\n````", "````\n```\nledger\n```\n````"),
    "a secret below its name": ("Set the password:\n\n```\nhunter2secret\n```", "Set the password:\n\n```\n<secret>\n```"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "fix"), QUOTED.values(), ids=QUOTED)
def test_what_is_quoted_is_markdown(text: str, fix: str) -> None:
    assert of_fix(text) == fix


def test_words_behind_a_list_are_no_part_of_its_last_item() -> None:
    cause = "It stops for one of these reasons:\n\n- The disk is full.\n- The log is broken.\n\nOn Windows the log is broken most of the time."
    one = only(f"# T\n\nIt stops.\n\n## Cause\n\n{cause}\n\n## Fix\n\nAdd a disk.\n")
    assert one.root_cause is not None
    assert one.root_cause.endswith("- The log is broken.\n\nOn Windows the log is broken most of the time.")


def test_quoted_steps_of_one_problem_of_several_are_a_list() -> None:
    one = of_two("1. Delete old logs of the ledger.\n2. Restart the ledger, which solves the problem.")
    assert one.fix == "1. Delete old logs of the ledger.\n2. Restart the ledger, which solves the problem."


def test_names_that_stand_for_pictures_and_words() -> None:
    """Of reStructuredText; a name that nobody states stays as it is written."""
    text = "Ledger stops\n============\n\nSolution\n--------\n\nClick |stop| of |till| to stop it, then run ``a | b | c`` or |other|.\n\n.. |stop| image:: /stop.png\n.. |till| replace:: till 7\n"
    assert (
        only(text, "a.rst").fix == "Click ![stop](/stop.png) of till 7 to stop it, then run ``a | b | c`` or |other|."
    )
