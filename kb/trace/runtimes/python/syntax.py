"""The lines of a Python traceback."""

import html
import re
from functools import lru_cache
from itertools import islice

from kb.patterns import lazy
from kb.trace.lines import Lines
from kb.trace.model import Frame
from kb.trace.rules import names
from kb.trace.runtimes.python.names import place

TRACEBACK = "Traceback (most recent call last)"
CAUSE_FOLLOWS = "The above exception was the direct cause of the following exception"
CONTEXT_FOLLOWS = "During handling of the above exception, another exception occurred"

_QUOTE = r"(?:\\?\"{1,2}|“|”)"
# e.g. File "/a.py", line 3, in f
_FRAME = lazy(
    rf"[ \t]*+(?:> )?File {_QUOTE}(?P<file>[^\"“”\n]{{1,1000}}?){_QUOTE}[,，] line (?P<line>\d{{1,9}})(?:[,，]? in (?P<function>[^\n]{{1,300}}?))?`{{0,3}}[ \t]*+$"
)
# e.g. Cell In[1], line 5, in price(order)
_IPYTHON = lazy(
    r"(?:File )?(?P<file>(?:~|/|[A-Za-z]:\\|<)[^\s\"()]{1,400}?(?:\.py|>|\.pyx)|(?:Cell|Input) In ?\[\d{1,6}\])(?::(?P<line>\d{1,9})|, line (?P<other>\d{1,9}))?(?:,? in (?P<function><cell line: \d{1,6}>|[\w<>.]{1,200})(?:\(.*)?)?[ \t]*+$"
)
# e.g. │ /srv/pay.py:9 in main                          │
_PRETTY = lazy(r"(?P<file>[^\s:][^\n:]{0,400}?):(?P<line>\d{1,9}) in (?P<function>[^\n]{1,200}?)[ \t]*+$")
_ARROW = lazy(r"(?:-{1,6}> ?|❱ )(?P<line>\d{1,9})(?=[ \t]|$)")
# e.g. `OSError: x`
_RAISED = lazy(
    r"(?P<type>[^\W\d]\w{0,120}+(?:\.(?:[^\W\d]\w{0,120}+|<locals>)){0,24}+(?:\([^\W\d][\w.]{0,120}+\))?)(?:[:：] ?(?P<message>.*)|(?<![\u4e00-\u9fff])[ \t]*+$)",
    re.DOTALL,
)
_DJANGO = lazy(r"Exception Type: (?P<type>[\w.]{1,120})(?: at \S{0,1000})?[ \t]*+$")
# e.g. Traceback (most recent call last):
_HEAD_OF_STACK = lazy(
    r"[ \t]*+(?:(?:\+ )?Exception Group |(?:[^\W\d]\w{0,120}+\.?){1,12}+[ \t]{1,80}+|╭─{1,200}+ )?"
    + re.escape(TRACEBACK)
)
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』", "《": "》"}
# e.g. java.io.IOException
_FULL_NAME = lazy(
    r"(?<![\w.$/\\-])(?<!\(\*)(?:[a-z_][a-z0-9_]{0,40}+\.){1,8}+(?:_?[A-Z]\w{0,80}(?:Error|Exception|Warning)|(?:(?<=[._]errors\.)|(?<=[._]exceptions\.)|(?<=\.exc\.)|(?<=\.err\.)|(?<=\.error\.))[A-Z]\w{0,80})(?![\w.$])(?=[:：]|[\s\"'`”’」』》)]|$)"
)
"""A class below modules, and no pointer of Go's; whatever it ends with where its module is one that Python's libraries keep their exceptions in."""
_OF_ERRORS = lazy(r"(?:^|[._])(?:errors?|exceptions?|exc|err)\.\w+$")
_MOST_NAMES = 20
_OTHERS_NAME = lazy(r"[A-Z]\w{1,80}(?:Exception|Error): ")
"""Another exception before it, whose message quotes it."""
# e.g. java.io.IOException
_JVM_ROOT = lazy(
    r"(?:javax?|jakarta|jdk|sun|com|org|net|io|cn|ch|edu|gov|me|dev|tech|de|fr|uk|ru|jp|co|scala|kotlinx?|groovy|clojure|akka|pekko|reactor|rx|play|feign|freemarker|hudson|liquibase|lombok|okhttp3|retrofit2|oracle|kafka|redis\.clients|androidx?|dalvik)\."
)
# e.g. charge
_SOURCE_FILE = lazy(
    r"\.(?:py[wx]?|pyi|ipy|ipynb|pxd|pxi|mako|j2|jinja2?|html)$|^<.*>$|^(?:Cell|Input) In|(?:^|[/\\])[^./\\]+$"
)
_REPEATED = lazy(r"[ \t]*+\[Previous line repeated (?P<count>\d{1,9}) more times?\]")
# e.g. +-+---------------- 1 ----------------
_SEPARATOR = lazy(r"(?P<before>[ \t]*+)\+(?P<opens>-\+)?-{8,40}+(?: (?:\d{1,6}|\.{3}) -{8,40}+)?[ \t]*+$")


def is_traceback(body: str) -> bool:
    """Whether the line begins a stack: plain, of a group, IPython's ``KeyError   Traceback``, rich's box."""
    return TRACEBACK in body[:400] and _HEAD_OF_STACK.match(body) is not None


@lru_cache(maxsize=4_096)
def frame_of(line: str) -> Frame | None:
    """Return the frame on a ``File "…", line n, in f`` line; None for any other."""
    if "ile " not in line or "ine " not in line or len(line) > 2_000:
        return None
    found = _FRAME.match(html.unescape(line) if "&" in line else line)
    if found is None:
        return None
    module, _, rank = place(found["file"])
    return Frame(
        function=found["function"],
        module=module,
        filename=found["file"],
        lineno=int(found["line"]),
        in_app=rank == 0,
        raw=line.strip(),
    )


def notebook_frame(line: str) -> Frame | None:
    """Return a frame as IPython prints it: ``~/job.py in load(path)``, ``Cell In[3], line 2``."""
    found = _IPYTHON.match(line) if len(line) < 1_000 else None
    if found is None:
        return None
    module, _, rank = place(found["file"])
    digits = found["line"] or found["other"]
    function = found["function"]
    if function is not None and not function.startswith("<"):
        function = function.rpartition(".")[2]  # CPython prints the method, IPython with its class
    elif function is None or function.startswith("<cell"):
        function = "<module>"
    return Frame(function, module, found["file"], int(digits) if digits else None, None, rank == 0, line.strip())


def pretty_frame(line: str) -> Frame | None:
    """Return a frame in a box of rich: ``/srv/job.py:12 in load``."""
    found = _PRETTY.match(line) if len(line) < 1_000 else None
    if found is None:
        return None
    module, _, rank = place(found["file"])
    return Frame(found["function"], module, found["file"], int(found["line"]), None, rank == 0, line.strip())


def arrow(line: str) -> int | None:
    """Return the number of the source line that ``---->`` or ``❱`` points at."""
    found = _ARROW.match(line) if line[:1] in ("-", "❱") else None
    return int(found["line"]) if found is not None else None


def django_end(line: str) -> tuple[str, str] | None:
    """Return the type where Django's page names it: ``Exception Type: KeyError at /pay/``; the value is on the next line."""
    found = _DJANGO.match(line) if line.startswith("Exception Type:") else None
    return (found["type"], "") if found is not None else None


def raised(line: str) -> tuple[str, str] | None:
    """Type and message of the line that ends a traceback; None if it cannot be one."""
    found = _RAISED.match(line)
    if found is None:
        return None
    return found["type"], (found["message"] or "").strip()


def bare_head(line: str) -> tuple[str, str] | None:
    """Return an exception line that stands without a traceback, where the name leaves no doubt that it is Python's."""
    if not line[:1].isalpha():
        return None
    found = raised(line)
    return found if found is not None and is_of_python(found[0]) else None


def mentioned(line: str) -> tuple[str, str] | None:
    """Return the exception of Python that a text of one line is, in quotes or not, or that is in it under its full name."""
    body = line.strip().lstrip(">").lstrip()
    closing = _QUOTES.get(body[:1])
    if closing is not None:
        body = body[1:].removesuffix(closing)
    found = bare_head(body)
    if found is not None:
        return found
    full = next((f for f in islice(_FULL_NAME.finditer(line), _MOST_NAMES) if is_of_python(f[0])), None)
    if full is None or _OTHERS_NAME.search(line, 0, full.start()):
        return None
    quoted_by = _QUOTES.get(line[full.start() - 1 : full.start()])
    is_bracketed = line[: full.start()].endswith("(") and line.startswith(") ", full.end())  # as SQLAlchemy prints it
    message = line[full.end() + is_bracketed :].removeprefix(":").removeprefix("：").strip()
    return full[0], message.rpartition(quoted_by)[0] if quoted_by is not None and quoted_by in message else message


def is_of_python(name: str) -> bool:
    """Whether nobody but Python names an exception so: a listed package, or modules as no Java package is spelled."""
    if name in names("python_errors"):
        return True
    if "." not in name or _JVM_ROOT.match(name) is not None or _FULL_NAME.match(name) is None:
        return False
    return name.endswith("Error") or "_" in name.rpartition(".")[0] or _OF_ERRORS.search(name) is not None


def holds_python(filename: str) -> bool:
    """Whether the file's name says that it holds Python: source, ``<stdin>``, a notebook's cell, a program without ending."""
    return _SOURCE_FILE.search(filename) is not None


def repeated(line: str) -> int | None:
    """Return the count of ``[Previous line repeated n more times]``."""
    found = _REPEATED.match(line) if "[Previous line" in line[:200] else None
    return int(found["count"]) if found is not None else None


def separator(line: str) -> tuple[int, bool] | None:
    """Column at which the next member of an exception group is, and whether a member follows at all."""
    if ("+----" not in line and "+-+---" not in line) or len(line) > 300:
        return None
    found = _SEPARATOR.match(line)
    if found is None:
        return None
    column = len(found["before"]) + (2 if found["opens"] else 0)
    return column, line.strip("+- \t") != ""


# The lines of a text that is further right than it was printed: quoted in a mail, pasted into a list or a cell.


class Margin:
    """The same lines without a margin of blanks; places stay those of the text."""

    __slots__ = ("_lines", "_size")

    def __init__(self, lines: Lines) -> None:
        first = lines.get(0) or ""
        self._lines = lines
        self._size = len(first) - len(first.lstrip(" \t"))

    def _body(self, line: str) -> str:
        return line[self._size :] if self._size and not line[: self._size].strip(" \t") else line

    def get(self, at: int) -> str | None:
        """Return the line with this number; None behind the last."""
        line = self._lines.get(at)
        return self._body(line) if line is not None else None

    def start(self, at: int) -> int:
        """Return where in the text the line begins."""
        return self._lines.start(at)

    def end(self, at: int) -> int:
        """Return where in the text the line ends."""
        return self._lines.end(at)

    def before(self, count: int) -> list[tuple[int, str]]:
        """At most ``count`` lines above line 0, nearest first, each with where it begins."""
        return [(start, self._body(line)) for start, line in self._lines.before(count)]
