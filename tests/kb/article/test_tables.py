"""Tables of pages and of HTML in Markdown keep their rows: errors in rows are incidents, a column of passwords is hidden."""

import pytest

from kb.article import read_article
from kb.article.blocks import BlockKind
from kb.article.decode import decode
from kb.article.formats import take_apart
from kb.incident import Incident

ERRORS = """<table><thead><tr><th>Error</th><th>Cause</th><th>Solution</th></tr></thead><tbody>
<tr><td>LEDGER-100: the ledger is closed</td><td>A job closed it.</td><td><p>Do this:</p><ol><li>Stop the job.</li><li>Open the ledger.</li></ol></td></tr>
<tr><td>LEDGER-200: the ledger is locked</td><td rowspan="2">The lock file is left.</td><td>Delete the lock file.</td></tr>
<tr><td>LEDGER-300: the ledger is stale</td><td>Restart the ledger.</td></tr></tbody></table>"""
LOGINS = """<table><tr><th>Host</th><th>User</th><th>Password</th></tr>
<tr><td>db1</td><td></td><td>hunter7zx</td></tr><tr><td>db2</td><td>joe</td><td>Swordfish22</td></tr></table>"""
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
