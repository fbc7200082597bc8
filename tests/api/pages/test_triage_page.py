"""Reports of `kb triage` on the page and over HTTP: who may read them, and what becomes of one that is damaged."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from index.triage_reports import FOLDER, KnownGroup, TriageReport, UnknownGroup, as_json
from kb.store import Actor, Role
from tests.api.pages.tabs import BROWSER, Tab, opened, words

ROOT = Actor("test", "test", Role.ADMIN)
HOSTILE = '"><script>alert(1)</script>'
FIRST, LAST = "20261126T020000Z-0a1b", "20261127T020000Z-2c3d"
DAMAGED, HUGE = "20261125T020000Z-dddd", "20261124T020000Z-eeee"
TRACE = "java.lang.IllegalStateException: tray 7 is empty\n\tat com.acme.Tray.pull(Tray.java:3)\n\tat com.acme.Line.run(Line.java:12)"
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
OLD = "20260101T020000Z-0b1d"
DRAFT = f"---\ntitle: Tray is empty\nid: crash-000000000000\nstatus: draft\n---\n\n## Symptom\n\n900 crashes.\n\n## Stack trace\n\n```\n{TRACE}\n```\n"


def group(n: int, **more: object) -> UnknownGroup:
    text = {"type": "java.lang.IllegalStateException", "template": f"tray {n} is empty", "text": TRACE, "exact": f"{n:032x}"}  # fmt: skip
    seen = {"first": "2026-11-27T04:00:00Z", "last": "2026-11-27T09:30:00Z", "versions": ["1.0", "1.1"], "hosts": ["web-1"], "host_count": 1}  # fmt: skip
    return UnknownGroup(**{"id": f"{n:032x}", "crashes": 900 - n, "groups": 2, "is_new": n % 2 == 0, **text, **seen, **more})  # type: ignore[arg-type]  # fmt: skip


def written(home: Path, report: TriageReport, *, summary: bool = True) -> Path:
    folder = home / FOLDER / report.run
    (folder / "drafts").mkdir(parents=True)
    (folder / "report.json").write_text(as_json(report))
    if summary:
        (folder / "summary.json").write_text(as_json(report.summary()))
    return folder


@pytest.fixture(scope="module")
def _tab(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    own = tmp_path_factory.mktemp("triaged") / "home"
    own.mkdir()
    for entry in home.iterdir():
        (own / entry.name).symlink_to(entry)
    known = KnownGroup(incident="kafka-commit-rebalanced", title=HOSTILE, verdict="known", crashes=50, probability=0.97)
    report = TriageReport(LAST, [f"/logs/{HOSTILE}"], "s1", crashes=1_000, distinct=70, known=[known])
    report.unread, report.unread_file_count = 41, 21
    report.unread_files = [f"{HOSTILE}{n}.jsonl.gz is not read to its end: {n}" for n in range(20)]
    report.unknown = [group(n) for n in range(60)] + [group(90, template=HOSTILE, text=HOSTILE)]
    (written(own, report) / "drafts" / f"{0:032x}.md").write_text(DRAFT)
    earlier = TriageReport(FIRST, ["/logs/a.jsonl"], "s0", crashes=7)
    earlier.unknown = [group(3, is_new=None)]
    written(own, earlier, summary=False)  # as it was written before there were summaries
    (written(own, TriageReport(DAMAGED, [], "s0"), summary=False) / "report.json").write_text('{"run": "x", "unkn')
    huge = written(own, TriageReport(HUGE, [], "s0")) / "report.json"
    os.truncate(huge, 200 << 20)
    leaky = {"template": f"no route to web-{TOKEN}", "text": TRACE + TOKEN.join("-_"), "hosts": [f"web-{TOKEN}"]}
    old = TriageReport(OLD, [f"/logs/web-{TOKEN}.jsonl"], "s0", crashes=7)
    old.unknown = [group(5, versions=[f"1.0-{TOKEN}"], is_new=None, **leaky)]
    old.known = [KnownGroup(incident="kafka-commit-rebalanced", title="a", verdict="known", hosts=[f"db-{TOKEN}"])]
    written(own, old)
    (own / FOLDER / ".20261128T020000Z-ffff.new").mkdir()  # a run that is under way
    (own / FOLDER / "20261399T000000Z-abcd").mkdir()  # the name of a run but for its date
    yield from opened(own, tmp_path_factory.mktemp("store"))


def test_the_list_has_the_last_report_first_and_says_which_cannot_be_read(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    page = tab.get("/triage?lang=en")
    times = [one.attributes["datetime"] for one in page.css(".rows time")]
    assert times == [
        "2026-11-27T02:00:00Z",
        "2026-11-26T02:00:00Z",
        "2026-11-25T02:00:00Z",
        "2026-11-24T02:00:00Z",
        "2026-01-01T02:00:00Z",
    ]
    rows = [" ".join(row.text().split()) for row in page.css(".rows > li")]
    assert "crash reports: 1,000" in rows[0]
    assert "new groups: 31" in rows[0]
    assert "new groups" not in rows[1], "the first run has none before it"
    assert "report.json of this triage is damaged" in rows[2]
    assert page.css("main script") == []


def test_every_group_is_on_a_page_once(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    pages = [tab.get(f"/triage/{LAST}?lang=en&page={n}") for n in (1, 2, 3)]
    shown = [code.text() for page in pages for code in page.css(".asked code")]
    assert len(shown) == len(set(shown)) == 61
    assert [len(page.css("[rel=next]")) for page in pages] == [1, 1, 0]
    assert words(pages[0], "#groups") == "Unknown groups"
    fresh = tab.get(f"/triage/{LAST}?lang=en&show=new")
    assert len(fresh.css(".asked .chip")) == 25
    known = tab.get(f"/triage/{LAST}?show=known&lang=zh")
    assert [one.attributes["href"] for one in known.css(".rows .title")] == [
        "/incidents/kafka-commit-rebalanced?lang=zh"
    ]
    for page in (*pages, known):
        assert page.css("main script") == []


def test_files_that_could_not_be_read_are_named(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    page = tab.get(f"/triage/{LAST}?lang=en")
    assert "files that could not be read: 21" in {one.text() for one in page.css("summary")}
    assert [one.text() for one in page.css("details .rows code")][1].endswith("1.jsonl.gz is not read to its end: 1")
    assert "not listed: 1" in {one.text() for one in page.css("details .hint")}
    assert "21 个文件未能读取或未能读完" in {one.text() for one in tab.get(f"/triage/{LAST}?lang=zh").css("summary")}
    assert page.css("main script") == []
    assert not [one for one in tab.get(f"/triage/{FIRST}?lang=en").css("summary") if "not be read" in one.text()]


def test_a_group_becomes_a_draft_in_one_click_and_is_written_up_then(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    page = tab.get(f"/triage/{LAST}?lang=en")
    (link, *_) = [one.attributes["href"] or "" for one in page.css(".asked a.button")]
    editor = tab.get(link)
    assert "900 crashes." in words(editor, "#writeup-text")
    assert "com.acme.Tray.pull" in words(editor, "#writeup-text")
    (beyond,) = [one.attributes["href"] or "" for one in tab.get(f"/triage/{LAST}?page=2").css(f'a[href*="{40:032x}"]')]
    assert "com.acme.Tray.pull" in words(tab.get(beyond), "#writeup-text"), (
        "a group without a draft begins with its trace"
    )
    tab.send(editor, "form.writing", "button[value=draft]")
    after = tab.get(f"/triage/{LAST}?lang=en")
    assert after.css(".asked a.button")[0].attributes["href"] == "/incidents/crash-000000000000?lang=en"


@pytest.mark.parametrize(
    "name",
    ["%2e%2e", "%2e%2e%2f%2e%2e%2fetc", "20261127T020000Z-2c3d%2f..", "20261127t020000z-2c3d", ".20261128T020000Z-ffff.new", "20991127T020000Z-2c3d", "x" * 60],
)  # fmt: skip
def test_a_name_that_is_none_of_a_run_opens_nothing(tab: Tab, name: str) -> None:
    tab.login(Role.CURATOR)
    for path in (f"/triage/{name}", f"/v1/triage/{name}", f"/v1/triage/{name}/groups"):
        assert tab.client.get(path, headers=BROWSER).status_code == 404
    assert tab.client.get("/write", params={"triage": name, "group": f"{0:032x}"}, headers=BROWSER).status_code == 404


@pytest.mark.parametrize("group_id", ["", "../report", "../../../CURRENT", "%00", "f" * 32])
def test_a_group_that_is_none_opens_nothing(tab: Tab, group_id: str) -> None:
    tab.login(Role.CURATOR)
    asked = tab.client.get("/write", params={"triage": LAST, "group": group_id}, headers=BROWSER)
    assert asked.status_code == 404


@pytest.mark.parametrize(("run", "kind"), [(DAMAGED, "report-damaged"), (HUGE, "report-too-large")])
def test_a_damaged_or_huge_report_is_told(tab: Tab, run: str, kind: str) -> None:
    tab.login(Role.CURATOR)
    for lang, said in (("en", "report.json of this triage"), ("zh", "这次分诊的 report.json")):
        assert said in (tab.get(f"/triage/{run}?lang={lang}", 404).css_first("main") or tab).text()  # type: ignore[union-attr]
    answer = tab.client.get(f"/v1/triage/{run}/groups")
    assert (answer.status_code, answer.json()["type"].rpartition("/")[2].rpartition(":")[2]) == (404, kind)


def test_the_dashboard_leads_to_the_last_report(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    page = tab.get("/dashboard?lang=en")
    links = [one.attributes["href"] for one in page.css("[aria-labelledby=triage] a")]
    report = f"/triage/{LAST}?"
    ends = ("lang=en", "lang=en", "show=unknown&lang=en", "show=new&lang=en")
    assert links == ["/triage?lang=en", *(report + end for end in ends)]


def test_over_http_every_list_comes_a_part_at_a_time(tab: Tab) -> None:
    _, secret = tab.store.keys.create("program", Role.CURATOR, actor=ROOT)
    asks = {"Authorization": f"Bearer {secret}"}

    def get(path: str, **query: int | str) -> dict[str, object]:
        answer = tab.client.get(f"/v1/triage{path}", params=query, headers=asks)
        assert answer.status_code == 200, answer.text
        return answer.json()  # type: ignore[no-any-return]

    first = get("", limit=3)
    assert [(one["run"], one["problem"]) for one in first["reports"]] == [(LAST, ""), (FIRST, ""), (DAMAGED, "report-damaged")]  # type: ignore[attr-defined]  # fmt: skip
    assert [one["run"] for one in get("", start=first["next"])["reports"]] == [HUGE, OLD]  # type: ignore[arg-type, attr-defined]
    figures = get(f"/{LAST}")
    assert (figures["known_crashes"], figures["unknown_groups"], figures["new_groups"]) == (50, 61, 31)
    found: list[str] = []
    start: object = 0
    while start is not None:
        part = get(f"/{LAST}/groups", start=start, limit=25)  # type: ignore[arg-type]
        found += [one["id"] for one in part["groups"]]  # type: ignore[attr-defined]
        start = part["next"]
    assert len(set(found)) == len(found) == 61
    assert len(get(f"/{LAST}/groups", new="true", limit=100)["groups"]) == 31  # type: ignore[arg-type]
    assert [one["incident"] for one in get(f"/{LAST}/incidents", verdict="known")["incidents"]] == ["kafka-commit-rebalanced"]  # type: ignore[attr-defined]  # fmt: skip
    assert get(f"/{LAST}/incidents", verdict="probable")["incidents"] == []


def test_what_rules_hide_since_a_report_was_written_is_not_shown(tab: Tab) -> None:
    """Names of hosts and files that a token is joined to, as an earlier version kept them."""
    assert TOKEN in (tab.client.app.state.triage.folder / OLD / "report.json").read_text()  # type: ignore[attr-defined]
    tab.login(Role.CURATOR)
    pages = ("/triage?lang=en", f"/triage/{OLD}?lang=en", f"/triage/{OLD}?show=known&lang=en")
    shown = [tab.client.get(one, headers=BROWSER).text for one in pages]
    _, secret = tab.store.keys.create("reader of the old", Role.CURATOR, actor=ROOT)
    asks = {"Authorization": f"Bearer {secret}"}
    lists = ("", f"/{OLD}", f"/{OLD}/groups", f"/{OLD}/incidents")
    answers = [tab.client.get(f"/v1/triage{one}", headers=asks).text for one in lists]
    assert [TOKEN in text for text in (*shown, *answers)] == [False] * 7
    assert [text.count("web-<secret>.jsonl") for text in answers[:2]] == [1, 1]
    (one,) = tab.client.get(f"/v1/triage/{OLD}/groups", headers=asks).json()["groups"]
    assert (one["hosts"], one["versions"], one["template"]) == (
        ["web-<secret>"],
        ["1.0-<secret>"],
        "no route to web-<secret>",
    )


def test_a_reader_may_not_see_crashes(tab: Tab) -> None:
    asked = tab.client.get("/triage", headers=BROWSER, follow_redirects=False)
    assert asked.headers["location"].startswith("/login")
    tab.login(Role.READER)
    for path in ("/triage", f"/triage/{LAST}", f"/write?triage={LAST}&group={0:032x}"):
        tab.get(path, 403)
