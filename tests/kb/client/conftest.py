"""A real service with a store that may be written."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from index.triage_reports import FOLDER, KnownGroup, TriageReport, UnknownGroup, as_json
from kb.store import Actor, Role, Store
from tests.api.fixtures import home, no_settings_from_outside, serving  # noqa: F401
from tests.api.knowledge import build_home

ROOT = Actor("test", "test", Role.ADMIN)


RUNS = ("20261126T020000Z-0a1b", "20261127T020000Z-2c3d", "20261128T020000Z-dddd")
"""Two triage reports, and one that is damaged."""
CRASH = "com.acme.JamError: tray 7 is empty\n\tat com.acme.Tray.pull(Tray.java:3)\n\tat com.acme.Line.run(Line.java:12)"
DRAFT = f"---\ntitle: Tray is empty\nid: crash-000000000000\nstatus: draft\n---\n\n## Symptom\n\n900 crashes.\n\n## Stack trace\n\n```\n{CRASH}\n```\n"


@dataclass(frozen=True)
class Service:
    """Where a service is, and a key to it for everything."""

    url: str
    key: str


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One `kb serve` over the six incidents and a store of its own."""
    folder = tmp_path_factory.mktemp("client")
    build_home(folder / "home")
    write_reports(folder / "home")
    with Store.open(Path(folder / "home" / "store.db")) as store:
        key = store.keys.create("client", Role.ADMIN, actor=ROOT)[1]
    with serving(folder / "home", folder) as server:
        yield Service(server.url, key)


def write_reports(at: Path) -> None:
    """Write the reports of `RUNS`: the second has 230 unknown groups, more than two requests bring, of which the first has a draft."""
    known = [
        KnownGroup(incident="kafka-commit-rebalanced", title="Kafka", verdict=verdict, crashes=50, probability=0.9)
        for verdict in ("known", "probable")
    ]
    groups = [
        UnknownGroup(id=f"{n:032x}", crashes=900 - n, is_new=n % 2 == 0, type="com.acme.JamError", text=CRASH)
        for n in range(230)
    ]
    last = TriageReport(RUNS[1], ["/logs"], "s1", crashes=1_000, distinct=230, known=known, unknown=groups)
    for report in (TriageReport(RUNS[0], ["/logs"], "s0", crashes=7), last):
        folder = at / FOLDER / report.run
        (folder / "drafts").mkdir(parents=True)
        (folder / "report.json").write_text(as_json(report))
    (folder / "drafts" / f"{0:032x}.md").write_text(DRAFT)
    (at / FOLDER / RUNS[2]).mkdir()
    (at / FOLDER / RUNS[2] / "report.json").write_text("{")
