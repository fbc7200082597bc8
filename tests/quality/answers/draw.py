"""Incidents drawn from the articles beside the checkout, found again after every change of reading, and rendered for readers.

``python -m tests.quality.answers.draw draw HOME`` draws once; ``… render HOME FOLDER`` writes for each half one text for each drawn incident: what the terminal
shows of it, and its article. HOME is a home into which `kb ingest ../shared/articles` went. The protocol is in README.md.
"""

import argparse
import hashlib
import io
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from zlib import crc32

from rich.console import Console

from api.render.console import print_match
from api.render.language import load_strings
from index import Engine
from index.wire import incident_to_dict
from kb.article.decode import decode
from kb.article.formats import take_apart
from kb.incident import Incident

HERE = Path(__file__).parent
DRAWN = HERE / "drawn.jsonl"
SHARED = HERE.parents[3] / "shared"
SEED, EACH = 20, 25
HALVES = ("teach", "measure")
NEAR = 3
"""So many lines off, and what is headed or quoted there is still the same story."""
WHOLE, HEAD, BEFORE = 12_000, 1_500, 3_500
"""Characters of an article that are shown; of a longer one its beginning, and what stands around the incident."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """An incident as it was drawn. Of its texts only digests are kept."""

    half: str
    n: int
    """Its number within the half, from 1, at random: the first forty are a sample, too."""
    lang: str
    traced: bool
    doc: str
    of: int
    """How many incidents its document made."""
    id: str
    title: str
    traces: tuple[str, ...]
    line: int
    """Where it begins in the article: its heading, its trace or its first quotation."""

    @property
    def name(self) -> str:
        """What labels call it."""
        return f"{self.half}-{self.n:03}"


def drawn() -> list[Drawn]:
    """All that was drawn, in order."""
    told = [json.loads(line) for line in DRAWN.read_text(encoding="utf-8").splitlines()]
    return [Drawn(**one | {"traces": tuple(one["traces"])}) for one in told]


def digest(text: str) -> str:
    """Of the words, however they are broken into lines."""
    return hashlib.sha256("".join(text.split()).encode()).hexdigest()[:12]


def incidents_of(home: Path) -> dict[str, list[Incident]]:
    """The incidents of a home by their document, in order; what repeats another is among them, as a reader may meet either."""
    engine, found = Engine.open(home, store=None), defaultdict(list)
    try:
        for name in sorted(engine.ids()):
            if (incident := engine.incident(name)) is not None:
                found[Path(incident.source.path).stem].append(incident)
    finally:
        engine.close()
    return found


class Articles:
    """The texts beside the checkout."""

    def __init__(self, shared: Path) -> None:
        rows = (json.loads(line) for line in (shared / "articles.jsonl").read_text(encoding="utf-8").splitlines())
        self._files = {row["id"]: shared / row["file"] for row in rows}
        self._texts: dict[str, str] = {}

    def __contains__(self, doc: str) -> bool:
        return doc in self._files and self._files[doc].is_file()

    def text(self, doc: str) -> str:
        """An article as it is read: decoded, of a web page what it shows."""
        if doc not in self._texts:
            path = self._files[doc]
            self._texts[doc] = take_apart(decode(path.read_bytes()).text, path.name).text
        return self._texts[doc]

    def lines(self, doc: str, incident: Incident) -> list[int]:
        """Where an incident's traces, title and quotations stand, from 1, in this order; nothing that is not found.

        A trace is where the first of its lines is that the article has only once: many begin with the same words.
        """
        lines = ["".join(line.split()) for line in self.text(doc).splitlines()]
        counts, found = Counter(lines), []
        once = {line: at for at, line in enumerate(lines, 1) if counts[line] == 1}
        for trace in incident.traces:
            own = ["".join(line.split()) for line in trace.splitlines()]
            found += [once[line] for line in own if line in once][:1]
        title = "".join(incident.title.split(" — ")[0].split())
        found += [at for at, line in enumerate(lines, 1) if title and title in line][:1]
        return found + sorted(place.line for places in incident.quotes.values() for place in places)


def draw(home: Path, shared: Path) -> list[Drawn]:
    """25 incidents of each language, with and without trace, for each half; no document is in both halves, none in the findings."""
    judged = set(re.findall(r"`((?:zh|en)\d{5})", (shared / "findings/articles.md").read_text(encoding="utf-8")))
    strata: dict[tuple[str, str, bool], list[tuple[str, int, Incident]]] = defaultdict(list)
    for doc, told in incidents_of(home).items():
        if doc not in judged and doc[:2] in {"zh", "en"}:
            half = HALVES[crc32(doc.encode()) % 2]
            for one in told:
                strata[half, doc[:2], bool(one.traces)].append((doc, len(told), one))
    chance, articles, found = random.Random(SEED), Articles(shared), []
    for half in HALVES:
        mine = [
            (stratum, one)
            for stratum in sorted(strata)
            if stratum[0] == half
            for one in chance.sample(strata[stratum], EACH)
        ]
        chance.shuffle(mine)
        for n, ((_, lang, traced), (doc, of, one)) in enumerate(mine, 1):
            traces = tuple(digest(trace) for trace in one.traces)
            line = (articles.lines(doc, one) or [1])[0]
            found.append(Drawn(half, n, lang, traced, doc, of, one.id, digest(one.title), traces, line))
    return found


def now(one: Drawn, told: Sequence[Incident], articles: Articles) -> Incident | None:
    """The incident that holds today what was drawn: its trace, else its id or title, else what stands at its place; None when it is gone."""
    held = [incident for incident in told if set(one.traces) & {digest(trace) for trace in incident.traces}]
    held = held or [incident for incident in told if incident.id == one.id or digest(incident.title) == one.title]
    if held:
        return min(held, key=lambda incident: (incident.id != one.id, digest(incident.title) != one.title, incident.id))
    if one.of == len(told) == 1:
        return told[0]
    far = [
        (min((abs(at - one.line) for at in articles.lines(one.doc, incident)), default=10**6), incident.id, incident)
        for incident in told
    ]
    distance, _, nearest = min(far, default=(10**6, "", None), key=lambda found: found[:2])
    return nearest if distance <= NEAR or one.of == 1 else None


def shown(incident: Incident, width: int = 110) -> str:
    """What `kb search` prints of the best match, evidence aside."""
    console = Console(file=io.StringIO(), width=width, color_system=None, highlight=False, markup=False, emoji=False)
    words = load_strings()["zh" if incident.lang in {"zh", "mixed"} else "en"]
    print_match({"incident": incident_to_dict(incident), "probability": 1.0}, console, words)
    return console.file.getvalue().strip()  # type: ignore[attr-defined]  # it is the StringIO


def article(text: str, line: int) -> str:
    """An article with numbered lines, cut."""
    numbered = [f"{at:5} {words[:1000]}" for at, words in enumerate(text.splitlines(), 1)]
    whole = "\n".join(numbered)
    if len(whole) <= WHOLE:
        return whole
    start = max(HEAD, len("\n".join(numbered[: line - 1])) - BEFORE)
    return f"{whole[:HEAD]}\n[… cut …]\n{whole[start : start + WHOLE - HEAD]}\n[… cut …]"


def render(home: Path, folder: Path, shared: Path) -> None:
    """``FOLDER/HALF/…/NNN.txt``: what is shown now, and the article."""
    every, articles, state = incidents_of(home), Articles(shared), folder.name
    for one in drawn():
        told = every.get(one.doc, [])
        incident = now(one, told, articles)
        place = f"{one.name} · {one.doc} · line {one.line} · {len(told)} incidents of this document (drawn: {one.of})"
        if incident is None:
            said = "GONE: the document is declined" if not told else "GONE: no incident of the document holds this now"
        else:
            said = shown(incident)
        others = "".join(f"\n  - {other.title[:100]}" for other in told[:40] if other is not incident)
        path = folder.parent / one.half / state / f"{one.n:03}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"{place}\n\n=== WHAT IS SHOWN ===\n{said}\n\n=== OTHERS OF THE DOCUMENT ==={others}\n\n"
            f"=== ARTICLE ===\n{article(articles.text(one.doc), one.line)}\n",
            encoding="utf-8",
        )


def main() -> None:
    """Draws, or renders what was drawn."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("what", choices=("draw", "render"))
    asked.add_argument("home", type=Path)
    asked.add_argument("folder", type=Path, nargs="?", help="render: its name is the state, such as out/before")
    asked.add_argument("--shared", type=Path, default=SHARED)
    told = asked.parse_args()
    if told.what == "draw":
        rows = (json.dumps(asdict(one), ensure_ascii=False) for one in draw(told.home, told.shared))
        DRAWN.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    elif told.folder is None:
        asked.error("render needs a folder")
    else:
        render(told.home, told.folder, told.shared)


if __name__ == "__main__":
    main()
