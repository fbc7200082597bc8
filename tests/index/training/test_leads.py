"""The lead that sets probabilities is the one that a search counts."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from index.ranking.rank import LEAD, bundled_model
from index.reading import read
from index.terms.facets import narrow
from index.training.cases import TrainingQuery, case_of
from index.training.fit import leads_of
from index.training.measured import MeasuredEngine
from index.training.rank import DESIGN, designed
from tests.index.conftest import records

POOL = """com.shop.till.PoolException: no connection left for till 3
\tat com.shop.till.Drawer.open(Drawer.java:4)
\tat com.shop.till.Till.sell(Till.java:8)
"""
CAUSES = ("Slow queries hold the connections of the pool", "A firewall drops idle connections after an hour")


def test_training_counts_the_lead_that_a_search_counts(
    engine_of: Callable[[Sequence[dict[str, object]]], MeasuredEngine],
) -> None:
    """Copies of the first and other causes of its error are no rivals there either."""
    told = {"title": "The pool of the till is empty", "prose": "-", "traces": [POOL]}
    rows = [{"id": f"pool-{at}", **told, "root_cause": CAUSES[at % 2]} for at in range(4)]
    engine, model = engine_of([*records(), *rows]), bundled_model()
    named = {f"framed {name}": weight for name, weight in model.weights.items()}
    named |= {f"alone {name}": weight for name, weight in model.alone.items()}
    named |= {"silent": model.silent, "wordless": model.wordless}
    weights = np.array([named.get(name, 0.0) for name in DESIGN])
    titles, leads = [str(row["title"]) for row in records()], []
    for text in (POOL, *map("\n".join, pairwise(titles))):
        _, case = case_of(engine, TrainingQuery(text, frozenset(), frozenset(), "asked"), with_rivals=True)
        leads += leads_of([replace(case, features=designed(case.features))], model.bias, weights).tolist()
        assert leads[-1] == pytest.approx(engine._judge(read(text), narrow(None, "en"), 1).ahead)
    assert leads[0] == LEAD
    assert min(leads) < 0.9 * LEAD
    engine.close()
