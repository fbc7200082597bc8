"""The documents that the last ingest rejected: listed in full, filtered, a page at a time, each number of the dashboard leading there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from api.render.language import load_strings
from index.rejected import REJECTED, RejectedDocuments
from ingest.lake import Lake
from ingest.quality import Reason
from ingest.reading import read_document
from ingest.schemas import STATE_SCHEMA
from ingest.sources.formats import DocumentFormat
from ingest.sources.listing import MAX_DOCUMENT
from kb.store import Role
from tests.api.knowledge import build_home
from tests.api.pages.tabs import BROWSER, Tab, opened, words

HOSTILE = '"><script>alert(1)</script>'
SECRET = "password=hunter2hunter2"
MANY = 120


def rejected(path: str, reason: str, detail: str = "", source: str = "/data/wiki") -> dict[str, object]:
    row: dict[str, object] = dict.fromkeys(STATE_SCHEMA.names)
    return row | {"doc": path, "source": source, "path": path, "line": 0, "status": "rejected", "reason": reason, "detail": detail}  # fmt: skip


ROWS = [
    *(rejected(f"guides/Guide-{at:03}.md", "manual", "states no problem; --keep-all takes it") for at in range(MANY)),
    rejected("logs/photo.png", "unsupported", ".png"),
    rejected(f"logs/{HOSTILE}.md", "declined", HOSTILE, HOSTILE),
    rejected(f"notes {SECRET}.md", "empty"),
    rejected("a/b.md", "unsupported", "password: Zq28vXkk1", "/data/password=vault-77x"),
    rejected("big.log", "too_large", "99,000,000 bytes; at most 32,000,000 are read"),
    rejected("guide.md", "declined", "its front matter says that it is no incident"),
    rejected("tickets.jsonl", "invalid_record", "no title") | {"line": 7},
    rejected("later.md", "a_reason_of_tomorrow"),
    rejected("fine.md", "") | {"status": "accepted"},
]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that `kb ingest` has written to."""
    folder = tmp_path_factory.mktemp("rejected")
    build_home(folder)
    lake = Lake(folder)
    with lake.locked():
        lake.commit(pa.Table.from_pylist(ROWS[::-1], schema=STATE_SCHEMA))
    return folder


@pytest.fixture(scope="module")
def _tab(own: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    yield from opened(own, tmp_path_factory.mktemp("store"))


def test_every_rejected_document_is_on_a_page_once_in_order(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    pages = [tab.get(f"/rejected?lang=en&page={at}") for at in (1, 2, 3)]
    shown = [" ".join(one.text().split()) for page in pages for one in page.css(".documents code")]
    assert len(shown) == len(set(shown)) == len(ROWS) - 1
    assert shown[2:] == sorted(shown[2:]), "sorted by source and path"
    assert [len(page.css("[rel=next]")) for page in pages] == [1, 1, 0]
    assert words(pages[0], "#total") == f"documents: {len(ROWS) - 1}"
    assert "tickets.jsonl:7" in shown
    assert words(tab.get("/rejected?lang=en&page=99999"), ".doors a") == "← Previous page"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_number_of_the_dashboard_leads_to_as_many_documents(tab: Tab, lang: str) -> None:
    tab.login(Role.CURATOR)
    leads = tab.get(f"/dashboard?lang={lang}").css("[aria-labelledby=rejected] .numbers a")
    assert len(leads) == 8
    for link in leads:
        listed = tab.get(link.attributes["href"] or "")
        assert re.findall(r"[\d,]+", words(listed, "#total")) == [words(link, "strong")]
        assert listed.css("main script") == []


def test_a_form_narrows_by_reason_and_by_words(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    page = tab.get("/rejected?reason=manual&text=gUIDE-00&lang=en")
    assert [one.text() for one in page.css(".documents code")] == [f"guides/Guide-{at:03}.md" for at in range(10)]
    assert words(page, "option[selected]") == "a manual, a menu or an essay that states no problem (10)"
    form = page.css_first("form.narrow")
    assert form is not None
    assert (form.attributes["method"], form.attributes["action"]) == ("get", "/rejected")
    assert words(tab.get("/rejected?text=no+title&lang=en"), ".documents code") == "tickets.jsonl:7"
    nothing = tab.get("/rejected?reason=empty&text=[(*&lang=en")
    assert words(nothing, ".documents") == "No document matches."
    assert words(nothing, "option[selected]") == "nothing in it (0)"


def test_what_strangers_named_is_shown_as_text_and_without_secrets(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    page = tab.get(f"/rejected?reason=declined&text={HOSTILE}&lang=en")
    assert words(page, "#total") == "documents: 1"
    assert page.css("main script, header script, form script") == []
    secret = tab.get("/rejected?reason=empty&lang=en")
    assert "notes" in words(secret, ".documents code")
    assert "hunter2" not in (secret.html or "")
    later = tab.get("/rejected?reason=a_reason_of_tomorrow&lang=en")
    assert words(later, ".documents .chip") == "a_reason_of_tomorrow"


def test_details_are_in_the_language_of_the_page_and_say_no_reason_twice(tab: Tab) -> None:
    tab.login(Role.CURATOR)
    said = {
        name: words(tab.get(f"/rejected?text={name}&lang=zh"), ".documents .said")
        for name in ("big.log", "Guide-001", "guide.md", "tickets")
    }
    assert said["big.log"].startswith("99,000,000 字节；最多读取 32,000,000 字节/")  # in a line of its own
    assert "--keep-all 收录" in said["Guide-001"]
    assert said["guide.md"] == "/data/wiki"
    assert "no title" in said["tickets"], "what nobody translated stays as it is"
    assert "at most 32,000,000 are read" in words(tab.get("/rejected?text=big.log&lang=en"), ".documents .said")


@pytest.mark.parametrize(
    ("data", "path"),
    [(b"x" * (MAX_DOCUMENT + 1), "a.md"), (b"\x7fELF" + bytes(200), "a.md"), (b"{", "a.jsonl"), (b"[]", "a.jsonl")],
    ids=["large", "binary", "no json", "no object"],
)
def test_what_kb_ingest_says_of_a_document_is_told_in_chinese(data: bytes, path: str) -> None:
    detail = read_document(data, path, DocumentFormat.JSONL if path == "a.jsonl" else DocumentFormat.AUTO).detail
    assert detail
    assert load_strings()["zh"].recalled(detail)[1] == "zh-CN"


@pytest.mark.parametrize("guess", ["hunter2", "HUNTER2hunter2", "vault-7", "Zq28", "hunter3"])
def test_a_guess_of_a_secret_is_not_confirmed(tab: Tab, guess: str) -> None:
    """A filter reads what is shown: one that read the names of files told by its number whether a guess was right."""
    tab.login(Role.CURATOR)
    page = tab.get(f"/rejected?text={guess}&lang=en")
    assert (words(page, "#total"), words(page, ".documents")) == ("documents: 0", "No document matches.")
    assert words(tab.get("/rejected?text=notes password&reason=empty&lang=en"), "#total") == "documents: 1"


def test_every_reason_of_an_ingest_has_its_words(tab: Tab) -> None:
    strings = tab.client.app.state.pages._strings  # type: ignore[attr-defined]
    for lang in ("en", "zh"):
        assert [one for one in Reason if f"rejected_reason_{one.value}" not in strings[lang].words] == []


def test_readers_do_not_see_what_was_rejected(tab: Tab) -> None:
    asked = tab.client.get("/rejected", headers=BROWSER, follow_redirects=False)
    assert asked.headers["location"].startswith("/login")
    tab.login(Role.READER)
    tab.get("/rejected", 403)


@pytest.mark.parametrize("damage", ["cut", "other", "none"])
def test_a_damaged_list_says_so_and_leaves_the_dashboard(tab: Tab, own: Path, damage: str) -> None:
    tab.login(Role.CURATOR)
    path = own / REJECTED
    whole = path.read_bytes()
    try:
        if damage == "cut":
            path.write_bytes(whole[:-30])
        elif damage == "other":
            pq.write_table(pa.table({"doc": ["a"]}), path)
        else:
            path.unlink()
        said = "No ingest has written its list" if damage == "none" else "kb ingest --full"
        assert said in words(tab.get("/rejected?lang=en"), "main")
        assert words(tab.get("/dashboard?lang=en"), "#rejected") == "Rejected by the last ingest"
    finally:
        path.write_bytes(whole)


def test_a_large_list_is_read_only_so_far(tmp_path: Path) -> None:
    count = 100_000
    path = tmp_path / REJECTED
    path.parent.mkdir()
    columns = {"source": ["/s"] * count, "path": [f"{at:06}.md" for at in range(count)], "line": [0] * count, "reason": ["links"] * count, "detail": [""] * count}  # fmt: skip
    pq.write_table(pa.table(columns), path)
    page = RejectedDocuments(tmp_path).page("links", "99", 900, 50)
    expected = [one for one in (f"{at:06}.md" for at in range(count)) if "99" in one]
    assert ([one.path for one in page.rows], page.total) == (expected[900:950], len(expected))
    assert RejectedDocuments(tmp_path, most=70_000).reasons() == {"links": 70_000}
