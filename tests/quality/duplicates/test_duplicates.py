"""The duplicates benchmark: the engine and the published methods on the newer reports of ../shared/dedup, by one protocol.

`dejastack` is `MeasuredEngine.judged` on the pasted report, nothing else. Peers: this folder; parameters.json was tuned on the older reports.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from index.encoder import load_encoder
from index.training.protocol import NAMES, figures, intervals, lead
from index.training.timeline import Timeline, outcomes, read_reports
from tests.quality.duplicates.corpus import stacks_of
from tests.quality.duplicates.embedding import Embedding
from tests.quality.duplicates.signature import Signature
from tests.quality.duplicates.tuning import PARAMETERS, SETS, asked, read_method

pytestmark = [pytest.mark.quality, pytest.mark.timeout(3600)]

FLOORS = {
    "apache_jira": {"rr_at_1": 0.77, "mrr": 0.81, "auc": 0.79},
    "apache_jira+metoo": {"rr_at_1": 0.65, "mrr": 0.71, "auc": 0.745},
    "eclipse_bugzilla": {"rr_at_1": 0.81, "mrr": 0.87, "auc": 0.845},
}
"""Below what was measured on 2026-11-21 by less than the noise of the set."""
RIVALS = ("tfidf", "fast")
"""What must be beaten in AHEAD on every set."""
AHEAD = ("rr_at_1", "mrr", "auc")


@pytest.mark.parametrize("name", SETS)
def test_ahead_of_the_published_methods(
    name: str, shared_data: Path, tmp_path: Path, figure: Callable[..., None]
) -> None:
    files = [[shared_data / f"dedup/{n}.{part}.jsonl.gz" for n in SETS[name]] for part in ("tune", "test")]
    reports = read_reports(*files)
    rows = [row for row, report in enumerate(reports) if report.is_measured]
    timeline = Timeline(reports, tmp_path, load_encoder(None))
    found = {"dejastack": list(outcomes(timeline))}
    timeline.close()
    stacks = [stacks_of(report) for report in reports]
    tuned = json.loads(PARAMETERS.read_text(encoding="utf-8"))[name]
    methods = {peer: read_method(peer, parameters) for peer, parameters in tuned.items()}
    for peer, method in {**methods, "signature": Signature(), "embedding": Embedding()}.items():
        found[peer] = asked(method, reports, stacks, rows)
    for method_name, measures in found.items():
        for what, measured in intervals(measures).items():
            print(f"{name} {method_name} {what}: {measured.value:.3f} ({measured.low:.3f} to {measured.high:.3f})")
            figure(f"duplicates.{name}.{method_name}.{what}", measured.value)
    for rival in RIVALS:
        for what, ahead in lead(found["dejastack"], found[rival]).items():
            figure(f"duplicates.{name}.ahead of {rival}.{what}", ahead.value)
            figure(f"duplicates.{name}.ahead of {rival}.{what}, low", ahead.low)
    ours = figures(found["dejastack"])
    for what, least in FLOORS[name].items():
        assert ours[what] >= least, f"{what} of {name} fell to {ours[what]:.3f}; its floor is {least}"
    for what in AHEAD:
        assert all(ours[what] > figures(found[rival])[what] for rival in RIVALS)
    assert set(NAMES) == set(ours)
