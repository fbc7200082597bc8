"""The tokenizer of the bilingual model: how a text is cut, and the vocabulary learned from both languages.

All of it stands in one ``tokenizer.json`` that the tokenizers library runs: NFKC, placeholders and encoded data out, humps of
identifiers apart, lower case; then runs of Chinese characters, words and short numbers; then a unigram model
(Kudo 2018, arXiv:1804.10959), which cuts each run into its likeliest pieces. It is trained on Chinese that jieba has cut into words,
so that its pieces are words, while no jieba is needed where the model is used: jieba's own cut is such a likeliest path as well.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum

from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import BPE, Unigram
from tokenizers.trainers import BpeTrainer, Trainer, UnigramTrainer

from index.terms import tokens
from kb.language import simplify

UNKNOWN = "[UNK]"
_HAN = "㐀-鿿"
_PLACEHOLDER = r"<[a-z_0-9]{2,12}>"
_ENCODED = r"[A-Za-z0-9+/=_-]{64,}"
"""As long as that is data, not words."""
_HUMPS = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z]{2})(?=[A-Z][a-z])"
_HEX = r"(?=[a-z]*[0-9])[0-9a-f]{7,}(?![a-z0-9])"
_RUNS = (
    rf"[{_HAN}]+"
    rf"|(?<![a-z0-9])(?!{_HEX})[\p{{L}}&&[^{_HAN}]][\p{{L}}0-9&&[^{_HAN}]]*"
    r"|(?<![a-z0-9])[0-9]{3,5}(?![a-z0-9])"
)
"""Chinese, words that are no hexadecimal number, numbers of three to five digits (ports, exit and status codes)."""


class VocabularyMethod(StrEnum):
    """How the vocabulary is learned."""

    UNIGRAM = "unigram"
    BPE = "bpe"


def untrained(method: VocabularyMethod) -> Tokenizer:
    """The cut into runs, without a vocabulary."""
    model = Unigram() if method is VocabularyMethod.UNIGRAM else BPE(unk_token=UNKNOWN)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFKC(),
            normalizers.Replace(Regex(_PLACEHOLDER), " "),
            normalizers.Replace(Regex(_ENCODED), " "),
            normalizers.Replace(Regex(_HUMPS), " "),
            normalizers.Lowercase(),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(_RUNS), "removed", invert=True)
    return tokenizer


def trained(texts: Iterable[str], size: int, method: VocabularyMethod, *, cut: bool) -> Tokenizer:
    """A tokenizer of at most ``size`` pieces; with ``cut`` it is trained on Chinese that jieba has cut."""
    tokenizer = untrained(method)
    trainer: Trainer
    if method is VocabularyMethod.UNIGRAM:
        trainer = UnigramTrainer(
            vocab_size=size, unk_token=UNKNOWN, special_tokens=[UNKNOWN], max_piece_length=16, show_progress=False
        )
    else:
        trainer = BpeTrainer(vocab_size=size, special_tokens=[UNKNOWN], min_frequency=3, show_progress=False)
    tokenizer.train_from_iterator(spaced(texts) if cut else map(simplify, texts), trainer)
    return tokenizer


def spaced(texts: Iterable[str]) -> Iterator[str]:
    """The texts with blanks between the words that jieba finds."""
    return (" ".join(tokens.chinese_cut(simplify(text))) for text in texts)
