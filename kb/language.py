"""Which language a text is written in, and one spelling for Chinese."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import opencc

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"(?<!\S)[\"'(*]{0,2}[A-Za-z][a-z']++[.,;:!?)\"'*]{0,3}(?!\S)")
_MACHINE = re.compile(
    r"^\s*+(?:at\s|\.\.\.\s|Caused by|File \"|\[?\d{2,4}[-/:.]\d{1,2}|[$>#{}\[\]<(|+]|\S++$|[\w.$]{1,200}(?:Exception|Error)\b|(?:INFO|WARN|ERROR|DEBUG)\b)"
    r"|[;{}]\s*+$|\w\([^()\s]{0,80}\)|=\S"
)
"""A line that a machine wrote: a frame, a log line, code, a command, a bare name."""

_QUOTED = re.compile(r"\"[^\"\n]{0,400}\"|`[^`\n]{0,400}`")
"""Words that somebody or something else said: mostly error messages."""

_SAMPLE = 200_000
"""Characters looked at: the language of a text shows in its beginning."""


def detect(text: str) -> str:
    """``zh``, ``en`` or ``mixed``: the language of the words. Code, logs and traces do not count.

    A Chinese text keeps its English terms, so a few Latin words among Han characters are still ``zh``; ``mixed`` is a
    text whose sentences come in both languages. Without any words it is ``en``.
    """
    text = text.removeprefix("\ufeff")[:_SAMPLE]
    if not _HAN.search(text):
        return "en"
    han = latin = 0
    for line in text.splitlines():
        found = len(_HAN.findall(line))
        han += found
        if not _MACHINE.search(line):
            words = len(_WORD.findall(_QUOTED.sub(" ", line) if '"' in line or "`" in line else line))
            latin += words if words > found else 0  # terms in a Chinese sentence are no English
    share = han / (han + 2.5 * latin)  # one English word says about as much as two or three characters
    return "zh" if share > 0.3 else "mixed" if share > 0.1 else "en"


def simplify(text: str) -> str:
    """The text in NFKC with traditional characters made simplified. Text without any only gets NFKC."""
    if text.isascii():
        return text
    text = _composed(text)
    tables = _tables()
    if not tables.changed.search(text):
        return text
    parts: list[str] = []
    at = 0
    for phrase in tables.phrase.finditer(text):
        parts += (text[at : phrase.start()].translate(tables.characters), tables.phrases[phrase.group()])
        at = phrase.end()
    parts.append(text[at:].translate(tables.characters))
    return "".join(parts)


_ALONE = ((0x00, 0xFF), (0x2000, 0x2BFF), (0x3000, 0x303F), (0x3400, 0x9FFF), (0xFF01, 0xFF60))
"""Blocks of what Chinese and English are written in. Their characters meet no others, but for the marks that are left out below."""


def _composed(text: str) -> str:
    """NFKC, character by character where the text allows it: full-width marks alone make the general way thirty times slower."""
    forms = _forms()
    if forms.other.search(text):
        return unicodedata.normalize("NFKC", text)
    return forms.folded.sub(lambda found: forms.form[found[0]], text)


@dataclass(frozen=True, slots=True)
class _Forms:
    """The characters that NFKC takes one by one: whatever stands beside them."""

    other: re.Pattern[str]
    """Any character that is none of them."""
    folded: re.Pattern[str]
    """Those that NFKC writes otherwise."""
    form: Mapping[str, str]


@lru_cache(maxsize=1)
def _forms() -> _Forms:
    alone: list[str] = []
    folded: dict[str, str] = {}
    for first, last in _ALONE:
        block = "".join(map(chr, range(first, last + 1)))
        if unicodedata.is_normalized("NFKC", block) and not any(map(unicodedata.combining, block)):
            alone += block  # Han: 27,000 characters, none of which it writes otherwise
            continue
        form = {c: unicodedata.normalize("NFKC", c) for c in block}
        form = {c: to for c, to in form.items() if not any(map(unicodedata.combining, c + to))}
        alone += form
        folded |= {c: to for c, to in form.items() if c != to}
    return _Forms(other=re.compile(f"[^{_ranges(alone)}]"), folded=re.compile(f"[{_ranges(folded)}]"), form=folded)


def _ranges(characters: Iterable[str]) -> str:
    """Return what a class of these characters holds, neighbours as a range: of 28,000 single ones the class takes 40 ms to compile."""
    codes = sorted(set(map(ord, characters)))
    starts = [at for at, code in enumerate(codes) if not at or code != codes[at - 1] + 1]
    ends = [*(at - 1 for at in starts[1:]), len(codes) - 1]
    return "".join(
        f"{re.escape(chr(codes[first]))}-{re.escape(chr(codes[last]))}"
        for first, last in zip(starts, ends, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Tables:
    """OpenCC's traditional-to-simplified dictionaries, in the form that is fast to apply."""

    phrases: Mapping[str, str]
    phrase: re.Pattern[str]
    characters: Mapping[int, str]
    changed: re.Pattern[str]
    """Without one of these nothing changes: a phrase whose characters all stand for themselves elsewhere has the one that does not here."""


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    """The dictionaries bundled with the opencc package, read on first use (its own converter needs 2 µs a character)."""
    known = {
        source: target for tables in opencc.OpenCC("t2s").dict_cache.values() for source, target in tables[2].items()
    }
    single = {
        source: target.split()[0]
        for source, target in known.items()
        if len(source) == 1 and target.split()[0] != source
    }
    phrases = {source: target.split()[0] for source, target in known.items() if len(source) > 1}
    unaided = ((p, target) for p, target in phrases.items() if p != target and not any(c in single for c in p))
    telling = ({c for c, to in zip(p, target, strict=False) if c != to} or set(p) for p, target in unaided)
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    changed = sorted(set(single).union(*telling))
    # rare characters are taken for a block: each of them would be looked for by itself
    common = _ranges(one for one in changed if one < "\U00020000")
    return _Tables(
        phrases=phrases,
        phrase=re.compile("|".join(map(re.escape, longest_first))),
        characters=str.maketrans(single),
        changed=re.compile(f"[{common}\U00020000-\U0003ffff]"),
    )


def answer_language(lang: str) -> str:
    """The language to answer a text in, by the one it is in: whoever mixes the two reads Chinese."""
    return "zh" if lang in {"zh", "mixed"} else "en"
