"""How well the article of a saved page is found, beside trafilatura, on pages that stand beside the checkout."""

import html
import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import pytest
from selectolax.lexbor import LexborHTMLParser

from kb.article.decode import decode
from kb.article.formats import take_apart

pytestmark = pytest.mark.quality

TOKEN = re.compile(r"[\u4e00-\u9fff]|[a-z0-9]+")
MARKS = re.compile(r"\s(?:class|id|itemprop|role)=(?:\"[^\"]*\"|'[^']*'|[\w-]+)")
"""By what a page says which of its parts is what: a page without them stands for a site generator that nobody knows."""


@dataclass
class Page:
    source: str
    article: Counter[str]
    """The tokens of the lines that no other page of the site has. What repeats on a third of them is furniture."""


def lines_of(source: str) -> list[str]:
    """The lines of text a page shows, without links and line numbers."""
    tree = LexborHTMLParser(source)
    for node in tree.css("script, style, noscript, template, a"):
        node.decompose()
    shown = tree.body.text(separator="\n").split("\n") if tree.body else []
    return [" ".join(line.split()) for line in shown if line.strip() and not line.strip().isdigit()]


@pytest.fixture(scope="module")
def pages(shared_data: Path) -> dict[str, Page]:
    """The pages by name. The truth about each comes from the other pages of its site, not from any reader."""
    sites: dict[str, dict[str, str]] = defaultdict(dict)
    for line in (shared_data / "articles.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry["format"] == "html":
            sites[entry["repo"]][entry["id"]] = decode((shared_data / entry["file"]).read_bytes()).text
    found = {}
    for site in sites.values():
        lines = {name: lines_of(source) for name, source in site.items()}
        on = Counter(line for shown in lines.values() for line in set(shown))
        furniture = {line for line, count in on.items() if len(line) > 3 and count >= max(3, 0.3 * len(site))}
        for name, source in site.items():
            own = [token for line in lines[name] if line not in furniture for token in TOKEN.findall(line.lower())]
            found[name] = Page(source, Counter(own))
    assert len(found) >= 100
    return found


def measured(pages: dict[str, Page], read: Callable[[str], str]) -> tuple[float, float, float]:
    """Mean recall and precision of the article's tokens, and CPU milliseconds a page."""
    start = time.process_time()
    texts = [read(page.source) for page in pages.values()]
    took = (time.process_time() - start) / len(pages) * 1000
    recall, precision = [], []
    for page, text in zip(pages.values(), texts, strict=True):
        kept = Counter(TOKEN.findall(text.lower()))
        right = (kept & page.article).total()
        recall.append(right / max(page.article.total(), 1))
        precision.append(right / max(kept.total(), 1))
    return fmean(recall), fmean(precision), took


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("marked", [True, False], ids=["as saved", "without marks"])
def test_beside_trafilatura(*, marked: bool, pages: dict[str, Page], figure: Callable[..., None]) -> None:
    """The words of the article are kept, those around it are not; on pages with the marks of their generator and without."""
    trafilatura = pytest.importorskip("trafilatura", reason="the peers are not installed: pip install --group peers")
    asked = {
        name: Page(page.source if marked else MARKS.sub("", page.source), page.article) for name, page in pages.items()
    }
    ours = measured(asked, lambda source: take_apart(source, "x.html").text)
    peer = measured(
        asked, lambda source: trafilatura.extract(source, include_comments=False, include_tables=True) or ""
    )
    kind = "pages" if marked else "unmarked_pages"
    figure(f"{kind}.recall", ours[0], floor=max(peer[0] - 0.005, 0.95))
    figure(f"{kind}.precision", ours[1], floor=max(peer[1], 0.94))
    figure(f"{kind}.recall.trafilatura", peer[0])
    figure(f"{kind}.precision.trafilatura", peer[1])
    figure(f"{kind}.cpu_of_trafilatura", ours[2] / peer[2], ceiling=0.5)


def test_labelled_causes_and_fixes_are_in_the_article(shared_data: Path, pages: dict[str, Page]) -> None:
    """What a reader labelled as cause or fix of a page stands in what is kept of it."""
    labels = map(json.loads, (shared_data / "gold/gold.jsonl").read_text(encoding="utf-8").splitlines())
    asked = 0
    for label in labels:
        if label["id"] in pages:
            kept = "".join(take_apart(pages[label["id"]].source, "x.html").text.split())
            for field in ("root_cause", "fix"):
                asked += label[field] is not None
                wanted = html.unescape(re.sub(r"<[^<>]*>", "", label[field] or ""))
                assert "".join(wanted.split()) in kept, (label["id"], field)
    assert asked >= 3
