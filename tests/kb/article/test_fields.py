"""Tables of two columns that report an incident, and tables that do not."""

import pytest

from kb.article import read_article
from kb.article.blocks import Block, BlockKind
from kb.article.formats import take_apart
from kb.article.sections import sections, with_fields
from kb.article.vocabulary import SectionRole
from kb.incident import Incident

TRACE = "java.lang.IllegalStateException: closed\n\tat com.acme.Cart.total(Cart.java:41)\n"
CAUSE = "The pool is closed too early by the hook."
FIX = "Close the pool after the drain."
MARKDOWN = f"# Cart down\n\n```\n{TRACE}```\n\n{{}}\n\nThe tests were green all the time.\n"
PAGE = f"<html><body><h1>Cart down</h1><pre>{TRACE}</pre><table>{{}}</table><p>The tests were green all the time.</p></body></html>"
REPORTS = {
    "Markdown": ("x.md", MARKDOWN.format(f"| Field | Value |\n|---|---|\n| Severity | P1 |\n| Root cause | {CAUSE} |\n| **Resolution:** | {FIX} |")),
    "Markdown, fields for a head": ("x.md", MARKDOWN.format(f"| 根本原因 | {CAUSE} |\n|---|---|\n| 解决方案 | {FIX} |")),
    "Markdown, no head": ("x.md", MARKDOWN.format(f"| | |\n|---|---|\n| Impact | All carts. |\n| Cause | {CAUSE} |\n| Fix | {FIX} |")),
    "page": ("x.html", PAGE.format(f"<tr><th>Severity</th><td>P1</td></tr><tr><th>Root cause</th><td>{CAUSE}</td></tr><tr><th>Fix</th><td>{FIX}</td></tr>")),
    "page, spaced, with paragraphs and bold names": ("x.html", PAGE.format(f"<tr>\n <td><p><b>故障原因：</b></p></td>\n <td><p>{CAUSE}</p><p>For more information, see the log.</p></td>\n</tr>\n<tr>\n <td><b>解决措施</b></td>\n <td>{FIX}</td>\n</tr>")),
    "page, a name over two rows": ("x.html", PAGE.format(f"<tr><th colspan=2>Report of Monday</th></tr><tr><th>Cause</th><td>{CAUSE}</td></tr><tr><th>Workaround</th><td>{FIX}</td></tr>")),
}  # fmt: skip
OTHERS = {
    "heads of two columns": "| Cause | Solution |\n|---|---|\n| The disk is full | Add a disk to it |\n| The port is taken | Take another one |",
    "heads of two columns over an error": "| Cause | Solution |\n|---|---|\n| Error | Restart the agent |",
    "three columns": "| Field | Value | By |\n|---|---|---|\n| Cause | The disk is full | Ann |\n| Fix | Add a disk to it | Ann |",
    "one head that is a role": "| Solution | Votes |\n|---|---|\n| Add a disk to it | 7 |\n| Take another port | 3 |",
    "a comparison that names one": "| Ability | What traces do for it |\n|---|---|\n| SLO | They count requests |\n| RCA | They show the path |",
    "neither cause nor fix": "| Symptom | The cart is down |\n|---|---|\n| Environment | JDK 17 |",
    "values of one letter": "| A | The disk is full |\n|---|---|\n| Q | Is it? |",
    "settings": "| Description | The public gateway |\n|---|---|\n| Action | reject |\n| Resolution | 1m |",
    "nothing said": "| Cause | |\n|---|---|\n| Fix | |",
}


def told(text: str, name: str) -> Incident:
    (one,) = read_article(text.encode(), name).incidents
    return one


@pytest.mark.parametrize(("name", "text"), REPORTS.values(), ids=REPORTS)
def test_a_report_states_cause_and_fix_with_their_places(name: str, text: str):
    one, shown = told(text, name), take_apart(text, name).text

    assert (one.root_cause, one.fix) == (CAUSE, FIX)
    for field, words in (("root_cause", CAUSE), ("fix", FIX)):
        (place,) = one.quotes[field]
        assert shown[place.start : place.end] == words
        assert place.heading is not None
        assert place.heading in text
        assert "*" not in place.heading


@pytest.mark.parametrize("table", OTHERS.values(), ids=OTHERS)
def test_other_tables_have_no_fields(table: str):
    blocks = take_apart(table, "x.md").blocks

    assert list(with_fields(blocks)) == list(blocks)


def test_what_stands_behind_a_report_is_no_part_of_its_last_field():
    text = f"# Cart down\n\n## Report\n\n| Owner | Ann |\n|---|---|\n| Cause | {CAUSE} |\n| Fix | {FIX} |\n\nSet the limit to 3 to solve it.\n"
    one = told(text, "x.md")

    assert one.fix == FIX
    assert (one.symptom, one.prose.split("\n")) == ("Owner\nAnn", ["Report", "Set the limit to 3 to solve it."])


def test_a_report_at_the_end_leaves_no_empty_section():
    blocks = take_apart(f"## Report\n\n| Cause | {CAUSE} |\n|---|---|\n| Fix | {FIX} |\n", "x.md").blocks

    assert [part.title for part in sections(blocks, None)] == ["Report", "Cause", "Fix"]


def test_rows_of_a_report():
    cells = (
        ("Owner", 1),
        ("Ann", 2),
        ("Cause", 1),
        ("Full.", 2),
        ("Slow.", 2),
        ("Fix", 1),
        ("Another disk helped.", 2),
    )
    (report,) = with_fields(
        [Block(BlockKind.TABLE, text, at, at + 1, column) for at, (text, column) in enumerate(cells)]
    )

    assert isinstance(report, list)
    owner, cause, fix = report
    assert [cell.text for cell in owner] == ["Owner", "Ann"]
    assert (cause.name, cause.role, [one.text for one in cause.blocks]) == (
        "Cause",
        SectionRole.ROOT_CAUSE,
        ["Full.", "Slow."],
    )
    assert {(one.kind, one.level) for one in cause.blocks} == {(BlockKind.PARAGRAPH, 0)}
    assert (fix.name, fix.role, [one.text for one in fix.blocks]) == ("Fix", SectionRole.FIX, ["Another disk helped."])


@pytest.mark.parametrize(("name", "text"), [("x.md", "|a|b|c|d|\n|-|-|-|-|\n|1||3|4|\n"), ("x.html", "<table><tr><td>a<th>b<td>c<td>d<tr><td>1<td><td>3<td>4</table>")])  # fmt: skip
def test_a_cell_knows_its_column(name: str, text: str):
    cells = [(one.text, one.level) for one in take_apart(text, name).blocks if one.text]

    assert cells == [("a", 1), ("b", 2), ("c", 3), ("d", 3), ("1", 1), ("3", 3), ("4", 3)]
