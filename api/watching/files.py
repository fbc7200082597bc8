"""Logs that are followed: files that grow, are emptied, renamed, made anew or are not there yet, patterns of them, and pipes."""

import os
import select
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from glob import glob, has_magic
from pathlib import Path

from api.console import STDIN
from api.watching.tails import File, LogChunk, Pipe, Reached, Tail
from kb.errors import SourceError

_GRACE = 5.0
"""Seconds without a line after which a file that was renamed or removed is closed: its writer may still have it open."""
_LOOK = 1.0
"""Seconds between two looks for new files of a pattern."""
MOST_FILES = 400
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
        """All that is open of it."""
        return tuple(filter(None, (self.tail, *(tail for tail, _ in self.left))))

    def read(self, now: float) -> Iterator[LogChunk]:
        """What came through the path."""
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

    def read_left(self, now: float, done: dict[File, Reached]) -> Iterator[LogChunk]:
        """What was still written into files that were renamed or removed; into ``done`` how far those were read that are closed."""
        still = []
        for tail, last in self.left:
            piece = tail.read()
            if piece:
                yield piece
            if piece or now - last < _GRACE:
                still.append((tail, now if piece else last))
            else:
                done[tail.file] = tail.reached
                yield tail.end()
        self.left = still


class LogFollower:
    """All logs of a watch. ``tell`` gets what people should know: what is waited for, what cannot be read."""

    def __init__(self, names: Sequence[str], *, from_start: bool, tell: Callable[[str], None]) -> None:
        self._patterns = [name for name in names if name != STDIN and has_magic(name) and not Path(name).exists()]
        self._tell = tell
        self._told: set[str] = set()
        self._followed: dict[Path, Followed] = {}
        self._pipes: list[Pipe] = []
        self._done: dict[File, Reached] = {}
        """How far files were read that are closed: one that comes back under another name goes on there."""
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
        """What is new everywhere."""
        now = time.monotonic()
        if now - self._looked >= _LOOK:
            self._look(at_end=False)
        for pipe in self._pipes:
            if piece := pipe.read():
                yield piece
        for followed in list(self._followed.values()):
            yield from followed.read(now)
            self._open(followed, at_end=False)
            yield from followed.read_left(now, self._done)
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
            self._pipes.append(Pipe(0, "stdin"))
            return
        path = Path(name)
        try:
            mode = path.stat().st_mode
            if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode):
                self._pipes.append(Pipe(os.open(path, os.O_RDONLY), name))
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
                if path not in self._followed and len(self._followed) < MOST_FILES:
                    followed = self._followed[path] = Followed(path, is_named=False)
                    self._open(followed, at_end=at_end)
                elif path not in self._followed:
                    self._once(f"only the first {MOST_FILES} files are followed: {path} and others are not")

    def _open(self, followed: Followed, *, at_end: bool) -> None:
        """The file that the path leads to, if it is followed nowhere else: a file that was renamed is."""
        if followed.tail is not None:
            return
        try:
            tail = Tail(followed.path, None if at_end else 0)
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
        if text not in self._told:
            self._told.add(text)
            self._tell(text)
