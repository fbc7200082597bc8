"""The files that put the service up name what there is: settings, routes, ports, times that fit each other."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.app import create_app
from api.settings import ServiceSettings, variable

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "api/deploy"
DOCKERFILE = (FOLDER / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
OBJECTS = list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text(encoding="utf-8")))
KNOWN = {variable(name) for name in ServiceSettings.model_fields}


def one(kind: str, name: str = "dejastack") -> dict[str, Any]:
    (found,) = [entry for entry in OBJECTS if entry["kind"] == kind and entry["metadata"]["name"] == name]
    return dict(found)


def pods() -> Iterator[dict[str, Any]]:
    yield one("Deployment")["spec"]["template"]["spec"]
    yield one("CronJob", "dejastack-ingest")["spec"]["jobTemplate"]["spec"]["template"]["spec"]


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_every_setting_named_is_one(path: Path) -> None:
    assert set(re.findall(r"\bKB_[A-Z_]+", path.read_text(encoding="utf-8"))) <= KNOWN


def test_every_value_given_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        **one("ConfigMap")["data"],
        **{key: str(value) for key, value in COMPOSE["services"]["service"]["environment"].items()},
        **dict(re.findall(r"(KB_\w+)=(\S+)", DOCKERFILE.partition("ENV PATH")[2])),
    }.items():
        monkeypatch.setenv(name, value)
        ServiceSettings.load()


def test_probes_ask_routes_that_are_there_at_the_port_that_listens() -> None:
    paths = create_app(ServiceSettings()).openapi()["paths"]
    (container,) = one("Deployment")["spec"]["template"]["spec"]["containers"]
    probes = {name: container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "readiness", "liveness")}
    assert probes == {"startup": "/healthz", "readiness": "/readyz", "liveness": "/healthz"}
    assert set(probes.values()) <= set(paths)
    port = ServiceSettings().port
    assert container["ports"] == [{"name": "http", "containerPort": port}]
    assert f"EXPOSE {port}" in DOCKERFILE
    assert f"http://127.0.0.1:{port}/readyz" in DOCKERFILE
    assert COMPOSE["services"]["service"]["ports"] == [f"127.0.0.1:{port}:{port}"], (
        "others reach it only when somebody says so"
    )


def test_a_stop_fits_into_its_time() -> None:
    data = one("ConfigMap")["data"]
    needed = float(data["KB_DRAIN_SECONDS"]) + float(data["KB_SEARCH_SECONDS"]) + 2
    assert one("Deployment")["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] > needed
    compose = COMPOSE["services"]["service"]
    needed = compose["environment"]["KB_DRAIN_SECONDS"] + ServiceSettings().search_seconds + 2
    assert int(compose["stop_grace_period"].removesuffix("s")) > needed


def test_replicas_only_read_the_snapshot_and_nobody_is_root() -> None:
    service, ingest = pods()
    mounts = {m["name"]: m.get("readOnly", False) for m in service["containers"][0]["volumeMounts"]}
    assert mounts == {"home": True, "tmp": False}
    assert one("Deployment")["spec"]["replicas"] > 1
    uid = int(re.search(r"--uid (\d+)", DOCKERFILE)[1])  # type: ignore[index]
    assert f"USER {uid}:{uid}" in DOCKERFILE
    for pod in (service, ingest):
        assert pod["securityContext"]["runAsUser"] == uid
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }


def test_the_image_copies_what_the_package_needs() -> None:
    copied = set(re.findall(r"^COPY (\w+) \1$", DOCKERFILE, re.MULTILINE))
    packed = re.search(r"only-include = \[(.*?)\]", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert packed is not None
    assert copied == set(re.findall(r'"(\w+)"', packed[1]))
    let_through = set(
        re.findall(r"^!(\S+)$", (FOLDER / "Dockerfile.dockerignore").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert let_through == copied | {"constraints.txt", "pyproject.toml", "README.md", "LICENSE"}


def test_the_service_loads_nothing_of_the_extras() -> None:
    """What serves, searches and reads traces must start in an image that has only the plain dependencies."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    names = {re.split(r"[<>=]", line)[0] for line in extras["ingest"] + extras["train"]}
    modules = {"sklearn" if name == "scikit-learn" else name.replace("-", "_") for name in names}
    assert {"pyspark", "torch", "sklearn"} <= modules
    commands = ("serve", "search", "parse", "explain", "settings", "snapshots", "doctor", "rules")
    code = (
        f"import sys; [sys.modules.__setitem__(name, None) for name in {sorted(modules)!r}]\n"
        f"import api.app, {', '.join(f'api.commands.{name}' for name in commands)}\n"
        "from index.encoder import load_encoder; load_encoder(None).encode(['检查点 failed'])"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, capture_output=True)


@pytest.mark.slow
def test_the_installed_package_has_every_command_but_training() -> None:
    """The wheel leaves `index.training` out; importing it fails here as it does there."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert wheel["wheel"]["exclude"] == ["index/training"]
    code = (
        "import sys; sys.modules['index.training'] = None\n"
        "from importlib.metadata import entry_points\n"
        "from api.cli import main\n"
        "for entry in entry_points(group='kb.commands'):\n"
        "    entry.name in {'model', 'rank', 'roles'} or entry.load()\n"
        "main(['rank', 'train', '.'])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=300, capture_output=True, text=True)
    said = "kb: kb rank is not part of the installed package: it trains in a checkout of dejastack"
    assert (done.returncode, done.stderr.partition(". Cure")[0]) == (1, said)
