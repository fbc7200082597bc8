"""The client lives in other people's projects: it loads `kb` and httpx, and none of the names that they may have themselves."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import sys
from kb.client import AsyncClient, Client
import httpx

with Client("http://127.0.0.1:1", key="k"):
    AsyncClient("http://127.0.0.1:1")
ours = {name for name in sys.modules if name.partition(".")[0] in {"kb", "index", "ingest", "api", "corpus"}}
print(*sorted(name for name in ours if not name.startswith("kb.client")))
print(*sorted(name for name in ("numpy", "pydantic", "sqlalchemy", "fastapi", "typer", "yaml", "re2") if name in sys.modules))
import api, index, ingest
print(api.NAME, index.NAME, ingest.NAME)
"""


def test_a_project_with_its_own_api_index_and_ingest_uses_the_client(tmp_path: Path) -> None:
    for name in ("api", "index", "ingest"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"NAME = 'their {name}'\n")
    (tmp_path / "ask.py").write_text(PROGRAM)
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "ask.py"], check=True, capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert done.stdout.splitlines() == ["kb kb.errors", "", "their api their index their ingest"]
