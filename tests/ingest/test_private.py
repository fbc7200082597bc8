"""What an ingest writes is for its owner alone, and holds no secret of what was ingested."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.pipeline import ingest
from ingest.progress import StageProgress
from ingest.survey import Options
from tests.ingest.sources.test_archives import zipped

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]
CANARY = "GhCanary99xyz1Q"


@pytest.fixture(autouse=True)
def as_usual() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(home: Path) -> list[str]:
    found = [home, *home.rglob("*")]
    return [str(path) for path in found if not path.is_symlink() and path.lstat().st_mode & 0o077]


def issue(number: int) -> dict[str, object]:
    body = (
        f"It fails with java.lang.IllegalStateException: no token\n\tat com.acme.Shop.buy(Shop.java:{number})\n"
        f"token={CANARY}\n\nFix: set the token anew, then start the service again."
    )
    return {"number": number, "title": f"Shop {number} fails without a token", "body": body, "state": "closed"}


@pytest.mark.slow
def test_a_secret_of_an_export_is_in_no_file_of_the_home(tmp_path: Path) -> None:
    """Not in the packs, also those of an older home; what is listed stays known, and is read again when it must be."""
    source, home = tmp_path / "source", tmp_path / "home"
    source.mkdir()
    (source / "issues.json").write_text(json.dumps([issue(1), issue(2)]))
    (source / "more.zip").write_bytes(
        zipped({"a.md": f"# Shop fails\n\ntoken={CANARY}\n\n## Fix\nStart again.".encode()})
    )
    options = Options(home)
    assert ingest([str(source)], options, StageProgress()).accepted == 3
    found = subprocess.run(["grep", "-rlaF", CANARY, str(home)], capture_output=True, text=True, check=False)
    assert found.stdout == ""
    assert not list(home.rglob("data"))
    (left,) = list((home / "lake/packs").glob("*/*"))[:1]
    (left / "data").write_text(CANARY)  # as a run leaves it that is killed
    assert not ingest([str(source)], options, StageProgress()).published
    assert not list(home.rglob("data"))
    assert ingest([str(source)], Options(home, full=True), StageProgress()).accepted == 3
    assert open_to_others(home) == []
