"""A Milvus for tests: Milvus Lite as a server of its own process, which can be stopped, started again and looked into."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

from index.storage.place import CandidatePlace

_STARTS_IN = 60.0


class MilvusServer:
    """`milvus-lite server` over a folder, at one port for as long as it lives and again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def place(self, *, seconds: float = 30.0, falls_back: bool = False, collection: str = "tests") -> CandidatePlace:
        """Return the address as settings give it; a busy machine may take its time."""
        return CandidatePlace.of(self.url(collection), None, seconds, falls_back=falls_back)

    def url(self, collection: str = "tests") -> str:
        """Return what `KB_CANDIDATES` says."""
        return f"milvus://127.0.0.1:{self.port}/{collection}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def start(self) -> None:
        """Start it and wait until it answers."""
        with Path(os.devnull).open("wb") as nothing:
            options = ["server", "--data-dir", str(self._folder), "--host", "127.0.0.1", "--port", str(self.port)]
            self._process = subprocess.Popen(
                [sys.executable, "-m", "milvus_lite", *options], stdout=nothing, stderr=nothing
            )
        deadline = time.monotonic() + _STARTS_IN
        while not self._listens():
            assert self._process.poll() is None, "milvus-lite ended"
            assert time.monotonic() < deadline, "milvus-lite does not listen"
            time.sleep(0.05)

    def stop(self) -> None:
        """Kill it, as a machine that is gone."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def collections(self) -> list[str]:
        """Return the names of what it holds."""
        from pymilvus import MilvusClient

        client = MilvusClient(f"http://127.0.0.1:{self.port}", timeout=30)
        try:
            return sorted(client.list_collections())
        finally:
            client.close()

    def cpu_seconds(self) -> float:
        """Return the CPU that it has used since it was started."""
        assert self._process is not None
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def remove(self) -> None:
        """Stop it and delete what it holds."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _listens(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex(("127.0.0.1", self.port)) == 0
