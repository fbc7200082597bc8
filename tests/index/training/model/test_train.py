"""Training on a dozen sentences: it learns, it repeats itself, it goes on where it was stopped."""

from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from index.training.model.tokenizer import VocabularyMethod, trained
from index.training.model.train import Cut, Material, Recipe, Training, batch, material
from kb.errors import SettingsError

PAIRS = [
    ("checkpoint expired before completing", "检查点在完成之前已过期"),
    ("the disk is full", "磁盘已满"),
    ("connection refused by the broker", "代理拒绝连接"),
    ("replica is not available", "副本不可用"),
    ("out of memory in metaspace", "元空间内存不足"),
    ("the lease has expired", "租约已过期"),
    ("certificate is not trusted", "证书不受信任"),
    ("too many open files", "打开的文件过多"),
]
GROUPS = [
    [("consumer cannot commit offsets", "the poll interval was exceeded and the group rebalanced")],
    [("pods are evicted", "the node ran out of ephemeral storage"), ("pods are evicted", "raise the limit")],
]
RECIPE = Recipe(dim=16, sizes=(16, 8), batch=8, structure_batch=2, steps=240, dropped=0.0)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    texts = [text for pair in PAIRS for text in pair] * 3 + [
        text for group in GROUPS for pair in group for text in pair
    ]
    return trained(texts, 600, VocabularyMethod.BPE, cut=True)


@pytest.fixture(scope="module")
def stuff(tokenizer: Tokenizer) -> Material:
    return material(tokenizer, PAIRS, GROUPS)


def silent(_: str) -> None:
    """Says nothing."""


@pytest.mark.slow
def test_pairs_find_each_other(stuff: Material, tokenizer: Tokenizer, tmp_path: Path) -> None:
    table = Training(stuff, tokenizer.get_vocab_size(), RECIPE, tmp_path / "a.pt").run(silent)
    rows = [np.stack([table[cut[at]].sum(axis=0) for at in range(len(PAIRS))]) for cut in (stuff.left, stuff.right)]
    english, chinese = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in rows)
    assert (english @ chinese.T).argmax(axis=1).tolist() == list(range(len(PAIRS)))


@pytest.mark.slow
def test_a_stopped_run_ends_in_the_same_weights(stuff: Material, tokenizer: Tokenizer, tmp_path: Path) -> None:
    size = tokenizer.get_vocab_size()
    whole = Training(stuff, size, RECIPE, tmp_path / "whole.pt").run(silent)

    class StoppedError(Exception):
        pass

    def stop(_: str) -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        Training(stuff, size, RECIPE, tmp_path / "parts.pt").run(stop)
    resumed = Training(stuff, size, RECIPE, tmp_path / "parts.pt")
    assert resumed.step == 100
    assert np.array_equal(resumed.run(silent), whole)


def test_a_checkpoint_of_another_recipe_is_refused(stuff: Material, tokenizer: Tokenizer, tmp_path: Path) -> None:
    size = tokenizer.get_vocab_size()
    short = Recipe(dim=16, sizes=(16, 8), batch=8, structure_batch=2, steps=1)
    Training(stuff, size, short, tmp_path / "c.pt").run(silent)
    with pytest.raises(SettingsError, match="another recipe"):
        Training(stuff, size, RECIPE, tmp_path / "c.pt")


def test_a_batch_hangs_on_seed_and_step_alone(stuff: Material) -> None:
    def ids(step: int, recipe: Recipe) -> list[list[int]]:
        return [side["input_ids"].tolist() for side in batch(stuff, recipe, step)]

    few = Recipe(batch=4)
    assert ids(5, few) == ids(5, few)
    assert ids(4, few) != ids(8, few)
    assert ids(4, few) != ids(4, Recipe(batch=4, seed=1))


def test_a_passage_holds_its_sentence(stuff: Material) -> None:
    left, right = batch(stuff, Recipe(batch=8, dropped=0.0, fillers=3), 1)
    assert len(left["offsets"]) == len(right["offsets"]) == 8
    assert max(len(left["input_ids"]), len(right["input_ids"])) > max(len(stuff.left.flat), len(stuff.right.flat))


def test_structure_has_one_pair_of_a_report(stuff: Material) -> None:
    left, _ = batch(stuff, Recipe(structure_batch=64, dropped=0.0), 3)
    assert len(left["offsets"]) == len(GROUPS)


def test_unknown_pieces_are_not_trained_on(tokenizer: Tokenizer) -> None:
    cut = Cut(tokenizer, ["проверка", "disk", ""])
    assert [len(cut[at]) for at in range(3)] == [0, len(cut[1]), 0]
    assert len(cut[1]) > 0
