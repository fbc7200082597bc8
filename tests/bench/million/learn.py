"""What the generator keeps of the real sets, as numbers only: ``python -m tests.bench.million.learn ../shared``.

Writes ``statistics.json``. Reports are Apache JIRA's (the part for tuning); write-ups are the articles. Shares and quantiles are
read off; laws of growth are fitted; no name, no word and no sentence is kept (words come from the project's background counts).
"""

import gzip
import itertools
import json
import re
import sys
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from index.encoder import load_encoder
from index.entry import entries, normalised_chains
from index.terms import tokens
from index.terms.sketch import frame_tokens, own_frames, shown_type
from kb.article import read_article
from kb.incident import Incident
from kb.record import from_record
from kb.trace import ExceptionChain, Level, RaisedException, fingerprints, frame_key
from tests.bench.million.plan import SHARES, STATISTICS_FILE
from tests.bench.million.restaurant import Law, fitted

_HAN = re.compile(r"[㐀-鿿]+")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9_.$-]*[A-Za-z0-9]")


def reports(shared: Path) -> list[Incident]:
    """Issues of a tracker, each with its trace."""
    with gzip.open(shared / "dedup/apache_jira.tune.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    kept = ({"id": r["id"], "title": r["title"] or r["id"], "symptom": r["text"], "trace": r["trace"]} for r in rows)
    return [from_record(row) for row in kept]


def write_ups(shared: Path) -> list[Incident]:
    """Articles in two languages."""
    paths = sorted(path for path in (shared / "articles").rglob("*") if path.is_file())
    return [incident for path in paths for incident in read_article(path.read_bytes(), path.name).incidents]


def quantiles(values: Iterable[float]) -> list[float]:
    """The values at the shares of `plan.SHARES`."""
    return [round(float(q), 2) for q in np.quantile(list(values), SHARES)]


def growth(values: Sequence[Hashable]) -> list[tuple[int, int]]:
    """(draws, distinct) at powers of two and at the end."""
    seen: set[Hashable] = set()
    points = []
    for at, value in enumerate(values, start=1):
        seen.add(value)
        if (at >= 64 and at & (at - 1) == 0) or at == len(values):
            points.append((at, len(seen)))
    return points


def two_levels(pairs: Sequence[tuple[Hashable, Hashable]]) -> dict[str, list[float]]:
    """The law of a context's own values, and that of the values that are new somewhere."""
    draws: Counter[Hashable] = Counter()
    distinct: Counter[Hashable] = Counter()
    new: list[Hashable] = []
    seen: set[tuple[Hashable, Hashable]] = set()
    for pair in pairs:
        draws[pair[0]] += 1
        if pair not in seen:
            seen.add(pair)
            distinct[pair[0]] += 1
            new.append(pair[1])
    inner = fitted(_binned(draws, distinct))
    outer = fitted((n, k, 1.0) for n, k in growth(new))
    return {"inner": _law(inner), "outer": _law(outer)}


def _binned(draws: Counter[Hashable], distinct: Counter[Hashable]) -> list[tuple[float, float, float]]:
    """Contexts of about as many draws are one point, which counts as its draws."""
    bins: dict[int, list[tuple[int, int]]] = {}
    for context, n in draws.items():
        bins.setdefault(int(np.log2(n) * 2), []).append((n, distinct[context]))
    means = ((np.mean([n for n, _ in found]), np.mean([k for _, k in found]), len(found)) for found in bins.values())
    return [(float(n), float(k), float(n * count)) for n, k, count in means]


def _law(law: Law) -> list[float]:
    return [round(law.discount, 4), round(law.strength, 4)]


def traces(incidents: Sequence[Incident]) -> dict[str, Any]:
    """Frames, types, messages and lengths of the traces of some incidents."""
    read = [normalised_chains(incident) for incident in incidents]
    chains = [chain for found in read for chain in found if chain.runtime == "jvm"]
    raised = [exception for chain in chains for exception in chain.exceptions]
    prints = [fingerprints(found[0])[Level.EXACT].digest for found in read if found]
    return {
        "with_traces": round(sum(map(bool, read)) / len(read), 4),
        "chains": quantiles(len(found) for found in read if found),
        "exceptions": quantiles(len(chain.exceptions) for chain in chains),
        "frames": quantiles(len(own_frames(exception)) for exception in raised),
        "unnamed": round(sum(not shown_type(exception) for exception in raised) / len(raised), 4),
        "silent": round(sum(not exception.message for exception in raised) / len(raised), 4),
        "message_words": quantiles(len(e.message.split()) for e in raised if e.message),
        "next_frame": two_levels([pair for exception in raised for pair in _steps(exception)]),
        "next_type": two_levels([(_top(e), shown_type(e) or "") for e in raised if e.stack.frames]),
        "next_message": two_levels([(_top(e), e.message) for e in raised if e.message and e.stack.frames]),
        "platform": _platform(chains),
        "stack": _law(fitted((n, k, 1.0) for n, k in growth(prints))),
    }


def _steps(exception: RaisedException) -> Iterable[tuple[Hashable, Hashable]]:
    """(caller, callee) from the outermost own frame inwards; the first caller is none."""
    keys = [None, *(frame_key(frame) for frame in reversed(own_frames(exception)))]
    return itertools.pairwise(keys)


def _top(exception: RaisedException) -> str:
    return frame_key(exception.stack.frames[0])


def _platform(chains: Sequence[ExceptionChain]) -> list[list[float]]:
    """(from rank, share that is the platform's) of the distinct frames, the commonest first."""
    counts = Counter(token for chain in chains for token in frame_tokens(chain) if token[:2] in ("f:", "p:"))
    ordered = [token for token, _ in counts.most_common()]
    shares = ((rank, ordered[rank : rank * 8 or 16]) for rank in (0, 16, 128, 1024, 8192))
    return [[rank, round(sum(t[0] == "p" for t in found) / len(found), 3)] for rank, found in shares if found]


def words_of(incidents: Sequence[Incident]) -> dict[str, list[str]]:
    """The words of both languages as they are written."""
    whole = "\n".join(text for i in incidents for text in (i.title, i.symptom, i.root_cause, i.fix, i.prose) if text)
    chinese = [word for run in _HAN.findall(whole) for word in tokens.chinese_cut(run) if len(word) > 1]
    return {"en": [word.lower() for word in _LATIN.findall(whole)], "zh": chinese}


def usage(words: Sequence[str]) -> dict[str, Any]:
    """What share of a text the commonest words make up, by how many they are, and how new words keep coming (Heaps)."""
    counts = sorted(Counter(words).values(), reverse=True)
    covered = np.cumsum(counts) / len(words)
    ranks = [rank for rank in (1 << step for step in range(20)) if rank <= len(counts)]
    points = growth(words)
    early = next(point for point in points if point[0] * 8 >= len(words))
    slope = np.log(points[-1][1] / early[1]) / np.log(points[-1][0] / early[0])
    return {"covered": [[rank, round(float(covered[rank - 1]), 5)] for rank in ranks], "heaps": round(float(slope), 4)}


def texts(incidents: Sequence[Incident]) -> dict[str, Any]:
    """How many words each part of an incident has, and how the words of both languages repeat."""
    parts = {
        "title_words": [len(tokens.words(i.title)) for i in incidents],
        "symptom_words": [len(tokens.words(i.symptom or "")) for i in incidents],
        "cause_words": [len(tokens.words(i.root_cause or "")) for i in incidents],
        "fix_words": [len(tokens.words(i.fix or "")) for i in incidents],
        "prose_words": [len(tokens.words(i.prose[:16_000])) for i in incidents],
    }
    batch = entries(incidents, load_encoder(None))
    terms = batch.column("terms").to_pylist()
    return {
        "chinese": round(sum(i.lang != "en" for i in incidents) / len(incidents), 4),
        **{name: quantiles(counts) for name, counts in parts.items()},
        "distinct_terms": quantiles(len(set(found)) for found in terms),
        "distinct_frames": quantiles(len(set(found)) for found in batch.column("frames").to_pylist() if found),
        "growth_of_terms": growth([term for found in terms for term in found]),
        "documents_of_terms": _spread(Counter(term for found in terms for term in set(found)), len(terms)),
    }


def _spread(counts: Counter[str], whole: int) -> dict[str, float]:
    """The share of documents that the term of each rank stands in, and the share of terms that stand in one only."""
    ordered = sorted(counts.values(), reverse=True)
    ranks = [10**step for step in range(6) if 10**step <= len(ordered)]
    return {str(rank): round(ordered[rank - 1] / whole, 5) for rank in ranks} | {
        "once": round(sum(count == 1 for count in ordered) / len(ordered), 4)
    }


def _lines(learned: dict[str, dict[str, Any]]) -> str:
    """JSON with one statistic a line."""
    parts = (
        f' "{name}": {{\n' + ",\n".join(f'  "{key}": {json.dumps(value)}' for key, value in found.items()) + "\n }"
        for name, found in learned.items()
    )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(shared: Path) -> None:
    """Learn from the folder of real sets."""
    kinds = {"reports": reports(shared), "write_ups": write_ups(shared)}
    learned = {name: {"count": len(found), **traces(found), **texts(found)} for name, found in kinds.items()}
    spoken = words_of([incident for found in kinds.values() for incident in found])
    learned |= {"words": {language: usage(words) for language, words in spoken.items()}}
    STATISTICS_FILE.write_text(_lines(learned), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
