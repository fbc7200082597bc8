"""From a data folder to a model folder: what ``kb model train`` and ``kb model measure`` do."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tokenizers import Tokenizer

from index.encoder import StaticEncoder
from index.training.model.card import Figures, save, write_card
from index.training.model.material import Corpus, read_corpus
from index.training.model.measure import Suite, cosine, measure
from index.training.model.peers import peers
from index.training.model.tokenizer import VocabularyMethod, trained
from index.training.model.train import Recipe, Training, material

VOCABULARY = 32_768
TOKENIZER_PAIRS = 200_000
"""Half of the sentence pairs: cutting their Chinese takes most of the time."""

Said = Callable[[str], None]


def train(data: Path, work: Path, out: Path, recipe: Recipe, said: Said) -> None:
    """Train a model and save it in ``out``. What is done already lies in ``work`` and is not done again."""
    work.mkdir(parents=True, exist_ok=True)
    corpus = read_corpus(data, recipe.seed, said)
    tokenizer = _tokenizer(corpus, work / "tokenizer.json", said)
    stuff = material(tokenizer, corpus.train, corpus.groups)
    said(f"{len(stuff.left.flat) + len(stuff.right.flat) + len(stuff.ends.flat):,} tokens to train on")
    vectors = Training(stuff, tokenizer.get_vocab_size(), recipe, work / "checkpoint.pt").run(said)
    save(out, tokenizer, vectors)
    figures = report(corpus.test_suites(), out, [], said)
    counts = {
        "sentence pairs": len(corpus.train),
        "articles and reports": len(corpus.groups),
        "vocabulary": tokenizer.get_vocab_size(),
    }
    write_card(out, recipe, figures, counts)


def report(suites: Sequence[Suite], model: Path, others: Sequence[str], said: Said) -> Figures:
    """The figures of the model, of BM25, of the hashing encoder and of the others, by suite."""
    scorers = {model.name: cosine(StaticEncoder(model).encode)} | peers(others)
    figures: dict[str, Mapping[str, Mapping[str, float]]] = {}
    for name, scores in scorers.items():
        figures[name] = measure(scores, suites)
        said(f"measured {name}")
    return figures


def _tokenizer(corpus: Corpus, path: Path, said: Said) -> Tokenizer:
    if not path.exists():
        trained(corpus.texts(TOKENIZER_PAIRS), VOCABULARY, VocabularyMethod.BPE, cut=True).save(str(path), pretty=False)
        said("the tokenizer is trained")
    return Tokenizer.from_file(str(path))
