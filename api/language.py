"""The words of the page in each language: data in `strings/*.json`, chosen by `?lang=` or Accept-Language."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

DEFAULT = "en"
LANGUAGES = ("en", "zh")
PROBABILITY_WORDS = (
    (0.95, "almost_certain"),
    (0.8, "very_likely"),
    (0.6, "likely"),
    (0.3, "possible"),
    (0.0, "unlikely"),
)
"""From how high a probability each word is used; the words are in the strings under ``probability_…``."""


@dataclass(frozen=True, slots=True)
class Strings:
    """The words of one language."""

    lang: str
    words: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        """The text of ``key`` with its places filled in."""
        return self.words[key].format(**values) if values else self.words[key]

    @property
    def html_lang(self) -> str:
        """The language tag for ``<html lang>``."""
        return "zh-CN" if self.lang == "zh" else self.lang

    def probability(self, value: float) -> str:
        """``very likely: 93 %``."""
        return self("probability", words=self.probability_word(value), percent=percent(value))

    def probability_word(self, value: float) -> str:
        """``very likely``."""
        word = next(word for least, word in PROBABILITY_WORDS if value >= least)
        return self(f"probability_{word}")


def percent(value: float) -> str:
    """Whole percents, never 0 % or 100 %: nothing is impossible or certain."""
    return f"{min(99, max(1, round(100 * value)))} %"


def load_strings() -> dict[str, Strings]:
    """Every language's words. All have the same keys (a test holds them to it)."""
    folder = files("api") / "strings"
    return {
        lang: Strings(lang, json.loads((folder / f"{lang}.json").read_text(encoding="utf-8"))) for lang in LANGUAGES
    }


def choose(wanted: str | None, accept_language: str | None) -> str:
    """The page's language: the one asked for by name, else the best of Accept-Language, else English."""
    if wanted and (named := _known(wanted)):
        return named
    ranked: list[tuple[float, int, str]] = []
    for place, item in enumerate((accept_language or "").split(",")[:20]):
        tag, _, parameters = item.partition(";")
        quality = _quality(parameters)
        if (lang := _known(tag)) and 0 < quality <= 1:
            ranked.append((-quality, place, lang))
    return min(ranked)[2] if ranked else DEFAULT


def _known(tag: str) -> str | None:
    primary = tag.strip().lower().partition("-")[0]
    return primary if primary in LANGUAGES else None


def _quality(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0
