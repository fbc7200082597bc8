"""The lines of a PHP trace: frames of every printer, and heads of errors and exceptions."""

import html
import re
from dataclasses import dataclass, replace
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX
from kb.trace.model import Frame
from kb.trace.runtimes.php.names import in_app_function, place

LONGEST = 8_000

_TYPE = r"\\?[^\x00-@\[-^`{-\x7f][\w\\]{0,200}+(?:@anonymous[^\n:']{0,300}?)?"
"""A class's name begins with a letter of ASCII or any other character: spelled as what it is not, since a range up to the last character takes 5 ms to compile."""
# A function: A\B->c, A::c, {closure}, {closure:A::b():12}, class@anonymous /f.php:3$0->f
_FUNCTION = (
    r"(?P<function>(?:[\w\\]{0,200}@anonymous[^\n(]{0,400}?(?:->|::))?"
    r"(?:[\w\\.]{1,200}+(?:->|::))?(?:[\w\\]{0,200}\{closure(?::[^{}\n]{1,300}(?:\{[^{}\n]{0,300}\}[^{}\n]{0,100})?)?\}|[\w\\.]{1,200}+(?:(?:->|::)[\w{}]{1,200}+)?|unknown))"
)
_CODE = r"(?: : (?:eval\(\)'d code|runtime-created function|assert code|regexp code)(?:\((?P<evalled>\d{1,9})\))?){0,6}"
# e.g. #1 /app/b.php(6) : eval()'d code(1): f()
_FRAME = lazy(
    rf"#(?P<number>\d{{1,7}}):?[ \t]{{1,4}}(?:(?P<file>[^\n]{{1,600}}?)\((?P<line>\d{{1,9}})\){_CODE}: ?|\[internal function\]: ?|(?=[\w\\]{{1,200}}(?:->|::)[\w]{{1,100}}\())"
    rf"{_FUNCTION}\("
)
# e.g. #1 /c.php(3):
_NO_FUNCTION = lazy(
    rf"#(?P<number>\d{{1,7}}):?[ \t]{{1,4}}(?P<file>[^\n()]{{1,600}}?\.\w{{2,6}})\((?P<line>\d{{1,9}})\){_CODE}:?[ \t]*$"
)
# e.g. #0  c(1, 2) called at [/tmp/include.php:10]
_CALLED_AT = lazy(
    rf"#(?P<number>\d{{1,7}})[ \t]{{1,4}}{_FUNCTION}\([^\n]{{0,2000}}\) called at \[(?P<file>[^\[\]\n]{{1,600}}?):(?P<line>\d{{1,9}})\]"
)
_MAIN = lazy(r"#(?P<number>\d{1,7}):?[ \t]{1,4}\{main\}")
# e.g. PHP   3. g() /a.php:3
_XDEBUG = lazy(
    rf"(?:PHP )?[ \t]{{1,8}}(?:\d{{1,6}}\.\d{{4}}[ \t]{{1,9}}\d{{1,12}}[ \t]{{1,9}})?(?P<number>\d{{1,6}})\. (?:(?P<main>\{{main\}})|{_FUNCTION})\([^\n]{{0,2000}}\) (?P<file>[^\n]{{1,600}}?):(?P<line>\d{{1,9}})[ \t]*$"
)
# e.g. App\F->g() at /srv/src/b.php:3
_AT_FILE = lazy(
    rf"[ \t]*(?:at[ \t]{{1,4}})?{_FUNCTION}\([^\n]{{0,2000}}?\)[ \t]{{1,4}}(?:in |at )(?P<file>[^\s()]{{1,600}}?)(?::| line |\(line )(?P<line>\d{{1,9}})\)?[ \t]*$"
)
# e.g. at /srv/src/Foo.php:12
_PLACE_ONLY = lazy(
    r"[ \t]*(?:(?:at|in)[ \t]{1,4}|\d{1,4}[ \t]{2,4})?(?P<file>[^\s():\"']{1,600}\.(?:php|phtml|inc))(?::| line |\(line )(?P<line>\d{1,9})\)?[ \t]*$"
)
_AT_FUNCTION = lazy(rf"[ \t]+at {_FUNCTION}\([^\n]{{0,2000}}\)[ \t]*$")
_IN_BRACKETS = lazy(r"[ \t]+\((?P<file>[^\s()]{1,600}):(?P<line>\d{1,9})\)[ \t]*$")

_LEVEL = (
    r"Fatal error|Parse error|Warning|Notice|Deprecated|Recoverable fatal error|Catchable fatal error|Strict Standards|"
    r"User Error|User Warning|User Notice|User Deprecated|Core Error|Core Warning|Compile Error|Compile Warning"
)
# e.g. `Warning: x`
_PHP_ERROR = lazy(
    rf"(?:(?<=PHP )|(?<![\w\"']))(?:<b>)?(?P<level>{_LEVEL})(?:</b>)?:(?: {{1,2}}|(?=Uncaught ))(?P<rest>[^\n]*)",
    re.DOTALL,
)
_ON_LINE = lazy(r" on line (?:<b>)?(?P<line>\d{1,9})")
# e.g. `Uncaught exception 'Shop\PayError' with message 'no till'`
_UNCAUGHT = lazy(
    rf"Uncaught (?:PHP Exception )?(?:exception '(?P<old>{_TYPE})'(?: with message '(?P<message>[^\n]*))?|(?P<type>{_TYPE})(?P<rest>: [^\n]*| in [^\n]*|$))"
)
# e.g. `Warning: x`
_TO_STRING = lazy(
    rf"(?:Next |[ \t]*)(?:exception '(?P<old>{_TYPE})'(?: with message '(?P<message>[^\n]*))?|(?P<type>{_TYPE})(?P<rest>: [^\n]*| in [^\n]*|:?$))"
)
# e.g. [previous exception] [object] (App\Inner(code: 0): gone at /srv/src/d.php:3)
_OBJECT = lazy(
    rf"\[object\] \((?P<type>{_TYPE})\(code: (?P<code>[^()\n]{{0,40}})\)(?:: (?P<message>[^\n]*)|[ \t]*$| (?=at ))"
)
_AT_PLACE = lazy(r"(?:^| )at (?P<file>[^\n]{1,600}?):(?P<line>\d{1,9})\)")
# e.g. request.CRITICAL: Uncaught PHP Exception App\E: "m (x)" at A.php line 12 {"e":1}
_SYMFONY = lazy(
    rf"Uncaught (?:PHP Exception |Error: )?(?P<type>{_TYPE}): \"(?P<message>[^\n]*?)\" at (?P<file>[^\s\n]{{1,600}}) line (?P<line>\d{{1,9}})"
)
# e.g. In Foo.php line 12:
_IN_LINE = lazy(r"[ \t]*In (?P<file>[\w.-]{1,200}\.(?:php|phtml|inc|twig)) line (?P<line>\d{1,9}):[ \t]*$")
_BOXED = lazy(rf"[ \t]+\[(?P<type>{_TYPE})(?: \([^()\n]{{1,40}}\))?\][ \t]*$")
# e.g. two in /a.php:3
_COLON_PLACE = lazy(
    r"(?P<file>[^\n]{1,600}):(?P<line>\d{1,9})(?=[\s\"'<,]*$|[\"'][ ,}]|,? referer: | while reading |[ ]?\\n)"
)
# e.g. [2024-05-07T10:00:03+08:00][error] [10501]m[/app/a.php:12]
_THINK = lazy(
    r"\[ ?(?:error|ERROR) ?\][ :]{0,2}\[(?P<code>-?\w{1,20})\](?P<message>[^\n]{0,4000}?)\[(?P<file>[^\[\]\n]{1,600}\.\w{2,6}):(?P<line>\d{1,9})\]"
)
_WORDPRESS = lazy(r"WordPress database error (?P<message>[^\n]{1,4000})")

HINTS = ("\\n", " #", "\t#", "Stack trace:", "<br", "{main}")
"""Literals of which one is on every line that holds a break."""
BREAK = lazy(
    r"\\{1,2}n(?=(?:\\{1,2}n)?(?:Stack trace:|#\d|Next |[ ]{2}thrown in |\[stacktrace\]|\[previous exception\]|\"|$))"
    r"|(?<![ \t])[ \t]++(?=#\d{1,4} (?:[^\s()]{1,300}\(\d{1,9}\): |\[internal function\]|\{main\}))"
    r"|(?<=\d)[ \t]++(?=Stack trace:)|(?<=\{main\})[ \t]++(?=Next |thrown in )|(?<=Stack trace:)<br ?/?>|<br ?/?>(?=#\d|\s*thrown)"
)
"""Between the lines of a trace on one line: Apache and JSON escape breaks, consoles and forms lose them."""


@dataclass(frozen=True, slots=True)
class PhpHead:
    """What a head line says; ``frame`` is the place it names, None while the message goes on."""

    type: str | None
    message: str
    frame: Frame | None = None
    is_quoted: bool = False
    """PHP 5 puts the message in quotes, Symfony too: where it goes on, a quote ends it."""
    is_sure: bool = False
    """Only PHP says it so; else a stack trace has to follow."""


def site(file: str, line: str | None, raw: str, function: str | None = None) -> Frame:
    """Return a frame in a file."""
    file = html.unescape(file).strip().removeprefix("<b>").removesuffix("</b>")
    module, rank = place(file)
    return Frame(function, module, file, int(line) if line else None, None, rank == 0, raw.strip())


@lru_cache(maxsize=16_384)
def frame_of(line: str) -> tuple[int, Frame | None] | None:
    """Number and frame of a ``#n`` line, behind any prefix; the frame is None for ``{main}``."""
    at = line.find("#", 0, 600)
    if at < 0 or len(line) > LONGEST:
        return None
    found = (
        _MAIN.match(line, at) or _CALLED_AT.match(line, at) or _FRAME.match(line, at) or _NO_FUNCTION.match(line, at)
    )
    if found is None or not _is_lead(line, at):
        return None
    number = int(found["number"])
    parts = found.groupdict()
    if len(parts) == 1:
        return number, None
    function = html.unescape(parts["function"]) if parts.get("function") else None
    if parts.get("file"):
        return number, site(parts["file"], parts["line"], line[at:], function)
    return number, Frame(function, None, None, None, None, in_app_function(function or ""), line[at:].strip())


def _is_lead(line: str, end: int) -> bool:
    if not line[:end].strip(" \t\"'|>*\\n"):
        return True
    prefix = LOG_PREFIX.match(line[: end + 1])
    return prefix is not None and prefix.end() >= end


def xdebug_frame(line: str) -> Frame | None:
    """Return a numbered line of Xdebug's or PHP's own stack: the outermost call first."""
    at = line.find("PHP ") if "PHP " in line[:LONGEST] else 0
    found = _XDEBUG.match(line, max(at, 0)) if ". " in line and len(line) <= LONGEST else None
    if found is None:
        return None
    return site(
        found["file"], found["line"], line[max(at, 0) :], found["function"] if found["main"] is None else "{main}"
    )


def called(line: str) -> Frame | None:
    r"""Return a frame of Symfony: ``App\\Foo->bar() at /f.php:12``, ``at f() in F.php:12``, ``in F.php line 12``."""
    if len(line) > LONGEST:
        return None
    found = _AT_FILE.match(line)
    if found is not None and (".php" in found["file"] or "->" in found["function"] or "\\" in found["function"]):
        return site(found["file"], found["line"], line, found["function"])
    found = _PLACE_ONLY.match(line)
    return site(found["file"], found["line"], line) if found is not None else None


def called_at(line: str, below: str | None) -> Frame | None:
    r"""Return a frame of Symfony on two lines: ``at App\\Foo->bar()`` and ``(src/B.php:3)``."""
    found = _AT_FUNCTION.match(line) if len(line) <= LONGEST else None
    where = _IN_BRACKETS.match(below) if found is not None and below is not None else None
    if found is None or where is None:
        return None
    return site(where["file"], where["line"], f"{line.strip()} {(below or '').strip()}", found["function"])


def place_in(text: str) -> tuple[str, Frame] | None:
    """Return what is before the last `` in file:line``, and the place."""
    at = text.rfind(" in ")
    found = _COLON_PLACE.match(text, at + 4) if at >= 0 else None
    if found is None or not ("." in found["file"] or "/" in found["file"] or found["file"].endswith(("code", "-"))):
        return None
    return text[:at], site(found["file"], found["line"], text[at + 4 : found.end()])


@lru_cache(maxsize=4_096)
def head_of(line: str) -> PhpHead | None:
    """Return the head on this line; None if it is none that only PHP prints."""
    if len(line) > 20_000:
        return None
    if "[object] (" in line or " line " in line:
        found = _of_a_framework(line)
        if found is not None:
            return found
    error = _PHP_ERROR.search(line)
    if error is not None:
        return _error(error)
    uncaught = _UNCAUGHT.search(line) if "Uncaught " in line else None
    if uncaught is not None:
        return _thrown(uncaught, is_sure="PHP Exception" in line)
    think = _THINK.search(line) if "][" in line or "] [" in line else None
    if think is not None:
        return PhpHead("error", think["message"], site(think["file"], think["line"], think[0]), is_sure=True)
    return None


def _of_a_framework(line: str) -> PhpHead | None:
    """Return a record of Symfony or Monolog."""
    inner = _object(line) if "[object] (" in line else None
    symfony = _SYMFONY.search(line) if "Uncaught" in line else None
    if symfony is None:
        return inner
    where = inner.frame if inner is not None else None  # it has the whole path
    where = where or site(symfony["file"], symfony["line"], symfony[0])
    return PhpHead(symfony["type"], symfony["message"], where, is_sure=True)


def _error(found: re.Match[str]) -> PhpHead | None:
    rest = found["rest"]
    if rest.startswith("Uncaught "):
        uncaught = _UNCAUGHT.match(rest)
        head = _thrown(uncaught, is_sure=True) if uncaught is not None else None
        if head is not None:
            return head
    ends = max(_ON_LINE.finditer(rest), key=re.Match.start, default=None)
    at = rest.rfind(" in ", 0, ends.start()) if ends is not None else -1
    if ends is None or at < 0:
        return PhpHead(found["level"], rest.strip()) if "PHP " in found.string[: found.start()][-5:] else None
    raw = rest[at + 4 : ends.end()]
    return PhpHead(
        found["level"], _plain(rest[:at]), site(rest[at + 4 : ends.start()], ends["line"], raw), is_sure=True
    )


def _plain(message: str) -> str:
    return html.unescape(message).strip() if "&" in message else message.strip()


def _thrown(found: re.Match[str], *, is_sure: bool) -> PhpHead:
    """``Type: message in file:line`` or ``exception 'Type' with message 'message' in file:line``."""
    is_old = found["old"] is not None
    rest = (found["message"] if is_old else found["rest"]) or ""
    if is_old and found["message"] is None:
        rest = found.string[found.end() :]
    placed = place_in(rest)
    message, frame = placed if placed is not None else (rest, None)
    message = message.removeprefix(": ") if not is_old else message.removesuffix("'") if frame is not None else message
    return PhpHead(found["old"] or found["type"], _plain(message), frame, is_quoted=is_old, is_sure=is_sure)


def _object(line: str) -> PhpHead | None:
    """Return the exception in a record of Monolog: ``[object] (Type(code: 0): message at /f.php:12)``."""
    found = _OBJECT.search(line)
    if found is None:
        return None
    rest = found["message"] or line[found.end() :]
    where = _AT_PLACE.search(rest)
    if where is None:
        return PhpHead(found["type"], rest, is_sure=True)
    return PhpHead(
        found["type"], _plain(rest[: where.start()]), site(where["file"], where["line"], where[0]), is_sure=True
    )


def to_string(line: str) -> PhpHead | None:
    """Return a head as an exception prints itself; to be called only where a stack trace follows."""
    body = line.strip(" \t\"'")
    for at in (0, _prefix_end(body)):
        found = _TO_STRING.match(body, at) if len(body) <= 20_000 else None
        if found is not None and (found["old"] is not None or found["rest"].strip() or line.rstrip().endswith(":")):
            return _thrown(found, is_sure=False)
    return None


def _prefix_end(body: str) -> int:
    prefix = LOG_PREFIX.match(body)
    if prefix is None:
        return 0
    eaten = re.search(r"(?<![\w\\])[A-Za-z_\\][\w\\]{1,200}+: ?$", prefix[0][-300:])
    return prefix.end() - (len(eaten[0]) if eaten is not None else 0)


def boxed(line: str) -> Frame | None:
    """Return the place of an error that Symfony's console prints above a box: ``In Foo.php line 12:``."""
    found = _IN_LINE.match(line)
    return site(found["file"], found["line"], line) if found is not None else None


def boxed_type(line: str) -> str | None:
    r"""Return the type in such a box: ``  [App\\Oops (42)]  ``."""
    found = _BOXED.match(line)
    return found["type"] if found is not None else None


def in_wordpress(line: str) -> PhpHead | None:
    """Return an error of WordPress's database."""
    found = _WORDPRESS.search(line)
    return PhpHead("WordPress database error", found["message"].strip(), is_sure=True) if found is not None else None


def placed(head: PhpHead, message: str, frame: Frame) -> PhpHead:
    """Return the head of a message of several lines, once its place is known."""
    return replace(head, message=message.removesuffix("'") if head.is_quoted else message, frame=frame)
