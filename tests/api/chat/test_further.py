"""Every platform shows the same of a further match: its title, its page, how likely it is, its component."""

import json
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from api.chat.message import AnswerCard, CardMatch
from api.chat.settings import platform_names
from index.answer import Verdict
from tests.api.chat.told import told

LIKELY = {"en": "possible", "zh": "有可能"}


def further(place: int, name: str, lang: str) -> CardMatch:
    """Each of its parts holds its name, in letters that no platform escapes."""
    return CardMatch(place, f"title{name}", f"component{name}", LIKELY[lang] + name, f"https://kb.example.org/{name}")


def drawn(name: str) -> Callable[[AnswerCard], Any]:
    draw: Callable[[AnswerCard], Any] = import_module(f"api.chat.{name}.card").card
    return draw


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("where", ["others", "causes", "problems"])
@pytest.mark.parametrize("name", platform_names())
def test_a_further_match_is_shown_with_all_its_parts(name: str, where: str, lang: str) -> None:
    matches = tuple(further(place, letter, lang) for place, letter in ((1, "alpha"), (2, "beta")))
    message = replace(told(Verdict.KNOWN, lang), **{"others": (), where: matches})
    text = json.dumps(drawn(name)(message), ensure_ascii=False)
    parts = [part for one in matches for part in (one.title, one.component, one.likelihood, one.link)]
    assert [part for part in parts if part not in text] == []


@pytest.mark.parametrize("name", platform_names())
def test_a_further_match_without_facts_ends_with_its_title(name: str) -> None:
    """No empty brackets, no dot, no dash behind it."""
    bare = CardMatch(-1, "titlealpha", None, "", None)
    marks = []
    for one in (bare, replace(bare, likelihood="possible")):
        text = json.dumps(drawn(name)(replace(told(Verdict.KNOWN, "en"), others=(one,))), ensure_ascii=False)
        behind = text.partition("titlealpha")[2].partition("\\n")[0][:90]  # Teams writes elements, the others lines
        marks.append({mark for mark in ("·", "(", "—", "<font") if mark in behind})
    assert marks[0] == set() != marks[1]
