"""Follow logs: files that grow, are emptied, renamed, made anew or do not exist yet; patterns of them; and pipes.

`LogFollower` yields the bytes that are new in each log; a `Decoder` turns those of one log into whole lines.
"""

import codecs
import os
import select
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from itertools import count
from pathlib import Path

from api.render.console import STDIN
from kb.article.decode import decode
from kb.errors import SourceError

_LONGEST_LINE = 8 << 20
"""Most bytes of a line; a longer one is cut."""
SNIFFED = 2_000
"""Bytes at the beginning of a file that show whether it is UTF-16 or UTF-32."""
_MANY_ZEROS = 4
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def wide_encoding(start: bytes) -> str | None:
    """The encoding of two or four bytes a character that the start of a file shows; None for all others.

    Without a mark, every other byte must be a zero: a file that was emptied under its writer begins with nothing but zeros.
    """
    for mark, name in _WIDE:
        if start.startswith(mark):
            return name
    even, odd = start[0::2].count(0), start[1::2].count(0)
    if len(start) < _MANY_ZEROS * 2:
        return None
    if odd * _MANY_ZEROS > len(start) and not even:
        return "utf-16-le"
    return "utf-16-be" if even * _MANY_ZEROS > len(start) and not odd else None


class Decoder:
    """Decodes one log."""

    def __init__(self, start: bytes, longest: int = _LONGEST_LINE) -> None:
        """``start``: the first bytes, which show the encoding; ``longest``: the most bytes of a line."""
        self._longest = longest
        name = wide_encoding(start)
        self._wide = codecs.getincrementaldecoder(name)("replace") if name else None
        self._bytes = b""
        self._text = ""
        self.is_text = True
        """Whether the last bytes were text; lines that are none are passed over."""

    def lines(self, data: bytes) -> str:
        """The lines that are whole now; a line without end is cut."""
        if self._wide is not None:
            return self._cut(self._text + self._wide.decode(data))
        held = self._bytes + data.replace(b"\0", b"")
        cut = held.rfind(b"\n") + 1
        cut = len(held) if not cut and len(held) > self._longest else cut
        self._bytes = held[cut:]
        return self._decoded(held[:cut])

    @property
    def unfinished(self) -> str:
        """The line that has not ended."""
        return self._text if self._wide is not None else self._decoded(self._bytes)

    def _cut(self, text: str) -> str:
        cut = text.rfind("\n") + 1
        cut = len(text) if not cut and len(text) > self._longest else cut
        self._text = text[cut:]
        return text[:cut].removeprefix("\ufeff")

    def _decoded(self, data: bytes) -> str:
        self.is_text = True
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            decoded = decode(data)
            self.is_text = not decoded.binary
            return "\n".join(map(_line, data.split(b"\n"))) if decoded.binary else decoded.text


def _line(data: bytes) -> str:
    """Decode one line of a binary file, or return ''."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return ""


_LAST = 64
"""Bytes before the place reached that are looked at again: others there mean that the file was written anew."""
_START = 2_000
_NUMBERS = count()


@dataclass(frozen=True, slots=True)
class FollowLimits:
    """How much of each log is read, and how often files are looked for."""

    piece: int = 4 << 20
    """Bytes that are read of one log before the next one."""
    read: int = 1 << 20
    """Bytes that are read at once."""
    files: int = 400
    """Files that are followed."""
    grace: float = 5.0
    """Seconds without a line after which a file that was renamed or removed is closed: its writer may still have it open."""
    look: float = 1.0
    """Seconds between two looks for new files of a pattern."""


LIMITS = FollowLimits()
File = tuple[int, int]
"""Device and inode: which file it is, whatever it is called. Another one gets them once it is gone."""
Reached = tuple[int, bytes]
"""A place in a file, and the last bytes before it."""


@dataclass(frozen=True, slots=True)
class LogChunk:
    """Bytes of a log."""

    log: int
    """Which: a number that no other log has. A file that was written anew is another one."""
    name: str
    start: bytes
    """The first bytes of the log, as far as it was read."""
    data: bytes
    ended: bool = False
    """Nothing follows."""


class Tail:
    """One open file, from a place on."""

    def __init__(self, path: Path, place: int | None, limits: FollowLimits = LIMITS) -> None:
        """``place``: where to begin; None for its end. OSError when it cannot be opened."""
        self._limits = limits
        self._fd = os.open(path, os.O_RDONLY)
        stat = os.fstat(self._fd)
        self.file: File = (stat.st_dev, stat.st_ino)
        self.place = stat.st_size if place is None else place
        self._path = path
        self._log = next(_NUMBERS)
        self._last = self._before()

    def read(self) -> LogChunk | None:
        """Return the added bytes, or None."""
        parts, size = [], 0
        while size < self._limits.piece and (data := os.pread(self._fd, self._limits.read, self.place)):
            parts.append(data)
            size += len(data)
            self.place += len(data)
        if not parts:
            return None
        self._last = self._before()
        return self._piece(b"".join(parts))

    def end(self) -> LogChunk:
        """Close it."""
        piece = self._piece(b"", ended=True)
        os.close(self._fd)
        return piece

    def is_rewritten(self) -> bool:
        """Whether the file was emptied, or holds something else where it was read already."""
        return os.fstat(self._fd).st_size < self.place or self._before() != self._last

    @property
    def reached(self) -> Reached:
        """How far it was read."""
        return self.place, self._last

    def go_on(self, reached: Reached) -> None:
        """Read on from there; another file that only has its inode `is_rewritten` then."""
        self.place, self._last = reached

    def leads_here(self) -> bool | None:
        """Whether the path still leads to this file; None where it leads nowhere."""
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return (stat.st_dev, stat.st_ino) == self.file

    def _before(self) -> bytes:
        return os.pread(self._fd, min(_LAST, self.place), max(self.place - _LAST, 0))

    def _piece(self, data: bytes, *, ended: bool = False) -> LogChunk:
        return LogChunk(self._log, str(self._path), os.pread(self._fd, _START, 0), data, ended)


class Pipe:
    """Standard input, or what a shell puts in the place of a file: read as it comes, until it ends."""

    def __init__(self, fd: int, name: str, limits: FollowLimits = LIMITS) -> None:
        self._limits = limits
        self.fd = fd
        self._name = name
        self._log = next(_NUMBERS)
        self._start = b""
        self.has_ended = False

    def read(self) -> LogChunk | None:
        """Return new bytes, or None. The last chunk has ``ended``."""
        parts, size = [], 0
        while not self.has_ended and size < self._limits.piece and select.select([self.fd], [], [], 0)[0]:
            data = os.read(self.fd, self._limits.read)
            self.has_ended = not data
            parts.append(data)
            size += len(data)
        if not parts:
            return None
        whole = b"".join(parts)
        self._start = self._start or whole[:_START]
        return LogChunk(self._log, self._name, self._start, whole, self.has_ended)


_MOST_DONE = 4_000


class Followed:
    """One path, by its name or as one of a pattern."""

    def __init__(self, path: Path, *, is_named: bool) -> None:
        self.path = path
        self.is_named = is_named
        self.tail: Tail | None = None
        self.left: list[tuple[Tail, float]] = []
        """Files that the path led to, and when the last of each came."""

    @property
    def tails(self) -> tuple[Tail, ...]:
        """The open files of the path."""
        return tuple(filter(None, (self.tail, *(tail for tail, _ in self.left))))

    def read(self, now: float) -> Iterator[LogChunk]:
        """Yield the new bytes of the path."""
        tail = self.tail
        if tail is None:
            return
        if tail.is_rewritten():
            yield tail.end()
            self.tail = None
            return
        if piece := tail.read():
            yield piece
        is_here = tail.leads_here()
        if is_here is False or (is_here is None and not self.is_named):  # a named one that is removed may be made anew
            self.left.append((tail, now))
            self.tail = None

    def read_left(self, now: float, grace: float, done: dict[File, Reached]) -> Iterator[LogChunk]:
        """Yield late bytes of renamed or removed files; note in ``done`` how far those were read that are closed after ``grace`` seconds."""
        still = []
        for tail, last in self.left:
            piece = tail.read()
            if piece:
                yield piece
            if piece or now - last < grace:
                still.append((tail, now if piece else last))
            else:
                done[tail.file] = tail.reached
                yield tail.end()
        self.left = still


class LogFollower:
    """Follows all logs of a watch. ``tell`` gets messages for people: missing files, unreadable files."""

    def __init__(
        self, names: Sequence[str], *, from_start: bool, tell: Callable[[str], None], limits: FollowLimits = LIMITS
    ) -> None:
        self._limits = limits
        self._patterns = [name for name in names if name != STDIN and has_magic(name) and not Path(name).exists()]
        self._tell = tell
        self._reported: set[str] = set()
        self._followed: dict[Path, Followed] = {}
        self._pipes: list[Pipe] = []
        self._done: dict[File, Reached] = {}
        """How far closed files were read; one that returns under another name continues there."""
        self._looked = 0.0
        for name in dict.fromkeys(names):
            if name not in self._patterns:
                self._add(name, at_end=not from_start)
        self._look(at_end=not from_start)

    @property
    def has_ended(self) -> bool:
        """Whether nothing can follow: there were only pipes, and all have ended."""
        return not self._followed and not self._patterns and all(pipe.has_ended for pipe in self._pipes)

    def read(self) -> Iterator[LogChunk]:
        """Yield the new bytes of every log."""
        now = time.monotonic()
        if now - self._looked >= self._limits.look:
            self._look(at_end=False)
        for pipe in self._pipes:
            if piece := pipe.read():
                yield piece
        for followed in list(self._followed.values()):
            yield from followed.read(now)
            self._open(followed, at_end=False)
            yield from followed.read_left(now, self._limits.grace, self._done)
            if not followed.is_named and not followed.tails and not followed.path.exists():
                del self._followed[followed.path]
        while len(self._done) > _MOST_DONE:
            del self._done[next(iter(self._done))]

    def wait(self, seconds: float) -> None:
        """Until something comes through a pipe, but no longer."""
        fds = [pipe.fd for pipe in self._pipes if not pipe.has_ended]
        if fds:
            select.select(fds, [], [], seconds)
        else:
            time.sleep(seconds)

    def _add(self, name: str, *, at_end: bool) -> None:
        if name == STDIN:
            self._pipes.append(Pipe(0, "stdin", self._limits))
            return
        path = Path(name)
        try:
            mode = path.stat().st_mode
            if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode):
                self._pipes.append(Pipe(os.open(path, os.O_RDONLY), name, self._limits))
                return
            if stat.S_ISDIR(mode):
                raise SourceError(f"{name} is a folder", cure=f"name its files: '{name.rstrip('/')}/*.log'")
            os.close(os.open(path, os.O_RDONLY))
        except FileNotFoundError:
            at_end = False
            self._once(f"{name} is not there yet: waiting for it")
        except OSError as error:
            raise SourceError(
                f"{name} cannot be read: {error.strerror}", cure="name a file that you may read"
            ) from error
        followed = self._followed[path] = Followed(path, is_named=True)
        self._open(followed, at_end=at_end)

    def _look(self, *, at_end: bool) -> None:
        """New files of the patterns."""
        self._looked = time.monotonic()
        for pattern in self._patterns:
            paths = [Path(name) for name in sorted(glob(pattern, recursive=True)) if Path(name).is_file()]  # noqa: PTH207 - a pattern may be absolute
            if not paths:
                self._once(f"no file is {pattern} yet: waiting for one")
            for path in paths:
                if path not in self._followed and len(self._followed) < self._limits.files:
                    followed = self._followed[path] = Followed(path, is_named=False)
                    self._open(followed, at_end=at_end)
                elif path not in self._followed:
                    self._once(f"only the first {self._limits.files} files are followed: {path} and others are not")

    def _open(self, followed: Followed, *, at_end: bool) -> None:
        """The file that the path leads to, if it is followed nowhere else: a file that was renamed is."""
        if followed.tail is not None:
            return
        try:
            tail = Tail(followed.path, None if at_end else 0, self._limits)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                self._once(f"{followed.path} cannot be read: {error.strerror}")
            return
        if any(tail.file == other.file for one in self._followed.values() for other in one.tails):
            tail.end()
            return
        if not at_end and (done := self._done.pop(tail.file, None)) is not None:
            tail.go_on(done)
        followed.tail = tail

    def _once(self, text: str) -> None:
        if text not in self._reported:
            self._reported.add(text)
            self._tell(text)
