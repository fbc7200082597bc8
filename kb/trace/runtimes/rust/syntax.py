"""The lines of a Rust trace: panic heads, backtrace entries with the place below them."""

import re
from dataclasses import dataclass
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.model import Frame
from kb.trace.runtimes.rust.names import is_installed, printed_name, rank_of

LONGEST_LINE = 4_000

# e.g. 31:     0x55dd451f93ce - main
_ENTRY = lazy(
    r"[ \t]*+(?P<index>\d{1,4}): {1,40}(?:(?P<address>0x[0-9a-fA-F]{1,16}) - )?(?P<name>[^ \t\n][^\n]{0,2000}?)(?: at (?P<place>[^\s][^\n]{0,600}?:\d{1,9}(?::\d{1,9})?))?[ \t]*+$"
)
_INLINED = lazy(r" {5,80}+(?:- )?(?P<name>[<\w{][^\n]{0,2000}+)$")
# e.g. at ./src/a.rs:2:9
_PLACE = lazy(
    r"[ \t]*+at (?P<file>[^\s(][^\n:]{0,600}(?::[/\\][^\n:]{1,600})?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?[ \t]*+$"
)
# e.g. _start
_SYMBOL = lazy(r"(?:<unknown>|_R[A-Za-z]\w{2,1000}+|_ZN\d\w{2,1000}+|[<&\w{][^\n]{0,2000}+)$")
# A name has no blank but in <A as B>, &mut T, impl T, dyn T, -> and behind a comma
_WORDS = lazy(
    r"(?:(?<=,)| as| for|\bmut|\bdyn|\bimpl|\bconst|\bunsafe|\bextern|\bfn|->|(?<=-)>|;| \+| =) | (?:as|for|->|\+|=) "
)
# e.g. thread 'main' panicked at src/a.rs:2:9:
_PANICKED = lazy(
    r"(?:thread (?:'(?P<thread>[^'\n]{0,200}+)'|(?P<bare><unnamed>|\w{1,60}+))(?: \(\d{1,20}\))? )?panicked at (?P<rest>[^\n]{0,4000}+)"
)
# e.g. 10:00:00: acme
_NEW_PLACE = lazy(
    r"(?P<file>[^\n:'\"]{1,600}+(?::[/\\][^\n:]{1,600}+)?):(?P<line>\d{1,9}):(?P<column>\d{1,9}):?(?P<message> .*)?$"
)
# e.g. `', src/main.rs:2:5`
_OLD_END = lazy(
    r"'(?:, |: )(?P<file>[^\n:']{1,600}(?::[/\\][^\n:]{1,600})?\.rs):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?[ \t]*+:?[ \t]*+$"
)
_STRAIGHT = str.maketrans("‘’", "''")
_FATAL = lazy(r"fatal runtime error: (?P<message>[^\n]{1,500}+)")
_ALLOCATION = lazy(r"memory allocation of \d{1,20} bytes failed")


@dataclass(frozen=True, slots=True)
class RustPosition:
    """Where something is in the source."""

    filename: str
    lineno: int
    column: int | None


@dataclass(frozen=True, slots=True)
class RustHead:
    """The line that says what happened."""

    type: str
    prefix: str
    thread: str | None
    message: str | None
    """What of the message is on this line; None if it begins on the next."""
    place: RustPosition | None
    is_open: bool
    """A message in quote marks that do not close on this line."""


@lru_cache(maxsize=4_096)
def head_of(line: str) -> RustHead | None:
    """Return a panic in either form, or what the runtime says before it aborts."""
    line = line[:LONGEST_LINE]
    if "‘" in line:  # an editor curled the marks around the thread, or around an old message
        line = line.translate(_STRAIGHT)
    if "panicked at " in line:
        found = _PANICKED.search(line)
        if found is not None:
            return _panic(found, line[: found.start()])
    if "fatal runtime error: " in line:
        fatal = _FATAL.search(line)
        if fatal is not None:
            message = fatal["message"].strip().removesuffix(", aborting")
            return RustHead("fatal runtime error", line[: fatal.start()], None, message, None, is_open=False)
    if "memory allocation of " in line:
        failed = _ALLOCATION.search(line)
        if failed is not None:
            return RustHead("allocation failure", line[: failed.start()], None, failed[0], None, is_open=False)
    return None


def _panic(found: re.Match[str], prefix: str) -> RustHead | None:
    rest, thread = found["rest"], found["thread"] or found["bare"]
    if rest[:1] in ("'", "‘"):
        end = old_end(rest)
        if end is not None:
            return RustHead("panic", prefix, thread, rest[1 : end[0]], end[1], is_open=False)
        closing = rest.find("', ", 1) if not rest.endswith("',") else len(rest) - 2  # the place is in the next line
        if closing > 0:
            return RustHead("panic", prefix, thread, rest[1:closing], None, is_open=False)
        is_open = thread is not None and (rest.strip() == "'" or not rest.rstrip().endswith("'"))
        return (
            RustHead("panic", prefix, thread, rest[1:].rstrip("'"), None, is_open=is_open)
            if thread is not None
            else None
        )
    place = _NEW_PLACE.match(rest)
    if place is None or (thread is None and ".rs" not in place["file"]):
        return None
    at = RustPosition(place["file"], int(place["line"]), int(place["column"]))
    message = (place["message"] or "").strip() or None
    return RustHead("panic", prefix, thread, message, at, is_open=False)


def old_end(text: str) -> tuple[int, RustPosition] | None:
    """Return where a message in quote marks ends, and the place behind it: ``…', src/main.rs:3:5``."""
    at = text.rfind("'", 0, LONGEST_LINE)
    found = _OLD_END.match(text, at) if at >= 0 else None
    if found is None:
        return None
    column = int(found["column"]) if found["column"] else None
    return at, RustPosition(found["file"], int(found["line"]), column)


def entry_of(line: str) -> tuple[str, bool, RustPosition | None] | None:
    """Name, whether an address is before it, and the place if it follows, of ``   3: acme::load``."""
    if len(line) > LONGEST_LINE or ": " not in line:
        return None
    found = _ENTRY.match(line)
    if found is None or not _is_symbol(found["name"], has_address=found["address"] is not None):
        return None
    place = place_of(" at " + found["place"]) if found["place"] else None
    return found["name"], found["address"] is not None, place


def inlined_of(line: str) -> str | None:
    """Return the name of a function that was inlined into the one above: printed without a number."""
    found = _INLINED.match(line) if len(line) < LONGEST_LINE and "::" in line else None
    return found["name"].strip() if found is not None and _is_symbol(found["name"].strip(), has_address=False) else None


def is_telling(line: str) -> bool:
    """Whether a line alone is an entry of a Rust backtrace, and of nothing else."""
    found = entry_of(line)
    if found is None:
        return False
    name = found[0]
    return "::" in name or name.startswith(("_R", "_ZN")) or (found[1] and not name.startswith("0x"))


def place_of(line: str) -> RustPosition | None:
    """Return the place below an entry: ``             at ./src/a.rs:2:9``."""
    found = _PLACE.match(line) if "at " in line and len(line) < LONGEST_LINE else None
    if found is None:
        return None
    return RustPosition(found["file"], int(found["line"]), int(found["column"]) if found["column"] else None)


def _is_symbol(name: str, *, has_address: bool) -> bool:
    if _SYMBOL.match(name) is None:
        return False
    if " " in name and " " in _WORDS.sub("", name):
        return False
    return has_address or "(" not in name.replace("{impl#", "") or "::" in name


def frame(name: str, place: RustPosition | None, raw: str) -> Frame:
    """Return the frame of an entry and the place below it."""
    function = printed_name(name)
    filename = place.filename if place is not None else None
    is_own = not is_installed(filename) and rank_of(function) == 0
    return Frame(
        None if function == "<unknown>" else function,
        None,
        filename,
        place.lineno if place is not None else None,
        place.column if place is not None else None,
        is_own and function != "<unknown>",
        raw,
    )
