"""Tables of pages and of HTML in Markdown keep their rows: errors in rows are incidents, a column of passwords is hidden."""

from time import process_time

import pytest

from kb.article import read_article
from kb.article.blocks import BlockKind
from kb.article.decode import decode
from kb.article.formats import take_apart
from kb.incident import Incident
from kb.tracker.jira import jira
from kb.tracker.ticket import incidents_of_ticket
from kb.tracker.wiki import wiki

ERRORS = """<table><thead><tr><th>Error</th><th>Cause</th><th>Solution</th></tr></thead><tbody>
<tr><td>LEDGER-100: the ledger is closed</td><td>A job closed it.</td><td><p>Do this:</p><ol><li>Stop the job.</li><li>Open the ledger.</li></ol></td></tr>
<tr><td>LEDGER-200: the ledger is locked</td><td rowspan="2">The lock file is left.</td><td>Delete the lock file.</td></tr>
<tr><td>LEDGER-300: the ledger is stale</td><td>Restart the ledger.</td></tr></tbody></table>"""
LOGINS = """<table><tr><th>Host</th><th>User</th><th>Password</th></tr>
<tr><td>db1</td><td></td><td>hunter7zx</td></tr><tr><td>db2</td><td>joe</td><td>Swordfish22</td></tr></table>"""
DRAWN = """+------------+-------------------+------------------------+
| Error      | Cause             | Solution               |
+============+===================+========================+
| LEDGER-100 | A job closed the  | Stop the job, then     |
|            | ledger.           | open the ledger.       |
+------------+-------------------+------------------------+
| 账本-200   | The lock file is  | Delete the lock file.  |
+------------+ left.             +------------------------+
| LEDGER-300 |                   | Restart the ledger.    |
+------------+-------------------+------------------------+"""
RULED = """==========  ==================  ======================
Error       Cause               Solution
==========  ==================  ======================
LEDGER-100  A job closed the    Stop the job, then
            ledger.             open the ledger.
账本-200    The lock file is    Delete the lock file.
            left.
LEDGER-300  The lock file is    Restart the ledger.
            left.
==========  ==================  ======================"""
LISTED = """.. list-table:: Errors
   :header-rows: 1

   * - Error
     - Cause
     - Solution
   * - LEDGER-100
     - A job closed the
       ledger.
     - Stop the job, then
       open the ledger.
   * - 账本-200
     - The lock file is left.
     - Delete the lock file.
   * - LEDGER-300
     - The lock file is left.
     - Restart the ledger."""
VALUES = """.. csv-table:: Errors
   :header: "Error", "Cause", "Solution"

   "LEDGER-100", "A job closed the ledger.", "Stop the job, then open the ledger."
   账本-200, The lock file is left., Delete the lock file.
   LEDGER-300, The lock file is left., Restart the ledger."""
BARRED = """[cols="1,2a,2",options="header"]
|===
|Error |Cause |Solution

|LEDGER-100
|A job closed the
ledger.
|Stop the job, then open the ledger.
|账本-200 .2+|The lock file is left. |Delete the lock file.
|LEDGER-300 |Restart the ledger.
|==="""
PIPED = """||Error||Cause||Solution||
|LEDGER-100|A job closed the ledger.|Stop the job, then open the ledger.|
|账本-200|The lock file is left.|Delete the lock file.|
|LEDGER-300|The lock file is left.|Restart the ledger.|"""
LAYOUT = "<table><tr><td><h2>Menu</h2></td><td>one</td></tr><tr><td>two</td><td>three</td></tr></table>"
LISTING = "<table><tr><td>1</td><td>import os</td></tr><tr><td>2</td><td>os.exit(1)</td></tr></table>"


def page(*parts: str) -> str:
    words = "<p>The ledger writes what each shop sold on a day, and this page lists what can go wrong with it.</p>"
    return f"<html><head><title>The ledger</title></head><body><article><h1>The ledger</h1>{words}{''.join(parts)}</article></body></html>"


def note(*parts: str) -> str:
    return "\n\n".join(("# The ledger", "This page lists what can go wrong.", *parts))


def read(text: str, name: str) -> tuple[Incident, ...]:
    return read_article(text.encode(), name).incidents


@pytest.mark.parametrize(("text", "name"), [(page(ERRORS), "a.html"), (note(ERRORS), "a.md")], ids=["page", "markdown"])
def test_rows_of_errors_are_incidents(text: str, name: str) -> None:
    """Each with its own cause and fix, a cell over two rows with both; the page around them states nothing and is none."""
    found = [(one.title.partition(" — ")[0], one.root_cause, one.fix) for one in read(text, name)]
    assert found == [
        ("LEDGER-100: the ledger is closed", "A job closed it.", "Stop the job."),
        ("LEDGER-200: the ledger is locked", "The lock file is left.", "Delete the lock file."),
        ("LEDGER-300: the ledger is stale", "The lock file is left.", "Restart the ledger."),
    ]


@pytest.mark.parametrize(
    ("table", "name"),
    [(DRAWN, "a.rst"), (RULED, "a.rst"), (LISTED, "a.rst"), (VALUES, "a.rst"), (BARRED, "a.adoc")],
    ids=["drawn", "ruled", "listed", "values", "barred"],
)
def test_rows_of_plain_markup_are_incidents(table: str, name: str) -> None:
    """Cells over several lines, rows and columns of the screen, as their markup means them."""
    head = "= The ledger" if name.endswith("adoc") else "The ledger\n=========="
    found = [
        (one.title.partition(" — ")[0].split()[0], one.root_cause, one.fix)
        for one in read(f"{head}\n\nThis page lists what can go wrong.\n\n{table}\n", name)
    ]
    assert [(title, *(" ".join((said or "").split()) for said in rest)) for title, *rest in found] == [
        ("LEDGER-100", "A job closed the ledger.", "Stop the job, then open the ledger."),
        ("账本-200", "The lock file is left.", "Delete the lock file."),
        ("LEDGER-300", "The lock file is left.", "Restart the ledger."),
    ]


def test_rows_of_a_wiki_keep_their_columns() -> None:
    """In Jira's markup; a ticket is one incident, which shows the table."""
    found = [(block.level, block.text) for block in wiki(PIPED)]
    assert found[3:6] == [
        (1, "LEDGER-100"),
        (2, "A job closed the ledger."),
        (3, "Stop the job, then open the ledger."),
    ]
    assert len({(block.start, block.end) for block in wiki(PIPED)}) == 4


REPORTS = {
    "a.rst": "Ledger closed\n=============\n\n==========  ===========================\nSymptom     The ledger is closed.\nRoot cause  A job closed it.\nFix         Stop the job.\n==========  ===========================\n",
    "b.rst": "Ledger closed\n=============\n\n.. list-table::\n\n   * - Symptom\n     - The ledger is closed.\n   * - Root cause\n     - A job closed it.\n   * - Fix\n     - Stop the job.\n",
    "a.adoc": "= Ledger closed\n\n|===\n|Symptom |The ledger is closed.\n|Root cause |A job closed it.\n|Fix |Stop the job.\n|===\n",
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_table_of_two_columns_is_a_write_up(name: str) -> None:
    """``| Root cause | … |`` says the cause, in every markup."""
    (one,) = read(REPORTS[name], name)
    assert (one.symptom, one.root_cause, one.fix) == ("The ledger is closed.", "A job closed it.", "Stop the job.")


def _cell(words: str) -> dict[str, object]:
    return {"type": "tableCell", "content": [{"type": "paragraph", "content": [{"type": "text", "text": words}]}]}


def test_a_ticket_s_table_is_a_write_up() -> None:
    """In the description of a Jira issue, in wiki markup and as an Atlassian document."""
    rows = (("Symptom", "The ledger is closed."), ("Root cause", "A job closed it."), ("Fix", "Stop the job."))
    table = {"type": "table", "content": [{"type": "tableRow", "content": [_cell(one) for one in row]} for row in rows]}
    for text in ("".join(f"|{name}|{said}|\n" for name, said in rows), {"type": "doc", "content": [table]}):
        issue = {"key": "LEDGER-1", "fields": {"summary": "Ledger closed", "description": text}}
        (one,) = incidents_of_ticket(jira(issue), "a.json")
        assert (one.root_cause, one.fix) == ("A job closed it.", "Stop the job.")


SECRETS = {
    "a.rst": "Logins\n======\n\n====  ====  ===========\nHost  User  Password\n====  ====  ===========\ndb1   ann   hunter7zx\ndb2   joe   Swordfish22\n====  ====  ===========\n",
    "b.rst": "Logins\n======\n\n+------+------+-------------+\n| Host | User | Password    |\n+======+======+=============+\n| db1  | ann  | hunter7zx   |\n+------+------+-------------+\n| db2  | joe  | Swordfish22 |\n+------+------+-------------+\n",
    "a.adoc": "= Logins\n\n|===\n|Host |User |Password\n\n|db1\n|ann\n|hunter7zx\n\n|db2\n|joe\n|Swordfish22\n|===\n",
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_column_of_passwords_of_plain_markup_is_hidden(name: str) -> None:
    (one,) = read(SECRETS[name], name)
    assert "hunter7" not in str(one)
    assert "Swordfish" not in str(one)
    assert "| db1 | ann | <secret> |" in one.article


def test_a_column_of_passwords_of_a_ticket_is_hidden() -> None:
    """In Jira's wiki markup, with an empty cell before it."""
    logins = "||Host||User||Password||\n|db1| |hunter7zx|\n|db2|joe|Swordfish22|\n"
    issue = {
        "key": "LEDGER-1",
        "fields": {"summary": "Ledger closed", "description": f"The ledger is closed.\n\n{logins}"},
    }
    (one,) = incidents_of_ticket(jira(issue), "a.json")
    assert "hunter7" not in str(one)
    assert "Swordfish" not in str(one)
    assert "| db2 | joe | <secret> |" in one.article


@pytest.mark.parametrize("rules", [2, 3, 4])
def test_rules_with_nothing_between_them_are_read_over(rules: int) -> None:
    """None of them makes the reader go back to where it was."""
    document = take_apart("=== ===\n" * rules + "Hello\n", "a.rst")
    assert "".join(block.text for block in document.blocks) == "Hello"


def test_the_page_around_the_rows_stays_where_it_states_a_problem() -> None:
    """A section about the cause or the fix outside the table."""
    more = "<h2>Solution</h2><p>Whatever it says, upgrade the ledger to 4.2 first.</p>"
    assert read(page(ERRORS, more), "a.html")[0].fix == "Whatever it says, upgrade the ledger to 4.2 first."


@pytest.mark.parametrize(
    ("text", "name"), [(page("<h2>Logins</h2>", LOGINS), "a.html"), (note("## Logins", LOGINS), "a.md")]
)
def test_a_column_of_passwords_is_hidden(text: str, name: str) -> None:
    """An empty cell moves none into another column."""
    (one,) = read(text, name)
    assert "hunter7" not in str(one)
    assert "Swordfish" not in str(one)
    assert "| db1 |  | <secret> |" in one.article


@pytest.mark.parametrize(
    ("table", "rows"),
    [(LOGINS, 3), (LAYOUT, 0), (LISTING, 0), (ERRORS.replace("<p>Do this:</p>", LOGINS), 3)],
    ids=["data", "layout", "listing", "table in a table"],
)
def test_what_is_a_table_of_data(table: str, rows: int) -> None:
    """A row is one place of the text; what is laid out in a table is no table."""
    document = take_apart(decode(page(table).encode()).text, "a.html")
    cells = [block for block in document.blocks if block.kind is BlockKind.TABLE]
    places = [cell.start for cell in cells]
    assert len({place for place in places if places.count(place) > 1}) == rows


PAGE_OF_CODES = """# The migration tool

It copies tables from one server to another, and tells what it does by codes.

| Error code | Meaning | Solution |
|---|---|---|
| 10001 | The server refused the user | Grant the role |
| 10002 | The disk is full | Add a disk |
"""


def test_each_row_of_a_table_of_errors_is_an_incident_and_the_page_one_that_states_more() -> None:
    refused, full = read(PAGE_OF_CODES, "x.md")
    more = "## Solution\n\nWhatever the code, look at the disks of both servers first, and add one.\n"
    page, *rows = read(f"{PAGE_OF_CODES}\n{more}", "x.md")

    assert (page.title, page.id, len(rows)) == ("The migration tool", "x-398842b6", 2)
    assert "Grant the role" in f"{page.symptom} {page.fix} {page.prose}"
    assert [(one.title, one.symptom, one.fix) for one in (refused, full)] == [
        ("10001 The server refused the user — The migration tool", "The server refused the user", "Grant the role"),
        ("10002 The disk is full — The migration tool", "The disk is full", "Add a disk"),
    ]
    assert refused.id == "x-398842b6-10001-the-server-refused-the-user"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Error code", "Setting"),
        ("Solution", "Default"),
        ("| 10002 | The disk is full | Add a disk |\n", ""),
        ("| Error code | Meaning | Solution |", "| Solution | Meaning | Error code |"),
    ],
)
def test_any_other_table_makes_no_incidents(old: str, new: str) -> None:
    assert len(read(PAGE_OF_CODES.replace(old, new), "x.md")) == 1


def test_cells_stand_in_their_line() -> None:
    """What is quoted of a cell is found in the text of the document."""
    document = take_apart(decode(page(ERRORS).encode()).text, "a.html")
    for block in document.blocks:
        assert all(line.removeprefix("- ") in document.text[block.start : block.end] for line in block.text.split("\n"))


def test_spans_without_end_stay_bounded() -> None:
    """Of a cell that claims to reach over everything."""
    wide = '<td rowspan="99999" colspan="99999">x</td>'
    rows = f"<tr>{wide}{wide}</tr>" * 200
    assert len(take_apart(page(f"<table>{rows}</table>"), "a.html").text) < 100_000


ENDLESS = {
    "repeated cells": ("|===\n" + "99*|a " * 3_000 + "\n|===\n", "a.adoc"),
    "spans": ("|===\n" + "9.9+|a " * 5_000 + "\n|===\n", "a.adoc"),
    "tables of a line": ("== ==\na  b\n\n" * 4_000, "a.rst"),
    "a table without end": ("== ==\n" + "a  b\n" * 8_000, "a.rst"),
    "a wide table of wide characters": (("+" + "--+" * 3_000 + "\n|" + "根|" * 3_000 + "\n") * 4, "a.rst"),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_tables_without_end_take_bounded_time(name: str) -> None:
    text, file = ENDLESS[name]
    times: list[float] = []
    for _ in range(3):  # the least: a collection of the suite's own garbage may fall into one of them
        began = process_time()
        take_apart(text, file)
        times.append(process_time() - began)
    assert min(times) < 0.6
