"""What a running program and all processes below it take, by ``/proc``."""

import os
import re
import threading
from pathlib import Path

from tests.ingest.cluster import descendants

EVERY = 0.5
"""Seconds between two looks at the processes."""


class Watched:
    """Peak resident memory and seconds of CPU of a process and all below it, by ``/proc``."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.peak: dict[str, float] = {"driver": 0.0, "java": 0.0, "worker": 0.0}
        self._cpu: dict[int, float] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    @property
    def cpu(self) -> float:
        """Seconds, of user and system, until the last look."""
        return sum(self._cpu.values())

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(EVERY):
            for pid in (self._pid, *descendants(self._pid)):
                try:
                    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                    resident = peak_mb(pid)
                except OSError:
                    continue
                kind = "driver" if pid == self._pid else "java" if words[0].endswith(b"java") else "worker"
                self.peak[kind] = max(self.peak[kind], resident)
                self._cpu[pid] = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


def peak_mb(pid: int) -> float:
    """The most memory a process ever had resident, as the kernel has noted it (VmHWM)."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0  # a process that has just ended has no memory any more
