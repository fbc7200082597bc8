"""Tokens that are known by their shape alone: those of `rules/tokens.txt`, webhooks, and blocks of keys."""

import re
from collections.abc import Iterator
from functools import cache, partial
from importlib.resources import files

from kb.errors import RulesError
from kb.patterns import lazy
from kb.redact.words import SecretKind

_ENTRY = lazy(r"(?P<kind>[a-z_]{3,30})[ ]+(?P<anchors>\S+)[ ]+(?P<pattern>\S+)")


_BEGINS = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[abefnrtv0])|(?<=\\x[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2})"
    r"|(?<=\[m)|(?<=[\[;][0-9]m)|(?<=[\[;][0-9]{2}m)|(?<=[\[;][0-9]{3}m))"
)
"""No word goes on here; an escape or a colour of a terminal is none."""
_BEGIN = lazy(_BEGINS)
_ENDS = r"(?![A-Za-z0-9])"
_OPEN = lazy(r"\{(\d{1,4}),\}\+|\)\*\+")
"""A run without bound, or lines of them."""
_LOOK = 64
"""Characters of such a run that tell whether it is a token. Else a text of tokens that are none would be read to its end from each of them."""


@cache
def tokens() -> tuple[SecretKind, ...]:
    """The bundled list, read once."""
    text = files("kb.redact").joinpath("rules", "tokens.txt").read_text(encoding="utf-8")
    return tuple(read_tokens(text, "tokens.txt"))


def read_tokens(text: str, place: str) -> Iterator[SecretKind]:
    """Kinds of tokens, one a line: name, anchors with commas between them, pattern. RulesError names file and line."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        entry = _ENTRY.fullmatch(line.rstrip())
        if entry is None or entry["anchors"] != entry["anchors"].lower():
            raise RulesError(f"{place}:{number}: {line!r} is no token", cure="kind, anchors in lower case, pattern")
        yield _token(entry["kind"], tuple(entry["anchors"].split(",")), entry["pattern"])


def _token(kind: str, anchors: tuple[str, ...], pattern: str) -> SecretKind:
    if _OPEN.search(pattern) is None:
        return SecretKind(kind, anchors, lazy(rf"{_BEGINS}(?P<secret>{pattern}){_ENDS}"), is_token)
    begin = lazy(rf"{_BEGINS}(?P<secret>{_OPEN.sub(_bounded, pattern)})")
    return SecretKind(kind, anchors, begin, is_token, ends=partial(_whole_ends, lazy(f"(?P<secret>{pattern})")))


def _bounded(run: re.Match[str]) -> str:
    return f"{{{run[1]},{int(run[1]) + _LOOK}}}+" if run[1] else "){0,4}+"


def _whole_ends(whole: re.Pattern[str], begin: re.Match[str]) -> int:
    """Where a token ends whose begin was accepted."""
    match = whole.match(begin.string, begin.start("secret"))
    return begin.end("secret") if match is None else match.end("secret")


# A run of A alone is no mask: tokens that are numbers in base 64 begin with zeros, X's bearer tokens with 21 of them.
_MASK = lazy(r"([xX*.])\1{7}|([^A])\2{11}|A{12,}+\Z")
_RUN = lazy(r"(?=[A-Za-z]{0,15}[0-9])[A-Za-z0-9]{16}")
_CAPITAL = lazy(r"[A-Z]")
_DIGITS = frozenset("0123456789")


def is_token(match: re.Match[str]) -> bool:
    """``figd_xxxxxxxxxxxx`` says what a token looks like, ``ric-xapp-controller-1`` is a name."""
    if _MASK.search(match["secret"][:_LOOK]) is not None:
        return False
    start, end = match.span("secret")
    is_joined = match.string[max(start - 1, 0) : start] in _JOINTS or match.string[end : end + 1] in _JOINTS
    return not is_joined or "body" not in match.re.groupindex or _is_chance(match["body"][:_LOOK])


_JOINTS = frozenset("-_")
"""What joins the words of names."""


def _is_chance(body: str) -> bool:
    """Whether it is made like no word: a digit within sixteen letters, capitals and digits, or many capitals."""
    capitals = len(_CAPITAL.findall(body))
    has_digit = not _DIGITS.isdisjoint(body)
    return (capitals > 0 and has_digit) or 3 <= capitals < len(body) / 2 or _RUN.search(body) is not None


_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}"
WEBHOOK = lazy(
    r"(?:hooks\.slack\.com/(?:services|workflows)/|/bot/(?:v2/)?hook/|/webhook/send\?key=|/robot/send\?access_token="
    r"|discord(?:app)?\.com/api/webhooks/\d{1,20}/"
    rf"|webhook\.office\.com/webhookb2/(?={_UUID})|sctapi\.ftqq\.com/)(?P<secret>[\w/@-]{{16,}}+)"
)
TELEGRAM = lazy(r"(?P<secret>:AA[\w-]{33})(?![A-Za-z0-9])")
AZURE = lazy(r"(?P<secret>Q~[\w.~-]{31,34})(?![A-Za-z0-9~])")
ATLAS = lazy(r"(?P<secret>\.atlasv1\.[\w-]{40,}+)")
MAILCHIMP = lazy(r"(?P<secret>-us\d{1,2})(?![A-Za-z0-9-])")


def telegram_begins(match: re.Match[str]) -> int:
    """Where the bot's number begins, whose token goes on at ``:AA``; -1 where there is none."""
    begin = len(match.string[: match.start()][-11:].rstrip("0123456789"))
    size = min(match.start(), 11) - begin
    before = match.string[match.start() - size - 3 : match.start() - size]
    return match.start() - size if 8 <= size <= 10 and (not before[-1:].isalnum() or before == "bot") else -1


def azure_begins(match: re.Match[str]) -> int:
    """Where a client's secret begins, four characters before ``Q~``; -1 where there is none."""
    begin = match.start() - 4
    four = match.string[max(begin, 0) : match.start()]
    is_whole = len(four) == 4 and four[3] in _DIGITS and four.isascii() and four[:3].isalnum()
    return begin if is_whole and _BEGIN.match(match.string, begin) else -1


def atlas_begins(match: re.Match[str]) -> int:
    """Where the id begins, fourteen letters and digits before ``.atlasv1.``; -1 where there is none."""
    begin = match.start() - 14
    is_whole = begin >= 0 and match.string[begin : match.start()].isalnum()
    return begin if is_whole and _BEGIN.match(match.string, begin) else -1


def mailchimp_begins(match: re.Match[str]) -> int:
    """Where the 32 hexadecimal digits begin that stand before the name of a data centre; -1 where there are none."""
    begin = match.start() - 32
    digits = match.string[max(begin, 0) : match.start()]
    is_whole = len(digits) == 32 and not digits.strip("0123456789abcdef")
    return begin if is_whole and _BEGIN.match(match.string, begin) else -1


# up to its end whatever stands between the lines, or as far as lines go on that are nothing but a key
KEY_BLOCK = lazy(
    r"(?P<secret>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]++|-(?!----(?:BEGIN|END) ))*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{24,}+)*+))"
)
SSH2_BLOCK = lazy(r"(?P<secret>---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----[^-]*+---- END SSH2[A-Z ]{1,40}----)")
PUTTY_LINES = lazy(
    r"(?i:private-lines): \d{1,4}\s{1,4}(?P<secret>[A-Za-z0-9+/=]{16,}+(?:\s{1,4}[A-Za-z0-9+/=]{16,}+)*+)"
)
WEB_KEY = lazy(r'"d"[ ]?:[ ]?"(?P<secret>[\w-]{40,}+)"')
ENCODED_KEY = lazy(
    r"(?P<secret>LS0tLS1CRUdJTi(?:BSU0EgUFJJVkFURSBLRVkt|BQUklWQVRFIEtFW|BFQyBQUklWQVRFIEtFW|BPUEVOU1NIIFBSSVZBVEUgS0VZ"
    r"|BFTkNSWVBURUQgUFJJVkFURSBLRVkt|BEU0EgUFJJVkFURSBLRVkt)[A-Za-z0-9+/=]{8,}+)"
)
"""A block of a private key that was encoded once more, as in a kubeconfig; a certificate's is public."""
