"""One frame of a .NET trace, in every language and of every runtime: .NET Framework, .NET, Mono, Unity, NativeAOT."""

import html
import re
from dataclasses import dataclass
from functools import cache, lru_cache

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX
from kb.trace.model import Frame
from kb.trace.runtimes.dotnet.languages import at_words, in_words
from kb.trace.runtimes.dotnet.names import call

# Where a frame says it is: ``in F.cs:line 12`` in every language, Mono's and ASP.NET's short forms, offsets.

# [0x00012], <0x00035 + 0x00010>, + 0x1f, +227
_OFFSET = lazy(
    r"[ \t]*+(?:\[0x[0-9a-fA-F]{1,8}\]|<0x[0-9a-fA-F]{1,16}(?: \+ 0x[0-9a-fA-F]{1,16})?>|\+[ ]?(?:0x[0-9a-fA-F]{1,16}|\d{1,9}))"
)
# :line 12 | : 行 12 | :行号 12. | , sor: 12 | :12 — and the Turkish form, whose words are behind the file: F.cs içinde: satır 12
_LINE = lazy(
    r"(?:[:：,，][ \t]*+(?:[^\s\d:：,，/\\()]{1,15}[:：]?)?[ \t]*+|[ \t][^\s\d:：/\\.()]{1,15}[:：][ \t]*+[^\s\d:：/\\()]{1,15}[ \t]++)"
    r"(?P<line>\d{1,9})[ \t]*+[.。]?[ \t]*+$"
)
# e.g. at Acme.Svc.Run(String s) in Acme.dll:token 0x6000012+0x5
_TOKEN = lazy(r"(?P<file>[\w.-]{1,200}):token 0x[0-9a-fA-F]{1,8}\+0x[0-9a-fA-F]{1,8}[ \t]*+$")
_PATH = lazy(r"[A-Za-z]:[\\/]|[\\/.<]|[\w.-]+[\\/]|[^\s\\/:]+\.\w{1,12}$")
_WORD = lazy(r"(?P<word>[^\s\d\\/.:：<>()]{1,15}[:：]?)[ \t]++")
_NOWHERE = lazy(r"<[^<>]{1,80}>$")
_ENDS = " \t;,\"'`|。<"


@dataclass(frozen=True, slots=True)
class FrameTail:
    """What is behind the arguments of a frame."""

    filename: str | None = None
    lineno: int | None = None
    has_offset: bool = False


@cache
def _known_word() -> re.Pattern[str]:
    return re.compile(rf"(?:{in_words()})(?:[:：][ \t]*+|[ \t]++)")


def place_of(rest: str) -> FrameTail | None:
    """Return the place that a frame's end names; an empty one where it names none; None if the end is no place at all."""
    rest = rest.strip().removesuffix("<---").rstrip(_ENDS)
    if not rest:
        return FrameTail()
    offset = _OFFSET.match(rest)
    if offset is not None:
        rest = rest[offset.end() :].strip()
        if not rest:
            return FrameTail(has_offset=True)
    if rest.startswith("(at ") and rest.endswith(")"):
        rest = "in " + rest[4:-1]
    return _named(rest, has_offset=offset is not None)


def _named(rest: str, *, has_offset: bool) -> FrameTail | None:
    word = _known_word().match(rest)
    token = _TOKEN.search(rest, word.end() if word is not None else 0)
    if token is not None:
        return FrameTail(None, None, has_offset=True)
    line = _LINE.search(rest)
    if line is None:
        return None
    file = rest[: line.start()].strip()
    known = _known_word().match(file)
    if known is not None and _PATH.match(file, known.end()):
        file = file[known.end() :]
    elif not _PATH.match(file):  # a language of no table
        unknown = _WORD.match(file)
        if unknown is None or not _PATH.match(file, unknown.end()):
            return None
        file = file[unknown.end() :]
    if _NOWHERE.match(file):  # Mono without debug information: <a17fa1457c5d44f2885ac746c1764ea5>:0
        return FrameTail(None, None, has_offset=True)
    return FrameTail(file, int(line["line"]), has_offset)


def place_alone(line: str) -> FrameTail | None:
    """Return the place on a line apart, where a narrow page broke a frame before it."""
    body = line.strip()
    found = _named(body, has_offset=False) if _known_word().match(body) and len(body) < 600 else None
    return found if found is not None and found.filename else None


LONGEST_FRAME = 4_000
"""A longer line is not a frame."""
_LEAST_INDENT = 2
_DIGITS_OF_A_TIME = 4

# What Ben.Demystifier prints before a name: async Task<int>, static void, new
_DECLARED = (
    r"(?P<new>new )?(?:(?:async|static|unsafe) ){0,3}+"
    r"(?:(?:void|bool|byte|sbyte|char|short|ushort|int|uint|long|ulong|float|double|decimal|string|object|dynamic"
    r"|\([^()\n]{1,200}\)|[A-Z_][\w.<>\[\],?&*`]{0,300}+)(?:\[\]|\?)? (?=[\w<.]))?"
)
# A name; brackets hold the arguments of a generic type, which may be full names with blanks.
NAME = r"(?:[^\s()\[\]\"{};=!]|\[[^\[\]()\n]{0,400}+(?:\[[^\[\]()\n]{0,400}+\][^\[\]()\n]{0,100}+){0,12}+\]){1,600}+"
_ARGS = r"\((?P<args>[^()\n]{0,3000}+(?:\([^()\n]{0,300}+\)[^()\n]{0,300}+){0,20}+)\)"
_CALL = (
    r"(?:\((?:wrapper [\w-]{1,40}|Managed|Unmanaged)\) )?(?:[^\s!()]{1,120}!0x[0-9a-fA-F]{1,16}!)?"
    + _DECLARED
    + r"(?P<name>"
    + NAME
    + r") ?"
    + _ARGS
    + r"(?P<local>\+\w{0,120}+\([^()\n]{0,300}+\)(?: => \{[^{}\n]{0,60}+\})?)?(?P<rest>.*)$"
)
_MARKS = r"[ \t]*+(?:(?:>|\*|·|•|`|//|'|-(?=[ \t]))[ \t]*+){0,6}+"
# e.g. at acme!<BaseAddress>+0x1a2b3c
_ADDRESS_ONLY = lazy(_MARKS + r"at (?P<module>[\w.-]{1,120})!<BaseAddress>\+0x[0-9a-fA-F]{1,16}[ \t]*+$")
# e.g. Acme.Game.Loop.<Tick>b__3_0 (System.Int32 n) (at Assets/Scripts/Loop.cs:40)
_UNITY = lazy(
    r"[ \t]*+(?P<name>[A-Za-z_<][^\s()\"{};=]{0,400}+)[ \t]?" + _ARGS + r" \(at (?P<rest>[^()\n]{1,400}+)\)[ \t]*+$"
)
# e.g. `Acme.Game.Loop:Tick(Int32)`
_UNITY_LOG = lazy(r"(?P<name>[A-Za-z_<][\w.<>+/`|]{1,300}:[\w.<>|`]{1,200})[ \t]?" + _ARGS + r"[ \t]*+$")
# e.g. at (wrapper managed-to-native) Acme.Svc.Run(object,intptr)
_BARE = lazy(r"[ \t]+(?P<name>(?:[A-Za-z_<][^\s()\"{};=]{0,400}+)) ?" + _ARGS + r"(?P<rest>.*)$")
_UNKNOWN = lazy(r"[ \t]{2,}+(?P<word>[^\W\d_][^\W\d_-]{0,14}+[:：]?)[ \t]++" + _CALL)
_QUALIFIED = lazy(r"[\w>\])'][.:+/]{1,2}[\w<`]")
# Arguments as other runtimes print places: D.java:1, Native Method, file:///a.js:1:2, <anonymous>
_FOREIGN = lazy(
    r": ?-?\d|://|^(?:Native Method|Unknown Source|Unknown|Redefined|null|native|anonymous|<[a-z][\w .]{0,40}>|index \d+"
    r"|(?:Inlined )?Compiled Code|Delegating\w*|D8\$\$\w+|R8\$\$\w+|SourceFile|PG|NO_SOURCE_FILE|eval at .*)$"
    r"|\.(?:java|kts?|scala|groovy|cljc?|jsx?|tsx?|mjs|cjs|py|rb|php|go|rs|cc?|cpp|hpp|h|mm|swift|dart|lua|vue|html?)$"
)
JAVA_ROOTS = (
    "java.",
    "javax.",
    "org.",
    "com.",
    "net.",
    "io.",
    "scala.",
    "kotlin.",
    "akka.",
    "sun.",
    "jdk.",
    "groovy.",
    "android.",
)
"""Roots of packages: .NET's namespaces begin with a capital, hardly one with these."""
# e.g. _nLoad
_TYPED = lazy(r"^(?:(?:this|ref|out|in|params) )?[A-Z_a-z][\w.`<>\[\]&*?+,]{0,300}[&*]? ?\w{0,120}(?:,|$)")


@cache
def _framed() -> re.Pattern[str]:
    return re.compile(_MARKS + rf"(?P<word>{at_words()})(?:[:：][ \t]*+|[ \t]++)" + _CALL)


@lru_cache(maxsize=16_384)
def frame_of(line: str) -> Frame | None:
    """Return the frame on this line, in whatever language and behind whatever a logger put before it; None for other lines."""
    if len(line) > LONGEST_FRAME or "(" not in line:
        return _address_only(line)
    plain = html.unescape(line) if "&lt;" in line or "&gt;" in line or "&#" in line or "&amp;" in line else line
    found = _framed().match(plain)
    if found is not None:
        return _checked(found, plain, line)
    frame = _unity(plain, line)
    prefix = LOG_PREFIX.match(plain) if frame is None else None
    if prefix is None or not _is_logged(prefix[0]):
        return frame
    plain = plain[prefix.end() :]
    found = _framed().match(plain)
    return _checked(found, plain, line) if found is not None else _unity(plain, line)


def _is_logged(prefix: str) -> bool:
    return "|" in prefix or ":" in prefix[-4:] or sum(c.isdigit() for c in prefix) >= _DIGITS_OF_A_TIME


def _address_only(line: str) -> Frame | None:
    found = _ADDRESS_ONLY.match(line) if "<BaseAddress>" in line[:300] else None
    return Frame(None, found["module"], raw=line.strip()) if found is not None else None


def _checked(found: re.Match[str], plain: str, line: str) -> Frame | None:
    """Return the frame, unless another runtime's or a sentence."""
    place = place_of(found["rest"])
    if place is None or _is_foreign(found["name"], found["args"]):
        return None
    if found["args"] == "..." and found["word"] == "at" and plain[found.end("name")] == " ":
        return None  # V8's, shortened by the author
    is_qualified = _QUALIFIED.search(found["name"]) is not None
    if not is_qualified and not (place.filename or _TYPED.match(found["args"])):
        return None
    indent = len(plain) - len(plain.lstrip(" \t"))
    is_short_word = found["word"].isascii() and found["word"] != "at"
    if is_short_word and indent < _LEAST_INDENT and not (place.filename or _TYPED.match(found["args"])):
        return None
    name = found["name"] + ("..ctor" if found["new"] else "")
    return _frame(name, place, line, found["local"])


def _is_foreign(name: str, args: str) -> bool:
    return (
        _FOREIGN.search(args) is not None
        or name[0] in "/@-:#"
        or "::" in name
        or "//" in name
        or "@" in name[:2]
        or name.startswith(JAVA_ROOTS)
    )


def _frame(name: str, place: FrameTail, line: str, local: str | None = None) -> Frame:
    module, function, in_app = call(name)
    inner = local.lstrip("+").partition("(")[0] if local else ""
    if inner and inner != "MoveNext":  # Ben.Demystifier: Main()+Helper(int n)
        function = f"{function}.{inner}"
    return Frame(function, module, place.filename, place.lineno, None, in_app, line.strip())


def _unity(plain: str, line: str) -> Frame | None:
    """Unity's own form: ``Acme.Player:Update () (at Assets/Scripts/Player.cs:12)``."""
    found = _UNITY.match(plain) if "(at " in plain else None
    if found is not None:
        place = place_of(" in " + found["rest"])
        if (
            place is None
            or (not place.filename and "<" not in found["rest"])
            or _is_foreign(found["name"], found["args"])
        ):
            return None
        return _unity_frame(found["name"], place, line)
    found = _UNITY_LOG.match(plain) if plain.startswith("Unity") else None
    return _unity_frame(found["name"], FrameTail(), line) if found is not None else None


def _unity_frame(name: str, place: FrameTail, line: str) -> Frame:
    if ":" not in name:
        return _frame(name, place, line)
    type_, _, method = name.rpartition(":")
    module, function, in_app = call(f"{type_}.{method}")
    is_made_up = f"{module}.{function}" != f"{type_}.{method}"
    if is_made_up:
        return Frame(function, module, place.filename, place.lineno, None, in_app, line.strip())
    return Frame(name, None, place.filename, place.lineno, None, in_app, line.strip())


@lru_cache(maxsize=4_096)
def bare_frame_of(line: str) -> Frame | None:
    """Return a frame without a word before it, as ASP.NET's error page prints them; only to be called behind its head."""
    if len(line) > LONGEST_FRAME or "(" not in line:
        return None
    found = _BARE.match(html.unescape(line) if "&" in line else line)
    place = place_of(found["rest"]) if found is not None else None
    if found is None or place is None or _is_foreign(found["name"], found["args"]):
        return None
    if not (place.filename or place.has_offset or _TYPED.match(found["args"]) or not found["args"].strip()):
        return None
    return _frame(found["name"], place, line) if _QUALIFIED.search(found["name"]) else None


@lru_cache(maxsize=4_096)
def unknown_frame_of(line: str) -> Frame | None:
    """Return a frame in a language of no table, known by its shape: ``   word Ns.Type.Method(Type arg) word path.cs:word 12``.

    Outside a trace only a frame with a place, or one of the framework's own types, is sure enough: see ``is_sure``.
    """
    if len(line) > LONGEST_FRAME or "(" not in line:
        return None
    found = _UNKNOWN.match(line)
    place = place_of(found["rest"]) if found is not None else None
    if found is None or place is None or _is_foreign(found["name"], found["args"]):
        return None
    if not _QUALIFIED.search(found["name"]) or not (not found["args"].strip() or _TYPED.match(found["args"])):
        return None
    return _frame(found["name"], place, line)


def is_sure(frame: Frame) -> bool:
    """Whether a frame known by its shape alone can begin a trace."""
    return frame.lineno is not None or (frame.module or "").startswith(("System.", "Microsoft."))
