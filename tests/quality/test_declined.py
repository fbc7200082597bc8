"""What states no problem is declined, and what states one is not: the labels of ``declined.jsonl`` (half *measure*) as floors.

A row names a document beside the checkout, the digest of the title of one of its pieces, and whether a reader saw an incident in it: stratum *a* drawn at random,
*b* without trace, error line and failing title, *c* with a trace below a title that names no failure. What teaches is ``index/training/roles/pieces.tsv``.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from index.training.roles.pieces import digest_of
from kb.article import read_article

HERE = Path(__file__).parent
ARTICLES = HERE.parents[2] / "shared" / "articles"
pytestmark = [
    pytest.mark.quality,
    pytest.mark.skipif(not ARTICLES.is_dir(), reason="the articles stand beside the checkout"),
]


@cache
def _pieces(doc: str) -> Mapping[str, bool]:
    """Whether each piece of a document is declined, by the digest of its title."""
    article = read_article((ARTICLES / doc).read_bytes(), doc)
    return {digest_of(one.title): one.id in article.stating_none for one in article.incidents}


def _shares() -> tuple[float, float, int]:
    """The share of what is declined among what states no problem, and among incidents; rows whose piece is there no more."""
    rows = [json.loads(line) for line in (HERE / "declined.jsonl").read_text(encoding="utf-8").splitlines()]
    found = [(row, _pieces(row["doc"]).get(row["title"])) for row in rows]
    none, incidents = (
        [is_declined for row, is_declined in found if is_declined is not None and row["is_incident"] is wanted]
        for wanted in (False, True)
    )
    gone = sum(is_declined is None for _, is_declined in found)
    return sum(none) / len(none), sum(incidents) / len(incidents), gone


def test_what_states_no_problem_is_declined_and_an_incident_is_not() -> None:
    declined, wrongly, gone = _shares()
    assert declined >= 0.52
    assert wrongly <= 0.02
    assert gone <= 25, "the pieces of these documents have other titles now: label them again"
