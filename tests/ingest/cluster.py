"""A standalone Spark cluster of processes on this machine: a master, workers of one core each, nothing of this checkout on them."""

import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyspark

from ingest import java

_PATIENCE = 300.0  # seconds; a machine that others use, too
_MASTER = re.compile(r"Starting Spark master at (spark://\S+)")
_REGISTERED = "Successfully registered with master"
_HURRY = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""No Java here lives long enough for the work of the second compiler to be won back."""
_RUNNING = re.compile(r"Running task (\d+)\.\d+ in stage")


@dataclass
class Cluster:
    """What was started, under ``folder``. The executors' Python has everything that is installed here but the project."""

    folder: Path
    environ: dict[str, str]
    python: Path
    master: str = ""
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def conf(self, *more: str) -> list[str]:
        """Arguments of `kb ingest` and `kb match` to run there."""
        settings = (f"spark.pyspark.python={self.python}", "spark.driver.host=127.0.0.1", *more)
        return ["--master", self.master, *(part for one in settings for part in ("--conf", one))]

    def start_master(self) -> None:
        """Starts the master on a free port."""
        self._start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0")
        self.master = self._told("master", lambda text: (found := _MASTER.search(text)) and found[1])

    def start_workers(self, *names: str, memory: str = "1g") -> None:
        """Starts workers of one core; they are there when this returns."""
        for name in names:
            arguments = ("--host", "127.0.0.1", "-c", "1", "-m", memory, "-d", str(self.folder / name), self.master)
            self._start(name, "org.apache.spark.deploy.worker.Worker", *arguments)
        for name in names:
            self._told(name, lambda text: _REGISTERED in text)

    def kill_worker(self, name: str) -> None:
        """Ends a worker at once, and its executor with it, as when its machine goes down."""
        worker = self.processes[name]
        below = descendants(worker.pid)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        for pid in below:
            _kill(pid)

    def wait_for_tasks(self, name: str, least: int) -> None:
        """Returns once an executor of the worker has begun so many tasks."""
        until = time.monotonic() + _PATIENCE
        while (begun := sum(len(_RUNNING.findall(text)) for text in self.executor_logs(name))) < least:
            if time.monotonic() > until:
                raise TimeoutError(f"{name} began {begun} tasks")
            time.sleep(0.02)

    def executor_logs(self, name: str) -> list[str]:
        """What the executors of a worker wrote."""
        return [path.read_text(errors="replace") for path in sorted((self.folder / name).glob("app-*/*/stderr"))]

    def stop(self) -> None:
        """Ends all that is left, executors before their workers forget them."""
        for process in self.processes.values():
            below = descendants(process.pid) if process.poll() is None else []
            for pid in (*below, process.pid):
                _kill(pid)
            process.wait()

    def _start(self, name: str, main: str, *arguments: str) -> None:
        command = [str(Path(pyspark.__path__[0], "bin", "spark-class")), main, "--webui-port", "0", *arguments]
        with self._log(name).open("wb") as log:
            self.processes[name] = subprocess.Popen(
                command, cwd=self.folder, env=self.environ, stdout=log, stderr=subprocess.STDOUT
            )

    def _log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def _told(self, name: str, told: Callable[[str], Any]) -> Any:
        until = time.monotonic() + _PATIENCE
        while not (found := told(text := self._log(name).read_text(errors="replace"))):
            if self.processes[name].poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{name} did not start:\n{text}")
            time.sleep(0.05)
        return found


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster with a master and no worker yet."""
    folder.mkdir(parents=True, exist_ok=True)
    home = java.spark_home(java.find(os.environ), folder)
    environ = {"PATH": os.environ["PATH"], "JAVA_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"} | _HURRY
    made = Cluster(folder, environ, foreign_python(folder / "python"))
    try:
        made.start_master()
        yield made
    finally:
        made.stop()


def foreign_python(folder: Path) -> Path:
    """A Python with the packages of this one, in which the project is not installed: as on the machines of a cluster."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    inside = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    # A folder named in a .pth file is put on the path, and the .pth files in it (an editable install is one) are not read.
    Path(inside.stdout.strip(), "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")
    without = {"PATH": os.environ["PATH"]}  # PYTHONPATH, too, may name the checkout
    alone = subprocess.run(
        [python, "-c", "import pyspark, kb"], cwd=folder, env=without, capture_output=True, text=True, check=False
    )
    assert "No module named 'kb'" in alone.stderr, alone.stderr
    return python


def descendants(pid: int) -> list[int]:
    """The processes below this one, by ``/proc``; parents first."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found, waiting = [], [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def driving(program: str, home: Path, *arguments: str) -> subprocess.Popen[str]:
    """A program of this checkout that drives the cluster, under way."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=Path(__file__).resolve().parents[2],
        env=os.environ | _HURRY | {"KB_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
