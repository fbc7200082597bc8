"""Which pieces of documents state no problem: a linear model over what `kb.article.declining` sees, taught by readers' labels."""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression

from kb.article.declining import RARE, DecliningWeights, PieceEvidence, may_be_declined
from kb.article.decode import decode
from kb.article.formats import take_apart
from kb.article.reading import evidence_of
from kb.incident import Incident

PARTS = 8
"""Each part of the labelled documents is judged by weights that the other parts taught."""
_WRONGLY = 0.007
"""The share of incidents that may be declined wrongly: half of what the points declined that were set by hand."""
_SELDOM = 8
"""An n-gram of fewer pieces is not weighed."""
_SPREAD = 10.0
"""How freely n-grams are weighed beside the features."""
_LOOSE = 0.3
"""Inverse strength of the ridge."""
_DOUBT = 0.5
"""How much a piece counts whose reader had a doubt."""
_FAINT = 0.02
"""A weight below it is not written."""
Name = tuple[str, str]
"""``feature``, ``heading`` or ``word``, and its name or n-gram."""


@dataclass(frozen=True, slots=True)
class LabelledPiece:
    """A piece of a document, and whether a reader saw a problem in it."""

    document: str
    incident: Incident
    evidence: PieceEvidence
    states_none: bool
    weight: float


def labelled_pieces(data: Path, labels: Path) -> list[LabelledPiece]:
    """The pieces that readers labelled: document, digest of the title, ``incident``, ``several``, ``bare``, ``torn`` or ``none``, 1 where there was no doubt.

    A label whose document is not there, or whose piece has another title now, teaches nothing.
    """
    found: dict[str, dict[str, tuple[str, float]]] = {}
    for line in labels.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, digest, label, sure = line.split("\t")
            found.setdefault(name, {})[digest] = (label, 1.0 if sure == "1" else _DOUBT)
    pieces = []
    for name, named in sorted(found.items()):
        path = data / "articles" / name
        document = take_apart(decode(path.read_bytes()).text, name) if path.is_file() else None
        for incident, evidence in evidence_of(document, name) if document else ():
            label, weight = named.get(digest_of(incident.title), ("", 0.0))
            if label:
                pieces.append(LabelledPiece(name, incident, evidence, label in {"none", "torn"}, weight))
    return pieces


def digest_of(title: str) -> str:
    """By what a label names a piece of a document."""
    return hashlib.sha256(title.encode("utf-8", "replace")).hexdigest()[:12]


def train_declining(data: Path, labels: Path, out: Path, log: Callable[[str], None]) -> None:
    """Write the weights that readers' labels teach into a folder, and say how they do on pieces of documents that did not teach."""
    pieces = labelled_pieces(data, labels)
    none = np.array([one.states_none for one in pieces])
    scores = np.zeros(len(pieces))
    parts = np.array([hashlib.sha256(one.document.encode()).digest()[0] % PARTS for one in pieces])
    for part in range(PARTS):
        learned = _learned([one for one, own in zip(pieces, parts, strict=True) if own != part])
        for at in np.flatnonzero(parts == part):
            scores[at] = _score(pieces[at], learned)
    threshold = float(np.sort(scores[~none])[::-1][int(_WRONGLY * np.count_nonzero(~none))])
    shares = [float((scores[which] > threshold).mean()) for which in (none, ~none)]
    log(
        f"declined: {shares[0]:.3f} of {np.count_nonzero(none)} pieces that state no problem, "
        f"{shares[1]:.3f} of {np.count_nonzero(~none)} that state one"
    )
    learned = _learned(pieces)
    lines = [
        "# What tells that a piece of a document states no problem: its features, n-grams of its headings and of its beginning,",
        "# and their weights; learned by `kb roles train`.",
        f"threshold\t\t{threshold:.3f}",
    ]
    for kind, weights in (("feature", learned.features), ("heading", learned.headings), ("word", learned.words)):
        lines += [f"{kind}\t{name}\t{weight:.2f}" for name, weight in sorted(weights.items()) if abs(weight) >= _FAINT]
    (out / "declining.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _score(piece: LabelledPiece, learned: DecliningWeights) -> float:
    """The log-odds that a piece is declined by; far below any threshold for a note that never is."""
    return learned.score(piece.evidence) if may_be_declined(piece.incident, piece.evidence.features) else -1e3


def _learned(pieces: Sequence[LabelledPiece]) -> DecliningWeights:
    """The weights by which pieces are declined."""
    names, matrix = _matrix(pieces)
    model = LogisticRegression(C=_LOOSE, solver="liblinear", fit_intercept=False, random_state=0)
    model.fit(matrix, [one.states_none for one in pieces], sample_weight=[one.weight for one in pieces])
    kinds: dict[str, dict[str, float]] = {"feature": {}, "heading": {}, "word": {}}
    for (kind, name), weight in zip(names, map(float, model.coef_[0]), strict=True):
        kinds[kind][name] = weight if kind == "feature" else _SPREAD * weight
    return DecliningWeights(0.0, kinds["feature"], kinds["heading"], kinds["word"])


def _matrix(pieces: Sequence[LabelledPiece]) -> tuple[list[Name], csr_matrix]:
    """The features and n-grams that are weighed, and a row for each piece."""
    rows: list[dict[Name, float]] = []
    for one in pieces:
        seen = one.evidence
        share = _SPREAD / max(len(seen.headings) + len(seen.words), 1) ** 0.5
        row = {("feature", name): float(value) for name, value in seen.features.items() if name not in RARE}
        row |= {("heading", gram): share for gram in seen.headings} | {("word", gram): share for gram in seen.words}
        rows.append(row)
    seen_in = Counter(name for row in rows for name in row)
    names = sorted(name for name, count in seen_in.items() if name[0] == "feature" or count >= _SELDOM)
    column = {name: at for at, name in enumerate(names)}
    values: npt.NDArray[np.float64] = np.array([value for row in rows for name, value in row.items() if name in column])
    columns = np.array([column[name] for row in rows for name in row if name in column], dtype=np.int32)
    ends = np.cumsum([0, *(sum(name in column for name in row) for row in rows)]).astype(np.int32)
    return names, csr_matrix((values, columns, ends), (len(rows), len(names)))
