"""The training loop: one vector a token, weighted means of them, in-batch negatives both ways at three sizes.

``SentenceTransformer`` modules and losses over batches that are cut into tokens once and beforehand; the library's own trainer cuts
them again at each step, which costs more than the step. Everything random comes from the seed and the number of the step, so that a
run that was stopped goes on from its last checkpoint and ends in the same weights.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.losses import MatryoshkaLoss, MultipleNegativesRankingLoss
from tokenizers import Tokenizer
from torch import Tensor, nn

from index.training.model.corpora import Pair
from kb.errors import SettingsError

CHECKPOINT = 100
"""Steps between two checkpoints."""

Ids = npt.NDArray[np.int32]
Sides = tuple[list[Ids], list[Ids]]
"""What is compared with what, row by row."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model is trained."""

    dim: int = 256
    sizes: tuple[int, ...] = (256, 128, 64)
    """Matryoshka (Kusupati et al. 2022, arXiv:2205.13147): the first so many numbers are a model of their own."""
    batch: int = 1024
    steps: int = 4_000
    cycle: tuple[str, ...] = ("pairs", "passages", "pairs", "structure")
    """What the batches are of, over and over: sentence pairs; sentences and passages that hold their translation among
    others; report structure."""
    structure_batch: int = 512
    fillers: int = 6
    """At most so many other sentences stand in a passage."""
    rate: float = 0.05
    scale: float = 20.0
    """Inverse temperature of the softmax over a batch."""
    smoothing: float = 1e-3
    """``a`` of the token weights a / (a + p) (Arora et al. 2017, *A simple but tough-to-beat baseline*)."""
    most_tokens: int = 192
    """Of a longer text as many are drawn at random each time: their mean estimates that of the whole."""
    dropped: float = 0.1
    """Share of tokens left out at random, so that no single one carries a text."""
    seed: int = 20_261_121


class Cut:
    """Texts cut into tokens: one flat array and where each text begins."""

    def __init__(self, tokenizer: Tokenizer, texts: Sequence[str]) -> None:
        found: list[Ids] = []
        unknown = tokenizer.token_to_id("[UNK]")
        for at in range(0, len(texts), 10_000):
            encoded = tokenizer.encode_batch_fast(list(texts[at : at + 10_000]), add_special_tokens=False)
            found += [np.array([i for i in e.ids if i != unknown], dtype=np.int32) for e in encoded]
        self.flat = np.concatenate(found) if found else np.zeros(0, np.int32)
        self.starts = np.concatenate([[0], np.cumsum([len(one) for one in found])])

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, at: int) -> Ids:
        return self.flat[self.starts[at] : self.starts[at + 1]]


class WeightedBag(nn.Module):
    """Sum of token vectors, each times the fixed weight of its token. Folded into one table when the model is saved."""

    def __init__(self, weights: Tensor, dim: int, generator: torch.Generator) -> None:
        super().__init__()
        self.table = nn.Embedding(len(weights), dim)
        with torch.no_grad():
            self.table.weight.normal_(generator=generator)
        self.register_buffer("weights", weights)

    def forward(self, features: dict[str, Tensor]) -> dict[str, Tensor]:
        """Adds ``sentence_embedding``, shape (texts, dim), for ``input_ids`` (flat) and ``offsets``."""
        ids = features["input_ids"]
        weights = self.weights[ids]  # type: ignore[index]
        features["sentence_embedding"] = nn.functional.embedding_bag(
            ids, self.table.weight, features["offsets"], mode="sum", per_sample_weights=weights
        )
        return features

    def folded(self) -> npt.NDArray[np.float32]:
        """One row a token: its vector times its weight."""
        with torch.no_grad():
            table: npt.NDArray[np.float32] = (self.table.weight * self.weights[:, None]).numpy()  # type: ignore[index]
        return table


def weights_of(cuts: Sequence[Cut], size: int, smoothing: float) -> Tensor:
    """The weight a / (a + p) of each token, p its share of all tokens."""
    counts = np.sum([np.bincount(cut.flat, minlength=size) for cut in cuts], axis=0, dtype=np.float64)
    return torch.from_numpy((smoothing / (smoothing + counts / counts.sum())).astype(np.float32))


def features_of(texts: Sequence[Ids]) -> dict[str, Tensor]:
    """The features that a bag takes."""
    starts = np.cumsum([0] + [len(text) for text in texts[:-1]])
    return {"input_ids": torch.from_numpy(np.concatenate(texts).astype(np.int64)), "offsets": torch.from_numpy(starts)}


def thinned(text: Ids, recipe: Recipe, random: np.random.Generator) -> Ids:
    """The tokens without those left out by chance; at least one stays."""
    keep = len(text) if len(text) < 4 else round(len(text) * (1 - recipe.dropped))
    keep = min(keep, recipe.most_tokens)
    return text if keep >= len(text) else random.choice(text, size=keep, replace=False, shuffle=False)


@dataclass(frozen=True, slots=True)
class Material:
    """What is trained on, cut into tokens."""

    left: Cut
    right: Cut
    """Sentence pairs, side by side."""
    ends: Cut
    """All texts of report structure."""
    groups: tuple[tuple[tuple[int, int], ...], ...]
    """Of each report, its pairs as places in ``ends``: a batch has one pair of a report at most."""


def material(tokenizer: Tokenizer, pairs: Sequence[Pair], groups: Sequence[Sequence[Pair]]) -> Material:
    """Cut everything."""
    ends: list[str] = []
    places: list[tuple[tuple[int, int], ...]] = []
    for group in groups:
        places.append(tuple((len(ends) + 2 * n, len(ends) + 2 * n + 1) for n in range(len(group))))
        ends += [text for pair in group for text in pair]
    left, right = Cut(tokenizer, [p[0] for p in pairs]), Cut(tokenizer, [p[1] for p in pairs])
    cut = Cut(tokenizer, ends)
    full = tuple(tuple(p for p in group if len(cut[p[0]]) and len(cut[p[1]])) for group in places)
    return Material(left, right, cut, tuple(group for group in full if group))


def batch(stuff: Material, recipe: Recipe, step: int) -> list[dict[str, Tensor]]:
    """The two sides of the batch of a step: a function of the seed and the step alone."""
    random = np.random.default_rng((recipe.seed, step))
    kind = recipe.cycle[step % len(recipe.cycle)]
    sides = _structure(stuff, recipe, random) if kind == "structure" else _sentences(stuff, recipe, random)
    if kind == "passages":
        sides = _passages(stuff, sides, recipe, random)
    return [features_of([thinned(text, recipe, random) for text in side]) for side in sides]


def _structure(stuff: Material, recipe: Recipe, random: np.random.Generator) -> Sides:
    size = min(recipe.structure_batch, len(stuff.groups))
    chosen = random.choice(len(stuff.groups), size=size, replace=False)
    drawn = [stuff.groups[at][random.integers(len(stuff.groups[at]))] for at in chosen]
    return [stuff.ends[a] for a, _ in drawn], [stuff.ends[b] for _, b in drawn]


def _sentences(stuff: Material, recipe: Recipe, random: np.random.Generator) -> Sides:
    size = min(recipe.batch, len(stuff.left))
    drawn = random.choice(len(stuff.left), size=size, replace=False, shuffle=False)
    rows = [at for at in drawn if len(stuff.left[at]) and len(stuff.right[at])]
    return [stuff.left[at] for at in rows], [stuff.right[at] for at in rows]


def _passages(stuff: Material, sides: Sides, recipe: Recipe, random: np.random.Generator) -> Sides:
    """One side as it is; sentences of the other put among others of their language."""
    queries, wanted = sides if random.integers(2) else sides[::-1]
    source = stuff.right if wanted is sides[1] else stuff.left
    passages = []
    for text in wanted:
        others = random.integers(len(source), size=random.integers(recipe.fillers + 1))
        passages.append(np.concatenate([text, *(source[at] for at in others)]))
    return queries, passages


class Training:
    """A run: the bag, its optimiser, and where it stands. ``checkpoint`` is the file that it goes on from."""

    def __init__(self, stuff: Material, size: int, recipe: Recipe, checkpoint: Path) -> None:
        self._stuff, self._recipe, self._checkpoint = stuff, recipe, checkpoint
        weights = weights_of([stuff.left, stuff.right, stuff.ends], size, recipe.smoothing)
        self._bag = WeightedBag(weights, recipe.dim, torch.Generator().manual_seed(recipe.seed))
        self._loss = contrastive(self._bag, recipe)
        self._optimiser = torch.optim.Adam(self._bag.parameters(), lr=recipe.rate, fused=True)
        self.step = 0
        if checkpoint.exists():
            self._resume(torch.load(checkpoint, weights_only=True))

    def run(self, log: Callable[[str], None]) -> npt.NDArray[np.float32]:
        """The trained table, one row a token. Log the loss and save a checkpoint every CHECKPOINT steps."""
        total, began = 0.0, time.monotonic()
        while self.step < self._recipe.steps:
            total += self._one()
            if self.step % CHECKPOINT == 0 or self.step == self._recipe.steps:
                self._save()
                log(
                    f"step {self.step:,} of {self._recipe.steps:,}: loss {total / CHECKPOINT:.3f},"
                    f" {time.monotonic() - began:.0f} s"
                )
                total = 0.0
        return self._bag.folded()

    def _one(self) -> float:
        for group in self._optimiser.param_groups:
            group["lr"] = self._recipe.rate * _warmth(self.step, self._recipe.steps)
        loss = self._loss(batch(self._stuff, self._recipe, self.step), None)
        self._optimiser.zero_grad()
        loss.backward()
        self._optimiser.step()
        self.step += 1
        return float(loss.detach())

    def _save(self) -> None:
        state = {
            "step": self.step,
            "recipe": repr(self._recipe),
            "bag": self._bag.state_dict(),
            "optimiser": self._optimiser.state_dict(),
        }
        half = self._checkpoint.with_suffix(".half")
        torch.save(state, half)
        half.rename(self._checkpoint)

    def _resume(self, state: dict[str, Any]) -> None:
        if state["recipe"] != repr(self._recipe):
            raise SettingsError(
                f"{self._checkpoint} is of another recipe: {state['recipe']}",
                cure="train in another work folder, or remove this one's checkpoint",
            )
        self._bag.load_state_dict(state["bag"])
        self._optimiser.load_state_dict(state["optimiser"])
        self.step = int(state["step"])


def contrastive(bag: WeightedBag, recipe: Recipe) -> nn.Module:
    """In-batch negatives both ways (Henderson et al. 2017, arXiv:1705.00652), at every size."""
    model = SentenceTransformer(modules=[bag], device="cpu")
    ranking = MultipleNegativesRankingLoss(
        model, scale=recipe.scale, directions=("query_to_doc", "doc_to_query"), partition_mode="per_direction"
    )
    loss: nn.Module = MatryoshkaLoss(model, ranking, list(recipe.sizes))
    return loss


def _warmth(step: int, steps: int) -> float:
    """Share of the rate: up in 50 steps, then straight down to a fiftieth."""
    return min(1.0, (step + 1) / 50) * max(0.02, 1 - step / steps)
