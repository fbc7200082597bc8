"""Schemathesis over the whole OpenAPI document of a running service: every check, every phase, each database, with a key and without."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from api.app import create_app
from api.settings import ServiceSettings
from tests.api.fixtures import serving
from tests.api.proof.service import SECONDS, a_key

HERE = Path(__file__).parent
PROGRAM = "from schemathesis.cli import schemathesis; schemathesis()"
ALL = ("--phases", "examples,coverage,fuzzing,stateful", "--max-examples", "40", "--continue-on-failure")
QUICK = ("--phases", "examples,stateful", "--max-examples", "1", "--seed", "1")
NOT_ASKED = "use_after_free"
"""DELETE retires: what is retired is searched no more, and is read with its history for ever (api/README.md). 404 would lose words."""
TIMES = ("--max-response-time", "600")  # a batch of a thousand has the time of a thousand searches
LONG = [pytest.mark.bench, pytest.mark.timeout(3600)]


def attacked(url: str, folder: Path, key: str | None, *options: str) -> str:
    """What Schemathesis prints; it has found nothing wrong."""
    config = (HERE / "schemathesis.toml").read_text(encoding="utf-8")
    if key is not None:
        config += f'\n[auth.openapi.bearer]\nbearer = "{key}"\n'
    (folder / "schemathesis.toml").write_text(config, encoding="utf-8")
    arguments = (
        "--config-file",
        "schemathesis.toml",
        "run",
        f"{url}/openapi.json",
        "--checks",
        "all",
        "--exclude-checks",
        NOT_ASKED,
        *TIMES,
        *options,
    )
    paths = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    lines = [line[:1000] for line in done.stdout.splitlines() if line.strip()]
    (folder / "schemathesis.log").write_text("\n".join(lines), encoding="utf-8")
    assert done.returncode == 0, "\n".join(lines[-250:])
    return done.stdout


@pytest.mark.parametrize(
    ("place", "role", "options"),
    [
        pytest.param("sqlite", "curator", QUICK, id="sqlite-quick"),
        pytest.param("sqlite", "curator", ALL, id="sqlite-curator", marks=LONG),
        pytest.param("sqlite", None, ALL, id="sqlite-nobody", marks=LONG),
        pytest.param("postgresql", "curator", ALL, id="postgresql-curator", marks=LONG),
        pytest.param("postgresql", None, ALL, id="postgresql-nobody", marks=LONG),
    ],
    indirect=["place"],
)
@pytest.mark.slow
def test_the_api_is_as_it_says(
    request: pytest.FixtureRequest,
    place: str | Path,
    *,
    role: str | None,
    options: tuple[str, ...],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = f"sqlite:///{place}" if isinstance(place, Path) else place
    settings = {"DATABASE_URL": url, "RATE_PER_KEY": "0", "RATE_PER_ADDRESS": "0", "SEARCH_SECONDS": "60"}
    for name, value in settings.items():
        monkeypatch.setenv(f"KB_{name}", value)
    key = a_key(url) if role else None
    with serving(home, tmp_path, seconds=SECONDS) as server:
        said = attacked(server.url, tmp_path, key, *options)
        assert httpx.get(f"{server.url}/readyz", timeout=60).is_success
        log = server.output.read_text(encoding="utf-8")
    assert '"fault"' not in log, "something broke inside"
    paths = create_app(ServiceSettings()).openapi()["paths"]
    operations = sum(len(one) for one in paths.values())
    assert f"Selected: {operations}/{operations}" in said
    (cases,) = re.findall(r"(\d+) generated", said)
    if request.node.get_closest_marker("bench"):
        assert f"Tested: {operations}" in said
        figure: Callable[..., None] = request.getfixturevalue("figure")
        kind = "sqlite" if isinstance(place, Path) else "postgresql"
        figure(f"schemathesis.{kind}.{role or 'nobody'}.cases", int(cases))
    else:
        assert int(cases) > 15
