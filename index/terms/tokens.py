"""Words of a text in two languages and mixed script, as the lexical index, the ranker and the hashing encoder see them.

Chinese runs are cut by jieba in search mode and into character pairs; identifiers are cut at dots and humps and kept
whole as well; concepts of the glossary stand beside them, so that a question in one language meets a text in the other.
"""

import re
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from itertools import pairwise
from math import inf, log
from typing import NamedTuple

import jieba

from index.terms.glossary import concept_of, concepts, rules_text
from kb.language import simplify
from kb.trace.template.placeholders import CODES

VERSION = 3
"""Raised whenever this code cuts any text otherwise (the glossary is digested): other snapshots are refused."""

MAX_CHARS = 24_000
"""What is looked at of one text; the rest is left out. Callers that cut with more care cut before."""

_PLACEHOLDER = re.compile(r"<[a-z_0-9]{2,12}>")
_RUN = re.compile(r"[㐀-鿿]+|[a-z0-9_][a-z0-9_.$-]*+", re.IGNORECASE)
_CODE = re.compile(
    r"(?<![A-Za-z0-9_-])[A-Z][A-Z0-9]{1,11}(?:-[A-Z]{2,8})?(?:-[0-9]{2,6}){1,2}(?![A-Za-z0-9_-]|\.[0-9])"
)
"""A code by its giver and number: ORA-00942, OS-NAOS-40008, CVE-2021-44228. It is a name, however many its digits."""
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_VERSIONED = re.compile(r"([A-Za-z]{3,})[0-9]{1,4}")
"""A name with its number glued to it: ``Node18``, ``Postgres13``, ``qwen2``. It says the name and the whole: the number may be a release, or what sets two apart."""
_NUMBERED = re.compile("|".join(pattern for _, pattern in CODES))
"""Names to which their number belongs, as templates of messages have them: ``utf8``, ``sha256``, ``float64``."""
_FIRST_HAN = "\u3400"
"""From here on a run is Chinese: the others are of letters that come before."""
_LONGEST = 64
"""Longer runs of letters and digits are encoded data, not words; what is made of longer runs is not remembered."""


class _Tokenizer(jieba.Tokenizer):  # type: ignore[misc]
    """jieba without its messages and without the cache file that it writes into the shared temporary folder, and faster.

    jieba notes for each place where its words can end, then takes the likeliest way. Here one loop does both, with the same numbers,
    of which the logarithms are taken once: ``FREQ`` holds shares, which jieba asks only whether they are there.
    """

    def initialize(self, dictionary: str | None = None) -> None:  # noqa: ARG002 - the signature of jieba
        with self.lock:
            if not getattr(self, "initialized", False):
                counts, self.total = self.gen_pfdict(self.get_dict_file())
                whole = log(self.total)
                self.FREQ = {word: log(count) - whole if count else 0 for word, count in counts.items()}
                self.initialized = True

    def get_DAG(self, sentence: str) -> dict[int, list[int]]:  # noqa: ARG002, N802 - the signature of jieba
        """Nothing: `calc` looks itself."""
        self.check_initialized()
        return {}

    def calc(self, sentence: str, DAG: object, route: dict[int, tuple[float, int]]) -> None:  # noqa: ARG002, N803
        """For each place, from behind: how likely the rest of the run is, and where the word ends that begins there."""
        known, size = self.FREQ.get, len(sentence)
        ways = [0.0] * (size + 1)
        for at in range(size - 1, -1, -1):
            best, last, end = -inf, at, at + 1
            while end <= size and (share := known(sentence[at:end])) is not None:  # 0: only the beginning of a word
                if share and (way := share + ways[end]) >= best:
                    best, last = way, end - 1
                end += 1
            ways[at] = best if best > -inf else ways[at + 1] - log(self.total)
            route[at] = ways[at], last


_jieba = _Tokenizer()  # empty until the first Chinese run, which takes most of a second longer


@cache
def scheme() -> str:
    """Names the tokens of this code and this glossary: equal schemes cut every text alike."""
    return f"{VERSION}-{sha256(rules_text().encode()).hexdigest()[:12]}"


def words(text: str) -> list[str]:
    """The words of a text in order, lower case, repeats kept: what a reader would call its words, and its concepts."""
    pieces = cut(text)
    return pieces.tokens + [f"c:{concept}" for concept in pieces.concepts]


def units(text: str) -> list[tuple[str, str | None]]:
    """`CutText.units` of a text."""
    return cut(text).units


def index_terms(text: str) -> list[str]:
    """`CutText.index_terms` of a text."""
    return cut(text).index_terms


def phrases(text: str) -> list[str]:
    """`CutText.phrases` of a text."""
    return cut(text).phrases


def codes(text: str) -> list[str]:
    """The distinct codes that a text names, in order: what templates of messages may have taken for numbers."""
    return list(dict.fromkeys(_CODE.findall(text[:MAX_CHARS])))


class _Pieces(NamedTuple):
    """Pieces in order, repeats kept."""

    tokens: list[str]
    """Every token: words, identifiers whole and in their parts."""
    words: list[str]
    """The words, identifiers whole only."""
    parts: list[str]
    """What the glossary looks at: Chinese runs whole, identifiers in their lower-case parts."""


class CutText(_Pieces):
    """A text in pieces."""

    @cached_property
    def concepts(self) -> list[str]:
        """The concepts that it names."""
        return concepts(self.parts)

    @property
    def units(self) -> list[tuple[str, str | None]]:
        """The distinct things that it says: each word with its concept, then the concepts that no word has alone.

        A text that has the concept in other words, or in the other language, says the same. An identifier is one word here,
        not its parts as well: who writes NullPointerException says one thing, not four.
        """
        own = {word: concept_of(word) for word in self.words}
        others = dict.fromkeys(concept for concept in self.concepts if concept not in own.values())
        pairs = [(word, f"c:{concept}" if concept else None) for word, concept in own.items()]
        return pairs + [(f"c:{concept}", None) for concept in others]

    @property
    def index_terms(self) -> list[str]:
        """`words` of the text and the character pairs of its Chinese runs: what is searched in."""
        pairs = [run[at : at + 2] for run in self.parts if run >= _FIRST_HAN for at in range(len(run) - 1)]
        return self.tokens + pairs + [f"c:{concept}" for concept in self.concepts]

    @property
    def phrases(self) -> list[str]:
        """The pairs of neighbouring words, in order, identifiers whole: what two texts say in the same words."""
        return [f"{first} {second}" for first, second in pairwise(self.words)]


def cut(text: str) -> CutText:
    """A text in pieces, for who needs more than one of their kinds."""
    clean = _PLACEHOLDER.sub(" ", simplify(text[:MAX_CHARS]))
    found: list[str] = []
    pieces: list[str] = []
    parts: list[str] = []
    for run in _RUN.findall(clean):
        if run >= _FIRST_HAN:
            words_of_run = _chinese(run)
            found += words_of_run
            pieces += words_of_run
            parts.append(run)
        else:
            identifier = _identifier(run)
            found += identifier.tokens
            pieces += identifier.words
            parts += identifier.parts
    return CutText(found, pieces, parts)


def _chinese(run: str) -> tuple[str, ...]:
    """The words of a Chinese run: jieba's, the shorter words inside them first; a lone character only by itself."""
    return _remembered(run) if len(run) <= _LONGEST else _searched(run)


def _searched(run: str) -> tuple[str, ...]:
    return tuple(word for word in _jieba.cut_for_search(run) if len(word) > 1 or len(run) == 1)


_remembered = lru_cache(maxsize=1 << 14)(_searched)


def _identifier(run: str) -> _Pieces:
    """A run of letters, digits, dots, dollars and dashes in pieces."""
    name = run.strip(".$-_")
    found = _pieces(name) if 0 < len(name) <= _LONGEST else _Pieces([], [], [])
    if len(name) == len(run) or "." not in name or not found.words:
        return found
    if run[0] == "_" or not run.rstrip(".$-").endswith(f"{name}_"):
        return found
    # numpy.float_ and numpy.float are two names (PEP 8, "single_trailing_underscore_")
    last = [f"{name.rpartition('.')[2].lower()}_"]
    return _Pieces(found.tokens + last, found.words + last, found.parts)


@lru_cache(maxsize=1 << 16)
def _pieces(run: str) -> _Pieces:
    is_code = _CODE.fullmatch(run) is not None
    if _is_noise(run) and not is_code:
        return _Pieces([], [], [])
    found = _Pieces([], [], [])
    pieces = [piece for piece in re.split(r"[.$_-]+", run) if piece]
    for piece in pieces:
        humps = [hump.lower() for hump in _HUMP.findall(piece)]
        words_of_piece = [_singular(hump) for hump in humps if len(hump) > 1 and not _is_noise(hump)]
        whole = [piece.lower()] if len(humps) > 1 and len(piece) > 1 else words_of_piece
        named = _VERSIONED.fullmatch(piece)
        spoken = whole if named is None or _NUMBERED.fullmatch(piece) else [*_pieces(named[1]).words, *whole]
        found.tokens.extend(dict.fromkeys(words_of_piece + spoken + whole))
        found.words.extend(spoken)
        found.parts.extend(humps)
    if len(pieces) > 1:
        found.tokens.append(run.lower())
    return _Pieces(found.tokens, [run.lower()], found.parts) if is_code else found


def _is_noise(piece: str) -> bool:
    """Counters, addresses and digests: digits that mean nothing elsewhere. Short numbers stay: exit code 137."""
    if piece.isdigit():
        return not 3 <= len(piece) <= 5
    return len(piece) >= 12 and 3 * sum(map(str.isdigit, piece)) >= len(piece)


def _singular(word: str) -> str:
    """The S-stemmer of Harman (1991): replicas and replica are one word; nothing else is touched."""
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word


def chinese_cut(text: str) -> list[str]:
    """The text in jieba's words, nothing left out: what the tokenizer of the bilingual model is trained on."""
    cut: list[str] = _jieba.lcut(text)
    return cut
