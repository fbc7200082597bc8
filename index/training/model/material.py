"""What a run reads: the corpora of a data folder, parted into what trains, what chooses and what is reported."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from index.training.model.corpora import Pair, TrainingDocument, articles, reports, sentence_pairs
from index.training.model.measure import (
    Crossing,
    Suite,
    crossing_suites,
    crossings,
    pair_suites,
    title_suites,
    twin_suites,
)

TUNE_PAIRS = 2_000
NEWEST_REPORTS = 1_500
"""The titles of so many of the newest bug reports of the test part are queries."""

REPORTS = ("apache_jira", "apache_jira_metoo")
"""Sets of labelled reports that have titles and words."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Everything of a data folder."""

    train: tuple[Pair, ...]
    tune: tuple[Pair, ...]
    held: tuple[Pair, ...]
    documents: tuple[TrainingDocument, ...]
    reports: tuple[TrainingDocument, ...]
    crossing: tuple[Crossing, ...]

    @property
    def groups(self) -> list[tuple[Pair, ...]]:
        """The pairs of each article and report that is trained on."""
        return [d.pairs for d in (*self.documents, *self.reports) if d.part == "train" and d.pairs]

    def texts(self, most: int) -> Iterator[str]:
        """What is trained on: the first ``most`` sentence pairs (their order is random), all articles and reports."""
        yield from (text for pair in self.train[:most] for text in pair)
        yield from (f"{d.title}\n{d.body}" for d in (*self.documents, *self.reports) if d.part == "train")

    def tune_suites(self) -> list[Suite]:
        """For choosing between recipes."""
        return [*pair_suites(self.tune), *title_suites(self.documents, "tune", "title→article")]

    def test_suites(self) -> list[Suite]:
        """For reporting."""
        newest = [d for d in self.reports if d.part == "test"][-NEWEST_REPORTS:]
        return [
            *pair_suites(self.held),
            *title_suites(self.documents, "test", "title→article"),
            *crossing_suites(self.crossing, self.documents),
            *twin_suites(self.crossing, self.documents),
            *title_suites(newest, "test", "title→report"),
        ]


def read_corpus(data: Path, seed: int, log: Callable[[str], None]) -> Corpus:
    """Read ``data``: folders ``parallel``, ``articles`` and ``dedup``, as the evaluation set has them."""
    documents = list(articles(data / "articles"))
    log(f"{len(documents):,} articles, {sum(d.part == 'train' for d in documents):,} of them trained on")
    found = [d for name in REPORTS for d in reports(data / "dedup" / f"{name}.tune.jsonl.gz", "train")]
    found += reports(data / "dedup" / f"{REPORTS[0]}.test.jsonl.gz", "test")
    log(f"{len(found):,} reports, {sum(d.part == 'train' for d in found):,} of them trained on")
    rest, crossing = crossings(
        sentence_pairs(data / "parallel" / "train.jsonl.gz"), documents, frozenset({"tune", "test"})
    )
    train, tune = _apart(rest, seed)
    log(
        f"{len(train):,} sentence pairs; {len(crossing):,} left out: they stand in articles that the measuring half looks for"
    )
    held = tuple(sentence_pairs(data / "parallel" / "heldout.jsonl.gz"))
    return Corpus(train, tune, held, tuple(documents), tuple(found), tuple(crossing))


def _apart(pairs: Sequence[Pair], seed: int) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """(trained on, for choosing)."""
    order = np.random.default_rng(seed).permutation(len(pairs))
    tune = min(TUNE_PAIRS, len(pairs) // 10)
    return tuple(pairs[at] for at in order[tune:]), tuple(pairs[at] for at in order[:tune])
