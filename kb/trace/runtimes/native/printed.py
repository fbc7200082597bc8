"""A frame as a line prints it, and the parts that many spellings share: function, arguments, place."""

import re
from dataclasses import dataclass
from functools import lru_cache

from kb.trace.model import Frame
from kb.trace.runtimes.native.libraries import is_own
from kb.trace.runtimes.native.signature import signature

LONGEST = 4_000
"""A longer line is no frame."""

SIGNAL_HANDLER = "<signal handler called>"
_NOTHING = frozenset({"?", "??", "???", "n/a", "(unknown)", "<unknown>", "<unknown function>", "unknown", "(null)", "<null>", "(inlined by)", "no symbol", "UnknownFunction", ""})  # fmt: skip
_PLACE = re.compile(
    r"(?P<file>(?:[A-Za-z]:[\\/])?[^:\n]{1,1000}?)(?::(?P<line>\d{1,9}))?(?::(?P<column>\d{1,9}))?(?: \(discriminator \d{1,9}\))?[ \t]*+$"
)
_OFFSET = re.compile(r"[ \t]*+\+[ \t]*+(?P<offset>(?:0x)?[0-9a-fA-F]{1,16})(?:/0x[0-9a-f]{1,16})?[ \t]*+$")
_MARKS = re.compile(
    r"(?:[ \t]*+(?:\(BuildId: [0-9a-f]{0,64}\.{0,3}\)|\[(?:opt|inlined|artificial|inline)\](?: \[\w{1,12}\])?|\(inlined\)|\(inline\)))++[ \t]*+$"
)
_MODULE = re.compile(
    r"[ \t]*+\((?P<module>[^()\n+]{1,500}?(?:\([^()\n]{1,60}\)[^()\n+]{0,300}?)?)[ ]?\+[ ]?(?P<offset>0x[0-9a-fA-F]{1,16})\)$"
)
_FILE = re.compile(
    r"[ \t](?P<place>(?:[A-Za-z]:[\\/])?[^\s():<>]{1,500}+(?::\d{1,9}){1,2}|(?:/|\.{1,2}/|[A-Za-z]:[\\/])[^\s():]{1,500}|\?\?:[?0]|<null>)$"
)
_ARCHITECTURE = re.compile(r":(?:x86_64h?|arm64e?|arm64|i386|armv7k?s?)$")
_ADDRESS = re.compile(r"(?:0x)?[0-9a-fA-F]{6,16}$")


@dataclass(frozen=True, slots=True)
class Printed:
    """A frame and the number it is printed with."""

    frame: Frame
    number: int
    """-1 where the spelling does not number its frames."""


def frame(function: str | None, module: str | None, place: str | None, raw: str, offset: str | None = None) -> Frame:
    """A frame of a printed function, path of its library and place in the source, each cleaned or None."""
    filename, line, column = file_of(place)
    name = function_of(function)
    library = library_of(module)
    null = offset if name is None and library is None and filename is None and offset and not int(offset, 16) else None
    return Frame(
        function=name,
        module=library or ("0x0" if null else None),
        filename=filename,
        lineno=line,
        column=column,
        in_app=is_own(_plain(name), module or ("0x0" if null else None), filename),
        raw=raw.strip(),
    )


def _plain(name: str | None) -> str | None:
    """The function as the lists name it: ``DB::Exception::Exception`` of ``DB::Exception::Exception<String>``."""
    found = signature(name) if name is not None and "<" in name and "::" in name else None
    return found.name or name if found is not None else name


@lru_cache(maxsize=16_384)
def function_of(text: str | None) -> str | None:
    """The function as printed, without arguments and offsets; None where the line says that nobody knows it."""
    if text is None:
        return None
    text = _OFFSET.sub("", text.strip()) if "+" in text else text.strip()
    if text in _NOTHING or text.startswith("?? ") or _ADDRESS.match(text):
        return None
    if text.startswith(("-[", "+[")) or text == SIGNAL_HANDLER or (text[0] in "_?" and " " not in text):
        return text
    found = signature(text) if "(" in text or "<" in text or " " in text else None
    name = found.printed if found is not None else text
    if text.startswith("closure #") and found is not None:
        name = f"{text.partition(' ')[0]} {text.split(' ')[1]} in {name}"
    return None if name in _NOTHING else name


def file_of(place: str | None) -> tuple[str | None, int | None, int | None]:
    """File, line and column of ``file:12:5``."""
    if not place or place in ("<null>", "??:0", "??:?", "??", "<unknown>", ":0"):
        return None, None, None
    found = _PLACE.match(place)
    if found is None:
        return place.strip(), None, None
    line = int(found["line"]) if found["line"] else None
    return found["file"].strip(), line or None, int(found["column"]) if found["column"] else None


def library_of(path: str | None) -> str | None:
    """The file of a library or program, without where it lies."""
    if not path or path in _NOTHING:
        return None
    path = _ARCHITECTURE.sub("", path.strip().removesuffix(" (deleted)"))
    if "!" in path:  # an Android library inside its package: base.apk!libfoo.so
        path = path.rpartition("!")[2]
    return re.split(r"[/\\]", path)[-1] or None


@lru_cache(maxsize=16_384)
def described(rest: str) -> tuple[str | None, str | None, str | None]:
    """Function, library and place of what stands behind a frame's number and address, in whatever order debuggers know."""
    rest = _MARKS.sub("", rest.strip())
    module = place = None
    inside = _MODULE.search(rest)
    if inside is not None:
        module = inside["module"]
        rest = _MARKS.sub("", rest[: inside.start()]).rstrip()
    at = _behind(rest, " at ")
    if at is not None:
        rest, place = at
    elif (named := _behind(rest, " from ")) is not None or (
        (named := _behind(rest, " in ")) is not None and rest[0] != "("
    ):
        rest, module = named
    else:
        found = _FILE.search(rest)
        if found is not None:
            rest, place = rest[: found.start()], found["place"]
        elif rest.startswith("/") and " " not in rest:
            rest, place = "", rest
    return rest.strip() or None, module, place


def _behind(text: str, word: str) -> tuple[str, str] | None:
    """What stands before and behind the last such word, if that ends the function: ``f (x=1) at a.c:5``."""
    at = text.rfind(word)
    if at <= 0:
        return None
    before, behind = text[:at], text[at + len(word) :].strip()
    if not behind or behind[0] in "(=,'\"" or (before.count("(") > before.count(")")):
        return None
    return before, behind
