"""A title says what fails, not which ticket it is: forms that trackers, their pages and their mails write."""

from time import process_time

import pytest

from kb.article import read_article
from kb.article.tickets import without_ticket

SAID = "Ledger stops after a restart"
FORMS = [
    *("[PROJ-123] Re: {} (Resolved)", "[PROJ-123] Re: {}", "[PROJ-123] {} (Closed)", "[PROJ-123] {} - ASF JIRA", "[PROJ-1] {} - Jira"),
    *("[jira] [Created] (KAFKA-12) {}", "[jira] Commented: (HADOOP-1) {}", "[JIRA] (PROJ-1) {}"),
    *("Bug 12345 – {}", "Bug 12345: {}", "[Bug 12345] {}", "[Bug 12345] New: {}", "[Bug 12345] [NEW] {}", "[Bug 12345] Re: {}"),
    *("Bug #123 “{}” : Bugs : till package : Ubuntu", "#1234 ({}) – Django"),
    *("Bug #1234: {} - Till - Redmine", "[Till - Bug #1234] (Resolved) {}", "[Till - Bug #1234][Resolved] {}"),
    *("0012345: {} - MantisBT", "[Till 0012345]: {}", "[example.com #1234] {}", "[Ticket#2021010110000012] Re: {}"),
    *("{} · Issue #12 · o/r · GitHub", "{} by ann · Pull Request #12 · o/r · GitHub", "{} (#12) · Issues · g / p · GitLab"),
    *("Re: [o/r] {} (#123)", "Re: [o/r] {} (Issue #123)", "Issue #7: {}", "INC0012345 - {}", "INC0012345: {}"),
    *("BUG #25 {}", "【ID1012345678】{}", "【已解决】{}", "{}（已解决）", "[SOLVED] {}", "{} [closed]", "{} [duplicate]"),
    *("Re: {}", "Fwd: Re: Re: {}", "AW: WG: {}", "回复：{}", "Re: [kafka-users] {}"),
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_what_is_about_the_ticket_goes(form: str) -> None:
    assert without_ticket(form.format(SAID)) == SAID


@pytest.mark.parametrize(
    "title",
    [
        *("[ORA-00942] table or view does not exist", "ORA-01017: invalid username", "ALM-12037 NTP服务器异常"),
        *('GAUSS-00521: "cannot change the tablespace"', "[GAUSS-51400] : Failed to execute", "CVE-2021-44228 - remote code"),
        *("#1045 - Access denied for user", "Flash fails with error #2032", "Call fails: error code #1045", "HTTP 404"),
        *("Read fails (closed)", "Issue 3: cannot open", "Issue 3", "Bug in the ledger", "[Bug] login fails", "[WIP] x fails"),
        *("Re-indexing fails", "Ticket sales fail", "[users] Consumer stops", "[2021] what fails", "[12345] exit code"),
        *("MySQL 返回错误代码 #1045", "Import aborts with status #403", "Docker exit #137", "Thread #11 waits for thread #12"),
        *("The index is [closed]", "Channel is (Closed)", "[Errno 0000111] Connection refused", "Ledger stops #2265"),
        *("UTF-8 file is refused", "10.4 - new release fails", "OS-WFBL-CONF-00001"),
        *("PROJ-123", "[PROJ-123]", "Bug #12", "Re:", ""),
    ],
)  # fmt: skip
def test_a_code_is_no_ticket(title: str) -> None:
    """Nor is what would leave nothing."""
    assert without_ticket(title) == title


@pytest.mark.parametrize(
    "code", ["[ORA-00942] table is not there", "[GAUSS-51400] : Failed to execute", "ORA-1017: invalid username"]
)
def test_a_code_stays_without_what_is_about_the_ticket(code: str) -> None:
    assert [without_ticket(form.format(code)) for form in ("Re: {}", "Fwd: Re: {}", "Bug 12345 – {}")] == [code] * 3


@pytest.mark.parametrize(
    "address", ["https://jira.example.com/browse/PROJ-123", "https://youtrack.example.com/issue/PROJ-123"]
)
def test_a_key_goes_where_the_text_leads_to_its_page(address: str) -> None:
    note = f"# PROJ-123: {SAID}\n\nSee {address}.\n\nThe disk was full.\n\nSolution: add one.\n"
    (one,) = read_article(note.encode(), "a.md").incidents
    assert one.title == SAID
    assert "PROJ-123" in one.prose


def test_a_key_is_not_the_beginning_of_another_one() -> None:
    title = "SPARK-3 upgrade breaks the shuffle"
    assert without_ticket(title, "see https://jira.example.com/browse/SPARK-31012") == title
    assert without_ticket(title, "see https://jira.example.com/browse/SPARK-3.") == "upgrade breaks the shuffle"


def test_a_key_without_brackets_may_be_a_code() -> None:
    assert without_ticket("ALM-12037: NTP fails (Closed)") == "ALM-12037: NTP fails"


def test_the_heading_of_a_ticket_is_the_title_still() -> None:
    """It opens no section about the cause, whatever it says; its key can be searched."""
    note = (
        "# [PROJ-123] Re: Root cause (Resolved)\n\nNobody knows what the ledger does there.\n\n## Fix\n\nAdd a disk.\n"
    )
    (one,) = read_article(note.encode(), "a.md").incidents
    assert (one.title, one.root_cause) == ("Root cause", None)
    assert "PROJ-123" in one.prose


@pytest.mark.parametrize(
    ("title", "heading"), [("Bug 12345 – Till stops", "Bug 12345"), ("[PROJ-1] Till stops - ASF JIRA", "Till stops")]
)
def test_the_page_of_a_ticket(title: str, heading: str) -> None:
    page = f"<html><head><title>{title}</title></head><body><h1>{heading}</h1><p>It stops. The disk was full.</p></body></html>"
    assert read_article(page.encode(), "a.html").title == "Till stops"


@pytest.mark.parametrize("unit", ["Re: ", "[", "[a ", "Bug #1 ", "(#1) ", "· ", " - ", "#1 (", "【已解决】", "[x #1] "])
def test_a_long_title_takes_no_time(unit: str) -> None:
    begin = process_time()
    without_ticket(unit * 40_000)
    assert process_time() - begin < 0.5
