"""The tables of what must be hidden and what must stay: each row as it is, in other company, and as a part of a trace."""

import json
import re
from functools import partial
from pathlib import Path
from re._constants import ATOMIC_GROUP, MAX_REPEAT, MAXREPEAT, MIN_REPEAT
from re._parser import SubPattern
from re._parser import parse as parse_pattern
from typing import Any

import pytest

from kb.redact import KINDS, SecretKind, redact
from kb.redact.shapes import tokens
from kb.redact.words import PEOPLE
from kb.trace import fingerprints, parse
from tests.kb.redact_table import Row, hidden, kept
from tests.kb.trace.test_golden import FILES

HIDDEN, KEPT = list(hidden()), list(kept())
LINES = (
    'variable "',
    "auth:\n",
    "Passwörter:\n",
    "contraseñas:\n",
    "New value:",
    "execve(",
    "chpasswd:",
    "username admin",
    "community =",
    "encrypt =",
)
"""Texts of `AS_IT_READS` that are known by the beginning of their line or by their own quotes; behind escapes nobody looks for them."""
LOGGED = [row for row in HIDDEN if not row.text.startswith(LINES)]


def name(row: Row) -> str:
    """The number of its line."""
    return f"{row.kind}-{row.line}" if row.kind else str(row.line)


def test_the_tables_are_as_large_as_they_were_meant_to_be() -> None:
    assert len({row.text for row in HIDDEN}) >= 400
    assert len({row.text for row in KEPT}) >= 400


def test_every_rule_has_a_row() -> None:
    """Each line of `rules/tokens.txt` and each `SecretKind`: the row that fails when it is broken, or has lost its anchor in `KINDS`."""
    rows: dict[str, list[Row]] = {}
    for row in HIDDEN:
        rows.setdefault(row.kind, []).append(row)
    bare = [kind for kind in KINDS if not any(is_read(kind, row) for row in rows.get(kind.name, ()))]
    assert [(kind.name, kind.anchors[:3]) for kind in bare] == [], "write a row for each in hidden.txt"


OF_A_LENGTH = {*PEOPLE, *(kind.name for kind in tokens())}
"""Kinds whose values have a length of their own."""
NO_LONGER = {
    "Server=h;Database=d;User Id=sa;Password=yourStrong(!)Password;": "a value may hold some 27 brackets; no password has so many",
    "密码忘了，应该是zabbix01吧": "a guess in a sentence is a word",
    "wpa_passphrase Home Harbor71x": "the standard allows 63 characters",
}
"""Texts whose values are not of any length, and why."""


def test_a_value_of_any_length_is_hidden_to_its_end() -> None:
    """Each row once more with its value repeated: a kind whose pattern has a bound needs `ends`, or the end of a key stays readable."""
    cut: list[Row] = []
    stretched = padded = 0
    for row in HIDDEN:
        (start, end), *others = row.spans
        value = re.sub(r"(?:=|%3[dD])+\Z", "", row.text[start:end])  # an end of base 64 stands once
        padding = row.text[start + len(value) : end]
        if others or row.kind in OF_A_LENGTH or not re.fullmatch(r"[!#$()*+\-./:?@A-Z\[\]^_a-z|~0-9]{8,}", value):
            continue
        stretched += 1
        padded += padding != ""
        long = value * (3_000 // len(value)) + padding
        shown = redact(row.text[:start] + long + row.text[end:])
        found = [one.end for one in shown.redactions if one.kind == row.kind and one.start <= start < one.end]
        if found and found[0] < start + len(long) - len(value) and value in shown.text:
            cut.append(row)
    assert stretched > 300
    assert padded > 15
    assert {row.text for row in cut} == NO_LONGER.keys(), "give the kind an `ends` (`SecretKind` in kb/redact/words.py)"


LOOSE = {
    ("assignment", "pass"),
    ("login_option", "file=<("),
    ("option", "passwd -"),
    ("option", "ftp> user "),
    ("setting", "chpasswd"),
    ("service_token", "tfp_"),
    ("email", "@"),
}
"""Kind and first anchor of patterns that repeat without bound and may give back: `tests/security/hostile.json` repeats what they repeat."""


def test_a_repeat_without_bound_gives_nothing_back() -> None:
    """Else a text of what it repeats takes the square of its length: write `++`, `*+` or `{16,}+`, or a bound."""
    loose = {
        (kind.name, kind.anchors[0])
        for kind in KINDS
        if kind.anchors and gives_back(parse_pattern(whole(kind).pattern))
    }
    assert loose - LOOSE == set(), "write `++`, `*+` or a bound"
    assert LOOSE - loose == set(), "they give nothing back any more"


@pytest.mark.parametrize(
    ("pattern", "does"),
    [
        *(("a+", True), ("a*?", True), ("(?:ab+)++", True), ("(?:ab)+", True), ("(?>a+b)", True), ("a{3,}", True)),
        *(("a++", False), ("(?:ab)++", False), ("(?:ab++)*+", False), ("(?>a+)", False), ("a{1,9}", False)),
    ],
)
def test_what_gives_back_is_seen(pattern: str, *, does: bool) -> None:
    assert gives_back(parse_pattern(pattern)) is does


def whole(kind: SecretKind) -> re.Pattern[str]:
    """Return the pattern of a kind; of a token whose begin is looked at first, the one that reads it to its end."""
    return kind.ends.args[0] if isinstance(kind.ends, partial) else kind.pattern


def gives_back(parsed: Any) -> bool:
    """Return whether a parsed pattern, or any part of it, repeats without bound and is not possessive."""
    if isinstance(parsed, tuple) and parsed[0] is ATOMIC_GROUP and len(parsed[1]) == 1:
        (only,) = parsed[1]  # a possessive repeat of a group, (?:…)++, is parsed so
        return gives_back(only[1][2] if only[0] is MAX_REPEAT else only)
    if isinstance(parsed, tuple) and any(parsed[0] is repeat for repeat in (MAX_REPEAT, MIN_REPEAT)):
        return parsed[1][1] is MAXREPEAT or gives_back(parsed[1])
    return isinstance(parsed, tuple | list | SubPattern) and any(map(gives_back, parsed))


def is_read(kind: SecretKind, row: Row) -> bool:
    """Return whether the pattern of a kind fits a row: of a token, that it is what goes."""
    if kind in tokens():
        return any(match.span("secret") in row.spans for match in whole(kind).finditer(row.text))
    return kind.pattern.search(row.text) is not None


def test_a_token_of_any_length_takes_all_letters_behind_it() -> None:
    """Behind a last run without bound nobody looks for a letter: a class that lacks some would hide the front of a longer word."""
    cut: list[tuple[str, str]] = []
    longer = 0
    open_tokens = [kind for kind in tokens() if isinstance(kind.ends, partial)]
    for row in HIDDEN:
        *_, (_, end) = row.spans
        kinds = [kind for kind in open_tokens if kind.name == row.kind and is_read(kind, row)]
        if kinds and row.text[end - 1] != "=":  # an end of base 64
            longer += 1
            for letter in "zZ9":
                shown = redact(f"{row.text[:end]}{letter}{letter}{row.text[end:]}")
                if not any(one.start <= end - 1 < one.end - 2 for one in shown.redactions):
                    cut.append((letter, row.text))
    assert longer > 60
    assert cut == [], "give its last run all of A-Z, a-z and 0-9, or a bound"


@pytest.mark.parametrize("row", HIDDEN, ids=name)
def test_what_must_be_hidden_is_hidden_and_nothing_else(row: Row) -> None:
    """By kind and place; and once hidden it is as it stays."""
    redacted = redact(row.text)
    assert tuple((one.start, one.end) for one in redacted.redactions) == row.spans
    assert {one.kind for one in redacted.redactions} == {row.kind}
    again = [one.kind for one in redact(redacted.text).redactions]
    assert again == [], "it takes the placeholder for a secret: `LEFT` in kb/redact/words.py is a bracket that is none"


@pytest.mark.parametrize("row", KEPT, ids=name)
def test_what_must_stay_stays(row: Row) -> None:
    assert redact(row.text).redactions == ()


def test_company_changes_nothing() -> None:
    """All rows as the lines of one text: none hides, lays bare or prolongs another's secret."""
    text, spans = "", []
    for row in sorted(HIDDEN + KEPT, key=lambda row: row.text[::-1]):
        spans += [(len(text) + start, len(text) + end) for start, end in row.spans]
        text += f"{row.text}\n--\n"
    found = {(one.start, one.end) for one in redact(text).redactions}
    assert found == set(spans)


@pytest.mark.parametrize("row", LOGGED, ids=name)
def test_a_record_hides_what_its_text_hides(row: Row) -> None:
    """Logs are JSON lines: what stood in the message is hidden behind its escapes, too."""
    line = json.dumps({"level": "ERROR", "message": f"told:\n{row.text}\n--"}, ensure_ascii=False)
    shown = redact(line).text
    for start, end in row.spans:
        for piece in row.text[start:end].splitlines():
            assert len(piece) < 6 or json.dumps(piece, ensure_ascii=False)[1:-1] not in shown


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.stem}" for path in FILES])
def test_no_fingerprint_moves_but_where_something_stood(path: Path) -> None:
    """The golden traces hold no secrets but where their own texts say so."""
    text = path.read_text(encoding="utf-8")
    redacted = redact(text)
    before, after = parse(text), parse(redacted.text)
    assert [chain.runtime for chain in after] == [chain.runtime for chain in before]
    assert [fingerprints(chain) for chain in after] == [fingerprints(chain) for chain in before]
