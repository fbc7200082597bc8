"""A feature that is renamed: what was kept or weighed under its old name stops no training."""

import json
from pathlib import Path

import numpy as np

from index import Engine
from index.encoder import load_encoder
from index.ranking.features import NAMES
from index.reading import read
from index.training.cases import engine_of
from index.training.fit import TrainingCase
from index.training.gather import GatheredCase, Sources, _save, gathered
from index.training.rank import _weighed
from kb.record import from_record

LEASE = {"id": "lease", "title": "The lease of the mill ran out", "symptom": "mill: lease 7 expired at noon"}
QUESTION = {"id": "q", "part": "train", "kind": "log", "problem": "lease", "text": "mill: lease 9 expired at dawn"}


def kept(path: Path) -> None:
    """One case about nothing, as an earlier run leaves it."""
    case = TrainingCase(np.ones((1, len(NAMES))), np.array([True]), group="kept")
    _save(path, [GatheredCase("text", teaches=True, case=case)])


def renamed(path: Path, name: str) -> None:
    with np.load(path) as file:
        stored = dict(file)
    stored["names"] = np.array([name if one == "words" else one for one in NAMES])
    np.savez_compressed(path, **stored)


def test_what_was_kept_with_other_features_is_asked_again(tmp_path: Path) -> None:
    pairs, work = tmp_path / "pairs", tmp_path / "work"
    pairs.mkdir()
    work.mkdir()
    for name, lines in (("incidents", [LEASE]), ("questions", [QUESTION]), ("near_misses", []), ("unknown", [])):
        (pairs / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    for name in ("pairs", "pairs-among-articles", "articles"):
        kept(work / f"{name}.npz")
    renamed(work / "pairs.npz", "wordiness")
    said: list[str] = []
    found = gathered(Sources((), tmp_path / "none", (), tmp_path / "none", pairs), work, said.append)
    assert "wordiness" in said[0]
    assert [one.case.group for one in found if one.case.group != "kept"] == ["asked, log", "asked, left out"]
    assert sum(one.case.group == "kept" for one in found) == 2


def test_real_questions_are_asked_beside_articles_but_not_beside_the_own_write_ups(tmp_path: Path) -> None:
    """A write-up of the project answers many of them, and no label says so: it would count as wrong."""
    pairs, articles, corpus, work = (tmp_path / name for name in ("pairs", "articles", "corpus", "work"))
    for folder in (pairs, articles, corpus, work):
        folder.mkdir()
    for name, lines in (("incidents", [LEASE]), ("questions", [QUESTION]), ("near_misses", []), ("unknown", [])):
        (pairs / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    for folder, title in ((articles, "The lease of the barn"), (corpus, "mill: lease 8 expired at dusk")):
        page = f"# {title}\n\n## Symptom\n\nA lease expired.\n\n## Cause\n\nThe clock of the mill stood still.\n\n## Fix\n\nWind it up.\n"
        (folder / f"{folder.name}.md").write_text(page, encoding="utf-8")
    kept(work / "articles.npz")
    sources = Sources((articles, corpus), tmp_path / "none", (), tmp_path / "none", pairs, corpus=corpus)
    found = gathered(sources, work, lambda _: None)
    assert [len(one.case.features) for one in found if one.case.group == "asked, log"] == [1, 2]


def test_comparing_asks_for_no_weights(tmp_path: Path) -> None:
    """So training starts where the bundled weights name a feature that is no more."""
    engine: Engine = engine_of([from_record(LEASE)], tmp_path, load_encoder(None))
    assert engine.compare(read(QUESTION["text"]))
    assert "model" not in vars(engine)
    engine.close()


def test_the_features_of_old_weights(tmp_path: Path) -> None:
    path = tmp_path / "rank.json"
    assert _weighed(path) == set()
    path.write_text('{"weights": {"words": 1.0}, "alone": {"wordiness": 2.0}}', encoding="utf-8")
    assert _weighed(path) == {"words", "wordiness"}
    path.write_text("{", encoding="utf-8")
    assert _weighed(path) == set()
