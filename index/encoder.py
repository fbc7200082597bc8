"""Texts to vectors: the protocol, the bundled bilingual model, and any sentence-transformers model behind it."""

import importlib
import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from model2vec import StaticModel
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from index.terms import tokens
from index.terms.hashing import hash_all
from kb.errors import SettingsError
from kb.language import simplify

BUNDLED = Path(__file__).resolve().parent / "models" / "zh-en-ops-256"
"""The model that ``kb model train`` made: what it was made of and what it can do stands in its README.md."""

Vectors = npt.NDArray[np.float32]
"""Shape (n, dim), every row of length one, or zero for a text without words."""


class Encoder(Protocol):
    """What turns texts into vectors."""

    @property
    def name(self) -> str:
        """What people call the model."""

    @property
    def digest(self) -> str:
        """Changes whenever the same text would get another vector."""

    @property
    def dim(self) -> int:
        """How many numbers a vector has."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One L2-normalised row per text, in order; a zero row for a text without words."""


class StaticEncoder:
    """A static model read by model2vec: the mean of trained token vectors, frequent tokens weighing little. No torch.

    Its folder is a sentence-transformers model as well, which gives the same rows. Traditional Chinese is read as
    simplified; characters after the first `tokens.MAX_CHARS` are left out.
    """

    def __init__(self, folder: Path) -> None:
        # StaticModel.from_pretrained reads the same three files, and imports the client of the model hub: a fifth of a second
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._model = StaticModel(
            load_file(folder / "model.safetensors")["embeddings"],
            Tokenizer.from_file(str(folder / "tokenizer.json")),
            normalize=config["normalize"],
            max_length=config["max_length"],
        )
        self.name = folder.name
        self.digest = _folder_digest(folder)
        self.dim = int(self._model.dim)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text. A text whose words the model has never seen gets the zero row."""
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        clean = [simplify(text[: tokens.MAX_CHARS].encode("utf-8", "replace").decode("utf-8")) for text in texts]
        return normalised(self._model.encode(clean, use_multiprocessing=False))


class HashingEncoder:
    """Signed feature hashing (Weinberger et al. 2009) of words, word pairs and character trigrams; no training, no meaning.

    Concepts of the glossary are among the words, which is all it knows across languages. Term counts are damped
    (``1 + ln tf``); character trigrams count a third, so that misspellings and inflections still meet.
    """

    def __init__(self, dim: int = 512) -> None:
        self.dim = dim
        self.name = f"hashing-{dim}"
        self.digest = sha256(f"{self.name} scheme 1 tokens {tokens.scheme()}".encode()).hexdigest()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text; the same bits on every machine."""
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            self._add(row, tokens.words(text))
        return normalised(rows)

    def _add(self, row: npt.NDArray[np.float32], found: list[str]) -> None:
        counts = Counter(found)
        pairs = Counter(f"{a} {b}" for a, b in pairwise(found))
        trigrams = Counter(
            f"#{w[i : i + 3]}" for w in counts if w.isascii() and w[:2] != "c:" for i in range(len(w) - 2)
        )
        for features, share in ((counts, 1.0), (pairs, 0.5), (trigrams, 0.3)):
            if not features:
                continue
            hashes = hash_all(features)
            weights = share * (1.0 + np.log(np.fromiter(features.values(), dtype=np.float64)))
            signs = 1.0 - 2.0 * ((hashes >> np.uint64(63)) & np.uint64(1)).astype(np.float64)
            slots = (hashes % np.uint64(self.dim)).astype(np.intp)
            row += np.bincount(slots, weights=weights * signs, minlength=self.dim).astype(np.float32)


class SentenceTransformerEncoder:
    """Any sentence-transformers model, by folder or hub name."""

    def __init__(self, model: Any, name: str, digest: str) -> None:
        self._model = model
        self.name = name
        self.digest = digest
        self.dim = int(model.get_embedding_dimension())

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text. Texts without a visible character get the zero row, whatever the model makes of them."""
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        full = [i for i, text in enumerate(clean) if text.strip()]
        if full:
            found = self._model.encode([clean[i] for i in full], convert_to_numpy=True, show_progress_bar=False)
            rows[full] = np.asarray(found, dtype=np.float32)
        return normalised(rows)


def normalised(rows: npt.NDArray[np.float32]) -> Vectors:
    """Rows scaled to length one; zero rows stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled


def vector_of(encoder: Encoder, text: str) -> npt.NDArray[np.float32]:
    """The vector of one text."""
    vector: npt.NDArray[np.float32] = encoder.encode([text])[0]
    return vector


def load_encoder(model: str | None) -> Encoder:
    """The encoder that KB_MODEL names; None is the bundled one. SettingsError when it cannot be loaded."""
    return _static(BUNDLED) if model is None else _sentence_transformer(model)


@cache
def _static(folder: Path) -> StaticEncoder:
    """One for the process: it keeps no state, and to read it takes 0.4 s, most of the opening of an engine."""
    return StaticEncoder(folder)


def _sentence_transformer(model: str) -> SentenceTransformerEncoder:
    folder = Path(model)
    try:
        library = importlib.import_module("sentence_transformers")  # torch with it: seconds, so only when asked for
    except ModuleNotFoundError as error:
        problem = f"the model {model!r} of KB_MODEL needs the Python module {error.name}"
        raise SettingsError(problem, cure="pip install 'dejastack[train]', or unset KB_MODEL") from error
    try:
        loaded = library.SentenceTransformer(model, device="cpu")
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise SettingsError(
            f"the model {model!r} of KB_MODEL cannot be loaded: {str(error).splitlines()[0][:200]}",
            cure="give the folder of a saved sentence-transformers model, or its hub name on a machine that can reach"
            " the hub, or unset KB_MODEL for the bundled model",
        ) from error
    name = folder.name if folder.is_dir() else model
    return SentenceTransformerEncoder(
        loaded, name, _folder_digest(folder) if folder.is_dir() else _weights_digest(loaded)
    )


def _folder_digest(folder: Path) -> str:
    """Of every file of the model but its model card: names and contents."""
    whole = sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix.lower() != ".md"):
        whole.update(str(path.relative_to(folder)).encode())
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                whole.update(piece)
    return whole.hexdigest()


def _weights_digest(loaded: Any) -> str:
    """Of the weights in memory: a hub name may point at other weights tomorrow."""
    whole = sha256(json.dumps(sorted(loaded.state_dict())).encode())
    for _, weights in sorted(loaded.state_dict().items()):
        whole.update(weights.cpu().numpy().tobytes())
    return whole.hexdigest()
