"""The report of a run: what it counts, that it speaks both languages, and that hostile titles stay text."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from importlib.resources import files
from pathlib import Path

import pyarrow as pa
import pytest
from playwright.sync_api import Page
from selectolax.lexbor import LexborHTMLParser

from ingest.groups import DuplicateGroup, GroupMember, why
from ingest.plan import DocumentChange
from ingest.progress import StageProgress
from ingest.quality import Reason
from ingest.report.account import Account, Coverage, Share, largest, shares
from ingest.report.page import PACKAGE, new_run, page, words, write
from ingest.schemas import STATE_SCHEMA
from ingest.shingles import rank
from ingest.summary import Summary
from kb.incident import Incident, Source
from tests.browser.conftest import chromium

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">{{ 7 * 7 }}\x1b[2J\u202e"


def member(name: str, reason: str = "") -> GroupMember:
    return GroupMember(f"{name}:0", name, f"Title of {name}", f"https://x.example/{name}", "/a", f"{name}.md", reason)


def account(text: str = "plain") -> Account:
    summary = Summary(
        read=1200, accepted=1000, rejected=200, rejected_by_reason={"no_problem": 150, "failed": 49, text: 1},
        rejected_examples={"no_problem": [text], "failed": [], text: [f"{text}: {text}"]},
        done_now=1200, unchanged=0, removed=3, changes=dict.fromkeys(DocumentChange, 0) | {"new": 1200},
        incidents=1000, duplicates=2, snapshot="0123456789abcdef", published=True, rejected_table=text,
        seconds=12.5, spark_start_seconds=3.0, articles_per_second=126.3, notes=[text],
    )  # fmt: skip
    return Account(
        run="20260102T030405Z-abcd", ended="2026-01-02T03:04:05+00:00", given=[text], summary=summary,
        sources=[Share(text, 1000, 200, 1000, 5 << 20)], coverage=[Coverage(text, "zh", 1000, 999, 333, 0)],
        group_count=1, groups=[DuplicateGroup(replace(member("a"), title=text, path=text), (replace(member("b", "longer"), title=text, source=text),))],
        seconds={"listing": 0.5, "reading documents": 8.0, text: 1.0}, bytes={"listed": 5 << 20, "snapshot": 9 << 20},
    )  # fmt: skip


def text_of(html: str, lang: str) -> str:
    tree = LexborHTMLParser(html)
    other = {"zh": "en", "en": "zh"}[lang]
    for node in tree.css(f".in-{other}, script, style"):
        node.decompose()
    return re.sub(r"\s+", " ", tree.body.text(separator=" ") if tree.body else "")


def test_the_page_tells_the_figures_in_both_languages():
    html = page(account())
    english, chinese = text_of(html, "en"), text_of(html, "zh")
    for told in (
        "1,000 / 1,200 documents accepted",
        "no word of failure 150",
        "99 % 33 % 0 %",
        "shorter",
        "reading documents 8.0",
        "5 MB",
    ):
        assert told in english
    for told in ("份文档已收录", "没有堆栈", "较短", "读取文档"):
        assert told in chinese
        assert told not in english


def test_both_languages_have_the_same_words_and_every_code_has_its_own():
    told = json.loads((files("ingest.report") / "words.json").read_text(encoding="utf-8"))
    assert told["en"].keys() == told["zh"].keys()
    assert {f"reason_{reason}" for reason in Reason} | set(DocumentChange) <= told["en"].keys()
    assert all(text.strip() for words in told.values() for text in words.values())


def test_what_has_no_words_is_shown_as_it_is():
    assert words(PACKAGE, "reason", "<new>").count("&lt;new&gt;") == 2


def test_titles_paths_and_details_stay_text():
    tree = LexborHTMLParser(page(account(HOSTILE)))
    (script,) = tree.css("script")
    policy = tree.css_first("meta[http-equiv]").attributes["content"] or ""
    digest = base64.b64encode(hashlib.sha256(script.text().encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert tree.css("img") == []
    assert page(account(HOSTILE)).count("{{ 7 * 7 }}") == page(account("MARK")).count("MARK")


@pytest.fixture
def browser_page() -> Iterator[Page]:
    with chromium() as running:
        yield running.new_page(viewport={"width": 390, "height": 800}, locale="en-US")


@pytest.mark.browser
def test_a_report_shows_one_language_and_runs_no_foreign_script(browser_page: Page, tmp_path: Path):
    path = write(account(HOSTILE), tmp_path)
    complaints: list[str] = []
    browser_page.on("console", lambda message: complaints.append(message.text))
    browser_page.goto(path.as_uri())
    assert browser_page.inner_text("h1") == "Ingest report"
    browser_page.click("text=中文")
    assert browser_page.inner_text("h1") == "导入报告"
    assert "Ingest report" not in browser_page.inner_text("body")
    assert browser_page.evaluate("document.documentElement.lang") == "zh-CN"
    assert "owned" not in browser_page.title()
    assert complaints == []
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= 390  # a phone: nothing sticks out


def test_reports_are_kept_by_run_and_the_oldest_are_removed(tmp_path: Path):
    folder = tmp_path / "reports"
    folder.mkdir()
    former = [f"202601{day:02d}T00{minute:02d}00Z-abcd" for day in (1, 2) for minute in range(26)]
    for name in former:
        (folder / f"{name}.html").touch()
        (folder / f"{name}.json").touch()
    runs = [*former, "20260103T000000Z-abcd", "20260104T000000Z-abcd"]
    for run in runs[-2:]:
        path = write(replace(account(), run=run), tmp_path)
    assert path == folder / f"{runs[-1]}.html"
    assert {path.name for path in folder.iterdir()} == {
        f"{name}.{suffix}" for name in (*runs[-50:], "latest") for suffix in ("html", "json")
    }
    assert json.loads((folder / "latest.json").read_text()) == json.loads(
        json.dumps(asdict(replace(account(), run=runs[-1])))
    )
    assert new_run() > runs[-1]


def test_the_runs_before_are_drawn_and_a_broken_report_is_left_out(tmp_path: Path):
    for day, incidents in ((1, 250), (2, 500)):
        one = account()
        run = f"2026010{day}T000000Z-abcd"
        write(replace(one, run=run, summary=replace(one.summary, incidents=incidents)), tmp_path)
    (tmp_path / "reports" / "20260103T000000Z-abcd.json").write_text('{"summary": []}')
    tree = LexborHTMLParser(write(account(), tmp_path).read_text())
    incidents, _ = (node.attributes["points"] for node in tree.css(".plot polyline"))
    assert incidents == "0.00,75.00 50.00,50.00 100.00,0.00"


def test_a_first_run_draws_no_line():
    assert LexborHTMLParser(page(account())).css(".plot") == []


def test_what_the_lake_holds_of_each_source():
    def row(source: str, status: str, incidents: int) -> dict[str, object]:
        return dict.fromkeys(STATE_SCHEMA.names) | {
            "source": source,
            "status": status,
            "incidents": incidents,
            "size": 10,
        }

    rows = [
        row("/b", "accepted", 3),
        row("/a", "accepted", 1),
        row("/a", "rejected", 0),
        row("/a", "removed", 0),
        row("/b", "accepted", 1),
    ]
    assert shares(pa.Table.from_pylist(rows, schema=STATE_SCHEMA)) == [
        Share("/a", 1, 1, 1, 20),
        Share("/b", 2, 0, 4, 20),
    ]


def test_the_largest_groups_come_first():
    small, large = DuplicateGroup(member("a"), (member("b"),)), DuplicateGroup(member("z"), (member("c"), member("d")))
    assert largest([small, large]) == [large, small]


WHOLE = Incident("b", "T", "en", Source("b", "b"), root_cause="c", fix="f", created="2024-01-01")


@pytest.mark.parametrize(
    ("other", "length", "reason"),
    [
        pytest.param(replace(WHOLE, id="c", fix=None), 100, "complete", id="states-less"),
        pytest.param(replace(WHOLE, id="c", created="2025-01-01"), 100, "earlier", id="later"),
        pytest.param(replace(WHOLE, id="c", created=None), 100, "earlier", id="undated"),
        pytest.param(replace(WHOLE, id="c"), 99, "longer", id="shorter"),
        pytest.param(replace(WHOLE, id="c|d"), 100, "first", id="equal"),
    ],
)
def test_why_one_stands_for_the_other(other: Incident, length: int, reason: str):
    ours, theirs = rank(WHOLE, 100), rank(other, length)
    assert ours < theirs
    assert why(ours, theirs) == reason


def test_stages_are_timed_and_add_up():
    times = iter((0.0, 10.0, 11.0, 13.0, 16.0, 20.0))
    progress = StageProgress(lasting=False, clock=lambda: next(times))
    for stage in ("listing", "reading", "reading", "listing"):
        progress.stage(stage)
    assert progress.ended() == {"listing": 1.0 + 4.0, "reading": 2.0 + 3.0}
