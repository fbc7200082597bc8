"""`kb rank train` on a small data folder: the whole way, from articles and reports to weights that the engine reads."""

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from api.commands.rank import app
from index.ranking.features import NAMES
from index.ranking.rank import read_model
from index.ranking.sightings import fingerprint_digests
from index.reading import read
from index.training import gather
from index.training.rank import learned
from kb.store import Actor, Store
from kb.store.model import Feedback, Vote
from tests.api.knowledge import RECORDS

ROOT = Path(__file__).parents[2]
PLACES = ("Till", "Shelf", "Scale", "Door", "Lamp", "Fridge")


def write_lines(path: Path, records: list[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def report(at: int) -> dict[str, str]:
    place = PLACES[at % len(PLACES)]
    return {
        "id": f"R-{at}",
        "bug_group": place,
        "created": f"2010-01-{at + 1:02}",
        "title": f"{place} does not answer",
        "text": f"Since the update the {place} hangs.",
        "trace": f"java.lang.IllegalStateException: {place} is gone\n\tat org.shop.{place}.open({place}.java:{at})\n\tat org.shop.Main.run(Main.java:7)",
    }


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "articles").mkdir()
    for path in sorted((ROOT / "corpus").rglob("*.md"))[:24:2]:
        shutil.copy(path, folder / "articles")
    for name in ("apache_jira", "apache_jira_metoo", "eclipse_bugzilla"):
        write_lines(folder / f"dedup/{name}.tune.jsonl.gz", [report(at) for at in range(18)])
    write_lines(
        folder / "parallel/train.jsonl.gz", [{"en": f"lamp {n} is lit", "zh": f"第 {n} 盏灯亮了"} for n in range(400)]
    )
    write_pairs(folder / "pairs")
    return folder


def write_pairs(folder: Path) -> None:
    """Real questions and their write-ups, three of each, a near-miss, and pastes that nothing answers."""
    folder.mkdir()
    places = PLACES[:3]
    files = {
        "incidents": [
            {"id": p, "title": f"{p} jams", "trace": f"org.shop.{p}Exception: {p} jams at noon", "fix": f"Oil the {p}."}
            for p in (*places, "Mat")
        ],
        "questions": [
            {
                "id": f"q-{p}",
                "part": "train",
                "problem": p,
                "kind": "chat",
                "lang": "en",
                "text": f"our {p} jams, {p}Exception",
            }
            for p in places
        ],
        "near_misses": [{"id": "Mat", "near": places[0], "same_problem_as": None}],
        "unknown": [
            {"id": f"u-{n}", "part": "train", "kind": "chat", "text": f"what is wrong with pump {n}"} for n in range(3)
        ],
    }
    for name, lines in files.items():
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


@pytest.fixture
def said(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers confirmed five matches."""
    place = f"sqlite:///{tmp_path / 'store.db'}"
    monkeypatch.setenv("KB_HOME", str(home))
    monkeypatch.setenv("KB_DATABASE_URL", place)
    with Store.open(place) as store:
        for record in RECORDS[:5]:
            text = f"seen again\n{record['traces'][0]}"  # type: ignore[index]
            one = Feedback(str(record["id"]), Vote.YES, fingerprint_digests(read(text)), 0.9, "s", text)
            store.feedback.add(one, actor=Actor("reader", "Reader"))


@pytest.mark.slow
@pytest.mark.usefixtures("said")
def test_from_articles_and_reports_to_weights(data: Path, tmp_path: Path) -> None:
    out, work = tmp_path / "rank.json", tmp_path / "work"
    empty = tmp_path / "corpus"
    empty.mkdir()
    options = ["train", str(data), "--out", str(out), "--work", str(work), "--corpus", str(empty), "--feedback"]
    first = CliRunner().invoke(app, options)
    assert first.exit_code == 0, first.output
    assert "calibration error" in first.output
    learned = read_model(out.read_text(encoding="utf-8"), "rank.json")
    assert sum(learned.weights.values()) > 0
    assert sum(learned.alone.values()) > 0

    asked = {path.name: path.stat().st_mtime_ns for path in work.iterdir()}
    (confirmed,) = work.glob("feedback-*.npz")
    assert sorted(asked) == [
        "articles.npz",
        confirmed.name,
        "pairs-among-articles.npz",
        "pairs.npz",
        "reports-0.npz",
        "reports-1.npz",
    ]
    check_what_readers_confirmed_teaches(work, confirmed, out)
    written = out.read_bytes()
    again = CliRunner().invoke(app, options)
    assert again.exit_code == 0, again.output
    assert {path.name: path.stat().st_mtime_ns for path in work.iterdir()} == asked, "nothing is asked again"
    assert out.read_bytes() == written

    stored = dict(np.load(work / "articles.npz"))
    assert tuple(stored["names"]) == NAMES
    np.savez_compressed(work / "articles.npz", **stored | {"names": np.array([*NAMES[:-1], "another"])})
    asked_again = CliRunner().invoke(app, options)
    assert asked_again.exit_code == 0, asked_again.output
    assert tuple(np.load(work / "articles.npz")["names"]) == NAMES


def check_what_readers_confirmed_teaches(work: Path, confirmed: Path, out: Path) -> None:
    """Each match is there and left out, and without them other weights are learned."""
    said = gather._load(confirmed)
    assert [one.case.group for one in said] == ["feedback", "feedback, left out"] * 5
    assert [bool(one.case.right.any()) for one in said] == [True, False] * 5
    assert {one.teaches for one in said} == {True, False}
    others = [one for path in sorted(work.glob("*.npz")) if path != confirmed for one in gather._load(path)]
    without = learned(others, lambda _: None)
    taught = json.loads(out.read_text(encoding="utf-8"))
    assert "5 confirmed matches" in taught["provenance"]
    assert without["weights"] != taught["weights"]
