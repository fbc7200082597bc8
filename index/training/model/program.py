"""From a data folder to a model folder: what ``kb model train`` and ``kb model measure`` do."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt
from model2vec import StaticModel
from tokenizers import Tokenizer

from index.encoder import Encoder, HashingEncoder, StaticEncoder, load_encoder
from index.terms import tokens
from index.training.model.material import Corpus, read_corpus
from index.training.model.measure import Scores, Suite, cosine, measure, table
from index.training.model.tokenizer import UNKNOWN, VocabularyMethod, trained
from index.training.model.train import Recipe, Training, material

K1, B = 1.2, 0.75


def bm25(questions: Sequence[str], candidates: Sequence[str]) -> npt.NDArray[np.float32]:
    """Okapi BM25 (Robertson et al. 1994) over the words of `index.terms.tokens`, glossary concepts among them."""
    counts = [Counter(tokens.words(text)) for text in candidates]
    lengths = np.array([sum(count.values()) for count in counts], dtype=np.float64)
    damping = K1 * (1 - B + B * lengths / max(lengths.mean(), 1.0))
    postings: dict[str, list[tuple[int, int]]] = {}
    for at, count in enumerate(counts):
        for word, n in count.items():
            postings.setdefault(word, []).append((at, n))
    scores = np.zeros((len(questions), len(candidates)), dtype=np.float32)
    for row, question in zip(scores, questions, strict=True):
        for word, times in Counter(tokens.words(question)).items():
            found = postings.get(word)
            if not found:
                continue
            places, n = np.array(found).T
            rarity = np.log(1 + (len(candidates) - len(found) + 0.5) / (len(found) + 0.5))
            row[places] += (times * rarity * n * (K1 + 1) / (n + damping[places])).astype(np.float32)
    return scores


def peers(models: Sequence[str]) -> dict[str, Scores]:
    """Name → scorer: BM25, hashing, then each model by folder or hub name."""
    encoders: list[Encoder] = [HashingEncoder(), *(load_encoder(model) for model in models)]
    return {"BM25": bm25} | {encoder.name: cosine(encoder.encode) for encoder in encoders}


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


VOCABULARY = 32_768
TOKENIZER_PAIRS = 200_000
"""Half of the sentence pairs: cutting their Chinese takes most of the time."""

Log = Callable[[str], None]


def train(data: Path, work: Path, out: Path, recipe: Recipe, log: Log) -> None:
    """Train a model and save it in ``out``. What is done already lies in ``work`` and is not done again."""
    work.mkdir(parents=True, exist_ok=True)
    corpus = read_corpus(data, recipe.seed, log)
    tokenizer = _tokenizer(corpus, work / "tokenizer.json", log)
    stuff = material(tokenizer, corpus.train, corpus.groups)
    log(f"{len(stuff.left.flat) + len(stuff.right.flat) + len(stuff.ends.flat):,} tokens to train on")
    vectors = Training(stuff, tokenizer.get_vocab_size(), recipe, work / "checkpoint.pt").run(log)
    save(out, tokenizer, vectors)
    figures = report(corpus.test_suites(), out, [], log)
    counts = {
        "sentence pairs": len(corpus.train),
        "articles and reports": len(corpus.groups),
        "vocabulary": tokenizer.get_vocab_size(),
    }
    write_card(out, recipe, figures, counts)


def report(suites: Sequence[Suite], model: Path, others: Sequence[str], log: Log) -> Figures:
    """The figures of the model, of BM25, of the hashing encoder and of the others, by suite."""
    scorers = {model.name: cosine(StaticEncoder(model).encode)} | peers(others)
    figures: dict[str, Mapping[str, Mapping[str, float]]] = {}
    for name, scores in scorers.items():
        figures[name] = measure(scores, suites)
        log(f"measured {name}")
    return figures


def _tokenizer(corpus: Corpus, path: Path, log: Log) -> Tokenizer:
    if not path.exists():
        trained(corpus.texts(TOKENIZER_PAIRS), VOCABULARY, VocabularyMethod.BPE, cut=True).save(str(path), pretty=False)
        log("the tokenizer is trained")
    return Tokenizer.from_file(str(path))
