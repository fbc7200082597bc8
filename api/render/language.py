"""The words of the page in each language: data in `strings/*.json`, chosen by `?lang=` or Accept-Language."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from kb.language import detect
from kb.translatable import Translatable

DEFAULT = "en"
LANGUAGES = ("en", "zh")
UNLIKELY = 0.3
"""Below this a match is unlikely: doors fold it, or leave it out."""
PROBABILITY_WORDS = (
    (0.93, "almost_certain"),
    (0.8, "very_likely"),
    (0.6, "likely"),
    (UNLIKELY, "possible"),
    (0.0, "unlikely"),
)
"""From how high a probability each word is used; the words are in the strings under ``probability_…``.

Of strangers' pastes with .93 or more all of 126 were right, of those from .8 on 172 of 182, from .6 on 62 of 72 (2026-11-30, six sets; probabilities were fitted to five of them).
"""


@dataclass(frozen=True, slots=True)
class Strings:
    """The words of one language."""

    lang: str
    words: Mapping[str, str]
    sentences: Mapping[str, str] = field(default_factory=dict)
    """Forms of sentences that the code states in English (`kb.translatable`), and the same in this language; in English none."""

    def __call__(self, key: str, **values: object) -> str:
        """The text of ``key`` with its places filled in."""
        return self.words[key].format(**values) if values else self.words[key]

    details: Mapping[str, str] = field(default_factory=dict)
    """Forms of sentences that `kb ingest` stored in English as to why a document was rejected, and the same in this language."""

    @property
    def html_lang(self) -> str:
        """The language tag for ``<html lang>``."""
        return "zh-CN" if self.lang == "zh" else self.lang

    def sentence(self, english: str) -> tuple[str, str]:
        """A sentence in this language, and the tag of the language that it came to: what nobody translated stays English.

        One that is in the reader's language already stays as it is.
        """
        if isinstance(english, Translatable) and (here := self.sentences.get(english.form)):
            values = (self.sentence(one)[0] if isinstance(one, Translatable) else one for one in english.values)
            return here.format(*values), self.html_lang
        return english, self.html_lang if detect(english) != DEFAULT else DEFAULT

    def recalled(self, english: str) -> tuple[str, str]:
        """Why a document was rejected, as it was stored, in this language, and the tag of the language that it came to."""
        if here := self._in_form(english):
            return here, self.html_lang
        pieces = [self._in_form(one) for one in english.split("; ")]
        return ("；".join(filter(None, pieces)), self.html_lang) if all(pieces) else self.sentence(english)

    def _in_form(self, english: str) -> str | None:
        fitting = [(form, values) for form in self.details if (values := _places(form, english)) is not None]
        if not fitting:
            return None
        form, values = max(fitting, key=lambda one: len(one[0]))
        return self.details[form].format(*values)

    def headline(self, standing: str, causes: int = 0) -> str:
        """What an answer amounts to (`index.verdict.FineVerdict`), with the number of causes where one error has several."""
        return (
            self(f"verdict_causes_{standing}", count=self(f"count_{causes}")) if causes else self(f"verdict_{standing}")
        )

    def advice(self, standing: str, causes: int = 0, *, is_near: bool = True) -> str:
        """One line below the headline. ``is_near``: whether an unknown problem has nearest incidents."""
        if causes:
            return self("verdict_causes_text")
        return self("verdict_unknown_near" if standing == "unknown" and is_near else f"verdict_{standing}_text")

    def only_in(self, lang: str) -> str:
        """*only in Chinese*, of words in a language that is not the reader's; '' of others."""
        return self(f"only_{lang}") if lang in LANGUAGES and lang != self.lang else ""

    def lines(self, first: int, last: int) -> str:
        """``lines 3–17`` of a paste."""
        return self("problem_line" if first == last else "problem_lines", first=first, last=last)

    def probability(self, value: float) -> str:
        """``very likely: 93 %``."""
        return self("probability", words=self.probability_word(value), percent=percent(value))

    def probability_word(self, value: float) -> str:
        """``very likely``."""
        word = next(word for least, word in PROBABILITY_WORDS if value >= least)
        return self(f"probability_{word}")


def _places(form: str, text: str) -> list[str] | None:
    """The values of a sentence of this form, each as short as it can be; None for another sentence."""
    first, *others = form.split("{}")
    if not text.startswith(first):
        return None
    if not others:
        return [] if text == first else None
    values, at = [], len(first)
    for piece in others[:-1]:
        end = text.find(piece, at)
        if end < 0:
            return None
        values.append(text[at:end])
        at = end + len(piece)
    end = len(text) - len(others[-1])
    return [*values, text[at:end]] if end > at and text.endswith(others[-1]) else None


def percent(value: float) -> str:
    """Whole percents, never 0 % or 100 %: nothing is impossible or certain."""
    return f"{min(99, max(1, round(100 * value)))} %"


def load_strings() -> dict[str, Strings]:
    """Every language's words. All have the same keys (a test holds them to it)."""
    folder = files("api") / "strings"

    def load(name: str) -> dict[str, str]:
        file = folder / f"{name}.json"
        return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}

    return {
        lang: Strings(lang, *(load(f"{kind}{lang}") for kind in ("", "sentences.", "details."))) for lang in LANGUAGES
    }


def choose(wanted: str | None, accept_language: str | None) -> str:
    """The page's language: the one asked for by name, else the best of Accept-Language, else English."""
    return preferred(wanted, accept_language) or DEFAULT


def preferred(wanted: str | None, accept_language: str | None) -> str | None:
    """The language that a reader asks for: by name, else the best of Accept-Language; None where neither names one of ours."""
    if wanted and (named := _known(wanted)):
        return named
    ranked: list[tuple[float, int, str]] = []
    for place, item in enumerate((accept_language or "").split(",")[:20]):
        tag, _, parameters = item.partition(";")
        quality = _quality(parameters)
        if (lang := _known(tag)) and 0 < quality <= 1:
            ranked.append((-quality, place, lang))
    return min(ranked)[2] if ranked else None


def locale_language() -> str | None:
    """The language of the terminal; None where the locale names none of ours."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return _known(next(filter(None, names), "").replace("_", "-").partition(".")[0])


def terminal_language(text: str) -> str:
    """The language to answer in on a terminal: Chinese to who writes it, else that of the locale. An error is in English everywhere."""
    return "zh" if detect(text) != "en" else locale_language() or DEFAULT


def _known(tag: str) -> str | None:
    primary = tag.strip().lower().partition("-")[0]
    return primary if primary in LANGUAGES else None


def _quality(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0
