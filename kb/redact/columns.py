"""Secrets in columns: tables of Markdown and of clients of databases, CSV, lists of SQL; the head says which column holds them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from kb.patterns import lazy
from kb.redact.names import (
    ABROAD,
    ABROAD_ANCHORS,
    KEY,
    MACHINES,
    OPENED,
    PLAIN_ANCHORS,
    SECRET_KEY,
    SUFFIX,
    VAGUE,
    VALUES,
)
from kb.redact.values import NEVER, STAND_IN, has_digit, is_no_name
from kb.redact.words import SecretKind, end_of_run

_DRESS = " \t\r\"'`*_"
"""What stands around the word of a cell."""
_CLOSED = r"""["'`*_} ]{0,6}+(?:[:：][*_]{0,3}(?=[ ]{0,200}(?:\||\Z)))?"""
"""What may close the name in a head; whatever leads to a table must be read as its head, too."""
_BLANKS = "  "
"""What divides columns that are aligned: two blanks and more."""
_WORDS = lazy(r"[^\s]+(?: [^\s]+){0,8}+")
_WIDEST = 2_000
"""Characters of a head on each side of a name."""
MOST_ROWS, MOST_UNLIKE = 2_000, 3
"""Rows in succession that hold no secret, and lines that are no rows of the table, behind which none is looked for."""
MOST_SAMPLED, _LEAST_OF_GRAMMAR = 16, 2
"""Rows that tell what a column of tokens is, and how many of them must hold a grammar's."""
_MOST_MARKS = 10_000
"""Marks of a line that is divided."""
_NAME = lazy(
    rf"""["'`*_\s]{{0,6}}(?P<before>[A-Za-z_.\- \u4e00-\u9fff]{{0,40}}?)(?i:(?P<key>{KEY}|{ABROAD}){SUFFIX}(?:{OPENED})?+){_CLOSED}\Z"""
)
HEAD = lazy(
    rf"""(?i:(?P<key>{KEY}|{ABROAD}){SUFFIX}(?:{OPENED})?+){_CLOSED}[ ]{{0,200}}(?P<mark>[|,;&\t]|(?=\r?\n)|(?=\\(?:\\|tabularnewline))|(?<=[ ]{{2}}))(?P<secret>)(?P<rest>[^\r\n]{{0,{_WIDEST}}}+)\r?\n(?P<rule>[ |+:=-]{{3,{_WIDEST}}}\r?\n)?+"""
)
INSERT = lazy(
    r"""insert[ \t]{1,3}(?:ignore[ \t]{1,3})?into[ \t]{1,3}[\w.`"\[\]]{1,80}[ \t\r\n]{0,3}\((?P<names>[\w`",.\[\] \t\r\n]{1,1000})\)[ \t\r\n]{0,3}values?[ \t\r\n]{0,3}(?=\()(?P<secret>)""",
    re.IGNORECASE,
)
COPY = lazy(
    r"""copy[ ]{1,3}[\w."]{1,80}[ ]{1,3}\((?P<names>[\w", ]{1,1000}+)\)[ ]{1,3}from[ ]{1,3}stdin[^\r\n]{0,80}\r?\n(?P<secret>)""",
    re.IGNORECASE,
)
"""A dump of PostgreSQL: ``COPY users (id, password) FROM stdin;``"""
_OPENS = lazy(r"""[ \t\r\n]{0,8}[NEne]?(?P<mark>['"])""")
_INSIDE = {
    "'": lazy(r"""(?:[^'\\]{1,4000}+|\\.|''){1,1000}+""", re.DOTALL),
    '"': lazy(r"""(?:[^"\\]{1,4000}+|\\.|""){1,1000}+""", re.DOTALL),
}
_BARE = lazy(r"""[ \t\r\n]{0,8}[^,()'"\r\n]{0,400}+(?:\([^()\r\n]{0,400}+\))?""")
_ENDS = lazy(r"""['"]?[ \t\r\n]{0,8}[,)]""")
_NEXT = lazy(r"[ \t\r\n]{0,8},[ \t\r\n]{0,8}\(")
_LONGEST_END = 120
_LATEX_ENDS = lazy(
    r"[ \t]{0,8}+\\(?:\\(?:\[[^\[\]]{0,12}+\])?|tabularnewline)[ \t]{0,8}+(?:\\[a-z]{1,12}+(?:\{[^{}]{0,20}+\})?[ \t]{0,8}+){0,3}+\r?\Z"
)
"""How a row of LaTeX ends: ``root & x \\\\ \\hline``"""
_DRESSED = lazy(r"\\[a-z]{2,12}\{(?P<inside>[^{}]{0,200}+)\}")
"""A cell of LaTeX: ``\\textbf{Password}``"""
_TERMINAL = lazy(
    r"[ \t\"'`]{0,8}(?:T_[A-Z_]{1,40}\d{0,3}|[A-Z][A-Z_]{0,40}|(?=\w{1,8}\b)[A-Z][A-Z_]{0,6}\d{1,3}[a-z]{0,3})[ \t\"'`]{0,8}\Z"
)
"""``SEMICOLON``, ``T_STRING2``, ``IDENT42x`` below ``token``: a grammar's"""
_WORD_OF_GRAMMAR = lazy(r"[ \t\"'`]{0,8}[a-z][a-z_-]{0,14}[ \t\"'`]{0,8}\Z")
"""``semicolon`` in a table of tokens"""
_RULE = lazy(r"[ \t]{0,8}\|[ \t]{0,8}:?-{2}")
"""What stands below a head of Markdown: ``|---|---|``"""
ANCHORS = (*PLAIN_ANCHORS, "密码", "密碼", "口令", "密钥", "密鑰", "金鑰")
"""Names in a head that lead to its table."""
_MOST_WORDS = 3
"""Words of a head that names users: ``Nombre de usuario``, and no ``Example of user code``."""
_USERS = lazy(
    r"(?:user|login|account|e-?mail|usu[aá]rio|benutzer|nutzer|konto|utilisateur|identifiant|compte|cuenta|correo|utente|kullanıcı|gebruiker|логин|пользовател|ユーザー|사용자|用户|用戶|[账帐帳][号號户])[^\W\d_]{0,6}(?:[ _.-]?(?:name|id|code|n[or]\.?|number|ad[ıi]|address|adresse?))?(?:[ ]?\([^()]{0,40}\))?\Z",
    re.IGNORECASE,
)
_RESULTS = lazy(
    r"(?:accepted|rejected|passed|failed|fail(?:ure)?|succeeded|success(?:ful)?|okay|valid|invalid|expired|denied|granted|refused|allowed|forbidden|verified|unverified|match(?:es|ed)?"
    r"|mismatch|correct|incorrect|wrong|skipped|pending|changed|unchanged|revoked|locked|unlocked|disabled|enabled|active|inactive|present|absent|weak|strong|rotated)[.!]?\Z",
    re.IGNORECASE,
)
"""``rejected`` below ``password``: how it went"""
_TYPES = lazy(
    r"(?i:(?:var)?char|text|string|int(?:eger)?|bigint|bool(?:ean)?|blob|n?varchar2?|required|optional|yes|no|pri|uni|mul)\b|\W{0,8}\Z"
)


def secrets_below(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The cells below the heads of this line that name secrets."""
    text = match.string
    begin = text.rfind("\n", max(match.start() - _WIDEST, 0), match.start()) + 1
    if not begin and match.start() > _WIDEST:
        return
    head = text[begin : text.find("\n", match.start())]
    mark = _mark_of(head, match)
    if mark is None:
        return
    head = _DRESSED.sub(r"\g<inside>", _LATEX_ENDS.sub("", head)) if mark == "&" else head
    is_wiki = mark == "||"
    heads = _cells(head.replace("||", "|") if is_wiki else head, "|" if is_wiki else mark)
    mark = "|" if is_wiki else mark
    named = named_among(heads)
    here = _cells_before(text[begin : match.start()], "||" if is_wiki else mark)
    if not named or lists_names(heads) or _first(heads, here) != here:
        return  # of several names the first leads here, so that no row is read for each of them
    without, unlike, vague = 0, 0, vague_among(heads, named)
    tokens = {number for number in tokens_among(heads, named) if is_grammar(_sample(match, mark, len(heads), number))}
    for at, row in rows(text, match.end()):
        cells = _cells_of_row(row, mark, len(heads))
        if len(cells) != len(heads):
            unlike += 1
            if unlike > MOST_UNLIKE:
                return
            continue
        set_ones = named - {number for number in tokens if is_of_grammar(cells[number])}
        set_ones -= {number for number in vague if not is_no_name(cells[number].strip(_DRESS))}
        found = list(
            _in_row(cells, set_ones, text, at, is_certain=is_wiki or (match["rule"] is not None and mark == "|"))
        )
        may_be_head = not found or _RULE.match(text, at + len(row) + 1) is not None
        if may_be_head and any(is_named(_DRESSED.sub(r"\g<inside>", c) if mark == "&" else c) for c in cells):
            return  # a head of its own, so that no row is read twice
        yield from found
        without, unlike = 0 if found else without + 1, 0
        if without == MOST_ROWS:
            return


def _sample(match: re.Match[str], mark: str, width: int, number: int) -> Iterator[str]:
    """The first cells below a head."""
    for _, row in islice(rows(match.string, match.end()), MOST_SAMPLED):
        cells = _cells_of_row(row, mark, width)
        if len(cells) == width:
            yield cells[number]


def _cells_of_row(row: str, mark: str, width: int) -> list[str]:
    return _cells(row if mark != "&" else _without_end(row), mark, width + 1)


def _without_end(row: str) -> str:
    """A row of LaTeX without what ends it."""
    ends = _LATEX_ENDS.search(row, max(len(row) - _LONGEST_END, 0))
    return row[: ends.start()] if ends else row


def rows(text: str, at: int) -> Iterator[tuple[int, str]]:
    """The lines from a place on, and where each begins."""
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield at, text[at:end]
        at = end + 1


def _cells(line: str, mark: str, most: int = _WIDEST) -> list[str]:
    """What stands between the marks, of aligned columns the first ``most``; nothing of a line with marks without end, which may be as large as the text."""
    if mark == _BLANKS:
        return [word[0] for word in islice(_WORDS.finditer(line), most)]
    if line.count(mark) > _MOST_MARKS:
        return []
    parts = line.split(mark)
    if '"' not in line and "\\" not in line:
        return parts
    cells: list[str] = []
    held: list[str] = []
    is_open = False
    for part in parts:  # a mark within quotes, or behind a backslash, divides nothing
        held.append(part)
        is_open ^= part.count('"') % 2 == 1
        if not is_open and not part.endswith("\\"):
            cells.append(mark.join(held))
            held = []
    return [*cells, *([mark.join(held)] if held else [])]


def _mark_of(head: str, match: re.Match[str]) -> str | None:
    """What divides the cells; None where the line is no head of a table."""
    if match["rule"]:
        return "|" if "|" in head else _mark_above(match["rule"], head)
    if (ends := _LATEX_ENDS.search(head)) is not None:
        return "&" if "&" in head[: ends.start()] else None
    if match["mark"] == "&":
        return None
    if head.lstrip().startswith("||"):
        return "||"  # of a wiki: ||name||password||
    for mark in ("\t", ",", ";"):
        if mark in head:
            return mark
    return _BLANKS if _BLANKS in head.strip() else None


def _mark_above(rule: str, head: str) -> str | None:
    """The blanks of a head below which each column has a line of its own: ``====  ====``."""
    is_ruled = "  " in rule.strip() and len(rule.split()) == len(_WORDS.findall(head))
    return _BLANKS if is_ruled else None


def is_named(name: str) -> bool:
    """Whether a head names a secret."""
    found = _NAME.match(name.strip())
    if found is None:
        return False
    key = found["key"].lower()
    if key.startswith("key"):
        return SECRET_KEY.search(found["before"]) is not None and not key.endswith("id")
    return (not key.startswith("credential") and key not in {"token", "pass"}) or not found["before"].strip()


def named_among(heads: Sequence[str]) -> set[int]:
    """The heads that name secrets."""
    return {number for number, name in enumerate(heads) if is_named(name)}


def vague_among(heads: Sequence[str], named: Iterable[int]) -> set[int]:
    """The columns whose head means other things, too: each cell must look like a password, but beside users or behind machines, where there are no values."""
    vague = {number for number in named if _bare(heads[number]) in VAGUE}
    bare = [_bare(name) for name in heads] if vague else []
    if VALUES.isdisjoint(bare) and has_users(heads):
        return set()
    return {number for number in vague if MACHINES.isdisjoint(bare[:number]) or not VALUES.isdisjoint(bare)}


def has_users(heads: Iterable[str]) -> bool:
    """Whether a column holds names that people log in with."""
    return any(_USERS.search(_bare(name)) for name in heads if len(name.split()) <= _MOST_WORDS)


def _first(heads: Sequence[str], here: int) -> int:
    """The first head whose name leads to the table, up to the one that does so here."""
    return next((number for number, name in enumerate(heads[:here]) if _leads(name)), here)


def _leads(name: str) -> bool:
    found = _NAME.match(name.strip())
    if found is None or not (key := found["key"].lower()).startswith((*ANCHORS, *ABROAD_ANCHORS)):
        return False
    return not key.startswith("key") or SECRET_KEY.search(found["before"]) is not None


def _cells_before(part: str, mark: str) -> int:
    """How many cells end before a place of a head."""
    cells = _cells(part, mark)
    is_within = mark != _BLANKS or (cells != [] and not part.endswith(_BLANKS))
    return len(cells) - is_within


def tokens_among(heads: Sequence[str], named: Iterable[int]) -> set[int]:
    """The columns that a grammar may have, too: of users it is none."""
    return set() if has_users(heads) else {number for number in named if is_token(heads[number])}


def is_grammar(cells: Iterable[str]) -> bool:
    """Whether several of the first cells of a column are what a grammar has there, or its only one is a name in capitals."""
    first = list(cells)
    return sum(map(is_of_grammar, first)) >= _LEAST_OF_GRAMMAR or (len(first) == 1 and is_terminal(first[0]))


def _bare(name: str) -> str:
    return name.strip(_DRESS + ":：").lower()


def is_token(name: str) -> bool:
    """Whether a head is the word that grammars use, too."""
    return _bare(name) in {"token", "tokens"}


def lists_names(heads: list[str]) -> bool:
    """Whether the line is prose: a cell that is no name."""
    return any(len(name.split()) > 4 or "=" in name or ": " in name.strip() for name in heads)


def is_terminal(value: str) -> bool:
    """Whether it is a token of a grammar and opens nothing."""
    return _TERMINAL.match(value) is not None


def is_of_grammar(value: str) -> bool:
    """Whether it is what a grammar has in a column of tokens."""
    return is_terminal(value) or _WORD_OF_GRAMMAR.match(value) is not None


def _in_row(cells: list[str], named: set[int], text: str, at: int, *, is_certain: bool) -> Iterator[tuple[int, int]]:
    for number, cell in enumerate(cells):
        at = text.find(cell, at)
        value = cell.strip(" \t\r\"'`")
        begin = at + cell.find(value)
        if dressed := _DRESSED.fullmatch(value):
            value, begin = dressed["inside"], begin + dressed.start("inside")
        if number in named and is_value(value, is_certain=is_certain):
            yield begin, begin + len(value)
        at += len(cell)


def is_value(value: str, *, is_certain: bool) -> bool:
    """Whether a cell holds a value; below a head that is marked as one, any word is."""
    if (
        len(value) < 3
        or " " in value
        or value[0] == "<"
        or NEVER.match(value)
        or STAND_IN.match(value)
        or _TYPES.match(value)
        or _RESULTS.match(value)
        or not any(map(str.isalnum, value))
    ):
        return False
    return value.isascii() and (is_certain or (has_digit(value) and len(value) >= 6))


def secrets_of_rows(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """What the rows of an ``INSERT`` hold in the columns that are named like secrets."""
    names = match["names"].split(",")
    named = named_among(names)
    vague = vague_among(names, named)
    text, at = match.string, match.end() + 1
    if not named:
        return
    without = 0
    while without < MOST_ROWS:
        without += 1
        for number in range(len(names)):
            begin, end, following = _literal(text, at)
            ends = _ENDS.match(text, following)
            if ends is None:
                return
            value = text[begin:end] if number in named else ""
            is_other = number in vague and not is_no_name(value)
            if value and value[0] != "<" and not (is_other or NEVER.match(value) or STAND_IN.match(value)):
                without = 0
                yield begin, end
            at = ends.end()
        next_row = _NEXT.match(text, at)
        if next_row is None:
            return
        at = next_row.end()


def secrets_of_copy(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """What the lines of a dump hold in the columns that are named like secrets, up to the line that ends them."""
    names = match["names"].split(",")
    named = named_among(names)
    vague = vague_among(names, named)
    for at, row in rows(match.string, match.end()) if named else ():
        begin = at
        cells = row.rstrip("\r").split("\t", len(names))
        if len(cells) != len(names):
            return
        for number, cell in enumerate(cells):
            is_other = number not in named or (number in vague and not is_no_name(cell))
            if not is_other and len(cell) >= 3 and cell[0] != "<" and not NEVER.match(cell):
                yield begin, begin + len(cell)
            begin += len(cell) + 1


def _literal(text: str, at: int) -> tuple[int, int, int]:
    """Where what stands between the quotes of a value begins and ends, and where the value does; of a bare one nothing is between."""
    opens = _OPENS.match(text, at)
    if opens is None:
        bare = _BARE.match(text, at)
        return at, at, bare.end() if bare else at
    end = end_of_run(_INSIDE[opens["mark"]], text, opens.end())
    return opens.end(), end, end


def columns() -> tuple[SecretKind, ...]:
    """The kinds of columns."""
    return (
        SecretKind("column", ANCHORS, HEAD, spans=secrets_below, follows="\"'`*_} |,;:：\t\r\n"),
        SecretKind("column", ABROAD_ANCHORS, HEAD, spans=secrets_below),
        SecretKind("column", ("insert into", "insert ignore into"), INSERT, spans=secrets_of_rows),
        SecretKind("column", ("copy ",), COPY, spans=secrets_of_copy),
    )
