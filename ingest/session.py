"""The one Spark session: how it is started, on this machine or on a cluster.

Nothing else in the project builds a session, and nothing else imports pyspark's start-up machinery.
"""

import os
import re
import signal
import sys
import threading
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException, PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

import ingest
from ingest import java
from kb.errors import KbError, SettingsError

LOCAL = "local[*]"
"""Spark in this process's own machine, all cores."""

Conf = tuple[tuple[str, str], ...]
"""Settings of Spark: names and values."""

_ROOT = Path(ingest.__file__).resolve().parent.parent
_SHIPPED = ("kb", "index", "ingest")
_UNPACKED = "dejastack"  # the folder of an executor that holds our code, below the one it runs in
_MIB = 1 << 20
_HEAP = 1536 * _MIB
"""Where Spark is this process alone: the work is done in Python, and a larger heap only fills with what nobody has collected yet."""
_BATCH = 32 * _MIB
"""Bytes at which a batch ends. Without it 512 lines of 60 MB, which a few MB of gzip hold, were one batch of 30 GB."""
_HEAP_OF_CLUSTER = 4096 * _MIB
"""Where the driver takes in what many executors send."""
_LOCAL_CORES = re.compile(r"local(?:\[(\d+|\*)\])?")
_TRIES = 4  # Spark's own number, which it does not keep to on one machine
_RAISED = re.compile(r"[\w.]+(?:Error|Exception): ")  # the line of a Python traceback that names the error
_CAUSED = re.compile(r"Caused by: (.*)")  # and of Java's


class SparkError(KbError):
    """Spark did not start, or a job failed as a whole."""


def read_conf(given: Sequence[str]) -> Conf:
    """What the option ``--conf NAME=VALUE`` was given. Raises `SettingsError`."""
    pairs = [one.partition("=") for one in given]
    for name, sign, _ in pairs:
        if not sign or not name.startswith("spark."):
            raise SettingsError(f"--conf {name} is no setting of Spark", cure="write --conf spark.NAME=VALUE")
        if name == "spark.master":
            raise SettingsError("--conf cannot set spark.master", cure="use --master")
    return tuple((name, value) for name, _, value in pairs)


def is_local(master: str) -> bool:
    """Whether executors run on this machine and see its files."""
    return master.startswith("local")


@contextmanager
def spark_session(home: Path, master: str = LOCAL, conf: Conf = ()) -> Iterator[SparkSession]:
    """A session on ``master``, stopped at the end. Spark's own words go to ``home/spark.log``; its errors become `SparkError`.

    ``conf`` are further settings of Spark, which win over ours. A session that runs in this process already is used as it is and left running: one process has room for one.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        with _as_spark_error(home):
            yield running
        return
    home.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="kb-spark-") as scratch:
        session = start(home, settings(master, Path(scratch)) | dict(conf))
        try:
            with _as_spark_error(home):
                if not is_local(master):
                    session.sparkContext.addArchive(f"{_archive(Path(scratch))}#{_UNPACKED}")
                yield session
        finally:
            _end(session)


@contextmanager
def _as_spark_error(home: Path) -> Iterator[None]:
    """Turns a failed job into one line. Its text lives in Java, so it is fetched while Java does."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raised = [line for line in lines if _RAISED.match(line)] or [
            found[1] for line in lines if (found := _CAUSED.match(line))
        ]
        problem = (raised[-1:] or lines[:1] or [type(error).__name__])[0]
        raise SparkError(f"the Spark job failed: {problem}", cure=f"see {home / 'spark.log'}, then run again") from None


def settings(master: str, scratch: Path) -> dict[str, str]:
    """Spark's settings for ``master``; ``scratch`` takes what Spark leaves on the driver's disk."""
    log4j = Path(ingest.__file__).with_name("log4j2.properties")
    chosen = {
        "spark.master": _retrying(master),
        "spark.app.name": "dejastack ingest",
        "spark.hadoop.fs.permissions.umask-mode": "077",  # Hadoop sets modes itself
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={log4j} -Dderby.system.home={scratch}",
        # Small batches: an article grows about fourfold on its way to vectors and fingerprints.
        "spark.sql.execution.arrow.maxRecordsPerBatch": "512",
        "spark.sql.execution.arrow.maxBytesPerBatch": str(_BATCH),  # a batch ends with the record that reaches it
        # Many small files are the normal input; the default counts each as 4 MB and makes far too many tasks.
        "spark.sql.files.openCostInBytes": str(64 << 10),
        "spark.sql.files.maxPartitionBytes": str(16 * _MIB),
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.driver.memory": f"{_driver_memory(_HEAP if is_local(master) else _HEAP_OF_CLUSTER) // _MIB}m",
        "spark.executorEnv.PYTHONPATH": str(_ROOT) if is_local(master) else _UNPACKED,
        "spark.pyspark.python": sys.executable,
    }
    if is_local(master):
        # The work is done in Python: what Java's second compiler takes is never won back. A third of Java's time, cold and warm.
        chosen["spark.driver.extraJavaOptions"] += " -XX:TieredStopAtLevel=1"
        chosen |= {
            # Loopback by number: a container's own name often cannot be resolved.
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": str(cores()),
            "spark.local.dir": str(scratch),
        }
    return chosen


def _retrying(master: str) -> str:
    """``local[*]`` as ``local[*,4]``: a task whose Python the system has killed is tried again, as on a cluster."""
    found = _LOCAL_CORES.fullmatch(master)
    return master if found is None else f"local[{found[1] or 1},{_TRIES}]"


def start(home: Path, chosen: dict[str, str]) -> SparkSession:
    """A session with these settings. Raises `SparkError` when Java comes up and Spark does not."""
    log = home / "spark.log"
    conf = SparkConf(loadDefaults=False).setAll(list(chosen.items()))
    environ = {"JAVA_HOME": str(java.spark_home(java.find(os.environ), home))}
    # A driver that is Python itself is told the executors' Python by the environment alone.
    environ["PYSPARK_PYTHON"] = chosen["spark.pyspark.python"]
    if is_local(chosen["spark.master"]):
        environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost"}
    with _environment(environ), _own_interrupt(), log.open("wb") as stderr:
        try:
            gateway = launch_gateway(conf, popen_kwargs={"stderr": stderr})
            context = SparkContext(conf=conf, gateway=gateway)
        except (PySparkRuntimeError, OSError) as error:
            raise SparkError(f"Spark did not start on {chosen['spark.master']}", cure=f"see {log}") from error
    context.setLogLevel("WARN")
    return SparkSession.builder.getOrCreate()


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """``os.environ`` with ``values`` while Java is started; PySpark reads them from nowhere else."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _own_interrupt() -> Iterator[None]:
    """Keeps this process's answer to Ctrl+C, which a SparkContext would replace by its own."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def _end(session: SparkSession) -> None:
    """Stops Spark, whose Java may be dead already; what PySpark remembers of it would be in the way of the next session."""
    with warnings.catch_warnings(), suppress(Py4JError, OSError):
        warnings.simplefilter("ignore")
        session.stop()
    SparkContext._active_spark_context = None  # noqa: SLF001
    SparkSession._instantiatedSession = SparkSession._activeSession = None  # noqa: SLF001
    _end_gateway()


def _end_gateway() -> None:
    """Ends the Java process, so that a second session in this process starts a fresh one with its own settings."""
    gateway = SparkContext._gateway  # noqa: SLF001  PySpark keeps the process alive on purpose and has no public way
    if gateway is not None:
        with suppress(OSError, Py4JError):
            gateway.shutdown()
        process = getattr(gateway, "proc", None)
        if process is not None:
            process.stdin.close()
            process.wait(timeout=30)
        SparkContext._gateway = None  # noqa: SLF001
        SparkContext._jvm = None  # noqa: SLF001


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _driver_memory(most: int) -> int:
    """Bytes for the driver's heap: a quarter of what the machine or the container allows, from 1 GiB to ``most``."""
    allowed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):  # "max" means no limit
            allowed = min(allowed, int(Path(limit).read_text(encoding="ascii")))
    return max(1024 * _MIB, min(most, allowed // 4))


def _archive(folder: Path) -> Path:
    """The project's packages as a zip that the executors of a cluster unpack; what they import must be installed there.

    Unpacked, because models and rules are read as files.
    """
    archive = folder / "dejastack.zip"
    with zipfile.ZipFile(archive, "w") as target:
        for package in _SHIPPED:
            for file in sorted((_ROOT / package).rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    target.write(file, file.relative_to(_ROOT))
    return archive
