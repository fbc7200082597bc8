"""The folder of a trained model: weights, tokenizer, and the card that says what it is made of and what it can do."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt
from model2vec import StaticModel
from tokenizers import Tokenizer

from index.training.model.measure import table
from index.training.model.tokenizer import UNKNOWN
from index.training.model.train import Recipe

Figures = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Encoder → suite → ``hit@k`` and ``n``."""


def save(folder: Path, tokenizer: Tokenizer, vectors: npt.NDArray[np.float32]) -> None:
    """Write the model, in the layout that model2vec and sentence-transformers both read.

    Numbers are rounded to half precision and stored as single: the same sums in both libraries, and half the bytes
    once the file is compressed. An unknown piece says nothing: model2vec leaves it out, and its zero row does the same.
    """
    rows = vectors.astype(np.float16).astype(np.float32)
    rows[tokenizer.token_to_id(UNKNOWN)] = 0.0
    model = StaticModel(rows, tokenizer, normalize=True, max_length=None, language=["zh", "en"])
    model.save_pretrained(folder)
    weights = folder / "model.safetensors"
    weights.chmod(0o644)


def write_card(folder: Path, recipe: Recipe, figures: Figures, counts: Mapping[str, int]) -> None:
    """README.md of the model: the text of ``card.md`` with this run's recipe and figures."""
    text = (Path(__file__).with_name("card.md")).read_text(encoding="utf-8")
    listed = "\n".join(f"| {name} | {value} |" for name, value in (asdict(recipe) | dict(counts)).items())
    shown = text.replace("{recipe}", "| | |\n|---|---|\n" + listed).replace("{figures}", table(figures))
    (folder / "README.md").write_text(shown.replace("{name}", folder.name), encoding="utf-8")
