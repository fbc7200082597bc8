"""Numbers to names, the same on every machine: words, classes, frames and types of software that nobody wrote."""

from functools import cache, lru_cache
from importlib import resources

_CONSONANTS = "bdfgklmnprstvz"
_VOWELS = "aeiou"
_SYLLABLES = [c + v for c in _CONSONANTS for v in _VOWELS]
_PLATFORM = (
    "java.util",
    "java.util.concurrent",
    "java.lang",
    "java.io",
    "java.net",
    "sun.nio.ch",
    "javax.security.auth",
)
_PLATFORM_SHARE = 0.11
"""Of the distinct frames that are the platform's, at every rank: statistics.json, platform."""
_FAMILY = 3
"""Frames that came up one after the other and share a class."""
_CLASSES = 16
"""Classes of a package."""


def mix(*numbers: int) -> int:
    """A 64-bit number without pattern (SplitMix64)."""
    state = 0
    for number in numbers:
        state = (state + number + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        state ^= state >> 31
    return state


def invented(number: int) -> str:
    """A word that no language has; another one for each number."""
    word = ""
    number += len(_SYLLABLES) ** 2
    while number:
        number, at = divmod(number, len(_SYLLABLES))
        word += _SYLLABLES[at]
    return word


@cache
def english() -> tuple[str, ...]:
    """Words of troubleshooting articles, the commonest first: the project's background counts."""
    return tuple(word for word in _background() if word.isascii() and word[0].isalpha() and ":" not in word)


@cache
def chinese() -> tuple[str, ...]:
    """The same in Chinese, words of two characters and more."""
    return tuple(word for word in _background() if not word.isascii() and len(word) > 1)


@cache
def _background() -> tuple[str, ...]:
    text = resources.files("index").joinpath("rules/background_words.tsv").read_text(encoding="utf-8")
    return tuple(line.rpartition("\t")[0] for line in text.splitlines() if line and not line.startswith("#"))


@cache
def _everyday_types() -> tuple[str, ...]:
    """Types of real runtimes, the commonest first."""
    text = resources.files("index").joinpath("rules/background_frames.tsv").read_text(encoding="utf-8")
    types = (line[2:].rpartition("\t")[0] for line in text.splitlines() if line.startswith("t:"))
    return tuple(name for name in types if name.startswith(("java.", "javax.")))


def hump(number: int, words: int = 2) -> str:
    """A name in humps: CheckpointCoordinator."""
    parts = _parts()
    return "".join(parts[mix(number, at) % len(parts)] for at in range(words))


@cache
def _parts() -> tuple[str, ...]:
    return tuple(word.capitalize() for word in english()[200:4000] if word.isalpha())


def package(number: int) -> str:
    """``org.bafodi``, and what follows of it."""
    return f"org.{invented(number // 40)}.{invented(mix(number) % 4000)}"


def package_of(frame: int) -> int:
    """The number of the package that a frame is in."""
    return frame // (_FAMILY * _CLASSES)


@lru_cache(maxsize=1 << 18)
def frame_of(number: int) -> tuple[str, str, str, int]:
    """Class, method, file and line."""
    kind = number // _FAMILY
    name = hump(kind) + invented(kind % 3000).capitalize()
    platform = mix(number) % 1000 < 1000 * _PLATFORM_SHARE
    home = _PLATFORM[mix(number, 1) % len(_PLATFORM)] if platform else package(package_of(number))
    method = hump(mix(number, 2) % 5000, 1 + number % 2)
    method = method[0].lower() + method[1:]
    return f"{home}.{name}", method, f"{name}.java", 20 + mix(number, 3) % 900


@lru_cache(maxsize=1 << 16)
def type_of(number: int) -> str:
    """An exception's qualified name: at first those that everybody knows."""
    known = _everyday_types()
    if number < len(known):
        return known[number]
    return f"{package(mix(number) % 5000)}.{hump(number)}{('Exception', 'Error', 'Fault')[number % 3]}"
