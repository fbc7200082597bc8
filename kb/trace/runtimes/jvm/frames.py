"""One frame of a JVM trace: ``StackTraceElement.toString`` and what loggers, browsers and people make of it."""

import html
import re
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX
from kb.trace.model import Frame
from kb.trace.rules import names

LONGEST_FRAME = 2_000
"""A longer line is not a frame. Keeps the cache small and every pattern below linear."""

# Loader and module, class, method. Blanks only in a method of Kotlin or Groovy tests, see _SPACED.
_NAME = r"(?P<name>[^\s()\"'=,;]{1,600}+)"
_PLACE = r"\((?P<place>[^()]{1,300}+(?:\([^()]{0,60}+\)[^()]{0,60}+)?)\)"
# What loggers add: ~[core-1.2.jar:1.2] [?:1.8.0_232] <4 internal lines>; what pages leave: \ , " <br>
_TAIL = r"(?P<tail>(?:[ \t]*+(?:~?\[[^\[\]]{0,200}+\]|</?[\w \"=/.-]{1,60}+>|\([A-Z][\w ]{0,40}+\)|\([a-z]+=\w{1,12},code=\d{1,6}\)|-{2,10}+|[\\,;\"'`|*}\]]|\.{3,6}+))*+(?:\t[^\t()\n]{1,200}+|(?<=\",)[^()\n]{1,200}+)?)[ \t]*+$"
# Nine frames in ten are plain
_PLAIN = lazy(
    r"[ \t]*+at ([A-Za-z_$][A-Za-z0-9_$.]{0,500})\.([A-Za-z0-9_$<>]{1,300}+)"
    r"\((?:([A-Za-z0-9_$]{1,200}+\.(?:java|scala|kt)):(\d{1,9}+)|Native Method|Unknown Source)\)[ \t]*+$"
)
# e.g. `at a.B.y(B.java:3)`
_FRAME = lazy(r"[ \t]*+(?:[>|*+?#`.\"'-][ \t?]*+){0,12}at[ \t]++" + _NAME + r"[ \t]?+" + _PLACE + _TAIL)
# e.g. atorg.apache.a.B.y(B.java:3)
_GLUED = lazy(
    r"[ \t]*+\??at(?P<name>(?:org|com|java|javax|net|io|sun|jdk|scala|akka|cn|kafka)\.[^\s()]{1,600}+)[ \t]?+"
    + _PLACE
    + _TAIL
)
# e.g. at a.B.y(B.groovy:3)
_SPACED = lazy(
    r"[ \t]*+at[ \t]++(?P<name>(?:[A-Za-z_$][\w$/@-]{0,120}+\.){1,30}+[A-Za-z_$][^()\n]{0,200}+)"
    r"\((?P<place>[^().]{1,200}+\.(?:kt|groovy|scala):\d{1,9})\)" + _TAIL
)
# e.g. a.B.read(B.java:4)
_BARE = lazy(
    r"[ \t]*+(?P<name>[a-z][\w$]{0,60}+(?:[./][\w$<>-]{1,120}+){1,30}+)\((?P<place>[\w$]{1,120}+\.(?:java|scala|kt|groovy):\d{1,9})\)"
    + _TAIL
)
# e.g. at org.script.gen.c27.call()
_PLACELESS = lazy(r"[ \t]*+at[ \t]++(?P<name>[a-z][\w$]{0,60}+(?:\.[\w$<>-]{1,120}+){2,30}+)\(\)[ \t]*+$")
_PREFIXED = lazy(r"(?<=[\s|>\]:?])at[ \t]++" + _NAME + r"[ \t]?+" + _PLACE + _TAIL)

# The place: File.ext:12, File.ext, Native Method, Unknown Source[:12], <generated>, SourceFile:3, module@ver/File.java:1
_PLACE_FORM = lazy(
    r"(?:[\w.$-]{1,100}+(?:@[\w.+-]{0,60}+)?/)?(?:"
    r"(?P<nowhere>Native Method|Unknown Source|Unknown|Redefined|<[\w ]{1,40}+>|null|NO_SOURCE_FILE|[A-Z]\w{0,80}\$[\w$]{1,80}|(?:Inlined )?Compiled Code|Delegating\w*|D8\$\$\w+|R8\$\$\w+)"
    r"|(?P<file>[^:/\\]{1,200}?\.(?i:java|kt|kts|scala|groovy|clj|cljc|cljs|js|jsp|jspx|tag|gradle|aj|rb|py|xtend|ceylon|gvy|drl|class|mvel|ftl|vm|sql|sc|mirah|jrag|g4|y|feature|txt|xml)"
    r"|SourceFile|PG|r8-map-id-\w{1,80}+)"
    r"|(?P<odd>[^\s:/\\(]{1,120}+)(?=:-?\d)"
    r")(?::(?P<line>-?\d{1,9})| : (?P<spaced>\d{1,9}))?$"
)


@lru_cache(maxsize=8_192)
def rank(module: str) -> int:
    """0 a class of the application, 1 of a framework, 2 of the platform; by the bundled lists."""
    name = f"{module}."
    if name in names("jvm_platform") or module == "$Lambda":
        return 2
    return 1 if name in names("jvm_framework") and name not in names("jvm_application") else 0


class _Lines(dict[str, Frame | None]):
    """What each line was read as: two thirds of the frame lines of real traces were seen before.

    A dictionary, not ``lru_cache``: reading it is the innermost loop of all parsing.
    """

    _MOST = 131_072
    _LONGEST = 300  # longer lines are not kept: the memory stays bounded

    def __missing__(self, line: str) -> Frame | None:
        frame = _read_frame(line)
        if len(line) <= self._LONGEST:
            if len(self) >= self._MOST:
                self.clear()
            self[line] = frame
        return frame


FRAMES = _Lines()


def frame_of(line: str) -> Frame | None:
    """Return the frame on this line, whatever logger, page or mail program decorated it; None if it is no frame."""
    return FRAMES[line]


def _read_frame(line: str) -> Frame | None:
    if len(line) > LONGEST_FRAME or "(" not in line or "at" not in line:
        return None
    usual = _PLAIN.match(line)
    if usual is not None:
        module, function, filename, digits = usual.groups()
        return Frame(function, module, filename, int(digits) if digits else None, None, rank(module) == 0, line.strip())
    plain = html.unescape(line) if "&" in line else line
    found = _FRAME.match(plain) or _GLUED.match(plain)
    if found is None:
        found = _SPACED.match(plain) or _behind_prefix(plain)
    return _frame(found, line) if found is not None else None


def bare_frame_of(line: str) -> Frame | None:
    """Return a frame whose ``at`` or whose place was left out. Only to be called inside a trace: elsewhere it is a call site."""
    if len(line) > 400 or not line.rstrip().endswith(")"):
        return None
    placeless = _PLACELESS.match(line)
    if placeless is not None:  # Rhino's compiled scripts
        module, function = _own_name(placeless["name"]).rsplit(".", 1)
        return Frame(function, module, None, None, None, rank(module) == 0, line.strip())
    found = _BARE.match(line)
    return _frame(found, line) if found is not None else None


def _behind_prefix(line: str) -> re.Match[str] | None:
    if not line.rstrip().endswith((")", "]", "\\", ",", '"', ";")):
        return None
    found = _PREFIXED.search(line)
    if found is None or found.start() == 0:
        return None
    prefix = LOG_PREFIX.match(line)
    return found if prefix is not None and prefix.end() >= found.start() else None


def _frame(found: re.Match[str], line: str) -> Frame | None:
    place = _PLACE_FORM.match(found["place"].strip())
    name = found["name"]
    if place is None or "." not in name or name.startswith(("/", ".")) or "://" in name:
        return None
    module, _, function = _own_name(name).rpartition(".")
    if not module or module.endswith(".") or "." in function:
        return None
    if not function:  # a page swallowed <init> as if it were a tag
        function = "<init>"
    digits = place["line"] or place["spaced"]
    filename = place["file"] or place["odd"]
    lineno = int(digits) if digits and filename else None
    return Frame(
        function=function,
        module=module,
        filename=filename,
        lineno=lineno if lineno is not None and lineno >= 0 else None,
        in_app=rank(module) == 0,
        raw=line.strip(),
    )


def _own_name(name: str) -> str:
    """Class and method without ``loader/module@version/``; a hidden class keeps its own slash."""
    if "/" not in name:
        return name
    parts = name.split("/")
    last = parts[-1]
    # a.F$$Lambda$14/1345678901.run, a.F$$Lambda/0x000075e1c8001200.run
    if len(parts) > 1 and re.match(r"(?:0x[0-9a-f]{1,16}|\d{1,20})\.", last):
        return f"{parts[-2]}/{last}"
    return last
