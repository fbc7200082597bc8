"""A C++ function as compilers, debuggers and demanglers print it, brought down to its name.

``void ns::Foo<int>::bar(int) const`` is ``ns::Foo::bar``, ``foo::{lambda(int)#1}::operator()(int)`` is
``foo::lambda::operator()``. One pass over the text; nothing is ever read twice.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.model import Frame
from kb.trace.rules import names

LONGEST_SIGNATURE = 8_000
"""Characters of a signature that are looked at; real ones with all their template arguments reach a few thousand."""

# e.g. operator new[]
_OPERATOR = lazy(
    r"operator(?:[ ]?(?P<symbol><=>|<<=|>>=|->\*|->|\(\)|\[\]|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%^&|]=|[-+*/%^&|~!=<>,])"
    r"|[ ](?P<word>new|delete|co_await)\b[ ]?(?P<array>\[\])?|[ ]?\"\"[ ]?(?P<literal>\w{1,100})|[ ](?P<cast>(?=[^\s(])))"
)
_WORD = lazy(r"[\w$.@~?*&%#/\\-]+")
# e.g. (anonymous namespace)::f
_ANONYMOUS = lazy(
    r"\((?:anonymous namespace|anonymous)\)|`?anonymous[ -]namespace'|<unnamed>|\{anonymous\}|\(anonymous (?:class|struct|union|enum)\)"
)
_LAMBDA = lazy(r"'lambda\d{0,9}'|\{lambda|<lambda|\(lambda|\{\{closure")
_QUALIFIERS = lazy(r"(?:[ ]?(?:const|volatile|noexcept|mutable|&&?|\[abi:\w{1,60}\]))++(?=::)")
_OPENS = {"(": ")", "<": ">", "[": "]", "{": "}"}
_ARROW = ("->", "<=", ">=")
# e.g. `operator()`
_BRACKET = lazy(
    r"operator[ ]?(?:<<=?|>>=?|<=>|->\*?|<=|>=|<|>|\(\)|\[\])|->|[(<\[{)>\]}]|'(?:\\.|[^\\'])'|\"(?:\\.|[^\"\\])*+\""
)


@dataclass(frozen=True, slots=True)
class Signature:
    """What one pass over a printed function tells."""

    name: str
    """Without return type, parameters, template arguments and qualifiers."""
    printed: str
    """The name as printed, with its template arguments; without return type, parameters and qualifiers."""
    is_plain: bool
    """Whether nothing was left out: the text is a name and no more."""


@lru_cache(maxsize=16_384)
def signature(text: str) -> Signature | None:
    """Return the function that the text is; None if its brackets do not close or nothing is left."""
    if not text or len(text) > LONGEST_SIGNATURE:
        return None
    scan = _Scan(text)
    if not scan.run() or not scan.out:
        return None
    name = "".join(scan.out)
    printed = text[scan.begin : scan.end].strip()
    return Signature(name, printed, is_plain=name == text)


class _Scan:
    """One pass from left to right: what is outside all brackets is collected."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.out: list[str] = []
        self.begin = 0
        self.end = len(text)

    def run(self) -> bool:
        """Read to the end of the name; False if a bracket does not close."""
        while self.at < len(self.text):
            went_on = self._step()
            if went_on is not None:
                return went_on
        return True

    def _step(self) -> bool | None:  # noqa: PLR0911 - one return a kind of token
        """One token; None to go on."""
        text, at = self.text, self.at
        character = text[at]
        if character == "o" and self._begins_component():
            found = _OPERATOR.match(text, at)
            if found is not None:
                return self._operator(found)
        if self._begins_component() and character in "(<{'`":
            found = _ANONYMOUS.match(text, at)
            if found is not None:
                self.out.append("(anonymous namespace)")
                self.at = found.end()
                return None
            if _LAMBDA.match(text, at):
                return self._lambda()
        if character in "(<[{":
            return self._bracket(character)
        if character in " \t":
            return self._blank()
        if character in ")>]}":
            return False
        found = _WORD.match(text, at)
        self.at = found.end() if found is not None else at + 1
        self.out.append(text[at : self.at])
        return None

    def _begins_component(self) -> bool:
        return not self.out or self.out[-1].endswith(("::", ":", " "))

    def _operator(self, found: re.Match[str]) -> bool | None:
        self.at = found.end()
        if found["cast"] is not None:
            return self._cast()
        if found["word"]:
            self.out.append(f"operator {found['word']}{found['array'] or ''}")
        elif found["literal"]:
            self.out.append(f'operator""{found["literal"]}')
        else:
            self.out.append(f"operator{found['symbol']}")
        return None

    def _cast(self) -> bool | None:
        """``operator T`` up to its parameters: the type without its arguments."""
        self.out.append("operator ")
        while self.at < len(self.text) and self.text[self.at] != "(":
            if self.text[self.at] == "<":
                if not self._skip():
                    return False
                continue
            self.out.append(self.text[self.at])
            self.at += 1
        while self.out[-1] == " ":
            self.out.pop()
        self.end = self.at
        return True

    def _lambda(self) -> bool | None:
        self.out.append("lambda")
        if self.text[self.at] == "'":
            self.at = self.text.index("'", self.at + 1) + 1
            if self.text[self.at : self.at + 1] == "(":
                return None if self._skip() else False
            return None
        return None if self._skip() else False

    def _bracket(self, opens: str) -> bool | None:
        begin = self.at
        if not self._skip():
            return False
        if opens == "(" and self.out:
            qualifiers = _QUALIFIERS.match(self.text, self.at)
            if qualifiers is not None:
                self.at = qualifiers.end()
            if not self.text.startswith("::", self.at):
                if self.out[-1] in ("decltype", "noexcept", "requires"):
                    return None
                self.end = begin
                return True
        elif opens == "[" and self.text.startswith("[clone ", begin):
            self.end = begin
            return True
        return None

    def _blank(self) -> bool | None:
        text = self.text
        while self.at < len(text) and text[self.at] in " \t":
            self.at += 1
        if not self.out or self.at == len(text):
            return None
        if text[self.at] in "(<" and not _ANONYMOUS.match(text, self.at):  # gdb: name (args)
            return None
        if text.startswith(("[clone", "[inlined", "[abi"), self.at):
            self.end = self.at
            return True
        self.out.clear()  # what was there was a return type, a specifier
        self.begin = self.at
        return None

    def _skip(self) -> bool:
        """Goes behind the bracket that opens here and its partner."""
        closing = [_OPENS[self.text[self.at]]]
        for found in _BRACKET.finditer(self.text, self.at + 1):
            mark = found[0]
            if mark in _OPENS:
                closing.append(_OPENS[mark])
            elif mark in ")>]}":
                while closing and closing[-1] == ">" and mark != ">":
                    closing.pop()  # a smaller-than sign was taken for a bracket
                if closing and closing[-1] == mark:
                    closing.pop()
                elif mark != ">":
                    return False
            if not closing:
                self.at = found.end()
                return True
        return False


# Which libraries, source files and functions belong to the platform, to a framework, to the application.

_SPLIT = lazy(r"[/\\]")
# libfoo.so.1.2.3, libc-2.31.so, libfoo-1.2.dylib, foo.1.dylib, MSVCR120.dll keeps its number: it is a name
_VERSION = lazy(
    r"(?:[-.]\d{1,6}(?:\.\d{1,6}){0,5})(?=\.(?:so|dylib)\b)|(?<=\.so)(?:\.\d{1,6}){1,5}$|(?<=[a-zA-Z_])(?:\.\d{1,4}){1,3}(?=\.dylib$)"
)
# e.g. asan_malloc_linux.cpp
_PLATFORM_PATH = lazy(
    r"^(?:\.{0,2}/)*(?:sysdeps|nptl|csu|debug|misc|stdlib|signal|string|malloc|elf|assert|libio|posix|iconv|stdio-common|sunrpc|dlfcn|rt)/"
    r"|/sysdeps/|/glibc[-/]|/libstdc\+\+-v3/|/include/c\+\+/\d|/libcxx(?:abi)?/|/compiler-rt/|/sanitizer_common/|/libsanitizer/|^asan_\w+\.(?:cpp|cc)|^sanitizer_\w+\.(?:cpp|cc|inc)"
    r"|/bionic/libc/|vctools\\crt|\\crt\\(?:src|vcruntime|ucrt)|minkernel\\|\\MSVC\\[\d.]+\\include\\|/v1/(?:__\w+|[a-z_]+)(?:/|$)|onecore\\|/Xcode\S*/usr/include/",
    re.IGNORECASE,
)
# e.g. `/System/Library/Frameworks/UIKit.framework`
_PLATFORM_FOLDER = lazy(
    r"^(?:/usr/lib/system/|/System/Library/|/apex/com\.android\.|/system/(?:lib|bin|framework)|C:\\Windows\\)",
    re.IGNORECASE,
)


@lru_cache(maxsize=4_096)
def lasting_library(name: str) -> str:
    """Return the library without its version: ``libssl.so.1.1`` is ``libssl.so``, ``libc-2.31.so`` is ``libc.so``."""
    name = _SPLIT.split(name)[-1]
    for _ in range(3):
        shorter = _VERSION.sub("", name)
        if shorter == name or not shorter.strip("."):
            break
        name = shorter
    return name


@lru_cache(maxsize=16_384)
def library_rank(name: str) -> int:
    """0 an own library, 1 a framework's, 2 the platform's; by the bundled lists."""
    plain = lasting_library(name).lower()
    if plain in names("native_platform_libraries"):
        return 2
    return 1 if plain in names("native_framework_libraries") else 0


@lru_cache(maxsize=16_384)
def function_rank(name: str) -> int:
    """Return the same for a function: ``std::vector::at`` belongs to the platform wherever it was compiled in."""
    name = name.lstrip(" ")
    if name in names("native_platform") or name in names("native_machinery"):
        return 2
    return 1 if name in names("native_framework") else 0


def is_platform_file(path: str) -> bool:
    """Whether a source file belongs to the C or C++ library."""
    return _PLATFORM_PATH.search(path[:1_000]) is not None


def is_own(function: str | None, module: str | None, filename: str | None) -> bool:
    """Whether a frame is the application's, as far as function, library path and source file tell; not if nothing does."""
    if not (function or module or filename):
        return False
    if module and (library_rank(module) or _PLATFORM_FOLDER.match(module)):
        return False
    if filename and is_platform_file(filename):
        return False
    return not (function and function_rank(function))


# A frame as a line prints it, and the parts that many spellings share: function, arguments, place.

LONGEST_FRAME = 4_000
"""A longer line is no frame."""

SIGNAL_HANDLER = "<signal handler called>"
_NOTHING = frozenset({"?", "??", "???", "n/a", "(unknown)", "<unknown>", "<unknown function>", "unknown", "(null)", "<null>", "(inlined by)", "no symbol", "UnknownFunction", ""})  # fmt: skip
# e.g. #0 0x4b2c3d in main /srv/till/shop.cpp:117:13
_PLACE = lazy(
    r"(?P<file>(?:[A-Za-z]:[\\/])?[^:\n]{1,1000}?)(?::(?P<line>\d{1,9}))?(?::(?P<column>\d{1,9}))?(?: \(discriminator \d{1,9}\))?[ \t]*+$"
)
# e.g. 2  libshop.so + 0x1f2e3
_OFFSET = lazy(r"[ \t]*+\+[ \t]*+(?P<offset>(?:0x)?[0-9a-fA-F]{1,16})(?:/0x[0-9a-f]{1,16})?[ \t]*+$")
# e.g. (BuildId: abcd)
_MARKS = lazy(
    r"(?:[ \t]*+(?:\(BuildId: [0-9a-f]{0,64}\.{0,3}\)|\[(?:opt|inlined|artificial|inline)\](?: \[\w{1,12}\])?|\(inlined\)|\(inline\)))++[ \t]*+$"
)
# e.g. #0 0x1 (/usr/lib/libx.so+0x001f2e3)
_MODULE = lazy(
    r"[ \t]*+\((?P<module>[^()\n+]{1,500}?(?:\([^()\n]{1,60}\)[^()\n+]{0,300}?)?)[ ]?\+[ ]?(?P<offset>0x[0-9a-fA-F]{1,16})\)$"
)
# e.g. $ ./app
_FILE = lazy(
    r"[ \t](?P<place>(?:[A-Za-z]:[\\/])?[^\s():<>]{1,500}+(?::\d{1,9}){1,2}|(?:/|\.{1,2}/|[A-Za-z]:[\\/])[^\s():]{1,500}|\?\?:[?0]|<null>)$"
)
_ARCHITECTURE = lazy(r":(?:x86_64h?|arm64e?|arm64|i386|armv7k?s?)$")
_ADDRESS = lazy(r"(?:0x)?[0-9a-fA-F]{6,16}$")


@dataclass(frozen=True, slots=True)
class Printed:
    """A frame and the number it is printed with."""

    frame: Frame
    number: int
    """-1 where the spelling does not number its frames."""


def frame(function: str | None, module: str | None, place: str | None, raw: str, offset: str | None = None) -> Frame:
    """Return a frame of a printed function, path of its library and place in the source, each cleaned or None."""
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
    """Return the function as the lists name it: ``DB::Exception::Exception`` of ``DB::Exception::Exception<String>``."""
    found = signature(name) if name is not None and "<" in name and "::" in name else None
    return found.name or name if found is not None else name


@lru_cache(maxsize=16_384)
def function_of(text: str | None) -> str | None:
    """Return the function as printed, without arguments and offsets; None where the line says that nobody knows it."""
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
    """Return the file of a library or program, without where it lies."""
    if not path or path in _NOTHING:
        return None
    path = _ARCHITECTURE.sub("", path.strip().removesuffix(" (deleted)"))
    if "!" in path:  # an Android library inside its package: base.apk!libfoo.so
        path = path.rpartition("!")[2]
    return re.split(r"[/\\]", path)[-1] or None


@lru_cache(maxsize=16_384)
def described(rest: str) -> tuple[str | None, str | None, str | None]:
    """Function, library and place of what is behind a frame's number and address, in whatever order debuggers know."""
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
    """Return what is before and behind the last such word, if that ends the function: ``f (x=1) at a.c:5``."""
    at = text.rfind(word)
    if at <= 0:
        return None
    before, behind = text[:at], text[at + len(word) :].strip()
    if not behind or behind[0] in "(=,'\"" or (before.count("(") > before.count(")")):
        return None
    return before, behind
